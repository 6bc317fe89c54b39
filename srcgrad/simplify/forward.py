"""The forward sweep as the user wrote it: what normal form took apart is put together again.

Temporaries that the reverse sweep does not read go back into their expressions, in the order of evaluation; flags and
temporaries that nobody reads are dropped.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from srcgrad.function import VALUE, Function, is_ours
from srcgrad.ir import (
    Assign,
    Attr,
    AugAssign,
    Binary,
    Block,
    Call,
    Const,
    Effect,
    Expr,
    Item,
    Name,
    Stmt,
    While,
    all_reads,
    blocks,
    children,
    own_exprs,
    statements,
    walk,
)
from srcgrad.simplify.fold import fold
from srcgrad.types import Array

_PURE = {
    "rule",
    "constant",
    "data",
    "copy",
    "entry",
    "list item",
    "creation",
    "detach",
    "display",
    "slice",
    "relist",
    "repeated",
}


def forward(block: Block, f: Function, needed: set[str]) -> Block:
    """Rebuild the user's expressions; `needed` are the names that are read outside the block."""

    def may(name: str) -> bool:
        return is_ours(name) and "·dot" not in name and name not in needed and name != VALUE

    def pure(s: Stmt) -> bool:
        use = f.uses.get(id(s))
        return use is None or use.kind in _PURE

    _as_written(block, f, needed)
    _unread(block, f, needed, pure)
    fold(block, f, may, pure, None, limit=400)
    for s in list(statements(block)):
        if isinstance(s, While) and s.pre:
            _condition(s, f, may, pure)
    return block


def _as_written(block: Block, f: Function, needed: set[str]) -> None:
    """Writes as the user wrote them, where what normal form put between is not read by anybody else."""
    counts: Counter[str] = Counter()
    for s in statements(block):
        for e in own_exprs(s):
            counts.update(n.id for n in walk(e) if isinstance(n, Name))

    def hidden(value: Expr, made: dict[str, Assign]) -> list[Assign]:
        """The definitions that only lead up to a store."""
        out = []
        if isinstance(value, Name) and value.id in made and counts[value.id] == 1 and value.id not in needed:
            s = made[value.id]
            out.append(s)
            for part in children(s.value):
                out += hidden(part, made)
        return out

    def visit(b: Block) -> None:
        made: dict[str, Assign] = {}
        k = 0
        while k < len(b):
            s = b[k]
            for inner in blocks(s):
                visit(inner)
            if isinstance(s, Assign) and isinstance(s.target, Name) and is_ours(s.target.id):
                made[s.target.id] = s
            if isinstance(s, Assign) and s.via is not None:
                new, gone = _user_form(s, made, counts, needed, hidden)
                if new is not None and s.via[0] == "aug" and _is_disturbed(b, gone, s, f):
                    new = None
                if new is not None:
                    new.loc, new.comment = s.loc, s.comment
                    f.keep_alive.append(s)
                    b[k] = new
                    b[:] = [t for t in b if not any(t is g for g in gone)]
                    k -= sum(1 for g in gone)
            k += 1

    visit(block)


def _is_disturbed(block: Block, gone: list[Assign], s: Stmt, f: Function) -> bool:
    """Whether a number is read from memory that a call writes before it is stored again: `a[0] += g(a)`."""
    if len(gone) < 2 or isinstance(f.types.get(gone[1].target.id), Array):  # type: ignore[attr-defined]
        return False
    by = f.objects.written_by
    inside = False
    for t in block:
        if t is s:
            return False
        if inside and any(by.get(id(u), set()) & by.get(id(s), set()) for u in statements([t])):
            return True
        inside = inside or t is gone[1]
    return False


def _user_form(
    s: Assign, made: dict[str, Assign], counts: Counter[str], needed: set[str], hidden: Any
) -> tuple[Stmt | None, list[Assign]]:
    kind = s.via[0]
    if kind == "effect":
        if isinstance(s.target, Name) and s.target.id not in needed and not counts[s.target.id]:
            return Effect(s.value), []
        return None, []
    if kind == "entry":
        return None, []
    assert isinstance(s.target, Item)
    owner = s.target.value
    if kind == "aug":
        total = hidden(s.value, made)
        if not total or not isinstance(total[0].value, Binary):
            return None, []
        left = total[0].value.left
        if left == owner and s.target.index == Const(Ellipsis):
            return AugAssign(owner, s.via[1], total[0].value.right), total[:1]
        old = made.get(left.id) if isinstance(left, Name) else None
        if old is None or old.value != s.target or counts[left.id] != 1 or left.id in needed:  # type: ignore
            return None, []
        return AugAssign(s.target, s.via[1], total[0].value.right), [total[0], old]
    if kind == "method":
        between = hidden(s.value, made) if s.via[1] != "fill" else []
        if s.via[1] != "fill" and not between:
            return None, []
        return Effect(Call(Attr(owner, s.via[1]), (s.value,) if s.via[1] == "fill" else ())), between
    if kind in ("out", "copyto", "put", "diagonal", "at"):
        parts = _parts(s.via[2], made, counts, needed)
        call = None if parts is None else _called(kind, s.via[1], s, owner, [t.value for t in parts])
        return (None, []) if call is None else (Effect(call), parts or [])
    return None, []


def _called(kind: str, fn: Expr, s: Assign, owner: Expr, parts: list[Expr]) -> Call | None:
    """The call that a store stands for; `parts` are the values of the temporaries between."""
    assert isinstance(s.target, Item)
    if kind == "out" and isinstance(parts[0], Call):
        keywords = (*parts[0].keywords, ("out", owner))
        if len(parts) == 2 and isinstance(parts[1], Call):
            keywords = (*keywords, ("where", parts[1].args[0]))
        return Call(parts[0].fn, parts[0].args, keywords)
    if kind == "copyto" and parts and isinstance(parts[0], Call):
        where, source, _ = parts[0].args
        return Call(fn, (owner, source), (("where", where),))
    if kind == "copyto":
        return Call(fn, (owner, s.value))
    if kind == "put":
        return Call(fn, (owner, s.target.index, s.value))
    if kind == "diagonal":
        return Call(fn, (owner, s.value))
    if kind == "at" and isinstance(parts[0], Call):
        v, index, _ = parts[0].args
        return Call(fn, (owner, index, v))
    return None


def _parts(
    names: tuple[str, ...], made: dict[str, Assign], counts: Counter[str], needed: set[str]
) -> list[Assign] | None:
    """The temporaries of ours that stand for the inside of a call; None where somebody else reads one."""
    out: list[Assign] = []
    for name in names:
        t = made.get(name)
        if t is None or name in needed or counts[name] != 1:
            return None
        out.append(t)
    return out


def _condition(s: While, f: Function, may: object, pure: object) -> None:
    """A while loop's condition as one expression, where it is one."""
    line = [*s.pre, Effect(s.cond)]
    fold(line, f, may, pure, None, limit=400)  # type: ignore[arg-type]
    last = line.pop()
    assert isinstance(last, Effect)
    s.pre, s.cond = line, last.value


def _unread(block: Block, f: Function, needed: set[str], pure: object) -> None:
    while True:
        read = all_reads(block) | needed | {VALUE}
        removed = False

        def sweep(b: Block, read: frozenset[str] = frozenset(read)) -> None:
            nonlocal removed
            for k in range(len(b) - 1, -1, -1):
                s = b[k]
                for inner in blocks(s):
                    sweep(inner)
                if isinstance(s, Assign) and isinstance(s.target, Name) and is_ours(s.target.id):
                    if s.target.id not in read and pure(s):  # type: ignore[operator]
                        del b[k]
                        removed = True

        sweep(block)
        if not removed:
            return
