"""Generated for hand/helper_writes.py."""

import numpy as np


def relax_forward(u: np.ndarray, k: float):
    u_kept = u[1:-1].copy()
    u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return k, u_kept


def relax_reverse(kept, u, u_bar):
    k, u_kept = kept
    u[1:-1] = u_kept  # u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    new_bar = u_bar[1:-1].copy()
    product_bar = new_bar * u[1:-1]
    product = k * (u[2:] - 2 * u[1:-1] + u[:-2])
    u_bar[1:-1] += new_bar * product
    sum_part = u[2:] - 2 * u[1:-1] + u[:-2]
    k_bar = np.sum(product_bar * sum_part)
    sum_part_bar = product_bar * k
    u_bar[:-2] += sum_part_bar
    u_bar[1:-1] -= 2 * sum_part_bar
    u_bar[2:] += sum_part_bar
    return k_bar


# gradient with respect to u: float64[n], written and k: float; steps: int
def primal_grad(u: np.ndarray, k: float, steps: int):
    # forward sweep
    relax_kept = []
    for t in range(steps):
        relax_kept.append(relax_forward(u, k))
    value = np.sum(u)
    # reverse sweep
    u = u.copy()  # old values go here, not into the caller's array
    u_bar = np.ones_like(u)  # return np.sum(u)
    k_bar = 0.0
    for t in reversed(range(steps)):
        relax_kept_2 = relax_kept.pop()  # relax(u, k)
        k_bar += relax_reverse(relax_kept_2, u, u_bar)
    return value, (u_bar, k_bar)


def relax_tangent(u: np.ndarray, k: float, u_dot, k_dot):
    sum_part = u[2:] - 2 * u[1:-1] + u[:-2]
    product_dot = k_dot * sum_part + (u_dot[2:] - 2 * u_dot[1:-1] + u_dot[:-2]) * k
    product = k * sum_part
    u_item = u[1:-1]
    u_dot[1:-1] = u_dot[1:-1] + (product_dot * u_item + u_dot[1:-1] * product)
    u[1:-1] += product * u_item


# tangent with respect to u: float64[n], written and k: float; steps: int
def primal_tangent(u: np.ndarray, k: float, steps: int, u_dot, k_dot):
    for t in range(steps):
        relax_tangent(u, k, u_dot, k_dot)
    value_dot = np.sum(u_dot)
    value = np.sum(u)
    return value, value_dot
