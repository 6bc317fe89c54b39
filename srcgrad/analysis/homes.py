"""Homes: the block in which a web lives, and whether it is bound there once.

A web that is bound once, directly in its home block, and never mentioned outside holds its value until the block runs
again: nothing overwrites it before its reverse.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from srcgrad.function import Function
from srcgrad.ir import Block, For, If, Stmt, While, binds, stmt_reads


@dataclass
class Homes:
    """For each web: its home block (by id), the statements that bind it, and whether it is local to its home."""

    block: dict[str, int] = field(default_factory=dict)
    bound_by: dict[str, list[Stmt]] = field(default_factory=dict)
    local: set[str] = field(default_factory=set)
    looped: set[int] = field(default_factory=set)  # blocks that stand in a loop
    path: dict[int, tuple[int, ...]] = field(
        default_factory=dict
    )  # the blocks around a block, outermost first
    of_stmt: dict[int, int] = field(default_factory=dict)  # the block in which a statement stands
    order: dict[int, int] = field(default_factory=dict)  # the place of a statement in the text

    def single(self, web: str) -> bool:
        """Bound by one statement (or a parameter never bound again)."""
        return len(self.bound_by.get(web, ())) <= 1


def homes(function: Function) -> Homes:
    """Find the home of every web."""
    out = Homes()
    mentions: dict[str, list[int]] = {}
    root = id(function.body)

    def visit(block: Block, path: tuple[int, ...], looped: bool) -> None:
        here = (*path, id(block))
        out.path[id(block)] = here
        if looped:
            out.looped.add(id(block))
        for s in block:
            out.of_stmt[id(s)] = id(block)
            out.order[id(s)] = len(out.order)
            inner = id(s.body) if isinstance(s, For) else id(block)
            if isinstance(s, For):
                out.path.setdefault(inner, (*here, inner))
            for name in binds(s):
                out.bound_by.setdefault(name, []).append(s)
                mentions.setdefault(name, []).append(inner)
            for name in stmt_reads(s):
                mentions.setdefault(name, []).append(id(block))
            match s:
                case If():
                    visit(s.then, here, looped)
                    visit(s.other, here, looped)
                case For():
                    visit(s.body, here, True)
                case While():
                    # the condition is computed once more than the body: both live in the block around
                    visit(s.pre, here, True)
                    visit(s.body, here, True)

    visit(function.body, (), False)
    outside = (*function.params, *function.captured)
    for p in outside:
        mentions.setdefault(p, []).append(root)
    for web, places in mentions.items():
        paths = [out.path[b] for b in places]
        common = paths[0]
        for p in paths[1:]:
            k = 0
            while k < min(len(common), len(p)) and common[k] == p[k]:
                k += 1
            common = common[:k]
        out.block[web] = common[-1]
        bound = out.bound_by.get(web, [])
        if web in outside:
            if not bound:
                out.local.add(web)
        elif len(bound) == 1:
            s = bound[0]
            binding_block = id(s.body) if isinstance(s, For) else out.of_stmt[id(s)]
            if binding_block == common[-1]:
                out.local.add(web)
    return out
