"""All that generated code may call besides NumPy and math: each short, each with a rule (`rules/helpers.py`).

A parameter named `like` gives its shape only: its contents are never read, so they need not be kept.
Results of `unbroadcast` and `unreduce` may share memory with the adjoint that they were made from.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def unbroadcast(adjoint: Any, like: Any) -> Any:
    """Sum over what broadcasting stretched, to the shape of `like`; stretch what is too small.

    >>> unbroadcast(np.ones((2, 3)), np.zeros((2, 1)))
    array([[3.],
           [3.]])
    >>> unbroadcast(np.ones((2, 3)), 0.5)
    np.float64(6.0)
    """
    shape = np.shape(like)
    if np.shape(adjoint) == shape:
        return adjoint
    extra = np.ndim(adjoint) - len(shape)
    if extra < 0:
        return np.broadcast_to(adjoint, shape)
    if extra:
        adjoint = np.sum(adjoint, axis=tuple(range(extra)))
    stretched = tuple(k for k, n in enumerate(shape) if n == 1 and adjoint.shape[k] != 1)
    if stretched:
        adjoint = np.sum(adjoint, axis=stretched, keepdims=True)
    return adjoint if np.shape(adjoint) == shape else np.broadcast_to(adjoint, shape)


def unreduce(adjoint: Any, like: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Stretch the adjoint of a reduction back over the axes that it summed; the result is read-only.

    >>> unreduce(np.array([1.0, 2.0]), np.zeros((2, 3)), axis=1)
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    if axis is not None and not keepdims:
        rank = np.ndim(like)
        axes = axis if isinstance(axis, tuple) else (axis,)
        adjoint = np.expand_dims(adjoint, tuple(k % rank for k in axes))
    return np.broadcast_to(adjoint, np.shape(like))


def extent(like: Any, axis: Any = None) -> int:
    """How many entries a reduction over `axis` takes together.

    >>> extent(np.zeros((2, 3))), extent(np.zeros((2, 3)), 1), extent(np.zeros((2, 3)), (0, 1))
    (6, 3, 6)
    """
    if axis is None:
        return int(np.size(like))
    count = 1
    for k in axis if isinstance(axis, tuple) else (axis,):
        count *= np.shape(like)[k]
    return count


def divide_or_zero(a: Any, b: Any) -> Any:
    """a / b, and 0 where b is 0.

    >>> divide_or_zero(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    array([0. , 0.5])
    """
    zero = b == 0
    return np.where(zero, 0, a / np.where(zero, 1, b))[()]


def add_at(x_bar: Any, index: Any, v: Any) -> None:
    """Add v into x_bar at integer-array indices, which may repeat.

    >>> x_bar = np.zeros(3)
    >>> add_at(x_bar, [0, 0, 2], 1.0)
    >>> x_bar
    array([2., 0., 1.])
    """
    np.add.at(x_bar, index, v)


def untake(adjoint: Any, like: Any, indices: Any, axis: Any = None) -> Any:
    """The adjoint of np.take: zeros like `like`, to which each entry taken gives back its adjoint.

    >>> untake(np.array([1.0, 2.0, 3.0]), np.zeros(4), [1, 1, 3])
    array([0., 3., 0., 3.])
    """
    adjoint = np.asarray(adjoint)
    x_bar = np.zeros(np.shape(like), np.result_type(adjoint, np.float32))
    if axis is None:
        flat = x_bar.reshape(-1)
        np.add.at(flat, indices, adjoint)
    else:
        np.add.at(x_bar, (slice(None),) * (axis % x_bar.ndim) + (indices,), adjoint)
    return x_bar


def untake_along_axis(adjoint: Any, like: Any, indices: Any, axis: Any = -1) -> Any:
    """The adjoint of np.take_along_axis.

    >>> untake_along_axis(np.array([[5.0], [6.0]]), np.zeros((2, 2)), np.array([[1], [0]]), axis=1)
    array([[0., 5.],
           [6., 0.]])
    """
    x_bar = np.zeros(np.shape(like), np.result_type(adjoint, np.float32))
    if axis is None:
        np.add.at(x_bar.reshape(-1), indices, adjoint)
        return x_bar
    axis %= x_bar.ndim
    place = list(np.ogrid[tuple(slice(n) for n in np.shape(adjoint))])
    place[axis] = indices
    np.add.at(x_bar, tuple(place), adjoint)
    return x_bar


def split_like(adjoint: Any, like: Any, axis: Any = 0) -> list[Any]:
    """The adjoint of joining: cut `adjoint` along `axis` into pieces of the shapes of the arrays in `like`.

    Serves concatenate, hstack (an axis past the last is the last), vstack, dstack, column_stack.

    >>> split_like(np.arange(5.0), [np.zeros(2), np.zeros(3)])
    [array([0., 1.]), array([2., 3., 4.])]
    """
    axis = 0 if axis is None else min(axis, np.ndim(adjoint) - 1)
    shape = list(np.shape(adjoint))
    axis %= len(shape)
    pieces, start = [], 0
    for item in like:
        across = np.size(adjoint) // shape[axis] if shape[axis] else 0
        if across:
            stop = start + np.size(item) // across
        else:
            stop = start + (np.shape(item)[axis] if np.ndim(item) == len(shape) else 1)
        piece = adjoint[(slice(None),) * axis + (slice(start, stop),)]
        pieces.append(piece.reshape(np.shape(item))[()])
        start = stop
    return pieces


def unsplit(pieces: Any, like: Any, axis: Any = 0) -> Any:
    """The adjoint of `split_like`: join the pieces along `axis` into an array of the shape of `like`.

    >>> unsplit([np.zeros(2), np.ones(1)], np.zeros(3))
    array([0., 0., 1.])
    """
    axis = 0 if axis is None else min(axis, np.ndim(like) - 1)
    shape = list(np.shape(like))
    axis %= len(shape)
    shape[axis] = -1
    if 0 in shape:
        return np.zeros(np.shape(like))
    return np.concatenate([np.reshape(piece, shape) for piece in pieces], axis=axis)


def unbroadcast_each(adjoint: Any, like: Any) -> list[Any]:
    """The adjoint of adding up a sequence: `adjoint` in the shape of each item.

    >>> unbroadcast_each(np.ones(2), [np.zeros(2), 0.0])
    [array([1., 1.]), np.float64(2.0)]
    """
    return [unbroadcast(adjoint, item) for item in like]


def sum_each(pieces: Any, like: Any) -> Any:
    """The adjoint of `unbroadcast_each`: the pieces, each broadcast to the shape of `like`, added up.

    >>> sum_each([np.ones(2), 2.0], np.zeros(2))
    array([3., 3.])
    """
    total = np.zeros(np.shape(like))
    for piece in pieces:
        total = total + piece
    return total[()]


def select_each(adjoint: Any, like: Any, condlist: Any) -> list[Any]:
    """The adjoint of the choices of np.select: `adjoint` where each is the one taken, else 0.

    >>> first, second = np.array([True, False, False]), np.array([True, True, False])
    >>> select_each(np.ones(3), [np.zeros(3), 0.0], [first, second])
    [array([1., 0., 0.]), np.float64(1.0)]
    """
    pieces, free = [], True
    for item, condition in zip(like, condlist, strict=True):
        pieces.append(unbroadcast(np.where(condition & np.asarray(free), adjoint, 0), item))
        free = free & ~np.asarray(condition)
    return pieces


def before(x: Any, axis: Any = None) -> Any:
    """The product of all entries before each entry, along `axis` (an integer, a tuple, or all of them).

    >>> before(np.array([2.0, 3.0, 4.0]))
    array([1., 2., 6.])
    """
    x = np.asarray(x)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted(k % x.ndim for k in axes)
    first = tuple(range(len(axes)))
    moved = np.moveaxis(x, axes, first)
    flat = moved.reshape((-1, *moved.shape[len(axes) :]))
    y = np.cumprod(np.concatenate((np.ones_like(flat[:1]), flat[:-1])), axis=0)
    return np.moveaxis(y.reshape(moved.shape), first, axes)


def recur(x: Any, v: Any, axis: Any = None) -> Any:
    """The recurrence s[0] = 0, s[i + 1] = x[i] * s[i] + v[i] along `axis` (as in `before`).

    >>> recur(np.array([2.0, 3.0, 4.0]), np.array([1.0, 1.0, 1.0]))
    array([0., 1., 4.])
    """
    x, v = np.broadcast_arrays(x, v)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted(k % x.ndim for k in axes)
    first = tuple(range(len(axes)))
    x, v = np.moveaxis(x, axes, first), np.moveaxis(v, axes, first)
    s = np.zeros(x.shape, np.result_type(x, v, np.float32))
    flat = s.reshape((-1, *s.shape[len(axes) :]))
    x, v = x.reshape(flat.shape), v.reshape(flat.shape)
    for i in range(len(flat) - 1):
        flat[i + 1] = x[i] * flat[i] + v[i]
    return np.moveaxis(s, first, axes)


def quantile_weights(a: Any, q: float, axis: Any = None) -> Any:
    """The weights (sum one along `axis`) that make of `a` its quantile q; equal entries in order.

    >>> quantile_weights(np.array([3.0, 1.0, 2.0, 9.0]), 0.5)
    array([0.5, 0. , 0.5, 0. ])
    """
    a = np.asarray(a)
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted(k % a.ndim for k in axes)
    first = tuple(range(len(axes)))
    moved = np.moveaxis(a, axes, first)
    flat = moved.reshape((-1, *moved.shape[len(axes) :]))
    order = np.argsort(flat, axis=0, kind="stable")
    position = q * (len(flat) - 1)
    low = min(int(position), len(flat) - 1)
    high = min(low + 1, len(flat) - 1)
    weights = np.zeros(flat.shape)
    np.put_along_axis(weights, order[high : high + 1], position - low, axis=0)
    np.put_along_axis(weights, order[low : low + 1], 1 - (position - low) if high > low else 1.0, axis=0)
    return np.moveaxis(weights.reshape(moved.shape), first, axes)


def trapezoid_weights(like: Any, axis: int = -1) -> Any:
    """The weights of the trapezoidal rule with unit spacing, shaped to broadcast along `axis`.

    >>> trapezoid_weights(np.zeros(4))
    array([0.5, 1. , 1. , 0.5])
    """
    n = np.shape(like)[axis]
    weights = np.ones(n)
    weights[:1] -= 0.5
    weights[-1:] -= 0.5
    shape = [1] * np.ndim(like)
    shape[axis] = n
    return weights.reshape(shape)


def undiff(adjoint: Any, n: int = 1, axis: int = -1) -> Any:
    """The adjoint of np.diff.

    >>> undiff(np.array([1.0, 2.0]))
    array([-1., -1.,  2.])
    """
    widths = [(0, 0)] * np.ndim(adjoint)
    widths[axis] = (n, n)
    return (-1) ** n * np.diff(np.pad(adjoint, widths), n, axis)


def ungradient(adjoint: Any, axis: int = -1) -> Any:
    """The adjoint of np.gradient along one axis, with unit spacing.

    >>> ungradient(np.array([1.0, 2.0, 4.0]))
    array([-2., -3.,  5.])
    """
    g = np.moveaxis(np.asarray(adjoint), axis, 0)
    x_bar = np.zeros(g.shape, np.result_type(g, np.float32))
    x_bar[2:] += g[1:-1] / 2
    x_bar[:-2] -= g[1:-1] / 2
    x_bar[:1] -= g[:1]
    x_bar[1:2] += g[:1]
    x_bar[-1:] += g[-1:]
    x_bar[-2:-1] -= g[-1:]
    return np.moveaxis(x_bar, 0, axis)


def inverse(*axes: Any) -> Any:
    """The permutation that undoes a transposition.

    >>> inverse(2, 0, 1), inverse((-1, 0)), inverse()
    ((1, 2, 0), (1, 0), None)
    """
    if len(axes) == 1 and not isinstance(axes[0], int | np.integer):
        axes = axes[0]
    if not axes:
        return None
    return tuple(int(k) for k in np.argsort([k % len(axes) for k in axes]))


def undiagonal(adjoint: Any, like: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The adjoint of np.diagonal: zeros like `like` with `adjoint` on that diagonal.

    >>> undiagonal(np.array([1.0, 2.0]), np.zeros((2, 3)), 1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    x_bar = np.zeros(np.shape(like), np.result_type(adjoint, np.float32))
    moved = np.moveaxis(x_bar, (axis1, axis2), (-2, -1))
    rows, columns = moved.shape[-2:]
    n = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    k = np.arange(n)
    moved[..., k + max(-offset, 0), k + max(offset, 0)] = adjoint
    return x_bar


def untile(adjoint: Any, like: Any, reps: Any) -> Any:
    """The adjoint of np.tile: the tiles added up.

    >>> untile(np.arange(6.0), np.zeros(2), 3)
    array([6., 9.])
    """
    shape = np.shape(like)
    reps = (reps,) if isinstance(reps, int | np.integer) else tuple(reps)
    rank = max(len(shape), len(reps))
    extents = (1,) * (rank - len(shape)) + shape
    reps = (1,) * (rank - len(reps)) + reps
    split = [n for pair in zip(reps, extents, strict=True) for n in pair]
    tiles = np.reshape(adjoint, split)
    return np.sum(tiles, axis=tuple(range(0, 2 * rank, 2))).reshape(shape)[()]


def unpad(adjoint: Any, like: Any, pad_width: Any) -> Any:
    """The adjoint of np.pad with constants: what is inside the frame.

    >>> unpad(np.arange(5.0), np.zeros(3), (0, 2))
    array([0., 1., 2.])
    """
    shape = np.shape(like)
    if isinstance(pad_width, dict):
        given = {k % len(shape): width for k, width in pad_width.items()}
        pad_width = [np.broadcast_to(given.get(k, 0), 2) for k in range(len(shape))]
    widths = np.broadcast_to(pad_width, (len(shape), 2))
    return adjoint[tuple(slice(int(w[0]), int(w[0]) + n) for w, n in zip(widths, shape, strict=True))]


def tensordot_left(adjoint: Any, b: Any, like: Any, axes: Any = 2) -> Any:
    """The adjoint of the left operand of np.tensordot, which is like `like`; b is the right one.

    >>> tensordot_left(np.ones((2, 4)), np.ones((3, 4)), np.zeros((2, 3)), 1)
    array([[4., 4., 4.],
           [4., 4., 4.]])
    """
    rank, other = np.ndim(like), np.ndim(b)
    if isinstance(axes, int | np.integer):
        left, right = list(range(rank - axes, rank)), list(range(axes))
    else:
        left, right = ([int(k) for k in np.atleast_1d(side)] for side in axes)
    left, right = [k % rank for k in left], [k % other for k in right]
    free_left = [k for k in range(rank) if k not in left]
    free_right = [k for k in range(other) if k not in right]
    last = list(range(len(free_left), np.ndim(adjoint)))
    part = np.tensordot(
        adjoint, b, (last, free_right)
    )  # free axes of the left operand, then summed ones as in b
    order = free_left + [left[right.index(k)] for k in sorted(right)]
    return np.transpose(part, np.argsort(order))


def tensordot_right(adjoint: Any, a: Any, like: Any, axes: Any = 2) -> Any:
    """The adjoint of the right operand of np.tensordot, which is like `like`; a is the left one.

    >>> tensordot_right(np.ones((2, 4)), np.ones((2, 3)), np.zeros((3, 4)), 1)
    array([[2., 2., 2., 2.],
           [2., 2., 2., 2.],
           [2., 2., 2., 2.]])
    """
    rank, other = np.ndim(a), np.ndim(like)
    if isinstance(axes, int | np.integer):
        left, right = list(range(rank - axes, rank)), list(range(axes))
    else:
        left, right = ([int(k) for k in np.atleast_1d(side)] for side in axes)
    left, right = [k % rank for k in left], [k % other for k in right]
    free_left = [k for k in range(rank) if k not in left]
    free_right = [k for k in range(other) if k not in right]
    part = np.tensordot(
        a, adjoint, (free_left, list(range(len(free_left))))
    )  # summed axes as in a, then free ones
    order = [right[left.index(k)] for k in sorted(left)] + free_right
    return np.transpose(part, np.argsort(order))


def unconvolve(adjoint: Any, other: Any, like: Any, mode: str = "full") -> Any:
    """The adjoint of one operand of np.convolve, which is like `like`; `other` is the other one.

    >>> unconvolve(np.array([1.0, 0.0, 0.0]), np.array([2.0, 5.0]), np.zeros(2))
    array([2., 0.])
    """
    n, m = np.size(like), np.size(other)
    missing = n + m - 1 - np.size(adjoint)
    start = {"full": 0, "same": (min(n, m) - 1) // 2, "valid": min(n, m) - 1}[mode]
    full = np.pad(adjoint, (start, missing - start))
    return np.convolve(full, other[::-1], "valid")


def _correlation_in_full(adjoint: Any, n: int, m: int, mode: str) -> Any:
    """The adjoint of np.correlate in the place that it has in mode "full"."""
    start = {"full": 0, "same": n // 2 if n < m else (m - 1) // 2, "valid": min(n, m) - 1}[mode]
    return np.pad(adjoint, (start, n + m - 1 - np.size(adjoint) - start))


def uncorrelate_left(adjoint: Any, v: Any, like: Any, mode: str = "valid") -> Any:
    """The adjoint of the first operand of np.correlate, which is like `like`; v is the second one.

    >>> uncorrelate_left(np.array([1.0, 0.0]), np.array([2.0, 5.0]), np.zeros(3))
    array([2., 5., 0.])
    """
    full = _correlation_in_full(adjoint, np.size(like), np.size(v), mode)
    return np.convolve(full, np.conj(v), "valid")


def uncorrelate_right(adjoint: Any, a: Any, like: Any, mode: str = "valid") -> Any:
    """The adjoint of the second operand of np.correlate, which is like `like`; a is the first one.

    >>> uncorrelate_right(np.array([1.0, 0.0]), np.array([2.0, 5.0, 3.0]), np.zeros(2))
    array([2., 5.])
    """
    full = _correlation_in_full(adjoint, np.size(a), np.size(like), mode)
    return np.conj(np.convolve(full, a[::-1], "valid"))[::-1]


def doubled(a: Any, e: Any) -> Any:
    """The block matrix [[a, e], [0, a]], of which a function's upper right block is its derivative towards e.

    >>> doubled(np.array([[2.0]]), np.array([[5.0]]))
    array([[2., 5.],
           [0., 2.]])
    """
    return np.block([[a, e], [np.zeros_like(a), a]])


def zeros_of(like: Any) -> list[Any]:
    """The adjoint of a list before anything was added: a zero for each entry, of the entry's shape.

    >>> zeros_of([1.0, np.ones(2)])
    [0.0, array([0., 0.])]
    """
    return [
        np.zeros(x.shape, x.dtype if x.dtype.kind in "fc" else float) if isinstance(x, np.ndarray) else 0.0
        for x in like
    ]


def add_each(a: Any, b: Any) -> list[Any]:
    """The sums, item by item, of two sequences of one length.

    >>> add_each([1.0, 2.0], [10.0, 20.0])
    [11.0, 22.0]
    """
    return [x + y for x, y in zip(a, b, strict=True)]


def spread(v: Any, index: Any, like: Any) -> Any:
    """An array of the shape of `like`, zero but for `v` added at the places of `index`, repeated ones too.

    >>> spread(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), np.zeros(3))
    array([5., 0., 2.])
    """
    out = np.zeros(np.shape(like), np.result_type(v, float))
    np.add.at(out, index, v)
    return out


def last_written(x_bar: Any, index: Any) -> Any:
    """`x_bar[index]`, zero where a later entry of the index names the same place: a store keeps what is written last.

    >>> last_written(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 0]))
    array([0., 3., 1.])
    """
    places = np.arange(x_bar.size).reshape(x_bar.shape)[index]
    order = np.arange(places.size).reshape(places.shape)
    last = np.zeros(x_bar.size, int)
    last[places.ravel()] = order.ravel()
    return np.where(last[places] == order, x_bar[index], 0.0)


def writable(view: Any) -> Any:
    """The view, made writable: NumPy hands out diagonals as read-only, and an adjoint is added to.

    >>> a = np.zeros((2, 2))
    >>> writable(np.diagonal(a))[:] = 1.0
    >>> a
    array([[1., 0.],
           [0., 1.]])
    """
    view.flags.writeable = True
    return view


def check_view(view: Any, base: Any) -> None:
    """Refuse to go on where `view` is a copy: what is written into one of the two is not seen through the other.

    >>> a = np.zeros((2, 3))
    >>> check_view(a.reshape(6), a)
    """
    if not np.may_share_memory(view, base) and np.size(base):
        from srcgrad.errors import refuse

        refuse(
            "alias",
            "an array is written through a reshaped view here, and for the way it lies in memory NumPy made a copy",
            hint="pass an array that lies in rows: np.ascontiguousarray(x); or reshape a copy",
        )
