"""The notation of the table of calculus: rules are written as a textbook prints them, parsed as source, never run.

    @rule(at=[(0.3,), (vector,)])
    def sin(x):
        y = np.sin(x)
        dy_dx = np.cos(x)

The decorator leaves the function as it is and adds it to `REGISTERED`; `rules.table` parses it when a call of
`np.sin` is first met.  What the lines mean, by the name of their target (x a parameter, y a result):

    first line      the pattern: the call that the rule is about
    dy_dx           elementwise partial: one line gives both modes; broadcasting is the compiler's
    x_selected      the adjoint of x flows only where this holds (with dy_dx, or a partial of 1 when there is none)
    y_dot           tangent (reads x_dot ...)
    x_bar += ...    adjoint (reads y_bar ...), of x's shape
    anything else   a temporary: of the reverse sweep, of the forward one when it reads tangents, of both when neither

Annotations say when a variant applies; the first variant in file order that matches wins. `Literal[2, 3]`: one of
these constants (compared with ==); `Literal` alone: any literal number; `Const` matches what is not differentiated,
else the next variant is tried. A parameter with a default may be absent from the call. `dy_dx = 0` says that nothing
flows; a parameter without any line is data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Annotations of rule parameters. They are read as text; the classes exist so that editors and linters know them.


class Number:
    """A Python or NumPy scalar."""


class Float:
    """A proved Python float (or int): `math` may be printed."""


class Scalar:
    """A number or an array of rank 0."""


class Vector:
    """An array of rank 1."""


class Matrix:
    """An array of rank 2."""


class Stack:
    """An array of rank 3 or more."""


class Array:
    """An array of any known rank, at least 1."""


class Sequence:
    """A tuple or list of operands: its adjoint is a sequence too, `xs_bar += items` adds item by item."""


class Basic:
    """A basic index: integers, slices, Ellipsis, None."""


class IntArray:
    """An index with integer arrays in it."""


class Mask:
    """A boolean mask as index."""


class Given:
    """The argument is given by the call."""


class Absent:
    """The argument is not given by the call (or is the literal None)."""


class Const:
    """Data: never differentiated. A call with an active number there is refused."""


@dataclass(frozen=True)
class Registered:
    """One rule as written: the function that holds it, its test points, and how else a call may be spelled.

    >>> import numpy as np
    >>> from srcgrad.rules import elementwise  # registers its rules
    >>> any(r.function.__name__ == "sin" for r in REGISTERED)
    True
    """

    function: Callable[..., Any]
    at: tuple[Any, ...]
    also: tuple[
        Any, ...
    ] = ()  # other functions that the same rule serves: np.multiply and `*`, math.fabs and abs
    operator: str | None = None  # "*", "@", "u-" (unary minus), "abs" ...
    method: str | None = None  # the ndarray method of this name, self as first parameter
    tolerance: float = 1e-6  # of the test against differences
    kink: tuple[
        Any, ...
    ] = ()  # points where the derivative is stated: (args, {name: adjoint for a seed of ones})


REGISTERED: list[Registered] = []
# What has no derivative: its result is data whatever it is given. Function -> why, in a few words.
CONSTANT: dict[Any, str] = {}
CONSTANT_METHODS: set[str] = set()
# Functions that make data of data (creation, random draws, shapes): refused when handed an active number.
DATA: dict[Any, str] = {}
DATA_METHODS: set[str] = set()


def rule(
    at: list[Any],
    *,
    also: list[Any] = [],  # noqa: B006  read only
    operator: str | None = None,
    method: str | None = None,
    tolerance: float = 1e-6,
    kink: list[Any] = [],  # noqa: B006
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a rule; `at` names the points of its tests, never answers."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        REGISTERED.append(
            Registered(function, tuple(at), tuple(also), operator, method, tolerance, tuple(kink))
        )
        return function

    return register


def constant(why: str, *functions: Any, methods: tuple[str, ...] = ()) -> None:
    """Say that these have the derivative zero wherever they have one (floor, sign, comparisons, argmax, shapes)."""
    CONSTANT.update(dict.fromkeys(functions, why))
    CONSTANT_METHODS.update(methods)


def data(why: str, *functions: Any, methods: tuple[str, ...] = ()) -> None:
    """Say that these make data of data; an active argument is refused."""
    DATA.update(dict.fromkeys(functions, why))
    DATA_METHODS.update(methods)
