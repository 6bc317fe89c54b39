"""The types that the adjoint is made for: kinds of numbers, arrays with the pattern of their extents, containers.

An extent is an int, a `Sym` (an unknown extent, plus a constant), or None (unknown, and equal to nothing).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad.checkpoints import checkpointed


@dataclass(frozen=True)
class Sym:
    """The extent called `name`, plus a constant: n - 2 is Sym("n", -2)."""

    name: str
    plus: int = 0

    def __str__(self) -> str:
        return self.name if not self.plus else f"{self.name} {'+' if self.plus > 0 else '-'} {abs(self.plus)}"


Extent = int | Sym | None


class Type:
    """Any type; the classes below are the cases."""


@dataclass(frozen=True)
class Number(Type):
    """A scalar: kind is b, i, f or c; dtype is None for Python's own, else NumPy's name ("either" counts as NumPy's).

    `value` is the constant, or the extent that an int is known to be.
    """

    kind: str
    dtype: str | None = None
    value: Any = None

    def __str__(self) -> str:
        return self.dtype or {"b": "bool", "i": "int", "f": "float", "c": "complex"}[self.kind]


@dataclass(frozen=True)
class Array(Type):
    """An exact ndarray; shape None: of unknown rank, or a number (made of both)."""

    dtype: str
    shape: tuple[Extent, ...] | None

    @property
    def kind(self) -> str:
        return np.dtype(self.dtype).kind

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    def __str__(self) -> str:
        if self.shape is None:
            return f"{self.dtype} array"
        return f"{self.dtype}[{', '.join('?' if e is None else str(e) for e in self.shape)}]"


@dataclass(frozen=True)
class Struct(Type):
    """A tuple, list or dict whose entries are known one by one."""

    kind: str
    items: tuple[Type, ...]
    keys: tuple[Any, ...] | None = None
    cls: Any = None  # a named tuple's class

    def __str__(self) -> str:
        if self.keys is not None:
            return "{" + ", ".join(f"{k!r}: {t}" for k, t in zip(self.keys, self.items, strict=True)) + "}"
        return f"{self.kind}[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True)
class ListOf(Type):
    """A list (or other sequence) of unknown length, its entries of one type (None: still empty)."""

    item: Type | None

    def __str__(self) -> str:
        return f"list of {self.item}"


@dataclass(frozen=True)
class Data(Type):
    """Anything that is not differentiated: strings, None, functions, dtypes, ranges; `value` where it is known."""

    cls: Any = None
    value: Any = None
    known: bool = False
    items: Type | None = None  # what iterating gives, where that is known

    def __hash__(self) -> int:
        return hash((self.cls, id(self.value) if self.known else None, self.known))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Data)
            and self.cls is other.cls
            and self.known == other.known
            and self.items == other.items
            and (
                self.value is other.value or (isinstance(self.value, str | int) and self.value == other.value)
            )
        )

    def __str__(self) -> str:
        return "None" if self.cls is type(None) else getattr(self.cls, "__name__", "unknown")


@dataclass(frozen=True)
class Maybe(Type):
    """None, or something of a type: what an `is None` tells apart."""

    item: Type

    def __str__(self) -> str:
        return f"{self.item} or None"


@dataclass(frozen=True)
class Unknown(Type):
    why: str = ""

    def __eq__(self, other: object) -> bool:  # whatever the reason, nothing is known
        return isinstance(other, Unknown)

    def __hash__(self) -> int:
        return 0

    def __str__(self) -> str:
        return "unknown"


NONE = Data(type(None), None, True)
_ORDER = "bifc"


def known(value: Any) -> Data:
    return Data(type(value), value, True)


def join_extent(a: Extent, b: Extent) -> Extent:
    return a if a == b else None


def join(a: Type | None, b: Type | None) -> Type:
    """The type of what is one or the other.

    >>> join(Number("i", None, 0), Number("f"))
    Number(kind='f', dtype=None, value=None)
    >>> print(join(Array("float64", (3,)), Array("float64", (Sym("n"),))))
    float64[?]
    """
    if a is None or b is None or a == b:
        return a if b is None else b  # type: ignore[return-value]
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return Unknown()  # one Unknown, so that joins settle
    if NONE in (a, b) or isinstance(a, Maybe) or isinstance(b, Maybe):
        parts = [t.item if isinstance(t, Maybe) else t for t in (a, b) if t != NONE]
        return Maybe(parts[0] if len(parts) == 1 else join(parts[0], parts[1]))
    if isinstance(a, Number) and isinstance(b, Number):
        kind = max(a.kind, b.kind, key=_ORDER.index)
        if a.dtype == b.dtype:
            dtype = a.dtype
        else:
            given = [t.dtype for t in (a, b) if t.dtype is not None]
            dtype = str(np.result_type(*given, *([float] if kind == "f" and len(given) == 1 else [])))
            kind = (
                max(kind, np.dtype(dtype).kind, key=_ORDER.index) if np.dtype(dtype).kind in _ORDER else kind
            )
        return Number(kind, dtype, a.value if a.value == b.value and type(a.value) is type(b.value) else None)
    if isinstance(a, Array) and isinstance(b, Array):
        dtype = a.dtype if a.dtype == b.dtype else str(np.result_type(a.dtype, b.dtype))
        if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
            return Array(dtype, None)
        return Array(dtype, tuple(map(join_extent, a.shape, b.shape)))
    if isinstance(a, Array | Number) and isinstance(b, Array | Number):
        array, number = (a, b) if isinstance(a, Array) else (b, a)
        return Array(array.dtype if array.kind in "fc" or number.kind != "f" else "float64", None)  # type: ignore
    if isinstance(a, Struct) and isinstance(b, Struct):
        if a.kind == b.kind and a.keys == b.keys and len(a.items) == len(b.items) and a.cls is b.cls:
            return replace(a, items=tuple(map(join, a.items, b.items)))
    lists = [_as_list(t) for t in (a, b)]
    if all(isinstance(t, ListOf) for t in lists):
        items = [t.item for t in lists if t is not None and t.item is not None]
        out = None
        for i in items:
            out = join(out, i)
        return ListOf(out)
    if isinstance(a, Data) and isinstance(b, Data) and a.cls is b.cls:
        return Data(a.cls, items=join(a.items, b.items) if a.items and b.items else None)
    return Unknown()


def _as_list(t: Type) -> ListOf | None:
    if isinstance(t, ListOf):
        return t
    if isinstance(t, Struct) and t.kind == "list":
        out: Type | None = None
        for i in t.items:
            out = join(out, i)
        return ListOf(out)
    return None


def forget(t: Type, site: Callable[[str], bool]) -> Type:
    """The type without the extents for which `site` holds: what a loop carries into its next trip."""
    return map_symbols(t, lambda e: None if site(e.name) else e)


def map_symbols(t: Type, change: Callable[[Sym], Extent]) -> Type:
    """The type with something else for each symbol in it.

    >>> print(map_symbols(Array("float64", (Sym("n"), 3)), lambda e: Sym("m", e.plus)))
    float64[m, 3]
    """
    match t:
        case Array(shape=shape) if shape is not None:
            return replace(t, shape=tuple(change(e) if isinstance(e, Sym) else e for e in shape))
        case Number(value=Sym() as value):
            return replace(t, value=change(value))
        case Struct(items=items):
            return replace(t, items=tuple(map_symbols(i, change) for i in items))
        case ListOf(item) if item is not None:
            return ListOf(map_symbols(item, change))
        case Maybe(item):
            return Maybe(map_symbols(item, change))
    return t


def certain(t: Type) -> Type:
    """The type that a value has where it is used as one: an array that may be None has no certain shape."""
    if isinstance(t, Maybe):
        return Array(t.item.dtype, None) if isinstance(t.item, Array) else t.item
    return t


def is_numeric(t: Type | None) -> bool:
    """A number or an array of numbers: what an adjoint can belong to."""
    return isinstance(t, Number) or (isinstance(t, Array) and t.kind in "bifcu")


def is_python_float(t: Type | None) -> bool:
    return isinstance(t, Number) and t.dtype is None and t.kind in "bif"


def rank_of(t: Type | None) -> int | None:
    if isinstance(t, Number):
        return 0
    if isinstance(t, Array):
        return t.rank
    return None


def shape_of(t: Type | None) -> tuple[Extent, ...] | None:
    if isinstance(t, Number):
        return ()
    if isinstance(t, Array):
        return t.shape
    return None


def same_shape(a: Type | None, b: Type | None) -> bool:
    """Whether the pattern proves the shapes equal."""
    x, y = shape_of(a), shape_of(b)
    return (
        x is not None
        and y is not None
        and len(x) == len(y)
        and all(e is not None and e == f for e, f in zip(x, y, strict=True))
    )


def broadcast(*shapes: tuple[Extent, ...] | None) -> tuple[Extent, ...] | None:
    """The pattern of a broadcast result.

    >>> broadcast((Sym("n"), 1), (Sym("m"),))
    (Sym(name='n', plus=0), Sym(name='m', plus=0))
    """
    if any(s is None for s in shapes):
        return None
    rank = max((len(s) for s in shapes), default=0)  # type: ignore[arg-type]
    out: list[Extent] = []
    for axis in range(-rank, 0):
        extents = {s[axis] for s in shapes if len(s) >= -axis}  # type: ignore[arg-type,index]
        extents.discard(1)
        out.append(1 if not extents else extents.pop() if len(extents) == 1 else _widest(extents))
    return tuple(out)


def _widest(extents: set[Extent]) -> Extent:
    # an int other than 1 wins: the primal would raise otherwise
    ints = [e for e in extents if isinstance(e, int)]
    return ints[0] if len(ints) == 1 else None


def adjoint_type(t: Type) -> Type:
    """The type of the adjoint of a value of type `t`: of its shape, float (complex where the value is)."""
    if isinstance(t, Number):
        if t.kind in "bi":
            return Number("f", t.dtype and "float64")
        return replace(t, value=None)
    if isinstance(t, Array):
        return t if t.kind in "fc" else Array("float64", t.shape)
    if isinstance(t, Struct):
        return replace(t, items=tuple(adjoint_type(i) for i in t.items))
    if isinstance(t, ListOf):
        return ListOf(None if t.item is None else adjoint_type(t.item))
    return t


class Pinned(Exception):
    """The program is right only for certain sizes (an array of 3 entries meets a literal 3): begin again with them."""

    def __init__(self, sizes: frozenset[int]):
        self.sizes = sizes


def items_of(iterable: Any, pattern: Pattern, extent: Callable[[int], Extent] | None) -> Type:
    """The type of the items of what a checkpointed loop runs over."""
    if isinstance(iterable, range) or not hasattr(iterable, "__getitem__"):
        return Number(
            "i"
        )  # of an iterator nothing can be asked beforehand: its items are to be numbers of steps
    out: Type | None = None
    for v in iterable:
        out = join(out, pattern.type_of(v, extent))
    return out or Number("i")


# ------------------------------------------------------------------------------------------------ from objects

NAMES = ("n", "m", "k", "p", "q", "r", "s")


class Pattern:
    """The extents of one call's arguments: equal ones share a symbol; 0 and 1 are themselves.

    >>> p = Pattern()
    >>> print(p.type_of(np.ones((2, 3))), p.type_of(np.ones(3)), p.type_of(np.ones(1)))
    float64[n, m] float64[m] float64[1]
    """

    def __init__(self, exact: frozenset[int] = frozenset()) -> None:
        self.exact = exact  # sizes that the text relies on as they are
        self.sizes: dict[int, Sym] = {}
        self.lengths: dict[str, int] = {}  # the actual extent of each symbol
        self.bounds: dict[str, int] = {}  # what the text relies on: the least extent of a symbol

    def extent(self, size: int) -> Extent:
        if size <= 1 or size in self.exact:
            return size
        if size not in self.sizes:
            i = len(self.sizes)
            name = NAMES[i] if i < len(NAMES) else f"n{i}"
            self.sizes[size] = Sym(name)
            self.lengths[name] = size
        return self.sizes[size]

    def at_least(self, name: str, bound: int) -> bool:
        """Rely on an extent being at least `bound`: False where it is not so, or not known."""
        if name not in self.lengths or self.lengths[name] < bound:
            return False
        self.bounds[name] = max(bound, self.bounds.get(name, 0))
        return True

    def type_of(self, value: Any, extent: Callable[[int], Extent] | None = None, depth: int = 0) -> Type:
        """The type of an object; data is known by value only where that can decide branches (None, strings)."""
        cls = type(value)
        if cls is bool:
            return Number("b")
        if cls is int:
            return Number("i")
        if cls is float:
            return Number("f")
        if cls is complex:
            return Number("c")
        if value is None:
            return NONE
        if cls is str:
            return Data(str, value, True)
        if cls is np.ndarray:
            if value.dtype.kind not in "biufc":
                return Data(np.ndarray)
            extent = extent or self.extent
            return Array(str(value.dtype.newbyteorder("=")), tuple(extent(e) for e in value.shape))
        if isinstance(value, np.generic):
            kind = value.dtype.kind
            if kind in "biufc":
                return Number("i" if kind == "u" else kind, str(value.dtype))
            return Data(cls)
        if cls in (tuple, list) and depth < 8:
            if len(value) > 64:
                kinds = {self.type_of(v, extent, depth + 1) for v in value}
                return ListOf(kinds.pop()) if len(kinds) == 1 else Data(cls)
            items = tuple(self.type_of(v, extent, depth + 1) for v in value)
            if cls is list:
                item: Type | None = None
                for i in items:
                    item = join(item, i)
                return ListOf(item) if not isinstance(item, Unknown) else Struct("list", items)
            return Struct("tuple", items)
        if cls is dict and depth < 8 and all(type(k) in (str, int) for k in value):
            return Struct(
                "dict", tuple(self.type_of(v, extent, depth + 1) for v in value.values()), tuple(value)
            )
        if cls is range:
            return Data(range, items=Number("i"))
        if cls is checkpointed:
            return Data(cls, value, True, items_of(value.iterable, self, extent))
        if isinstance(value, type | np.dtype) or callable(value) or cls.__name__ == "module":
            return known(value)
        return Data(cls)
