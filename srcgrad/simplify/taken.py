"""Taken: what a store's adjoint is taken out for is computed where it is taken out.

new_bar = u_bar[1:].copy(); u_bar[1:] = 0; y_bar = new_bar / 3    ->    y_bar = u_bar[1:] / 3; u_bar[1:] = 0
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from srcgrad.analysis.liveness import changes
from srcgrad.ir import (
    Add,
    AddAt,
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
    Stmt,
    Unary,
    binds,
    blocks,
    map_exprs,
    own_exprs,
    reads,
    statements,
    substitute,
    transform,
    walk,
)


def taken(block: Block, shared: dict[str, frozenset[str]]) -> Block:
    """Compute from the place itself; and copy nothing that is only read."""
    uses: Counter[str] = Counter()
    for s in statements(block):
        for e in own_exprs(s):
            uses.update(n.id for n in walk(e) if isinstance(n, Name))
    _hoist(block, uses, shared)
    for s in statements(block):
        map_exprs(s, lambda e: transform(e, _uncopied))
        if isinstance(s, Add) or (isinstance(s, AddAt) and not s.repeats):
            s.value = _plain(s.value)
    return block


def _hoist(block: Block, uses: Counter[str], shared: dict[str, frozenset[str]]) -> None:
    k = 0
    while k + 1 < len(block):
        s, zero = block[k], block[k + 1]
        for inner in blocks(s):
            _hoist(inner, uses, shared)
        match s, zero:
            case Assign(Name(t), Call(Attr(Item() as place, "copy"), ())), Assign(target, Const(0)) if (
                place == target and uses[t] == 1
            ):
                j = _user(block, k + 2, t, place, shared)
                if j is not None:
                    u = block[j]
                    assert isinstance(u, Assign)
                    block[k] = Assign(u.target, substitute(u.value, {t: place}), loc=s.loc, comment=s.comment)
                    block[k].origin = getattr(u, "origin", None)  # type: ignore[attr-defined]
                    del block[j]
        k += 1
    if block:
        for inner in blocks(block[-1]):
            _hoist(inner, uses, shared)


def _user(block: Block, start: int, t: str, place: Item, shared: dict[str, frozenset[str]]) -> int | None:
    """The statement that computes a new array of `t`, if it may as well stand where `t` is taken out."""
    root: Expr = place
    while isinstance(root, Item):
        root = root.value
    memory = {root.id, *shared.get(root.id, ())} if isinstance(root, Name) else set()
    touched: set[str] = set(memory)
    mentioned: set[str] = set()
    for j in range(start, len(block)):
        u = block[j]
        if blocks(u):
            return None
        if t in {n for e in own_exprs(u) for n in reads(e)}:
            if not (isinstance(u, Assign) and isinstance(u.target, Name) and _is_fresh(u.value)):
                return None
            y = u.target.id
            operands = reads(u.value) - {t}
            if operands & touched or y in touched | mentioned | operands or place.index is None:
                return None
            return j
        bound = set(binds(u)) | changes(u)
        touched |= bound | {m for n in bound for m in shared.get(n, ())}
        mentioned |= {n for e in own_exprs(u) for n in reads(e)}
        if _is_unknown(u):
            return None
    return None


def _is_unknown(u: Stmt) -> bool:
    return any(isinstance(x, Call) and isinstance(x.fn, Object) for e in own_exprs(u) for x in walk(e))


def _is_fresh(e: Expr) -> bool:
    match e:
        case Binary() | Unary("-"):
            return True
        case Call(Attr(Object(value), name), _, _):
            return value is np and isinstance(getattr(np, name, None), np.ufunc)
    return False


def _plain(e: Expr) -> Expr:
    match e:
        case Call(Attr(x, "copy"), (), ()):
            return x
    return e


def _uncopied(e: Expr) -> Expr | None:
    """Operands of an operation that makes a new array are not copied first."""
    match e:
        case Binary(op, left, right) if _plain(left) is not left or _plain(right) is not right:
            return transform(Binary(op, _plain(left), _plain(right), loc=e.loc), _uncopied)
        case Unary(op, x) if _plain(x) is not x:
            return transform(Unary(op, _plain(x), loc=e.loc), _uncopied)
        case Call(Attr(Object(value), name) as fn, args, keywords) if value is np and any(
            _plain(a) is not a for a in args
        ):
            if isinstance(getattr(np, name, None), np.ufunc) or name in ("sum", "dot", "where", "outer"):
                return transform(Call(fn, tuple(map(_plain, args)), keywords, loc=e.loc), _uncopied)
    return None
