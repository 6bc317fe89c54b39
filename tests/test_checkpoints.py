"""Schedules: optimal by dynamic programming, equal to the formula, within their slots; and adjoints by them."""

import functools

import pytest

from srcgrad.checkpoints import Plan, best_split, checkpointed, fewest_steps


@functools.cache
def optimum(length, slots):
    """By dynamic programming: m steps to the next kept state, the rest with one slot less, the m steps with all."""
    if length <= 1:
        return 0
    if slots == 1:
        return length * (length - 1) // 2
    return min(m + optimum(m, slots) + optimum(length - m, slots - 1) for m in range(1, length))


@pytest.mark.parametrize("slots", range(1, 8))
def test_the_formula_is_the_optimum(slots):
    for length in range(1, 50):
        assert fewest_steps(length, slots) == optimum(length, slots)
        if slots > 1 and length > 1:
            m = best_split(length, slots)
            assert m + optimum(m, slots) + optimum(length - m, slots - 1) == optimum(length, slots)


def simulate(items, slots):
    """A recurrence and its adjoint by the plan, against one that keeps everything."""
    owner = checkpointed(items, slots)
    plan, x, states = Plan(owner, (0.7,)), 0.7, []
    recorded = None
    for k in plan.forward():
        if plan.wanted:
            plan.keep(x)
        recorded = (k, x)
        states.append((k, x))
        x = x * x * 0.9 + 0.01 * k
    bar, wanted = 1.0, 1.0
    for k, before in reversed(states):
        wanted *= 2 * before * 0.9
    for k in plan.reverse():
        if plan.again:
            x = plan.state()
            for j in plan.advance():
                if plan.wanted:
                    plan.keep(x)
                recorded = (j, x)
                x = x * x * 0.9 + 0.01 * j
        assert recorded[0] == k
        bar *= 2 * recorded[1] * 0.9
    assert bar == wanted
    assert owner.peak_slots <= slots
    return owner


@pytest.mark.parametrize("slots", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 20, 63])
def test_a_plan_takes_exactly_the_fewest_steps(length, slots):
    owner = simulate(range(length), slots)
    assert owner.forward_steps == fewest_steps(length, slots)


def test_ten_thousand_steps():
    owner = simulate(range(10_000), 20)
    assert owner.forward_steps == fewest_steps(10_000, 20) and owner.peak_slots == 20


@pytest.mark.parametrize("slots", [1, 2, 3, 8])
@pytest.mark.parametrize("length", [0, 1, 2, 9, 50])
def test_unknown_length(length, slots):
    owner = simulate((k for k in range(length)), slots)
    assert owner.forward_steps <= 4 * fewest_steps(length, slots) + length


def test_slots():
    for slots in (0, -1, 1.0, True, None):
        with pytest.raises(ValueError, match="slots"):
            checkpointed(range(3), slots)
