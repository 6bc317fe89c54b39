"""Calls of the user's functions: the forward half where the call stands, the reverse half where it is reversed.

    y = g(x)       ->    y, g_kept = g_forward(x)          and    x_bar += g_reverse(g_kept, y_bar)
    relax(u, k)    ->    relax_kept = relax_forward(u, k)  and    k_bar += relax_reverse(relax_kept, u, u_bar)

Memory goes in again as it was, with its shadow, which the reverse half works on; what the callee has written is put
back by its reverse half where the caller needs it.
"""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.memory import Memory, Plan
from srcgrad.analysis.objects import leaves
from srcgrad.analysis.uses import Use
from srcgrad.derive.memory import MemoryPart, contents_name
from srcgrad.derive.names import paths
from srcgrad.errors import refuse
from srcgrad.ir import (
    Assign,
    Attr,
    Block,
    Call,
    Effect,
    Expr,
    Name,
    Object,
    Restore,
    Seq,
    Stmt,
    reads,
)
from srcgrad.types import NONE, Data, Type


class CallPart(MemoryPart):
    """What the sweeps do about calls; a part of `_Adjoint`."""

    kept: dict[int, str]

    def active_params(self, use: Use) -> tuple[str, ...]:
        return tuple(p for p, e in use.bound.items() if any(n in self.active for n in reads(e)))

    def handed(self, use: Use) -> tuple[str, ...]:
        return handed(self.plan, self.types, use)

    def version(self, use: Use, quiet: bool = False, mode: str = "split") -> Any:
        return version(self.f, use, self.active_params(use), self.handed(use), quiet, mode)

    def is_split(self, s: Stmt) -> bool:
        use = self.f.uses.get(id(s))
        if use is None or use.kind != "user" or not isinstance(s, Assign) or not isinstance(s.target, Name):
            return False
        written = any(m.active for m in self.plan.written(s))
        return (s.target.id in self.active or written) and bool(self.active_params(use))

    def is_quiet(self, s: Assign) -> bool:
        """Whether nobody uses the result of a call."""
        return s.via is not None and s.via[0] == "effect"

    def split(self, s: Assign) -> None:
        """Call the forward half."""
        target, value = s.target, s.value
        use = self.f.uses[id(s)]
        version = self.version(use, self.is_quiet(s))
        assert isinstance(value, Call) and isinstance(target, Name)
        if use.callee.source.bound is not None:
            refuse(
                "captured",
                f"{use.callee.name} is a method that is bound elsewhere",
                value.loc or s.loc,
                hint="call it through its object: obj.method(...)",
            )
        self.calls[id(s)] = version
        self.result_of[id(s)] = target.id
        if not version.keeps and not self.is_step(s):  # type: ignore[attr-defined]
            return
        kept = self.f.temp(f"{use.callee.name}_kept")
        self.types[kept] = Data(tuple)
        self.kept[id(s)] = kept
        s.target = Name(kept) if version.quiet else Seq("tuple", (target, Name(kept)))
        args = value.args
        if isinstance(value.fn, Attr) and next(iter(use.bound.values()), None) == value.fn.value:
            args = (value.fn.value, *args)
        s.value = Call(Object(version.forward, version.forward_name), args, value.keywords, loc=value.loc)
        s.via = None

    calls: dict[int, Any]
    result_of: dict[int, str]

    def user(self, s: Assign, out: Block) -> None:
        """The reverse half, and what it adds to the adjoints of the arguments."""
        use, version = self.f.uses[id(s)], self.calls[id(s)]
        y = self.result_of[id(s)]
        args: list[Expr] = []
        if id(s) in self.kept:
            args.append(Name(self.kept[id(s)]))
        if version.seeded:
            args.append(self.bars.structure(y))
        given: set[str] = set()
        for p in version.handed:
            e = use.bound[p]
            assert isinstance(e, Name)
            if version.needed(p):
                args.append(e)
            if p in version.active:
                args.append(self.bars.name(e.id))
                self.guards[self.bars.name(e.id).id] = None
            given.add(p)
        reverse = Call(Object(version.reverse, version.reverse_name), tuple(args))
        slots: list[tuple[Name, tuple[int, ...]]] = []
        for p in version.active:
            if p not in given:
                e = use.bound[p]
                assert isinstance(e, Name), f"{e!r}"
                slots += [(e, path) for path in paths(self.types[e.id])]
        if not slots:
            out.append(Effect(reverse))
        elif len(slots) == 1:
            e, path = slots[0]
            self.add(e, reverse, out, None, path)  # type: ignore[attr-defined]
        else:
            parts = []
            for e, path in slots:
                part = Name(self.f.temp(f"{self.f.spelled(e.id)}_part"))
                self.types[part.id] = self.types[self.bars.name(e.id, path).id]
                parts.append(part)
            out.append(Assign(Seq("tuple", tuple(parts)), reverse))
            for part, (e, path) in zip(parts, slots, strict=True):
                self.add(e, part, out, None, path)  # type: ignore[attr-defined]
        self.written_by_call(s, out)

    def written_by_call(self, s: Stmt, out: Block) -> None:
        """What a call has written is put back behind its reverse half."""
        for m in self.plan.written(s):
            if m.restore:
                out.append(Restore(contents_name(m), s, loc=s.loc))


def plain_step(f: Any, s: Assign) -> None:
    """A step of a checkpointed loop that is not differentiated is the function that its body was made."""
    use = f.uses.get(id(s))
    if use is not None and use.kind == "user" and type(use.function).__name__ == "Outlined":
        assert isinstance(s.value, Call)
        half = f.context.plain(use.function)
        s.value = Call(Object(half, half.name), s.value.args, s.value.keywords, loc=s.value.loc)


def handed(plan: Plan, types: dict[str, Type], use: Use) -> tuple[str, ...]:
    """The parameters of a callee that are bound to memory."""
    out = []
    for p, e in use.bound.items():
        if isinstance(e, Name) and e.id in types:
            if plan.of(e.id) is not None:
                out.append(p)
            elif any(plan.of(e.id, q) is not None for q in leaves(types[e.id])):
                refuse(
                    "unknown-type",
                    f"{use.what} is handed a container with arrays in it that are written",
                    e.loc,
                    hint="hand the arrays over one by one",
                )
    return tuple(out)


def version(
    f: Any, use: Use, active: tuple[str, ...], handed: tuple[str, ...], quiet: bool, mode: str
) -> Any:
    """The version of a callee for one call: for what is active, memory, and one object with another there."""
    groups: dict[Any, set[Any]] = {}
    copying: set[str] = set()
    restore: set[str] = set()
    for p in handed:
        e = use.bound[p]
        assert isinstance(e, Name)
        m: Memory = f.plan.of(e.id)
        groups.setdefault(m.root, set()).add((p, ()))
        if not m.restore:
            copying.add(p)
        elif m.contents:
            restore.add(p)
    return f.context.version(
        use.callee,
        active,
        mode,
        handed,
        tuple(frozenset(g) for g in groups.values() if len(g) > 1),
        frozenset(copying),
        frozenset(restore),
        quiet or use.callee.result == NONE,
    )
