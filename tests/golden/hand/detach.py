"""A value used as a constant: no adjoint flows through `detach`."""

import numpy as np

from srcgrad import detach


def primal(x):
    y = x * x
    u = detach(y)
    z = u * x
    return np.sum(z)


# gradient with respect to x: float64[4]
def primal_grad(x):
    # forward sweep
    y = x * x
    u = y  # detach: a constant from here on
    z = u * x
    value = np.sum(z)
    # reverse sweep
    z_bar = np.ones_like(z)  # return np.sum(z)
    x_bar = z_bar * u  # z = u * x
    return value, x_bar


arguments = (np.arange(4.0),)
wrt = "x"
