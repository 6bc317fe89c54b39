"""check_grad finds what is wrong, names it, and is content with what is right."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import SrcgradError, check_grad, detach, grad
from srcgrad.check import Problem, copied, same_bits
from srcgrad.detached import recording, replaying


def cubic(x):
    return np.sum(x**3) * x[0]


def product(w, b, k=2):
    return np.sum(w * b) ** k


def number(x):
    return x * np.sin(x)


def held(x):
    return np.sum(detach(x * x) * x)


def draws(x):
    return np.sum(x * np.random.standard_normal(3) ** 2)


def vector(x):
    return x * x


class Wrong:
    """Stands for what grad makes, with a gradient that is off in one place."""

    def __init__(self, df, index, factor):
        self._df, self._index, self._factor = df, index, factor

    def __getattr__(self, name):
        return getattr(self._df, name)

    def __call__(self, *args, **kwargs):
        value, gradient = self._df(*args, **kwargs)
        if isinstance(gradient, tuple):
            gradient[1][self._index] *= self._factor
        else:
            gradient[self._index] *= self._factor
        return value, gradient


@pytest.mark.parametrize(
    "function, args",
    [
        (cubic, (np.arange(1.0, 4.0),)),
        (cubic, (np.arange(1, 4),)),
        (number, (0.7,)),
        (number, (2,)),
        (number, (np.float64(1e-8),)),
        (number, (np.float32(0.5),)),
        (number, (1e6,)),
        (cubic, (np.arange(1, 4, dtype=np.float32),)),
        (held, (np.arange(4.0),)),
        (product, (np.ones(3), np.arange(3.0))),
        (product, (np.ones(3), 0.5, 3)),
    ],
)
def test_right(function, args):
    report = check_grad(grad(function), *args)
    assert report.modes is None or report.modes < 1e-3
    assert report.differences < 1e-3
    assert repr(report).startswith(f"<check of grad of {function.__name__} by ")


def test_draws_are_the_same_in_each_run():
    np.random.seed(1)
    drawn = np.random.standard_normal(3)
    np.random.seed(1)
    problem = Problem(draws, ["x"], (np.ones(3),), {})
    assert not problem.compare([drawn**2]).wrong
    # and afterwards the next draw is what it would have been
    np.testing.assert_array_equal(np.random.standard_normal(3), drawn)


def test_several():
    check_grad(grad(product, wrt=("w", "b")), np.ones(3), np.arange(3.0), k=3)


def test_seed():
    check_grad(grad(vector, seed=1.0), np.arange(3.0))
    check_grad(grad(vector, seed=np.array([1.0, 0.0, -2.0])), np.arange(3.0))


def test_arguments_are_left_alone():
    x = np.arange(1.0, 4.0)
    check_grad(grad(cubic), x)
    np.testing.assert_array_equal(x, [1, 2, 3])


def test_a_wrong_entry_is_named():
    with pytest.raises(SrcgradError, match=r"gradient of cubic by x\[2\] is") as caught:
        check_grad(Wrong(grad(cubic), 2, 1.5), np.arange(1.0, 4.0))
    assert caught.value.slug == "mismatch"


def test_a_wrong_entry_is_named_among_several():
    df = Wrong(grad(product, wrt=("w", "b")), 1, 0.99)
    with pytest.raises(SrcgradError, match=r"by b\[1\] is"):
        check_grad(df, np.ones(3), np.arange(3.0))


def test_a_wrong_entry_of_many():
    x = np.linspace(1.0, 2.0, 3000)
    assert "of 3000" in repr(check_grad(grad(cubic), x))
    with pytest.raises(SrcgradError, match="a random direction"):
        check_grad(Wrong(grad(cubic), 1, 3.0), x)


def test_tolerance():
    df = Wrong(grad(cubic), 2, 1 + 1e-4)
    with pytest.raises(SrcgradError):
        check_grad(df, np.arange(1.0, 4.0))
    # the two modes are compared as well, and more strictly
    with pytest.raises(SrcgradError, match="adjoint and tangent"):
        check_grad(df, np.arange(1.0, 4.0), rtol=1e-2)


def test_not_made_by_grad():
    with pytest.raises(SrcgradError, match="check_grad takes what grad made"):
        check_grad(cubic, np.ones(2))


def test_a_kink_has_no_rate():
    problem = Problem(lambda x: np.sum(np.abs(x)), ["x"], (np.zeros(3),), {})
    direction = problem.direction()
    assert problem.rate(0.0, direction) == pytest.approx(1.0)


def test_taylor_rate_of_two():
    problem = Problem(cubic, ["x"], (np.arange(1.0, 4.0),), {})
    direction = problem.direction()
    slope, doubt = problem.slope(direction)
    assert doubt < 1e-8
    assert problem.rate(slope, direction) == pytest.approx(2.0, abs=0.05)
    assert problem.rate(slope * 1.001, direction) == pytest.approx(1.0, abs=0.1)


def test_linear_has_no_rate():
    problem = Problem(lambda x: 3.0 * x, ["x"], (0.5,), {})
    assert problem.rate(3.0, [np.array(1.0)]) is None


def test_complex():
    def energy(z):
        return np.sum(z.real**2 + 3 * z.imag)

    z = np.array([1 + 2j, -0.5j])
    problem = Problem(energy, ["z"], (z,), {})
    assert not problem.compare([2 * z.real - 3j]).wrong
    assert problem.compare([2 * z.real + 3j]).wrong


def test_detached_values_are_held():
    problem = Problem(held, ["x"], (np.arange(4.0),), {})
    assert len(problem.detached) == 1
    assert not problem.compare([np.arange(4.0) ** 2]).wrong
    assert problem.compare([3 * np.arange(4.0) ** 2]).wrong


def test_recording_and_replaying():
    with recording() as values:
        assert detach(1.0) == 1.0
        detach(np.arange(2))
    with replaying(values):
        assert detach(5.0) == 1.0
        np.testing.assert_array_equal(detach(None), [0, 1])
        assert detach(7.0) == 7.0  # more than was recorded
    x = np.ones(2)
    assert detach(x) is x


def test_same_bits():
    assert same_bits(float("nan"), float("nan"))
    assert not same_bits(1.0, np.float64(1.0))
    assert not same_bits(np.zeros(2), -np.zeros(2))
    assert not same_bits([1], (1,))
    assert same_bits({"a": np.ones(2)}, {"a": np.ones(2)})
    assert not same_bits(np.ones(2, np.float32), np.ones(2))


def test_what_cannot_be_copied_is_handed_on():
    import threading

    lock = threading.Lock()
    x = np.ones(2)
    out = copied({"lock": lock, "x": x})
    assert out["lock"] is lock
    assert out["x"] is not x
