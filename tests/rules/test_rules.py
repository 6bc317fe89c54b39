"""Every rule, through the compiler, at every point that it names.

Each rule and point becomes the text of a small function: the rule's pattern, with what is differentiated as
parameters and the rest as literals. Its value is compared with the plain call, its adjoint with its tangent, its
tangent with differences of the plain call.
"""

import ast
import builtins
import copy
import functools
import importlib.util
import inspect
import math
import operator
import textwrap
import warnings
import zlib

import numpy as np
import pytest

from srcgrad import SrcgradError, grad, jvp, vjp
from srcgrad.derive.template import Template
from srcgrad.rules.notation import REGISTERED
from srcgrad.rules.table import table

HEADER = """import math
import operator
import numpy as np
from srcgrad import runtime, special
from srcgrad.runtime import *
from srcgrad.special import digamma, polygamma, spherical_bessel
"""
DATA = ("Const", "Literal", "Absent", "Basic", "IntArray", "Mask")
UNARY = {"u-": "-", "u+": "+"}


class Case:
    """A rule at a point, called in one of its spellings: the text of a function, and what to call it with."""

    def __init__(self, registered, point, label, spelling="pattern"):
        self.registered, self.label, self.spelling = registered, label, spelling
        function = registered.function
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        body = tree.body[1:] if ast.get_docstring(tree) else tree.body
        self.pattern = body[0].value
        self.targets = {s.target.id if isinstance(s, ast.AugAssign) else s.targets[0].id for s in body[1:]}
        self.results = [n.id for n in ast.walk(body[0].targets[0]) if isinstance(n, ast.Name)]
        signature = inspect.signature(function)
        self.annotations = {n: str(p.annotation) for n, p in signature.parameters.items()}
        self.defaults = {n: p.default for n, p in signature.parameters.items()}
        *args, last = point
        args, keywords = (args, last) if isinstance(last, dict) else (point, {})
        self.given = list(signature.bind_partial(*args, **keywords).arguments)
        self.by_keyword = set(keywords)
        self.elementwise = any(t.startswith("d") and "_d" in t for t in self.targets)
        self.parameters, self.arguments, self.wrt, self.constants = [], [], [], {}
        values = signature.bind_partial(*args, **keywords).arguments
        self.id = f"{function.__module__.rsplit('.', 1)[-1]}-{function.__name__}-{label}"
        self.name = self.id.replace("-", "_").replace(".", "_")
        self.texts = {n: self.text(n, v) for n, v in values.items()}

    def text(self, name, value):
        """An operand as it stands in the call: the name of a parameter, or a literal."""
        kind = self.annotations.get(name, "")
        if name == "like":
            return self.parameter(name, value, active=False)
        if kind.startswith(DATA) or value is None:
            if kind == "Const" and self.elementwise:
                return self.parameter(name, value, active=False)
            return self.literal(name, value)
        return self.parameter(name, value, active=True)

    def parameter(self, name, value, active):
        if isinstance(value, list | tuple):
            return f"[{', '.join(self.parameter(f'{name}_{k}', v, active) for k, v in enumerate(value))}]"
        self.parameters.append(name)
        self.arguments.append(value)
        if active:
            self.wrt.append(name)
        return name

    def literal(self, name, value):
        if isinstance(value, np.ndarray):
            known = f"{name}_of_{self.name}"
            self.constants[known] = value
            return known
        if isinstance(value, list | tuple):
            items = ", ".join(self.literal(f"{name}_{k}", v) for k, v in enumerate(value))
            return f"[{items}]" if isinstance(value, list) else f"({items}{',' if len(value) == 1 else ''})"
        if isinstance(value, slice):
            if self.annotations.get(name.split("_")[0]) in ("Basic", "IntArray", "Mask"):
                return ":".join("" if v is None else repr(v) for v in (value.start, value.stop))
            return repr(value).replace(", None)", ")")
        if value is Ellipsis:
            return "..."
        if isinstance(value, type):
            return value.__name__ if value.__module__ == "builtins" else f"np.{value.__name__}"
        if isinstance(value, float) and not math.isfinite(value):
            return f"{'-' if value < 0 else ''}np.inf" if value == value else "np.nan"
        return repr(value)

    def call(self):
        """The call, as it is spelled."""
        if self.spelling == "pattern":
            return self.filled(self.pattern)
        named = self.by_keyword
        if self.spelling.startswith("np.linalg."):  # all but the operands by keyword
            named = {n for n in self.given if self.annotations.get(n, "").startswith(DATA)}
        positional = [self.texts[n] for n in self.given if n not in named]
        keywords = [f"{n}={self.texts[n]}" for n in self.given if n in named]
        if self.spelling.startswith("."):
            if self.spelling in (".T", ".mT", ".real", ".imag"):
                return f"{positional[0]}{self.spelling}"
            return f"{positional[0]}{self.spelling}({', '.join([*positional[1:], *keywords])})"
        if self.spelling in UNARY:
            return f"{UNARY[self.spelling]}{positional[0]}"
        if self.spelling[0] in "+-*/%@":
            return f"{positional[0]} {self.spelling} {positional[1]}"
        return f"{self.spelling}({', '.join([*positional, *keywords])})"

    def filled(self, e):
        if isinstance(e, ast.Name):
            if self.missing(e.id):
                return repr(self.defaults[e.id])
            return self.texts.get(e.id, e.id)
        if isinstance(e, ast.Call):
            args = list(e.args)
            while args and isinstance(args[-1], ast.Name) and self.missing(args[-1].id):
                args.pop()
            parts = [self.filled(a) for a in args]
            parts += [
                f"{k.arg}={self.filled(k.value)}"
                for k in e.keywords
                if not (isinstance(k.value, ast.Name) and self.missing(k.value.id))
            ]
            return f"{self.filled(e.func)}({', '.join(parts)})"
        if isinstance(e, ast.Attribute):
            return f"{self.filled(e.value)}.{e.attr}"
        if isinstance(e, ast.Subscript):
            index = self.texts[e.slice.id]
            return f"{self.filled(e.value)}[{index.removeprefix('(').removesuffix(')')}]"
        return ast.unparse(Filler(self).visit(copy.deepcopy(e)))

    def missing(self, name):
        return name in self.defaults and name not in self.given

    def source(self):
        return f"def {self.name}({', '.join(self.parameters)}):\n    return {self.call()}\n"

    @functools.cached_property
    def function(self):
        module = modules(self.registered.function.__module__)
        vars(module).update(self.constants)
        return vars(module)[self.name]

    def with_arguments(self, change):
        """The same case, its differentiable arguments changed."""
        other = copy.copy(self)
        other.arguments = [change(v) if n in self.wrt else v for n, v in self.items()]
        return other

    def items(self):
        return list(zip(self.parameters, self.arguments, strict=True))

    def differentiated(self):
        return [v for n, v in self.items() if n in self.wrt]


class Filler(ast.NodeTransformer):
    """The operands for the parameters of a pattern."""

    def __init__(self, case):
        self.case = case

    def visit_Name(self, node):
        return ast.parse(self.case.texts.get(node.id, node.id), mode="eval").body


def paths():
    """The spelling of each function that a rule may serve."""
    found = {}
    homes = (("", builtins), ("math.", math), ("operator.", operator), ("np.linalg.", np.linalg), ("np.", np))
    for prefix, home in homes:
        for name, value in vars(home).items():
            if callable(value) and not name.startswith("_"):
                found[id(value)] = f"{prefix}{name}"
    return found


PATHS = paths()
table()  # registers all rules
CASES = [Case(r, point, str(k)) for r in REGISTERED for k, point in enumerate(r.at)]


def spellings(registered):
    """The other ways to spell a call, at the first point: `also`, `method`, `operator`."""
    out = [PATHS[id(f)] for f in registered.also]
    if registered.operator is not None and registered.operator != "[]":
        out.append("abs" if registered.operator == "abs" else registered.operator)
    if registered.method is not None:
        out.append(f".{registered.method}")
    return out


def spelled():
    for r in REGISTERED:
        for s in spellings(r):
            point = next((p for p in r.at if any(isinstance(v, np.ndarray) for v in p)), r.at[0])
            if s.startswith(".") and not isinstance(point[0], np.ndarray):
                continue
            words = "".join(c if c.isalnum() else f"x{ord(c):x}" for c in s)
            yield Case(r, point, f"as-{words}", s), Case(r, point, f"plain-{words}")


SPELLED = list(spelled())
KINKS = [(Case(r, point, f"kink{k}"), stated) for r in REGISTERED for k, (point, stated) in enumerate(r.kink)]


def broadcast():
    """Rules of two and more operands, each with operands of other shapes."""
    for r in REGISTERED:
        case = Case(r, r.at[0], "shape")
        scalar = {"Float", "Number", "Scalar", "Complex"} & set(case.annotations.values())
        if (
            not case.elementwise
            or len(case.wrt) < 2
            or scalar
            or case.registered.function.__module__.endswith("math")
        ):
            continue
        point = next((p for p in r.at if sum(isinstance(v, np.ndarray) for v in p) > 1), None)
        if (
            point is None
            or isinstance(point[-1], dict)
            and not any(isinstance(v, np.ndarray) for v in point[:-1])
        ):
            continue
        keywords = point[-1] if isinstance(point[-1], dict) else {}
        operands = [np.ravel(v) for v in (point[:-1] if keywords else point)]
        if any(v.dtype.kind not in "fiu" for v in operands):
            continue
        forms = {
            "vector-scalar": [lambda v: np.resize(v, 4), lambda v: float(v[0])],
            "scalar-vector": [lambda v: float(v[0]), lambda v: np.resize(v, 4)],
            "row-column": [lambda v: np.resize(v, (1, 4)), lambda v: np.resize(v, (3, 1))],
            "one-vector": [lambda v: np.resize(v, 1), lambda v: np.resize(v, 4)],
            "matrix-ones": [lambda v: np.resize(v, (3, 4)), lambda v: np.resize(v, (1, 1))],
            "matrix-vector": [lambda v: np.resize(v, (3, 4)), lambda v: np.resize(v, 4)],
            "vector-stack": [lambda v: np.resize(v, 4), lambda v: np.resize(v, (2, 3, 4))],
            "zero_d-vector": [lambda v: np.asarray(v[0]), lambda v: np.resize(v, 4)],
        }
        for label, form in forms.items():
            new = [form[min(k, 1)](v) for k, v in enumerate(operands)]
            yield Case(r, (*new, keywords) if keywords else tuple(new), label)


BROADCAST = list(broadcast())
LIKE = [Case(r, r.at[0], "like") for r in REGISTERED if "like" in inspect.signature(r.function).parameters]
WRITTEN = [*CASES, *(c for pair in SPELLED for c in pair), *(c for c, _ in KINKS), *BROADCAST, *LIKE]


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    global _home
    _home = tmp_path_factory.mktemp("rules")


@functools.cache
def modules(name):
    """One file with all functions of one module of rules."""
    stem = name.rsplit(".", 1)[-1]
    path = _home / f"functions_of_{stem}.py"
    path.write_text(
        HEADER + "".join(f"\n\n{c.source()}" for c in WRITTEN if c.registered.function.__module__ == name)
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


USED = set()
_init = Template.__init__


def _recorded(self, function, use, *rest):
    USED.add(use.rule.registered.function)
    _init(self, function, use, *rest)


Template.__init__ = _recorded


# --- numbers, arrays, and tuples and lists of them ----------------------------------------------------


def leaves(x):
    if isinstance(x, list | tuple):
        return [v for item in x for v in leaves(item)]
    return [x]


def tree(f, x, *more):
    if isinstance(x, list | tuple):
        items = [tree(f, *each) for each in zip(x, *more, strict=True)]
        if hasattr(x, "_fields"):
            return type(x)(*items)
        return type(x)(items)
    return f(x, *more)


def draw(rng, x):
    """Random numbers of the shape and kind of x."""
    if np.asarray(x).dtype == bool:
        return x
    v = rng.uniform(0.5, 1.5, np.shape(x)) * rng.choice([-1, 1], np.shape(x))
    if np.asarray(x).dtype.kind == "c":
        v = v + 1j * rng.uniform(0.5, 1.5, np.shape(x))
    dtype = np.asarray(x).dtype
    v = np.asarray(v, dtype if dtype.kind in "fc" else float)
    if v.ndim:
        return v
    return v[()] if isinstance(x, np.generic | np.ndarray) else v.item()


def same(a, b):
    a, b = leaves(a), leaves(b)
    if len(a) != len(b):
        return False
    for u, v in zip(a, b, strict=True):
        u, v = np.asarray(u), np.asarray(v)
        if (
            u.shape != v.shape
            or u.dtype != v.dtype
            or not np.array_equal(u, v, equal_nan=u.dtype.kind in "fc")
        ):
            return False
    return True


def product(a, b):
    """The sum of all products, its real part, and the sum of their sizes."""
    pairs = [np.ravel(np.asarray(u) * np.asarray(v)) for u, v in zip(leaves(a), leaves(b), strict=True)]
    flat = np.concatenate([np.zeros(0), *pairs])
    return np.sum(flat.real), np.sum(np.abs(flat))


def flat(x):
    return np.concatenate([np.zeros(0), *(np.ravel(np.asarray(v)) for v in leaves(x))])


def quiet(f, *args):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return f(*args)


def plain(case):
    return quiet(
        case.function, *case.arguments
    )  # not of copies: their strides, and so the bits, may be others


def pulled(case, y_bar):
    value, pullback = quiet(vjp(case.function, wrt=tuple(case.wrt)), *case.arguments)
    return value, quiet(pullback, y_bar)


def pushed(case, dots):
    f = jvp(case.function, wrt=tuple(case.wrt))
    named = {f"{n}_dot": v for n, v in zip(case.wrt, dots, strict=True)}
    return quiet(lambda: f(*case.arguments, **named))


def moved(case, dots, h):
    steps = iter(dots)

    def one(v):
        v = np.asarray(v)
        v = v if v.dtype.kind in "fc" and v.dtype.itemsize >= 8 else v.astype(float)
        v = v + h * next(steps)
        return v if np.ndim(v) else v.item()

    return plain(case.with_arguments(one))


def differences(case, dots):
    """Central differences along the tangents, extrapolated once; and how far rounding may put them off."""
    size = max(
        [np.max(np.abs(v), initial=0) for v in case.differentiated() if np.all(np.isfinite(v))], default=1
    )
    h = 1e-3 * size if size > 1e3 or 0 < size < 1e-3 else 2e-4

    ends = [flat(moved(case, dots, k * h)) for k in (-1, -0.5, 0.5, 1)]
    noise = 1e-14 * max(np.max(np.abs(y), initial=0) for y in ends) / h
    return (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (6 * h), noise


def seed_of(case):
    return np.random.default_rng(zlib.crc32(case.id.encode()))


def check(case, *, rule=True, against_differences=True, scale=1e-12):
    rng = seed_of(case)
    y = plain(case)
    before = copy.deepcopy(case.arguments)
    y_bar = tree(lambda v: draw(rng, v), y)
    dots = [draw(rng, v) for v in case.differentiated()]
    USED.clear()
    value, bars = pulled(case, y_bar)
    assert not rule or case.registered.operator == "[]" or case.registered.function in USED, (
        f"another rule is used: {', '.join(f.__name__ for f in USED)}"
    )
    assert same(value, y), "the value is not that of the plain call"
    assert same(case.arguments, before), "an argument was written"
    assert same(pulled(case, y_bar)[1], bars), "a second run gives another gradient"
    for x, x_bar in zip(case.differentiated(), bars, strict=True):
        assert np.shape(x_bar) == np.shape(x), f"the gradient has shape {np.shape(x_bar)}, not {np.shape(x)}"
        if isinstance(x, np.ndarray):
            expected = x.dtype if x.dtype.kind in "fc" else np.dtype(float)
            assert x_bar.dtype == expected, f"the gradient is {x_bar.dtype}, not {expected}"
    value, y_dot = pushed(case, dots)
    assert same(value, y), "the value of the tangent is not that of the plain call"
    assert same(pushed(case, dots)[1], y_dot), "a second run gives another tangent"
    for v, v_dot in zip(leaves(y), leaves(y_dot), strict=True):
        assert np.shape(v_dot) == np.shape(v), f"the tangent has shape {np.shape(v_dot)}, not {np.shape(v)}"
    (left, size), (right, other) = product(y_bar, y_dot), product(bars, dots)
    coarsest = max(
        (np.finfo(v.dtype).eps for v in map(np.asarray, leaves(y)) if v.dtype.kind in "fc"), default=0
    )
    scale = max(scale, 100 * coarsest)  # float16 and float32 leave as they are
    assert abs(left - right) <= scale * max(size, other, 1e-300), (
        f"y_bar * y_dot = {left}, x_bar * x_dot = {right}"
    )
    if against_differences:
        (measured, noise), found = differences(case, dots), flat(y_dot)
        tolerance = max(case.registered.tolerance, 1e-6)
        size = np.max(np.abs(measured), initial=0)
        np.testing.assert_allclose(found, measured, rtol=tolerance, atol=tolerance * size + noise)
    return y, y_bar, bars


def narrow(case):
    return any(np.asarray(v).dtype == np.float32 for v in [*case.arguments, *leaves(plain(case))])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_rule(case):
    if narrow(case):
        check(case, scale=1e-5, against_differences=False)
    else:
        check(case)
    y = plain(case)
    if not isinstance(y, tuple | list) and np.ndim(y) == 0 and not np.iscomplexobj(y):
        value, bars = quiet(
            grad(case.function, wrt=tuple(case.wrt)), *case.arguments
        )  # its seed is Python's 1.0
        assert same(value, y)
        for x_bar, other in zip(bars, pulled(case, 1.0)[1], strict=True):
            np.testing.assert_allclose(x_bar, other, rtol=1e-6 if narrow(case) else 1e-12, atol=0)


@pytest.mark.parametrize("case", BROADCAST, ids=lambda c: c.id)
def test_broadcasting(case):
    check(case, rule=False)


# The first point of each rule that has arrays of floats
ARRAYS = {}
for _case in CASES:
    _arrays = [v for v in _case.differentiated() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
    if _arrays and all(np.asarray(v).dtype.kind != "c" for v in _case.arguments):
        ARRAYS.setdefault(_case.registered.function, _case)


@pytest.mark.parametrize("case", ARRAYS.values(), ids=lambda c: c.id)
def test_float32(case):
    rng = seed_of(case)
    y = plain(case)
    y_bar = tree(lambda v: draw(rng, v), y)
    wide = pulled(case, y_bar)[1]

    def cast(v):
        return v.astype(np.float32) if isinstance(v, np.ndarray) and v.dtype.kind == "f" else v

    single = case.with_arguments(cast)
    y_bar = tree(
        lambda v, w: np.asarray(v, np.asarray(w).dtype)[()] if np.ndim(w) else v, y_bar, plain(single)
    )
    value, bars = pulled(single, y_bar)
    assert same(value, plain(single))
    for x, x_bar, expected in zip(single.differentiated(), bars, wide, strict=True):
        if isinstance(x, np.ndarray):
            assert x_bar.dtype == (np.float32 if x.dtype == np.float32 else np.float64), x_bar.dtype
        np.testing.assert_allclose(
            x_bar, expected, rtol=1e-3, atol=1e-3 * np.max(np.abs(expected), initial=0)
        )
    dots = [np.asarray(draw(rng, x), np.float32)[()] if np.ndim(x) else 0.5 for x in single.differentiated()]
    tangent = pushed(single, dots)[1]
    for v, v_dot in zip(leaves(value), leaves(tangent), strict=True):
        if isinstance(v, np.ndarray) and v.dtype == np.float32:
            assert v_dot.dtype == np.float32, f"the tangent is {v_dot.dtype}"


@pytest.mark.parametrize("case", ARRAYS.values(), ids=lambda c: c.id)
def test_integers(case):
    """Integers have the gradient that floats of the same values have, where NumPy gives the same numbers."""

    def rounded(v):
        return np.rint(4 * v).astype(int) if isinstance(v, np.ndarray) else v

    integers = case.with_arguments(rounded)
    floats = integers.with_arguments(lambda v: v.astype(float) if isinstance(v, np.ndarray) else v)
    try:
        y, expected = plain(integers), plain(floats)
        equal = all(np.array_equal(u, v) for u, v in zip(leaves(y), leaves(expected), strict=True))
    except (ValueError, ArithmeticError, TypeError, np.linalg.LinAlgError):
        pytest.skip("not for integers")
    if not equal:
        pytest.skip("other numbers for integers")
    rng = seed_of(case)
    y_bar = tree(lambda v: draw(rng, v), expected)
    value, bars = pulled(integers, y_bar)
    assert same(value, y)
    for x, x_bar, x_bar_of_floats in zip(
        integers.differentiated(), bars, pulled(floats, y_bar)[1], strict=True
    ):
        if isinstance(x, np.ndarray):
            assert x_bar.dtype == np.float64
        np.testing.assert_allclose(x_bar, x_bar_of_floats, rtol=1e-12, atol=1e-12)


# Rules for which an empty array is no sensible argument
NOT_EMPTY = dict.fromkeys(
    (
        "ediff1d",
        "unstack",
        "dot_stacks",
        "ungradient_rule",
        "doubled_rule",
        "sum_of_array_from",
        "unpad_rule",
        "qr",
    ),
    "the reverse sweep raises",
) | dict.fromkeys(
    ("diff", "diff_repeated", "trapezoid_of_points"), "the differences of nothing are those of one: none"
)


@pytest.mark.parametrize("case", ARRAYS.values(), ids=lambda c: c.id)
def test_empty(case):
    empty = case.with_arguments(lambda v: v[:0] if isinstance(v, np.ndarray) and v.ndim else v)
    if case.registered.function.__name__ in NOT_EMPTY:
        pytest.skip(NOT_EMPTY[case.registered.function.__name__])
    try:
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            y = empty.function(*copy.deepcopy(empty.arguments))
    except (ValueError, ArithmeticError, TypeError, IndexError, Warning, np.linalg.LinAlgError):
        pytest.skip("not for empty arrays")
    if np.size(flat(y)) and not np.all(np.isfinite(flat(y))):
        pytest.skip("not for empty arrays")
    check(empty, rule=False, against_differences=False)


SCALARS = [c for c in CASES if any(type(v) in (int, float) for v in c.differentiated())]


@pytest.mark.parametrize("case", SCALARS, ids=lambda c: c.id)
def test_numpy_scalars(case):
    """np.float64 where the point has Python numbers."""
    check(case.with_arguments(lambda v: np.float64(v) if type(v) in (int, float) else v), rule=False)


# The first point of each rule that has floats, and one result
FIRST = {}
for _case in CASES:
    _numbers = [np.asarray(v) for v in _case.differentiated()]
    if all(v.dtype.kind == "f" and np.all(np.abs(v.astype(float)) < 1e100) for v in _numbers):
        if _case.results != ["ys"] and len(_case.results) == 1 and "indices" not in _case.id:
            FIRST.setdefault(_case.registered.function, _case)


@pytest.mark.parametrize("case", FIRST.values(), ids=lambda c: c.id)
def test_second_derivative(case, tmp_path):
    """The generated gradient is a function like any other: its own derivatives are right, or refused with the place."""
    text = grad(case.function, wrt=tuple(case.wrt), seed=1.0).source_for(*case.arguments)
    parameters = ", ".join(case.parameters)
    cotangent = np.random.default_rng(1).uniform(0.5, 1.5, np.shape(plain(case)))
    seed = ", seed=cotangent" if ", seed):" in text else ""
    path = tmp_path / "first_derivative.py"
    path.write_text(
        f"{HEADER}\n\n{text}\n\ndef gradient({parameters}, cotangent):\n"
        f"    value, bars = {case.name}_grad({parameters}{seed})\n    return bars\n"
    )
    spec = importlib.util.spec_from_file_location("first_derivative", path)
    module = importlib.util.module_from_spec(spec)
    vars(module).update(case.constants)
    spec.loader.exec_module(module)
    vars(module).update(case.constants)
    first = copy.copy(case)
    first.parameters, first.arguments = [*case.parameters, "cotangent"], [*case.arguments, cotangent]
    first.__dict__["function"] = module.gradient
    try:
        check(first, rule=False, scale=1e-10)
    except SrcgradError as error:
        assert error.filename and error.slug


@pytest.mark.parametrize("case, stated", KINKS, ids=[c.id for c, _ in KINKS])
def test_kinks(case, stated):
    """A list states each entry, a number their sum; for a seed of ones."""
    y = plain(case)
    ones = tree(lambda v: np.ones_like(v) if np.ndim(v) else 1.0, y)
    value, bars = pulled(case, ones)
    assert same(value, y)
    for name, x_bar in zip(case.wrt, bars, strict=True):
        root = next(
            (n for n in stated if name == n or name.startswith(f"{n}_") and name[len(n) + 1 :].isdigit()),
            None,
        )
        if root is None:
            continue
        expected = stated[root]
        if root != name:
            expected = expected[int(name.rsplit("_", 1)[1])]
        if isinstance(expected, list):
            np.testing.assert_allclose(x_bar, expected, rtol=1e-12)
        else:
            np.testing.assert_allclose(np.sum(x_bar), expected, rtol=1e-12)


@pytest.mark.parametrize("case, pattern", SPELLED, ids=[c.id for c, _ in SPELLED])
def test_spellings(case, pattern):
    """Ufunc, operator, method, alias: the same numbers."""
    y, expected = plain(case), plain(pattern)
    rng = seed_of(case)
    y_bar = tree(lambda v: draw(rng, v), y)
    value, bars = pulled(case, y_bar)
    assert same(value, y)
    if not same(y, expected):
        check(case, rule=False, against_differences=not narrow(case), scale=1e-5 if narrow(case) else 1e-12)
        return  # another function with the same partials, as np.float16 is
    for x_bar, other in zip(bars, pulled(pattern, y_bar)[1], strict=True):
        np.testing.assert_allclose(x_bar, other, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("case", LIKE, ids=lambda c: c.id)
def test_like_may_be_active(case):
    """It gives its shape alone: its gradient is zero."""
    every = copy.copy(case)
    every.wrt = list(case.parameters)
    y = plain(case)
    rng = seed_of(case)
    y_bar = tree(lambda v: draw(rng, v), y)
    bars = dict(zip(every.wrt, pulled(every, y_bar)[1], strict=True))
    for name, x_bar in zip(case.wrt, pulled(case, y_bar)[1], strict=True):
        np.testing.assert_array_equal(bars[name], x_bar)
    for name in set(every.wrt) - set(case.wrt):
        assert not np.any(bars[name])
