"""Rules of products that sum over axes, of convolutions, and of interpolation; no conjugates.

np.einsum is in `einsum`.
"""

# ruff: noqa: F821, F841

from __future__ import annotations

import numpy as np

from srcgrad.rules.notation import Array, Const, Matrix, Scalar, Stack, Vector, rule
from srcgrad.rules.points_arrays import (
    column,
    increasing,
    inside,
    matrix,
    matrix_2,
    other,
    row,
    short,
    single,
    square,
    stack,
    stack_2,
    stack_of_squares,
    tall,
    tangled,
    tangled_matrix,
    three,
    triples,
    triples_2,
    vector,
)

# matmul and @


@rule(at=[(vector, other), (tangled, vector)], also=[np.linalg.matmul], operator="@")
def matmul_vectors(x1: Vector, x2: Vector, /):
    y = np.matmul(x1, x2)
    y_dot = x1_dot @ x2 + x1 @ x2_dot
    x1_bar += y_bar * x2
    x2_bar += y_bar * x1


@rule(at=[(matrix, vector), (tangled_matrix, three)], also=[np.linalg.matmul], operator="@")
def matmul_matrix_vector(x1: Matrix, x2: Vector, /):
    y = np.matmul(x1, x2)
    y_dot = x1_dot @ x2 + x1 @ x2_dot
    x1_bar += np.outer(y_bar, x2)
    x2_bar += x1.T @ y_bar


@rule(at=[(short, matrix)], also=[np.linalg.matmul], operator="@")
def matmul_vector_matrix(x1: Vector, x2: Matrix, /):
    y = np.matmul(x1, x2)
    y_dot = x1_dot @ x2 + x1 @ x2_dot
    x1_bar += x2 @ y_bar
    x2_bar += np.outer(x1, y_bar)


@rule(at=[(square, matrix), (matrix, tall), (tangled_matrix, matrix)], also=[np.linalg.matmul], operator="@")
def matmul_matrices(x1: Matrix, x2: Matrix, /):
    y = np.matmul(x1, x2)
    y_dot = x1_dot @ x2 + x1 @ x2_dot
    x1_bar += y_bar @ x2.T
    x2_bar += x1.T @ y_bar


@rule(at=[(stack, vector)], also=[np.linalg.matmul], operator="@")
def matmul_stack_vector(x1: Stack, x2: Vector, /):
    y = np.matmul(x1, x2)
    y_dot = x1_dot @ x2 + x1 @ x2_dot
    x1_bar += y_bar[..., None] * x2
    x2_bar += np.ravel(y_bar) @ np.reshape(x1, (-1, x2.size))


@rule(at=[(short, stack)], also=[np.linalg.matmul], operator="@")
def matmul_vector_stack(x1: Vector, x2: Stack, /):
    y = np.matmul(x1, x2)
    y_dot = x1_dot @ x2 + x1 @ x2_dot
    x1_bar += unbroadcast(np.sum(x2 * y_bar[..., None, :], -1), x1)
    x2_bar += x1[:, None] * y_bar[..., None, :]


@rule(
    at=[(stack, stack_2), (stack, tall), (square, stack), (stack[:1], stack_2)],
    also=[np.linalg.matmul],
    operator="@",
)
def matmul_stacks(x1: Array, x2: Array, /):
    y = np.matmul(x1, x2)
    y_dot = x1_dot @ x2 + x1 @ x2_dot
    x1_bar += unbroadcast(y_bar @ np.swapaxes(x2, -1, -2), x1)
    x2_bar += unbroadcast(np.swapaxes(x1, -1, -2) @ y_bar, x2)


# dot


@rule(at=[(1.5, 0.3), (1.5, vector), (0.5, stack)], method="dot")
def dot_scalar_any(a: Scalar, b):
    y = np.dot(a, b)
    y_dot = a_dot * b + a * b_dot
    a_bar += np.sum(y_bar * b)
    b_bar += a * y_bar


@rule(at=[(vector, 1.5), (stack, 0.5)], method="dot")
def dot_any_scalar(a: Array, b: Scalar):
    y = np.dot(a, b)
    y_dot = a_dot * b + a * b_dot
    a_bar += y_bar * b
    b_bar += np.sum(y_bar * a)


@rule(at=[(vector, other), (tangled, vector)], method="dot")
def dot_vectors(a: Vector, b: Vector):
    y = np.dot(a, b)
    y_dot = np.dot(a_dot, b) + np.dot(a, b_dot)
    a_bar += y_bar * b
    b_bar += y_bar * a


@rule(at=[(matrix, vector)], method="dot")
def dot_matrix_vector(a: Matrix, b: Vector):
    y = np.dot(a, b)
    y_dot = np.dot(a_dot, b) + np.dot(a, b_dot)
    a_bar += np.outer(y_bar, b)
    b_bar += np.dot(a.T, y_bar)


@rule(at=[(short, matrix)], method="dot")
def dot_vector_matrix(a: Vector, b: Matrix):
    y = np.dot(a, b)
    y_dot = np.dot(a_dot, b) + np.dot(a, b_dot)
    a_bar += np.dot(b, y_bar)
    b_bar += np.outer(a, y_bar)


@rule(at=[(square, matrix), (matrix, tall)], method="dot")
def dot_matrices(a: Matrix, b: Matrix):
    y = np.dot(a, b)
    y_dot = np.dot(a_dot, b) + np.dot(a, b_dot)
    a_bar += np.dot(y_bar, b.T)
    b_bar += np.dot(a.T, y_bar)


@rule(at=[(stack, vector)], method="dot")
def dot_stack_vector(a: Stack, b: Vector):
    y = np.dot(a, b)
    y_dot = np.dot(a_dot, b) + np.dot(a, b_dot)
    a_bar += y_bar[..., None] * b
    b_bar += np.dot(np.ravel(y_bar), np.reshape(a, (-1, b.size)))


@rule(at=[(stack, stack_2), (stack, tall), (matrix, stack_2), (short, stack)], method="dot")
def dot_stacks(a: Array, b: Array):
    y = np.dot(a, b)
    left = np.reshape(a, (-1, a.shape[-1]))
    right = np.moveaxis(b, -2, 0)
    adjoint = np.reshape(y_bar, (left.shape[0], -1))
    y_dot = np.dot(a_dot, b) + np.dot(a, b_dot)
    a_bar += np.reshape(adjoint @ np.reshape(right, (right.shape[0], -1)).T, a.shape)
    b_bar += np.moveaxis(np.reshape(left.T @ adjoint, right.shape), 0, -2)


# Other products


@rule(at=[(vector, short), (tangled, short)])
def outer(a: Vector, b: Vector):
    y = np.outer(a, b)
    y_dot = np.outer(a_dot, b) + np.outer(a, b_dot)
    a_bar += y_bar @ b
    b_bar += a @ y_bar


@rule(at=[(matrix, short), (short, stack), (stack, column)])
def outer_of_arrays(a: Array, b: Array):
    y = np.outer(a, b)
    y_dot = np.outer(a_dot, b) + np.outer(a, b_dot)
    a_bar += np.reshape(y_bar @ np.ravel(b), a.shape)
    b_bar += np.reshape(np.ravel(a) @ y_bar, b.shape)


@rule(at=[(vector, short)])
def linalg_outer(x1: Vector, x2: Vector, /):
    y = np.linalg.outer(x1, x2)
    y_dot = np.outer(x1_dot, x2) + np.outer(x1, x2_dot)
    x1_bar += y_bar @ x2
    x2_bar += x1 @ y_bar


@rule(at=[(vector, other)])
def inner_vectors(a: Vector, b: Vector, /):
    y = np.inner(a, b)
    y_dot = np.inner(a_dot, b) + np.inner(a, b_dot)
    a_bar += y_bar * b
    b_bar += y_bar * a


@rule(at=[(matrix, vector)])
def inner_matrix_vector(a: Matrix, b: Vector, /):
    y = np.inner(a, b)
    y_dot = np.inner(a_dot, b) + np.inner(a, b_dot)
    a_bar += np.outer(y_bar, b)
    b_bar += y_bar @ a


@rule(at=[(vector, matrix)])
def inner_vector_matrix(a: Vector, b: Matrix, /):
    y = np.inner(a, b)
    y_dot = np.inner(a_dot, b) + np.inner(a, b_dot)
    a_bar += y_bar @ b
    b_bar += np.outer(y_bar, a)


@rule(at=[(matrix, matrix_2[:2])])
def inner_matrices(a: Matrix, b: Matrix, /):
    y = np.inner(a, b)
    y_dot = np.inner(a_dot, b) + np.inner(a, b_dot)
    a_bar += y_bar @ b
    b_bar += y_bar.T @ a


@rule(at=[(stack, matrix), (vector, stack), (stack, stack)])
def inner_stacks(a: Array, b: Array, /):
    y = np.inner(a, b)
    left = np.reshape(a, (-1, a.shape[-1]))
    right = np.reshape(b, (-1, b.shape[-1]))
    adjoint = np.reshape(y_bar, (left.shape[0], right.shape[0]))
    y_dot = np.inner(a_dot, b) + np.inner(a, b_dot)
    a_bar += np.reshape(adjoint @ right, a.shape)
    b_bar += np.reshape(adjoint.T @ left, b.shape)


@rule(at=[(vector, other), (tangled, tangled[::-1])])
def vdot(a: Vector, b: Vector, /):
    y = np.vdot(a, b)
    y_dot = np.vdot(a_dot, b) + np.vdot(a, b_dot)
    a_bar += np.conj(y_bar * b)
    b_bar += y_bar * np.conj(a)


@rule(at=[(matrix, matrix_2), (vector, matrix[:2, :2])])
def vdot_of_arrays(a: Array, b: Array, /):
    y = np.vdot(a, b)
    y_dot = np.vdot(a_dot, b) + np.vdot(a, b_dot)
    a_bar += np.conj(y_bar * np.reshape(b, a.shape))
    b_bar += y_bar * np.conj(np.reshape(a, b.shape))


@rule(
    at=[
        (matrix, tall, 1),
        (stack, stack_2, ((1, 2), (2, 1))),
        (stack, matrix),
        (stack, stack_2, ([2, 0], [1, 0])),
        (stack, tall, (2, 0)),
        (vector, short, 0),
        (stack, stack_of_squares, (-2, -1)),
    ],
    also=[np.linalg.tensordot],
)
def tensordot(a: Array, b: Array, axes: Const = 2):
    y = np.tensordot(a, b, axes=axes)
    y_dot = np.tensordot(a_dot, b, axes=axes) + np.tensordot(a, b_dot, axes=axes)
    a_bar += tensordot_left(y_bar, b, a, axes)
    b_bar += tensordot_right(y_bar, a, b, axes)


@rule(at=[(vector, short)])
def kron_vectors(a: Vector, b: Vector):
    y = np.kron(a, b)
    blocks = np.reshape(y_bar, (a.size, b.size))
    y_dot = np.kron(a_dot, b) + np.kron(a, b_dot)
    a_bar += blocks @ b
    b_bar += a @ blocks


@rule(at=[(matrix, tall), (row, column)])
def kron_matrices(a: Matrix, b: Matrix):
    y = np.kron(a, b)
    blocks = np.reshape(y_bar, (a.shape[0], b.shape[0], a.shape[1], b.shape[1]))
    y_dot = np.kron(a_dot, b) + np.kron(a, b_dot)
    a_bar += np.sum(blocks * b[:, None, :], (1, 3))
    b_bar += np.sum(blocks * a[:, None, :, None], (0, 2))


@rule(at=[(short, three), (triples, triples_2), (triples, three), (three, triples), (triples[:1], triples_2)])
def cross(a: Array, b: Array):
    y = np.cross(a, b)
    y_dot = np.cross(a_dot, b) + np.cross(a, b_dot)
    a_bar += unbroadcast(np.cross(b, y_bar), a)
    b_bar += unbroadcast(np.cross(y_bar, a), b)


@rule(at=[(matrix, matrix_2, {"axis": 0})])
def cross_along_axis(a: Matrix, b: Matrix, *, axis: Const):
    y = np.cross(a, b, axis=axis)
    y_dot = np.cross(a_dot, b, axis=axis) + np.cross(a, b_dot, axis=axis)
    a_bar += unbroadcast(np.cross(b, y_bar, axis=axis), a)
    b_bar += unbroadcast(np.cross(y_bar, a, axis=axis), b)


@rule(at=[(short, three), (triples, triples_2), (triples, three)])
def linalg_cross(x1: Array, x2: Array, /):
    y = np.linalg.cross(x1, x2)
    y_dot = np.cross(x1_dot, x2) + np.cross(x1, x2_dot)
    x1_bar += unbroadcast(np.cross(x2, y_bar), x1)
    x2_bar += unbroadcast(np.cross(y_bar, x1), x2)


# Convolution


@rule(
    at=[
        (vector, three),
        (three, vector),
        (inside, three, "same"),
        (three, inside, "same"),
        (vector, three[:2], "same"),
        (inside, vector, "same"),
        (vector, inside, "same"),
        (vector, three, "valid"),
        (three, vector, "valid"),
        (vector, single),
        (tangled, three),
    ]
)
def convolve(a: Vector, v: Vector, mode: Const = "full"):
    y = np.convolve(a, v, mode)
    y_dot = np.convolve(a_dot, v, mode) + np.convolve(a, v_dot, mode)
    a_bar += unconvolve(y_bar, v, a, mode)
    v_bar += unconvolve(y_bar, a, v, mode)


@rule(
    at=[
        (vector, three),
        (three, vector),
        (inside, three, "same"),
        (inside, vector, "same"),
        (vector, inside, "same"),
        (vector, three, "full"),
        (three, inside, "full"),
        (tangled, tangled[:3], "full"),
    ]
)
def correlate(a: Vector, v: Vector, mode: Const = "valid"):
    y = np.correlate(a, v, mode=mode)
    y_dot = np.correlate(a_dot, v, mode=mode) + np.correlate(a, v_dot, mode=mode)
    a_bar += uncorrelate_left(y_bar, v, a, mode)
    v_bar += uncorrelate_right(y_bar, a, v, mode)


# Interpolation: at a point of xp the slope to its right (at the last one, to its left); outside of xp none


@rule(at=[(inside, increasing, vector), (0.7, increasing, vector), (matrix, increasing, vector)])
def interp(x, xp: Const, fp: Vector):
    y = np.interp(x, xp, fp)
    k = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, xp.size - 2)
    within = (x >= xp[0]) & (x <= xp[-1])
    width = xp[k + 1] - xp[k]
    slope = within * (fp[k + 1] - fp[k]) / width
    share = np.clip((x - xp[k]) / width, 0, 1)
    y_dot = slope * x_dot + np.interp(x, xp, fp_dot)
    x_bar += slope * y_bar
    fp_bar += untake(y_bar * (1 - share), fp, k) + untake(y_bar * share, fp, k + 1)


# Polynomials


@rule(at=[(three, vector), (three, 0.7), (three, matrix), (vector, 0.0)])
def polyval(p: Vector, x):
    y = np.polyval(p, x)
    order = np.arange(p.size - 1, -1, -1)
    slope = np.polyval((p * order)[:-1], x)
    y_dot = np.polyval(p_dot, x) + slope * x_dot
    p_bar += unbroadcast(np.expand_dims(y_bar, -1) * np.expand_dims(x, -1) ** order, p)
    x_bar += slope * y_bar
