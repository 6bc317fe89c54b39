"""What a call gives: values, gradients, pullbacks, buffers, and the refusals of a call."""

import warnings

import numpy as np
import pytest

from srcgrad import SrcgradError, grad, jvp, vjp

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    MATRIX = np.matrix([1.0, 2.0])


def square(x):
    return x * x


def total(x, y=1.0):
    return np.sum(x * x * y)


def divide(x, d):
    y = x * 2.0
    return y / d[5]


def refusal(act):
    with pytest.raises(SrcgradError) as caught:
        act()
    assert len(caught.traceback) == 3, [str(t) for t in caught.traceback]  # refusal, the lambda, srcgrad
    return caught.value


# ---- the value and what it is


def test_the_value_is_the_functions_own():
    for x in (3, 3.0, np.float32(3.0), np.float64(3.0), True):
        value, gradient = grad(square)(x)
        assert type(value) is type(square(x)) and value == square(x)
        assert gradient == 2 * x
    assert isinstance(grad(square)(3.0), tuple)


def test_one_element_is_a_number():
    for x in (np.array(3.0), np.array([3.0]), np.array([[3.0]])):
        value, gradient = grad(square)(x)
        assert np.shape(value) == x.shape and np.array_equal(gradient, 2 * x)


def test_an_array_is_refused_with_its_shape():
    error = refusal(lambda: grad(square)(np.arange(4.0)))
    assert error.message == "square returns an array of shape (4,), and grad needs a number"
    assert error.slug == "non-scalar" and error.text == "    return x * x"
    assert "grad(square, seed=1.0)" in error.hint and "vjp(square)" in error.hint
    assert refusal(lambda: grad(square).source_for(np.arange(4.0))).slug == "non-scalar"
    assert refusal(lambda: grad(square).accumulate(np.arange(4.0), into=np.zeros(4))).slug == "non-scalar"


def test_a_size_that_the_types_do_not_tell():
    def chosen(x, n):
        return x[:n]

    df = grad(chosen)
    value, gradient = df(np.arange(4.0), 1)
    assert value.shape == (1,) and np.array_equal(gradient, [1, 0, 0, 0])
    error = refusal(lambda: df(np.arange(4.0), 3))
    assert error.message == "chosen returns an array of shape (3,), and grad needs a number"
    total = np.full(4, 5.0)
    assert df.accumulate(np.arange(4.0), 1, into=total).shape == (1,)
    assert np.array_equal(total, [6, 5, 5, 5])
    assert grad(chosen, wrt=("x",))(np.arange(4.0), 1)[1][0].shape == (4,)


def test_no_result():
    def nothing(x):
        x * x  # noqa: B018

    assert refusal(lambda: grad(nothing)(1.0)).slug == "no-result"


def test_a_structure_is_no_number():
    def pair(x):
        return x, x * x

    assert refusal(lambda: grad(pair)(1.0)).slug == "non-scalar"


# ---- seeds


def test_seeds():
    x = np.arange(3.0)
    weights = np.array([1.0, 0.0, 2.0])
    for seed, wanted in [
        (1.0, 2 * x),
        (3, 6 * x),
        (np.float32(2), 4 * x),
        (np.array(2.0), 4 * x),
        (weights, 2 * x * weights),
    ]:
        value, gradient = grad(square, seed=seed)(x)
        assert np.array_equal(value, x * x) and np.array_equal(gradient, wanted)
        assert np.array_equal(grad(square, seed=seed).gradient(x), wanted)
    assert np.array_equal(weights, [1.0, 0.0, 2.0])
    assert grad(square, seed=2.0)(3.0) == (9.0, 12.0)
    assert grad(square, wrt=["x"], seed=2.0)(3.0) == (9.0, (12.0,))
    narrow = grad(square, seed=weights)(x.astype(np.float32))
    assert narrow[0].dtype == narrow[1].dtype == np.float32


def test_a_seed_is_not_in_the_gradient():
    seed = np.ones(3)
    _, gradient = grad(lambda x: x, seed=seed)(np.zeros(3))
    assert not np.shares_memory(gradient, seed)
    x = np.zeros(3)
    _, pullback = vjp(lambda x: x)(x)
    assert not np.shares_memory(pullback(seed), seed)


def test_wrong_seeds_show_both_shapes_and_the_return_line():
    x = np.arange(4.0)
    error = refusal(lambda: grad(square, seed=np.ones(3))(x))
    assert (
        error.message == "the adjoint of the output has shape (3,), and square returns an array of shape (4,)"
    )
    assert error.slug == "wrong-seed" and error.text == "    return x * x"
    _, pullback = vjp(square)(x)
    assert refusal(lambda: pullback(np.ones(3))).message == error.message
    assert refusal(lambda: pullback(np.ones((1, 4)))).slug == "wrong-seed"
    assert refusal(lambda: pullback("1")).slug == "wrong-seed"
    assert refusal(lambda: pullback(None)).slug == "wrong-seed"
    assert "complex" in refusal(lambda: pullback(1j)).message
    assert "complex" in refusal(lambda: grad(square, seed=1j)(x)).message


# ---- pullbacks


def test_a_pullback_may_be_called_again():
    x = np.arange(3.0)
    value, pullback = vjp(square)(x)
    first = pullback(np.ones(3))
    assert np.array_equal(first, pullback(1)) and np.array_equal(3 * first, pullback(3.0))
    assert "pullback of square" in repr(pullback)


def test_a_pullback_owns_what_it_reads():
    weights = np.array([2.0, 3.0])

    def f(x, y):
        z = np.exp(x)
        return z * y * weights

    x, y = np.array([0.0, 1.0]), np.array([1.0, 2.0])
    value, pullback = vjp(f, wrt=("x", "y"))(x, y)
    before = pullback(1.0)
    x[:], y[:], value[:] = 9.0, 9.0, 9.0
    after = pullback(1.0)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_a_loop_is_replayed_by_each_call():
    def f(x):
        h = x
        for _ in range(3):
            h = np.sin(h * x)
        return h

    x = np.array([0.3, 0.7])
    _, pullback = vjp(f)(x)
    first = pullback(1.0)
    assert np.array_equal(first, pullback(1.0))
    tangent = jvp(f)(x, np.ones(2))[1]
    assert np.isclose(first.sum(), tangent.sum())


def test_outputs_in_a_tuple():
    def pair(x):
        return x * 2.0, np.sum(x)

    x = np.arange(3.0)
    value, pullback = vjp(pair)(x)
    assert np.array_equal(pullback((np.ones(3), 10.0)), [12.0, 12.0, 12.0])
    assert refusal(lambda: pullback(np.ones(3))).slug == "wrong-seed"
    assert refusal(lambda: pullback((np.ones(3),))).slug == "wrong-seed"
    assert refusal(lambda: pullback((np.ones(2), 1.0))).slug == "wrong-seed"


# ---- accumulate


def test_accumulate_adds():
    x = np.arange(3.0)
    buffer = np.full(3, 5.0)
    df = grad(total)
    assert df.accumulate(x, into=buffer) == df(x)[0]
    assert np.array_equal(buffer, 5 + 2 * x)
    assert df.accumulate(x, into=buffer) == df(x)[0]
    assert np.array_equal(buffer, 5 + 4 * x)
    number = np.array(1.0)
    assert grad(square).accumulate(3.0, into=number) == 9.0 and number == 7.0
    narrow = np.zeros(3, np.float32)
    df.accumulate(x, into=narrow)
    assert np.array_equal(narrow, 2 * x)
    seeded = np.zeros(3)
    assert np.array_equal(grad(square, seed=2.0).accumulate(x, into=seeded), x * x)
    assert np.array_equal(seeded, 4 * x)


def test_accumulate_for_several():
    x = np.arange(3.0)
    for into in [
        (np.zeros(3), np.zeros(())),
        [np.zeros(3), np.zeros(())],
        {"y": np.zeros(()), "x": np.zeros(3)},
    ]:
        grad(total, wrt=("x", "y")).accumulate(x, 2.0, into=into)
        dx, dy = (into["x"], into["y"]) if isinstance(into, dict) else into
        assert np.array_equal(dx, 4 * x) and dy == np.sum(x * x)
    one = (np.zeros(3),)
    grad(total, wrt=("x",)).accumulate(x, into=one)
    assert np.array_equal(one[0], 2 * x)


def test_buffers_that_do_not_fit():
    x = np.arange(3.0)
    df, both = grad(total), grad(total, wrt=("x", "y"))
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    odd = (0.0, [0.0, 0.0, 0.0], None, {"y": np.zeros(3)}, np.zeros(4), np.zeros((3, 1)), np.ma.zeros(3))
    for into in (*odd, np.zeros(3, int), np.zeros(3, complex), frozen, x, x[::-1]):
        error = refusal(lambda: df.accumulate(x, into=into))  # noqa: B023
        assert error.slug == "into", into
    shared = np.zeros((3, 3))
    for into in (
        np.zeros(3),
        (np.zeros(3),),
        (np.zeros(3), 0.0),
        {"x": np.zeros(3)},
        (shared[0], shared[:, 0]),
    ):
        error = refusal(lambda: both.accumulate(x, x + 1, into=into))  # noqa: B023
        assert error.slug == "into", into
    with pytest.raises(TypeError, match="into"):
        df.accumulate(x)


# ---- arguments


@pytest.mark.parametrize(
    ("x", "slug"),
    [
        (None, "argument-type"),
        ("text", "argument-type"),
        ([1.0, 2.0], "container-parameter"),
        ((1.0,), "container-parameter"),
        ({"w": 1.0}, "container-parameter"),
        ({1.0}, "argument-type"),
        (np.array([1.0, None]), "argument-type"),
        (np.array(["a"]), "argument-type"),
        (np.ma.array([1.0]), "argument-type"),
        (MATRIX, "argument-type"),
    ],
)
def test_arguments_that_are_not_differentiated(x, slug):
    for transform in (grad, vjp):
        error = refusal(lambda: transform(total)(x))  # noqa: B023
        assert error.slug == slug and error.message.startswith("x is ")
        assert error.text == "def total(x, y=1.0):" and error.offset == 11


def test_an_object_is_refused_by_its_class():
    class Params:
        w = 1.0

    assert refusal(lambda: grad(lambda p: p.w)(Params())).slug == "container-parameter"

    class Real(float):
        pass

    assert refusal(lambda: grad(square)(Real(1.0))).slug == "argument-type"


def test_subclasses_are_refused_anywhere():
    for y in (np.ma.array([1.0, 2.0]), MATRIX, np.array([1.0, None])):
        error = refusal(lambda: grad(total)(np.ones(2), y))  # noqa: B023
        assert error.slug == "argument-type" and error.message.startswith("y is ")


# ---- exceptions of the user's own


def test_an_exception_stays_itself_with_one_note():
    for act in (grad(divide), vjp(divide), grad(divide).gradient):
        with pytest.raises(IndexError) as caught:
            act(1.0, np.ones(3))
        (note,) = caught.value.__notes__
        line = divide.__code__.co_firstlineno + 2
        assert note.startswith("in your code: ") and note.endswith(f"test_calls.py:{line}: return y / d[5]")


def test_an_error_of_the_users_own_comes_before_a_refusal(monkeypatch):
    """Types failed on an operation that raises by itself: what it says is the better message."""

    def make(*_):
        error = SrcgradError("the types of + do not fit", slug="unknown-type")
        error.primal_first = True
        raise error

    def writes(x):
        x[:] = 0.0
        return x + "a" if x.size == 2 else np.sum(x)

    monkeypatch.setattr("srcgrad.api._make", make)
    x = np.ones(2)
    with pytest.raises(TypeError) as caught:
        grad(writes)(x)
    assert caught.value.__notes__[0].endswith('return x + "a" if x.size == 2 else np.sum(x)')
    assert np.array_equal(x, [1.0, 1.0])
    assert refusal(lambda: grad(writes)(np.ones(3))).slug == "unknown-type"
