"""The adjoints in `hand/` were written by a person: the style to aim at. Here each is proved right.

Against central differences; the value is the primal's, and the caller's arrays end as the primal leaves them.
"""

import importlib.util
import pathlib

import numpy as np
import pytest

HAND = sorted((pathlib.Path(__file__).parent / "hand").glob("*.py"))


def load(path):
    spec = importlib.util.spec_from_file_location("golden_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copies(arguments):
    return [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]


def differences(module, position, primal):
    base = module.arguments[position]
    result = np.zeros_like(np.asarray(base, float))
    for index in np.ndindex(result.shape):
        pair = []
        for sign in (1, -1):
            arguments = copies(module.arguments)
            moved = np.array(base, float)
            moved[index] += sign * 1e-6
            arguments[position] = moved if isinstance(base, np.ndarray) else float(moved)
            pair.append(primal(*arguments))
        result[index] = (pair[0] - pair[1]) / 2e-6
    return result


def frozen(path, module):
    """The function that is differentiated: what is detached is a constant."""
    if path.stem == "detach":
        constant = module.arguments[0] ** 2
        return lambda x: np.sum(constant * x)
    return module.primal


@pytest.mark.parametrize("path", HAND, ids=lambda path: path.stem)
@np.errstate(all="ignore")
def test_hand_written(path):
    module = load(path)
    arguments, untouched = copies(module.arguments), copies(module.arguments)
    value = module.primal(*untouched)
    if hasattr(module, "primal_tangent"):
        x_dot = np.cos(np.arange(module.arguments[0].size) + 1.0)
        found, value_dot = module.primal_tangent(*arguments, x_dot)
        wanted = np.sum(differences(module, 0, module.primal) * x_dot)
        np.testing.assert_allclose(value_dot, wanted, rtol=1e-6)
    else:
        found, gradient = module.primal_grad(*arguments)
        wrt = module.wrt if isinstance(module.wrt, tuple) else (module.wrt,)
        gradient = gradient if isinstance(module.wrt, tuple) else (gradient,)
        names = module.primal.__code__.co_varnames
        for name, adjoint in zip(wrt, gradient, strict=True):
            wanted = differences(module, names.index(name), frozen(path, module))
            np.testing.assert_allclose(adjoint, wanted, rtol=1e-6, atol=1e-8, err_msg=name)
    assert found == value
    for mine, theirs in zip(arguments, untouched, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_all_are_found():
    assert len(HAND) == 15
