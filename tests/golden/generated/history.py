"""Generated for hand/history.py."""

import numpy as np


# gradient with respect to x: float64[n]; n: int; keeps sin_part
def primal_grad(x: np.ndarray, n: int):
    # forward sweep
    sin_part_kept = []
    states = [x]
    for k in range(n):
        sin_part = np.sin(states[-1])
        sin_part_kept.append(sin_part)
        states.append(sin_part * x)
    stack_states = np.stack(states)
    value = np.sum(stack_states**2)
    # reverse sweep
    states_bar = list(2 * stack_states)  # return np.sum(np.stack(states) ** 2)
    x_bar = np.zeros_like(x)
    for k in reversed(range(n)):
        states.pop()  # states.append(np.sin(states[-1]) * x)
        sin_part = sin_part_kept.pop()
        new_bar = states_bar.pop()
        x_bar += new_bar * sin_part
        states_bar[-1] = states_bar[-1] + new_bar * x * np.cos(states[-1])
    x_bar += states_bar[0]  # states = [x]
    return value, x_bar


# tangent with respect to x: float64[n]; n: int
def primal_tangent(x: np.ndarray, n: int, x_dot):
    states_dot = [x_dot]
    states = [x]
    for k in range(n):
        states_item = states[-1]
        sin_part = np.sin(states_item)
        states.append(sin_part * x)
        states_dot.append(states_dot[-1] * np.cos(states_item) * x + x_dot * sin_part)
    stack_states = np.stack(states)
    value_dot = np.sum(2 * np.stack(states_dot) * stack_states)
    value = np.sum(stack_states**2)
    return value, value_dot
