"""The record handed from pass to pass."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from srcgrad.ir import Block, Stmt
from srcgrad.types import Type

VALUE = "·value"  # the web of the function's result


@dataclass
class Function:
    """One user's function on its way to its derivative.

    `names` says how the web of an id is spelled in the user's text; ids that begin with a dot are ours: temporaries of
    normal form, flags, the value.
    """

    source: Any
    context: Any  # what one build shares: pattern, versions of callees, the names of the world
    params: list[str]
    body: Block
    names: dict[str, str] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    uses: dict[int, Any] = field(default_factory=dict)  # id of a statement -> what its operation means
    uniform: set[str] = field(default_factory=set)  # webs of displays that are used as lists of like entries
    maybe_none: set[str] = field(default_factory=set)  # webs that hold None on some path
    reached: set[int] = field(default_factory=set)  # ids of the statements that some path comes to
    maybe_unbound: set[str] = field(default_factory=set)  # webs that a path reaches unbound
    captured: list[str] = field(default_factory=list)  # arrays of the world around that the function writes
    augmented: set[int] = field(default_factory=set)  # ids of the copies that end an augmented assignment
    objects: Any = None  # analysis.objects: which names may be bound to one array
    groups: tuple[Any, ...] = ()  # nodes of parameters that the caller may have bound to one object
    handed: frozenset[Any] = frozenset()  # nodes of parameters that are memory of the caller's
    copying: frozenset[str] = frozenset()  # parameters whose old contents nobody puts back
    restoring: frozenset[str] = frozenset()  # parameters whose old contents the caller wants put back
    quiet: bool = False  # nobody uses the result
    shared: dict[str, frozenset[str]] = field(default_factory=dict)  # name -> names of the same memory
    plan: Any = None  # analysis.memory: how each memory is differentiated
    active: set[str] = field(default_factory=set)
    varied: set[str] = field(default_factory=set)
    wrt: tuple[str, ...] = ()
    keep_alive: list[Stmt] = field(default_factory=list)  # statements whose ids stand in the sets above
    fresh: Any = field(default_factory=itertools.count)

    @property
    def name(self) -> str:
        return self.source.name

    def temp(self, hint: str = "part") -> str:
        """A new name of ours; the hint is what it is called if it is ever printed."""
        name = f"·{next(self.fresh)}"
        self.names[name] = hint
        return name

    def spelled(self, web: str) -> str:
        """How a web is called in the user's text (or the hint of one of ours)."""
        return self.names.get(web, web)


def is_ours(name: str) -> bool:
    return name.startswith("·")


def user_line(s: Stmt) -> int | None:
    return None if s.loc is None else s.loc.lineno
