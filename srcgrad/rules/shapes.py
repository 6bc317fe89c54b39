"""Rules that move entries about: the adjoint of each moves them back, adding up those that were copied."""

# ruff: noqa: F821, F841

from __future__ import annotations

from typing import Literal

import numpy as np

from srcgrad.rules.notation import Array, Const, Matrix, Scalar, Sequence, Stack, Vector, rule
from srcgrad.rules.points_arrays import (
    column,
    indices,
    matrix,
    other,
    row,
    short,
    square,
    stack,
    tall,
    tangled,
    vector,
)

# New shapes


@rule(at=[(matrix, (2, 6)), (matrix, -1), (stack, (6, 4), "F"), (vector, (2, 2), {"order": "C"})])
def reshape(a: Array, /, shape: Const, order: Literal["C", "F"] = "C"):
    y = np.reshape(a, shape, order=order)
    y_dot = np.reshape(a_dot, shape, order=order)
    a_bar += np.reshape(y_bar, a.shape, order=order)


@rule(at=[(1.5, (1, 1)), (0.5, -1)])
def reshape_scalar(a: Scalar, /, shape: Const):
    y = np.reshape(a, shape)
    y_dot = np.reshape(a_dot, shape)
    a_bar += np.sum(y_bar)


@rule(
    at=[(matrix, (2, 6)), (matrix, (4, 3)), (matrix, -1), (stack, (6, -1), {"order": "F"})], method="reshape"
)
def reshape_method(a: Array, /, shape: Const, *, order: Literal["C", "F"] = "C"):
    """Several integers are one tuple, too."""
    y = a.reshape(shape, order=order)
    y_dot = np.reshape(a_dot, shape, order=order)
    a_bar += np.reshape(y_bar, a.shape, order=order)


@rule(at=[(matrix,), (vector,), (stack, "F")], method="ravel")
def ravel(a: Array, order: Literal["C", "F"] = "C"):
    y = np.ravel(a, order=order)
    y_dot = np.ravel(a_dot, order=order)
    a_bar += np.reshape(y_bar, a.shape, order=order)


@rule(at=[(1.5,)])
def ravel_scalar(a: Scalar):
    y = np.ravel(a)
    y_dot = np.ravel(a_dot)
    a_bar += y_bar[0]


@rule(at=[(matrix,), (vector,), (stack, "F")], method="flatten")
def flatten(a: Array, /, order: Literal["C", "F"] = "C"):
    y = a.flatten(order=order)
    y_dot = np.ravel(a_dot, order=order)
    a_bar += np.reshape(y_bar, a.shape, order=order)


@rule(
    at=[(row,), (column, {"axis": 1}), (stack[:, :1, :1], {"axis": (1, 2)}), (row[:, :1],)], method="squeeze"
)
def squeeze(a: Array, axis: Const = None):
    y = np.squeeze(a, axis=axis)
    y_dot = np.squeeze(a_dot, axis=axis)
    a_bar += np.reshape(y_bar, a.shape)


@rule(at=[(vector, 0), (matrix, (1, -1)), (vector, {"axis": -1})])
def expand_dims(a: Array, axis: Const):
    y = np.expand_dims(a, axis)
    y_dot = np.expand_dims(a_dot, axis)
    a_bar += np.reshape(y_bar, a.shape)


@rule(at=[(1.5, 0)])
def expand_dims_scalar(a: Scalar, axis: Const):
    y = np.expand_dims(a, axis)
    y_dot = np.expand_dims(a_dot, axis)
    a_bar += np.sum(y_bar)


@rule(at=[(vector,), (stack,)])
def atleast_1d(a: Array, /):
    y = np.atleast_1d(a)
    y_dot = np.atleast_1d(a_dot)
    a_bar += y_bar


@rule(at=[(1.5,)])
def atleast_1d_scalar(a: Scalar, /):
    y = np.atleast_1d(a)
    y_dot = np.atleast_1d(a_dot)
    a_bar += y_bar[0]


@rule(at=[(vector,), (matrix,), (stack,)])
def atleast_2d(a: Array, /):
    y = np.atleast_2d(a)
    y_dot = np.atleast_2d(a_dot)
    a_bar += np.reshape(y_bar, a.shape)


@rule(at=[(1.5,)])
def atleast_2d_scalar(a: Scalar, /):
    y = np.atleast_2d(a)
    y_dot = np.atleast_2d(a_dot)
    a_bar += y_bar[0, 0]


@rule(at=[(vector,), (matrix,), (stack,)])
def atleast_3d(a: Array, /):
    y = np.atleast_3d(a)
    y_dot = np.atleast_3d(a_dot)
    a_bar += np.reshape(y_bar, a.shape)


@rule(at=[(1.5,)])
def atleast_3d_scalar(a: Scalar, /):
    y = np.atleast_3d(a)
    y_dot = np.atleast_3d(a_dot)
    a_bar += y_bar[0, 0, 0]


@rule(at=[(vector, (3, 4)), (column, (2, 3, 4)), (1.5, (3,)), (row, (1, 4))])
def broadcast_to(array, shape: Const):
    y = np.broadcast_to(array, shape)
    y_dot = np.broadcast_to(array_dot, shape)
    array_bar += unbroadcast(y_bar, array)


# Axes in another order


@rule(at=[(matrix,), (stack,), (stack, (2, 0, 1)), (stack, {"axes": (-1, 0, 1)})], also=[np.permute_dims])
def transpose(a: Array, axes: Const = None):
    y = np.transpose(a, axes=axes)
    y_dot = np.transpose(a_dot, axes=axes)
    a_bar += np.transpose(y_bar, inverse(axes))


@rule(at=[(matrix,), (stack,), (stack, (2, 0, 1)), (stack, (-1, 0, 1)), (stack, None)], method="transpose")
def transpose_method(a: Array, /, axes: Const = None):
    """Several integers are one tuple, too."""
    y = a.transpose(axes)
    y_dot = np.transpose(a_dot, axes)
    a_bar += np.transpose(y_bar, inverse(axes))


@rule(at=[(matrix,), (vector,), (stack,), (tangled,)], method="T")
def transposed(a: Array, /):
    y = a.T
    y_dot = a_dot.T
    a_bar += y_bar.T


@rule(at=[(matrix,), (stack,)], also=[np.linalg.matrix_transpose], method="mT")
def matrix_transpose(x: Array, /):
    y = np.matrix_transpose(x)
    y_dot = np.matrix_transpose(x_dot)
    x_bar += np.matrix_transpose(y_bar)


@rule(at=[(matrix, 0, 1), (stack, 0, -1)], method="swapaxes")
def swapaxes(a: Array, axis1: Const, axis2: Const):
    y = np.swapaxes(a, axis1, axis2)
    y_dot = np.swapaxes(a_dot, axis1, axis2)
    a_bar += np.swapaxes(y_bar, axis1, axis2)


@rule(at=[(matrix, 0, 1), (stack, 0, -1), (stack, (0, 1), (-1, 0))])
def moveaxis(a: Array, source: Const, destination: Const):
    y = np.moveaxis(a, source, destination)
    y_dot = np.moveaxis(a_dot, source, destination)
    a_bar += np.moveaxis(y_bar, destination, source)


# Entries in another order


@rule(at=[(vector,), (matrix,), (matrix, 0), (stack, {"axis": (0, -1)})])
def flip(m: Array, axis: Const = None):
    y = np.flip(m, axis=axis)
    y_dot = np.flip(m_dot, axis=axis)
    m_bar += np.flip(y_bar, axis=axis)


@rule(at=[(matrix,), (stack,)])
def fliplr(m: Array):
    y = np.fliplr(m)
    y_dot = np.fliplr(m_dot)
    m_bar += np.fliplr(y_bar)


@rule(at=[(vector,), (matrix,)])
def flipud(m: Array):
    y = np.flipud(m)
    y_dot = np.flipud(m_dot)
    m_bar += np.flipud(y_bar)


@rule(at=[(matrix,), (matrix, 2), (matrix, {"k": -1}), (stack, 3, (1, 2))])
def rot90(m: Array, k: Const = 1, axes: Const = (0, 1)):
    y = np.rot90(m, k, axes)
    y_dot = np.rot90(m_dot, k, axes)
    m_bar += np.rot90(y_bar, -k, axes)


@rule(at=[(vector, 1), (matrix, -2), (matrix, 1, 0), (matrix, (1, 2), (0, 1)), (stack, 5, {"axis": (0, 2)})])
def roll(a: Array, shift: Const, axis: Const = None):
    y = np.roll(a, shift, axis=axis)
    y_dot = np.roll(a_dot, shift, axis=axis)
    a_bar += np.roll(y_bar, np.negative(shift), axis=axis)


@rule(
    at=[
        (vector,),
        (matrix,),
        (matrix, 0),
        (matrix, None),
        (stack, {"axis": 1}),
        (vector, {"kind": "stable"}),
    ],
    kink=[((np.array([1.0, 0.5, 1.0]),), {"a": [1, 1, 1]})],
)
def sort(a: Array, axis: Const = -1, kind: Const = None):
    y = np.sort(a, axis=axis, kind=kind)
    order = np.argsort(a, axis=axis, kind="stable")
    y_dot = np.take_along_axis(a_dot, order, axis=axis)
    a_bar += untake_along_axis(y_bar, a, order, axis)


# Entries picked, repeated or left out


@rule(
    at=[(vector, indices), (matrix, indices, 1), (matrix, 5), (stack, [[0, 1], [1, 1]], -2), (vector, -1)],
    method="take",
)
def take(a: Array, indices: Const, axis: Const = None):
    y = np.take(a, indices, axis=axis)
    y_dot = np.take(a_dot, indices, axis=axis)
    a_bar += untake(y_bar, a, indices, axis)


order_of_columns = np.array([[0, 2], [3, 3], [1, 0]])


@rule(
    at=[
        (matrix, order_of_columns, 1),
        (matrix, np.array([[0, 2, 2, 1]]), 0),
        (matrix, np.array([3, 3, 1]), None),
    ]
)
def take_along_axis(arr: Array, indices: Const, axis: Const = -1):
    y = np.take_along_axis(arr, indices, axis=axis)
    y_dot = np.take_along_axis(arr_dot, indices, axis=axis)
    arr_bar += untake_along_axis(y_bar, arr, indices, axis)


@rule(at=[([True, False, True, False], vector), ([False, True, True], matrix, 0)])
def compress(condition: Const, a: Array, axis: Const = None):
    y = np.compress(condition, a, axis=axis)
    y_dot = np.compress(condition, a_dot, axis=axis)
    a_bar += untake(y_bar, a, np.flatnonzero(condition), axis)


@rule(at=[([True, False, True, False], vector), (np.eye(3, 4), matrix)])
def extract(condition: Const, arr: Array):
    y = np.extract(condition, arr)
    y_dot = np.extract(condition, arr_dot)
    arr_bar += untake(y_bar, arr, np.flatnonzero(condition))


@rule(at=[(vector, 1), (vector, [0, 2]), (matrix, 1, 1), (matrix, slice(0, 2), {"axis": 0}), (matrix, 5)])
def delete(arr: Array, obj: Const, axis: Const = None):
    y = np.delete(arr, obj, axis=axis)
    kept = np.delete(np.arange(extent(arr, axis)), obj)
    y_dot = np.take(arr_dot, kept, axis=axis)
    arr_bar += untake(y_bar, arr, kept, axis)


@rule(
    at=[(vector, 2), (matrix, 3), (matrix, 2, 1), (matrix, [1, 0, 2], {"axis": 0}), (vector, [1, 2, 0, 1])],
    method="repeat",
)
def repeat(a: Array, repeats: Const, axis: Const = None):
    y = np.repeat(a, repeats, axis=axis)
    y_dot = np.repeat(a_dot, repeats, axis=axis)
    a_bar += untake(y_bar, a, np.repeat(np.arange(extent(a, axis)), repeats), axis)


@rule(at=[(1.5, 3)])
def repeat_scalar(a: Scalar, repeats: Const):
    y = np.repeat(a, repeats)
    y_dot = np.repeat(a_dot, repeats)
    a_bar += np.sum(y_bar)


@rule(at=[(vector, 2), (vector, (3, 2)), (matrix, 2), (matrix, (2, 1, 3)), (1.5, (2, 2))])
def tile(A, reps: Const):
    y = np.tile(A, reps)
    y_dot = np.tile(A_dot, reps)
    A_bar += untile(y_bar, A, reps)


@rule(
    at=[(vector, 1), (matrix, ((1, 2), (0, 1))), (matrix, (1, 2)), (vector, (2, 0), {"constant_values": 3.0})]
)
def pad(
    array: Array, pad_width: Const, mode: Literal["constant"] = "constant", *, constant_values: Const = 0
):
    y = np.pad(array, pad_width, mode, constant_values=constant_values)
    y_dot = np.pad(array_dot, pad_width)
    array_bar += unpad(y_bar, array, pad_width)


@rule(
    at=[
        (vector, 1, "edge"),
        (matrix, ((1, 2), (0, 1)), "wrap"),
        (vector, 2, "reflect"),
        (matrix, 1, {"mode": "symmetric"}),
    ]
)
def pad_with_copies(
    array: Array, pad_width: Const, mode: Literal["edge", "wrap", "reflect", "symmetric"] = "constant"
):
    y = np.pad(array, pad_width, mode)
    source = np.pad(np.reshape(np.arange(array.size), array.shape), pad_width, mode)
    y_dot = np.pad(array_dot, pad_width, mode)
    array_bar += untake(y_bar, array, source)


# Diagonals and triangles


@rule(at=[(vector,), (vector, 1), (vector, {"k": -2})])
def diag_of_vector(v: Vector, k: Const = 0):
    y = np.diag(v, k)
    y_dot = np.diag(v_dot, k)
    v_bar += np.diagonal(y_bar, k)


@rule(at=[(square,), (matrix, 1), (tall, {"k": -1})])
def diag_of_matrix(v: Matrix, k: Const = 0):
    y = np.diag(v, k)
    y_dot = np.diagonal(v_dot, k)
    v_bar += undiagonal(y_bar, v, k)


@rule(
    at=[(matrix,), (matrix, 1), (tall, -1), (stack, 1, 2, 0), (stack, {"axis1": -2, "axis2": -1})],
    method="diagonal",
)
def diagonal(a: Array, offset: Const = 0, axis1: Const = 0, axis2: Const = 1):
    y = np.diagonal(a, offset, axis1, axis2)
    y_dot = np.diagonal(a_dot, offset, axis1, axis2)
    a_bar += undiagonal(y_bar, a, offset, axis1, axis2)


@rule(at=[(vector,), (square, 1)])
def diagflat(v: Array, k: Const = 0):
    y = np.diagflat(v, k)
    y_dot = np.diagflat(v_dot, k)
    v_bar += np.reshape(np.diagonal(y_bar, k), v.shape)


@rule(at=[(square,), (matrix, 1), (tall, {"offset": -1})], method="trace")
def trace(a: Matrix, offset: Const = 0):
    y = np.trace(a, offset=offset)
    y_dot = np.trace(a_dot, offset=offset)
    a_bar += y_bar * np.eye(a.shape[0], a.shape[1], k=offset)


@rule(at=[(stack,), (stack, 1, 1, 2), (stack, {"axis1": -2, "axis2": -1})], method="trace")
def trace_of_stack(a: Stack, offset: Const = 0, axis1: Const = 0, axis2: Const = 1):
    y = np.trace(a, offset, axis1, axis2)
    y_dot = np.trace(a_dot, offset, axis1, axis2)
    a_bar += undiagonal(np.expand_dims(y_bar, -1), a, offset, axis1, axis2)


@rule(at=[(square,), (matrix, 1), (stack, -1)])
def tril(m: Array, k: Const = 0):
    y = np.tril(m, k)
    y_dot = np.tril(m_dot, k)
    m_bar += unbroadcast(np.tril(y_bar, k), m)


@rule(at=[(square,), (matrix, 1), (stack, {"k": -1})])
def triu(m: Array, k: Const = 0):
    y = np.triu(m, k)
    y_dot = np.triu(m_dot, k)
    m_bar += unbroadcast(np.triu(y_bar, k), m)


# Arrays made of active things


@rule(
    at=[
        ([0.5, 1.5, -2.0],),
        ([vector, other],),
        ([[0.5, 1.5], [2.0, 0.1]],),
        ([vector, other], {"dtype": float}),
    ]
)
def array_of_sequence(
    object: Sequence, dtype: Literal[None, float, np.float64, complex, np.complex128] = None
):
    y = np.array(object, dtype=dtype)
    y_dot = np.array(object_dot, dtype=dtype)
    object_bar += y_bar


@rule(at=[(vector,), (1.5,), (matrix, {"dtype": float}), (stack, {"copy": True})])
def array(
    object,
    dtype: Literal[None, float, np.float64, complex, np.complex128] = None,
    *,
    copy: Literal[True] = True,
):
    y = np.array(object, dtype=dtype)
    y_dot = np.array(object_dot, dtype=dtype)
    object_bar += y_bar


@rule(at=[(matrix, {"dtype": float, "copy": None}), (stack, {"copy": False})])
def array_or_view(
    object: Array,
    dtype: Literal[None, float, np.float64, complex, np.complex128] = None,
    *,
    copy: Literal[False, None],
):
    y = np.array(object, dtype=dtype, copy=copy)
    y_dot = np.asarray(object_dot, dtype=dtype)
    object_bar += y_bar


@rule(at=[([0.5, 1.5, -2.0],), ([vector, other],), ([[0.5, 1.5], [2.0, 0.1]], float)], also=[np.asanyarray])
def asarray_of_sequence(a: Sequence, dtype: Literal[None, float, np.float64, complex, np.complex128] = None):
    y = np.asarray(a, dtype=dtype)
    y_dot = np.array(a_dot, dtype=dtype)
    a_bar += y_bar


@rule(at=[(vector,), (1.5,), (matrix, float)], also=[np.asanyarray])
def asarray(a, dtype: Literal[None, float, np.float64, complex, np.complex128] = None):
    y = np.asarray(a, dtype=dtype)
    y_dot = np.asarray(a_dot, dtype=dtype)
    a_bar += y_bar


@rule(at=[(matrix,), (stack, float)], also=[np.asfortranarray])
def ascontiguousarray(a: Array, dtype: Literal[None, float, np.float64] = None):
    y = np.ascontiguousarray(a, dtype=dtype)
    y_dot = np.ascontiguousarray(a_dot, dtype=dtype)
    a_bar += y_bar


@rule(at=[(vector,)])
def asarray_chkfinite(a: Array):
    y = np.asarray_chkfinite(a)
    y_dot = np.asarray(a_dot)
    a_bar += y_bar


@rule(at=[((2, 3), 1.5), ((3, 4), vector), (3, 0.5, float)])
def full(shape: Const, fill_value, dtype: Literal[None, float, np.float64] = None):
    y = np.full(shape, fill_value, dtype=dtype)
    y_dot = np.full(shape, fill_value_dot, dtype=dtype)
    fill_value_bar += unbroadcast(y_bar, fill_value)


@rule(at=[(matrix, 1.5), (matrix, vector)])
def full_like(like, /, fill_value):
    y = np.full_like(like, fill_value)
    y_dot = np.full_like(like, fill_value_dot)
    fill_value_bar += unbroadcast(y_bar, fill_value)


@rule(at=[(0.5, 2.5, 5), (0.5, -1.0, {"num": 4, "endpoint": False}), (1.0, 2.0)])
def linspace(start: Scalar, stop: Scalar, num: Const = 50, endpoint: Const = True):
    y = np.linspace(start, stop, num, endpoint=endpoint)
    share = np.linspace(0, 1, num, endpoint=endpoint)
    y_dot = start_dot * (1 - share) + stop_dot * share
    start_bar += np.sum(y_bar * (1 - share))
    stop_bar += np.sum(y_bar * share)


@rule(at=[(vector, short), (short, vector, {"indexing": "xy"})])
def meshgrid_xy(x1: Vector, x2: Vector, /, *, indexing: Literal["xy"] = "xy"):
    y1, y2 = np.meshgrid(x1, x2, indexing=indexing)
    y1_dot = np.meshgrid(x1_dot, x2_dot)[0]
    y2_dot = np.meshgrid(x1_dot, x2_dot)[1]
    x1_bar += np.sum(y1_bar, 0)
    x2_bar += np.sum(y2_bar, 1)


@rule(at=[(vector, short, {"indexing": "ij"})])
def meshgrid_ij(x1: Vector, x2: Vector, /, *, indexing: Literal["ij"]):
    y1, y2 = np.meshgrid(x1, x2, indexing=indexing)
    y1_dot = np.meshgrid(x1_dot, x2_dot, indexing=indexing)[0]
    y2_dot = np.meshgrid(x1_dot, x2_dot, indexing=indexing)[1]
    x1_bar += np.sum(y1_bar, 1)
    x2_bar += np.sum(y2_bar, 0)


# Cutting up: the results are lists, and so are their adjoints


@rule(at=[(vector, 2), (matrix, [1, 3], 1), (matrix, [1], {"axis": 0})])
def split(ary: Array, indices_or_sections: Const, axis: Const = 0):
    ys = np.split(ary, indices_or_sections, axis)
    ys_dot = np.split(ary_dot, indices_or_sections, axis)
    ary_bar += np.concatenate(ys_bar, axis=axis)


@rule(at=[(vector, 3), (matrix, 3, 1), (matrix, [2])])
def array_split(ary: Array, indices_or_sections: Const, axis: Const = 0):
    ys = np.array_split(ary, indices_or_sections, axis)
    ys_dot = np.array_split(ary_dot, indices_or_sections, axis)
    ary_bar += np.concatenate(ys_bar, axis=axis)


@rule(at=[(vector, 2), (matrix, [1, 3])])
def hsplit(ary: Array, indices_or_sections: Const):
    ys = np.hsplit(ary, indices_or_sections)
    ys_dot = np.hsplit(ary_dot, indices_or_sections)
    ary_bar += np.hstack(ys_bar)


@rule(at=[(matrix, 3), (stack, [1])])
def vsplit(ary: Array, indices_or_sections: Const):
    ys = np.vsplit(ary, indices_or_sections)
    ys_dot = np.vsplit(ary_dot, indices_or_sections)
    ary_bar += np.concatenate(ys_bar)


@rule(at=[(stack, 2), (stack, [1])])
def dsplit(ary: Stack, indices_or_sections: Const):
    ys = np.dsplit(ary, indices_or_sections)
    ys_dot = np.dsplit(ary_dot, indices_or_sections)
    ary_bar += np.concatenate(ys_bar, axis=2)


@rule(at=[(matrix,), (matrix, {"axis": 1}), (stack, {"axis": -1}), (vector,)])
def unstack(x: Array, /, *, axis: Const = 0):
    ys = np.unstack(x, axis=axis)
    ys_dot = np.unstack(x_dot, axis=axis)
    x_bar += np.stack(ys_bar, axis=axis)
