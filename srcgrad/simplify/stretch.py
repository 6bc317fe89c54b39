"""Stretch: the adjoint of a reduction, stretched over the reduced axes only where nothing else does it.

unreduce(y_bar, x, 1) * x    ->    y_bar[:, None] * x
unreduce(1.0, x)             ->    np.ones_like(x)
"""

from __future__ import annotations

import numpy as np

from srcgrad import runtime
from srcgrad.derive.template import call, minus, simple
from srcgrad.function import Function
from srcgrad.ir import (
    Attr,
    Binary,
    Call,
    Compare,
    Const,
    Expr,
    IfExp,
    Item,
    Name,
    Object,
    Seq,
    Slice,
    Unary,
    children,
    rebuild,
)
from srcgrad.types import Array, Extent, Number, broadcast, shape_of


def stretch(e: Expr, f: Function) -> Expr:
    """Simplify an expression of adjoint code from the inside out."""
    old = children(e)
    if old:
        new = [stretch(c, f) for c in old]
        if any(a is not b for a, b in zip(old, new, strict=True)):
            e = rebuild(e, new)
    return _step(e, f)


def stretched(e: Expr) -> tuple[Expr, Expr] | None:
    """(g, like) of `np.broadcast_to(g, like.shape)`."""
    match e:
        case Call(Attr(Object(value), "broadcast_to"), (g, Attr(like, "shape")), ()) if value is np:
            return g, like
    return None


def to_shape(g: Expr, like: Expr) -> Expr:
    return call(np.broadcast_to, "np.broadcast_to", g, Attr(like, "shape"))


def _step(e: Expr, f: Function) -> Expr:
    match e:
        case Call(Object(value), (g, like, *rest), keywords) if value is runtime.unreduce:
            given = dict(keywords)
            axis = rest[0] if rest else given.get("axis", Const(None))
            keep = rest[1] if len(rest) > 1 else given.get("keepdims", Const(False))
            rank = _rank(like, f)
            if rank == 0:
                return g
            if keep == Const(True):
                return to_shape(g, like)
            if axis == Const(None) and keep == Const(False):
                return to_shape(g, like)
            axes = _axes(axis, rank)
            if axes is not None and keep == Const(False) and rank is not None:
                parts: tuple[Expr, ...] = tuple(
                    Const(None) if k in axes else Slice(None, None, None) for k in range(rank)
                )
                while parts and parts[-1] == Slice(None, None, None):
                    parts = parts[:-1]
                if len(axes) == rank:
                    return to_shape(g, like)
                if all(p == Const(None) for p in parts):
                    return to_shape(g, like)  # leading axes: broadcasting does it
                return to_shape(Item(g, Seq("tuple", parts) if len(parts) > 1 else parts[0]), like)
        case Call(Object(value), (g, like), ()) if value is runtime.unbroadcast:
            have, full = expr_shape(g, f), expr_shape(like, f)
            if have is not None and have == full and None not in have:
                return g
        case Binary("+" | "-" | "*" | "/" as op, a, b):
            for this, that, left in ((a, b, True), (b, a, False)):
                found = stretched(this)
                if found is None:
                    continue
                g, like = found
                other = expr_shape(that, f)
                full = expr_shape(like, f)
                if other is not None and full is not None and other == full and None not in full:
                    return simple(Binary(op, g, that) if left else Binary(op, that, g), f.types)
                if other == ():
                    inner = simple(Binary(op, g, that) if left else Binary(op, that, g), f.types)
                    return to_shape(inner, like)
                again = stretched(that)
                if again is not None and again[1] == like:
                    pair = (g, again[0]) if left else (again[0], g)
                    if expr_shape(g, f) == () or expr_shape(again[0], f) == ():
                        return to_shape(simple(Binary(op, *pair), f.types), like)
            return simple(e, f.types)
        case Unary("-", x):
            found = stretched(x)
            if found is not None:
                return to_shape(minus(found[0]), found[1])
            return simple(e, f.types)
        case Call(Attr(Object(value), "where"), (c, x, y), ()) if value is np and all(
            expr_shape(p, f) == () for p in (c, x, y)
        ):
            return IfExp(c, x, y)
        case Call(Attr(Object(value), "where"), (c, x, Const(0.0) as zero), ()) if value is np:
            plain = selected_once(x, c)
            if plain is not x:
                return _step(Call(e.fn, (c, plain, zero)), f)
            found = stretched(x)
            if (
                found is not None
                and expr_shape(c, f) is not None
                and expr_shape(c, f) == expr_shape(found[1], f)
            ):
                if None not in (expr_shape(c, f) or (None,)):
                    return Call(e.fn, (c, found[0], zero))
        case Call(Attr(Object(value), "moveaxis"), (x, Const(a), Const(b)), ()) if value is np and a == b:
            return x
        case Call(Attr(Object(value), "sum"), (x,), ()) if value is np and expr_shape(x, f) == ():
            return x
        case Call() | Unary() | Binary():
            return simple(e, f.types)
    return e


def selected_once(e: Expr, c: Expr) -> Expr:
    """An elementwise expression that is selected by `c` anyway, without the same selection inside."""
    match e:
        case Call(Attr(Object(value), "where"), (d, x, Const(0.0)), ()) if value is np and d == c:
            return selected_once(x, c)
        case Binary("*" | "/" | "+" | "-" as op, a, b):
            x, y = selected_once(a, c), selected_once(b, c)
            return e if x is a and y is b else Binary(op, x, y)
        case Unary("-", a):
            x = selected_once(a, c)
            return e if x is a else Unary("-", x)
    return e


def _rank(like: Expr, f: Function) -> int | None:
    shape = expr_shape(like, f)
    return None if shape is None else len(shape)


def _axes(axis: Expr, rank: int | None) -> set[int] | None:
    if rank is None:
        return None
    items = axis.items if isinstance(axis, Seq) else (axis,)
    out = set()
    for i in items:
        if not isinstance(i, Const) or not isinstance(i.value, int) or isinstance(i.value, bool):
            return None
        out.add(i.value % rank if rank else 0)
    return out


def _einsum_shape(spec: str, shapes: list[tuple[Extent, ...] | None]) -> tuple[Extent, ...] | None:
    inputs, arrow, output = spec.partition("->")
    extents: dict[str, Extent] = {}
    for letters, shape in zip(inputs.split(","), shapes, strict=True):
        if shape is None or len(shape) != len(letters):
            return None
        for c, e in zip(letters, shape, strict=True):
            if extents.setdefault(c, e) != e:
                return None
    return tuple(extents.get(c) for c in output) if arrow else None


_ELEMENTWISE = (np.where, np.zeros_like, np.ones_like)


def expr_shape(e: Expr, f: Function) -> tuple[Extent, ...] | None:
    """The pattern of an expression's shape, where operators and elementwise functions prove it."""
    match e:
        case Const(bool() | int() | float() | complex()):
            return ()
        case Name(id):
            t = f.types.get(id)
            return shape_of(t) if isinstance(t, Number | Array) else None
        case Binary(op, a, b) if op != "@":
            return broadcast(expr_shape(a, f), expr_shape(b, f))
        case Compare((_,), (a, b)):
            return broadcast(expr_shape(a, f), expr_shape(b, f))
        case Unary(_, x):
            return expr_shape(x, f)
        case IfExp(_, a, b):
            x, y = expr_shape(a, f), expr_shape(b, f)
            return x if x == y else None
        case Attr(x, "size" | "ndim") if x is not None:
            return ()
        case Attr(x, "real" | "imag"):
            return expr_shape(x, f)
        case Attr(x, "T"):
            inner = expr_shape(x, f)
            return None if inner is None else inner[::-1]
        case Call(Object(value), (_,), ()) if value in (len, float):
            return ()
        case Call(Attr(Object(value), "broadcast_to"), (_, Attr(like, "shape")), ()) if value is np:
            return expr_shape(like, f)
        case Call(Attr(Object(value), name), args, ()) if value is np:
            fn = getattr(np, name, None)
            if isinstance(fn, np.ufunc) and fn.signature is None or fn in _ELEMENTWISE:
                return broadcast(*[expr_shape(a, f) for a in args])
            if name == "sum":
                return ()
        case Call(Attr(Object(value), "einsum"), (Const(str() as spec), *operands), ()) if value is np:
            return _einsum_shape(spec, [expr_shape(o, f) for o in operands])
        case Call(Attr(Object(value), "ones"), (Item(Attr(x, "shape"), Const(int() as axis)),), ()) if (
            value is np
        ):
            inner = expr_shape(x, f)
            return None if inner is None else (inner[axis],)
        case Item(x, index):
            inner = expr_shape(x, f)
            parts = index.items if isinstance(index, Seq) else (index,)
            if inner is not None:
                out: list[Extent] = []
                rest = list(inner)
                for p in parts:
                    if p == Const(None):
                        out.append(1)
                    elif p == Slice(None, None, None) and rest:
                        out.append(rest.pop(0))
                    else:
                        return None
                return (*out, *rest)
    return None
