"""Arrays written in place, linearly: nothing is kept, the adjoints are shadow arrays."""

import numpy as np


def primal(a: np.ndarray, b: np.ndarray, steps: int):
    for t in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    return np.sum(a * a)


# gradient with respect to a: float64[n], written; b: float64[n], written; steps: int
def primal_grad(a: np.ndarray, b: np.ndarray, steps: int):
    # forward sweep
    for t in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    value = np.sum(a * a)
    # reverse sweep
    b_bar = np.zeros_like(b)
    a_bar = 2 * a  # return np.sum(a * a)
    for t in reversed(range(steps)):
        new_bar = a_bar[1:-1] / 3  # a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
        a_bar[1:-1] = 0
        b_bar[:-2] += new_bar
        b_bar[1:-1] += new_bar
        b_bar[2:] += new_bar
        new_bar = b_bar[1:-1] / 3  # b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        b_bar[1:-1] = 0
        a_bar[:-2] += new_bar
        a_bar[1:-1] += new_bar
        a_bar[2:] += new_bar
    return value, a_bar


arguments = (np.array([0.0, 1.0, -2.0, 0.5, 3.0]), np.zeros(5), 3)
wrt = "a"
