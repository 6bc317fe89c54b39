"""Checkpointed loops, reversed: states are kept by a plan, and the steps between are run again, recorded one at a time.

for t in steps: u = f_step(t, u)    ->    plan = steps.plan(u)
                                          for t in plan.forward(): ...
and in reverse                            for t in plan.reverse():
                                              if plan.again: u = plan.state(); for t in plan.advance(): ...
"""

from __future__ import annotations

import copy
from typing import Any

from srcgrad.checkpoints import checkpointed
from srcgrad.derive.calls import CallPart
from srcgrad.errors import refuse
from srcgrad.ir import (
    Assign,
    Attr,
    Block,
    Call,
    Const,
    Effect,
    Expr,
    For,
    If,
    Name,
    Restore,
    Seq,
    Stmt,
    Unbind,
    all_binds,
    blocks,
    statements,
)
from srcgrad.types import Data


class CheckpointPart(CallPart):
    """What the sweeps do about checkpointed loops; a part of `_Adjoint`."""

    plans: dict[int, tuple[str, tuple[str, ...]]]
    reverse_of: dict[int, Block]

    def is_checkpointed(self, s: For) -> bool:
        t = self.types.get(s.iterable.id) if isinstance(s.iterable, Name) else None
        return isinstance(t, Data) and t.cls is checkpointed

    def planned(self, s: For, out: Block) -> None:
        """The forward sweep: a plan, which says before which steps the state is kept."""
        call = next((t for t in s.body if isinstance(t, Assign) and self.is_step(t)), None)
        state: list[str] = []
        if call is not None:
            bound = all_binds(s.body)
            written = {m.root for m in self.plan.written(call)}
            for e in self.f.uses[id(call)].bound.values():
                m = self.plan.of(e.id) if isinstance(e, Name) else None
                if m is not None and m.root in written and (m.views or not m.static):
                    refuse(
                        "alias",
                        f"{self.f.spelled(e.id)} is written in a checkpointed loop, and has other names",
                        s.loc,
                        hint="keep one name for an array that is written there",
                    )
                if isinstance(e, Name) and (e.id in bound or (m is not None and m.root in written)):
                    if e != s.target:
                        state.append(e.id)
        if not state:
            out.append(s)
            return
        plan = Name(self.f.temp("plan"))
        self.types[plan.id] = Data(object)
        self.plans[id(s)] = plan.id, tuple(state)
        names = tuple(map(Name, state))
        out.append(Assign(plan, Call(Attr(s.iterable, "plan"), names), loc=s.loc))
        s.iterable = Call(Attr(plan, "forward"))
        s.body.insert(0, self.keep(plan, names))
        out.append(s)

    def is_step(self, s: Assign) -> bool:
        use = self.f.uses.get(id(s))
        return use is not None and use.kind == "user" and type(use.function).__name__ == "Outlined"

    def keep(self, plan: Name, names: tuple[Expr, ...]) -> If:
        return If(Attr(plan, "wanted"), [Effect(Call(Attr(plan, "keep"), names))], [])

    def unplanned(self, s: For, out: Block) -> None:
        """The reverse sweep."""
        name, state = self.plans[id(s)]
        plan, names = Name(name), tuple(map(Name, state))
        recorded = [copy.copy(t) for t in s.body[1:]]
        body = without_records(self.block(s.body))  # type: ignore[attr-defined]
        self.reverse_of[id(s.body)] = body
        target: Expr = names[0] if len(names) == 1 else Seq("tuple", names)
        run = For(s.target, Call(Attr(plan, "advance")), [self.keep(plan, names), *recorded], loc=s.loc)
        again = If(Attr(plan, "again"), [Assign(target, Call(Attr(plan, "state")), loc=s.loc), run], [])
        # in a loop, what the forward sweep recorded last is of the last run
        afresh = (Const(True),) if self.homes.of_stmt[id(s)] in self.homes.looped else ()
        out.append(For(s.target, Call(Attr(plan, "reverse"), afresh), [again, *body], loc=s.loc))
        out.append(Assign(target, Call(Attr(plan, "first")), loc=s.loc))
        # what the loop binds holds what the step that was recorded last has bound
        for web in all_binds(s.body):
            self.homes.local.discard(web)


def without_records(block: Block) -> Block:
    """The reverse of a body without what puts old values back: the states are the plan's business."""
    out: Block = []
    for s in block:
        if isinstance(s, Unbind | Restore):
            continue
        for inner in blocks(s):
            inner[:] = without_records(inner)
        out.append(s)
    return out


def has_effects(block: Block, uses: dict[int, Any]) -> Stmt | None:
    """A statement that may not be run again: it prints, draws, or does what is not known."""
    for s in statements(block):
        use = uses.get(id(s))
        if isinstance(s, Effect) and (use is None or use.kind not in ("append", "insert")):
            return s
        if use is None:
            continue
        if use.kind in ("unknown", "opaque"):
            return s
        if use.kind == "creation" and ("random" in use.what.lower() or use.what.startswith("the method .")):
            return s
        if use.kind == "user" and getattr(use.callee, "effects", None) is not None:
            return s
    return None
