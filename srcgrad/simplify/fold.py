"""Fold: temporaries used once go back into the expression that uses them; copies of names are read through.

    t = y_bar * x; y_bar = t * np.cos(y)    ->    y_bar = y_bar * x * np.cos(y)

An expression moves down to its use past statements that do not change what it reads; what has effects does not move
past anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from srcgrad.analysis.liveness import changes, live_in
from srcgrad.function import Function, is_ours
from srcgrad.ir import (
    Add,
    AddAt,
    Assign,
    Attr,
    AugAssign,
    Block,
    Call,
    Const,
    Expr,
    For,
    If,
    Item,
    Name,
    Object,
    Restore,
    Seq,
    Stmt,
    Unbind,
    While,
    Zero,
    binds,
    blocks,
    children,
    map_exprs,
    own_exprs,
    reads,
    statements,
    substitute,
    walk,
)

LIMIT = 24  # operations and names that one line may hold


def fold(
    block: Block,
    function: Function,
    may: Callable[[str], bool],
    pure: Callable[[Stmt], bool],
    simplify: Callable[[Expr], Expr] | None = None,
    limit: int = LIMIT,
) -> Block:
    """Fold what `may` be folded, everywhere in the block; `pure` tells which definitions have no effects."""
    work = _Fold(function, may, pure, simplify, limit)
    while work.once(block):
        pass
    return block


class _Fold:
    def __init__(
        self, function: Function, may: Callable, pure: Callable, simplify: Callable | None, limit: int
    ):
        self.f, self.may, self.pure, self.simplify, self.limit = function, may, pure, simplify, limit

    def once(self, block: Block) -> bool:
        self.uses: Counter[str] = Counter()
        self.definitions: Counter[str] = Counter()
        for s in statements(block):
            for e in own_exprs(s):
                self.uses.update(n.id for n in walk(e) if isinstance(n, Name))
            self.definitions.update(n for n in binds(s) if not isinstance(s, Add | AddAt))
        self.done = False
        self.block(block)
        return self.done

    def block(self, block: Block) -> None:
        k = 0
        while k < len(block):
            s = block[k]
            for inner in blocks(s):
                self.block(inner)
            if isinstance(s, Assign) and isinstance(s.target, Name) and self.candidate(s):
                if self.into(block, k, s):
                    del block[k]
                    self.done = True
                    continue
            k += 1

    def candidate(self, s: Assign) -> bool:
        name = s.target.id  # type: ignore[attr-defined]
        return self.may(name) and self.uses[name] == 1 and self.definitions[name] == 1

    def into(self, block: Block, k: int, s: Assign) -> bool:
        name = s.target.id  # type: ignore[attr-defined]
        operands = self.spelled(reads(s.value))
        pure = self.pure(s)
        for j in range(k + 1, len(block)):
            u = block[j]
            here = any(name in reads(e) for e in own_exprs(u))
            if here:
                if isinstance(u, While):
                    return False
                if not pure and not _first_effect(u, name):
                    return False
                altered = self.spelled(set(changes(s)))
                if altered & {n for e in own_exprs(u) for n in reads(e)}:
                    return False
                if isinstance(u, Add | AddAt) and u.target.id == name:
                    return False
                if isinstance(u, Assign | AugAssign) and isinstance(u.target, Item | Attr):
                    if name in reads(u.target) and (not pure or not self.in_target(u.target, name, s.value)):
                        return False
                if weight(u) + weight_of(s.value) > self.limit and not isinstance(s.value, Name | Const):
                    return False
                if self.in_opaque(u, name):
                    return False

                ours = id(u) not in self.f.uses  # the user's own operations stay as they are

                def change(e: Expr, ours: bool = ours) -> Expr:
                    e = substitute(e, {name: s.value})
                    return self.simplify(e) if self.simplify is not None and ours else e

                map_exprs(u, change)
                return True
            if any(name in reads(e) for t in statements([u]) for e in own_exprs(t)):
                return False  # deeper inside: it would be evaluated elsewhere
            if not pure:
                return False
            touched = self.spelled(touched_by(u))
            if touched & operands:
                return False
        return False

    def in_target(self, target: Expr, name: str, value: Expr) -> bool:
        """Whether an expression may stand in the place that is written: in its index, or a place of a place."""
        while isinstance(target, Item):
            if name in reads(target.index):
                return True
            target = target.value
        return target == Name(name) and isinstance(value, Item)

    def spelled(self, names: set[str]) -> set[str]:
        """Webs of one user's name are printed alike: binding one hides the others; memory is seen by several names."""
        names = names | {m for n in names for m in self.f.shared.get(n, ())}
        return names | {self.f.names[n] for n in names if n in self.f.names and not is_ours(n)}

    def in_opaque(self, u: Stmt, name: str) -> bool:
        from srcgrad.ir import Bool, Compare, IfExp, Opaque

        for e in own_exprs(u):
            for x in walk(e):
                lazy = isinstance(x, Opaque | Bool | IfExp) or (isinstance(x, Compare) and len(x.ops) > 1)
                if lazy and name in reads(x):
                    return True
        return False


def touched_by(u: Stmt) -> set[str]:
    """Names that a statement, or one inside it, binds or changes."""
    out: set[str] = set()
    for t in statements([u]):
        out |= set(binds(t)) | changes(t)
        if isinstance(t, Unbind):
            out.add(t.web)
        if isinstance(t, Zero):
            out.add(t.target.id)
        if isinstance(t, Restore):
            out.add(t.web)
    return out


def _first_effect(u: Stmt, name: str) -> bool:
    """Whether `name` is read before anything in the statement that may have effects or fail on its own."""
    for e in own_exprs(u):
        for x in _in_order(e):
            if isinstance(x, Name) and x.id == name:
                return True
            if isinstance(x, Call):
                return False
    return False


def _in_order(e: Expr) -> list[Expr]:
    """Sub-expressions in the order in which they are evaluated (operands before operations)."""
    out: list[Expr] = []
    for c in children(e):
        out += _in_order(c)
    out.append(e)
    return out


def weight_of(e: Expr) -> int:
    return sum(1 for x in walk(e) if not isinstance(x, Object | Seq))


def weight(u: Stmt) -> int:
    return sum(weight_of(e) for e in own_exprs(u))


# ------------------------------------------------------------------------------------------------ copies


def copies(
    block: Block,
    outputs: set[str],
    may: Callable[[str], bool],
    shared: dict[str, frozenset[str]] | None = None,
) -> Block:
    """Read copies of names through: `a = b; ... a ...` becomes `... b ...` while neither is bound again."""
    while True:
        after: dict[int, frozenset[str]] = {}
        live_in(block, frozenset(outputs), after)
        touched: set[str] = set()
        _copies(block, after, may, touched, shared or {})
        if not touched:
            return block


def _copies(
    block: Block,
    after: dict[int, frozenset[str]],
    may: Callable[[str], bool],
    touched: set[str],
    shared: dict[str, frozenset[str]],
) -> None:
    """One round; a name that it has changed waits for the next, when liveness is known again."""
    k = 0
    while k < len(block):
        s = block[k]
        for inner in blocks(s):
            _copies(inner, after, may, touched, shared)
        if (
            isinstance(s, Assign)
            and isinstance(s.target, Name)
            and isinstance(s.value, Name)
            and may(s.target.id)
        ):
            pair = {s.target.id, s.value.id}
            if not pair & touched and _through(block, k, s.target.id, s.value.id, after, shared):
                del block[k]
                touched |= pair
                continue
        k += 1


def _through(
    block: Block,
    k: int,
    a: str,
    b: str,
    after: dict[int, frozenset[str]],
    shared: dict[str, frozenset[str]],
) -> bool:
    if a == b:
        return True
    span: list[Stmt] = []
    back: list[Stmt] = []  # `b = a`, which changes nothing while both hold the same
    for j in range(k + 1, len(block)):
        u = block[j]
        if isinstance(u, Assign) and u.target == Name(b) and u.value == Name(a):
            back.append(u)
            if a not in after[id(u)]:
                break
            continue
        inside = list(statements([u]))
        bound_inside = {n for t in inside for n in binds(t)} | {
            t.web for t in inside if isinstance(t, Unbind)
        }
        changed = {n for t in inside for n in changes(t)}
        changed |= {m for n in changed for m in shared.get(n, ())}
        if isinstance(u, If | For):
            if {a, b} & (bound_inside | changed):
                if a not in _all_read(u) and a not in after[id(u)] and a not in bound_inside:
                    break
                return False
            span += inside
        else:
            if a in changed or (b in changed and (a in after[id(u)] or a in _all_read(u))):
                return False
            span.append(u)
            if a in bound_inside:
                break
            if b in bound_inside:
                if a in after[id(u)]:
                    return False
                break
        if a not in after[id(u)]:
            break
    else:
        if block and a in after[id(block[-1])]:
            return False
        if not span and not back:
            return False
    for t in span:
        map_exprs(t, lambda e: substitute(e, {a: Name(b)}))
    block[:] = [t for t in block if not any(t is x for x in back)]
    return True


def _all_read(u: Stmt) -> set[str]:
    return {n for t in statements([u]) for e in own_exprs(t) for n in reads(e)}


def sink(block: Block) -> Block:
    """Move `h = h_kept.pop()` down to where h, or its list, is next mentioned: so that what h held can be read before."""
    for s in block:
        for inner in blocks(s):
            sink(inner)
    k = len(block) - 2
    while k >= 0:
        s = block[k]
        match s:
            case Assign(Name(h), Call(Attr(Name(kept), "pop"), ())):
                j = k
                while j + 1 < len(block):
                    u = block[j + 1]
                    mentioned = _all_read(u) | touched_by(u)
                    if {h, kept} & mentioned or isinstance(u, For | While):
                        break
                    if isinstance(u, Assign) and isinstance(u.value, Call) and isinstance(u.value.fn, Attr):
                        if u.value.fn.name == "pop":
                            break
                    j += 1
                if j > k and j + 1 < len(block):
                    block.insert(j, block.pop(k))
        k -= 1
    return block
