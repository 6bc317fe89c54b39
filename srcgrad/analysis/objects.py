"""Objects: whether anything but one name can be bound to what the name holds.

An object is what one place of the program makes. A name alone is bound to it when every binding of the name makes the
object anew, and no use of the name gives the object, or a view of it, to anybody else.
"""

from __future__ import annotations

from srcgrad.analysis.uses import Use
from srcgrad.function import VALUE, Function
from srcgrad.ir import Assign, For, Name, Seq, reads, statements, targets


def makes_anew(use: Use | None) -> bool:
    """Whether the operation's result is an object that nothing else is bound to.

    Elementwise operations and reductions make their results; of other rules it is not known, and a copy of a name,
    an entry, a display or a call may hand on what they were given.
    """
    if use is None:
        return True
    if use.kind == "rule":
        assert use.rule is not None
        return use.rule.elementwise or use.rule.module.endswith((".reductions", ".linalg", ".products"))
    return use.kind in ("creation", "constant")


def only_name(function: Function, web: str) -> str | None:
    """None where the object of `web` has no other name, else why that is not known."""
    user_name = function.spelled(web)
    family = {w for w, n in function.names.items() if n == user_name} | {web}
    if family & set(function.params):
        return "it may be the caller's array"
    ours = {
        targets(s.target)[0]
        for s in statements(function.body)
        if isinstance(s, Assign) and id(s) in function.augmented
    }
    assert ours
    sums: set[str] = set()
    for s in statements(function.body):
        if isinstance(s, Assign) and id(s) in function.augmented and isinstance(s.value, Name):
            sums.add(s.value.id)
    for s in statements(function.body):
        if isinstance(s, For) and family & (set(targets(s.target)) | reads(s.iterable)):
            return "it is taken from, or is itself, what a loop runs over"
        if not isinstance(s, Assign):
            if any(family & reads(e) for e in _handed(s)):
                return "another name may be bound to it"
            continue
        bound = set(targets(s.target))
        if bound & family and id(s) not in function.augmented:
            if isinstance(s.target, Seq) or not _fresh(function, s):
                return "another name may be bound to it"
        if reads(s.value) & family:
            if bound == {VALUE} and isinstance(s.value, Name):
                continue  # handed out at the end
            use = function.uses.get(id(s))
            shape_only = use is not None and use.kind == "constant"
            if not shape_only and not (bound & sums) and not makes_anew(use):
                return "another name may be bound to it"
    return None


def _fresh(function: Function, s: Assign) -> bool:
    """Whether a binding makes its object: directly, or through one temporary of ours."""
    use = function.uses.get(id(s))
    if makes_anew(use):
        return True
    if use is not None and use.kind == "copy" and not isinstance(s.value, Name):
        return True
    if isinstance(s.value, Name) and s.value.id.startswith("·"):
        made = [
            t
            for t in statements(function.body)
            if isinstance(t, Assign) and targets(t.target) == [s.value.id]
        ]
        users = [
            t for t in statements(function.body) if isinstance(t, Assign) and s.value.id in reads(t.value)
        ]
        return len(made) == 1 and len(users) == 1 and makes_anew(function.uses.get(id(made[0])))
    return False


def _handed(s: object) -> list:
    from srcgrad.ir import Effect

    return [s.value] if isinstance(s, Effect) else []
