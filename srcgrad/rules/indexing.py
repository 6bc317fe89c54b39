"""Reading places of an array: basic indices give views, integer arrays may name a place twice, masks select."""

# ruff: noqa: F821, F841  rules are parsed, never run
from __future__ import annotations

from srcgrad.rules.notation import Basic, IntArray, Mask, rule
from srcgrad.rules.points import matrix, vector

# The adjoint of a read is added into the place that was read: `x_bar[i] += y_bar` is the compiler's own statement.


@rule(
    at=[(vector, 1), (vector, slice(1, None)), (matrix, (slice(None), None, -1)), (matrix, Ellipsis)],
    operator="[]",
)
def getitem(x, i: Basic):
    y = x[i]
    y_dot = x_dot[i]
    x_bar += at_place(y_bar, i)


@rule(at=[(vector, [0, 2, 0]), (matrix, ([0, 2, 0], slice(None)))], operator="[]")
def getitem_gathered(x, i: IntArray):
    y = x[i]
    y_dot = x_dot[i]
    x_bar += at_places(y_bar, i)


@rule(at=[(vector, vector > 0), (matrix, matrix > 0)], operator="[]")
def getitem_masked(x, i: Mask):
    y = x[i]
    y_dot = x_dot[i]
    x_bar += at_place(y_bar, i)
