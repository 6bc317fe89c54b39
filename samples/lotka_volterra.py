"""Calibrates a predator-prey model to noisy counts, through the loop of its Runge-Kutta solver.

The gradient of the misfit with respect to the four rates runs the 200 solver steps backwards: a few times the
cost of the solve, however many parameters there are. Run it with `python samples/lotka_volterra.py [--plot]`.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.optimize import minimize

from srcgrad import grad

STEP = 0.05
EVERY = 10  # a count each tenth step
TRUTH = np.array([1.1, 0.4, 0.4, 0.1])
START = np.array([10.0, 5.0])


def rate(state, theta):
    birth, eaten, death, growth = theta
    prey, predators = state
    return np.array([birth * prey - eaten * prey * predators, growth * prey * predators - death * predators])


def step(state, theta, h):
    k1 = rate(state, theta)
    k2 = rate(state + h / 2 * k1, theta)
    k3 = rate(state + h / 2 * k2, theta)
    k4 = rate(state + h * k3, theta)
    return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def misfit(log_theta, counts):
    """Mean squared difference of log counts; the rates are positive, so their logarithms are what is fitted."""
    theta = np.exp(log_theta)
    state = START
    total = 0.0
    for count in counts:
        for _ in range(EVERY):
            state = step(state, theta, STEP)
        total = total + np.sum((np.log(state) - np.log(count)) ** 2)
    return total / len(counts)


def solve(theta, n):
    """The state after every EVERY steps, n times."""
    states = []
    state = START
    for _ in range(n):
        for _ in range(EVERY):
            state = step(state, theta, STEP)
        states.append(state)
    return np.array(states)


def main():
    rng = np.random.default_rng(3)
    exact = solve(TRUTH, 20)
    counts = exact * np.exp(0.05 * rng.normal(size=exact.shape))
    guess = np.log(np.array([0.8, 0.3, 0.6, 0.15]))
    found = minimize(grad(misfit), guess, args=(counts,), jac=True, method="BFGS")
    theta = np.exp(found.x)
    print(f"{found.nit} iterations of BFGS, misfit {misfit(guess, counts):.4f} -> {found.fun:.5f}")
    for name, value, truth in zip(("birth", "eaten", "death", "growth"), theta, TRUTH, strict=True):
        print(f"{name:<7} {value:.3f}   (the counts were made with {truth})")
    if "--plot" in sys.argv:
        plot(counts, theta)
    return found, theta


def plot(counts, theta):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print('no plot: pip install "srcgrad[samples]"')
        return
    t = STEP * EVERY * np.arange(1, len(counts) + 1)
    model = solve(theta, len(counts))
    for k, name in enumerate(("prey", "predators")):
        plt.plot(t, counts[:, k], "o", color=f"C{k}", label=f"{name}, counted")
        plt.plot(t, model[:, k], color=f"C{k}", label=f"{name}, calibrated")
    plt.xlabel("time")
    plt.legend()
    plt.show()


if __name__ == "__main__":
    main()
