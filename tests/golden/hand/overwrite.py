"""An array overwritten in place where the old values are needed: they are kept, and put back into a copy of our own."""

import numpy as np


def primal(u: np.ndarray, dt: float, steps: int):
    for t in range(steps):
        u[1:] = u[1:] - dt * u[1:] * (u[1:] - u[:-1])
    return np.sum(u)


# gradient with respect to u: float64[n], written; dt: float; steps: int; keeps u[1:]
def primal_grad(u: np.ndarray, dt: float, steps: int):
    # forward sweep
    u_kept = []
    for t in range(steps):
        u_kept.append(u[1:].copy())
        u[1:] = u[1:] - dt * u[1:] * (u[1:] - u[:-1])
    value = np.sum(u)
    # reverse sweep
    u = u.copy()  # old values go here, not into the caller's array
    u_bar = np.ones_like(u)  # return np.sum(u)
    for t in reversed(range(steps)):
        u[1:] = u_kept.pop()  # u[1:] = u[1:] - dt * u[1:] * (u[1:] - u[:-1])
        new_bar = u_bar[1:].copy()
        slope_bar = -new_bar * dt * u[1:]
        u_bar[1:] = new_bar - new_bar * dt * (u[1:] - u[:-1]) + slope_bar
        u_bar[:-1] -= slope_bar
    return value, u_bar


arguments = (np.array([0.3, 1.0, 0.7, 0.2]), 0.1, 3)
wrt = "u"
