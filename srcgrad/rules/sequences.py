"""Rules that join the items of a sequence into one array.

`arrays_bar += items` adds item by item: items[k] is the adjoint of item k (a list, or an array read along its
first axis). In a tangent `arrays_dot` is the list of the items' tangents, zeros for an item that has none.
"""

# ruff: noqa: F821, F841

from __future__ import annotations

from typing import Literal

import numpy as np

from srcgrad.rules.notation import Absent, Array, Const, Scalar, Sequence, Vector, rule
from srcgrad.rules.points_arrays import (
    column,
    matrix,
    matrix_2,
    other,
    row,
    short,
    single,
    stack,
    tall,
    vector,
)


@rule(
    at=[([vector, short],), ([matrix, column], 1), ([matrix, row], {"axis": 0}), ([matrix, vector], None)],
    also=[np.concat],
)
def concatenate(arrays: Sequence, /, axis: Const = 0):
    y = np.concatenate(arrays, axis=axis)
    y_dot = np.concatenate(arrays_dot, axis=axis)
    arrays_bar += split_like(y_bar, arrays, axis)


@rule(at=[([vector, other],), ([matrix, matrix_2],), ([0.5, 1.5],)])
def stack_first(arrays: Sequence, axis: Literal[0] = 0):
    y = np.stack(arrays, axis=axis)
    y_dot = np.stack(arrays_dot, axis=axis)
    arrays_bar += y_bar


@rule(at=[([vector, other], 1), ([matrix, matrix_2], -1), ([matrix, matrix_2], {"axis": 1})])
def stack_along(arrays: Sequence, axis: Const = 0):
    y = np.stack(arrays, axis=axis)
    y_dot = np.stack(arrays_dot, axis=axis)
    arrays_bar += np.moveaxis(y_bar, axis, 0)


@rule(at=[([vector, short],), ([matrix, column],), ([0.5, vector, 1.5],), ([stack, stack],)])
def hstack(tup: Sequence):
    y = np.hstack(tup)
    y_dot = np.hstack(tup_dot)
    tup_bar += split_like(y_bar, tup, 1)


@rule(at=[([vector, other],), ([matrix, vector, row],), ([stack, stack],)])
def vstack(tup: Sequence):
    y = np.vstack(tup)
    y_dot = np.vstack(tup_dot)
    tup_bar += split_like(y_bar, tup)


@rule(at=[([vector, other],), ([matrix, matrix_2],), ([stack, stack[:, :, :2]],)])
def dstack(tup: Sequence):
    y = np.dstack(tup)
    y_dot = np.dstack(tup_dot)
    tup_bar += split_like(y_bar, tup, 2)


@rule(at=[([vector, tall],), ([vector, other],)])
def column_stack(tup: Sequence):
    y = np.column_stack(tup)
    y_dot = np.column_stack(tup_dot)
    tup_bar += split_like(y_bar, tup, 1)


@rule(at=[(matrix,), (stack,)])
def concatenate_array(arrays: Array, /, axis: Literal[0] = 0):
    y = np.concatenate(arrays, axis=axis)
    y_dot = np.concatenate(arrays_dot, axis=axis)
    arrays_bar += np.reshape(y_bar, arrays.shape)


@rule(at=[(vector, 1.5)])
def append_scalar(arr: Vector, values: Scalar, axis: Absent = None):
    y = np.append(arr, values)
    y_dot = np.append(arr_dot, values_dot)
    arr_bar += y_bar[:-1]
    values_bar += y_bar[-1]


@rule(at=[(1.5, vector)])
def append_to_scalar(arr: Scalar, values: Vector, axis: Absent = None):
    y = np.append(arr, values)
    y_dot = np.append(arr_dot, values_dot)
    arr_bar += y_bar[0]
    values_bar += y_bar[1:]


@rule(at=[(vector, short), (matrix, single), (short, matrix)])
def append_flat(arr: Array, values: Array, axis: Absent = None):
    y = np.append(arr, values)
    y_dot = np.append(arr_dot, values_dot)
    arr_bar += np.reshape(y_bar[: arr.size], arr.shape)
    values_bar += np.reshape(y_bar[arr.size :], values.shape)


@rule(at=[(vector, short, 0), (matrix, column, 1), (matrix, row, {"axis": 0})])
def append_along(arr: Array, values: Array, axis: Const = None):
    y = np.append(arr, values, axis=axis)
    y_dot = np.append(arr_dot, values_dot, axis=axis)
    arr_bar += split_like(y_bar, (arr, values), axis)[0]
    values_bar += split_like(y_bar, (arr, values), axis)[1]


@rule(
    at=[
        ([vector > 0, other > 0], [vector, other]),
        ([matrix > 0, matrix_2 > 0], [row, 1.5]),
        ([vector > 5, other > 0], [1.5, other], {"default": 2.0}),
    ]
)
def select(condlist: Const, choicelist: Sequence, default: Const = 0):
    y = np.select(condlist, choicelist, default=default)
    y_dot = np.select(condlist, choicelist_dot)
    choicelist_bar += select_each(y_bar, choicelist, condlist)
