"""Lists that grow: memory with one name.

A list that is appended to is made by a display in this function, has one name, and is handed to nobody who could keep
it or append to it: so its shadow can grow and shrink with it. What is otherwise is refused.
"""

from __future__ import annotations

from srcgrad.analysis.homes import Homes, homes
from srcgrad.analysis.uses import Use
from srcgrad.errors import refuse
from srcgrad.function import Function
from srcgrad.ir import (
    Assign,
    Attr,
    Effect,
    For,
    Item,
    Name,
    Seq,
    Slice,
    Stmt,
    own_exprs,
    reads,
    statements,
    targets,
)
from srcgrad.types import ListOf

_READS = {
    "list item",
    "constant",
    "rule",
    "append",
    "for",
    "unpack",
    "iterator",
    "lazy",
    "creation",
    "relist",
    "opaque",
    "store",
    "insert",
    "pop",
}


def lists(function: Function) -> Function:
    """Refuse a growing list that has another name, or that comes from elsewhere."""
    grown: dict[str, list[Stmt]] = {}
    for s in statements(function.body):
        use: Use | None = function.uses.get(id(s))
        if isinstance(s, Effect) and use is not None and use.kind in ("append", "insert"):
            grown.setdefault(s.value.fn.value.id, []).append(s)  # type: ignore[attr-defined]
        elif use is not None and use.kind == "pop" and isinstance(s, Assign):
            grown.setdefault(s.value.fn.value.id, []).append(s)  # type: ignore[attr-defined]
        elif isinstance(s, Assign) and isinstance(s.target, Item) and isinstance(s.target.value, Name):
            web = s.target.value.id
            if isinstance(function.types.get(web), ListOf):
                grown.setdefault(web, []).append(s)
        elif isinstance(s, Assign) and isinstance(s.value, Attr) and isinstance(s.value.value, Name):
            if isinstance(function.types.get(s.value.value.id), ListOf):
                _refuse(function, s.value.value.id, "a method of it gets a name", s)
    if not grown:
        return function
    places = homes(function)
    names = set(grown)
    for s in statements(function.body):
        use = function.uses.get(id(s))
        for web in sorted(names):
            if web in function.params:
                _refuse(function, web, "it may be the caller's list", grown[web][0] if web in grown else s)
            bound = isinstance(s, Assign | For) and web in targets(s.target)
            if bound and not _makes(function, s, web):
                _refuse(function, web, "it is another list's second name, or comes from elsewhere", s)
            if any(web in reads(e) for e in own_exprs(s)):
                kind = use.kind if use is not None else "for"
                if kind == "user" and all(_before(places, a, s) for a in grown.get(web, [])):
                    continue
                value = s.value if isinstance(s, Assign) else None
                if kind not in _READS and isinstance(value, Item) and isinstance(value.index, Slice):
                    refuse(
                        "alias",
                        f"the list {function.spelled(web)} grows, and a slice of it is not covered yet",
                        value.loc or s.loc,
                        hint="take the slice of an array: np.array(items)[1:], or read the items in a loop",
                    )
                if kind not in _READS:
                    _refuse(function, web, "another name may be bound to it", s)
                if kind in ("append", "insert") and isinstance(s, Effect) and web in reads(s.value.args[-1]):  # type: ignore
                    _refuse(function, web, "it is put into a list", s)
    return function


def _makes(function: Function, s: Stmt, web: str) -> bool:
    """Whether the statement binds the web to a list that a display makes."""
    use = function.uses.get(id(s))
    if use is None:
        return False
    if use.kind in ("display", "repeated"):
        return True
    if (
        use.kind == "parallel"
        and isinstance(s, Assign)
        and isinstance(s.target, Seq)
        and isinstance(s.value, Seq)
    ):
        value = dict(zip((t.id for t in s.target.items), s.value.items, strict=True)).get(web)  # type: ignore
        return isinstance(value, Name) and value.id.startswith("·") and _only_display(function, value.id)
    if use.kind == "copy" and isinstance(s, Assign) and isinstance(s.value, Name):
        return s.value.id.startswith("·") and _only_display(function, s.value.id)
    return False


def _only_display(function: Function, temp: str) -> bool:
    """Whether a temporary of ours is a display's, and read once."""
    made = [s for s in statements(function.body) if isinstance(s, Assign) and temp in targets(s.target)]
    used = sum(temp in reads(e) for s in statements(function.body) for e in own_exprs(s))
    use = function.uses.get(id(made[0])) if len(made) == 1 else None
    return used == 1 and use is not None and use.kind in ("display", "repeated")


def _before(places: Homes, append: Stmt, call: Stmt) -> bool:
    """Whether every run of the append comes before every run of the call."""
    if places.order[id(append)] > places.order[id(call)]:
        return False
    common = set(places.path[places.of_stmt[id(append)]]) & set(places.path[places.of_stmt[id(call)]])
    return not common & places.looped


def _refuse(function: Function, web: str, why: str, s: Stmt) -> None:
    name = f"the list {function.spelled(web)}" if not web.startswith("·") else "what is appended to here"
    refuse(
        "alias",
        f"{name} grows, and {why}",
        s.loc,
        hint="keep one name for a list that is appended to, and make it in this function",
    )
