"""A function between the passes, as Python: what `srcgrad show --stage PASS` prints.

Webs that share the user's name get a number (`y`, `y_2`); a temporary is its hint and its number (`sin_y_3`). What an
analysis found stands behind the lines: `# y: float64[n]` after `types`, `# active: y` after `activity`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.emit.printer import expression, statement
from srcgrad.emit.text import negated
from srcgrad.function import VALUE, Function, is_ours
from srcgrad.generate import whole_parameters
from srcgrad.ir import (
    Add,
    AddAt,
    AugAssign,
    Block,
    Comment,
    Const,
    Expr,
    For,
    If,
    Item,
    Object,
    Stmt,
    Unbind,
    While,
    Zero,
    all_binds,
    all_reads,
    binds,
)
from srcgrad.naming import Names
from srcgrad.source.read import Source
from srcgrad.syntax import statement_ast, to_ast
from srcgrad.types import NONE, Data, Pattern, Pinned

DERIVE = "derive"  # no pass of the front: the two sweeps, before they are simplified


def stage_text(
    source: Source,
    arguments: dict[str, Any] | None,
    wrt: tuple[str, ...],
    stage: str,
    front: Callable[..., Function],
) -> str:
    """The program after the pass `stage`."""
    from srcgrad.derive.adjoint import adjoint

    f = _front(source, arguments, wrt, stage, front)
    if stage != DERIVE:
        return _Stage(f, stage).text(f.body, [])
    d = adjoint(f)
    return _Stage(f, stage).text(d.forward, d.reverse)


def _front(
    source: Source,
    arguments: dict[str, Any] | None,
    wrt: tuple[str, ...],
    stage: str,
    front: Callable[..., Function],
) -> Function:
    from srcgrad.context import Context, check_signature
    from srcgrad.pipeline import _argument_type, annotated

    exact: frozenset[int] = frozenset()
    while True:
        context = Context(front, Pattern(exact))
        parameters = check_signature(source)
        if arguments is None:
            given = {p.name: annotated(p, source) for p in parameters}
        else:
            given = {p.name: _argument_type(context.pattern, arguments[p.name]) for p in parameters}
        try:
            return front(source, given, context, wrt, stage if stage != DERIVE else None)
        except Pinned as pinned:  # right for certain sizes only: once more, with them
            exact |= pinned.sizes


class _Stage:
    """The lines of one function after one pass."""

    def __init__(self, function: Function, stage: str):
        self.f = function
        self.stage = stage
        self.lines: list[str] = []
        self.of: dict[str, str] = {}
        bound = all_binds(function.body) | all_reads(function.body)
        users = {function.spelled(n) for n in bound if not is_ours(n)} | {n for n in bound if "·" not in n}
        self.names = Names(users)

    # ------------------------------------------------------------------------------------------------ names
    def spell(self, e: Expr) -> str:
        return e.path if isinstance(e, Object) else self.name(e.id)  # type: ignore[attr-defined]

    def name(self, web: str) -> str:
        if "·" not in web:
            return web
        if web not in self.of:
            self.of[web] = self.names.take(self.wish(web))
        return self.of[web]

    def wish(self, web: str) -> str:
        """What a web would be called if nothing else were: `·3` is its hint and 3, `y·2` is y_2, `x·bar` x_bar."""
        if web == VALUE:
            return "value"
        stem, _, last = web.rpartition("·")
        if stem:
            return f"{self.name(stem)}_{last}"
        hint = self.f.names.get(web, "")
        return f"{hint.strip('_') or 'part'}_{last}" if last.isdigit() else hint or last

    # ------------------------------------------------------------------------------------------------ lines
    def put(self, depth: int, text: str, facts: list[str] | None = None) -> None:
        note = f"  # {'; '.join(facts)}" if facts else ""
        self.lines.append("    " * depth + text + note)

    def text(self, body: Block, reverse: Block) -> str:
        f = self.f
        self.put(0, f"def {f.name}({whole_parameters(f)}):", self.known(f.params))
        if self.stage == DERIVE:
            self.put(1, "# forward sweep")
        self.block(body, 1)
        if self.stage == DERIVE:
            self.put(1, "# reverse sweep")
            self.block(reverse, 1)
        bars = "".join(f", {self.name(f'{w}·bar')}" for w in f.wrt) if self.stage == DERIVE else ""
        self.put(1, f"return {self.name(VALUE)}{bars}", self.known([VALUE]))
        return "\n".join(self.lines) + "\n"

    def block(self, block: Block, depth: int) -> None:
        for s in block:
            self.statement(s, depth)

    def body(self, block: Block, depth: int) -> None:
        before = len(self.lines)
        self.block(block, depth)
        if not any(line.lstrip()[:1] not in ("#", "") for line in self.lines[before:]):
            self.put(depth, "pass")

    def statement(self, s: Stmt, depth: int) -> None:
        match s:
            case If():
                then, other, cond = (s.then, s.other, s.cond) if s.then else (s.other, [], negated(s.cond))
                self.put(depth, f"if {self.expr(cond)}:")
                self.body(then, depth + 1)
                if other:
                    self.put(depth, "else:")
                    self.body(other, depth + 1)
            case For(target, iterable):
                self.put(depth, f"for {self.expr(target)} in {self.expr(iterable)}:", self.facts(s))
                self.body(s.body, depth + 1)
            case While():
                self.put(depth, "while True:" if s.pre else f"while {self.expr(s.cond)}:")
                if s.pre:
                    self.block(s.pre, depth + 1)
                    self.put(depth + 1, f"if {self.expr(negated(s.cond))}:")
                    self.put(depth + 2, "break")
                self.body(s.body, depth + 1)
            case Add(target, value):
                self.simple(AugAssign(target, "+", value), depth)
            case AddAt(target, index, value, repeats):
                self.simple(
                    AugAssign(Item(target, index), "+", value),
                    depth,
                    ["places may repeat"] if repeats else [],
                )
            case Zero(target):
                self.put(depth, f"{self.expr(target)} = {self.expr(Const(0.0))}")
            case Unbind(web):
                self.put(depth, f"# {self.name(web)} is what it was before")
            case Comment(text):
                self.put(depth, f"# {text}")
            case _:
                self.simple(s, depth, self.facts(s))

    def simple(self, s: Stmt, depth: int, facts: list[str] | None = None) -> None:
        tree = statement_ast(s, self.spell)
        assert tree is not None
        *first, last = statement(tree)
        for line in first:
            self.put(depth, line)
        self.put(depth, last, facts)

    def expr(self, e: Expr) -> str:
        return expression(to_ast(e, self.spell))

    # ------------------------------------------------------------------------------------------------ facts
    def facts(self, s: Stmt) -> list[str]:
        if self.stage == "types" and binds(s) and id(s) not in self.f.reached:
            return ["never reached"]
        return self.known(binds(s))

    def known(self, webs: list[str]) -> list[str]:
        """What the analysis that has just run says of some webs."""
        f = self.f
        if self.stage == "types":
            return [f"{self.name(w)}: {self.type(w)}" for w in webs if w in f.types]
        if self.stage == "activity":
            active = [self.name(w) for w in webs if w in f.active]
            return [f"active: {', '.join(active)}"] if active else []
        return []

    def type(self, web: str) -> str:
        t = self.f.types[web]
        if isinstance(t, Data) and t != NONE and t.known and isinstance(t.value, str):
            return repr(t.value)
        return str(t)
