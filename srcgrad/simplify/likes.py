"""Likes: zeros made of the right shape, and shapes asked of names that hold anyway.

Zero t_bar    ->    t_bar = np.zeros_like(x)        when the types prove that x has the shape of t
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.derive.adjoint import Derived
from srcgrad.derive.template import call
from srcgrad.ir import (
    Assign,
    Attr,
    Binary,
    Block,
    Call,
    Const,
    Expr,
    Item,
    Name,
    Object,
    Seq,
    Zero,
    blocks,
    map_exprs,
    transform,
)
from srcgrad.types import Array, ListOf, Number, Sym

_SHAPE = {"shape", "size", "ndim"}


def likes(d: Derived) -> Derived:
    """Make zeros of `Zero`, and ask names that hold for shapes."""
    work = _Likes(d)
    work.block(d.reverse)
    return d


class _Likes:
    def __init__(self, d: Derived):
        self.f = d.function
        self.homes = d.homes
        root = id(d.forward)
        free = [p for p in self.f.params if p in self.homes.local]
        free += sorted(
            (
                w
                for w in self.homes.local
                if self.homes.block[w] == root and w not in free and not w.startswith("·")
            ),
            key=lambda w: (
                self.homes.order.get(id(self.homes.bound_by[w][0]), 0) if self.homes.bound_by.get(w) else 0
            ),
        )
        self.free = free

    def block(self, block: Block) -> None:
        for k, s in enumerate(block):
            if isinstance(s, Zero):
                new = Assign(s.target, self.zero(s), loc=s.loc)
                new.origin = getattr(s, "origin", None)  # type: ignore[attr-defined]
                block[k] = new
            else:
                map_exprs(s, lambda e: transform(e, self.ask))
            for inner in blocks(s):
                self.block(inner)

    def zero(self, s: Zero) -> Expr:
        t, bar = self.f.types.get(s.web), self.f.types[s.target.id]
        if isinstance(bar, Number) or (isinstance(bar, Array) and bar.shape is None):
            return Const(0.0)
        if isinstance(bar, ListOf):
            return Call(Object(runtime.zeros_of, "zeros_of"), (Name(s.web),))
        assert isinstance(bar, Array)
        if isinstance(t, Array):
            like = self.provider(s.web, t, dtype=True)
            if like is not None and t.dtype == bar.dtype:
                return call(np.zeros_like, "np.zeros_like", Name(like))
        shape = self.shape(s.web, bar) if isinstance(t, Array) else None
        if shape is None:
            # a leaf of a structure: its shape is asked of the structure where the types do not give it
            shape = self.extents(bar) or self.leaf_shape(s)
        if bar.dtype != "float64":
            return call(np.zeros, "np.zeros", shape, dtype=Attr(Object(np, "np"), bar.dtype))
        return call(np.zeros, "np.zeros", shape)

    def leaf_shape(self, s: Zero) -> Expr:
        e: Expr = Name(s.web)
        path = s.target.id.removeprefix(f"{s.web}·bar").split("·")[1:]
        t: Any = self.f.types[s.web]
        for k in map(int, path):
            e = Item(e, Const(t.keys[k] if t.keys is not None else k))
            t = t.items[k]
        return call(np.shape, "np.shape", e)

    def ask(self, e: Expr) -> Expr | None:
        match e:
            case Attr(Name(id), name) if name in _SHAPE and id in self.homes.block:
                t = self.f.types.get(id)
                if isinstance(t, Array) and not self.holds(id):
                    like = self.provider(id, t, dtype=False)
                    if like is not None:
                        return Attr(Name(like), name)
                    shape = self.extents(t)
                    if shape is not None and name == "shape":
                        return shape
                    if shape is not None and name == "size" and isinstance(shape, Seq):
                        size: Expr = shape.items[0] if shape.items else Const(1)
                        for x in shape.items[1:]:
                            size = Binary("*", size, x)
                        return size
            case Call(Object(value), (Name(id) as like, *axis), ()) if value is runtime.extent:
                t = self.f.types.get(id)
                if isinstance(t, Number):
                    return Const(1)
                if isinstance(t, Array) and not axis:
                    return self.ask(Attr(like, "size")) or Attr(like, "size")
                if isinstance(t, Array) and t.rank is not None and isinstance(axis[0], Const):
                    if isinstance(axis[0].value, int):
                        return Item(self.ask(Attr(like, "shape")) or Attr(like, "shape"), axis[0])
            case Call(Object(value) as fn, (g, Name(id), *rest), keywords) if value in (
                runtime.unbroadcast,
                runtime.unreduce,
            ):
                t = self.f.types.get(id)
                if isinstance(t, Array) and id in self.homes.block and not self.holds(id):
                    like = self.provider(id, t, dtype=False)
                    if like is not None:
                        return Call(fn, (transform(g, self.ask), Name(like), *rest), keywords)
        return None

    def holds(self, web: str) -> bool:
        return web in self.free

    def provider(self, web: str, t: Array, dtype: bool) -> str | None:
        """A name of the same shape that holds in the whole reverse sweep."""
        if self.holds(web):
            return web
        if t.shape is None or None in t.shape:
            return None
        for w in self.free:
            u = self.f.types.get(w)
            if isinstance(u, Array) and u.shape == t.shape and (not dtype or u.dtype == t.dtype):
                return w
        return None

    def shape(self, web: str, bar: Array) -> Expr:
        # a name that no path has bound yet is None there, and its adjoint is read by nobody
        return self.extents(bar) or call(np.shape, "np.shape", Name(web))

    def extents(self, t: Array) -> Expr | None:
        """The shape as a tuple of extents of names that hold, where the types give every one."""
        if t.shape is None:
            return None
        parts: list[Expr] = []
        for e in t.shape:
            if isinstance(e, int):
                parts.append(Const(e))
                continue
            found = self.extent(e) if isinstance(e, Sym) else None
            if found is None:
                return None
            parts.append(found)
        return Seq("tuple", tuple(parts))

    def extent(self, e: Sym) -> Expr | None:
        for w in self.free:
            u = self.f.types.get(w)
            if isinstance(u, Array) and u.shape is not None:
                for axis, x in enumerate(u.shape):
                    if isinstance(x, Sym) and x.name == e.name:
                        out: Expr = Item(Attr(Name(w), "shape"), Const(axis))
                        if e.plus != x.plus:
                            diff = e.plus - x.plus
                            out = Binary("+" if diff > 0 else "-", out, Const(abs(diff)))
                        return out
            if isinstance(u, Number) and u.value == e:
                return Name(w)
        return None
