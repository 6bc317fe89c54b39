"""Loops: a loop variable is bound by its loop only.

    i = w                          i = w
    for i in range(n): ...    ->   for trip in range(n): i = trip; ...

where the web of `i` has other bindings: what `i` was before a loop of no trips is then not lost.
"""

from __future__ import annotations

from srcgrad.function import Function
from srcgrad.ir import Assign, For, Name, all_binds, binds, map_exprs, statements, substitute


def loops(function: Function) -> Function:
    """Give loops variables of their own where the user's is bound elsewhere too."""
    bindings: dict[str, int] = {p: 1 for p in function.params}
    for s in statements(function.body):
        for name in binds(s):
            bindings[name] = bindings.get(name, 0) + 1
    for s in list(statements(function.body)):
        if isinstance(s, For) and isinstance(s.target, Name) and bindings[s.target.id] > 1:
            own = Name(function.temp(f"{function.spelled(s.target.id)}_trip"), loc=s.target.loc)
            if s.target.id not in all_binds(s.body):  # in the body the name is the loop's variable
                values = {s.target.id: own}
                for inner in statements(s.body):
                    map_exprs(inner, lambda e, v=values: substitute(e, v))  # type: ignore[misc]
            s.body.insert(0, Assign(s.target, own, loc=s.loc))
            s.target = own
    return function
