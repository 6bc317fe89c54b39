"""Rules of the functions in `srcgrad.runtime`, so that derivatives have derivatives.

A parameter named `like` gives its shape only: it has no adjoint, and may be active.
"""

# ruff: noqa: F821, F841

from __future__ import annotations

import numpy as np

from srcgrad.rules.notation import Array, Const, Matrix, Sequence, Vector, constant, rule
from srcgrad.rules.points_arrays import (
    column,
    indices,
    inside,
    matrix,
    matrix_2,
    other,
    short,
    square,
    stack,
    tall,
    three,
    triples,
    vector,
    with_zero,
    zeros,
)
from srcgrad.runtime import (
    before,
    divide_or_zero,
    doubled,
    extent,
    inverse,
    quantile_weights,
    recur,
    select_each,
    split_like,
    spread,
    sum_each,
    tensordot_left,
    tensordot_right,
    trapezoid_weights,
    unbroadcast,
    unbroadcast_each,
    unconvolve,
    uncorrelate_left,
    uncorrelate_right,
    undiagonal,
    undiff,
    ungradient,
    unpad,
    unreduce,
    unsplit,
    untake,
    untake_along_axis,
    untile,
)

constant("a shape", extent)


@rule(at=[(vector, indices, other), (2.0, indices, other)])
def spread_(v, index: Const, like):
    y = spread(v, index, like)
    y_dot = spread(v_dot, index, like)
    v_bar += unbroadcast(y_bar[index], v)


constant("a permutation", inverse)
constant("weights that an order decides", quantile_weights)
constant("weights that a shape decides", trapezoid_weights)


@rule(
    at=[
        (matrix, vector),
        (matrix, column),
        (stack, 1.5),
        (matrix, matrix_2),
        (stack, matrix[:, :1]),
        (1.5, vector),
    ]
)
def unbroadcast_rule(adjoint, like):
    y = unbroadcast(adjoint, like)
    y_dot = unbroadcast(adjoint_dot, like)
    adjoint_bar += unbroadcast(y_bar, adjoint)


@rule(at=[(1.5, matrix), (vector, matrix, 0), (short[:, None], matrix, 1, True), (short, stack, (0, 2))])
def unreduce_rule(adjoint, like, axis: Const = None, keepdims: Const = False):
    y = unreduce(adjoint, like, axis, keepdims)
    y_dot = unreduce(adjoint_dot, like, axis, keepdims)
    adjoint_bar += np.sum(y_bar, axis=axis, keepdims=keepdims)


@rule(at=[(vector, other), (1.5, vector), (vector, 0.5), (1.5, 0.3)], kink=[((1.0, 0.0), {"a": 0, "b": 0})])
def divide_or_zero_rule(a, b):
    y = divide_or_zero(a, b)
    dy_da = divide_or_zero(1, b)
    dy_db = -divide_or_zero(y, b)


@rule(at=[(vector, other, indices), (matrix, tall[:3], [1, 0, 0, 1], 1)])
def untake_rule(adjoint, like, indices: Const, axis: Const = None):
    y = untake(adjoint, like, indices, axis)
    y_dot = untake(adjoint_dot, like, indices, axis)
    adjoint_bar += np.take(y_bar, indices, axis=axis)


@rule(
    at=[
        (tall[:3], matrix, np.array([[0, 2], [3, 3], [1, 0]]), 1),
        (vector, matrix, np.array([1, 1, 7, 0]), None),
    ]
)
def untake_along_axis_rule(adjoint, like, indices: Const, axis: Const = -1):
    y = untake_along_axis(adjoint, like, indices, axis)
    y_dot = untake_along_axis(adjoint_dot, like, indices, axis)
    adjoint_bar += np.take_along_axis(y_bar, indices, axis=axis)


@rule(at=[(inside, [np.zeros(2), np.zeros(3)]), (matrix, [column, np.zeros(3), tall[:3]], 1)])
def split_like_rule(adjoint: Array, like: Sequence, axis: Const = 0):
    ys = split_like(adjoint, like, axis)
    ys_dot = split_like(adjoint_dot, like, axis)
    adjoint_bar += unsplit(ys_bar, adjoint, axis)


@rule(at=[([vector[:2], short], inside), ([column, short, tall[:3]], matrix, 1)])
def unsplit_rule(pieces: Sequence, like, axis: Const = 0):
    y = unsplit(pieces, like, axis)
    y_dot = unsplit(pieces_dot, like, axis)
    pieces_bar += split_like(y_bar, pieces, axis)


@rule(at=[(vector, [other, 0.5]), (matrix, [vector, matrix_2, column])])
def unbroadcast_each_rule(adjoint: Array, like: Sequence):
    ys = unbroadcast_each(adjoint, like)
    ys_dot = unbroadcast_each(adjoint_dot, like)
    adjoint_bar += sum_each(ys_bar, adjoint)


@rule(at=[([vector, 0.5], other), ([vector, matrix_2, column], matrix)])
def sum_each_rule(pieces: Sequence, like):
    y = sum_each(pieces, like)
    y_dot = sum_each(pieces_dot, like)
    pieces_bar += unbroadcast_each(y_bar, pieces)


@rule(at=[(vector,), (with_zero,), (zeros,), (matrix, 1), (matrix,), (stack, (0, 2))])
def before_rule(x: Array, axis: Const = None):
    y = before(x, axis)
    y_dot = recur(x, x_dot * y, axis)
    x_bar += np.flip(recur(np.flip(x, axis), np.flip(y_bar, axis), axis), axis) * y


@rule(
    at=[
        (vector, other),
        (zeros, vector),
        (matrix, matrix_2, 1),
        (matrix, matrix_2),
        (stack, stack[::-1], (0, 2)),
    ]
)
def recur_rule(x: Array, v: Array, axis: Const = None):
    y = recur(x, v, axis)
    w = np.flip(recur(np.flip(x, axis), np.flip(y_bar, axis), axis), axis)
    y_dot = recur(x, v_dot + x_dot * y, axis)
    x_bar += w * y
    v_bar += w


@rule(at=[(vector,), (vector, 2), (matrix, 1, 0)])
def undiff_rule(adjoint: Array, n: Const = 1, axis: Const = -1):
    y = undiff(adjoint, n, axis)
    y_dot = undiff(adjoint_dot, n, axis)
    adjoint_bar += np.diff(y_bar, n, axis)


@rule(at=[(vector,), (matrix, 0), (stack, 1)])
def ungradient_rule(adjoint: Array, axis: Const = -1):
    y = ungradient(adjoint, axis)
    y_dot = ungradient(adjoint_dot, axis)
    adjoint_bar += np.gradient(y_bar, axis=axis)


@rule(at=[(short, square), (short, matrix, 1), (column[:2], stack, 0, 1, 2)])
def undiagonal_rule(adjoint: Array, like, offset: Const = 0, axis1: Const = 0, axis2: Const = 1):
    y = undiagonal(adjoint, like, offset, axis1, axis2)
    y_dot = undiagonal(adjoint_dot, like, offset, axis1, axis2)
    adjoint_bar += unbroadcast(np.diagonal(y_bar, offset, axis1, axis2), adjoint)


@rule(at=[(vector, vector[:2], 2), (stack, matrix, (2, 1, 1)), (matrix, 1.5, (3, 4))])
def untile_rule(adjoint: Array, like, reps: Const):
    y = untile(adjoint, like, reps)
    y_dot = untile(adjoint_dot, like, reps)
    adjoint_bar += np.tile(y_bar, reps)


@rule(at=[(vector, vector[:2], 1), (matrix, matrix[:2, :1], ((1, 0), (1, 2)))])
def unpad_rule(adjoint: Array, like, pad_width: Const):
    y = unpad(adjoint, like, pad_width)
    y_dot = unpad(adjoint_dot, like, pad_width)
    adjoint_bar += np.pad(y_bar, pad_width)


@rule(at=[(tall[:3], tall, matrix, 1), (square[:2, :2], np.ones((4, 3, 2)), stack, ((1, 2), (1, 0)))])
def tensordot_left_rule(adjoint: Array, b: Array, like, axes: Const = 2):
    y = tensordot_left(adjoint, b, like, axes)
    y_dot = tensordot_left(adjoint_dot, b, like, axes) + tensordot_left(adjoint, b_dot, like, axes)
    adjoint_bar += np.tensordot(y_bar, b, axes=axes)
    b_bar += tensordot_right(adjoint, y_bar, b, axes)


@rule(at=[(tall[:3], matrix, tall, 1), (square[:2, :2], stack, np.ones((4, 3, 2)), ((1, 2), (1, 0)))])
def tensordot_right_rule(adjoint: Array, a: Array, like, axes: Const = 2):
    y = tensordot_right(adjoint, a, like, axes)
    y_dot = tensordot_right(adjoint_dot, a, like, axes) + tensordot_right(adjoint, a_dot, like, axes)
    adjoint_bar += np.tensordot(a, y_bar, axes=axes)
    a_bar += tensordot_left(adjoint, y_bar, a, axes)


@rule(at=[(inside, three, short), (vector, three, vector, "same"), (vector[:2], short, vector, "valid")])
def unconvolve_rule(adjoint: Vector, other: Vector, like, mode: Const = "full"):
    y = unconvolve(adjoint, other, like, mode)
    y_dot = unconvolve(adjoint_dot, other, like, mode) + unconvolve(adjoint, other_dot, like, mode)
    adjoint_bar += np.convolve(y_bar, other, mode)
    other_bar += unconvolve(adjoint, y_bar, other, mode)


@rule(at=[(vector[:2], three, vector), (inside, three, short, "full"), (inside, inside, vector, "same")])
def uncorrelate_left_rule(adjoint: Vector, v: Vector, like, mode: Const = "valid"):
    y = uncorrelate_left(adjoint, v, like, mode)
    y_dot = uncorrelate_left(adjoint_dot, v, like, mode) + uncorrelate_left(adjoint, v_dot, like, mode)
    adjoint_bar += np.correlate(y_bar, v, mode=mode)
    v_bar += uncorrelate_right(adjoint, y_bar, v, mode)


@rule(at=[(vector[:2], vector, three), (inside, three, short, "full"), (inside, vector, inside, "same")])
def uncorrelate_right_rule(adjoint: Vector, a: Vector, like, mode: Const = "valid"):
    y = uncorrelate_right(adjoint, a, like, mode)
    y_dot = uncorrelate_right(adjoint_dot, a, like, mode) + uncorrelate_right(adjoint, a_dot, like, mode)
    adjoint_bar += np.correlate(a, y_bar, mode=mode)
    a_bar += uncorrelate_left(adjoint, y_bar, a, mode)


@rule(at=[(square, triples[:3])])
def doubled_rule(a: Matrix, e: Matrix):
    y = doubled(a, e)
    n = a.shape[0]
    y_dot = doubled(a_dot, e_dot)
    a_bar += y_bar[:n, :n] + y_bar[n:, n:]
    e_bar += y_bar[:n, n:]


@rule(
    at=[
        (vector, [other, 0.5], [other > 0, vector > 0]),
        (matrix, [column, vector], [matrix > 0, matrix_2 > 0]),
    ]
)
def select_each_rule(adjoint: Array, like: Sequence, condlist: Const):
    ys = select_each(adjoint, like, condlist)
    ys_dot = select_each(adjoint_dot, like, condlist)
    adjoint_bar += np.broadcast_to(np.select(condlist, ys_bar), adjoint.shape)
