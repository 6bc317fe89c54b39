"""Accumulate: the first contribution to an adjoint assigns, later ones add.

    Zero x_bar; Add x_bar y_bar * c; Add x_bar z_bar    ->    x_bar = y_bar * c; x_bar += z_bar

Which contribution is the first is a question of flow: one that finds the adjoint zero on every path assigns. Where it
is zero on some paths only, the zero is made on them; where nobody reads it, it is not.
"""

from __future__ import annotations

from srcgrad.analysis.liveness import changes, live_in
from srcgrad.ir import (
    Add,
    Assign,
    AugAssign,
    Block,
    For,
    If,
    Name,
    Stmt,
    Unbind,
    Zero,
    targets,
)

State = dict[
    str, bool
]  # adjoint -> known to be zero; what is not listed is zero (nothing has been added yet)


def accumulate(
    block: Block,
    webs: dict[str, str],
    outputs: set[str],
    given: set[str],
    fixed: frozenset[str] = frozenset(),
    shared: dict[str, frozenset[str]] | None = None,
    forever: frozenset[str] = frozenset(),
) -> Block:
    """Make assignments of first contributions; `webs` gives the web of each adjoint, `given` those that come with values.

    `fixed` are adjoints that other names are views of: they are made once, and added to.
    """
    _walk(block, dict.fromkeys(given | fixed, False), True, fixed)
    needed = live_in(block, frozenset(outputs))
    start: Block = [Zero(Name(bar), webs[bar]) for bar in webs if bar in needed and bar not in given]
    return dead(start + block, outputs, shared, forever)


def _walk(block: Block, state: State, rewrite: bool, fixed: frozenset[str]) -> State:
    for k, s in enumerate(block):
        match s:
            case Zero(target):
                state[target.id] = target.id not in fixed
            case Add(target, value):
                if state.get(target.id, True) and rewrite:
                    block[k] = _like(s, Assign(target, value))
                state[target.id] = False
            case If():
                a = _walk(s.then, dict(state), rewrite, fixed)
                b = _walk(s.other, dict(state), rewrite, fixed)
                state = _join(a, b)
            case For():
                head = dict(state)
                while True:
                    end = _join(dict(state), _walk(s.body, dict(head), False, fixed))
                    if end == head:
                        break
                    head = end
                if rewrite:
                    _walk(s.body, dict(head), True, fixed)
                state = head
            case _:
                for name in changes(s):
                    state[name] = False
                if isinstance(s, Assign | AugAssign):
                    for name in targets(s.target):
                        state[name] = False
    return state


def _like(old: Stmt, new: Stmt) -> Stmt:
    new.loc, new.comment = old.loc, old.comment
    new.origin = getattr(old, "origin", None)  # type: ignore[attr-defined]
    return new


def _join(a: State, b: State) -> State:
    return {n: a.get(n, True) and b.get(n, True) for n in a.keys() | b.keys()}


def dead(
    block: Block,
    outputs: set[str],
    shared: dict[str, frozenset[str]] | None = None,
    forever: frozenset[str] = frozenset(),
) -> Block:
    """Adjoint code without what nobody reads; what is added to `forever` is read by names that are bound elsewhere.

    >>> from srcgrad.ir import Const
    >>> dead([Assign(Name("a"), Const(1)), Assign(Name("b"), Const(2))], {"b"})[0].target
    Name(id='b')
    """
    while True:
        after: dict[int, frozenset[str]] = {}
        live_in(block, frozenset(outputs), after)
        block, removed = _sweep(block, after, shared or {}, forever)
        if not removed:
            return block


def _sweep(
    block: Block,
    after: dict[int, frozenset[str]],
    shared: dict[str, frozenset[str]],
    forever: frozenset[str],
) -> tuple[Block, bool]:
    out: Block = []
    removed = False
    for s in block:
        match s:
            case If():
                s.then[:], a = _sweep(s.then, after, shared, forever)
                s.other[:], b = _sweep(s.other, after, shared, forever)
                removed |= a or b
                if s.then or s.other:
                    out.append(s)
                else:
                    removed = True
            case For():
                s.body[:], a = _sweep(s.body, after, shared, forever)
                removed |= a
                if any(not isinstance(t, Unbind) for t in s.body):
                    out.append(s)
                elif (
                    s.body
                ):  # only places where old values may be put back: that is done for the loop as a whole
                    origin = getattr(s, "origin", None)
                    assert origin is not None
                    webs = dict.fromkeys(t.web for t in s.body)  # type: ignore[attr-defined]
                    out += [Unbind(w, origin, loc=s.loc) for w in webs]
                    removed = True
                else:
                    removed = True
            case Assign() | Add() | Zero() | AugAssign() if _bound(s):
                if _bound(s, shared) & after[id(s)] or changes(s) & forever:
                    out.append(s)
                else:
                    removed = True
            case _:
                touched = frozenset(n for w in changes(s) for n in (w, *shared.get(w, ())))
                if touched and not touched & after[id(s)] and not touched & forever:
                    removed = True
                else:
                    out.append(s)
    return out, removed


def _bound(s: Stmt, shared: dict[str, frozenset[str]] | None = None) -> frozenset[str]:
    """What a statement binds or changes; what it changes is seen by every name of the same memory."""
    names = set(changes(s))
    for n in list(names):
        names |= (shared or {}).get(n, frozenset())
    if isinstance(s, Zero):
        return frozenset((s.target.id,))
    if isinstance(s, Assign | AugAssign):
        names |= set(targets(s.target))
    return frozenset(names)
