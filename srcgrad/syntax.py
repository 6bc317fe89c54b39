"""Between Python's trees and ours: the only module that names `ast` classes.

What is not translated here is not accepted: `refuse_syntax` names it with its place in the user's text.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from srcgrad.errors import Location, refuse
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
    Continue,
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
    Return,
    Seq,
    Slice,
    Star,
    Stmt,
    Unary,
    Walrus,
    While,
)

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
COMPARE = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_FROM = {text: kind for table in (BINARY, COMPARE) for kind, text in table.items()}
_UNARY_FROM = {text: kind for kind, text in UNARY.items()}
_OPAQUE = {
    ast.JoinedStr: "f-string",
    ast.Lambda: "lambda",
    ast.ListComp: "list comprehension",
    ast.SetComp: "set comprehension",
    ast.DictComp: "dict comprehension",
    ast.GeneratorExp: "generator expression",
}
_NAMED = {
    ast.With: "a with statement", ast.Try: "a try statement", ast.TryStar: "a try statement",
    ast.FunctionDef: "a nested function definition", ast.ClassDef: "a class definition",
    ast.AsyncFunctionDef: "an async function definition", ast.AsyncFor: "an async loop",
    ast.AsyncWith: "an async with statement", ast.Global: "a global statement", ast.Match: "a match statement",
    ast.Nonlocal: "a nonlocal statement", ast.Delete: "a del statement", ast.Import: "an import",
    ast.ImportFrom: "an import", ast.Await: "await", ast.Yield: "yield", ast.YieldFrom: "yield from",
    ast.ListComp: "a list comprehension with := in it", ast.SetComp: "a set comprehension with := in it",
    ast.DictComp: "a dict comprehension with := in it", ast.Lambda: "a lambda with := or yield in it",
    ast.GeneratorExp: "a generator expression with := in it", ast.JoinedStr: "an f-string with := in it",
}  # fmt: skip
_HINTS = {
    ast.With: "put it around the call of the derivative; read files before it",
    ast.Try: "test for the condition with an if instead of catching the exception",
    ast.TryStar: "test for the condition with an if instead of catching the exception",
    ast.FunctionDef: "define the helper at module level, and pass it what it needs",
    ast.AsyncFunctionDef: "define a plain function at module level, and pass it what it needs",
    ast.ClassDef: "define the class at module level",
    ast.Import: "import at the top of the module",
    ast.ImportFrom: "import at the top of the module",
    ast.Global: "pass the value as an argument and return it",
    ast.Nonlocal: "pass the value as an argument and return it",
    ast.Match: "write the cases as if, elif and else",
    ast.Delete: "leave it out: names end with the function; of a list take the entries that are wanted",
    ast.ListComp: "assign in a statement before it, or write it as a loop",
    ast.SetComp: "assign in a statement before it, or write it as a loop",
    ast.DictComp: "assign in a statement before it, or write it as a loop",
    ast.GeneratorExp: "assign in a statement before it, or write it as a loop",
    ast.JoinedStr: "assign in a statement before it",
    ast.Lambda: "define a function at module level, and pass it what it needs",
}


class Reader:
    """Translates one function's tree; `source` gives the places for errors."""

    def __init__(self, source: Any):
        self.source = source

    def loc(self, node: Any) -> Location:
        return Location(self.source, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)

    def function(self, tree: Any) -> Block:
        """The body of a function's tree; a lambda's is one return."""
        if isinstance(tree, ast.Lambda):
            return [Return(self.expr(tree.body), loc=self.loc(tree.body))]
        return self.block(tree.body)

    def refuse(self, node: Any) -> Any:
        what = _NAMED.get(type(node), f"this syntax ({type(node).__name__})")
        hint = _HINTS.get(
            type(node), "write it with assignments, if, for, while and calls: srcgrad explain syntax"
        )
        refuse(
            "syntax", f"{what} is not accepted in a function to be differentiated", self.loc(node), hint=hint
        )

    # ---------------------------------------------------------------------------------------- statements
    def block(self, nodes: list[ast.stmt]) -> Block:
        out: Block = []
        for node in nodes:
            out.extend(self.statement(node))
        return out

    def statement(self, node: ast.stmt) -> Block:
        loc = self.loc(node)
        match node:
            case ast.Assign(targets, value):
                first, *rest = targets
                if not rest:
                    return [Assign(self.target(first), self.expr(value), loc=loc)]
                # a = b = e: the value once, then the targets from left to right
                shared = Name(f"·chain{node.lineno}_{node.col_offset}", loc=loc)
                return [Assign(shared, self.expr(value), loc=loc)] + [
                    Assign(self.target(t), shared, loc=loc) for t in targets
                ]
            case ast.AnnAssign(target, _, value):
                return [] if value is None else [Assign(self.target(target), self.expr(value), loc=loc)]
            case ast.AugAssign(target, op, value):
                return [AugAssign(self.target(target), BINARY[type(op)], self.expr(value), loc=loc)]
            case ast.Expr(ast.Constant()):
                return []  # a docstring, or a constant standing alone
            case ast.Expr(value):
                return [Effect(self.expr(value), loc=loc)]
            case ast.If(test, body, orelse):
                return [If(self.expr(test), self.block(body), self.block(orelse), loc=loc)]
            case ast.For(target, iterable, body, orelse):
                return [
                    For(
                        self.target(target),
                        self.expr(iterable),
                        self.block(body),
                        self.block(orelse),
                        loc=loc,
                    )
                ]
            case ast.While(test, body, orelse) if any(isinstance(n, ast.NamedExpr) for n in ast.walk(test)):
                # a condition that binds is computed in the body, so that it is reversed with it
                leave = [*self.block(orelse), Break(loc=loc)]
                out = If(Unary("not", self.expr(test), loc=self.loc(test)), leave, [], loc=loc)
                return [While([], Const(True), [out, *self.block(body)], [], loc=loc)]
            case ast.While(test, body, orelse):
                return [While([], self.expr(test), self.block(body), self.block(orelse), loc=loc)]
            case ast.Break():
                return [Break(loc=loc)]
            case ast.Continue():
                return [Continue(loc=loc)]
            case ast.Return(value):
                return [Return(None if value is None else self.expr(value), loc=loc)]
            case ast.Raise(exc, cause):
                return [Raise(exc and self.expr(exc), cause and self.expr(cause), loc=loc)]
            case ast.Assert(test, message):
                return [Assert(self.expr(test), message and self.expr(message), loc=loc)]
            case ast.Delete(targets) if all(
                isinstance(t, ast.Subscript) and not isinstance(t.slice, ast.Slice) for t in targets
            ):
                # of a list, what is deleted is popped, and nobody takes it
                out = []
                for t in targets:
                    assert isinstance(t, ast.Subscript)
                    pop = Attr(self.expr(t.value), "pop", loc=self.loc(t))
                    out.append(Effect(Call(pop, (self.expr(t.slice),), loc=self.loc(t)), loc=loc))
                return out
            case ast.Pass():
                return []
        return self.refuse(node)

    def target(self, node: ast.expr) -> Expr:
        loc = self.loc(node)
        match node:
            case ast.Name(id):
                return Name(id, loc=loc)
            case ast.Tuple(elts) | ast.List(elts):
                return Seq("tuple", tuple(self.target(e) for e in elts), loc=loc)
            case ast.Starred(value):
                return Star(self.target(value), loc=loc)
            case ast.Subscript() | ast.Attribute():
                return self.expr(node)
        return self.refuse(node)

    # ---------------------------------------------------------------------------------------- expressions
    def expr(self, node: ast.expr) -> Expr:
        loc = self.loc(node)
        match node:
            case ast.Name(id):
                return Name(id, loc=loc)
            case ast.Constant(value):
                return Const(value, loc=loc)
            case ast.Attribute(value, attr):
                return Attr(self.expr(value), attr, loc=loc)
            case ast.Subscript(value, index):
                return Item(self.expr(value), self.expr(index), loc=loc)
            case ast.Slice(lower, upper, step):
                return Slice(*(p and self.expr(p) for p in (lower, upper, step)), loc=loc)
            case ast.Tuple(elts):
                return Seq("tuple", tuple(self.expr(e) for e in elts), loc=loc)
            case ast.List(elts):
                return Seq("list", tuple(self.expr(e) for e in elts), loc=loc)
            case ast.Set(elts):
                return Seq("set", tuple(self.expr(e) for e in elts), loc=loc)
            case ast.Dict(keys, values):
                if None in keys:
                    refuse(
                        "syntax", "a dict display with ** is not accepted", loc, hint="write its entries out"
                    )
                return Dict(tuple(self.expr(k) for k in keys), tuple(self.expr(v) for v in values), loc=loc)
            case ast.Starred(value):
                return Star(self.expr(value), loc=loc)
            case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() | complex() as value)) if (
                not isinstance(value, bool)
            ):
                return Const(-value, loc=loc)
            case ast.UnaryOp(op, operand):
                return Unary(UNARY[type(op)], self.expr(operand), loc=loc)
            case ast.BinOp(left, op, right):
                return Binary(BINARY[type(op)], self.expr(left), self.expr(right), loc=loc)
            case ast.Compare(left, ops, comparators):
                operands = tuple(self.expr(c) for c in (left, *comparators))
                return Compare(tuple(COMPARE[type(o)] for o in ops), operands, loc=loc)
            case ast.BoolOp(op, values):
                kind = "and" if isinstance(op, ast.And) else "or"
                return Bool(kind, tuple(self.expr(v) for v in values), loc=loc)
            case ast.IfExp(test, body, orelse):
                return IfExp(self.expr(test), self.expr(body), self.expr(orelse), loc=loc)
            case ast.NamedExpr(target, value):
                return Walrus(Name(target.id, loc=self.loc(target)), self.expr(value), loc=loc)
            case ast.Call(fn, args, keywords):
                for k in keywords:
                    if k.arg is None:
                        refuse("syntax", "a call with ** is not accepted", loc, hint="write the keywords out")
                return Call(
                    self.expr(fn),
                    tuple(self.expr(a) for a in args),
                    tuple((k.arg, self.expr(k.value)) for k in keywords),
                    loc=loc,
                )
        if type(node) in _OPAQUE:
            return self.opaque(node, _OPAQUE[type(node)])
        return self.refuse(node)

    def opaque(self, node: ast.expr, what: str) -> Expr:
        if any(isinstance(n, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(node)):
            self.refuse(node)
        own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        spelled = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - own
        names = tuple(sorted(spelled))
        loc = self.loc(node)
        return Opaque(what, node, id(node), names, tuple(Name(n, loc=loc) for n in names), loc=loc)


# ------------------------------------------------------------------------------------------------ back to Python


def to_ast(e: Expr, spell: Any) -> ast.expr:
    """Our expression as a Python tree; `spell` gives the printed name of a web and of an object.

    >>> ast.unparse(to_ast(Binary("*", Name("x"), Const(-1.0)), lambda e: e.id))
    'x * -1.0'
    """

    def go(e: Expr | None) -> Any:
        match e:
            case None:
                return None
            case Name():
                return ast.Name(spell(e), ast.Load())
            case Const(bool() | None | str() | bytes() | int() | float() | complex() as value):
                if isinstance(value, int | float) and not isinstance(value, bool) and str(value)[0] == "-":
                    return ast.UnaryOp(ast.USub(), ast.Constant(-value))
                return ast.Constant(value)
            case Const(value):
                return ast.Constant(value)
            case Object():
                return ast.parse(spell(e), mode="eval").body
            case Attr(value, name):
                return ast.Attribute(go(value), name, ast.Load())
            case Item(value, index):
                return ast.Subscript(go(value), go(index), ast.Load())
            case Slice(lower, upper, step):
                return ast.Slice(go(lower), go(upper), go(step))
            case Seq("tuple", items):
                return ast.Tuple([go(i) for i in items], ast.Load())
            case Seq("list", items):
                return ast.List([go(i) for i in items], ast.Load())
            case Seq("set", items):
                return ast.Set([go(i) for i in items])
            case Dict(keys, values):
                return ast.Dict([go(k) for k in keys], [go(v) for v in values])
            case Star(value):
                return ast.Starred(go(value), ast.Load())
            case Unary(op, operand):
                return ast.UnaryOp(_UNARY_FROM[op](), go(operand))
            case Binary(op, left, right):
                return ast.BinOp(go(left), _FROM[op](), go(right))
            case Compare(ops, operands):
                first, *rest = (go(o) for o in operands)
                return ast.Compare(first, [_FROM[o]() for o in ops], rest)
            case Bool(op, items):
                return ast.BoolOp(ast.And() if op == "and" else ast.Or(), [go(i) for i in items])
            case IfExp(test, then, other):
                return ast.IfExp(go(test), go(then), go(other))
            case Walrus(target, value):
                return ast.NamedExpr(ast.Name(spell(target), ast.Store()), go(value))
            case Call(fn, args, keywords):
                return ast.Call(go(fn), [go(a) for a in args], [ast.keyword(k, go(v)) for k, v in keywords])
            case Opaque():
                node = copy.deepcopy(e.node)
                parts = dict(zip(e.spelled, (go(p) for p in e.parts), strict=True))

                class Respell(ast.NodeTransformer):
                    def visit_Name(self, n: ast.Name) -> ast.expr:
                        return parts[n.id] if isinstance(n.ctx, ast.Load) and n.id in parts else n

                return Respell().visit(node)
        raise AssertionError(f"no Python for {e!r}")

    return go(e)


def statement_ast(s: Stmt, spell: Any) -> ast.stmt | None:
    """A simple statement as a Python tree."""

    def store(e: Expr) -> Any:
        tree = to_ast(e, spell)
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple | ast.Starred | ast.Name) and hasattr(node, "ctx"):
                pass
        tree.ctx = ast.Store()
        return tree

    match s:
        case Assign(target, value):
            return ast.Assign([store(target)], to_ast(value, spell), lineno=0)
        case AugAssign(target, op, value):
            return ast.AugAssign(store(target), _FROM[op](), to_ast(value, spell))
        case Effect(value):
            return ast.Expr(to_ast(value, spell))
        case Break():
            return ast.Break()
        case Continue():
            return ast.Continue()
        case Return(value):
            return ast.Return(None if value is None else to_ast(value, spell))
        case Raise(value, cause):
            return ast.Raise(*(None if v is None else to_ast(v, spell) for v in (value, cause)))
        case Assert(test, message):
            return ast.Assert(to_ast(test, spell), None if message is None else to_ast(message, spell))
    raise AssertionError(f"no Python statement for {s!r}")


def attributes_called(node: Any) -> list[str]:
    """The names of the methods that are called anywhere in a tree.

    >>> attributes_called(parse_expr("[xs.pop() for _ in y.keys()]"))
    ['pop', 'keys']
    """
    calls = (n for n in ast.walk(node) if isinstance(n, ast.Call))
    return [c.func.attr for c in calls if isinstance(c.func, ast.Attribute)]


def parse_expr(text: str) -> ast.expr:
    """A Python expression's tree, from text."""
    return ast.parse(text, mode="eval").body


def parse_function(text: str) -> ast.FunctionDef:
    """The tree of the one function in `text`."""
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree
