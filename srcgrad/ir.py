"""The intermediate representation: what every pass reads and writes.

Expressions are immutable and compare by structure; statements are mutable and compare by identity.  A `Name` stands
for one *web* (all bindings of a user's name that reach a common use); `Function.names` says how a web is spelled.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Expr:
    """An expression; `loc` is where the user wrote it (None for our own) and does not count in comparisons."""


@dataclass(frozen=True)
class Name(Expr):
    id: str
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Const(Expr):
    value: Any
    loc: Any = field(default=None, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:  # 1, 1.0 and True are three constants; so are 0.0 and -0.0
        return (
            isinstance(other, Const)
            and type(self.value) is type(other.value)
            and self.value == other.value
            and str(self.value) == str(other.value)
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True)
class Attr(Expr):
    value: Expr
    name: str
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Item(Expr):
    value: Expr
    index: Expr
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Slice(Expr):
    lower: Expr | None
    upper: Expr | None
    step: Expr | None
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Seq(Expr):
    """A display: `kind` is "tuple", "list" or "set"."""

    kind: str
    items: tuple[Expr, ...]
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Dict(Expr):
    keys: tuple[Expr, ...]
    values: tuple[Expr, ...]
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Star(Expr):
    value: Expr
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Unary(Expr):
    op: str  # - + ~ not
    operand: Expr
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Binary(Expr):
    op: str  # + - * / // % ** @ << >> & | ^
    left: Expr
    right: Expr
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Compare(Expr):
    """One comparison, or a chain of them (then evaluated lazily)."""

    ops: tuple[str, ...]
    operands: tuple[Expr, ...]
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Bool(Expr):
    op: str  # and, or
    items: tuple[Expr, ...]
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class IfExp(Expr):
    test: Expr
    then: Expr
    other: Expr
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Walrus(Expr):
    target: Name
    value: Expr
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Call(Expr):
    fn: Expr
    args: tuple[Expr, ...] = ()
    keywords: tuple[tuple[str, Expr], ...] = ()
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Opaque(Expr):
    """Syntax carried as it stands (f-strings, comprehensions, lambdas): data; `parts` are the names it reads.

    `node` is the tree of `syntax`; a part that was renamed is respelled when printed.
    """

    what: str
    node: Any = field(compare=False)
    key: int
    spelled: tuple[str, ...]
    parts: tuple[Expr, ...]
    loc: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Object(Expr):
    """An object of ours or of the stock modules, by identity: how rules name functions. Printed by `emit`."""

    value: Any = field(compare=False)
    path: str
    loc: Any = field(default=None, compare=False, repr=False)


# ------------------------------------------------------------------------------------------------ statements


@dataclass(eq=False)
class Stmt:
    loc: Any = field(default=None, repr=False, kw_only=True)  # the user's statement that it belongs to
    comment: str | None = field(default=None, kw_only=True)


@dataclass(eq=False)
class Assign(Stmt):
    """`target = value`; the target is a Name, a Seq of Names, or the place that a store writes: an Item.

    `via` says how the user wrote a store otherwise: ("aug", op), ("call", what is called) ...
    """

    target: Expr
    value: Expr
    via: Any = field(default=None, kw_only=True)


@dataclass(eq=False)
class AugAssign(Stmt):
    """`target op= value`: of the user's text only until normal form; in adjoint code an addition in place."""

    target: Expr
    op: str
    value: Expr


@dataclass(eq=False)
class Effect(Stmt):
    value: Expr


@dataclass(eq=False)
class If(Stmt):
    cond: Expr
    then: list[Stmt]
    other: list[Stmt]
    # how the user wrote it: "continue" or "return" when the rest of the block was taken into the other arm
    origin: str | None = None
    flag: str | None = None  # the arm leaves the loop: the flag that it sets


@dataclass(eq=False)
class For(Stmt):
    target: Expr
    iterable: Expr
    body: list[Stmt]
    other: list[Stmt] = field(default_factory=list)


@dataclass(eq=False)
class While(Stmt):
    pre: list[Stmt]
    cond: Expr
    body: list[Stmt]
    other: list[Stmt] = field(default_factory=list)


@dataclass(eq=False)
class Break(Stmt):
    pass


@dataclass(eq=False)
class Continue(Stmt):
    pass


@dataclass(eq=False)
class Return(Stmt):
    value: Expr | None


@dataclass(eq=False)
class Raise(Stmt):
    value: Expr | None
    cause: Expr | None = None


@dataclass(eq=False)
class Assert(Stmt):
    test: Expr
    message: Expr | None = None


# What follows stands in adjoint code only.


@dataclass(eq=False)
class Add(Stmt):
    """A contribution: `target += value`, where target is an adjoint. Becomes an assignment when it is the first."""

    target: Name
    value: Expr


@dataclass(eq=False)
class AddAt(Stmt):
    """A contribution to the place `index` of an adjoint array; `repeats` when the index may name a place twice."""

    target: Name
    index: Expr
    value: Expr
    repeats: bool = False


@dataclass(eq=False)
class Zero(Stmt):
    """The adjoint of `web` is zero from here on: its binding has been reversed."""

    target: Name
    web: str


@dataclass(eq=False)
class Unbind(Stmt):
    """Here the binding `stmt` of `web` has been reversed: before it the name held what is put back here, if anything."""

    web: str
    stmt: Stmt


@dataclass(eq=False)
class Restore(Stmt):
    """Here the write `stmt` into the memory `web` has been reversed: its old contents are put back, if somebody reads
    them from there on. `whole`: all of the memory is put back.
    """

    web: str
    stmt: Stmt
    whole: bool = False


@dataclass(eq=False)
class Comment(Stmt):
    text: str


Block = list[Stmt]

# ------------------------------------------------------------------------------------------------ walking


def children(e: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions, in the order in which Python evaluates them.

    >>> children(Binary("+", Name("a"), Const(1)))
    (Name(id='a'), Const(value=1))
    """
    match e:
        case Attr(value):
            return (value,)
        case Item(value, index):
            return (value, index)
        case Slice(lower, upper, step):
            return tuple(p for p in (lower, upper, step) if p is not None)
        case Seq(_, items) | Bool(_, items):
            return items
        case Dict(keys, values):
            return tuple(p for pair in zip(keys, values, strict=True) for p in pair)
        case Star(value) | Unary(_, value):
            return (value,)
        case Binary(_, left, right):
            return (left, right)
        case Compare(_, operands):
            return operands
        case IfExp(test, then, other):
            return (test, then, other)
        case Walrus(_, value):
            return (value,)
        case Call(fn, args, keywords):
            return (fn, *args, *(v for _, v in keywords))
        case Opaque(parts=parts):
            return parts
    return ()


def rebuild(e: Expr, new: list[Expr]) -> Expr:
    """The same expression with other sub-expressions (as many, in the order of `children`)."""
    take = iter(new)
    match e:
        case Attr() | Star():
            return dataclasses.replace(e, value=next(take))
        case Item():
            return dataclasses.replace(e, value=next(take), index=next(take))
        case Slice(lower, upper, step):
            return Slice(*(None if p is None else next(take) for p in (lower, upper, step)), loc=e.loc)
        case Seq() | Bool():
            return dataclasses.replace(e, items=tuple(new))
        case Dict():
            return dataclasses.replace(e, keys=tuple(new[::2]), values=tuple(new[1::2]))
        case Unary():
            return dataclasses.replace(e, operand=next(take))
        case Binary():
            return dataclasses.replace(e, left=next(take), right=next(take))
        case Compare():
            return dataclasses.replace(e, operands=tuple(new))
        case IfExp():
            return dataclasses.replace(e, test=next(take), then=next(take), other=next(take))
        case Walrus():
            return dataclasses.replace(e, value=next(take))
        case Call(_, args, keywords):
            fn, args = new[0], tuple(new[1 : 1 + len(args)])
            values = new[1 + len(args) :]
            return Call(
                fn, args, tuple((k, v) for (k, _), v in zip(keywords, values, strict=True)), loc=e.loc
            )
        case Opaque():
            return dataclasses.replace(e, parts=tuple(new))
    return e


def transform(e: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Replace sub-expressions from the outside in: `change` gives the replacement, or None to go on inside."""
    replaced = change(e)
    if replaced is not None:
        return replaced
    old = children(e)
    if not old:
        return e
    new = [transform(c, change) for c in old]
    if all(a is b for a, b in zip(old, new, strict=True)):
        return e
    return rebuild(e, new)


def substitute(e: Expr, values: dict[str, Expr]) -> Expr:
    """Replace names by expressions.

    >>> substitute(Binary("*", Name("a"), Name("b")), {"a": Const(2)})
    Binary(op='*', left=Const(value=2), right=Name(id='b'))
    """
    if not values:
        return e
    return transform(e, lambda x: values.get(x.id) if isinstance(x, Name) else None)


def walk(e: Expr) -> Iterator[Expr]:
    """The expression and all its sub-expressions."""
    stack = [e]
    while stack:
        e = stack.pop()
        yield e
        stack.extend(reversed(children(e)))


_NOTHING: frozenset[str] = frozenset()


def reads(e: Expr | None) -> frozenset[str]:
    """The names that an expression reads; kept on the expression, which does not change."""
    if e is None:
        return _NOTHING
    known: frozenset[str] | None = e.__dict__.get("_reads")
    if known is None:
        if type(e) is Name:
            known = frozenset((e.id,))
        else:
            known = _NOTHING.union(*map(reads, children(e)))
        e.__dict__["_reads"] = known
    return known


def blocks(s: Stmt) -> tuple[Block, ...]:
    """The blocks inside a statement."""
    match s:
        case If():
            return (s.then, s.other)
        case For():
            return (s.body, s.other) if s.other else (s.body,)
        case While():
            return (s.pre, s.body, s.other) if s.other else (s.pre, s.body)
    return ()


def statements(block: Block) -> Iterator[Stmt]:
    """All statements of a block and of the blocks inside, in the order of the text."""
    stack = [iter(block)]
    while stack:
        for s in stack[-1]:
            yield s
            inner = blocks(s)
            if inner:
                stack.extend(iter(b) for b in reversed(inner))
                break
        else:
            stack.pop()


def own_exprs(s: Stmt) -> list[Expr]:
    """The expressions that a statement itself evaluates (not those of the blocks inside, not the name it binds)."""
    match s:
        case Assign(target, value):
            return [value] + ([target] if isinstance(target, Item | Attr) else [])
        case AugAssign(target, _, value):
            return [target, value]
        case Effect(value):
            return [value]
        case If(cond=cond) | While(cond=cond):
            return [cond]
        case For(iterable=iterable):
            return [iterable]
        case Return(value) if value is not None:
            return [value]
        case Raise(value, cause):
            return [v for v in (value, cause) if v is not None]
        case Assert(test, message):
            return [test] + ([message] if message is not None else [])
        case Add(target, value):
            return [target, value]
        case AddAt(target, index, value):
            return [target, index, value]
    return []


def map_exprs(s: Stmt, change: Callable[[Expr], Expr]) -> None:
    """Replace the expressions that a statement itself evaluates, in place."""
    match s:
        case Assign():
            s.value = change(s.value)
            if isinstance(s.target, Item | Attr):
                s.target = change(s.target)
        case AugAssign():
            s.value = change(s.value)
            if not isinstance(s.target, Name):
                s.target = change(s.target)
        case Effect():
            s.value = change(s.value)
        case If() | While():
            s.cond = change(s.cond)
        case For():
            s.iterable = change(s.iterable)
        case Return():
            s.value = None if s.value is None else change(s.value)
        case Raise():
            s.value = None if s.value is None else change(s.value)
            s.cause = None if s.cause is None else change(s.cause)
        case Assert():
            s.test = change(s.test)
            s.message = None if s.message is None else change(s.message)
        case Add():
            s.value = change(s.value)
        case AddAt():
            s.index, s.value = change(s.index), change(s.value)


def stmt_reads(s: Stmt) -> set[str]:
    """The names that a statement itself reads (an addition reads its target)."""
    out: set[str] = set()
    for e in own_exprs(s):
        out |= reads(e)
    return out


def targets(t: Expr) -> list[str]:
    """The names that a target binds."""
    match t:
        case Name(id):
            return [id]
        case Seq(_, items):
            return [n for i in items for n in targets(i)]
        case Star(value):
            return targets(value)
    return []


def binds(s: Stmt) -> list[str]:
    """The names that a statement itself binds."""
    match s:
        case Assign(target) | For(target=target):
            return targets(target)
        case AugAssign(Name(id)):
            return [id]
        case Add(target) | AddAt(target) | Zero(target):
            return [target.id]
    return []


def all_binds(block: Block) -> set[str]:
    """The names bound anywhere in a block."""
    return {n for s in statements(block) for n in binds(s)}


def all_reads(block: Block) -> set[str]:
    """The names read anywhere in a block."""
    out: set[str] = set()
    for s in statements(block):
        out |= stmt_reads(s)
    return out
