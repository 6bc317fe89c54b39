"""Trees to text as a person would have written it: few parentheses, an expression of any length on one line.

>>> expression(ast.parse("f(x  [1 : -1],(a+b)**2, h **2)", mode="eval").body)
'f(x[1:-1], (a + b) ** 2, h**2)'
>>> statement(ast.parse("if a :  return b,c").body[0])
['if a:', '    return b, c']

This is the only module that imports astor. Its generator lays out statements; everything that concerns
expressions is written here, for two reasons: astor notes on each node how tightly its place binds, which goes
wrong where one node stands in two places of a tree, and it breaks long lines. Here the place is an argument.

The text parses back to the same tree, but for numbers that no source text can hold as a literal: ``Constant(-1.0)``
comes back as a unary minus, infinity is printed as ``float("inf")``, and a NaN is refused with a ValueError.
"""

import ast
import sys
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # astor asks ast for classes that are gone or going
    from astor.code_gen import SourceGenerator
    from astor.op_util import Precedence, get_op_precedence, get_op_symbol

from srcgrad.emit.literals import escaped, number, quoted

# How tightly a place binds: an expression that binds less tightly than its place stands in parentheses there.
NEVER, ANYTHING, TUPLE, ITEM = -1, 0, Precedence.Tuple, Precedence.Comma
TERNARY, DISJUNCTION, BITWISE = Precedence.IfExp, Precedence.Or, Precedence.BitOr
SIGN, SUM, AWAIT, PRIMARY = Precedence.USub, Precedence.Add, Precedence.Await, Precedence.highest

FSTRING_TAKES_ANY_QUOTE = sys.version_info >= (3, 12)


def expression(tree: ast.expr) -> str:
    """The text of an expression, on one line."""
    printer = Printer()
    printer.visit(tree, TUPLE)
    return printer.text()


def statement(tree: ast.stmt) -> list[str]:
    """The lines of a statement; the first level is not indented."""
    printer = Printer()
    printer.visit(tree)
    return printer.text().split("\n")


class Printer(SourceGenerator):
    """astor's generator, with our expressions and with the statements that astor does not know or spells otherwise."""

    def __init__(self):
        super().__init__(indent_with=" " * 4)
        self.fstrings = 0  # how many f-strings we are in
        self.handler = "except"

    def text(self) -> str:
        return "".join(self.result).strip("\n")

    def visit(self, node, place=PRIMARY):
        """Write a node. `place` matters for an expression alone: what binds less tightly gets parentheses."""
        method = getattr(self, "visit_" + type(node).__name__, None)
        if method is None:
            raise ValueError(f"{type(node).__name__} cannot be printed")
        if isinstance(node, ast.expr) and binding(node) < place:
            self.write("(")
            method(node)
            self.write(")")
        else:
            method(node)

    def put(self, *items):
        """Write texts, nodes, and (expression, place) pairs."""
        for item in items:
            self.visit(*item) if isinstance(item, tuple) else self.write(item)

    def say(self, node, *items):
        """The same, on a new line."""
        self.statement(node)
        self.put(*items)

    def apart(self, node, place) -> str:
        """The text of an expression by itself, for what must be known before it is written."""
        printer = Printer()
        printer.fstrings = self.fstrings
        printer.visit(node, place)
        return printer.text()

    def comma_list(self, items, trailing=False):
        for index, item in enumerate(items):
            self.put(", " if index else "", (item, ITEM))
        self.write("," if trailing else "")

    # -- operators

    def visit_BinOp(self, node):
        if isinstance(node.op, ast.Pow):
            self.put(
                (node.left, Precedence.Pow + 1),
                "**" if is_simple_power(node) else " ** ",
                (node.right, Precedence.PowRHS),
            )
            return
        place = binding(node)
        chain = [node]  # a long sum leans to the left: walked, not recursed into
        while isinstance(chain[-1].left, ast.BinOp) and binding(chain[-1].left) == place:
            chain.append(chain[-1].left)
        self.visit(chain[-1].left, place)
        for link in reversed(chain):
            self.put(get_op_symbol(link.op, " %s "), (link.right, place + 1))

    def visit_UnaryOp(self, node):
        symbol = get_op_symbol(node.op)
        self.write(symbol + " " if symbol.isalpha() else symbol)
        power = isinstance(node.operand, ast.BinOp) and isinstance(node.operand.op, ast.Pow)
        self.visit(node.operand, PRIMARY if power else binding(node))  # -(x**2): not needed, but read at once

    def visit_BoolOp(self, node):
        for index, value in enumerate(node.values):
            self.put(get_op_symbol(node.op, " %s ") if index else "", (value, binding(node) + 1))

    def visit_Compare(self, node):
        self.visit(node.left, binding(node) + 1)
        for op, right in zip(node.ops, node.comparators, strict=True):
            self.put(get_op_symbol(op, " %s "), (right, binding(node) + 1))

    def visit_IfExp(self, node):
        self.put((node.body, TERNARY + 1), " if ", (node.test, TERNARY + 1), " else ", (node.orelse, TERNARY))

    def visit_NamedExpr(self, node):
        self.put("(", node.target.id, " := ", (node.value, TERNARY), ")")

    def visit_Lambda(self, node):
        arguments = self.apart(node.args, ANYTHING)
        self.put("lambda", " " + arguments if arguments else "", ": ", (node.body, TERNARY))

    def visit_Await(self, node):
        self.write("await ", node.value)

    def visit_Yield(self, node):
        self.write("yield")
        if node.value is not None:
            self.put(" ", (node.value, TUPLE))

    def visit_YieldFrom(self, node):
        self.put("yield from ", (node.value, ITEM))

    def visit_Starred(self, node):
        self.put("*", (node.value, BITWISE))

    # -- what hangs on a primary

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Constant) and type(node.value.value) is int and node.value.value >= 0:
            self.write("(", node.value, ")")  # 1.real is not a number
        else:
            self.visit(node.value)
        self.write("." + node.attr)

    def visit_Call(self, node):
        self.visit(node.func)
        if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.GeneratorExp):
            self.visit(node.args[0])  # its parentheses are those of the call
            return
        self.write("(")
        self.comma_list([*node.args, *node.keywords])
        self.write(")")

    def visit_keyword(self, node):
        self.put(f"{node.arg}=" if node.arg else "**", (node.value, ITEM if node.arg else BITWISE))

    def visit_Subscript(self, node):
        self.put(node.value, "[")
        index = node.slice
        if isinstance(index, ast.Tuple) and index.elts:
            alone = len(index.elts) == 1 and not isinstance(index.elts[0], ast.Starred)
            self.comma_list(index.elts, trailing=alone)
        else:
            self.visit(index, ITEM)
        self.write("]")

    def visit_Slice(self, node):
        """Simple bounds stand close to the colon; where one is not simple, each has a space."""
        parts = [node.lower, node.upper, node.step]
        close = all(part is None or is_simple_bound(part) for part in parts)
        lower, upper, step = ("" if part is None else self.apart(part, TERNARY) for part in parts)
        space = "" if close else " "
        self.write(lower + space if lower else "", ":", space + upper if upper else "")
        if step:
            self.write(space if upper else "", ":", space, step)

    # -- displays

    def visit_Tuple(self, node):
        if len(node.elts) < 2:
            self.write("(")
            self.comma_list(node.elts, trailing=bool(node.elts))
            self.write(")")
        else:
            self.comma_list(node.elts)

    def visit_List(self, node):
        self.write("[")
        self.comma_list(node.elts)
        self.write("]")

    def visit_Set(self, node):
        self.write("{")
        self.comma_list(node.elts)
        self.write("}" if node.elts else "*()}")  # {} is a dict, and the name set may mean something else

    def visit_Dict(self, node):
        self.write("{")
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            self.write(", " if index else "")
            if key is None:
                self.put("**", (value, BITWISE))
            else:
                self.put((key, ITEM), ": ", (value, ITEM))
        self.write("}")

    def comprehension(self, brackets, generators, *elements):
        self.write(brackets[0])
        for index, element in enumerate(elements):
            self.put(": " if index else "", (element, ITEM))
        for generator in generators:
            self.visit(generator)
        self.write(brackets[1])

    def visit_ListComp(self, node):
        self.comprehension("[]", node.generators, node.elt)

    def visit_SetComp(self, node):
        self.comprehension("{}", node.generators, node.elt)

    def visit_GeneratorExp(self, node):
        self.comprehension("()", node.generators, node.elt)

    def visit_DictComp(self, node):
        self.comprehension("{}", node.generators, node.key, node.value)

    def visit_comprehension(self, node):
        self.put(
            " async for " if node.is_async else " for ",
            (node.target, TUPLE),
            " in ",
            (node.iter, DISJUNCTION),
        )
        for condition in node.ifs:
            self.put(" if ", (condition, DISJUNCTION))

    # -- constants

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, str):
            self.write((node.kind or "") + quoted(value, single=self.fstrings > 0))
        elif isinstance(value, bytes):
            self.write(quoted(value, single=self.fstrings > 0))
        elif value is Ellipsis:
            self.write("...")
        elif value is None or isinstance(value, bool):
            self.write(repr(value))
        elif isinstance(value, (int, float, complex)):
            text = number(value)
            self.write(text.replace('"', "'") if self.fstrings else text)
        else:
            raise ValueError(f"a constant of type {type(value).__name__} cannot be printed")

    def visit_JoinedStr(self, node):
        """An f-string. Before Python 3.12 what stands in its braces has neither its quotes nor a backslash."""
        self.fstrings += 1
        pieces = self.pieces(node)
        self.fstrings -= 1
        codes = [text for is_code, text in pieces if is_code]
        quotes = ["'", '"', "'''", '"""'] if self.fstrings else ['"', "'", '"""', "'''"]
        free = [quote for quote in quotes if not any(quote in code for code in codes)]
        if not FSTRING_TAKES_ANY_QUOTE and (not free or any("\\" in code for code in codes)):
            raise ValueError("this f-string cannot be printed on one line before Python 3.12")
        literals = "".join(text for is_code, text in pieces if not is_code)
        plain = [quote for quote in free if quote[0] not in literals]
        quote = (plain or free or quotes)[0]
        self.write("f" + quote)
        for is_code, text in pieces:
            self.write(text if is_code else escaped(text, quote[0]).replace("{", "{{").replace("}", "}}"))
        self.write(quote)

    def pieces(self, node) -> list[tuple[bool, str]]:
        """The parts of an f-string or of a format: (is it code, text)."""
        result = []
        for value in node.values:
            if isinstance(value, ast.Constant):
                result.append((False, value.value))
                continue
            code = self.apart(value.value, DISJUNCTION if holds_lambda(value.value) else TERNARY)
            opening = "{ " if code.startswith("{") else "{"
            conversion = "" if value.conversion == -1 else "!" + chr(value.conversion)
            result.append((True, opening + code + conversion))
            if value.format_spec is not None:
                result += [(True, ":"), *self.pieces(value.format_spec)]
            result.append((True, "}"))
        return result

    # -- statements: those that astor spells otherwise, or does not know

    def body(self, statements):
        super().body(statements or [ast.Pass()])

    def visit_Expr(self, node):
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and not value.kind:
            self.statement(node, '"""' + escaped(value.value, '"', only_in_the_way=True) + '"""')
        else:
            self.statement(node)
            self.visit(value, ANYTHING)

    def visit_Assign(self, node):
        self.statement(node)
        for target in node.targets:
            self.put((target, TUPLE), " = ")
        self.visit(node.value, ANYTHING)

    def visit_AugAssign(self, node):
        self.statement(node, node.target, get_op_symbol(node.op, " %s= "))
        self.visit(node.value, ANYTHING)

    def visit_AnnAssign(self, node):
        bare = node.simple or not isinstance(node.target, ast.Name)
        self.statement(node, *([node.target] if bare else ["(", node.target, ")"]), ": ")
        self.visit(node.annotation, ITEM)
        if node.value is not None:
            self.put(" = ", (node.value, ANYTHING))

    def visit_Return(self, node):
        self.statement(node, "return" if node.value is None else "return ")
        if node.value is not None:
            self.visit(node.value, TUPLE)

    def visit_Assert(self, node):
        self.statement(node, "assert ")
        self.comma_list([node.test] if node.msg is None else [node.test, node.msg])

    def visit_Raise(self, node):
        self.statement(node, "raise" if node.exc is None else "raise ")
        if node.exc is not None:
            self.visit(node.exc, ITEM)
        if node.cause is not None:
            self.put(" from ", (node.cause, ITEM))

    def head(self, node, keyword, *stuff):
        """The first line of a compound statement."""
        self.say(node, keyword, *stuff, ":")

    def visit_If(self, node):
        keyword = "if "
        while True:
            self.head(node, keyword, (node.test, ITEM))
            self.body(node.body)
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node, keyword = node.orelse[0], "elif "
        self.else_body(node.orelse)

    def visit_While(self, node):
        self.head(node, "while ", (node.test, ITEM))
        self.body_or_else(node)

    def visit_For(self, node, is_async=False):
        self.head(node, "async for " if is_async else "for ", (node.target, TUPLE), " in ", (node.iter, ITEM))
        self.body_or_else(node)

    def visit_With(self, node, is_async=False):
        self.statement(node, "async with " if is_async else "with ")
        only = node.items[0].context_expr
        if (
            len(node.items) == 1
            and isinstance(only, (ast.Tuple, ast.Yield))
            and node.items[0].optional_vars is None
        ):
            self.write("((")  # with (a, b): would be two managers
            self.put((only, ANYTHING), "))")
        else:
            self.comma_list(node.items)
        self.write(":")
        self.body(node.body)

    def visit_withitem(self, node):
        self.visit(node.context_expr, ITEM)
        if node.optional_vars is not None:
            self.put(" as ", (node.optional_vars, ITEM))

    def visit_Try(self, node, handler="except"):
        outer, self.handler = self.handler, handler
        super().visit_Try(node)
        self.handler = outer

    def visit_TryStar(self, node):
        self.visit_Try(node, "except*")

    def visit_ExceptHandler(self, node):
        handler = self.handler
        self.statement(node, handler)
        if node.type is not None:
            self.put(" ", (node.type, ITEM), f" as {node.name}" if node.name else "")
        self.write(":")
        self.body(node.body)
        self.handler = handler  # the body may hold a try of the other kind

    def visit_FunctionDef(self, node, is_async=False):
        self.decorators(node, 0)
        self.statement(node, ("async def " if is_async else "def ") + node.name)
        self.type_parameters(node)
        self.write("(")
        self.visit_arguments(node.args)
        self.write(")")
        if node.returns is not None:
            self.put(" -> ", (node.returns, ITEM))
        self.write(":")
        self.body(node.body)

    def visit_ClassDef(self, node):
        self.decorators(node, 0)
        self.statement(node, "class " + node.name)
        self.type_parameters(node)
        if node.bases or node.keywords:
            self.write("(")
            self.comma_list([*node.bases, *node.keywords])
            self.write(")")
        self.write(":")
        self.body(node.body)

    def decorators(self, node, extra):
        for decorator in node.decorator_list:
            self.statement(decorator, "@")
            self.visit(decorator, ITEM)

    def visit_arguments(self, node):
        """`(a, b=1, /, c: int = 2, *rest, d=3, **others)`"""
        positional = [*node.posonlyargs, *node.args]
        defaults = [None] * (len(positional) - len(node.defaults)) + node.defaults
        items = list(zip([""] * len(positional), positional, defaults, strict=True))
        if node.posonlyargs:
            items.insert(len(node.posonlyargs), ("/", None, None))
        if node.vararg is not None or node.kwonlyargs:
            items.append(("*", node.vararg, None))
        items += zip([""] * len(node.kwonlyargs), node.kwonlyargs, node.kw_defaults, strict=True)
        if node.kwarg is not None:
            items.append(("**", node.kwarg, None))
        for index, (star, argument, default) in enumerate(items):
            self.write(", " if index else "", star)
            if argument is not None:
                self.visit(argument)
            if default is not None:
                self.put(" = " if argument.annotation is not None else "=", (default, ITEM))

    def visit_arg(self, node):
        self.write(node.arg)
        if node.annotation is not None:
            self.put(": ", (node.annotation, ITEM))

    def type_parameters(self, node):
        if getattr(node, "type_params", None):
            self.write("[")
            self.comma_list(node.type_params)
            self.write("]")

    def visit_TypeVar(self, node):
        self.write(node.name)
        if node.bound is not None:
            self.put(": ", (node.bound, ITEM))
        self.type_default(node)

    def visit_TypeVarTuple(self, node):
        self.write("*" + node.name)
        self.type_default(node)

    def visit_ParamSpec(self, node):
        self.write("**" + node.name)
        self.type_default(node)

    def type_default(self, node):
        if getattr(node, "default_value", None) is not None:
            self.put(" = ", (node.default_value, ITEM))

    def visit_TypeAlias(self, node):
        self.statement(node, "type ", node.name)
        self.type_parameters(node)
        self.put(" = ", (node.value, ITEM))

    # -- match

    def visit_Match(self, node):
        self.head(node, "match ", (node.subject, TUPLE))
        self.indentation += 1
        for case in node.cases:
            self.visit(case)
        self.indentation -= 1

    def visit_match_case(self, node):
        self.statement(node, "case ", node.pattern)
        if node.guard is not None:
            self.put(" if ", (node.guard, ITEM))
        self.write(":")
        self.body(node.body)

    def visit_MatchValue(self, node):
        self.visit(node.value, ITEM)

    def visit_MatchSingleton(self, node):
        self.write(repr(node.value))

    def visit_MatchStar(self, node):
        self.write("*" + (node.name or "_"))

    def visit_MatchSequence(self, node):
        self.write("[")
        self.comma_list(node.patterns)
        self.write("]")

    def visit_MatchMapping(self, node):
        self.write("{")
        for index, (key, pattern) in enumerate(zip(node.keys, node.patterns, strict=True)):
            self.put(", " if index else "", (key, ITEM), ": ", pattern)
        if node.rest is not None:
            self.write(", " if node.keys else "", "**" + node.rest)
        self.write("}")

    def visit_MatchClass(self, node):
        self.write(node.cls, "(")
        self.comma_list(node.patterns)
        for index, (name, pattern) in enumerate(zip(node.kwd_attrs, node.kwd_patterns, strict=True)):
            self.write(", " if index or node.patterns else "", name + "=", pattern)
        self.write(")")

    def visit_MatchAs(self, node):
        if node.pattern is not None:  # in parentheses: it may stand in an alternative
            self.write("(", node.pattern, f" as {node.name})")
        else:
            self.write(node.name or "_")

    def visit_MatchOr(self, node):
        self.write("(")
        for index, pattern in enumerate(node.patterns):
            self.write(" | " if index else "", pattern)
        self.write(")")


def binding(node: ast.expr) -> int:
    """How tightly an expression binds."""
    match node:
        case ast.BinOp() | ast.UnaryOp() | ast.BoolOp():
            return get_op_precedence(node.op)
        case ast.Compare():
            return get_op_precedence(node.ops[0])
        case ast.Lambda() | ast.IfExp():
            return TERNARY
        case ast.Tuple(elts=[_, _, *_]):
            return TUPLE
        case ast.Yield() | ast.YieldFrom():
            return ANYTHING
        case ast.Await():
            return AWAIT
        case ast.Starred():
            return ITEM
        case ast.Constant(value=int() | float() | complex() as value) if not isinstance(value, bool):
            text = number(value)
            return SUM if " " in text else SIGN if text.startswith("-") else PRIMARY
    return PRIMARY


def is_simple_power(node: ast.expr) -> bool:
    """Whether the operands of this ** stand close to it: `x**2`, `self.h**-1`; not `f(x) ** 2`, `(-x) ** 2`."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)):
        return False
    signed = binding(node.left) == SIGN
    return not signed and is_simple(node.left) and (is_simple(node.right) or is_simple_power(node.right))


def is_simple(node: ast.expr) -> bool:
    """Whether a person sees one thing here: a name, an attribute of a name, a number, and these with a sign."""
    while isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        node = node.operand
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, (str, bytes)) and " " not in repr(node.value)
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def is_simple_bound(node: ast.expr) -> bool:
    """Whether a bound of a slice stands close to its colon: names and constants, and these with a sign."""
    while isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        node = node.operand
    return isinstance(node, (ast.Name, ast.Constant))


def holds_lambda(node: ast.expr) -> bool:
    """Whether a lambda could stand bare in this expression, and its colon be taken for that of a format."""
    return any(isinstance(part, ast.Lambda) for part in ast.walk(node))
