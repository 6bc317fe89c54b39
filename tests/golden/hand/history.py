"""A list built by append: it is memory, its shadow is a list; the arrays in it are values."""

import numpy as np


def primal(x: np.ndarray, n: int):
    states = [x]
    for k in range(n):
        states.append(np.sin(states[-1]) * x)
    return np.sum(np.stack(states) ** 2)


# gradient with respect to x: float64[m]; n: int
def primal_grad(x: np.ndarray, n: int):
    # forward sweep
    states = [x]
    for k in range(n):
        states.append(np.sin(states[-1]) * x)
    stacked = np.stack(states)
    value = np.sum(stacked**2)
    # reverse sweep
    states_bar = list(2 * stacked)  # return np.sum(np.stack(states) ** 2)
    x_bar = np.zeros_like(x)
    for k in reversed(range(n)):
        states.pop()  # states.append(np.sin(states[-1]) * x)
        new_bar = states_bar.pop()
        x_bar += new_bar * np.sin(states[-1])
        states_bar[-1] += new_bar * x * np.cos(states[-1])
    x_bar += states_bar[0]  # states = [x]
    return value, x_bar


arguments = (np.array([0.3, -0.7, 1.1]), 4)
wrt = "x"
