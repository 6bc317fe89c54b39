"""Every generated program: value, arguments, gradient, and reverse against forward."""

import numpy as np
import pytest

from srcgrad import grad

from .axes import PROGRAMS, grouped
from .harness import check, check_numbers, check_program, same
from .reference import gradients, loaded


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_program(program):
    check(program)


@pytest.mark.parametrize("group", grouped(), ids=lambda group: group[0].id)
def test_one_derivative_serves_all_inputs(group):
    """The same text on several inputs, by one derivative: what one call cached is right for the next."""
    wrt = group[0].wrt
    with loaded(group[0]) as function, np.errstate(all="ignore"):
        derivative = grad(function, wrt=wrt)
        for program in group + group[:1]:
            value = function(*program.fresh())
            assert np.size(value) == 1
            answer, gradient = derivative(*program.fresh())
            assert same(answer, value)
            check_numbers(program, gradient, gradients(program))


def test_a_program_given_as_text():
    check_program("def double(x, w):\n    return 2 * x * w\n", "double", (0.5, 1.5), ("x", "w"))
