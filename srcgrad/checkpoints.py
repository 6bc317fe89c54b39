"""Recompute instead of keep: `checkpointed` loops, and the plan by which their states are kept and run again.

The schedule is the binomial one (Griewank and Walther, Algorithm 799: revolve, ACM TOMS 26, 2000): with `c` states kept
at a time, reversing `l` steps takes t(l, c) = r l - C(c + r, c + 1) further runs of the body, with r the number for which
C(c + r - 1, c) < l <= C(c + r, c). Runs that are recorded, one for each step, are not counted: every way to reverse a
loop has them. Where the length is not known beforehand states are kept at a distance that doubles as they run out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import comb
from typing import Any

import numpy as np


class checkpointed:  # noqa: N801  it is used as `range` is
    """What a loop runs over whose reverse sweep recomputes: `for t in checkpointed(range(n), slots=20)`.

    In the function itself it is the iterable. Its derivative keeps at most `slots` states of the loop at a time.

    Attributes
    ----------
    forward_steps : how many runs of the body the last reverse sweep and its forward sweep took, besides the recorded
        one of each step
    stores, restores : how often a state was kept, and taken back
    peak_slots : how many were kept at a time

    Raises
    ------
    ValueError : for fewer than one slot

    >>> list(checkpointed(range(3), slots=2))
    [0, 1, 2]
    """

    def __init__(self, iterable: Iterable[Any], slots: int) -> None:
        if not isinstance(slots, int) or isinstance(slots, bool) or slots < 1:
            raise ValueError(f"slots is the number of states to keep, at least 1, and got {slots!r}")
        self.iterable = iterable
        self.slots = slots
        self.forward_steps = self.stores = self.restores = self.peak_slots = 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iterable)

    def __len__(self) -> int:
        return len(self.iterable)  # type: ignore[arg-type]

    def plan(self, *state: Any) -> Plan:
        """The plan of one run, which begins with this state."""
        return Plan(self, state)


class Plan:
    """Which states of one run of a loop are kept, and from which of them it is run again."""

    def __init__(self, owner: checkpointed, state: tuple[Any, ...]) -> None:
        self.owner = owner
        self.slots = owner.slots
        items: Any = owner.iterable
        self.known = hasattr(items, "__len__") and hasattr(items, "__getitem__")
        self.items: Any = items if self.known else []
        self.states: dict[int, tuple[Any, ...]] = {}
        self.wanted = False  # whether the state is to be kept before the next run of the body
        self.again = False  # whether the step that is reversed has to be run again
        self.position = self.last = 0
        self.forward_steps = self.stores = self.restores = self.peak_slots = 0
        self.keep(*state)

    # ---- states
    def keep(self, *state: Any) -> None:
        """Keep the state before the step at `position`."""
        self.states[self.position] = _copied(state)
        self.stores += 1
        self.peak_slots = max(self.peak_slots, len(self.states))

    def state(self) -> Any:
        """The nearest kept state before the step that is reversed; one name alone, or a tuple."""
        self.restores += 1
        self.position = max(p for p in self.states if p <= self.last)
        return _one(_copied(self.states[self.position]))

    def first(self) -> Any:
        """The state with which the loop began."""
        return _one(_copied(self.states[0]))

    def fresh(self) -> Plan:
        """The same plan for another reverse sweep."""
        out = object.__new__(Plan)
        out.__dict__.update(self.__dict__, states=dict(self.states))
        return out

    # ---- sweeps
    def forward(self) -> Iterator[Any]:
        """The items of the forward sweep."""
        yield from self._run(0, len(self.items)) if self.known else self._online()
        self.last = len(self.items) - 1

    def reverse(self, afresh: bool = False) -> Iterator[Any]:
        """The items from the last to the first; the last step was recorded by the forward sweep, unless `afresh`."""
        count = len(self.items)
        for self.last in range(count - 1, -1, -1):
            for p in [p for p in self.states if p > max(self.last, 0)]:
                del self.states[p]
            self.again = afresh or self.last < count - 1
            yield self.items[self.last]
        owner = self.owner
        owner.forward_steps, owner.stores = self.forward_steps, self.stores
        owner.restores, owner.peak_slots = self.restores, self.peak_slots

    def advance(self) -> Iterator[Any]:
        """The items from the state that was taken back to the step that is reversed, which is recorded."""
        yield from self._run(self.position, self.last + 1)

    def _run(self, begin: int, end: int) -> Iterator[Any]:
        free = self.slots - len([p for p in self.states if p < begin])
        base = begin
        following = base + best_split(end - base, free)
        for k in range(begin, end):
            self.position = k
            self.wanted = k == following and k > begin
            if self.wanted:
                base, free = k, free - 1
                following = base + best_split(end - base, free)
            if k < end - 1:
                self.forward_steps += 1
            yield self.items[k]

    def _online(self) -> Iterator[Any]:
        """States at a distance that doubles when all slots are taken."""
        distance = 1
        for k, item in enumerate(self.owner.iterable):
            if k:
                self.forward_steps += 1
            self.items.append(item)
            self.position = k
            self.wanted = k > 0 and k % distance == 0 and self.slots > 1
            if self.wanted and len(self.states) == self.slots:
                distance *= 2
                for p in [p for p in self.states if p % distance]:
                    del self.states[p]
                self.wanted = k % distance == 0 and len(self.states) < self.slots
            yield item


def fewest_steps(length: int, slots: int) -> int:
    """t(l, c): the least number of further runs of the body in which `length` steps are reversed with `slots` states.

    >>> fewest_steps(4, 1), fewest_steps(4, 2), fewest_steps(10, 3)
    (6, 4, 15)
    """
    if length <= 1:
        return 0
    r = _repetitions(length, slots)
    return r * length - comb(slots + r, slots + 1)


def best_split(length: int, slots: int) -> int:
    """After how many steps the next state is kept, of `length` steps that begin with a kept one among `slots`."""
    if slots <= 1 or length <= 1:
        return length
    r = _repetitions(length, slots)
    least = max(1, comb(slots + r - 2, slots) if r >= 2 else 0, length - comb(slots - 1 + r, slots - 1))
    return min(least, length - 1)


def _repetitions(length: int, slots: int) -> int:
    r = 0
    while comb(slots + r, slots) < length:
        r += 1
    return r


def _one(state: tuple[Any, ...]) -> Any:
    return state[0] if len(state) == 1 else state


def _copied(state: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays are copied: the loop may write them."""
    return tuple(s.copy() if isinstance(s, np.ndarray) else s for s in state)
