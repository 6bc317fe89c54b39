"""Generated for samples/tutorial.py."""

import numpy as np


# gradient with respect to x: float64[n]
def quadratic_grad(x):
    # forward sweep
    value = 2 * np.dot(x, x)
    # reverse sweep
    x_bar = 4 * x  # return 2 * np.dot(x, x)
    return value, x_bar


# gradient with respect to x: float64[n]
def accumulated_grad(x):
    # forward sweep
    value = np.sum(x)
    # reverse sweep
    x_bar = np.ones_like(x)  # return np.sum(x)
    return value, x_bar


# gradient with respect to x: float64[n]
def non_scalar_grad(x, seed):
    # forward sweep
    value = x * x
    # reverse sweep
    x_bar = 2 * np.broadcast_to(seed, np.shape(value)) * x  # return x * x
    return value, x_bar


# gradient with respect to x: float64[n]
def detached_grad(x):
    # forward sweep
    y = x * x
    u = y  # a constant from here on
    value = np.sum(u * x)
    # reverse sweep
    x_bar = u.copy()  # return np.sum(u * x)
    return value, x_bar


# gradient with respect to x: float64[n]
def attached_grad(x):
    # forward sweep
    y = x * x
    value = np.sum(y * x)
    # reverse sweep
    product_bar = np.ones_like(x)  # return np.sum(y * x)
    x_bar = product_bar * y
    x_bar += 2 * (product_bar * x) * x  # y = x * x
    return value, x_bar


# gradient with respect to a: float
def control_flow_grad(a):
    # forward sweep
    b = a * 2
    trips = 0
    while np.linalg.norm(b) < 1000:
        trips += 1
        b = b * 2
    taken = np.sum(b) > 0
    if taken:
        c = b
    else:
        c = 100 * b
    # reverse sweep
    value_bar = 1.0
    if taken:
        b_bar = value_bar  # c = b
    else:
        b_bar = 100 * value_bar  # c = 100 * b
    for _ in range(trips):
        b_bar = 2 * b_bar  # b = b * 2
    a_bar = 2 * b_bar  # b = a * 2
    return c, a_bar
