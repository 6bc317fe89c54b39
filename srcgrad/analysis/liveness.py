"""Liveness: which names are read later, at every statement of adjoint code.

Adjoint code has no break and no return, so one walk from the end is enough, with a fixed point at loops.
"""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.ir import (
    Add,
    AddAt,
    Assign,
    Attr,
    AugAssign,
    Block,
    Call,
    Effect,
    Expr,
    For,
    If,
    Item,
    Name,
    Object,
    Restore,
    Stmt,
    Unbind,
    While,
    Zero,
    reads,
    stmt_reads,
    targets,
    walk,
)


def changes(s: Stmt) -> frozenset[str]:
    """Names whose object a simple statement changes in place: stores, additions to places, append and pop."""
    match s:
        case Assign(Item() | Attr() as target, value):
            return {_root(target)} | popped(value)
        case Assign(_, value) | Effect(value):
            return popped(value)
        case AddAt(target, _, value) | Add(target, value) | AugAssign(Name() as target, _, value):
            return frozenset((target.id,)) | popped(value)
        case AugAssign(target, _, value):
            return frozenset((_root(target),)) | popped(value)
    return frozenset()


def popped(e: Expr) -> frozenset[str]:
    """Names of lists that an expression takes from or adds to."""
    known: frozenset[str] | None = e.__dict__.get("_popped")
    if known is None:
        found = set()
        for x in walk(e):
            match x:
                case Call(Attr(Name(name), "pop" | "append" | "insert"), _, _):
                    found.add(name)
                case Call(Object(half), args, _) if type(half).__name__ == "Half":
                    # a reverse half works on the memory and the shadows that it is handed
                    for a in args:
                        while isinstance(a, Item | Attr):
                            a = a.value
                        if isinstance(a, Name):
                            found.add(a.id)
        known = e.__dict__["_popped"] = frozenset(found)
    return known


def _root(e: Expr) -> str:
    while isinstance(e, Item | Attr):
        e = e.value
    assert isinstance(e, Name)
    return e.id


def live_in(
    block: Block,
    live: frozenset[str] | set[str],
    after: dict[int, frozenset[str]] | None = None,
    more: Callable[[Stmt], frozenset[str]] | None = None,
) -> set[str]:
    """The names live before a block, given those live behind it; `after` is filled with those behind each statement.

    `more` gives what else a statement reads: the contents of memory.
    """
    now = set(live)
    for s in reversed(block):
        if after is not None:
            after[id(s)] = frozenset(now)
        match s:
            case If():
                now = live_in(s.then, now, after, more) | live_in(s.other, now, after, more) | reads(s.cond)
            case For():
                bound = set(targets(s.target))
                head = set(now)
                while True:
                    inner = live_in(s.body, head, after, more) - bound
                    if inner <= head:
                        break
                    head |= inner
                now = head | reads(s.iterable)
            case While():
                raise AssertionError("no while in adjoint code")
            case Unbind():
                now.discard(s.web)
            case Zero():
                now.discard(s.target.id)
            case Restore():
                if s.whole:
                    now.discard(s.web)
            case _:
                kept = changes(s)
                if isinstance(s, Assign):
                    now -= set(targets(s.target)) - kept
                now |= stmt_reads(s) | kept
        if more is not None:
            now |= more(s)
    return now
