"""Coalesce: a temporary that is only copied into a name of its own web gives way to the name.

t = np.sin(y) * x; y·2 = t    ->    y·2 = np.sin(y) * x
"""

from __future__ import annotations

from srcgrad.function import Function, is_ours
from srcgrad.ir import Assign, Block, Name, blocks, own_exprs, reads, statements, walk


def coalesce(function: Function) -> Function:
    """Drop copies that normal form made before webs were known."""
    uses: dict[str, int] = {}
    bindings: dict[str, int] = {}
    for s in statements(function.body):
        for e in own_exprs(s):
            for n in walk(e):
                if isinstance(n, Name):
                    uses[n.id] = uses.get(n.id, 0) + 1
        if isinstance(s, Assign) and isinstance(s.target, Name):
            bindings[s.target.id] = bindings.get(s.target.id, 0) + 1

    def block(stmts: Block) -> None:
        k = 0
        while k < len(stmts):
            s = stmts[k]
            for inner in blocks(s):
                block(inner)
            if k + 1 < len(stmts) and isinstance(s, Assign) and isinstance(s.target, Name):
                t, after = s.target.id, stmts[k + 1]
                if (
                    is_ours(t)
                    and uses.get(t) == 1
                    and bindings.get(t) == 1
                    and isinstance(after, Assign)
                    and isinstance(after.target, Name)
                    and after.value == Name(t)
                    and after.target.id not in reads(s.value)
                    and id(after) not in function.augmented
                ):
                    s.target = after.target
                    del stmts[k + 1]
            k += 1

    block(function.body)
    return function
