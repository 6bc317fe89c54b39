"""The templates of the array rules, proved by a tiny interpreter of the notation of its own.

Each rule at each of its points: the tangent lines against central differences, the adjoint lines against the
tangent by the dot product, both run on copies that must stay as they were.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import math
import pkgutil
import textwrap

import numpy as np
import pytest

import srcgrad.rules
from srcgrad import runtime
from srcgrad.rules import einsum
from srcgrad.rules.notation import CONSTANT, DATA, REGISTERED

MINE = ("reductions", "products", "shapes", "sequences", "linalg", "helpers")
for _name in MINE:
    importlib.import_module(f"srcgrad.rules.{_name}")
SCOPE = {"np": np, "math": math, **{k: v for k, v in vars(runtime).items() if inspect.isfunction(v)}}


class Template:
    """One rule, read: its pattern, and its other lines with the names that they read."""

    def __init__(self, registered):
        self.registered = registered
        self.function = registered.function
        self.signature = inspect.signature(registered.function)
        tree = ast.parse(textwrap.dedent(inspect.getsource(registered.function))).body[0]
        body = tree.body[1:] if ast.get_docstring(tree) else tree.body
        self.pattern, *self.lines = body
        target = self.pattern.targets[0]
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        self.results = [n.id for n in names]
        self.called = self.pattern.value
        kinds = {name: str(p.annotation) for name, p in self.signature.parameters.items()}
        self.kinds = kinds
        self.data = {
            n
            for n, k in kinds.items()
            if k == "Const" or k == "Absent" or k.startswith("Literal") or n == "like"
        }
        self.active = [n for n in kinds if n not in self.data]

    def elementwise(self):
        return any(
            isinstance(n, ast.Assign) and n.targets[0].id.startswith("d") and "_d" in n.targets[0].id
            for n in self.lines
        )


TEMPLATES = [Template(r) for r in REGISTERED if r.function.__module__.rsplit(".", 1)[-1] in MINE]
PLAIN = [t for t in TEMPLATES if not t.elementwise()]
POINTS = [(t, k) for t in PLAIN for k in range(len(t.registered.at))]


class DropKeywords(ast.NodeTransformer):
    """Leave out the keywords whose parameter the call did not give."""

    def __init__(self, absent):
        self.absent = absent

    def visit_Call(self, node):
        self.generic_visit(node)
        node.keywords = [
            k for k in node.keywords if not (isinstance(k.value, ast.Name) and k.value.id in self.absent)
        ]
        return node


def bind(template, point):
    *args, last = point
    keywords = last if isinstance(last, dict) else {}
    args = args if isinstance(last, dict) else point
    bound = template.signature.bind(*args, **keywords)
    given = set(bound.arguments)
    bound.apply_defaults()
    return dict(bound.arguments), set(template.signature.parameters) - given


def evaluate(node, scope, absent):
    node = DropKeywords(absent).visit(ast.parse(ast.unparse(node), mode="eval"))
    scope = {**vars(builtins), **SCOPE, **scope}
    return eval(compile(ast.fix_missing_locations(node), "<template>", "eval"), scope)


def run_pattern(template, values, absent):
    y = evaluate(template.called, values, absent)
    if len(template.results) == 1:
        return {template.results[0]: y}
    return dict(zip(template.results, y, strict=True))


def names_in(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def temporaries(template, scope, absent, direction, known):
    """Run the lines in order; those of the other direction are left out."""
    scope = dict(scope)
    other = "_bar" if direction == "_dot" else "_dot"
    foreign = {n for n in known if n.endswith(other)}
    collected = {}
    for line in template.lines:
        target = line.target if isinstance(line, ast.AugAssign) else line.targets[0]
        reads = names_in(line.value)
        if any(n.endswith(other) or n in foreign for n in reads) or target.id.endswith(other):
            foreign.add(target.id)
            continue
        if target.id.endswith("_selected"):
            collected[target.id] = evaluate(line.value, scope, absent)
            continue
        value = evaluate(line.value, scope, absent)
        if isinstance(line, ast.AugAssign):
            assert target.id.endswith("_bar")
            value = scaled(value, -1) if isinstance(line.op, ast.Sub) else value
            before = collected.get(target.id)
            collected[target.id] = value if before is None else before + value
        else:
            scope[target.id] = value
            if target.id.endswith("_dot"):
                collected[target.id] = value
    return collected


# Tangents and adjoints of numbers, arrays and lists


def tree(f, x, *more):
    if isinstance(x, list | tuple):
        return [tree(f, *items) for items in zip(x, *more, strict=True)]
    return f(x, *more)


def scaled(x, factor):
    return tree(lambda a: a * factor, x)


def moved(x, tangent, step):
    return tree(lambda a, b: a + step * b, x, tangent)


def random_like(x, random, symmetric=True):
    def one(a):
        v = random.normal(size=np.shape(a))
        if np.iscomplexobj(a):
            v = v + 1j * random.normal(size=np.shape(a))
        a = np.asarray(a)
        if symmetric and a.ndim == 2 and a.shape[0] == a.shape[1] > 1 and np.array_equal(a, a.T):
            v = (v + v.T) / 2  # a symmetric point stays symmetric
        return v if v.shape else v[()]

    return tree(one, x)


def flat(x):
    if isinstance(x, list | tuple):
        return [v for item in x for v in flat(item)]
    return [np.asarray(x)]


def inner(x, y):
    if isinstance(x, list | tuple):
        return builtins.sum(inner(a, b) for a, b in zip(x, y, strict=True))
    return np.real(np.sum(np.nan_to_num(np.asarray(x) * np.asarray(y))))


def close(a, b, tolerance):
    for u, v in zip(flat(a), flat(b), strict=True):
        assert u.shape == v.shape, (u.shape, v.shape)
        np.testing.assert_allclose(u, v, rtol=tolerance, atol=tolerance)


def title(case):
    template, k = case
    return f"{template.function.__name__}-{k}"


@pytest.mark.parametrize("case", POINTS, ids=title)
def test_tangent_and_adjoint(case):
    template, k = case
    random = np.random.default_rng(k)
    values, absent = bind(template, template.registered.at[k])
    before = {n: tree(np.copy, v) for n, v in values.items() if n in template.active}
    results = run_pattern(template, values, absent)
    with_tangents = dict(values)
    tangents = {n: random_like(values[n], random) for n in template.active if n not in absent}
    for n in template.active:  # an active argument left to its default is a constant
        tangents.setdefault(n, scaled(values[n], 0) if values[n] is not None else None)
    with_tangents |= results | {f"{n}_dot": t for n, t in tangents.items()}
    known = set(with_tangents)
    forward = temporaries(template, with_tangents, absent, "_dot", known)

    step = 1e-6
    up = run_pattern(template, values | {n: moved(values[n], t, step) for n, t in tangents.items()}, absent)
    down = run_pattern(
        template, values | {n: moved(values[n], t, -step) for n, t in tangents.items()}, absent
    )
    for name in template.results:
        difference = tree(lambda a, b: (np.asarray(a) - np.asarray(b)) / (2 * step), up[name], down[name])
        tangent = forward.get(f"{name}_dot")
        if tangent is None:
            tangent = scaled(difference, 0)  # a result without a tangent line is data
        close(tangent, difference, max(template.registered.tolerance, 1e-6))

    bars = {f"{n}_bar": random_like(v, random, symmetric=False) for n, v in results.items()}
    backward = temporaries(template, {**values, **results, **bars}, absent, "_bar", set())
    for name in template.active:
        bar = backward[f"{name}_bar"]
        if isinstance(values[name], list | tuple):
            bar = [bar[i] for i in range(len(values[name]))]
        reals = tree(lambda a, b: b if np.iscomplexobj(a) else np.real(b), values[name], bar)
        for x, x_bar in zip(flat(values[name]), flat(reals), strict=True):
            assert x.shape == x_bar.shape, (name, x.shape, x_bar.shape)
        backward[f"{name}_bar"] = reals
    left = builtins.sum(
        inner(bars[f"{n}_bar"], forward[f"{n}_dot"]) for n in template.results if f"{n}_dot" in forward
    )
    right = builtins.sum(inner(backward[f"{n}_bar"], tangents[n]) for n in template.active if n not in absent)
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9)
    for name, copy in before.items():
        tree(np.testing.assert_array_equal, values[name], copy)


@pytest.mark.parametrize("template", PLAIN, ids=lambda t: t.function.__name__)
def test_runs_in_float32(template):
    values, absent = bind(template, template.registered.at[0])
    if any(np.iscomplexobj(a) for n in template.active for a in flat(values[n])):
        return
    single = {n: tree(lambda a: np.asarray(a, np.float32)[()], values[n]) for n in template.active}
    values |= {n: v for n, v in single.items() if n not in absent}
    results = run_pattern(template, values, absent)
    bars = {f"{n}_bar": tree(lambda a: np.ones_like(np.asarray(a))[()], v) for n, v in results.items()}
    temporaries(
        template, {**values, **results, **bars}, absent, "_bar", set()
    )  # runs: the width is cast when it leaves


def test_kinks():
    for template in PLAIN:
        for point, expected in template.registered.kink:
            values, absent = bind(template, point)
            results = run_pattern(template, values, absent)
            bars = {
                f"{n}_bar": tree(lambda a: np.ones_like(np.asarray(a))[()], v) for n, v in results.items()
            }
            found = temporaries(template, {**values, **results, **bars}, absent, "_bar", set())
            for name, value in expected.items():
                np.testing.assert_array_equal(found[f"{name}_bar"], value, err_msg=template.function.__name__)


@pytest.mark.parametrize("template", PLAIN, ids=lambda t: t.function.__name__)
def test_every_parameter_has_its_lines(template):
    targets = [names_in(getattr(n, "target", None) or n.targets[0]).pop() for n in template.lines]
    reads = set().union(*(names_in(n.value) for n in template.lines))
    assert template.active, "nothing to differentiate"
    for name in template.active:
        assert f"{name}_bar" in targets
        assert f"{name}_dot" in reads
    for name in template.results:
        assert f"{name}_bar" in reads or f"{name}_dot" not in targets


RANKS = {
    "Scalar": (0,),
    "Number": (0,),
    "Vector": (1,),
    "Matrix": (2,),
    "Stack": range(3, 9),
    "Array": range(1, 9),
}


@pytest.mark.parametrize("template", PLAIN, ids=lambda t: t.function.__name__)
def test_points_fit_the_annotations(template):
    for point in template.registered.at:
        values, absent = bind(template, point)
        for name, kind in template.kinds.items():
            if kind in RANKS and name not in absent:
                assert np.ndim(values[name]) in RANKS[kind], (name, kind)
            if kind == "Sequence":
                assert isinstance(values[name], list | tuple)
            if kind == "Absent":
                assert values[name] == template.signature.parameters[name].default


def called_function(template):
    node = template.called
    if (
        not isinstance(node, ast.Call)
        or isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id not in ("np", "math")
    ):
        return (
            node.func.value
            if isinstance(node, ast.Call) and isinstance(node.func.value, ast.Attribute)
            else None
        )
    return evaluate(node.func, template.function.__globals__, set())


@pytest.mark.parametrize("template", PLAIN, ids=lambda t: t.function.__name__)
def test_arguments_have_the_order_and_names_of_numpy(template):
    function = called_function(template)
    if not callable(function):
        return  # a method or an attribute
    try:
        theirs = inspect.signature(function).parameters
    except ValueError:
        return
    positional = [n for n, p in theirs.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind == p.VAR_POSITIONAL for p in theirs.values()):
        return
    for k, (name, parameter) in enumerate(template.signature.parameters.items()):
        if parameter.kind == parameter.KEYWORD_ONLY:
            assert name in theirs or any(p.kind == p.VAR_KEYWORD for p in theirs.values())
        elif parameter.kind == parameter.POSITIONAL_OR_KEYWORD:
            assert positional[k] == name
            if parameter.default is not parameter.empty and theirs[name].default is not np._NoValue:
                assert parameter.default is theirs[name].default or parameter.default == theirs[name].default


def test_templates_call_only_what_has_a_rule():
    for module in pkgutil.iter_modules(srcgrad.rules.__path__):
        if module.name not in ("table",):
            importlib.import_module(f"srcgrad.rules.{module.name}")
    covered = set(CONSTANT) | set(DATA) | {np.einsum}
    for registered in REGISTERED:
        template = Template(registered)
        covered |= set(registered.also)
        function = called_function(template)
        if callable(function):
            covered.add(function)
    missing = set()
    for template in TEMPLATES:
        for line in template.lines:
            for node in ast.walk(line.value):
                if isinstance(node, ast.Call) and not (
                    isinstance(node.func, ast.Attribute) and node.func.attr in ("transpose", "copy")
                ):
                    function = evaluate(node.func, {}, set())
                    if function not in covered:
                        missing.add(ast.unparse(node.func))
    allowed = set()
    if not any(m.name == "constants" for m in pkgutil.iter_modules(srcgrad.rules.__path__)):
        allowed |= {m for m in missing if m.startswith("np.")}
    assert missing <= allowed


SPECS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("i,i->", (3,), (3,)),
    ("i,i", (3,), (3,)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("ij->ji", (2, 3)),
    ("ba", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("iij->j", (2, 2, 3)),
    ("iii->i", (2, 2, 2)),
    ("iii", (2, 2, 2)),
    ("ij,ij,ij->i", (2, 3), (2, 3), (2, 3)),
    ("i,j,k->kji", (2,), (3,), (4,)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 3)),
    ("ij,kl->ik", (2, 3), (3, 4)),
    ("ii,i->i", (3, 3), (3,)),
    (" i j , j -> i", (2, 3), (3,)),
    (",i->i", (), (3,)),
]


@pytest.mark.parametrize("case", SPECS, ids=lambda c: c[0])
def test_einsum(case):
    spec, *shapes = case
    random = np.random.default_rng(1)
    operands = [random.normal(size=shape) for shape in shapes]
    names = [f"x{k}" for k in range(len(operands))]
    y_bar = random.normal(size=np.shape(np.einsum(spec, *operands)))
    for k, x in enumerate(operands):
        text = einsum.adjoint_call(spec, names, k, "y_bar")
        x_bar = eval(text, {"np": np, "y_bar": y_bar, **dict(zip(names, operands, strict=True))})
        assert x_bar.shape == x.shape
        x_dot = random.normal(size=x.shape)
        y_dot = np.einsum(spec, *operands[:k], x_dot, *operands[k + 1 :])
        np.testing.assert_allclose(np.sum(x_bar * x_dot), np.sum(y_bar * y_dot), rtol=1e-12)


def test_einsum_ellipsis_is_unsupported():
    with pytest.raises(einsum.Unsupported, match="ellipsis"):
        einsum.adjoint_specs("...i,i->...", 0)
