"""Exits: control flow without return, continue, or a break that is not its arm's last word.

    for v in xs:                        stopped = False
        if v < 0:                       for v in xs:
            continue                        if v < 0: pass
        if v > 9:             ->            elif v > 9: stopped = True; break
            return v * x                    else: total = total + v
        total = total + v               if stopped: value = v * x
    return total                        else: value = total

An arm that always leaves takes the rest of the block into the other arm; what it does before it leaves its loop is
done after the loop, under the flag that it sets. An arm that may leave sets a flag, and the rest is under a test.
Nothing is ever copied.
"""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.function import VALUE, Function
from srcgrad.ir import (
    Assign,
    Block,
    Bool,
    Break,
    Const,
    Continue,
    Expr,
    For,
    If,
    Name,
    Raise,
    Return,
    Stmt,
    Unary,
    While,
)


def exits(function: Function) -> Function:
    """Give the function's body structured exits; its result is then bound to `VALUE`."""
    body = list(function.body)
    if _leaves(body) != "always":
        body.append(Return(Const(None), loc=body[-1].loc if body else None))
    function.body = _Exits(function).block(body, _Context(None))
    return function


@dataclass
class _Exit:
    flag: str
    arm: Block
    end: Stmt


@dataclass
class _Context:
    loop: list[_Exit] | None  # the exits of the loop we are in; None at the function's level
    # the flags that a return (a continue) sets: one for each test around it, so that no test's flag is set behind it
    returned: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


class _Exits:
    def __init__(self, function: Function):
        self.function = function

    def flag(self, hint: str) -> str:
        return self.function.temp(hint)

    def block(self, stmts: Block, ctx: _Context) -> Block:
        out: Block = []
        todo = list(stmts)
        while todo:
            s = todo.pop(0)
            match s:
                case Return() | Break() | Continue() | Raise():
                    return out + self.leave(s, [], ctx)
                case If():
                    a, b = _leaves(s.then), _leaves(s.other)
                    if a == b == "never":
                        s.then, s.other = self.block(s.then, ctx), self.block(s.other, ctx)
                        out.append(s)
                    elif "always" in (a, b):
                        return out + [self.leaving_if(s, a, b, todo, ctx)]
                    else:
                        return out + self.tested_if(s, todo, ctx)
                case For() | While():
                    before, after = self.loop(s)
                    out += [*before, s]
                    todo = after + todo
                case _:
                    out.append(s)
        return out

    def leave(self, s: Stmt, arm: Block, ctx: _Context) -> Block:
        """The statements that stand for leaving by `s` after doing `arm`."""
        if isinstance(s, Raise):
            return [*arm, s]
        if ctx.loop is None:
            assert isinstance(s, Return)
            value = Assign(Name(VALUE), s.value or Const(None), loc=s.loc)
            return [*arm, value, *(_set(flag, True, s) for flag in ctx.returned)]
        if isinstance(s, Continue):
            return [*arm, *(_set(flag, True, s) for flag in ctx.skipped)]
        hint = "returned" if isinstance(s, Return) else "stopped"
        exit = _Exit(self.flag(hint), arm, s)
        ctx.loop.append(exit)
        return [_set(exit.flag, True, s), Break(loc=s.loc)]

    def arm(self, stmts: Block, ctx: _Context) -> Block:
        """An arm that always leaves: what is only done on the way out of a loop moves behind the loop."""
        *arm, last = stmts
        plain = all(_leaves([s]) == "never" and not _breaks(s) for s in arm)
        if ctx.loop is not None and isinstance(last, Break | Return) and plain:
            return self.leave(last, arm, ctx)
        return self.block(stmts, ctx)

    def leaving_if(self, s: If, a: str, b: str, rest: Block, ctx: _Context) -> If:
        if a == "always":
            last = s.then[-1]
            s.origin = "continue" if isinstance(last, Continue) and not s.other else None
            s.then = self.arm(s.then, ctx)
            s.other = self.arm(s.other, ctx) if b == "always" else self.block(s.other + rest, ctx)
            s.origin = s.origin or ("leave" if not _is_elif(s) else None)
        else:
            s.then = self.block(s.then + rest, ctx)
            s.other = self.arm(s.other, ctx)
        return s

    def tested_if(self, s: If, rest: Block, ctx: _Context) -> Block:
        """Arms that may leave: the rest is done under a test."""
        out: Block = []
        flags: list[str] = []
        inner = _Context(ctx.loop, ctx.returned, ctx.skipped)
        if ctx.loop is None:
            flags.append(self.flag("returned"))
            inner.returned = (*ctx.returned, flags[0])
            out.append(_set(flags[0], False, s))
        elif _continues([s]):
            flags.append(self.flag("skipped"))
            inner.skipped = (*ctx.skipped, flags[0])
            out.append(_set(flags[0], False, s))
        before = len(ctx.loop) if ctx.loop is not None else 0
        s.then, s.other = self.block(s.then, inner), self.block(s.other, inner)
        out.append(s)
        if ctx.loop is not None:
            flags += [e.flag for e in ctx.loop[before:]]
        todo = self.block(rest, ctx)
        if todo and flags:
            out.append(If(_none_of(flags), todo, [], loc=s.loc))
        else:
            out += todo
        return out

    def loop(self, s: For | While) -> tuple[Block, Block]:
        """Gives the loop's body its exits: what stands before the loop, and what stands behind it."""
        found: list[_Exit] = []
        s.body = self.block(s.body, _Context(found))
        before = [_set(e.flag, False, s) for e in found]
        after: Block = []
        for e in found:
            arm = e.arm + ([e.end] if isinstance(e.end, Return) else [])
            if arm:
                after.append(If(Name(e.flag), arm, [], loc=e.end.loc))
        other, s.other = s.other, []
        if other:
            after += [If(_none_of([e.flag for e in found]), other, [], loc=s.loc)] if found else other
        return list(before), after


def _set(flag: str | None, value: bool, at: Stmt) -> Assign:
    assert flag is not None
    return Assign(Name(flag), Const(value), loc=at.loc)


def _none_of(flags: list[str]) -> Expr:
    names = tuple(Name(f) for f in flags)
    return Unary("not", names[0] if len(names) == 1 else Bool("or", names))


def _is_elif(s: If) -> bool:
    return len(s.other) == 1 and isinstance(s.other[0], If)


def _leaves(block: Block) -> str:
    """Whether a block leaves what it stands in (never, may, always), by return, break, continue or raise."""
    may = False
    for s in block:
        match s:
            case Return() | Break() | Continue() | Raise():
                return "always"
            case If():
                a, b = _leaves(s.then), _leaves(s.other)
                if a == b == "always":
                    return "always"
                may = may or a != "never" or b != "never"
            case For() | While():
                # what stands in a loop's else leaves what the loop stands in
                may = may or any(isinstance(t, Return) for t in _inside(s)) or _leaves(s.other) != "never"
    return "may" if may else "never"


def _inside(s: Stmt) -> list[Stmt]:
    from srcgrad.ir import statements

    return list(statements([s]))


def _breaks(s: Stmt) -> bool:
    return isinstance(s, For | While) and any(isinstance(t, Return) for t in _inside(s))


def _continues(block: Block) -> bool:
    """Whether a continue of this loop stands in the block."""
    for s in block:
        if isinstance(s, Continue):
            return True
        if isinstance(s, If) and (_continues(s.then) or _continues(s.other)):
            return True
        if isinstance(s, For | While) and _continues(s.other):
            return True
    return False
