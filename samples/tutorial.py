"""Five lessons in automatic differentiation, each a function and what its gradient says.

Run it with `python samples/tutorial.py`; `srcgrad show samples/tutorial.py` prints the derivatives.
"""

from __future__ import annotations

import numpy as np

from srcgrad import detach, grad, vjp


def quadratic(x):
    return 2 * np.dot(x, x)


def accumulated(x):
    return np.sum(x)


def non_scalar(x):
    return x * x


def detached(x):
    y = x * x
    u = detach(y)  # a constant from here on
    return np.sum(u * x)


def attached(x):
    y = x * x
    return np.sum(y * x)


def control_flow(a):
    b = a * 2
    while np.linalg.norm(b) < 1000:
        b = b * 2
    if np.sum(b) > 0:
        c = b
    else:
        c = 100 * b
    return c


def lesson_quadratic():
    """The gradient of 2 x·x is 4x."""
    x = np.arange(4.0)
    value, dx = grad(quadratic)(x)
    print(f"1. A simple function\n   2 x·x at {x} is {value}, its gradient {dx}: 4x")
    return value, dx


def lesson_accumulated():
    """Gradients are added into a buffer that you own; it is not cleared for you."""
    x = np.arange(4.0)
    buffer = np.zeros(4)
    grad(quadratic).accumulate(x, into=buffer)
    first = buffer.copy()
    grad(accumulated).accumulate(x, into=buffer)  # of np.sum(x): ones
    print(f"2. Gradients that add up\n   after quadratic {first}, and after the sum {buffer}")
    return first, buffer


def lesson_non_scalar():
    """An array has no gradient until its entries are weighted; a seed says how."""
    x = np.arange(4.0)
    _, of_sum = grad(non_scalar, seed=1.0)(x)
    value, pullback = vjp(non_scalar)(x)
    weighted = pullback(np.array([1.0, 0.0, 0.0, 2.0]))
    print(
        f"3. A result that is an array\n   x * x is {value}; gradient of its sum {of_sum}, "
        f"with weights of your own {weighted}"
    )
    return value, of_sum, weighted


def lesson_detached():
    """What is detached is a constant: the gradient of u·x is u, not 3x²."""
    x = np.arange(4.0)
    _, held = grad(detached)(x)
    _, through = grad(attached)(x)
    print(f"4. Holding a part constant\n   detached {held}: x²; attached {through}: 3x²")
    return held, through


def lesson_control_flow():
    """Loops and branches are differentiated as they ran: here f is linear, with a slope that depends on a."""
    rng = np.random.default_rng(0)
    a = rng.normal()
    value, da = grad(control_flow)(a)
    print(
        f"5. Loops and branches\n   f({a:.4f}) is {value:.4f}, its derivative {da}, which is f(a) / a: {value / a}"
    )
    return a, value, da


def main():
    return {
        "quadratic": lesson_quadratic(),
        "accumulated": lesson_accumulated(),
        "non_scalar": lesson_non_scalar(),
        "detached": lesson_detached(),
        "control_flow": lesson_control_flow(),
    }


if __name__ == "__main__":
    main()
