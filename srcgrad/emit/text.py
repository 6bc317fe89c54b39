"""Text: a generated function as a person would have written it, and which line of the user's each line belongs to."""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.emit.printer import expression, statement
from srcgrad.errors import Location
from srcgrad.function import Function
from srcgrad.ir import (
    Assign,
    AugAssign,
    Binary,
    Block,
    Break,
    Comment,
    Expr,
    For,
    If,
    IfExp,
    Name,
    Raise,
    Stmt,
    Unary,
    While,
)
from srcgrad.syntax import statement_ast, to_ast

WIDTH = 88


class Text:
    """The lines of one function."""

    def __init__(
        self, function: Function, spell: Callable[[Expr], str], in_place: Callable[[str, str], bool]
    ):
        self.f = function
        self.spell = spell
        self.in_place = in_place
        self.lines: list[str] = []
        self.map: dict[int, int] = {}  # index of a line -> line of the user's
        self.comments = dict(function.source.comments)
        self.last = function.source.firstlineno
        self.quote: Location | None = None

    # ---------------------------------------------------------------------------------------- lines
    def put(self, depth: int, text: str, s: Stmt | None = None) -> None:
        if s is not None and s.loc is not None:
            self.map[len(self.lines)] = s.loc.lineno
        self.lines.append("    " * depth + text)

    def expr(self, e: Expr) -> str:
        return expression(to_ast(e, self.spell))

    # ---------------------------------------------------------------------------------------- forward sweep
    def forward(self, block: Block, depth: int, loop_tail: bool = False) -> None:
        for k, s in enumerate(block):
            last = k == len(block) - 1
            self.forward_statement(s, depth, loop_tail and last)

    def user_comments(self, s: Stmt, depth: int) -> str:
        """Prints the user's comments that stand before a statement; gives the one behind it."""
        if s.loc is None:
            return ""
        line = s.loc.lineno
        for k in sorted(self.comments):
            column, text = self.comments[k]
            if k < line and self.f.source.lines.get(k, "")[:column].strip() == "":
                if k > self.f.source.firstlineno:
                    self.put(depth, text)
                del self.comments[k]
        end = s.loc.end_lineno if not isinstance(s, If | For | While) else line
        for k in range(line, end + 1):
            if k in self.comments:
                return "  " + self.comments.pop(k)[1]
        return ""

    def forward_statement(self, s: Stmt, depth: int, loop_tail: bool) -> None:
        behind = self.user_comments(s, depth)
        match s:
            case If():
                self.forward_if(s, depth, loop_tail, behind)
            case For(target, iterable, body):
                self.put(depth, f"for {self.expr(target)} in {self.expr(iterable)}:{behind}", s)
                self.body(body, depth + 1, True)
            case While():
                if s.pre:
                    self.put(depth, f"while True:{behind}", s)
                    self.forward(s.pre, depth + 1)
                    self.put(depth + 1, f"if {self.expr(negated(s.cond))}:", s)
                    self.put(depth + 2, "break", s)
                else:
                    self.put(depth, f"while {self.expr(s.cond)}:{behind}", s)
                self.body(s.body, depth + 1, True)
            case _:
                for line in self.simple(s):
                    self.put(depth, line + behind, s)

    def simple(self, s: Stmt) -> list[str]:
        if isinstance(s, Assign) and id(s) in self.f.augmented and isinstance(s.value, Binary):
            left, target = s.value.left, s.target
            if isinstance(left, Name) and isinstance(target, Name) and self.spell(left) == self.spell(target):
                if self.in_place(left.id, target.id):
                    s = AugAssign(target, s.value.op, s.value.right, loc=s.loc)
        tree = statement_ast(s, self.spell)
        assert tree is not None
        return statement(tree)

    def body(self, block: Block, depth: int, loop_tail: bool = False) -> None:
        before = len(self.lines)
        self.forward(block, depth, loop_tail)
        if len(self.lines) == before:
            self.put(depth, "pass")

    def forward_if(self, s: If, depth: int, loop_tail: bool, behind: str, word: str = "if") -> None:
        then, other, cond = s.then, s.other, s.cond
        if not then and not other:
            self.put(depth, f"{word} {self.expr(cond)}:{behind}", s)
            self.put(depth + 1, "pass")
            return
        both = _one_value(then, other)
        if word == "if" and both is not None:
            target, a, b = both
            line = f"{self.expr(target)} = {self.expr(IfExp(cond, a, b))}"
            if len(line) + 4 * depth <= WIDTH:
                self.put(depth, line + behind, s)
                return
        if word == "if" and not then and loop_tail and s.origin == "continue":
            self.put(depth, f"{word} {self.expr(cond)}:{behind}", s)
            self.put(depth + 1, "continue", s)
            self.forward(other, depth, loop_tail)
            return
        if not then:
            then, other, cond = other, [], negated(cond)
        self.put(depth, f"{word} {self.expr(cond)}:{behind}", s)
        leaves = isinstance(then[-1], Break | Raise)
        self.body(then, depth + 1, loop_tail and not other)
        if not other:
            return
        if leaves and word == "if":  # behind an elif it would stand behind all arms
            self.forward(other, depth, loop_tail)
        elif (
            len(other) == 1 and isinstance(other[0], If) and _one_value(other[0].then, other[0].other) is None
        ):
            more = self.user_comments(other[0], depth)
            if other[0].then or not other[0].other:
                self.forward_if(other[0], depth, False, more, "elif")
            else:
                self.put(depth, "else:")
                self.body(other, depth + 1, loop_tail)
        else:
            self.put(depth, "else:")
            self.body(other, depth + 1, loop_tail)

    # ---------------------------------------------------------------------------------------- reverse sweep
    def reverse(self, block: Block, depth: int) -> None:
        for s in block:
            match s:
                case If():
                    then, other, cond = s.then, s.other, s.cond
                    if not then:
                        then, other, cond = other, [], negated(cond)
                    self.put(depth, f"if {self.expr(cond)}:", s)
                    self.quote = None
                    self.reverse(then, depth + 1)
                    if other:
                        self.put(depth, "else:")
                        self.quote = None
                        self.reverse(other, depth + 1)
                    self.quote = None
                case For(target, iterable, body):
                    self.put(depth, f"for {self.target(target, body)} in {self.expr(iterable)}:", s)
                    self.quote = None
                    self.reverse(body, depth + 1)
                    self.quote = None
                case Comment(text):
                    self.put(depth, f"# {text}")
                case _:
                    lines = statement(statement_ast(s, self.spell))  # type: ignore[arg-type]
                    self.quoted(lines, s, depth)

    def target(self, target: Expr, body: Block) -> str:
        from srcgrad.ir import all_reads

        if isinstance(target, Name) and target.id.startswith("·") and target.id not in all_reads(body):
            return "_"
        return self.expr(target)

    def quoted(self, lines: list[str], s: Stmt, depth: int) -> None:
        """The statement, with the user's line behind it (or above it) where that is another than before."""
        quote = ""
        if s.loc is not None and (self.quote is None or s.loc is not self.quote):
            quote = self.user_text(s.loc)
            self.quote = s.loc
        one = len(lines) == 1
        if s.comment and one:
            self.put(depth, f"{lines[0]}  # {s.comment}", s)
            return
        if quote and one and 4 * depth + len(lines[0]) + 4 + len(quote) <= WIDTH:
            self.put(depth, f"{lines[0]}  # {quote}", s)
            return
        if quote:
            self.put(depth, f"# {quote}")
        for line in lines:
            self.put(depth, line, s)

    def user_text(self, loc: Location) -> str:
        """The user's line, without a comment at its end, and without what stands before and behind the statement."""
        text = self.f.source.lines.get(loc.lineno, "")
        raw = text.encode()
        end = loc.end_col if loc.end_lineno == loc.lineno else len(raw)
        column, _ = self.f.source.comments.get(loc.lineno, (len(text), ""))
        cut = raw[loc.col : end].decode(errors="ignore").strip()
        if loc.end_lineno != loc.lineno:
            cut = text[:column].encode()[loc.col :].decode(errors="ignore").strip() + " ..."
        first = cut.split(":", 1)[0] + ":" if cut.startswith(("for ", "while ", "if ", "elif ")) else cut
        return first


def negated(e: Expr) -> Expr:
    """The negation, without `not not`; a comparison is not turned round: NaN would see the difference."""
    match e:
        case Unary("not", x):
            return x
    return Unary("not", e)


def _one_value(then: Block, other: Block) -> tuple[Expr, Expr, Expr] | None:
    """(target, a, b) where both arms only assign one name: a conditional expression."""
    match then, other:
        case [Assign(Name(t1) as target, a, comment=None)], [Assign(Name(t2), b, comment=None)] if t1 == t2:
            if t1.startswith("·") and not isinstance(a, IfExp) and not isinstance(b, IfExp):
                return target, a, b
    return None
