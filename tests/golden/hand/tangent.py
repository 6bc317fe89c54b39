"""Forward mode: each tangent line stands before its primal line and reads the same names; nothing is kept."""

import numpy as np


def primal(x: np.ndarray, steps: int):
    u = x.copy()
    for t in range(steps):
        u[1:] = u[1:] * np.cos(u[:-1])
    return np.sum(u)


# tangent with respect to x: float64[n]; steps: int
def primal_tangent(x: np.ndarray, steps: int, x_dot):
    u_dot = x_dot.copy()
    u = x.copy()
    for t in range(steps):
        u_dot[1:] = u_dot[1:] * np.cos(u[:-1]) - u[1:] * np.sin(u[:-1]) * u_dot[:-1]
        u[1:] = u[1:] * np.cos(u[:-1])
    value_dot = np.sum(u_dot)
    value = np.sum(u)
    return value, value_dot


arguments = (np.array([0.3, -0.7, 1.1, 0.5]), 3)
wrt = "x"
