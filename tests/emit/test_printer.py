"""What is printed parses back to the same tree, and reads as a person would have written it."""

import argparse
import ast
import configparser
import dataclasses
import inspect
import math
import statistics
import sys
import textwrap
import typing

import numpy as np
import pytest

from srcgrad.emit.printer import expression, statement

# Each is printed as it stands here.
STYLE = """
stacked**2
(a + b) ** 2
f(x) ** 2
x[0] ** 2
self.h**2
h**-1
a**-b
x**0.5
-(x**2)
(-x) ** 2
2**n**2
(2**n) ** 2
2 * x
a * b + c
a * (b + c)
a - (b - c)
a - b - c
a / b / c
a / (b * c)
a @ b @ c
-a * b
-(a * b)
x - -1.0
~mask & other
not a
not (a and b)
a or b and c
(a or b) and c
not a == b
(not a) == b
a < b <= c
(a < b) < c
a is not None
x not in y
u[1:-1]
x[:, None]
x[..., 0]
x[i, j]
x[i,]
x[()]
x[:n]
x[: n - 1]
x[n + 1 :]
x[n + 1 : 2 * n]
x[::2]
x[a:b:c]
x[f(a) :: 2]
x[:: -s.n]
x[:, : d + 1]
x[*i]
x[*i, 0]
x[a if b else c]
x[(a := 1)]
levels[:trips]
u_bar[1:][::-1]
f()
f(x, *rest, key=1, **others)
f(*(a or b))
f(y for y in x)
f((y for y in x), 1)
f((a, b))
f(a if b else c)
f(lambda x: x + 1)
lambda: 0
lambda x, *a, y=1, **k: x
lambda a, /, b, *, c: (a, b)
(lambda x: x)(1)
a if b else c
(a if b else c) if d else e
a if b else c if d else e
(a, b)[0]
(a,)
()
[a, *b]
{a, b}
{a: b, **c}
{(a, b): c}
{}
[i for i in range(n) if i if j]
[(i, j) for i, j in x for k in (a if b else c)]
{k: v for k, v in d.items()}
{*a}
(x := f(y))
y + (x := 2)
(1).real
1.0.real
"text"
'say "so"'
"it's"
b"bytes"
b'"'
""
"a\\n"
1e-12
1e+300
10000000000000000000000000
2j
True
None
...
f"{x}"
f"{x!r:>{width}.2f}"
f"{d['key']} and {x + 1}"
f"{{}} {x}"
f"it's {x}"
f'"{x}"'
f"{f'{x}'}"
f"{(lambda: 1)}"
f"{ {1: 2}[1]}"
f"a\\n{x:%Y}"
(yield)
(yield from x)
await f(x)
await x ** 2
"""


def parsed(text):
    return ast.parse(text).body[0].value


@pytest.mark.parametrize("text", STYLE.strip().splitlines())
def test_expression_is_printed_as_a_person_writes_it(text):
    assert expression(parsed(text)) == text


def test_tuples_stand_bare_where_they_may():
    assert statement(ast.parse("(u, v) = (v, u)").body[0]) == ["u, v = v, u"]
    assert statement(ast.parse("return (value, (a, b))").body[0]) == ["return value, (a, b)"]
    assert statement(ast.parse("for (i, (a, b)) in (c, d): pass").body[0])[0] == "for i, (a, b) in (c, d):"


@pytest.mark.parametrize(
    "value, text",
    [
        (-1.0, "-1.0"),
        (-3, "-3"),
        (-0.0, "-0.0"),
        (math.inf, 'float("inf")'),
        (-math.inf, '-float("inf")'),
        (-2j, "-2j"),
        (1.5 - 2j, "1.5 - 2j"),
        (complex(-1, 0), "-1.0 + 0j"),
    ],
)
def test_numbers_without_a_literal(value, text):
    assert expression(ast.Constant(value)) == text
    power = expression(ast.BinOp(ast.Constant(value), ast.Pow(), ast.Constant(2)))
    assert repr(eval(power)) == repr(value**2)
    assert repr(eval(expression(ast.Attribute(ast.Constant(value), "real")))) == repr(value.real)


def test_negative_constant():
    minus, x = ast.Constant(-1.0), ast.Name("x")
    assert expression(ast.BinOp(minus, ast.Pow(), ast.Constant(2))) == "(-1.0) ** 2"
    assert expression(ast.BinOp(x, ast.Sub(), minus)) == "x - -1.0"
    assert expression(ast.BinOp(x, ast.Pow(), ast.Constant(-1))) == "x**-1"
    assert expression(ast.UnaryOp(ast.USub(), minus)) == "--1.0"


def test_huge_integer():
    huge = 10**5000 + 7
    assert eval(expression(ast.Constant(huge))) == huge


def test_inside_an_fstring():
    tree = ast.JoinedStr([ast.FormattedValue(ast.Constant(math.inf), -1)])
    assert eval(expression(tree)) == "inf"


@pytest.mark.parametrize("value", [math.nan, complex(math.nan, 0), complex(0, math.inf), (1, 2)])
def test_what_has_no_literal_is_refused(value):
    with pytest.raises(ValueError):
        expression(ast.Constant(value))


def test_one_node_in_two_places():
    total = parsed("a * b")
    assert expression(ast.BinOp(total, ast.Mult(), total)) == "a * b * (a * b)"
    minus = parsed("-a")
    assert expression(ast.BinOp(minus, ast.Pow(), minus)) == "(-a) ** -a"
    assert expression(minus) == "-a"


def test_a_long_expression_is_one_line():
    text = " + ".join(f"coefficient_{i} * x**{i}" for i in range(900))
    tree = ast.BinOp(ast.Name("a0"), ast.Add(), ast.Name("a0"))
    for i in range(3000):  # deeper than the recursion limit
        tree = ast.BinOp(tree, ast.Sub(), ast.Name(f"a{i}"))
    assert expression(parsed(text)) == text
    assert expression(tree).count(" - ") == 3000
    call = f"f({', '.join('argument' + str(i) for i in range(200))})"
    assert statement(ast.parse(f"y = {call}").body[0]) == [f"y = {call}"]


# Each is printed as it stands here.
STATEMENTS = [
    "x = y = 1",
    "u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])",
    "a, *b = c",
    "(x,) = y",
    "x = yield y",
    "x: float = 1.0",
    "(x): int",
    "x.y: int = 1, 2",
    "return",
    "return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))",
    "del a, b[0]",
    "pass",
    "break",
    "continue",
    "global a, b",
    "nonlocal a",
    "import a.b as c, d",
    "from .. import x as y, z",
    "from .a import *",
    "assert a, (b, c)",
    "raise",
    "raise ValueError(x) from None",
    '"""A docstring with "quotes" in it."""',
    '"""Ends in a quote\\""""',
    '"""One line\\nwhatever it holds"""',
    "if a:\n    b\nelif c:\n    d\nelse:\n    if e:\n        f\n    g",
    "while True:\n    break\nelse:\n    pass",
    "for i in range(n):\n    for j in x:\n        y[i, j] = 0\n    else:\n        continue",
    "with a as b, c as (d, e), f:\n    pass",
    "with ((a, b)):\n    pass",
    "try:\n    a\nexcept (B, C) as d:\n    e\nexcept:\n    f\nelse:\n    g\nfinally:\n    h",
    "try:\n    a\nexcept* B:\n    try:\n        c\n    except D:\n        e\nexcept* F:\n    pass",
    "def f(a, b: int = 1, /, c=2, *rest: int, d, e=(1, 2), **others) -> tuple[int, float]:\n    return a",
    "def f(*, a):\n    pass",
    "@decorated(a)\n@again\ndef f():\n    def g():\n        return 1\n    return g",
    "@grad\nclass A(B, metaclass=C):\n    x: int = 0\n    def f(self):\n        return (yield self.x)",
    "async def f():\n    async with a as b:\n        async for c in b:\n            await c\n"
    "    return [d async for d in e]",
    "match x, y:\n    case [1, -2.5, *rest] if rest:\n        pass\n    case {'a': _, **others}:\n        pass",
    "match x:\n    case Point(0, y=None) | str():\n        pass\n    case (1 | 'two') as z:\n        pass",
    "match x.y:\n    case A.b:\n        pass\n    case _:\n        pass",
]
if sys.version_info >= (3, 12):
    STATEMENTS += [
        "type A[T: int, *Ts, **P] = list[T]",
        "def f[T](x: T) -> T:\n    return x",
        "class A[T]:\n    pass",
    ]


@pytest.mark.parametrize("text", STATEMENTS)
def test_statement(text):
    tree = ast.parse(text).body[0]
    printed = "\n".join(statement(tree))
    assert ast.dump(ast.parse(printed).body[0]) == ast.dump(tree)
    if not text.startswith("match"):  # patterns are parenthesized more than a person would
        assert printed == text


MODULES = [argparse, ast, configparser, dataclasses, inspect, statistics, textwrap, typing]
MODULES += [
    np.linalg._linalg,
    np.lib._function_base_impl,
    np.lib._polynomial_impl,
    np.ma.core,
    np._core.einsumfunc,
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_round_trip_of_real_code(module):
    tree = ast.parse(inspect.getsource(module))
    formats = {node.format_spec for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)}
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            if isinstance(node, (ast.Starred, ast.Slice, ast.FormattedValue)) or holds_slice(node):
                continue  # not an expression by itself; it is seen in the expression that holds it
            if node in formats:
                continue
            text = expression(node)
            assert "\n" not in text
            assert ast.dump(parsed(text)) == ast.dump(node)
            count += 1
    assert count > 300
    for node in tree.body:
        assert ast.dump(ast.parse("\n".join(statement(node))).body[0]) == ast.dump(node)


def holds_slice(node):
    return isinstance(node, ast.Tuple) and any(isinstance(item, ast.Slice) for item in node.elts)
