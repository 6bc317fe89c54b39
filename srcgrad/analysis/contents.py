"""Contents: which names an expression reads the contents of, and not the shape or the type alone."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator

import numpy as np

from srcgrad import runtime
from srcgrad.ir import Assign, Attr, Call, Expr, Item, Name, Object, Stmt, children, own_exprs

_SHAPE = {"shape", "size", "ndim", "dtype"}
_OF_SHAPE = {"zeros_like", "ones_like", "empty_like", "shape", "size", "ndim", "diag_indices_from"}


@functools.cache
def _likes() -> dict[int, int]:
    """Functions of the run time that ask an operand for its shape alone: id -> which operand."""
    out = {id(len): 0, id(runtime.zeros_of): 0}
    for f in vars(runtime).values():
        if inspect.isfunction(f):
            names = list(inspect.signature(f).parameters)
            if "like" in names:
                out[id(f)] = names.index("like")
    return out


def contents(e: Expr) -> Iterator[str]:
    """The names whose contents an expression reads.

    >>> from srcgrad.ir import Binary
    >>> list(contents(Binary("*", Name("a"), Attr(Name("b"), "size"))))
    ['a']
    """
    match e:
        case Name(web):
            yield web
        case Attr(Name(), name) if name in _SHAPE:
            return
        case Call(Attr(Object(value), name), (Name(), *rest), keywords) if value is np and name in _OF_SHAPE:
            for r in (*rest, *(v for _, v in keywords)):
                yield from contents(r)
        case Call(Object(value), args, keywords) if id(value) in _likes():
            like = _likes()[id(value)]
            for k, a in enumerate(args):
                if k != like or not isinstance(a, Name):
                    yield from contents(a)
            for _, v in keywords:
                yield from contents(v)
        case _:
            for c in children(e):
                yield from contents(c)


def contents_of(s: Stmt) -> Iterator[str]:
    """The names whose contents a statement itself reads; a store reads its index, not what it writes."""
    for e in own_exprs(s):
        if isinstance(s, Assign) and e is s.target and isinstance(e, Item):
            yield from contents(e.index)
        else:
            yield from contents(e)
