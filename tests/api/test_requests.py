"""What may be asked for: the forms of grad, wrt, seed, and what is refused at decoration."""

import functools
import inspect
import math

import numpy as np
import pytest

from srcgrad import SrcgradError, grad, jvp, vjp


def loss(w, b, x=2.0):
    return w * x + b * b


def refusal(act):
    with pytest.raises(SrcgradError) as caught:
        act()
    assert len(caught.traceback) == 3, [str(t) for t in caught.traceback]  # refusal, the lambda, srcgrad
    return caught.value


@pytest.mark.parametrize(
    ("wrt", "gradient"),
    [
        (None, 2.0),
        ("w", 2.0),
        ("b", 10.0),
        (1, 10.0),
        (np.int64(0), 2.0),
        (("w",), (2.0,)),
        ([1], (10.0,)),
        ((0, "b"), (2.0, 10.0)),
        (["x", "w"], (3.0, 2.0)),
    ],
)
def test_wrt(wrt, gradient):
    df = grad(loss, wrt)
    assert df(3.0, 5.0) == (31.0, gradient)
    assert grad(loss, wrt=wrt)(3.0, 5.0) == grad(wrt=wrt)(loss)(3.0, 5.0)
    assert df.gradient(3.0, 5.0) == gradient
    assert df.many == isinstance(gradient, tuple)
    value, pullback = vjp(loss, wrt)(3.0, 5.0)
    assert (value, pullback(1.0)) == (31.0, gradient)


@pytest.mark.parametrize(
    ("wrt", "message"),
    [
        ("weights", "loss has no parameter 'weights': it has w, b, x. Did you mean 'w'?"),
        ("q", "loss has no parameter 'q': it has w, b, x"),
        (3, "loss has no parameter at position 3, counted from 0: it has w, b, x"),
        (-1, "loss has no parameter at position -1, counted from 0: it has w, b, x"),
        (1.5, "wrt takes names or positions of parameters, and got 1.5"),
        (True, "wrt takes names or positions of parameters, and got True"),
        (("w", None), "wrt takes names or positions of parameters, and got None"),
        ((), "wrt is empty: loss has w, b, x"),
        (("w", 0), "wrt names 'w' twice"),
    ],
)
def test_wrong_wrt_is_refused_at_decoration(wrt, message):
    for transform in (grad, vjp, jvp):
        error = refusal(lambda: transform(loss, wrt=wrt))  # noqa: B023
        assert error.message == message and error.slug == "unknown-wrt"
    decorate = grad(wrt=wrt)
    assert refusal(lambda: decorate(loss)).message == message


def test_bound_parameters_cannot_be_chosen():
    preset = functools.partial(loss, x=3.0)
    assert grad(preset)(1.0, 2.0) == (7.0, 3.0)
    assert grad(preset)(1.0, 2.0, x=4.0) == (8.0, 4.0)
    assert "'x' bound by functools.partial" in refusal(lambda: grad(preset, wrt="x")).message
    first = functools.partial(loss, 3.0)
    assert grad(first)(5.0) == (31.0, 10.0)
    assert "bound by functools.partial" in refusal(lambda: grad(first, wrt="w")).message


def test_nothing_to_differentiate_by():
    assert refusal(lambda: grad(lambda: 0.0)).slug == "unknown-wrt"

    def many(*xs, **options):
        return xs[0]

    assert refusal(lambda: grad(many, wrt="xs")).slug == "unknown-wrt"
    assert refusal(lambda: grad(many, wrt="options")).slug == "unknown-wrt"
    assert refusal(lambda: grad(many)(1.0)).lineno is not None


def test_options_that_are_not_covered():
    assert refusal(lambda: grad(loss, jit=True)).slug == "option"
    assert refusal(lambda: grad(grad(loss))).slug == "option"
    assert refusal(lambda: vjp(grad(loss))).slug == "option"


@pytest.mark.parametrize("f", [3, "x", [loss]])
def test_what_is_not_a_function(f):
    assert refusal(lambda: grad(f)).slug == "argument-type"


@pytest.mark.parametrize("seed", ["1", (1.0,), [1.0], object(), np.array([None])])
def test_a_seed_that_is_no_number(seed):
    assert refusal(lambda: grad(loss, seed=seed)).slug == "wrong-seed"
    assert refusal(lambda: grad(seed=seed)).slug == "wrong-seed"


def test_an_import_never_fails():
    space = {}
    exec("def f(x):\n    return x\n", space)
    df = grad(space["f"])
    assert "f(x) by x" in repr(df)
    assert refusal(lambda: df(1.0)).slug == "no-source"
    assert refusal(lambda: grad(len)([1.0])).slug == "no-source"
    assert refusal(lambda: vjp(len)([1.0])).slug == "no-source"

    def gives(x):
        yield x

    df = grad(gives)
    assert refusal(lambda: df(1.0)).slug == "generator"


def test_calls_that_do_not_fit_raise_the_functions_own_error():
    df = grad(loss)
    for args, kwargs in [
        ((), {}),
        ((1.0,), {}),
        ((1.0, 2.0, 3.0, 4.0), {}),
        ((1.0, 2.0), {"q": 3.0}),
        ((1.0,), {"w": 1.0}),
    ]:
        with pytest.raises(TypeError) as own:
            loss(*args, **kwargs)
        for call in (df, df.gradient, df.source_for, vjp(loss)):
            with pytest.raises(TypeError) as ours:
                call(*args, **kwargs)
            assert str(ours.value) == str(own.value)
    with pytest.raises(TypeError, match="x_dot"):
        jvp(lambda x: x)(1.0)


def test_keywords_and_defaults():
    df = grad(loss)
    assert df(w=3.0, b=5.0) == df(3.0, b=5.0) == df(3.0, 5.0, 2.0) == df(3.0, 5.0)
    assert df(3.0, 5.0, x=4.0) == (37.0, 4.0)

    def only(x, /, y, *, n=3.0):
        return x * y * n

    assert grad(only)(2.0, 5.0) == (30.0, 15.0)
    assert grad(only, wrt="n")(2.0, y=5.0, n=1.0) == (10.0, 10.0)


def test_library_functions_need_a_rule_and_no_source():
    x = np.array([3.0, 4.0])
    assert grad(np.sin)(0.0) == (0.0, 1.0)
    assert grad(math.sin)(0.0) == (0.0, 1.0)
    value, gradient = grad(np.linalg.norm)(x)
    assert value == 5.0 and np.allclose(gradient, x / 5)
    value, pullback = vjp(np.exp)(x)
    assert np.array_equal(pullback(1.0), np.exp(x))
    assert grad(np.multiply, wrt=1)(2.0, 3.0) == (6.0, 2.0)
    assert "return np.sin(x)" in grad(np.sin).source_for(1.0)
    assert repr(grad(np.sin)) == "<grad of sin(x) by x -> (value, gradient)>"
    assert list(inspect.signature(grad(np.dot)).parameters) == ["a", "b"]
    assert "unknown-wrt" in str(refusal(lambda: grad(np.sin, wrt="y")))


def test_jvp():
    for args, kwargs in [((3.0, 5.0), {}), ((3.0,), {"b": 5.0}), ((), {"w": 3.0, "b": 5.0})]:
        assert jvp(loss)(*args, w_dot=0.5, **kwargs) == (31.0, 1.0)
    both = jvp(loss, wrt=("w", "b"))
    assert both(3.0, 5.0, w_dot=1.0, b_dot=1.0) == (31.0, 12.0)
    assert str(inspect.signature(both)) == "(w, b, x=2.0, *, w_dot, b_dot)"
    plain = jvp(lambda x, y: x * y, wrt=(1, 0))
    assert plain(2.0, 3.0, 1.0, 10.0) == (6.0, 32.0)
    assert plain(2.0, 3.0, x_dot=10.0, y_dot=1.0) == (6.0, 32.0)
    assert str(inspect.signature(plain)) == "(x, y, y_dot, x_dot)"
    clash = jvp(lambda x, x_dot: x * x_dot)
    assert clash(2.0, 3.0, 1.0) == clash(2.0, 3.0, x_dot_2=1.0) == (6.0, 3.0)


def test_jvp_of_arrays_checks_tangents():
    square = jvp(lambda x: x * x)
    x, x_dot = np.arange(3.0), np.ones(3)
    value, tangent = square(x, x_dot)
    assert np.array_equal(tangent, 2 * x) and not np.shares_memory(tangent, x_dot)
    assert np.array_equal(square(np.arange(3), np.ones(3, int))[1], 2 * x)
    assert square(np.float32(2.0), 1)[1].dtype == np.float32
    same = jvp(lambda x: x)(x, x_dot)
    assert not np.shares_memory(same[1], x_dot)
    message = "the tangent x_dot has shape (2,), and x has shape (3,)"
    assert refusal(lambda: square(x, np.ones(2))).message == message
    assert refusal(lambda: square(x, 1.0)).slug == "argument-type"
    assert refusal(lambda: square(x, None)).slug == "argument-type"
    assert "complex" in refusal(lambda: square(x, 1j * x)).message
