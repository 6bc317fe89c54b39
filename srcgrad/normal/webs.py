"""Webs: bindings of one name that reach a common use share an id, others get ids of their own.

    y = x * x; z = np.sin(y); y = 3.0; return y    ->    y and y·2 are two webs

So a name that the user takes again for something else has one type and one adjoint for each thing it was.
"""

from __future__ import annotations

from srcgrad.function import VALUE, Function, is_ours
from srcgrad.ir import (
    Assign,
    Block,
    Break,
    Expr,
    For,
    If,
    Name,
    Raise,
    Seq,
    Star,
    While,
    binds,
    map_exprs,
    statements,
    stmt_reads,
    substitute,
)

_UNBOUND = -1
State = dict[str, frozenset[int]]


def webs(function: Function) -> Function:
    """Rename every local to the id of its web."""
    _Webs(function).run()
    return function


class _Webs:
    def __init__(self, function: Function):
        self.function = function
        self.local = {n for s in statements(function.body) for n in binds(s)} | set(function.params)
        self.definitions: dict[tuple[int, str], int] = {}
        self.names: list[str] = []
        self.parent: list[int] = []
        self.uses: dict[tuple[int, str], int] = {}  # (statement, name) -> one definition of the web
        self.unbound: set[int] = set()
        self.breaks: list[list[State]] = []

    # ---------------------------------------------------------------------------------------- definitions
    def define(self, owner: int, name: str) -> int:
        key = (owner, name)
        if key not in self.definitions:
            self.definitions[key] = len(self.parent)
            self.parent.append(len(self.parent))
            self.names.append(name)
        return self.definitions[key]

    def find(self, d: int) -> int:
        while self.parent[d] != d:
            self.parent[d] = self.parent[self.parent[d]]
            d = self.parent[d]
        return d

    def use(self, owner: int, name: str, state: State) -> None:
        reaching = state.get(name, frozenset((_UNBOUND,)))
        real = [d for d in reaching if d != _UNBOUND]
        if not real:
            real = [self.define(0, name)]  # always unbound here: the user's error, when it runs
        first = min(self.find(d) for d in real)
        for d in real:
            self.parent[self.find(d)] = first
            first = self.find(first)
        if _UNBOUND in reaching:
            self.unbound.add(first)
        key = (owner, name)
        if key in self.uses:
            a, b = self.find(self.uses[key]), self.find(first)
            self.parent[max(a, b)] = min(a, b)
        self.uses[key] = first

    # ---------------------------------------------------------------------------------------- data flow
    def run(self) -> None:
        f = self.function
        state: State = {p: frozenset((self.define(1, p),)) for p in f.params}
        end = self.block(f.body, state)
        if end is not None:
            self.use(2, VALUE, end)
        ours: dict[str, int] = {}
        for d, name in enumerate(
            self.names
        ):  # a flag is one thing, also where only the reverse sweep reads it
            if is_ours(name):
                first = self.find(ours.setdefault(name, d))
                self.parent[self.find(d)] = first
        ids: dict[int, str] = {}
        counts: dict[str, int] = {}
        for d in range(len(self.parent)):
            root = self.find(d)
            if root not in ids:
                name = self.names[root]
                counts[name] = counts.get(name, 0) + 1
                ids[root] = name if counts[name] == 1 else f"{name}·{counts[name]}"
                f.names.setdefault(ids[root], f.names.get(name, name))
        self.rename(ids)
        f.maybe_unbound = {ids[self.find(d)] for d in self.unbound}

    def block(self, block: Block, state: State) -> State | None:
        for s in block:
            for name in stmt_reads(s) & self.local if not isinstance(s, While) else ():
                self.use(id(s), name, state)
            match s:
                case If():
                    a = self.block(s.then, dict(state))
                    b = self.block(s.other, dict(state))
                    merged = _merge(a, b)
                    if merged is None:
                        return None
                    state = merged
                case For() | While():
                    after = self.loop(s, state)
                    if after is None:
                        return None
                    state = after
                case Break():
                    self.breaks[-1].append(state)
                    return None
                case Raise():
                    return None
                case _:
                    for name in binds(s):
                        state[name] = frozenset((self.define(id(s), name),))
        return state

    def loop(self, s: For | While, entry: State) -> State | None:
        head: State = dict(entry)
        while True:
            self.breaks.append([])
            state: State | None = dict(head)
            assert state is not None
            if isinstance(s, While):
                state = self.block(s.pre, state)
                assert state is not None
                for name in stmt_reads(s) & self.local:
                    self.use(id(s), name, state)
                exhausted = dict(state)
            else:
                exhausted = dict(state)
                for name in binds(s):
                    state[name] = frozenset((self.define(id(s), name),))
            end = self.block(s.body, state)
            breaks = self.breaks.pop()
            new = _merge(dict(entry), end)
            assert new is not None
            if new == head:
                endless = isinstance(s, While) and _is_true(s)
                after: State | None = None if endless else exhausted
                for b in breaks:
                    after = _merge(after, b)
                return after
            head = new

    # ---------------------------------------------------------------------------------------- renaming
    def rename(self, ids: dict[int, str]) -> None:
        f = self.function
        for s in statements(f.body):
            values: dict[str, Expr] = {}
            for name in stmt_reads(s) & self.local:
                if (id(s), name) in self.uses:  # else: in code that is never reached
                    values[name] = Name(ids[self.find(self.uses[id(s), name])])
            changed = {k: v for k, v in values.items() if v.id != k}  # type: ignore[attr-defined]
            if changed:
                map_exprs(s, lambda e, c=changed: substitute(e, c))  # type: ignore[misc]
            if isinstance(s, Assign | For):
                own = id(s)

                def renamed(t: Expr, own: int = own) -> Expr:
                    match t:
                        case Name() if (own, t.id) in self.definitions:
                            return Name(ids[self.find(self.definitions[own, t.id])], loc=t.loc)
                        case Seq(kind, items):
                            return Seq(kind, tuple(renamed(i) for i in items), loc=t.loc)
                        case Star(value):
                            return Star(renamed(value), loc=t.loc)
                    return t

                s.target = renamed(s.target)
        f.params = [ids[self.find(self.definitions[1, p])] for p in f.params]


def _is_true(s: While) -> bool:
    return bool(getattr(s.cond, "value", False) is True or getattr(s.cond, "value", False) == 1) and not s.pre


def _merge(a: State | None, b: State | None) -> State | None:
    if a is None or b is None:
        return b if a is None else a
    out = dict(a)
    for name in a.keys() | b.keys():
        x, y = a.get(name, frozenset((_UNBOUND,))), b.get(name, frozenset((_UNBOUND,)))
        out[name] = x if x == y else x | y
    return out
