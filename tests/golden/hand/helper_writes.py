"""A callee that writes its argument: memory is handed in again, with its shadow, which the reverse half works on."""

import numpy as np


def relax(u: np.ndarray, k: float):
    u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]


def primal(u: np.ndarray, k: float, steps: int):
    for t in range(steps):
        relax(u, k)
    return np.sum(u)


def relax_forward(u: np.ndarray, k: float):
    u_kept = u[1:-1].copy()
    u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return u_kept


def relax_reverse(kept, u, u_bar, k):
    u[1:-1] = kept  # u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    bend = u[2:] - 2 * u[1:-1] + u[:-2]
    new_bar = u_bar[1:-1].copy()
    k_bar = np.sum(new_bar * bend * u[1:-1])
    bend_bar = new_bar * k * u[1:-1]
    u_bar[1:-1] += new_bar * k * bend
    u_bar[2:] += bend_bar
    u_bar[1:-1] -= 2 * bend_bar
    u_bar[:-2] += bend_bar
    return k_bar


# gradient with respect to u: float64[n], written, and k: float; steps: int; keeps relax
def primal_grad(u: np.ndarray, k: float, steps: int):
    # forward sweep
    relax_kept = []
    for t in range(steps):
        relax_kept.append(relax_forward(u, k))
    value = np.sum(u)
    # reverse sweep
    u = u.copy()  # old values go here, not into the caller's array
    u_bar = np.ones_like(u)  # return np.sum(u)
    k_bar = 0.0
    for t in reversed(range(steps)):
        k_bar += relax_reverse(relax_kept.pop(), u, u_bar, k)  # relax(u, k)
    return value, (u_bar, k_bar)


arguments = (np.array([0.3, 1.0, 0.7, 0.2, -0.4]), 0.1, 3)
wrt = ("u", "k")
