"""Names of derivative code: the adjoint and the tangent of a web, leaf by leaf where it is a structure."""

from __future__ import annotations

from srcgrad.function import Function
from srcgrad.ir import Attr, Call, Const, Dict, Expr, Item, Name, Seq
from srcgrad.types import Struct, Type, adjoint_type

SUFFIX = {"bar": "_bar", "dot": "_dot"}


class Shadows:
    """The names that hold adjoints ("bar") or tangents ("dot") of webs.

    A number, an array or a list has one name; a structure has one for each of its leaves, so that `a, b = b, a` or a
    tuple handed to a function costs nothing.
    """

    def __init__(self, function: Function, kind: str):
        self.f = function
        self.kind = kind

    def name(self, web: str, path: tuple[int, ...] = ()) -> Name:
        f = self.f
        key = f"{web}·{self.kind}" + "".join(f"·{k}" for k in path)
        if key not in f.names:
            hint = f.spelled(web).removeprefix("·") or "part"
            f.names[key] = hint + "".join(f"_{k}" for k in path) + SUFFIX[self.kind]
            t: Type = f.types[web]
            for k in path:
                t = t.items[k]  # type: ignore[attr-defined]
            f.types[key] = adjoint_type(t)
        return Name(key)

    def leaves(self, web: str) -> list[Name]:
        """The names of all leaves, in order."""
        return [self.name(web, p) for p in paths(self.f.types.get(web))]

    def display(self, web: str, path: tuple[int, ...] = ()) -> Expr:
        """The adjoint as the value is: a name, or a tuple, list or dict of the leaves."""
        t = leaf_type(self.f.types[web], path)
        if not isinstance(t, Struct):
            return self.name(web, path)
        items = tuple(self.display(web, (*path, k)) for k in range(len(t.items)))
        if t.keys is not None:
            return Dict(tuple(Const(k) for k in t.keys), items)
        return Seq("list" if t.kind == "list" else "tuple", items)

    def structure(self, web: str, path: tuple[int, ...] = ()) -> Expr:
        """The adjoint as one expression: a name, or a tuple of the leaves."""
        t = self.f.types[web]
        for k in path:
            t = t.items[k]  # type: ignore[attr-defined]
        if isinstance(t, Struct):
            return Seq("tuple", tuple(self.structure(web, (*path, k)) for k in range(len(t.items))))
        return self.name(web, path)


def paths(t: Type | None) -> list[tuple[int, ...]]:
    """The paths of the leaves of a type.

    >>> from srcgrad.types import Number
    >>> paths(Struct("tuple", (Number("f"), Struct("list", (Number("f"), Number("f"))))))
    [(0,), (1, 0), (1, 1)]
    """
    if not isinstance(t, Struct):
        return [()]
    return [(k, *rest) for k, item in enumerate(t.items) for rest in paths(item)]


def taken_from(e: Expr) -> Expr:
    """What an entry is taken from."""
    match e:
        case Item(value) | Attr(value):
            return value
        case Call(Attr(value, "get")):
            return value
        case Call(_, (arg, *_)):
            return arg
    raise AssertionError(f"no source in {e!r}")


def leaf_type(t: Type, path: tuple[int, ...]) -> Type:
    for k in path:
        t = t.items[k]  # type: ignore[attr-defined]
    return t
