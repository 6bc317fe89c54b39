"""Result types by example: a stock function is run on four sets of small dummy operands.

Each symbol of the extents' pattern has another size in each set, so that an extent of the result can be read back as
a symbol (plus a constant) only where it is that for all four; every unknown integer, mask and index array has other
contents in each set, so that what depends on contents is not taken for a fact. NumPy itself says dtype and rank.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.types import (
    Array,
    Data,
    Extent,
    ListOf,
    Number,
    Pattern,
    Pinned,
    Struct,
    Sym,
    Type,
    Unknown,
    join,
    map_symbols,
)

# The sizes of the symbols of one call, symbol by symbol, in four trials. Chosen so that no two differ by a constant, that
# each is the smaller and the larger of any two in some trial, and that no sum, difference, product, half or double of
# them is another one plus a constant in all four (tested): what is read back as a symbol is that symbol.
_SIZES = (
    (4, 24, 20, 10), (6, 22, 14, 28), (10, 20, 10, 20), (16, 18, 24, 12), (18, 16, 28, 4), (24, 12, 22, 18),
    (26, 10, 4, 22), (28, 4, 26, 16),
)  # fmt: skip
_TRIALS = range(4)
_FLOATS = (0.7, 0.6, 0.8, 0.5)
_INTS = (0, 1, 2, 1)


class Unusable(Exception):
    """No dummy can stand for an operand."""


class Example:
    """Dummy operands for the symbols met so far."""

    def __init__(self, pattern: Pattern | None = None) -> None:
        self.order: dict[str, int] = {}  # the symbols of this call's operands
        self.pattern = pattern or Pattern()
        self.large = False

    def size(self, name: str, trial: int) -> int:
        if name not in self.order:
            if len(self.order) == len(_SIZES):
                raise Unusable
            self.order[name] = len(self.order)
        return _SIZES[self.order[name]][trial]

    def extent(self, e: Extent, trial: int) -> int:
        if isinstance(e, Sym):
            return max(self.size(e.name, trial) + e.plus, 0)
        return (3, 5, 7, 4)[trial] if e is None else e

    def dummy(self, t: Type, trial: int) -> Any:
        match t:
            case Number(kind, dtype, value):
                if isinstance(value, Sym):
                    out: Any = self.size(value.name, trial) + value.plus
                elif value is not None:
                    out = value
                else:
                    out = {
                        "b": trial > 0, "i": _INTS[trial], "f": _FLOATS[trial] + self.large, "c": complex(_FLOATS[trial], 0.1),
                    }[kind]  # fmt: skip
                return out if dtype is None else np.dtype(dtype).type(out)
            case Array(dtype, shape):
                if shape is None:
                    raise Unusable
                return _array(np.dtype(dtype), tuple(self.extent(e, trial) for e in shape), trial)
            case Struct(kind, items, keys, cls):
                values = [self.dummy(i, trial) for i in items]
                if keys is not None:
                    return dict(zip(keys, values, strict=True))
                if cls is not None:
                    return cls(*values)
                return tuple(values) if kind == "tuple" else set(values) if kind == "set" else values
            case ListOf(item):
                if item is None:
                    return []
                return [self.dummy(item, trial) for _ in range((3, 5, 7, 4)[trial])]
            case Data(known=True, value=value):
                return value
        raise Unusable

    def result(
        self, run: Callable[..., Any], operands: list[Type], *, counted: bool = False, fit: bool = True
    ) -> Type:
        """The type of `run(*operands)`; `counted`: an int that it gives is an extent where it can be read as one."""
        outs = []
        trials = []
        error: Exception | None = None
        self.order = {}
        for trial in _TRIALS:
            try:
                dummies = [self.dummy(t, trial) for t in operands]
            except Unusable:
                return Unknown("operand of unknown type")
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    outs.append(run(*dummies))
                trials.append(trial)
            except Exception as e:  # what the user's call would raise, it raises when it runs
                error = e
        if not outs and not self.large and any(isinstance(t, Number | Array) for t in operands):
            self.large = True  # acosh is not for numbers below 1
            try:
                return self.result(run, operands, counted=counted, fit=fit)
            finally:
                self.large = False
        if not outs:
            fitted = self.fitted(run, operands, counted) if fit else None
            if fitted is not None:
                return fitted
            self.at_actual_sizes(run, operands)
            return Unknown(f"{type(error).__name__}: {error}")
        return self.read_back(outs, trials, counted)

    def fitted(self, run: Callable[..., Any], operands: list[Type], counted: bool) -> Type | None:
        """What fails for an extent that only the run knows may be right where that is another one's.

        If it is not, the user's own call fails when it runs; so the result may be read off as if it were.
        """
        names = sorted({n for t in operands for n in symbols(t)})
        unknown = [n for n in names if n not in self.pattern.lengths]
        sizes = sorted({e for t in operands for e in _extents(t) if isinstance(e, int) and e > 1})
        for n in unknown:
            for other in (*(Sym(o) for o in names if o != n), *sizes):
                result = self.result(
                    run, [replaced(t, n, other) for t in operands], counted=counted, fit=False
                )
                if not isinstance(result, Unknown):
                    return result
        return None

    def at_actual_sizes(self, run: Callable[..., Any], operands: list[Type]) -> None:
        """What fails for sizes of ours may be right for those of the call: then the text is made for them."""
        names = {n for t in operands for n in symbols(t)}
        lengths = self.pattern.lengths
        if not names or not names <= lengths.keys():
            return
        values = {n: lengths[n] for n in names}
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                run(*[self.dummy(sized(t, values), 1) for t in operands])
        except Exception:
            return
        raise Pinned(frozenset(values.values()))

    def read_back(self, outs: list[Any], trials: list[int], counted: bool) -> Type:
        first = outs[0]
        if any(type(o) is not type(first) for o in outs):
            types = [Pattern().type_of(o, lambda size: None) for o in outs]
            joined: Type | None = None
            for t in types:
                joined = join(joined, t)
            return joined or Unknown()
        if isinstance(first, np.ndarray):
            if type(first) is not np.ndarray or first.dtype.kind not in "biufc":
                return Data(type(first))
            dtype = str(np.result_type(*[o.dtype for o in outs]))
            if any(o.ndim != first.ndim for o in outs):
                return Array(dtype, None)
            axes = zip(*[o.shape for o in outs], strict=True)
            return Array(dtype, tuple(self.read_extent(list(axis), trials) for axis in axes))
        if isinstance(first, tuple | list):
            if any(len(o) != len(first) for o in outs) or len(trials) < len(_TRIALS):
                items = [self.read_back([i], trials[:1], False) for o in outs for i in o]
                item: Type | None = None
                for i in items:
                    item = join(item, i)
                return ListOf(_no_extents(item)) if isinstance(first, list) else Data(tuple)
            parts = tuple(self.read_back(list(column), trials, counted) for column in zip(*outs, strict=True))
            named = type(first) if hasattr(first, "_fields") or type(first) not in (tuple, list) else None
            return Struct("list" if isinstance(first, list) else "tuple", parts, cls=named)
        if counted and type(first) is int:
            return Number("i", None, self.read_extent(outs, trials))
        return Pattern().type_of(first) if not isinstance(first, str) else Data(str)

    def read_extent(self, sizes: list[int], trials: list[int]) -> Extent:
        if len(trials) < len(_TRIALS):
            return None
        if len(set(sizes)) == 1:
            return int(sizes[0])
        found = []
        for name in self.order:
            offsets = {s - self.size(name, t) for s, t in zip(sizes, trials, strict=True)}
            if len(offsets) == 1:
                found.append(Sym(name, int(offsets.pop())))
        return found[0] if len(found) == 1 else None


def symbols(t: Type) -> set[str]:
    """The symbols that stand in a type."""
    match t:
        case Array(shape=shape) if shape is not None:
            return {e.name for e in shape if isinstance(e, Sym)}
        case Number(value=Sym(name)):
            return {name}
        case Struct(_, items):
            return {n for i in items for n in symbols(i)}
        case ListOf(item) if item is not None:
            return symbols(item)
    return set()


def _extents(t: Type) -> tuple[Extent, ...]:
    match t:
        case Array(shape=shape) if shape is not None:
            return shape
        case Struct(_, items):
            return tuple(e for i in items for e in _extents(i))
    return ()


def replaced(t: Type, name: str, by: Extent) -> Type:
    """The type with another extent for a symbol (with its constant, where it has one)."""

    def size(e: Extent) -> Extent:
        if not isinstance(e, Sym) or e.name != name:
            return e
        return (
            Sym(by.name, by.plus + e.plus)
            if isinstance(by, Sym)
            else by + e.plus
            if isinstance(by, int)
            else None
        )

    match t:
        case Array(dtype, shape) if shape is not None:
            return Array(dtype, tuple(size(e) for e in shape))
        case Struct(kind, items, keys, cls):
            return Struct(kind, tuple(replaced(i, name, by) for i in items), keys, cls)
    return t


def sized(t: Type, values: dict[str, int]) -> Type:
    """The type with numbers for symbols."""
    return map_symbols(t, lambda e: values[e.name] + e.plus)


def _no_extents(t: Type | None) -> Type | None:
    if isinstance(t, Array) and t.shape is not None:
        return Array(t.dtype, (None,) * len(t.shape))
    return t


def _array(dtype: np.dtype[Any], shape: tuple[int, ...], trial: int) -> Any:
    if dtype.kind in "iu" and len(shape) >= 2 and shape[-1] == shape[-2]:
        return np.broadcast_to(np.eye(shape[-1], dtype=dtype) * 2, shape) + dtype.type(0)
    if dtype.kind in "iu":
        return np.full(shape, _INTS[trial], dtype)
    if dtype.kind == "b":
        out = np.zeros(shape, bool)
        if trial:
            out.reshape(-1)[:: (2, 1, 3)[trial - 1]] = True
        return out
    size = 1
    for s in shape:
        size *= s
    out = np.linspace(0.2, 0.9, size).reshape(shape)
    if len(shape) >= 2 and shape[-1] == shape[-2]:  # symmetric and well conditioned, for linear algebra
        out = np.broadcast_to(np.eye(shape[-1]) * 2 + 0.1, shape).copy()
    return out.astype(dtype)
