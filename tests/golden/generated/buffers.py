"""Generated for hand/buffers.py."""

import numpy as np


# gradient with respect to u: float64[n], written; v: float64[n], written; steps: int; keeps v[1:-1]
def primal_grad(u: np.ndarray, v: np.ndarray, steps: int):
    # forward sweep
    v_kept = []
    for t in range(steps):
        v_kept.append(v[1:-1].copy())
        v[1:-1] = u[:-2] * u[2:]
        u, v = v, u
    value = np.sum(u)
    # reverse sweep
    u, v = u.copy(), v.copy()  # old values go here, not into the caller's arrays
    u_bar = np.ones_like(u)  # return np.sum(u)
    v_bar = np.zeros(np.shape(v))
    for t in reversed(range(steps)):
        v, u = u, v  # u, v = v, u
        v_bar, u_bar = u_bar, v_bar
        v[1:-1] = v_kept.pop()  # v[1:-1] = u[:-2] * u[2:]
        new_bar = v_bar[1:-1].copy()
        v_bar[1:-1] = 0
        u_bar[2:] += new_bar * u[:-2]
        u_bar[:-2] += new_bar * u[2:]
    return value, u_bar


# tangent with respect to u: float64[n], written; v: float64[n], written; steps: int
def primal_tangent(u: np.ndarray, v: np.ndarray, steps: int, u_dot):
    v_dot = np.zeros_like(v)
    for t in range(steps):
        u_item = u[:-2]
        u_item_2 = u[2:]
        v_dot[1:-1] = u_dot[:-2] * u_item_2 + u_dot[2:] * u_item
        v[1:-1] = u_item * u_item_2
        u_dot, v_dot = v_dot, u_dot
        u, v = v, u
    value_dot = np.sum(u_dot)
    value = np.sum(u)
    return value, value_dot
