"""The generator is proved without the product: its programs run, and their references agree."""

import collections

import numpy as np
import pytest

from .axes import FAMILIES, PROGRAMS
from .reference import STEP, Frozen, gradients, loaded


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_program_runs_and_has_a_reference(program):
    with loaded(program, detach=Frozen()) as function, np.errstate(all="ignore"):
        arguments = program.fresh()
        value, again = function(*arguments), function(*program.fresh())
    np.testing.assert_array_equal(value, again)
    if not program.writes:
        np.testing.assert_equal(arguments, program.arguments)
    assert isinstance(value, (int, float, np.generic, np.ndarray))
    assert np.all(np.isfinite(value)), value
    reference = gradients(program)
    assert len(reference) == len(program.wrt) > 0
    for part in reference:
        assert program.reference == "stated" or np.all(np.isfinite(part)), part
    if (
        program.reference != "stated"
    ):  # a step across a jump, or a function that is not holomorphic, shows here
        scale = max(1.0, *(np.max(np.abs(part), initial=0.0) for part in reference))
        for exact, near in zip(reference, gradients(program, "differences", step=STEP / 3), strict=True):
            np.testing.assert_allclose(exact, near, rtol=1e-7, atol=1e-7 * scale)


def test_there_are_enough_programs_and_each_has_a_name():
    count = collections.Counter(program.id for program in PROGRAMS)
    assert [identity for identity, times in count.items() if times > 1] == []
    assert len(PROGRAMS) >= 2500
    assert len({program.family for program in PROGRAMS}) == len(FAMILIES)


def test_the_generator_is_deterministic():
    again = [program for make in FAMILIES for program in make()]
    assert [(p.id, p.source) for p in again] == [(p.id, p.source) for p in PROGRAMS]
    assert all(map(lambda p, q: str(p.arguments) == str(q.arguments), again, PROGRAMS))


@pytest.mark.parametrize("make", FAMILIES, ids=lambda make: make.__name__)
def test_few_programs_have_a_gradient_of_zero_only(make):
    """Zero trips, constants and steps have; elsewhere such a program would test little."""
    programs = [program for program in make() if "zero" not in program.id]
    zero = [program.id for program in programs if not any(np.any(part) for part in gradients(program))]
    assert len(zero) <= 0.03 * len(programs), zero
