"""Kernels against JAX: a restatement that shares no text with the kernel, and a differentiator of its own."""

import copy

import numpy as np
import pytest

from srcgrad import grad

from .cases import CASES
from .reference import gradients, names, seed_of, value_of

pytest.importorskip("jax")

from . import jax_versions  # noqa: E402

RESTATED = [case for case in CASES if jax_versions.version(case.name) is not None]


def close(mine, theirs):
    scale = 1.0 + np.max(np.abs(theirs))
    np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-9 * scale)


@pytest.mark.parametrize("case", RESTATED, ids=lambda case: case.name)
def test_values_and_gradients_are_those_of_jax(case):
    value, _ = value_of(case, copy.deepcopy(list(case.arguments)))
    seed = seed_of(value)
    run = jax_versions.value_and_gradient(case.name, names(case), case.arguments, case.wrt, seed)
    result, wanted = run(*case.arguments)
    close(result, value)
    for part, other in zip(gradients(case, seed), wanted, strict=True):  # the two references, first
        close(part, other)
    _, gradient = grad(case.function, wrt=case.wrt, of=case.of, seed=seed)(*copy.deepcopy(case.arguments))
    for part, other in zip(gradient, wanted, strict=True):
        close(part, other)


def test_many_kernels_are_restated():
    assert len(RESTATED) >= 40
