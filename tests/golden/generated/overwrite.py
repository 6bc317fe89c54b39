"""Generated for hand/overwrite.py."""

import numpy as np


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
        u_bar[1:] = 0
        product_bar = -new_bar
        difference = u[1:] - u[:-1]
        product = dt * u[1:]
        difference_bar = product_bar * product
        u_bar[:-1] -= difference_bar
        u_bar[1:] += difference_bar
        u_bar[1:] += product_bar * difference * dt
        u_bar[1:] += new_bar
    return value, u_bar


# tangent with respect to u: float64[n], written; dt: float; steps: int
def primal_tangent(u: np.ndarray, dt: float, steps: int, u_dot):
    for t in range(steps):
        u_item_dot = u_dot[1:]
        product_dot = u_dot[1:] * dt
        product = dt * u[1:]
        difference = u[1:] - u[:-1]
        u_dot[1:] = u_item_dot - (product_dot * difference + (u_dot[1:] - u_dot[:-1]) * product)
        u[1:] = u[1:] - product * difference
    value_dot = np.sum(u_dot)
    value = np.sum(u)
    return value, value_dot
