"""Meaning: the half of normal form that needs types.

Branches that types decide are cut; `and`, `or` and the ternary become `if` where they are active; loops over active
things, `enumerate`, `zip` and `reversed` run over a range; a display given to a function of arrays is made an array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.analysis.activity import varied
from srcgrad.analysis.objects import objects
from srcgrad.analysis.types import atom_types, types
from srcgrad.checkpoints import checkpointed
from srcgrad.errors import refuse
from srcgrad.function import Function, is_ours
from srcgrad.ir import (
    Assign,
    Attr,
    Binary,
    Block,
    Call,
    Const,
    Effect,
    Expr,
    For,
    If,
    Item,
    Name,
    Object,
    Seq,
    Stmt,
    While,
    all_binds,
    own_exprs,
    reads,
    statements,
    targets,
    walk,
)
from srcgrad.normal.stores import webs_again
from srcgrad.normal.unnest import Unnest
from srcgrad.types import Array, Data, ListOf, Number, Struct, Sym, Type, Unknown, is_numeric


def meaning(function: Function) -> Function:
    """Give each operation its meaning in normal form."""
    for _ in range(4):
        work = _Meaning(function)
        function.body = work.block(function.body)
        if not work.edited:
            break
        if work.cut:
            webs_again(function)
        types(function)
    return function


def builtin(value: Any) -> Object:
    return Object(value, value.__name__)


class _Meaning:
    def __init__(self, function: Function):
        self.f = function
        objects(function)
        self.varied = varied(function)
        self.edited = self.cut = False
        local = {n for n in function.names}
        self.unnest = Unnest(function, local)
        self.atom = atom_types(function)
        self.definitions: dict[str, list[Stmt]] = {}
        for s in statements(function.body):
            if isinstance(s, Assign):
                for n in targets(s.target):
                    self.definitions.setdefault(n, []).append(s)

    def type_of(self, e: Expr) -> Type | None:
        if isinstance(e, Name | Attr):
            return self.f.types.get(e.id) if isinstance(e, Name) and e.id in self.f.types else self.atom(e)
        return None

    def block(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            if isinstance(s, If):
                decided = self.decided(s.cond)
                if decided is not None:
                    self.edited = self.cut = True
                    out += self.block(s.then if decided else s.other)
                    continue
                s.then, s.other = self.block(s.then), self.block(s.other)
                out.append(s)
            elif isinstance(s, While):
                if self.decided(s.cond) is False and not s.pre:
                    self.edited = self.cut = True
                    continue
                s.pre, s.body = self.block(s.pre), self.block(s.body)
                out.append(s)
            elif isinstance(s, For):
                self.loop(s, out)
            elif isinstance(s, Assign):
                self.assign(s, out)
            else:
                out.append(s)
        return out

    def decided(self, cond: Expr) -> bool | None:
        if isinstance(cond, Const):
            return bool(cond.value) if isinstance(cond.value, bool) else None
        t = self.type_of(cond)
        if isinstance(t, Number) and t.value is not None and not isinstance(t.value, Sym):
            return bool(t.value)
        if isinstance(t, Data) and t.known and (t.value is None or isinstance(t.value, str)):
            return bool(t.value)
        return None

    # ---------------------------------------------------------------------------------------- operations
    def assign(self, s: Assign, out: Block) -> None:
        use = self.f.uses.get(id(s))
        if id(s) not in self.f.reached:
            self.edited = self.cut = True  # the types cut what leads here
            return
        if use is None:
            refuse(
                "undefined-path",
                f"{self.f.spelled(min(reads(s.value), default='?'))} is not bound on any path that comes here",
                s.loc,
                hint="bind it before it is used",
            )
        active = any(n in self.varied for n in reads(s.value)) and _carries(use.result)
        if use.kind == "lazy" and (active or any(isinstance(e, Call) for e in walk(s.value))):
            self.edited = True
            self.unnest.stmt = s
            value = self.unnest.expand(s.value, out)
            out.append(Assign(s.target, value, loc=s.loc))
            return
        if use.kind == "unknown" and isinstance(s.value, Call):
            self.as_arrays(s, out)
        out.append(s)

    def as_arrays(self, s: Assign, out: Block) -> None:
        """`np.sum([a, b])`: what NumPy does first, said."""
        use = self.f.uses[id(s)]
        call = s.value
        assert isinstance(call, Call)
        if use.call is None or not use.call[0] or use.function is None:
            return
        args: list[Expr] = list(call.args)
        for k, a in enumerate(args):
            t = self.type_of(a)
            numeric = (isinstance(t, ListOf) and is_numeric(t.item)) or (
                isinstance(t, Struct)
                and t.keys is None
                and t.items
                and all(_nested_numbers(i) for i in t.items)
            )
            if numeric and isinstance(a, Name) and a.id in self.varied:
                self.unnest.stmt = s
                args[k] = self.unnest.emit(Call(Object(np.array, "np.array"), (a,), loc=a.loc), out, "items")
                self.edited = True
        s.value = Call(call.fn, tuple(args), call.keywords, loc=call.loc)

    # ---------------------------------------------------------------------------------------- loops
    def loop(self, s: For, out: Block) -> None:
        self.single_use(s, out)
        for leaf in self.leaves(s.iterable):
            self.unchanged(s, leaf)
        self.snapshot(s, out)
        plan = self.plan(s.iterable)
        made: Block = []
        t = self.type_of(s.iterable)
        native = isinstance(t, ListOf | Array | Struct) or (
            isinstance(t, Data) and t.cls in (range, checkpointed)
        )
        active = isinstance(s.iterable, Name) and s.iterable.id in self.varied
        iterator = isinstance(t, Data) and t.cls in (enumerate, zip, reversed)
        if isinstance(t, Struct) and t.keys is not None:
            native = False
        if plan is not None and (iterator or (active and not (isinstance(t, Data) and t.cls is range))):
            self.edited = True
            self.unnest.stmt = s
            length, element = plan
            n = self.unnest.atom(length, out)
            r = self.unnest.emit(Call(builtin(range), (n,)), out, "trips")
            k = Name(self.f.temp(_counter(self.f)))
            body: Block = []
            inner = Unnest(self.f, self.unnest.local)
            inner.stmt = s
            inner.bind(s.target, inner.operation(element(k), body, "item"), body)  # type: ignore[arg-type]
            s.target, s.iterable = k, r
            made = body
        elif not native and not self.is_reversed(s):
            pass  # a loop of data: it runs as it is
        elif not native and not again(t):
            self.refuse_once(s)
        elif not native:
            self.edited = True
            self.unnest.stmt = s
            s.iterable = self.unnest.emit(
                Call(builtin(list), (s.iterable,), loc=s.iterable.loc), out, "items"
            )
        if isinstance(s.iterable, Name):
            self.unchanged(s, s.iterable.id)
        s.body = made + self.block(s.body)
        out.append(s)

    def refuse_once(self, s: For) -> None:
        """The refusal of a loop over what may be used up by it, by what that is."""
        from srcgrad.analysis.activity import METHODS

        made = self.definitions.get(s.iterable.id, []) if isinstance(s.iterable, Name) else []
        use = self.f.uses.get(id(made[0])) if len(made) == 1 else None
        hint = "if it is only data, make a list of it outside the function, and pass the list"
        what, loc = "what the loop runs over may be", s.iterable.loc or s.loc  # type: ignore[attr-defined]
        if use is not None and use.error is not None and use.error.filename is not None:
            raise use.error
        if use is not None and use.why == "method":
            hint = METHODS.get(use.what.rpartition(".")[2], hint)
            refuse("method", f"{use.what} is not covered as what a loop runs over", loc, hint=hint)
        elif use is not None and use.function in (map, filter):
            what = f"what {use.what} gives is"
            hint = "loop over the items themselves, and call the function in the loop"
        refuse(
            "unknown-type",
            f"{what} used up by one loop, and the derivative has to run over it again",
            loc,
            hint=hint,
        )

    def is_reversed(self, s: For) -> bool:
        """Whether the body binds anything that varies."""
        return bool((all_binds(s.body) | set(targets(s.target))) & self.varied)

    def leaves(self, e: Expr, depth: int = 0) -> list[str]:
        """The names that a loop runs over, through enumerate, zip and reversed."""
        if not isinstance(e, Name) or depth > 4:
            return []
        made = self.definitions.get(e.id, [])
        t = self.type_of(e)
        call = made[0].value if len(made) == 1 and isinstance(made[0], Assign) else None
        if isinstance(t, Data) and t.cls in (enumerate, zip, reversed) and isinstance(call, Call):
            return [n for a in call.args for n in self.leaves(a, depth + 1)]
        return [e.id]

    def single_use(self, s: For, out: Block) -> None:
        """An iterator is used up: it is run over once, right behind where it is made."""
        if not isinstance(s.iterable, Name):
            return
        t = self.type_of(s.iterable)
        if not (isinstance(t, Data) and t.cls in (enumerate, zip, reversed)):
            return
        name = s.iterable.id
        made = self.definitions.get(name, [])
        uses = sum(name in reads(e) for u in statements(self.f.body) for e in own_exprs(u))
        if len(made) != 1 or uses != 1 or not any(made[0] is u for u in out):
            refuse(
                "active-call",
                f"the iterator {self.f.spelled(name)} is kept, and is used up by the first loop over it",
                s.iterable.loc or s.loc,
                hint="write it in the head of the for loop",
            )

    def snapshot(self, s: For, out: Block) -> None:
        """What the loop runs over has a name that its body does not bind."""
        bound = all_binds(s.body) | set(targets(s.target))
        # another web of the same name is printed alike
        spelled = {self.f.spelled(n) for n in bound if not is_ours(n)}
        bound |= {n for n in self.f.names if not is_ours(n) and self.f.spelled(n) in spelled}

        def settled(e: Expr, depth: int) -> Expr:
            if not isinstance(e, Name) or depth > 4:
                return e
            if e.id in bound:
                self.unnest.stmt = s
                self.edited = True
                t = self.unnest.emit(e, out, "items")
                self.f.types[t.id] = self.f.types.get(e.id, Unknown())
                return t
            made = self.definitions.get(e.id, [])
            t = self.type_of(e)
            if isinstance(t, Data) and t.cls in (enumerate, zip, reversed) and len(made) == 1:
                call = made[0].value  # type: ignore[attr-defined]
                if isinstance(call, Call):
                    made[0].value = Call(  # type: ignore[attr-defined]
                        call.fn, tuple(settled(a, depth + 1) for a in call.args), call.keywords, loc=call.loc
                    )
                    # the copy stands before the loop, the iterator before the copy: make it again behind
                    if made[0].value.args != call.args and made[0] in out:  # type: ignore[attr-defined]
                        out.remove(made[0])
                        out.append(made[0])
            return e

        s.iterable = settled(s.iterable, 0)

    def unchanged(self, s: For, iterable: str) -> None:
        for inner in statements(s.body):
            if (
                isinstance(inner, Effect)
                and isinstance(inner.value, Call)
                and iterable in reads(inner.value.fn)
            ):
                refuse(
                    "write",
                    f"{self.f.spelled(iterable)} grows while the loop runs over it, which is not covered",
                    inner.loc,
                    hint="loop over a copy, or append to another list",
                )

    def plan(self, e: Expr, depth: int = 0) -> tuple[Expr, Any] | None:
        """How to run over `e` by a counter: its length, and the item at the counter. None: it cannot be indexed."""
        if depth > 4 or not isinstance(e, Name):
            return None
        t = self.type_of(e)
        if isinstance(t, Data) and t.cls in (enumerate, zip, reversed):
            made = self.definitions.get(e.id, [])
            if len(made) != 1 or not isinstance(made[0], Assign) or not isinstance(made[0].value, Call):
                return None
            call = made[0].value
            parts = [self.plan(a, depth + 1) for a in call.args[: None if t.cls is zip else 1]]
            if any(p is None for p in parts):
                return None
            plans: list[Any] = parts
            if t.cls is enumerate:
                start = call.args[1] if len(call.args) > 1 else dict(call.keywords).get("start", Const(0))
                length, element = plans[0]

                def numbered(k: Expr) -> Expr:
                    count = k if start == Const(0) else Binary("+", k, start)
                    return Seq("tuple", (count, element(k)))

                return length, numbered
            if t.cls is zip:
                if call.keywords or not plans:
                    return None
                lengths = tuple(p[0] for p in plans)
                shortest = lengths[0] if len(lengths) == 1 else Call(builtin(min), lengths)
                return shortest, lambda k: Seq("tuple", tuple(p[1](k) for p in plans))
            length, element = plans[0]
            return length, lambda k: element(Binary("-", Binary("-", length, Const(1)), k))
        if (
            isinstance(t, Array)
            and t.rank
            or isinstance(t, ListOf)
            or (isinstance(t, Data) and t.cls is range)
        ):
            return Call(builtin(len), (e,)), lambda k: Item(e, k)
        if isinstance(t, Struct) and t.keys is None and t.kind != "set":
            return Const(len(t.items)), lambda k: Item(e, k)
        return None


def again(t: Type | None) -> bool:
    """Whether something can be run over again: not an iterator."""
    return (
        isinstance(t, Data)
        and t.cls in (dict, set, frozenset, str, bytes, range, list, tuple)
        or isinstance(t, Struct)
    )


def _counter(f: Function) -> str:
    taken = set(f.names.values())
    return next((c for c in ("k", "j", "i", "trip") if c not in taken), "trip")


def _carries(t: Type | None) -> bool:
    return t is not None and not (isinstance(t, Number) and t.kind == "b") and not (isinstance(t, Data))


def _nested_numbers(t: Type) -> bool:
    if isinstance(t, Struct):
        return t.keys is None and all(_nested_numbers(i) for i in t.items)
    return is_numeric(t)
