"""Rules that take many entries together: sums, means, products, extrema, spreads, norms, scans, differences.

Kinks, as stated in the docs: equal extrema share equally; a norm and a spread have derivative 0 where they
are 0; a median or quantile takes equal entries in the order they stand in; a NaN extremum passes nothing on.
Rules that take np.conj are right for complex arrays (no conjugate in the vjp): for real ones it prints as
nothing.
"""

# ruff: noqa: F821, F841

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from srcgrad.rules.notation import Absent, Array, Const, Matrix, Number, Scalar, Sequence, Vector, rule
from srcgrad.rules.points_arrays import (
    column,
    increasing,
    matrix,
    matrix_2,
    matrix_with_nan,
    matrix_with_zero,
    other,
    single,
    stack,
    tangled,
    tangled_matrix,
    vector,
    weights,
    with_nan,
    with_zero,
    zeros,
)

over_axes = [
    (vector,),
    (matrix,),
    (matrix, {"axis": 0}),
    (matrix, {"axis": -1, "keepdims": True}),
    (column, {"axis": 0}),
    (stack, {"axis": (0, -1), "keepdims": True}),
    (stack, {"axis": (0, 2)}),
    (stack, {"keepdims": True}),
]


@rule(at=[*over_axes, (tangled,)], method="sum")
def sum_over_axes(a, axis: Const = None, *, keepdims: Const = False):
    y = np.sum(a, axis=axis, keepdims=keepdims)
    y_dot = np.sum(a_dot, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims)


@rule(at=[*over_axes, (tangled,)], method="mean")
def mean(a, axis: Const = None, *, keepdims: Const = False):
    y = np.mean(a, axis=axis, keepdims=keepdims)
    y_dot = np.mean(a_dot, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar / extent(a, axis), a, axis, keepdims)


@rule(
    at=[*over_axes, (with_zero,), (zeros,), (single,), (matrix_with_zero, {"axis": 1}), (tangled,)],
    method="prod",
)
def prod(a, axis: Const = None, *, keepdims: Const = False):
    y = np.prod(a, axis=axis, keepdims=keepdims)
    others = before(a, axis) * np.flip(before(np.flip(a, axis), axis), axis)
    y_dot = np.sum(a_dot * others, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * others


ties = np.array([2.0, -1.0, 2.0, -1.0])


@rule(at=over_axes, also=[np.amax], method="max", kink=[((ties,), {"a": [0.5, 0, 0.5, 0]})])
def maximum_over_axes(a, axis: Const = None, *, keepdims: Const = False):
    y = np.max(a, axis=axis, keepdims=keepdims)
    taken = a == unreduce(y, a, axis, keepdims)
    a_selected = taken
    share = divide_or_zero(taken, np.sum(taken, axis=axis, keepdims=True))
    y_dot = np.sum(np.where(taken, a_dot, 0) * share, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * share


@rule(at=over_axes, also=[np.amin], method="min", kink=[((ties,), {"a": [0, 0.5, 0, 0.5]})])
def minimum_over_axes(a, axis: Const = None, *, keepdims: Const = False):
    y = np.min(a, axis=axis, keepdims=keepdims)
    taken = a == unreduce(y, a, axis, keepdims)
    a_selected = taken
    share = divide_or_zero(taken, np.sum(taken, axis=axis, keepdims=True))
    y_dot = np.sum(np.where(taken, a_dot, 0) * share, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * share


@rule(at=[*over_axes, (with_nan,), (matrix_with_nan, {"axis": 1})])
def nanmax(a, axis: Const = None, *, keepdims: Const = False):
    y = np.nanmax(a, axis=axis, keepdims=keepdims)
    taken = a == unreduce(y, a, axis, keepdims)
    a_selected = taken
    share = divide_or_zero(taken, np.sum(taken, axis=axis, keepdims=True))
    y_dot = np.sum(np.where(taken, a_dot, 0) * share, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * share


@rule(at=[*over_axes, (with_nan,), (matrix_with_nan, {"axis": 1})])
def nanmin(a, axis: Const = None, *, keepdims: Const = False):
    y = np.nanmin(a, axis=axis, keepdims=keepdims)
    taken = a == unreduce(y, a, axis, keepdims)
    a_selected = taken
    share = divide_or_zero(taken, np.sum(taken, axis=axis, keepdims=True))
    y_dot = np.sum(np.where(taken, a_dot, 0) * share, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * share


@rule(at=over_axes)
def ptp(a, axis: Const = None, *, keepdims: Const = False):
    y = np.ptp(a, axis=axis, keepdims=keepdims)
    highest = a == np.max(a, axis=axis, keepdims=True)
    lowest = a == np.min(a, axis=axis, keepdims=True)
    a_selected = highest | lowest
    up = divide_or_zero(highest, np.sum(highest, axis=axis, keepdims=True))
    down = divide_or_zero(lowest, np.sum(lowest, axis=axis, keepdims=True))
    share = up - down
    y_dot = np.sum(np.where(highest | lowest, a_dot, 0) * share, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * share


@rule(at=[*over_axes, (matrix, {"ddof": 1}), (matrix, {"axis": 1, "ddof": 1}), (tangled,)], method="var")
def var(a, axis: Const = None, *, ddof: Const = 0, keepdims: Const = False):
    y = np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)
    centred = np.conj(a - np.mean(a, axis=axis, keepdims=True)) * (2 / (extent(a, axis) - ddof))
    y_dot = np.real(np.sum(centred * a_dot, axis=axis, keepdims=keepdims))
    a_bar += unreduce(y_bar, a, axis, keepdims) * centred


@rule(
    at=[*over_axes[:5], (matrix, {"ddof": 1}), (matrix, {"axis": 1, "ddof": 1}), (tangled,)],
    method="std",
    kink=[((np.ones(3),), {"a": [0, 0, 0]})],
)
def std(a, axis: Const = None, *, ddof: Const = 0, keepdims: Const = False):
    y = np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    centred = np.conj(a - np.mean(a, axis=axis, keepdims=True)) / (extent(a, axis) - ddof)
    y_dot = divide_or_zero(np.real(np.sum(centred * a_dot, axis=axis, keepdims=keepdims)), y)
    a_bar += unreduce(divide_or_zero(y_bar, y), a, axis, keepdims) * centred


@rule(at=[*over_axes, (with_nan,), (matrix_with_nan, {"axis": 1})])
def nansum(a, axis: Const = None, *, keepdims: Const = False):
    y = np.nansum(a, axis=axis, keepdims=keepdims)
    missing = np.isnan(a)
    a_selected = ~missing
    y_dot = np.sum(np.where(missing, 0, a_dot), axis=axis, keepdims=keepdims)
    a_bar += np.where(missing, 0, unreduce(y_bar, a, axis, keepdims))


@rule(at=[*over_axes, (with_nan,), (matrix_with_nan, {"axis": 1})])
def nanmean(a, axis: Const = None, *, keepdims: Const = False):
    y = np.nanmean(a, axis=axis, keepdims=keepdims)
    missing = np.isnan(a)
    a_selected = ~missing
    count = np.sum(~missing, axis=axis, keepdims=keepdims)
    y_dot = np.sum(np.where(missing, 0, a_dot), axis=axis, keepdims=keepdims) / count
    a_bar += np.where(missing, 0, unreduce(y_bar / count, a, axis, keepdims))


@rule(at=[*over_axes, (with_nan,), (matrix_with_nan, {"axis": 1, "ddof": 1})])
def nanvar(a, axis: Const = None, *, ddof: Const = 0, keepdims: Const = False):
    y = np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims)
    missing = np.isnan(a)
    a_selected = ~missing
    count = np.sum(~missing, axis=axis, keepdims=True) - ddof
    centred = np.where(missing, 0, np.conj(a - np.nanmean(a, axis=axis, keepdims=True))) * (2 / count)
    y_dot = np.real(np.sum(centred * np.where(missing, 0, a_dot), axis=axis, keepdims=keepdims))
    a_bar += unreduce(y_bar, a, axis, keepdims) * centred


@rule(at=[*over_axes[:5], (with_nan,), (matrix_with_nan, {"axis": 1, "ddof": 1})])
def nanstd(a, axis: Const = None, *, ddof: Const = 0, keepdims: Const = False):
    y = np.nanstd(a, axis=axis, ddof=ddof, keepdims=keepdims)
    missing = np.isnan(a)
    a_selected = ~missing
    count = np.sum(~missing, axis=axis, keepdims=True) - ddof
    centred = np.where(missing, 0, np.conj(a - np.nanmean(a, axis=axis, keepdims=True))) / count
    tangents = np.where(missing, 0, a_dot)
    y_dot = divide_or_zero(np.real(np.sum(centred * tangents, axis=axis, keepdims=keepdims)), y)
    a_bar += unreduce(divide_or_zero(y_bar, y), a, axis, keepdims) * centred


@rule(at=over_axes)
def average(a, axis: Const = None, weights: Absent = None, *, keepdims: Const = False):
    y = np.average(a, axis=axis, keepdims=keepdims)
    y_dot = np.mean(a_dot, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar / extent(a, axis), a, axis, keepdims)


@rule(at=[(matrix, {"weights": np.array([0.5, 1.5, 2.0]), "axis": 0})])
def average_rows(a: Matrix, axis: Literal[0] = None, weights: Vector = None, *, keepdims: Const = False):
    y = np.average(a, axis=axis, weights=weights, keepdims=keepdims)
    share = weights / np.sum(weights)
    y_dot = np.sum(
        (a_dot * weights[:, None] + (a - y) * weights_dot[:, None]) / np.sum(weights), 0, keepdims=keepdims
    )
    a_bar += unreduce(y_bar, a, 0, keepdims) * share[:, None]
    weights_bar += np.sum(unreduce(y_bar, a, 0, keepdims) * (a - y), 1) / np.sum(weights)


@rule(
    at=[
        (matrix, {"weights": weights, "axis": 1}),
        (matrix, {"weights": weights, "axis": -1, "keepdims": True}),
    ]
)
def average_columns(
    a: Matrix, axis: Literal[1, -1] = None, weights: Vector = None, *, keepdims: Const = False
):
    y = np.average(a, axis=axis, weights=weights, keepdims=keepdims)
    offset = a - unreduce(y, a, 1, keepdims)
    y_dot = np.sum((a_dot * weights + offset * weights_dot) / np.sum(weights), 1, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, 1, keepdims) * (weights / np.sum(weights))
    weights_bar += np.sum(unreduce(y_bar, a, 1, keepdims) * offset, 0) / np.sum(weights)


@rule(at=[(vector, {"weights": weights}), (matrix, {"weights": np.abs(matrix_2), "axis": 1})])
def average_weighted(a: Array, axis: Const = None, weights: Array = None, *, keepdims: Const = False):
    y = np.average(a, axis=axis, weights=weights, keepdims=keepdims)  # weights of a's shape, or NumPy raises
    total = np.sum(weights, axis=axis, keepdims=True)
    offset = a - unreduce(y, a, axis, keepdims)
    y_dot = np.sum((a_dot * weights + weights_dot * offset) / total, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * (weights / total)
    weights_bar += unreduce(y_bar, a, axis, keepdims) * (offset / total)


@rule(at=[*over_axes, (matrix, {"axis": 1})])
def median(a, axis: Const = None, *, keepdims: Const = False):
    y = np.median(a, axis=axis, keepdims=keepdims)
    share = quantile_weights(a, 0.5, axis)
    y_dot = np.sum(a_dot * share, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * share


@rule(
    at=[
        (vector, 0.3),
        (matrix, 0.8, {"axis": 1}),
        (matrix, 0.0),
        (vector, 1.0),
        (stack, 0.4, {"axis": (0, 2)}),
    ]
)
def quantile(a, q: Const, axis: Const = None, *, keepdims: Const = False):
    y = np.quantile(a, q, axis=axis, keepdims=keepdims)
    share = quantile_weights(a, q, axis)
    y_dot = np.sum(a_dot * share, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * share


@rule(at=[(vector, 30), (matrix, 80.0, {"axis": 1}), (stack, 40, {"axis": (0, 2), "keepdims": True})])
def percentile(a, q: Const, axis: Const = None, *, keepdims: Const = False):
    y = np.percentile(a, q, axis=axis, keepdims=keepdims)
    share = quantile_weights(a, q / 100, axis)
    y_dot = np.sum(a_dot * share, axis=axis, keepdims=keepdims)
    a_bar += unreduce(y_bar, a, axis, keepdims) * share


@rule(at=[(vector,), (matrix,), (tangled,)], method="cumsum")
def cumsum_of_all(a, axis: Absent = None):
    y = np.cumsum(a, axis=axis)
    y_dot = np.cumsum(a_dot)
    a_bar += np.reshape(np.cumsum(y_bar[::-1])[::-1], np.shape(a))


@rule(at=[(vector, 0), (matrix, {"axis": 1}), (stack, -2)], method="cumsum")
def cumsum(a: Array, axis: Const = None):
    y = np.cumsum(a, axis=axis)
    y_dot = np.cumsum(a_dot, axis=axis)
    a_bar += np.flip(np.cumsum(np.flip(y_bar, axis), axis=axis), axis)


@rule(at=[(vector,), (matrix,), (with_zero,), (zeros,), (tangled,)], method="cumprod")
def cumprod_of_all(a: Array, axis: Absent = None):
    y = np.cumprod(a, axis=axis)
    earlier = before(a)
    adjoint = np.reshape(y_bar, a.shape)
    y_dot = np.ravel(a_dot * earlier + a * recur(a, a_dot * earlier))
    a_bar += adjoint * earlier + earlier * np.flip(recur(np.flip(a), np.flip(adjoint * a)))


@rule(at=[(vector, 0), (matrix, {"axis": 1}), (zeros, 0), (stack, -2)], method="cumprod")
def cumprod(a: Array, axis: Const = None):
    y = np.cumprod(a, axis=axis)
    earlier = before(a, axis)
    y_dot = a_dot * earlier + a * recur(a, a_dot * earlier, axis)
    a_bar += y_bar * earlier + earlier * np.flip(
        recur(np.flip(a, axis), np.flip(y_bar * a, axis), axis), axis
    )


# Norms; those of vectors twice: of a vector, and of an array along one axis


@rule(
    at=[*over_axes, (tangled,), (tangled_matrix, {"axis": 1})],
    kink=[((np.zeros(3),), {"x": [0, 0, 0]})],
)
def norm(x: Array, ord: Absent = None, axis: Const = None, keepdims: Const = False):
    y = np.linalg.norm(x, axis=axis, keepdims=keepdims)
    y_dot = divide_or_zero(np.real(np.sum(np.conj(x) * x_dot, axis=axis, keepdims=keepdims)), y)
    x_bar += unreduce(divide_or_zero(y_bar, y), x, axis, keepdims) * np.conj(x)


@rule(at=[(matrix, "fro"), (stack, "fro", (0, 2))])
def norm_frobenius(x: Array, ord: Literal["fro"] = None, axis: Const = None, keepdims: Const = False):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    y_dot = divide_or_zero(np.real(np.sum(np.conj(x) * x_dot, axis=axis, keepdims=keepdims)), y)
    x_bar += unreduce(divide_or_zero(y_bar, y), x, axis, keepdims) * np.conj(x)


@rule(at=[(vector, 2), (vector, 2, {"keepdims": True})], kink=[((np.zeros(3), 2), {"x": [0, 0, 0]})])
def norm_two(x: Vector, ord: Literal[2] = None, axis: Const = None, keepdims: Const = False):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    y_dot = divide_or_zero(np.real(np.sum(np.conj(x) * x_dot, axis=axis, keepdims=keepdims)), y)
    x_bar += unreduce(divide_or_zero(y_bar, y), x, axis, keepdims) * np.conj(x)


@rule(at=[(matrix, 2, 1), (stack, 2, {"axis": -2, "keepdims": True})])
def norm_two_along(x: Array, ord: Literal[2], axis: Literal[0, 1, 2, -1, -2, -3], keepdims: Const = False):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    y_dot = divide_or_zero(np.real(np.sum(np.conj(x) * x_dot, axis=axis, keepdims=keepdims)), y)
    x_bar += unreduce(divide_or_zero(y_bar, y), x, axis, keepdims) * np.conj(x)


@rule(at=[(vector, 1), (tangled, 1)])
def norm_one(x: Vector, ord: Literal[1] = None, axis: Const = None, keepdims: Const = False):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    y_dot = np.real(np.sum(np.conj(np.sign(x)) * x_dot, axis=axis, keepdims=keepdims))
    x_bar += unreduce(y_bar, x, axis, keepdims) * np.conj(np.sign(x))


@rule(at=[(matrix, 1, 1), (stack, 1, {"axis": -2, "keepdims": True})])
def norm_one_along(x: Array, ord: Literal[1], axis: Literal[0, 1, 2, -1, -2, -3], keepdims: Const = False):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    y_dot = np.real(np.sum(np.conj(np.sign(x)) * x_dot, axis=axis, keepdims=keepdims))
    x_bar += unreduce(y_bar, x, axis, keepdims) * np.conj(np.sign(x))


@rule(at=[(vector, np.inf), (vector, -np.inf), (tangled, np.inf)])
def norm_extreme(
    x: Vector, ord: Literal[np.inf, -np.inf] = None, axis: Const = None, keepdims: Const = False
):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    taken = np.abs(x) == unreduce(y, x, axis, keepdims)
    x_selected = taken
    share = np.conj(np.sign(x)) * divide_or_zero(taken, np.sum(taken, axis=axis, keepdims=True))
    y_dot = np.real(np.sum(share * np.where(taken, x_dot, 0), axis=axis, keepdims=keepdims))
    x_bar += unreduce(y_bar, x, axis, keepdims) * share


@rule(at=[(matrix, np.inf, 1), (stack, np.inf, {"axis": -2, "keepdims": True}), (matrix, -np.inf, 0)])
def norm_extreme_along(
    x: Array, ord: Literal[np.inf, -np.inf], axis: Literal[0, 1, 2, -1, -2, -3], keepdims: Const = False
):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    taken = np.abs(x) == unreduce(y, x, axis, keepdims)
    x_selected = taken
    share = np.conj(np.sign(x)) * divide_or_zero(taken, np.sum(taken, axis=axis, keepdims=True))
    y_dot = np.real(np.sum(share * np.where(taken, x_dot, 0), axis=axis, keepdims=keepdims))
    x_bar += unreduce(y_bar, x, axis, keepdims) * share


@rule(at=[(vector, 0)])
def norm_zero(x: Vector, ord: Literal[0] = None, axis: Const = None, keepdims: Const = False):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)  # counts entries: a step function
    y_dot = 0 * np.sum(x_dot, axis=axis, keepdims=keepdims)
    x_bar += unreduce(0 * y_bar, x, axis, keepdims)


@rule(at=[(vector, 3), (vector, 2.5), (vector, -1), (vector, 0.5, {"keepdims": True})])
def norm_of_order(x: Vector, ord: Const = None, axis: Const = None, keepdims: Const = False):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    size = divide_or_zero(np.abs(x), unreduce(y, x, axis, keepdims))
    share = np.conj(np.sign(x)) * size ** (ord - 1)
    y_dot = np.real(np.sum(share * x_dot, axis=axis, keepdims=keepdims))
    x_bar += unreduce(y_bar, x, axis, keepdims) * share


@rule(at=[(matrix, 0, 1), (matrix, 0, {"axis": 0, "keepdims": True})])
def norm_zero_along(x: Array, ord: Literal[0], axis: Literal[0, 1, 2, -1, -2, -3], keepdims: Const = False):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    y_dot = 0 * np.sum(x_dot, axis=axis, keepdims=keepdims)
    x_bar += unreduce(0 * y_bar, x, axis, keepdims)


@rule(at=[(matrix, 3, 1), (stack, 2.5, {"axis": -2, "keepdims": True}), (tangled_matrix, 4, 0)])
def norm_of_order_along(x: Array, ord: Const, axis: Literal[0, 1, 2, -1, -2, -3], keepdims: Const = False):
    y = np.linalg.norm(x, ord, axis=axis, keepdims=keepdims)
    size = divide_or_zero(np.abs(x), unreduce(y, x, axis, keepdims))
    share = np.conj(np.sign(x)) * size ** (ord - 1)
    y_dot = np.real(np.sum(share * x_dot, axis=axis, keepdims=keepdims))
    x_bar += unreduce(y_bar, x, axis, keepdims) * share


# Python's own, and math's


@rule(at=[([1.5, -0.3, 2.0],), ([vector, 2.0, other],), ([matrix, vector],)])
def sum_of_sequence(iterable: Sequence, start: Absent = 0):
    y = sum(iterable)
    y_dot = sum(iterable_dot)
    iterable_bar += unbroadcast_each(y_bar, iterable)


@rule(at=[([1.5, -0.3, 2.0], 0.5), ([vector, 2.0, other], vector)])
def sum_of_sequence_from(iterable: Sequence, start):
    y = sum(iterable, start)
    y_dot = sum(iterable_dot, start_dot)
    iterable_bar += unbroadcast_each(y_bar, iterable)
    start_bar += unbroadcast(y_bar, start)


@rule(at=[(vector,), (matrix,), (stack,)])
def sum_of_array(iterable: Array, start: Absent = 0):
    y = sum(iterable)
    y_dot = sum(iterable_dot)
    iterable_bar += unreduce(y_bar, iterable, 0)


@rule(at=[(vector, 0.5), (matrix, 1.5), (matrix, vector)])
def sum_of_array_from(iterable: Array, start):
    y = sum(iterable, start)
    y_dot = sum(iterable_dot, start_dot)
    iterable_bar += unreduce(unbroadcast(y_bar, iterable[0]), iterable, 0)
    start_bar += unbroadcast(y_bar, start)


@rule(
    at=[([0.3, 0.7, 0.1],), ([-2.0],)],
    kink=[(([0.3, 0.7, 0.7],), {"iterable": [0.0, 0.5, 0.5]})],
)
def largest_of_sequence(iterable: Sequence):
    """Ties share equally; beside a NaN nothing flows."""
    y = max(iterable)
    taken = np.array(iterable) == y
    share = 1 / max(np.sum(taken), 1)
    y_dot = np.sum(np.where(taken, np.array(iterable_dot), 0)) * share
    iterable_bar += np.where(taken, y_bar * share, 0)


@rule(
    at=[([0.3, 0.7, 0.1],), ([-2.0],)],
    kink=[(([0.3, 0.3, 0.7],), {"iterable": [0.5, 0.5, 0.0]})],
)
def smallest_of_sequence(iterable: Sequence):
    """Ties share equally; beside a NaN nothing flows."""
    y = min(iterable)
    taken = np.array(iterable) == y
    share = 1 / max(np.sum(taken), 1)
    y_dot = np.sum(np.where(taken, np.array(iterable_dot), 0)) * share
    iterable_bar += np.where(taken, y_bar * share, 0)


@rule(at=[(vector,), (single,)], kink=[((ties,), {"iterable": [0.5, 0, 0.5, 0]})])
def largest_of_vector(iterable: Vector):
    """Ties share equally; beside a NaN nothing flows."""
    y = max(iterable)
    taken = iterable == y
    iterable_selected = taken
    share = 1 / max(np.sum(taken), 1)
    y_dot = np.sum(np.where(taken, iterable_dot, 0)) * share
    iterable_bar += np.where(taken, y_bar * share, 0)


@rule(at=[(vector,), (single,)], kink=[((ties,), {"iterable": [0, 0.5, 0, 0.5]})])
def smallest_of_vector(iterable: Vector):
    """Ties share equally; beside a NaN nothing flows."""
    y = min(iterable)
    taken = iterable == y
    iterable_selected = taken
    share = 1 / max(np.sum(taken), 1)
    y_dot = np.sum(np.where(taken, iterable_dot, 0)) * share
    iterable_bar += np.where(taken, y_bar * share, 0)


@rule(at=[([1.5, -0.3, 2.0],)])
def fsum_of_sequence(seq: Sequence, /):
    y = math.fsum(seq)
    y_dot = math.fsum(seq_dot)
    seq_bar += unbroadcast_each(y_bar, seq)


@rule(at=[(vector,)])
def fsum(seq: Vector, /):
    y = math.fsum(seq)
    y_dot = math.fsum(seq_dot)
    seq_bar += unreduce(y_bar, seq)


@rule(at=[([1.5, -0.3, 2.0],), ([0.0, 2.0, 3.0],)])
def product_of_sequence(iterable: Sequence, /):
    y = math.prod(iterable)
    factors = np.array(iterable)
    others = before(factors) * before(factors[::-1])[::-1]
    y_dot = np.sum(np.array(iterable_dot) * others)
    iterable_bar += y_bar * others


@rule(at=[(vector,), (zeros,)])
def product_of_vector(iterable: Vector, /):
    y = math.prod(iterable)
    others = before(iterable) * before(iterable[::-1])[::-1]
    y_dot = np.sum(iterable_dot * others)
    iterable_bar += y_bar * others


@rule(at=[([1.5, -0.3], [0.2, 0.9])], kink=[(([1.0, 2.0], [1.0, 2.0]), {"p": [0, 0], "q": [0, 0]})])
def distance_of_sequences(p: Sequence, q: Sequence, /):
    y = math.dist(p, q)
    apart = np.array(p) - np.array(q)
    y_dot = divide_or_zero(np.sum(apart * (np.array(p_dot) - np.array(q_dot))), y)
    p_bar += divide_or_zero(y_bar, y) * apart
    q_bar += -divide_or_zero(y_bar, y) * apart


@rule(at=[(vector, other)], kink=[((vector, vector), {"p": [0, 0, 0, 0], "q": [0, 0, 0, 0]})])
def distance(p: Vector, q: Vector, /):
    y = math.dist(p, q)
    y_dot = divide_or_zero(np.dot(p - q, p_dot - q_dot), y)
    p_bar += divide_or_zero(y_bar, y) * (p - q)
    q_bar -= divide_or_zero(y_bar, y) * (p - q)


# Integrals and differences of samples


@rule(at=[(vector,), (matrix, {"axis": 0}), (stack, {"axis": 1}), (single,)])
def trapezoid_of_unit_steps(y, x: Absent = None, dx: Absent = 1.0, axis: Const = -1):
    z = np.trapezoid(y, axis=axis)
    z_dot = np.trapezoid(y_dot, axis=axis)
    y_bar += unreduce(z_bar, y, axis) * trapezoid_weights(y, axis)


@rule(at=[(vector, {"dx": 0.3}), (matrix, {"dx": 0.3, "axis": 0}), (stack, {"dx": 0.5, "axis": 1})])
def trapezoid(y, x: Absent = None, dx: Scalar = 1.0, axis: Const = -1):
    z = np.trapezoid(y, dx=dx, axis=axis)
    z_dot = np.trapezoid(y_dot, dx=dx, axis=axis) + np.trapezoid(y, axis=axis) * dx_dot
    y_bar += unreduce(z_bar * dx, y, axis) * trapezoid_weights(y, axis)
    dx_bar += np.sum(z_bar * np.trapezoid(y, axis=axis))


@rule(at=[(vector, increasing)])
def trapezoid_of_points(y: Vector, x: Vector, dx: Absent = 1.0, axis: Const = -1):
    z = np.trapezoid(y, x, axis=axis)
    step = np.diff(x)
    half = z_bar / 2
    middle = (y[1:] + y[:-1]) / 2
    z_dot = np.trapezoid(y_dot, x) + np.sum(np.diff(x_dot) * middle)
    y_bar += half * (np.append(step, 0) + np.append(0, step))
    x_bar += z_bar * (np.append(0, middle) - np.append(middle, 0))


@rule(at=[(matrix, increasing), (stack, increasing)])
def trapezoid_of_rows(y: Array, x: Vector, dx: Absent = 1.0, axis: Literal[-1] = -1):
    z = np.trapezoid(y, x, axis=axis)
    step = np.diff(x)
    half = z_bar / 2
    middle = (y[..., 1:] + y[..., :-1]) / 2
    flow = unbroadcast(z_bar[..., None] * middle, step)
    z_dot = np.trapezoid(y_dot, x) + np.sum(np.diff(x_dot) * middle, -1)
    y_bar += half[..., None] * (np.append(step, 0) + np.append(0, step))
    x_bar += np.append(0, flow) - np.append(flow, 0)


@rule(at=[(vector, {"prepend": 0, "append": 0}), (matrix, {"axis": 0, "prepend": 0, "append": 0})])
def diff_in_zeros(
    a: Array, n: Literal[1] = 1, axis: Const = -1, prepend: Literal[0] = None, append: Literal[0] = None
):
    y = np.diff(a, axis=axis, prepend=prepend, append=append)
    y_dot = np.diff(a_dot, axis=axis, prepend=0, append=0)
    a_bar -= np.diff(y_bar, axis=axis)


@rule(at=[(vector,), (matrix,), (matrix, {"axis": 0}), (stack, 1, 1)])
def diff(a: Array, n: Literal[1] = 1, axis: Const = -1):
    y = np.diff(a, n, axis)
    y_dot = np.diff(a_dot, n, axis)
    a_bar -= np.diff(y_bar, axis=axis, prepend=0, append=0)


@rule(at=[(vector, 2), (matrix, {"axis": 0, "n": 2}), (stack, 3), (vector, 0)])
def diff_repeated(a: Array, n: Const = 1, axis: Const = -1):
    y = np.diff(a, n, axis)
    y_dot = np.diff(a_dot, n, axis)
    a_bar += undiff(y_bar, n, axis)


@rule(at=[(vector,), (matrix,)])
def ediff1d(ary: Array):
    y = np.ediff1d(ary)
    y_dot = np.ediff1d(ary_dot)
    ary_bar -= np.reshape(np.diff(y_bar, prepend=0, append=0), ary.shape)


@rule(at=[(vector,), (np.array([0.3, 1.2]),)])
def gradient(f: Vector):
    y = np.gradient(f)
    y_dot = np.gradient(f_dot)
    f_bar += ungradient(y_bar)


@rule(at=[(vector, 0.3)])
def gradient_with_spacing(f: Vector, dx: Number, /):
    y = np.gradient(f, dx)
    y_dot = np.gradient(f_dot, dx) - y * dx_dot / dx
    f_bar += ungradient(y_bar / dx)
    dx_bar -= np.sum(y_bar * y) / dx


@rule(at=[(matrix, {"axis": 1}), (stack, {"axis": 1}), (matrix, {"axis": 0})])
def gradient_along_axis(f: Array, *, axis: Literal[0, 1, 2, 3, -1, -2, -3]):
    y = np.gradient(f, axis=axis)
    y_dot = np.gradient(f_dot, axis=axis)
    f_bar += ungradient(y_bar, axis)
