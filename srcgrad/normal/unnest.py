"""Unnest: one operation per statement.

    y = np.sin(x) * a[i + 1]    ->    t1 = np.sin(x); t2 = i + 1; t3 = a[t2]; t4 = t1 * t3; y = t4

Operands are names and constants, in the order in which Python evaluates them; no statement binds a name that it reads.
What is evaluated lazily (and, or, the ternary, chained comparison) stays whole here: `meaning` makes it an `if` where it
is active. `a, b = b, a` is one parallel copy. `while` has its condition's operations in `pre`.
"""

from __future__ import annotations

from srcgrad.errors import refuse
from srcgrad.function import Function
from srcgrad.ir import (
    Assert,
    Assign,
    Attr,
    AugAssign,
    Binary,
    Block,
    Bool,
    Break,
    Call,
    Compare,
    Const,
    Dict,
    Effect,
    Expr,
    For,
    If,
    IfExp,
    Item,
    Name,
    Object,
    Opaque,
    Raise,
    Seq,
    Slice,
    Star,
    Stmt,
    Unary,
    Walrus,
    While,
    all_binds,
    reads,
    statements,
    substitute,
    walk,
)
from srcgrad.naming import hint_of

_MAKE_NEW = "make a new value: np.where for places of an array, a list with append for entries"


def unnest(function: Function) -> Function:
    """Flatten the function's body."""
    local = all_binds(function.body) | set(function.params) | _walrus_targets(function.body)
    for name in _written(function.body):
        if name not in local:  # an array of the module's, or of a function around: memory like an argument
            function.captured.append(name)
            function.names[name] = name
    local |= set(function.captured)
    function.body = Unnest(function, local).block(function.body)
    return function


class Unnest:
    def __init__(self, function: Function, local: set[str]):
        self.function = function
        self.local = local

    # ---------------------------------------------------------------------------------------- statements
    def block(self, stmts: Block) -> Block:
        out: Block = []
        for s in stmts:
            self.statement(s, out)
        return out

    def statement(self, s: Stmt, out: Block) -> None:
        self.stmt = s
        match s:
            case Assign(Seq() as target, Seq(_, items)) if _plain(target, items):
                parts = [self.snapshot(i, out) for i in items]
                names = Seq("tuple", target.items)
                different = len({t.id for t in target.items if isinstance(t, Name)}) == len(target.items)
                if different:  # names, and no name twice
                    out.append(Assign(names, Seq("tuple", tuple(parts)), loc=s.loc))
                else:
                    for t, p in zip(target.items, parts, strict=True):
                        self.statement(Assign(t, p, loc=s.loc), out)
            case Assign(Seq() as target, value):
                self.unpack(target, self.atom(value, out), out)
            case Assign(Name() as target, value):
                if target.id.startswith("·"):  # the value of a chained assignment
                    self.function.names.setdefault(target.id, hint_of(value))
                self.bind(target, self.operation(value, out, hint_of(value)), out)
            case Assign(Item() as target, value):
                v = self.atom(value, out)
                out.append(Assign(self.place(target, out), v, loc=s.loc))
            case Assign(target, _):
                self.write(target)
            case AugAssign(Name() as target, op, value):
                right = self.atom(value, out)
                t = self.emit(Binary(op, Name(target.id, loc=target.loc), right, loc=s.loc), out, "part")
                copy = Assign(target, t, loc=s.loc)
                self.function.augmented.add(id(copy))
                self.function.keep_alive.append(copy)
                out.append(copy)
            case AugAssign(Item() as target, op, value):
                place = self.place(target, out, any(isinstance(w, Walrus) for w in walk(value)))
                old = self.emit(place, out, "item")
                right = self.atom(value, out)
                new = self.emit(Binary(op, old, right, loc=s.loc), out, "part")
                out.append(Assign(place, new, loc=s.loc, via=("aug", op)))
            case AugAssign(target, _, _):
                self.write(target)
            case Effect(value):
                out.append(Effect(self.operation(value, out, "part", effect=True), loc=s.loc))
            case If():
                # the test of our own flags stays in its place: behind an arm that may leave the loop nothing is kept
                cond = s.cond if is_guard(s.cond) else self.atom(s.cond, out)
                s.cond, s.then, s.other = cond, self.block(s.then), self.block(s.other)
                out.append(s)
            case While():
                pre: Block = []
                s.cond = self.atom(s.cond, pre)
                s.pre, s.body = pre, self.block(s.body)
                out.append(s)
            case For():
                self.loop(s, out)
            case Raise() | Assert():
                out.append(s)  # its expressions are data, evaluated only if it comes to that
            case Break():
                out.append(s)
            case _:
                raise AssertionError(f"{s!r} should not reach here")

    def loop(self, s: For, out: Block) -> None:
        s.iterable = self.atom(s.iterable, out)
        body: Block = []
        if not isinstance(s.target, Name):
            trip = Name(self.temp("item"), loc=s.target.loc)
            self.statement(Assign(s.target, trip, loc=s.loc), body)
            s.target = trip
        s.body = body + self.block(s.body)
        out.append(s)

    def write(self, target: Expr) -> None:
        what, hint = "an array or container is written in place", _MAKE_NEW
        if isinstance(target, Attr):
            what, hint = (
                f"the attribute .{target.name} is written",
                "keep the number in a variable, and return it",
            )
        refuse(
            "write",
            f"{what}, which is not covered yet",
            target.loc or self.stmt.loc,
            hint=hint,
        )

    def place(self, target: Item, out: Block, apart: bool = False) -> Item:
        """The place that a store writes, of atoms; `apart`: of names that nothing binds again."""
        owner = self.atom(target.value, out)
        if not isinstance(owner, Name):
            self.write(target)
        index = self.index(target.index, out)
        if apart:
            copies = {n: self.emit(Name(n), out, n) for n in sorted(reads(index)) if n in self.local}
            index = substitute(index, copies)
        return Item(owner, index, loc=target.loc)

    def bind(self, target: Name, value: Expr, out: Block) -> None:
        """`target = value` where no statement binds a name that it reads."""
        if isinstance(value, Name | Const) or not any(
            isinstance(e, Name) and e.id == target.id for e in walk(value)
        ):
            if isinstance(value, Name) and value.id == target.id:
                return
            out.append(Assign(target, value, loc=self.stmt.loc))
        else:
            out.append(Assign(target, self.emit(value, out, target.id), loc=self.stmt.loc))

    def unpack(self, target: Seq, value: Expr, out: Block) -> None:
        """`a, *b, (c, d) = value`: item by item, once types say what the items are."""
        names = []
        later = []
        last = {t.id: k for k, i in enumerate(target.items) if isinstance(t := _inner(i), Name)}
        for k, item in enumerate(target.items):
            inner = _inner(item)
            if isinstance(inner, Name) and last[inner.id] == k:
                names.append(item)
            elif isinstance(inner, Name):  # the same name again: the last one holds
                t = Name(self.temp(inner.id), loc=inner.loc)
                names.append(Star(t) if isinstance(item, Star) else t)
            else:
                t = Name(self.temp("item"), loc=inner.loc)
                names.append(Star(t) if isinstance(item, Star) else t)
                later.append((inner, t))
        if isinstance(value, Name) and value.id in {n.id for n in names if isinstance(n, Name)}:
            value = self.emit(value, out, "item")
        out.append(Assign(Seq("tuple", tuple(names), loc=target.loc), value, loc=self.stmt.loc))
        for inner, t in later:
            self.statement(Assign(inner, t, loc=self.stmt.loc), out)

    # ---------------------------------------------------------------------------------------- expressions
    def temp(self, hint: str) -> str:
        name = self.function.temp(hint)
        self.local.add(name)
        return name

    def emit(self, value: Expr, out: Block, hint: str) -> Name:
        t = Name(self.temp(hint), loc=value.loc)
        out.append(Assign(t, value, loc=self.stmt.loc))
        return t

    def snapshot(self, e: Expr, out: Block) -> Expr:
        """An operand that later bindings of the same statement do not change."""
        a = self.atom(e, out)
        return self.emit(a, out, hint_of(e)) if isinstance(a, Name) and a is e else a

    def is_static(self, e: Expr) -> bool:
        while isinstance(e, Attr):
            e = e.value
        return isinstance(e, Object) or isinstance(e, Name) and e.id not in self.local

    def atom(self, e: Expr, out: Block) -> Expr:
        """A name, a constant, or the path of a global object, that holds the value of `e`."""
        if isinstance(e, Name | Const | Object) or (isinstance(e, Attr) and self.is_static(e)):
            return e
        value = self.operation(e, out, hint_of(e))
        if isinstance(value, Name | Const):
            return value
        return self.emit(value, out, hint_of(e))

    def operands(self, items: tuple[Expr, ...], out: Block) -> list[Expr]:
        """Atoms of several operands; a name that a later operand rebinds (walrus) is read first."""
        atoms = []
        for k, e in enumerate(items):
            later = {w.target.id for i in items[k + 1 :] for w in walk(i) if isinstance(w, Walrus)}
            a = self.atom(e, out)
            if isinstance(a, Name) and a.id in later:
                a = self.emit(a, out, "part")
            atoms.append(a)
        return atoms

    def operation(self, e: Expr, out: Block, hint: str, effect: bool = False) -> Expr:
        """The one operation that `e` ends in, its operands made atoms."""
        match e:
            case Name() | Const():
                return e
            case Attr(value, name):
                return e if self.is_static(e) else Attr(self.atom(value, out), name, loc=e.loc)
            case Item(value, index):
                v = self.atom(value, out)
                if isinstance(v, Name) and any(
                    isinstance(w, Walrus) and w.target.id == v.id for w in walk(index)
                ):
                    v = self.emit(v, out, "part")
                return Item(v, self.index(index, out), loc=e.loc)
            case Seq(kind, items):
                if any(isinstance(i, Star) for i in items):
                    refuse(
                        "syntax",
                        "a starred item in a display is not accepted",
                        e.loc,
                        hint="write the items out",
                    )
                return Seq(kind, tuple(self.operands(items, out)), loc=e.loc)
            case Dict(keys, values):
                return Dict(tuple(self.operands(keys, out)), tuple(self.operands(values, out)), loc=e.loc)
            case Unary(op, operand):
                return Unary(op, self.atom(operand, out), loc=e.loc)
            case Binary(op, left, right):
                left, right = self.operands((left, right), out)
                return Binary(op, left, right, loc=e.loc)
            case Compare(ops, operands) if len(ops) == 1:
                return Compare(ops, tuple(self.operands(operands, out)), loc=e.loc)
            case Call(fn, args, keywords):
                return self.call(e, fn, args, keywords, out)
            case Walrus(target, value):
                self.bind(target, self.operation(value, out, target.id), out)
                return target
            case Compare() | Bool() | IfExp():
                if any(isinstance(w, Walrus) or self.is_users_call(w) for w in walk(e)):
                    return self.expand(e, out)
                return e
            case Opaque():
                return e
            case Slice():
                return self.index(e, out)
            case Star():
                refuse("syntax", "a starred argument is not accepted", e.loc, hint="write the arguments out")
        raise AssertionError(f"{e!r} should not reach here")

    def call(self, e: Expr, fn: Expr, args: tuple, keywords: tuple, out: Block) -> Expr:
        if any(isinstance(a, Star) for a in args):
            refuse("syntax", "a call with * is not accepted", e.loc, hint="write the arguments out")
        if isinstance(fn, Attr) and not self.is_static(fn):
            fn = Attr(self.atom(fn.value, out), fn.name, loc=fn.loc)
        elif not self.is_static(fn):
            fn = self.atom(fn, out)
        atoms = self.operands((*args, *(v for _, v in keywords)), out)
        given, named = atoms[: len(args)], atoms[len(args) :]
        return Call(
            fn, tuple(given), tuple((k, v) for (k, _), v in zip(keywords, named, strict=True)), loc=e.loc
        )

    def is_users_call(self, e: Expr) -> bool:
        """Whether an expression calls something that is not NumPy's, the standard library's, or a method."""
        if not isinstance(e, Call) or not self.is_static(e.fn) or self.function.context is None:
            return False
        parts: list[str] = []
        fn = e.fn
        while isinstance(fn, Attr):
            parts.append(fn.name)
            fn = fn.value
        if not isinstance(fn, Name):
            return False
        obj = self.function.context.names_of(self.function.source).resolve((fn.id, *reversed(parts)))
        return callable(obj) and self.function.context.is_users(obj)

    def index(self, e: Expr, out: Block) -> Expr:
        """An index: its slices and its tuple stay in place, what is computed in it does not."""
        match e:
            case Slice(lower, upper, step):
                return Slice(
                    *(None if p is None else self.atom(p, out) for p in (lower, upper, step)), loc=e.loc
                )
            case Seq("tuple", items):
                return Seq("tuple", tuple(self.index(i, out) for i in items), loc=e.loc)
        return self.atom(e, out)

    def expand(self, e: Expr, out: Block) -> Expr:
        """Lazy evaluation as an `if`: for what binds names or is active."""
        t = Name(self.temp("part"), loc=e.loc)
        at = self.stmt
        match e:
            case IfExp(test, then, other):
                cond = self.atom(test, out)
                arms: list[Block] = [[], []]
                for arm, value in zip(arms, (then, other), strict=True):
                    arm.append(Assign(t, self.operation(value, arm, "part"), loc=at.loc))
                out.append(If(cond, *arms, loc=at.loc))
            case Bool(op, (first, *rest)):
                self.bind(t, self.operation(first, out, "part"), out)
                if rest:
                    then: Block = []
                    tail = rest[0] if len(rest) == 1 else Bool(op, tuple(rest), loc=e.loc)
                    then.append(Assign(t, self.operation(tail, then, "part"), loc=at.loc))
                    cond = t if op == "and" else self.emit(Unary("not", t, loc=e.loc), out, "part")
                    out.append(If(cond, then, [], loc=at.loc))
            case Compare((op, *ops), (first, second, *rest)):
                left = self.atom(first, out)
                right = self.atom(second, out)
                self.bind(t, Compare((op,), (left, right), loc=e.loc), out)
                if ops:
                    then = []
                    tail = Compare(tuple(ops), (right, *rest), loc=e.loc)
                    then.append(Assign(t, self.operation(tail, then, "part"), loc=at.loc))
                    out.append(If(t, then, [], loc=at.loc))
        return t


def _inner(item: Expr) -> Expr:
    return item.value if isinstance(item, Star) else item


def is_guard(e: Expr) -> bool:
    """Whether a condition tests our own flags: no arm that leaves the loop was taken."""
    match e:
        case Unary("not", Name(flag)):
            return flag.startswith("·")
        case Unary("not", Bool("or", items)):
            return all(isinstance(i, Name) and i.id.startswith("·") for i in items)
    return False


def _plain(target: Seq, items: tuple[Expr, ...]) -> bool:
    stars = any(isinstance(i, Star) for i in (*target.items, *items))
    return not stars and len(target.items) == len(items)


def _written(block: Block) -> list[str]:
    """The names that stores write through, in the order of the text."""
    found: dict[str, None] = {}
    for s in statements(block):
        waiting = [s.target] if isinstance(s, Assign | AugAssign | For) else []
        while waiting:
            t = waiting.pop()
            if isinstance(t, Seq):
                waiting += t.items
            if isinstance(t, Item):
                root: Expr = t
                while isinstance(root, Item):
                    root = root.value
                if isinstance(root, Name):
                    found[root.id] = None
    return list(found)


def _walrus_targets(block: Block) -> set[str]:
    from srcgrad.ir import own_exprs

    return {
        w.target.id for s in statements(block) for e in own_exprs(s) for w in walk(e) if isinstance(w, Walrus)
    }
