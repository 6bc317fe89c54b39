"""The text that is generated: as reviewed, as short as a person's, without a remark from ruff, and right when run.

After a change that is meant: `python tests/golden/write.py`, and read the difference.
"""

import copy
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


def _load(name):
    spec = importlib.util.spec_from_file_location(f"golden_{name}", Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generating, by_hand = _load("generating"), _load("test_hand")
NAMES = [*generating.NAMES, generating.FORWARD, "tutorial"]
MOST = 1.5  # times the lines of the hand-written one


def stored(name):
    return generating.GENERATED / f"{name}.py"


@pytest.mark.parametrize("name", NAMES)
def test_text(name):
    if name == "tutorial":
        text = generating.of_tutorial()
    else:
        text = generating.of_hand(name, ("jvp",) if name == generating.FORWARD else ("grad", "jvp"))
    assert text == stored(name).read_text()


@pytest.mark.parametrize("name", generating.NAMES)
@np.errstate(all="ignore")
def test_numbers(name):
    hand, made = generating.load(generating.HAND / f"{name}.py"), generating.load(stored(name))
    several = isinstance(hand.wrt, tuple)
    untouched = copy.deepcopy(hand.arguments)
    value, gradient = made.primal_grad(*copy.deepcopy(hand.arguments))
    expected, by_person = hand.primal_grad(*copy.deepcopy(hand.arguments))
    assert value == expected == hand.primal(*untouched)
    dots, along = [], 0.0
    names = hand.primal.__code__.co_varnames
    for wrt, mine, theirs in zip(
        hand.wrt if several else (hand.wrt,),
        gradient if several else (gradient,),
        by_person if several else (by_person,),
        strict=True,
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, err_msg=wrt)
        frozen = by_hand.frozen(generating.HAND / f"{name}.py", hand)
        differences = by_hand.differences(hand, names.index(wrt), frozen)
        np.testing.assert_allclose(mine, differences, rtol=1e-6, atol=1e-8, err_msg=wrt)
        dot = np.cos(np.arange(np.size(mine)) + 1.0).reshape(np.shape(mine))
        dots.append(dot if np.ndim(mine) else float(dot))
        along += np.sum(mine * dot)
    again, tangent = made.primal_tangent(*copy.deepcopy(hand.arguments), *dots)
    assert again == value
    np.testing.assert_allclose(tangent, along, rtol=1e-12)


def test_numbers_of_the_tutorial():
    made = generating.load(stored("tutorial"))
    x = np.arange(4.0)
    np.testing.assert_array_equal(made.quadratic_grad(x)[1], 4 * x)
    np.testing.assert_array_equal(made.accumulated_grad(x)[1], np.ones(4))
    np.testing.assert_array_equal(made.non_scalar_grad(x, 1.0)[1], 2 * x)
    np.testing.assert_array_equal(made.detached_grad(x)[1], x * x)
    np.testing.assert_array_equal(made.attached_grad(x)[1], 3 * x * x)
    value, slope = made.control_flow_grad(0.25)
    assert slope == value / 0.25


@pytest.mark.parametrize("name", generating.NAMES)
def test_it_is_as_short(name):
    hand = generating.lines_of_code((generating.HAND / f"{name}.py").read_text())
    assert generating.lines_of_code(stored(name).read_text()) <= MOST * hand


def test_the_tangent_is_as_the_hand_written_one():
    name, ending = generating.FORWARD, ("_tangent",)
    hand, made = generating.load(generating.HAND / f"{name}.py"), generating.load(stored(name))
    x, steps = hand.arguments
    x_dot = np.cos(np.arange(x.size) + 1.0)
    value, value_dot = made.primal_tangent(x.copy(), steps, x_dot)
    expected, expected_dot = hand.primal_tangent(x.copy(), steps, x_dot)
    assert value == expected
    np.testing.assert_allclose(value_dot, expected_dot, rtol=1e-14)
    lines = generating.lines_of_code(stored(name).read_text(), ending)
    assert lines <= MOST * generating.lines_of_code((generating.HAND / f"{name}.py").read_text(), ending)


def test_ruff_has_nothing_to_say():
    pytest.importorskip("ruff")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=E,F,W,I", "--line-length=110"]
    done = subprocess.run([*command, str(generating.GENERATED)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_none_is_left_over():
    assert {p.stem for p in generating.GENERATED.glob("*.py")} == set(NAMES)
