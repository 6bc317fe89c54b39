"""Two buffers swapped each step and written in place: shadows are swapped as the arrays are, and swapped back."""

import numpy as np


def primal(u: np.ndarray, v: np.ndarray, steps: int):
    for t in range(steps):
        v[1:-1] = u[:-2] * u[2:]
        u, v = v, u
    return np.sum(u)


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
    v_bar = np.zeros_like(v)
    for t in reversed(range(steps)):
        u, v = v, u  # u, v = v, u
        u_bar, v_bar = v_bar, u_bar
        v[1:-1] = v_kept.pop()  # v[1:-1] = u[:-2] * u[2:]
        new_bar = v_bar[1:-1].copy()
        v_bar[1:-1] = 0
        u_bar[:-2] += new_bar * u[2:]
        u_bar[2:] += new_bar * u[:-2]
    return value, u_bar


arguments = (np.array([0.3, 1.0, 0.7, 0.2, -0.4]), np.array([0.1, 0.0, 0.5, 0.0, 0.9]), 3)
wrt = "u"
