"""The elementwise rules, read by an interpreter of the notation that shares nothing with the compiler's.

Each rule is run at its points as plain Python, and its lines are compared with differences of its pattern.
"""

import ast
import inspect
import math
import textwrap

import numpy as np
import pytest

from srcgrad import special
from srcgrad.rules import constants, elementwise, mathmodule, notation, operators

MODULES = {module.__name__ for module in (elementwise, mathmodule, operators)}
RULES = [entry for entry in notation.REGISTERED if entry.function.__module__ in MODULES]
LINEAR_ALGEBRA = {np.matmul, np.vecdot, np.matvec, np.vecmat}  # ufuncs that are not elementwise


class Template:
    """One rule: its pattern as a function, its other lines as code."""

    def __init__(self, registered):
        function = registered.function
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        documented = isinstance(tree.body[0], ast.Expr)
        self.pattern, *self.lines = tree.body[1:] if documented else tree.body
        self.namespace = function.__globals__
        self.parameters = [argument.arg for argument in tree.args.args]
        self.annotations = {a.arg: ast.unparse(a.annotation) for a in tree.args.args if a.annotation}
        optional = self.parameters[len(self.parameters) - len(tree.args.defaults) :]
        self.defaults = {n: self.constant(node) for n, node in zip(optional, tree.args.defaults, strict=True)}
        target = self.pattern.targets[0]
        self.results = [n.id for n in (target.elts if isinstance(target, ast.Tuple) else [target])]

    def constant(self, node):
        return eval(compile(ast.Expression(node), "default", "eval"), self.namespace)

    def bind(self, at):
        """The point as a dict from parameter to operand; what is absent is None."""
        positional, keywords = (at[:-1], at[-1]) if at and isinstance(at[-1], dict) else (at, {})
        values = {name: self.defaults.get(name) for name in self.parameters}
        return {**values, **dict(zip(self.parameters, positional, strict=False)), **keywords}

    def run(self, line, scope):
        code = compile(ast.Module([line], []), "rule", "exec")
        with np.errstate(all="ignore"):
            exec(code, self.namespace, scope)

    def primal(self, values):
        scope = dict(values)
        self.run(self.pattern, scope)
        return [scope[name] for name in self.results]

    def scope(self, values, **more):
        """All that the lines define, in order; `x_bar += e` starts from zero."""
        scope = dict(values, **more)
        self.run(self.pattern, scope)
        for name, extra in list(more.items()):
            scope[name] = extra
        for line in self.lines:
            target = line.target if isinstance(line, ast.AugAssign) else line.targets[0]
            needed = {n.id for n in ast.walk(line.value) if isinstance(n, ast.Name)}
            if any(n.endswith(("_dot", "_bar")) and n not in scope for n in needed):
                continue
            if isinstance(line, ast.AugAssign):
                scope.setdefault(target.id, 0)
            self.run(line, scope)
        return scope


def partial(scope, result, name, seed=1.0):
    """The partial of a result by a parameter, zero where it is not selected; None when nothing is said."""
    given = scope.get(f"d{result}_d{name}")
    selected = scope.get(f"{name}_selected")
    if given is None and selected is None:
        return None
    given = seed * (1 if given is None else given)
    return given if selected is None else np.where(selected, given, 0)


def is_number(value):
    return value is not None and np.asarray(value).dtype.kind in "iufc"


def differences(template, values, name, direction=1.0):
    """Central differences of all results by all entries of one parameter together, extrapolated once."""

    def quotient(h):
        x = values[name]
        ahead = template.primal({**values, name: x + h * direction})
        behind = template.primal({**values, name: x - h * direction})
        return [(np.asarray(a) - np.asarray(b)) / (2 * h) for a, b in zip(ahead, behind, strict=True)]

    scale = np.max(np.abs(values[name]))
    h = 1e-3 * scale if scale > 1e3 or 0 < scale < 1e-3 else 1e-3
    with np.errstate(all="ignore"):
        return [(4 * a - b) / 3 for a, b in zip(quotient(h / 2), quotient(h), strict=True)]


def differentiable(template, values):
    literal = ("Const", "Literal", "Absent")
    names = [n for n in template.parameters if not template.annotations.get(n, "").startswith(literal)]
    return [n for n in names if is_number(values[n])]


def widened(values):
    """float32 and float32 alone would drown in rounding: the same numbers as float64."""
    return {
        n: v.astype(float) if isinstance(v, np.ndarray) and v.dtype == np.float32 else v
        for n, v in values.items()
    }


CASES = [(entry, at) for entry in RULES for at in entry.at]
KINKS = [(entry, *kink) for entry in RULES for kink in entry.kink]


@pytest.mark.parametrize("entry, at", CASES, ids=[entry.function.__qualname__ for entry, _ in CASES])
def test_partials_against_differences(entry, at):
    template = Template(entry)
    values = widened(template.bind(at))
    scope = template.scope(values)
    names = differentiable(template, values)
    checked = 0
    if isinstance(template.primal(values)[0], tuple):  # indices
        assert [ast.unparse(line.value) for line in template.lines] == ["0"]
        return
    for name in names:
        measured = differences(template, values, name)
        for result, difference in zip(template.results, measured, strict=True):
            stated = partial(scope, result, name)
            if stated is None:
                continue
            checked += 1
            stated = np.broadcast_to(stated, difference.shape)
            np.testing.assert_allclose(stated, difference, rtol=entry.tolerance, atol=1e-8)
            x = np.asarray(values[name])
            y = np.asarray(scope[result])
            if x.dtype.kind == "c" and y.dtype.kind == "c":  # holomorphic
                turned = differences(template, values, name, 1j)[template.results.index(result)]
                np.testing.assert_allclose(1j * stated, turned, rtol=1e-6, atol=1e-8)
    assert checked or "_bar" in inspect.getsource(entry.function)


MODES = [(e, at) for e, at in CASES if "_bar" in inspect.getsource(e.function)]


@pytest.mark.parametrize("entry, at", MODES, ids=[entry.function.__qualname__ for entry, _ in MODES])
def test_tangent_and_adjoint_lines(entry, at):
    """Rules in two modes: the tangent against differences, the adjoint against the tangent."""
    template = Template(entry)
    values = widened(template.bind(at))
    rng = np.random.default_rng(0)

    def draw(like):
        like = np.asarray(like)
        v = rng.normal(size=like.shape)
        return v + 1j * rng.normal(size=like.shape) if like.dtype.kind == "c" else v

    names = differentiable(template, values)
    tangents = {f"{name}_dot": draw(values[name]) for name in names}
    for index, (result, y) in enumerate(zip(template.results, template.primal(values), strict=True)):
        measured = sum(differences(template, values, n, tangents[f"{n}_dot"])[index] for n in names)
        y_bar = draw(y)
        scope = template.scope(values, **tangents, **{f"{result}_bar": y_bar})
        if f"{result}_dot" not in scope:  # a step
            assert not np.any(measured)
            continue
        y_dot = scope[f"{result}_dot"]
        np.testing.assert_allclose(y_dot, measured, rtol=1e-6, atol=1e-8)
        left = np.sum(y_bar * y_dot)
        right = sum(np.sum(scope[f"{n}_bar"] * tangents[f"{n}_dot"]) for n in names)
        np.testing.assert_allclose(np.real(left), np.real(right), rtol=1e-12, atol=1e-12)
        for name in names:
            assert np.shape(scope[f"{name}_bar"]) == np.shape(values[name])


@pytest.mark.parametrize(
    "entry, at, stated", KINKS, ids=[entry.function.__qualname__ for entry, _, _ in KINKS]
)
def test_kinks_take_the_stated_value(entry, at, stated):
    template = Template(entry)
    values = template.bind(at)
    result = template.results[0]
    ones = np.ones(np.shape(template.primal(values)[0]))
    scope = template.scope(values, **{f"{result}_bar": ones})
    for name, expected in stated.items():
        if f"{name}_bar" in scope:
            found = scope[f"{name}_bar"]
        else:
            found = np.broadcast_to(partial(scope, result, name), ones.shape)
        np.testing.assert_allclose(np.sum(found), expected, rtol=1e-12, err_msg=name)


def covered():
    """Every function that a rule of these modules serves, found by running its pattern's call as text."""
    found = set()
    for entry in RULES:
        template = Template(entry)
        found.update(entry.also)
        if isinstance(template.pattern.value, ast.Call):
            if ast.unparse(template.pattern.value.func).partition(".")[0] not in template.parameters:
                found.add(template.constant(template.pattern.value.func))
    return found


def test_every_ufunc_is_accounted_for():
    known = covered() | set(notation.CONSTANT) | set(notation.DATA) | set(constants.NOT_DIFFERENTIATED)
    ufuncs = {f for f in vars(np).values() if isinstance(f, np.ufunc)} - LINEAR_ALGEBRA
    assert sorted(f.__name__ for f in ufuncs - known) == []


def test_every_function_of_math_is_accounted_for():
    known = covered() | set(notation.CONSTANT) | set(notation.DATA) | set(constants.NOT_DIFFERENTIATED)
    of_sequences = {math.dist, math.fsum, math.prod, *(getattr(math, n, None) for n in ("sumprod",))}
    functions = {f for f in vars(math).values() if callable(f) and not isinstance(f, type)}
    unknown = {f.__name__ for f in functions - known - of_sequences}
    assert unknown <= {"fma"}  # newer Pythons


def test_nothing_is_said_twice():
    tables = [set(notation.CONSTANT), set(notation.DATA), set(constants.NOT_DIFFERENTIATED)]
    for i, table in enumerate(tables):
        for other in tables[i + 1 :]:
            assert not table & other
        assert not table & covered()
    assert not notation.CONSTANT_METHODS & notation.DATA_METHODS


def test_special_functions_against_scipy():
    scipy = pytest.importorskip("scipy.special")
    x = np.concatenate([np.linspace(-20.3, 30, 997), [1e-8, 1e5, 1e10]])
    np.testing.assert_allclose(special.digamma(x), scipy.digamma(x), rtol=1e-13, atol=1e-13)
    assert np.isnan(special.digamma(-2.0)) and np.isnan(special.digamma(0.0))
    x = np.linspace(0.01, 30, 997)
    for n in (1, 2, 5):
        np.testing.assert_allclose(special.polygamma(n, x), scipy.polygamma(n, x), rtol=1e-13)
    x = np.linspace(-60, 60, 997)
    for n in range(5):
        np.testing.assert_allclose(special.spherical_bessel(n, x), scipy.spherical_jn(n, x), atol=1e-14)
    assert special.spherical_bessel(1, np.float32(0.3)).dtype == np.float32


def test_second_derivative_of_sinc_at_zero():
    """What a selection of x != 0 would get wrong: it is -pi**2 / 3."""
    sinc, entry = (
        next(e for e in RULES if e.function.__name__ == name)
        for name in ("sinc", "spherical_bessel_function")
    )
    np.testing.assert_allclose(Template(sinc).scope({"x": 1e-8})["dy_dx"], -(np.pi**2) / 3 * 1e-8, rtol=1e-14)
    slope = Template(entry).scope({"n": 1, "x": np.zeros(1)})["dy_dx"]
    np.testing.assert_allclose(-np.pi * np.pi * slope, -(np.pi**2) / 3, rtol=1e-14)


def test_every_call_in_a_rule_has_a_rule():
    """So that the derivative of a derivative is made from the same table."""
    from srcgrad import runtime

    known = covered() | set(notation.CONSTANT)
    missing = set()
    for entry in RULES:
        template = Template(entry)
        for line in template.lines:
            for call in (n for n in ast.walk(line.value) if isinstance(n, ast.Call)):
                function = template.constant(call.func)
                if function not in known and getattr(function, "__module__", "") != runtime.__name__:
                    missing.add(ast.unparse(call.func))
    assert missing == set()
