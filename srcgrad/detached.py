"""`detach`, and how a check holds what it marks at the values of the base point.

A difference quotient of the untouched function moves through `detach`, and the
derivative does not; so a check records what `detach` gave at the base point, and
replays it at the points beside.

>>> def f(x):
...     return x * detach(x)
>>> with recording() as values:
...     f(3.0)
9.0
>>> with replaying(values):
...     f(4.0)
12.0
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

# What a check wants of `detach`; None in every run of the user's.
_tape: ContextVar[_Recorder | _Replayer | None] = ContextVar("srcgrad_detached", default=None)


def detach(x: T) -> T:
    """Gives x itself; to the differentiator it is a constant.

    >>> from srcgrad import grad
    >>> def f(x):
    ...     return x * detach(x)
    >>> grad(f)(3.0)
    (9.0, 3.0)
    """
    tape = _tape.get()
    return x if tape is None else tape.pass_on(x)


class _Recorder:
    def __init__(self) -> None:
        self.values: list[Any] = []

    def pass_on(self, x: Any) -> Any:
        self.values.append(copy.deepcopy(x))
        return x


class _Replayer:
    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.position = 0

    def pass_on(self, x: Any) -> Any:
        # A point beside the base may take another way through the function, and reach
        # `detach` more often: what was never recorded cannot be held.
        if self.position == len(self.values):
            return x
        value = self.values[self.position]
        self.position += 1
        return copy.deepcopy(value)


@contextmanager
def recording() -> Iterator[list[Any]]:
    """Records what `detach` passes on, in the order of its calls."""
    recorder = _Recorder()
    token = _tape.set(recorder)
    try:
        yield recorder.values
    finally:
        _tape.reset(token)


@contextmanager
def replaying(values: list[Any]) -> Iterator[None]:
    """Makes `detach` give the recorded values, in order, instead of its argument."""
    token = _tape.set(_Replayer(values))
    try:
        yield
    finally:
        _tape.reset(token)
