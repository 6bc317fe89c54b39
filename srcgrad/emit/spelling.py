"""Spelling: what each web is called in the printed function.

The user's names stay. Where one name stands for two webs and the reverse sweep reads one that the other would
overwrite, the earlier one is called `y_0`. Ours follow from what they belong to: `y_bar`, `h_kept`, `sin_y`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.analysis.homes import Homes
from srcgrad.function import VALUE, Function
from srcgrad.ir import Expr, Name, Object
from srcgrad.naming import Names


class Spelling:
    """Names for the webs and the objects of one generated function."""

    def __init__(self, function: Function, taken: Iterable[str], objects: dict[str, Any]):
        self.f = function
        self.names = Names(taken)
        self.of: dict[str, str] = {}
        self.objects = objects  # spelled name -> object of ours, shared by the functions of one text

    def webs(self, mentioned: list[str], read_in_reverse: set[str], homes: Homes, begun: set[str]) -> None:
        """Spell the webs of the forward sweep; `mentioned` is in the order of the text.

        `begun` are bound to None at the start: they may not share a name with anything.
        """
        f = self.f
        groups: dict[str, list[str]] = {}
        for w in mentioned:
            if not w.startswith("·"):
                groups.setdefault(f.spelled(w), []).append(w)
        for name in groups:
            self.names.taken.add(name)
        for name, group in groups.items():
            looped = [
                w
                for w in group
                if any(homes.of_stmt.get(id(s)) in homes.looped for s in homes.bound_by.get(w, ()))
            ]
            params = [w for w in group if w in f.params]
            first = {
                w: min((homes.order[id(s)] for s in homes.bound_by.get(w, ())), default=-1) for w in group
            }
            final = {
                w: max((homes.order[id(s)] for s in homes.bound_by.get(w, ())), default=-1) for w in group
            }
            # the web that holds the name at the end: no other is bound behind it
            last = [w for w in group if all(final[v] < first[w] for v in group if v != w)]
            earlier = 0
            for w in group:
                alone = len(group) == 1
                if alone or w in params:
                    self.of[w] = name
                elif (params and params[0] in read_in_reverse) or w in begun:
                    self.of[w] = self.numbered(name, earlier := earlier + 1)
                elif w not in read_in_reverse or (w in last and not (looped and len(group) > 1)):
                    self.of[w] = name
                else:
                    self.of[w] = self.numbered(name, earlier)
                    earlier += 1

    def numbered(self, name: str, k: int) -> str:
        return self.names.take(f"{name}_{k}")

    def web(self, w: str) -> str:
        if w not in self.of:
            if w == VALUE:
                wish = "value"
            elif w.endswith("·bar") or w.endswith("·dot"):
                stem, _, kind = w.rpartition("·")
                wish = f"{self.stem(stem)}_{kind}"
            else:
                wish = self.f.spelled(w)
            self.of[w] = self.names.take(wish)
        return self.of[w]

    def stem(self, w: str) -> str:
        if w == VALUE:
            return "value"
        return self.of.get(w) or self.f.spelled(w)

    def __call__(self, e: Expr) -> str:
        """The printed name of a web or of an object of ours."""
        if isinstance(e, Name):
            return self.web(e.id) if e.id in self.f.names else e.id
        assert isinstance(e, Object)
        return self.object(e)

    def is_local(self, name: str) -> bool:
        return any(name == n for w, n in self.f.names.items() if not w.startswith("·"))

    def object(self, e: Object) -> str:
        import builtins

        if getattr(builtins, e.path, None) is e.value and e.path not in self.names.taken:
            return e.path
        key = f"·object {id(e.value)}"
        if key in self.of:
            return self.of[key]
        if self.f.context.names_of(self.f.source).lookup(e.path).value is e.value and not self.is_local(
            e.path
        ):
            self.of[key] = e.path  # the user's own name for it
            self.names.taken.add(e.path)
            return e.path
        for name, value in self.objects.items():
            if value is e.value:
                self.of[key] = name
                return name
        name = (
            self.names.take(e.path.rpartition(".")[2])
            if e.path not in self.names.taken
            else self.names.take(e.path)
        )
        self.objects[name] = e.value
        self.of[key] = name
        return name
