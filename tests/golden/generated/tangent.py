"""Generated for hand/tangent.py."""

import numpy as np


# tangent with respect to x: float64[n]; steps: int
def primal_tangent(x: np.ndarray, steps: int, x_dot):
    u_dot = x_dot.copy()
    u = x.copy()
    for t in range(steps):
        u_item = u[1:]
        u_item_2 = u[:-1]
        cos_part = np.cos(u_item_2)
        u_dot[1:] = u_dot[1:] * cos_part - u_dot[:-1] * np.sin(u_item_2) * u_item
        u[1:] = u_item * cos_part
    value_dot = np.sum(u_dot)
    value = np.sum(u)
    return value, value_dot
