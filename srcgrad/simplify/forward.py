"""The forward sweep as the user wrote it: what normal form took apart is put together again.

Temporaries that the reverse sweep does not read go back into their expressions, in the order of evaluation; flags and
temporaries that nobody reads are dropped.
"""

from __future__ import annotations

from srcgrad.function import VALUE, Function, is_ours
from srcgrad.ir import Assign, Block, Effect, Name, Stmt, While, all_reads, blocks, statements
from srcgrad.simplify.fold import fold

_PURE = {
    "rule",
    "constant",
    "data",
    "copy",
    "entry",
    "list item",
    "creation",
    "detach",
    "display",
    "slice",
    "relist",
}


def forward(block: Block, f: Function, needed: set[str]) -> Block:
    """Rebuild the user's expressions; `needed` are the names that are read outside the block."""

    def may(name: str) -> bool:
        return is_ours(name) and name not in needed and name != VALUE

    def pure(s: Stmt) -> bool:
        use = f.uses.get(id(s))
        return use is None or use.kind in _PURE

    _unread(block, f, needed, pure)
    fold(block, f, may, pure, None, limit=400)
    for s in list(statements(block)):
        if isinstance(s, While) and s.pre:
            _condition(s, f, may, pure)
    return block


def _condition(s: While, f: Function, may: object, pure: object) -> None:
    """A while loop's condition as one expression, where it is one."""
    line = [*s.pre, Effect(s.cond)]
    fold(line, f, may, pure, None, limit=400)  # type: ignore[arg-type]
    last = line.pop()
    assert isinstance(last, Effect)
    s.pre, s.cond = line, last.value


def _unread(block: Block, f: Function, needed: set[str], pure: object) -> None:
    while True:
        read = all_reads(block) | needed | {VALUE}
        removed = False

        def sweep(b: Block, read: frozenset[str] = frozenset(read)) -> None:
            nonlocal removed
            for k in range(len(b) - 1, -1, -1):
                s = b[k]
                for inner in blocks(s):
                    sweep(inner)
                if isinstance(s, Assign) and isinstance(s.target, Name) and is_ours(s.target.id):
                    if s.target.id not in read and pure(s):  # type: ignore[operator]
                        del b[k]
                        removed = True

        sweep(block)
        if not removed:
            return
