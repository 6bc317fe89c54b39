"""Derivatives of kernels from the untouched functions: the complex step where they take complex arrays, else differences."""

import copy
import inspect
import warnings

import numpy as np

COMPLEX_STEP = 1e-30
STEP = 1e-4


def value_of(case, arguments):
    """What the kernel leaves in its result argument (or returns), and the arguments as it leaves them."""
    result = case.function(*arguments)
    if case.of is None:
        return result, arguments
    return arguments[names(case).index(case.of)], arguments


def names(case):
    return list(inspect.signature(case.function).parameters)


def seed_of(value):
    return np.random.default_rng(3).uniform(0.5, 1.5, np.shape(value))


def gradients(case, seed):
    """One gradient for each argument of wrt."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            return [along_complex(case, seed, name) for name in case.wrt]
        except (TypeError, np.exceptions.ComplexWarning, np.exceptions.DTypePromotionError):
            return [along_differences(case, seed, name) for name in case.wrt]


def along_complex(case, seed, name):
    at = names(case).index(name)
    base = np.asarray(case.arguments[at], float)
    out = np.zeros(base.shape)
    for index in np.ndindex(base.shape):
        arguments = [
            a.astype(complex) if isinstance(a, np.ndarray) and a.dtype == float else a
            for a in copy.deepcopy(case.arguments)
        ]
        moved = base.astype(complex)
        moved[index] += 1j * COMPLEX_STEP
        arguments[at] = moved if base.shape else complex(moved)
        value, _ = value_of(case, arguments)
        out[index] = np.sum(seed * np.imag(value)) / COMPLEX_STEP
    return out


def along_differences(case, seed, name):
    at = names(case).index(name)
    base = np.asarray(case.arguments[at], float)

    def output(index, h):
        arguments = copy.deepcopy(list(case.arguments))
        moved = base.copy()
        moved[index] += h
        arguments[at] = moved if base.shape else float(moved)
        return np.sum(seed * value_of(case, arguments)[0])

    out = np.zeros(base.shape)
    for index in np.ndindex(base.shape):
        wide, narrow = ((output(index, h) - output(index, -h)) / (2 * h) for h in (STEP, STEP / 2))
        out[index] = (4 * narrow - wide) / 3
    return out
