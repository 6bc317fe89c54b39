"""What srcgrad does, in one screen: a function, its adjoint, a gradient, and a model fitted with it.

Run it with `make demo`, or `python samples/demo.py`.
"""

from __future__ import annotations

import inspect

import numpy as np

from srcgrad import grad


def heat(u, k):
    for _ in range(3):
        u = u + k * (np.roll(u, 1) - 2 * u + np.roll(u, -1))  # along a ring
    return np.sum(u**2)


def misfit(params, t, y):
    amplitude, decay, frequency = params
    model = amplitude * np.exp(-decay * t) * np.cos(frequency * t)
    return np.mean((model - y) ** 2)


def descend(loss, params, t, y, steps=800, rate=0.1, momentum=0.9):
    """Gradient descent with momentum: the last parameters and their loss."""
    velocity = np.zeros_like(params)
    for _ in range(steps):
        _, gradient = loss(params, t, y)
        velocity = momentum * velocity - rate * gradient
        params = params + velocity
    return params, loss(params, t, y)[0]


def main():
    print("A function of yours:\n")
    print(inspect.getsource(heat))

    dheat = grad(heat)
    value, du = dheat(np.array([0.0, 1.0, 0.0, 0.0]), 0.1)
    print("Its derivative, as Python that you can read, step through and keep:\n")
    print(dheat.source)
    print(f"value    {value:.6f}")
    print(f"gradient {np.array2string(du, precision=6)}")

    rng = np.random.default_rng(1)
    t = np.linspace(0.0, 4.0, 60)
    truth = np.array([2.0, 0.5, 3.0])
    y = truth[0] * np.exp(-truth[1] * t) * np.cos(truth[2] * t) + 0.02 * rng.normal(size=t.size)
    fitted, loss = descend(grad(misfit), np.array([1.0, 0.2, 2.7]), t, y)
    print("\nA damped oscillation, fitted to noisy data by gradient descent:\n")
    for name, was, found in zip(("amplitude", "decay", "frequency"), truth, fitted, strict=True):
        print(f"{name:<10} {found:.3f}   (the data were made with {was})")
    print(f"{'loss':<10} {loss:.6f}")
    return value, du, fitted, loss


if __name__ == "__main__":
    main()
