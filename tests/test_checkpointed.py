"""Checkpointed loops through the product: gradients, counts of steps, states kept, and what is refused."""

import copy

import numpy as np
import pytest

from srcgrad import SrcgradError, checkpointed, grad, jvp, vjp
from srcgrad.checkpoints import fewest_steps

X = np.array([0.3, -0.7, 1.1, 0.5, 0.9])


def pendulum(x, steps):
    q = x[0]
    p = x[1]
    for _ in steps:
        p = p - 0.05 * np.sin(q)
        q = q + 0.05 * p
    return q * q + p


def burgers(x, steps):
    u = x.copy()
    e = 0.0
    for _ in steps:
        u[1:] = u[1:] - 0.01 * u[1:] * (u[1:] - u[:-1])
        e += u[0] * u[-1]
    return np.sum(u * u) * e


def written(x, steps):
    y = x * x
    for t in steps:
        x[1:-1] = x[1:-1] * np.cos(x[2:]) + 0.1 * y[1:-1] * t
        y = y * 0.9 + 0.1 * x
    return np.sum(x * x) + np.sum(y)


def linear(x, steps):
    u = x * 1.0
    for _ in steps:
        u[1:-1] = (u[2:] + u[:-2]) / 2
    return np.sum(u**2)


def inline(x, n):
    s = 0.0
    for k in range(2):
        u = x * (k + 1)
        for _ in checkpointed(range(n), slots=2):
            u = u + 0.1 * np.sin(u) * k
        s += np.sum(u * u)
    return s


@pytest.mark.parametrize("function", [pendulum, burgers, written, linear])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 23])
@pytest.mark.parametrize("slots", [1, 2, 5])
def test_the_gradient_is_that_of_the_plain_loop(function, count, slots):
    wanted_value, wanted = grad(function)(X.copy(), range(count))
    steps = checkpointed(range(count), slots)
    arguments = X.copy()
    value, gradient = grad(function)(arguments, steps)
    assert value == wanted_value
    np.testing.assert_allclose(gradient, wanted, rtol=1e-12, atol=1e-14)
    left = X.copy()
    function(left, range(count))
    np.testing.assert_array_equal(arguments, left)
    assert steps.forward_steps == fewest_steps(count, slots)
    assert steps.peak_slots <= slots
    dot = np.cos(np.arange(5.0))
    _, tangent = jvp(function)(X.copy(), checkpointed(range(count), slots), x_dot=dot)
    np.testing.assert_allclose(tangent, wanted @ dot, rtol=1e-11)


def test_a_pullback_is_called_twice():
    arguments = X.copy()
    _, pullback = vjp(burgers)(arguments, checkpointed(range(9), 3))
    arguments[:] = 7.0
    first, second = pullback(1.0), pullback(1.0)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, grad(burgers).gradient(X.copy(), range(9)), rtol=1e-12)


def test_in_a_loop():
    def plain(x, n):
        return inline(x, n)

    value, gradient = grad(inline)(X.copy(), 6)
    assert value == plain(X.copy(), 6)
    h = 1e-6
    for k in range(5):
        up, down = X.copy(), X.copy()
        up[k] += h
        down[k] -= h
        np.testing.assert_allclose(gradient[k], (plain(up, 6) - plain(down, 6)) / (2 * h), rtol=1e-7)


def test_ten_thousand_steps_with_twenty_states():
    steps = checkpointed(range(10_000), slots=20)
    value, gradient = grad(pendulum)(X.copy(), steps)
    assert steps.forward_steps == fewest_steps(10_000, 20)
    assert steps.peak_slots == 20
    wanted = grad(pendulum)(X.copy(), range(10_000))
    assert value == wanted[0]
    np.testing.assert_allclose(gradient, wanted[1], rtol=1e-10)


def test_a_length_that_is_not_known():
    steps = checkpointed((k for k in range(40)), slots=4)
    _, gradient = grad(pendulum)(X.copy(), steps)
    np.testing.assert_allclose(gradient, grad(pendulum).gradient(X.copy(), range(40)), rtol=1e-12)
    assert steps.peak_slots <= 4


def leaves(x, steps):
    s = x[0]
    for _ in steps:
        s = s * x[1]
        if s > 1:
            break
    return s


def prints(x, steps):
    s = x[0]
    for _ in steps:
        print(s)
        s = s * x[1]
    return s


def draws(x, steps):
    s = x[0]
    for _ in steps:
        s = s * x[1] + np.random.normal()
    return s


@pytest.mark.parametrize("function", [leaves, prints, draws])
def test_what_cannot_be_run_again_is_refused(function):
    with pytest.raises(SrcgradError, match="checkpointed"):
        grad(function)(X.copy(), checkpointed(range(3), 2))


def test_the_arguments_are_copied_as_any():
    steps = checkpointed(range(4), 2)
    assert list(steps) == list(copy.copy(steps)) == [0, 1, 2, 3]
