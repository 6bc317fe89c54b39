"""Rules of numpy.linalg. No conjugates in the adjoints: transposes, not adjoint matrices.

Stated: cholesky, eigh and eigvalsh read the lower triangle alone, and so their adjoint is lower triangular:
what is above the diagonal has gradient 0. Equal eigenvalues or singular values pass nothing between their
vectors. `det` at a singular matrix raises LinAlgError in the reverse sweep (its adjoint is y * inv(a).T).
`pinv` and `svd` assume that the rank does not change. The rules of `REAL_ONLY` are wrong for complex arrays: the
compiler refuses those.
"""

# ruff: noqa: F821, F841

from __future__ import annotations

from typing import Literal

import numpy as np

from srcgrad.rules.notation import Array, Const, Matrix, Stack, Vector, rule
from srcgrad.rules.points_arrays import (
    matrix,
    spd,
    square,
    stack,
    stack_of_squares,
    tall,
    tangled_matrix,
    three,
    triples,
    vector,
    well_conditioned,
)

REAL_ONLY = {np.linalg.cholesky, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.svd, np.linalg.svdvals}
REAL_ONLY |= {np.linalg.pinv, np.linalg.qr}


@rule(at=[(well_conditioned, three), (tangled_matrix, three)])
def solve_vector(a: Matrix, b: Vector):
    y = np.linalg.solve(a, b)
    y_dot = np.linalg.solve(a, b_dot - a_dot @ y)
    w = np.linalg.solve(a.T, y_bar)
    a_bar -= np.outer(w, y)
    b_bar += w


@rule(at=[(well_conditioned, square), (well_conditioned, matrix)])
def solve_matrix(a: Matrix, b: Matrix):
    y = np.linalg.solve(a, b)
    y_dot = np.linalg.solve(a, b_dot - a_dot @ y)
    w = np.linalg.solve(a.T, y_bar)
    a_bar -= w @ y.T
    b_bar += w


@rule(at=[(stack_of_squares, three)])
def solve_stack_vector(a: Stack, b: Vector):
    y = np.linalg.solve(a, b)
    y_dot = np.linalg.solve(a, b_dot[:, None] - a_dot @ y[..., None])[..., 0]
    w = np.linalg.solve(np.swapaxes(a, -1, -2), y_bar[..., None])[..., 0]
    a_bar -= w[..., None] * y[..., None, :]
    b_bar += unbroadcast(w, b)


@rule(at=[(stack_of_squares, stack), (stack_of_squares, square), (well_conditioned, stack)])
def solve_stacks(a: Array, b: Array):
    y = np.linalg.solve(a, b)
    y_dot = np.linalg.solve(a, b_dot - a_dot @ y)
    w = np.linalg.solve(np.swapaxes(a, -1, -2), y_bar)
    a_bar -= unbroadcast(w @ np.swapaxes(y, -1, -2), a)
    b_bar += unbroadcast(w, b)


@rule(at=[(well_conditioned,), (tangled_matrix,)])
def inv(a: Matrix):
    y = np.linalg.inv(a)
    y_dot = -y @ a_dot @ y
    a_bar -= y.T @ y_bar @ y.T


@rule(at=[(stack_of_squares,)])
def inv_of_stack(a: Stack):
    y = np.linalg.inv(a)
    y_dot = -y @ a_dot @ y
    a_bar -= np.swapaxes(y, -1, -2) @ y_bar @ np.swapaxes(y, -1, -2)


@rule(at=[(well_conditioned,), (square,), (tangled_matrix,)])
def det(a: Matrix):
    y = np.linalg.det(a)
    y_dot = y * np.trace(np.linalg.solve(a, a_dot))
    a_bar += y_bar * y * np.linalg.inv(a).T


@rule(at=[(stack_of_squares,)])
def det_of_stack(a: Stack):
    y = np.linalg.det(a)
    y_dot = y * np.trace(np.linalg.solve(a, a_dot), axis1=-2, axis2=-1)
    a_bar += (y_bar * y)[..., None, None] * np.swapaxes(np.linalg.inv(a), -1, -2)


@rule(at=[(well_conditioned,), (square,), (-square,)])
def slogdet(a: Matrix):
    sign, logdet = np.linalg.slogdet(a)
    logdet_dot = np.trace(np.linalg.solve(a, a_dot))
    a_bar += logdet_bar * np.linalg.inv(a).T


@rule(at=[(stack_of_squares,)])
def slogdet_of_stack(a: Stack):
    sign, logdet = np.linalg.slogdet(a)
    logdet_dot = np.trace(np.linalg.solve(a, a_dot), axis1=-2, axis2=-1)
    a_bar += logdet_bar[..., None, None] * np.swapaxes(np.linalg.inv(a), -1, -2)


REAL_ONLY.add(np.linalg.slogdet)


@rule(at=[(spd,), (np.tril(spd),)])
def cholesky(a: Matrix, /):
    y = np.linalg.cholesky(a)
    half = np.tril(np.ones(a.shape)) - np.eye(a.shape[0]) / 2
    inverse_y = np.linalg.inv(y)
    a_step = np.tril(a_dot) + np.tril(a_dot, -1).T
    y_dot = y @ (half * (inverse_y @ a_step @ inverse_y.T))
    w = inverse_y.T @ (half * (y.T @ y_bar)) @ inverse_y
    a_bar += np.tril(w) + np.tril(w.T, -1)


@rule(at=[(spd,), (well_conditioned,)])
def eigh(a: Matrix):
    w, v = np.linalg.eigh(a)
    gaps = divide_or_zero(1, w - w[:, None])
    turned = v.T @ (np.tril(a_dot) + np.tril(a_dot, -1).T) @ v
    w_dot = np.diagonal(turned)
    v_dot = v @ (gaps * turned)
    whole = (v * w_bar) @ v.T
    a_bar += np.tril(whole) + np.tril(whole, -1)
    mixed = v @ (gaps * (v.T @ v_bar)) @ v.T
    a_bar += np.tril(mixed) + np.tril(mixed.T, -1)


@rule(at=[(spd,), (well_conditioned,)])
def eigvalsh(a: Matrix):
    w = np.linalg.eigvalsh(a)
    v = np.linalg.eigh(a)[1]
    w_dot = np.diagonal(v.T @ (np.tril(a_dot) + np.tril(a_dot, -1).T) @ v)
    whole = (v * w_bar) @ v.T
    a_bar += np.tril(whole) + np.tril(whole, -1)


@rule(at=[(matrix, {"compute_uv": False}), (tall, {"compute_uv": False}), (matrix, False, False)])
def singular_values(a: Matrix, full_matrices: Const = True, compute_uv: Literal[False] = True):
    s = np.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)
    u = np.linalg.svd(a, full_matrices=False)[0]
    vh = np.linalg.svd(a, full_matrices=False)[2]
    s_dot = np.diagonal(u.T @ a_dot @ vh.T)
    a_bar += (u * s_bar) @ vh


@rule(at=[(matrix,), (tall,)])
def svdvals(x: Matrix, /):
    s = np.linalg.svdvals(x)
    u = np.linalg.svd(x, full_matrices=False)[0]
    vh = np.linalg.svd(x, full_matrices=False)[2]
    s_dot = np.diagonal(u.T @ x_dot @ vh.T)
    x_bar += (u * s_bar) @ vh


@rule(at=[(matrix, False), (tall, {"full_matrices": False}), (square, {"full_matrices": False})])
def svd(a: Matrix, full_matrices: Literal[False] = True, compute_uv: Literal[True] = True):
    u, s, vh = np.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)
    gaps = divide_or_zero(1, s**2 - s[:, None] ** 2)
    turned = u.T @ a_dot @ vh.T
    beside_u = (a_dot - u @ (u.T @ a_dot)) @ vh.T / s
    beside_v = (a_dot.T - vh.T @ (vh @ a_dot.T)) @ u / s
    s_dot = np.diagonal(turned)
    u_dot = u @ (gaps * (turned * s + s[:, None] * turned.T)) + beside_u
    vh_dot = (vh.T @ (gaps * (s[:, None] * turned + turned.T * s)) + beside_v).T
    a_bar += (u * s_bar) @ vh
    left = gaps * (u.T @ u_bar)
    a_bar += u @ ((left + left.T) * s) @ vh + ((u_bar - u @ (u.T @ u_bar)) / s) @ vh
    right = gaps * (vh @ vh_bar.T)
    a_bar += u @ (s[:, None] * (right + right.T)) @ vh + (u / s) @ (vh_bar - (vh_bar @ vh.T) @ vh)


@rule(at=[(matrix,), (tall,), (square,)])
def pinv(a: Matrix):
    y = np.linalg.pinv(a)
    left = np.eye(a.shape[0]) - a @ y
    right = np.eye(a.shape[1]) - y @ a
    y_dot = y @ y.T @ a_dot.T @ left + right @ a_dot.T @ y.T @ y - y @ a_dot @ y
    a_bar += left @ y_bar.T @ y @ y.T + y.T @ y @ y_bar.T @ right - y.T @ y_bar @ y.T


@rule(at=[(triples,), (square,), (tall, "reduced")])
def qr(a: Matrix, mode: Literal["reduced"] = "reduced"):
    q, r = np.linalg.qr(a, mode=mode)  # as many rows as columns, or more: else inv raises
    inverse_r = np.linalg.inv(r)
    step = a_dot @ inverse_r
    turned = q.T @ step
    below = np.tril(turned, -1)
    q_dot = q @ (below - below.T) + step - q @ turned
    r_dot = (turned - below + below.T) @ r
    from_q = q_bar.T @ q
    a_bar += (q_bar - q @ (np.tril(from_q) + np.tril(from_q, -1).T)) @ inverse_r.T
    a_bar += q @ (np.tril(r @ r_bar.T) + np.tril(r @ r_bar.T, -1).T) @ inverse_r.T


@rule(at=[(square, 3), (well_conditioned, -2), (square, 0), (square, 1), (tangled_matrix, 2)])
def matrix_power(a: Matrix, n: Const):
    y = np.linalg.matrix_power(a, n)
    size = a.shape[0]
    y_dot = np.linalg.matrix_power(doubled(a, a_dot), n)[:size, size:]
    a_bar += np.linalg.matrix_power(doubled(a.T, y_bar), n)[:size, size:]


# Names of the array API


@rule(at=[(square, {"offset": 0}), (matrix, {"offset": 1}), (stack,)])
def linalg_trace(x: Array, /, *, offset: Const = 0):
    y = np.linalg.trace(x, offset=offset)
    y_dot = np.linalg.trace(x_dot, offset=offset)
    x_bar += undiagonal(np.expand_dims(y_bar, -1), x, offset, -2, -1)


@rule(at=[(square,), (matrix, {"offset": 1}), (stack, {"offset": -1})])
def linalg_diagonal(x: Array, /, *, offset: Const = 0):
    y = np.linalg.diagonal(x, offset=offset)
    y_dot = np.linalg.diagonal(x_dot, offset=offset)
    x_bar += undiagonal(y_bar, x, offset, -2, -1)


@rule(
    at=[
        (vector,),
        (matrix,),
        (matrix, {"axis": 1, "keepdims": True}),
        (stack, {"axis": (0, 2)}),
        (tangled_matrix,),
    ]
)
def vector_norm(x: Array, /, *, axis: Const = None, keepdims: Const = False, ord: Literal[2] = 2):
    y = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    y_dot = divide_or_zero(np.real(np.sum(np.conj(x) * x_dot, axis=axis, keepdims=keepdims)), y)
    x_bar += unreduce(divide_or_zero(y_bar, y), x, axis, keepdims) * np.conj(x)


@rule(at=[(matrix,), (stack,), (stack, {"keepdims": True})])
def matrix_norm(x: Array, /, *, keepdims: Const = False, ord: Literal["fro"] = "fro"):
    y = np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)
    y_dot = divide_or_zero(np.real(np.sum(np.conj(x) * x_dot, axis=(-2, -1), keepdims=keepdims)), y)
    x_bar += unreduce(divide_or_zero(y_bar, y), x, (-2, -1), keepdims) * np.conj(x)
