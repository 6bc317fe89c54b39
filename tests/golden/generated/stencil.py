"""Generated for hand/stencil.py."""

import numpy as np


# gradient with respect to a: float64[n], written; b: float64[n], written; steps: int
def primal_grad(a: np.ndarray, b: np.ndarray, steps: int):
    # forward sweep
    for t in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    value = np.sum(a * a)
    # reverse sweep
    a_bar = 2 * a  # return np.sum(a * a)
    b_bar = np.zeros_like(b)
    for t in reversed(range(steps)):
        sum_bar = a_bar[1:-1] / 3  # a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
        a_bar[1:-1] = 0
        b_bar[2:] += sum_bar
        b_bar[1:-1] += sum_bar
        b_bar[:-2] += sum_bar
        sum_bar_2 = b_bar[1:-1] / 3  # b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        b_bar[1:-1] = 0
        a_bar[2:] += sum_bar_2
        a_bar[1:-1] += sum_bar_2
        a_bar[:-2] += sum_bar_2
    return value, a_bar


# tangent with respect to a: float64[n], written; b: float64[n], written; steps: int
def primal_tangent(a: np.ndarray, b: np.ndarray, steps: int, a_dot):
    b_dot = np.zeros_like(b)
    for t in range(steps):
        b_dot[1:-1] = (a_dot[:-2] + a_dot[1:-1] + a_dot[2:]) / 3
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a_dot[1:-1] = (b_dot[:-2] + b_dot[1:-1] + b_dot[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    value_dot = np.sum(a_dot * a + a_dot * a)
    value = np.sum(a * a)
    return value, value_dot
