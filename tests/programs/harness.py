"""What is asserted of every program: value, arguments, gradient, and reverse against forward."""

import copy
import zlib
from pathlib import Path

import numpy as np

from srcgrad import SrcgradError, grad, jvp, vjp

from .program import HEADER, Program
from .reference import flat, gradients, loaded, positions, rebuilt


def check_program(source, name, arguments, wrt, *, reference="complex", expected=None, may_refuse=False):
    """The four checks for one function of a program that is given as text."""
    if "import numpy" not in source:
        source = HEADER + source
    check(
        Program(name, source, tuple(arguments), tuple(wrt), reference, expected or {}, {}, may_refuse, name)
    )


def check(program):
    """The four checks, in the order in which they are easiest to understand."""
    with loaded(program) as function, np.errstate(all="ignore"):
        try:
            check_loaded(program, function)
        except SrcgradError as error:
            if not program.may_refuse:
                raise
            check_refusal(error, function)


def check_loaded(program, function):
    wrt = program.wrt[0] if len(program.wrt) == 1 else program.wrt
    left = program.fresh()
    value = function(*left)
    dots = random_like(program, function)
    seed = 1.0
    if np.size(value) == 1:
        derivative = grad(function, wrt=wrt)
    else:
        seed = random(program.id + " seed").uniform(0.5, 1.5, np.shape(value)).astype(value.dtype)
        pullback_of = vjp(function, wrt=wrt)

        def derivative(*arguments):
            value, pullback = pullback_of(*arguments)
            y_bar = seed.copy()
            gradient = pullback(y_bar)
            assert same(y_bar, seed), "the pullback wrote its seed"
            assert same(pullback(y_bar), gradient), "the pullback differs when called again"
            for array in arrays(gradient):
                assert not np.shares_memory(array, y_bar), "a gradient shares memory with the seed"
            return value, gradient

    arguments = program.fresh()
    answer = derivative(*arguments)
    assert type(answer) is tuple and len(answer) == 2
    assert same(answer[0], value), f"value {answer[0]!r}, untouched {value!r}"
    assert same(arguments, left), "the arguments are not left as the untouched function leaves them"
    gradient = (answer[1],) if len(program.wrt) == 1 else answer[1]
    assert type(gradient) is tuple and len(gradient) == len(program.wrt)
    check_kind(program, function, arguments, gradient)
    check_numbers(program, gradient, gradients(program, seed=seed))
    if program.writes:
        check_pullback(program, function, wrt, answer, seed)
    first = copy.deepcopy(answer)
    again = derivative(*program.fresh())
    assert same(again, first), "a second call gives another answer"
    assert same(answer, first), "a second call changed the first call's answer"

    arguments = program.fresh()
    tangents = {f"{name}_dot": dot for name, dot in zip(program.wrt, dots, strict=True)}
    moved, tangent = jvp(function, wrt=wrt)(*arguments, **copy.deepcopy(tangents))
    assert same(moved, value), f"value of jvp {moved!r}, untouched {value!r}"
    assert same(arguments, left), "jvp: the arguments are not left as the untouched function leaves them"
    assert np.shape(tangent) == np.shape(value)
    forward = np.sum(seed * np.asarray(tangent))
    products = np.concatenate([flat(bar) * flat(dot) for bar, dot in zip(gradient, dots, strict=True)])
    if np.all(np.isfinite(products)):
        bound = (1e-4 if narrow(program) else 1e-10) * max(1.0, np.sum(np.abs(products)))
        assert abs(np.sum(products) - forward) <= bound, f"reverse {np.sum(products)!r}, forward {forward!r}"


def check_pullback(program, function, wrt, answer, seed):
    """A pullback is right when called twice, and whatever the caller has written since."""
    arguments = program.fresh()
    value, pullback = vjp(function, wrt=wrt)(*arguments)
    y_bar = seed * np.ones_like(np.asarray(value)) if np.ndim(value) else seed
    first = copy.deepcopy(pullback(y_bar))
    for array in (*arrays(arguments), *arrays(value)):
        array[...] = 7
    for gradient in (first, pullback(y_bar)):
        for given, wanted in zip(arrays_or_numbers(gradient), arrays_or_numbers(answer[1]), strict=True):
            np.testing.assert_allclose(given, wanted, rtol=1e-12, atol=1e-12, err_msg="a pullback")


def arrays_or_numbers(value):
    return [np.asarray(part) for part in value] if isinstance(value, tuple) else [np.asarray(value)]


def check_kind(program, function, arguments, gradient):
    """A gradient has its argument's shape and dtype (float64 for integers), and memory of its own."""
    for position, bar in zip(positions(program, function), gradient, strict=True):
        check_same_kind(program.arguments[position], bar)
    for bar in arrays(gradient):
        for array in arrays(arguments):
            assert not np.shares_memory(bar, array), "a gradient shares memory with an argument"


def check_same_kind(argument, bar):
    if isinstance(argument, dict):
        assert list(bar) == list(argument)
        argument, bar = list(argument.values()), list(bar.values())
    if isinstance(argument, (list, tuple)):
        assert len(bar) == len(argument)
        for entry, entry_bar in zip(argument, bar, strict=True):
            check_same_kind(entry, entry_bar)
        return
    dtype = np.asarray(argument).dtype
    wanted = dtype if dtype.kind == "f" else np.dtype(float)
    assert np.shape(bar) == np.shape(argument), f"gradient of shape {np.shape(bar)}, not {np.shape(argument)}"
    assert isinstance(bar, (float, np.ndarray, np.generic)), f"gradient of type {type(bar)}"
    assert np.asarray(bar).dtype == wanted, f"gradient of dtype {np.asarray(bar).dtype}, not {wanted}"


def check_numbers(program, gradient, wanted):
    """Each gradient against an independent one, with a tolerance for the way that one was found."""
    close = {"complex": 1e-9, "differences": 3e-7, "stated": 1e-12}[program.reference]
    close = 3e-4 if narrow(program) else close
    scale = max([1.0] + [np.max(np.abs(part[np.isfinite(part)]), initial=0.0) for part in wanted])
    for name, bar, part in zip(program.wrt, gradient, wanted, strict=True):
        np.testing.assert_allclose(
            flat(bar), part, rtol=close, atol=close * scale, err_msg=f"gradient with respect to {name}"
        )


def check_refusal(error, function):
    """A refusal says where, and has a slug."""
    folder = Path(function.__code__.co_filename).parent
    assert Path(error.filename).resolve().parent == folder.resolve(), error.filename
    assert isinstance(error.lineno, int) and error.lineno >= 1
    assert error.slug and f"[{error.slug}]" in str(error)
    assert f"{Path(error.filename).name}:{error.lineno}" in str(error)


def same(one, other):
    """Equal bit for bit, with the same types all the way down."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (np.ndarray, np.generic)):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    return one == other or (one != one and other != other)


def arrays(value):
    """The arrays in a value."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        yield from arrays(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from arrays(part)


def narrow(program):
    """Whether float32 limits what can be asked."""
    return any(getattr(argument, "dtype", None) == np.float32 for argument in program.arguments)


def random(text):
    return np.random.default_rng(zlib.crc32(text.encode()))


def random_like(program, function):
    """A tangent for each differentiated argument, of its dtype (float64 for integers)."""
    dots = []
    for position in positions(program, function):
        argument = program.arguments[position]
        dot = rebuilt(argument, random(program.id).uniform(0.5, 1.5, flat(argument).size))
        if getattr(argument, "dtype", None) == np.float32:
            dot = dot.astype(np.float32)
        dots.append(dot)
    return dots
