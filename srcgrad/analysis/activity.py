"""Activity: which webs carry derivatives.

varied: depends on an argument that is differentiated; useful: the result depends on it; active: both. Everything
passes variation on but what the table says is constant; so a number that went through text or an unknown call is
still varied, and is refused where it matters, not dropped.
"""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.uses import Use, choose, index_operands
from srcgrad.errors import SrcgradError, refuse
from srcgrad.function import VALUE, Function
from srcgrad.ir import Assign, Call, Effect, Expr, For, Name, Seq, Stmt, binds, reads, statements, targets
from srcgrad.types import Data, Number, Type, Unknown, is_numeric

_SILENT = ("constant", "detach")


def varied(function: Function) -> set[str]:
    """The webs that depend on the arguments of `wrt`."""
    out = set(function.wrt)
    stmts = [s for s in statements(function.body) if binds(s) or isinstance(s, Effect)]
    changed = True
    while changed:
        changed = False
        for s in stmts:
            for source, result in edges(function, s):
                if source in out and result not in out:
                    out.add(result)
                    changed = True
    return out


def activity(function: Function) -> Function:
    """Find the active webs, and refuse what is active without a derivative."""
    function.varied = varied(function)
    choose_variants(function)
    useful = {VALUE}
    stmts = [s for s in statements(function.body) if binds(s) or isinstance(s, Effect)]
    changed = True
    while changed:
        changed = False
        for s in reversed(stmts):
            for source, result in edges(function, s):
                if result in useful and source not in useful:
                    useful.add(source)
                    changed = True
    function.active = {w for w in function.varied & useful if can_carry(function.types.get(w))}
    for s in stmts:
        check(function, s, useful)
    return function


def choose_variants(function: Function) -> None:
    """Choose the variants of rules again: an operand that varies is not the constant that some variants want."""
    from srcgrad.analysis.types import atom_types

    type_of = atom_types(function)
    for s in statements(function.body):
        use = function.uses.get(id(s))
        if use is not None and use.call is not None and use.call[0]:
            choose(use, type_of, function.varied)


def can_carry(t: Type | None) -> bool:
    """Whether a value of this type can have an adjoint: not text, None, functions, comparisons."""
    return not (isinstance(t, Data) and t.cls is not None and t.items is None and t.cls is not tuple)


def edges(function: Function, s: Stmt) -> list[tuple[str, str]]:
    """Pairs (operand, result) along which a derivative may flow."""
    use: Use | None = function.uses.get(id(s))
    if isinstance(s, For):
        return [(n, t) for n in reads(s.iterable) for t in targets(s.target)]
    if isinstance(s, Effect):
        if use is not None and use.kind == "append" and isinstance(s.value, Call):
            owner = s.value.fn.value.id  # type: ignore[attr-defined]
            return [(n, owner) for n in reads(s.value.args[0])]
        return []
    if not isinstance(s, Assign):
        return []
    if isinstance(s.target, Seq) and isinstance(s.value, Seq):
        return [(n, t.id) for t, v in zip(s.target.items, s.value.items, strict=True) for n in reads(v)]  # type: ignore
    names = targets(s.target)
    if use is None:
        return []  # on a path that is never taken
    if use.kind in _SILENT:
        return []
    if use.kind == "rule":
        assert use.rule is not None
        sources = {n for p, e in use.bound.items() for n in reads(e) if use.rule.differentiable(p)}
        # data of a rule (an axis, an index) passes variation on too, so that it is refused, not dropped
        sources |= {n for p, e in use.bound.items() for n in _data_names(e) if not _is_shape(function, n)}
        return [(n, t) for n in sources for t in names]
    return [(n, t) for n in reads(s.value) for t in names]


def _data_names(e: Expr) -> set[str]:
    return {n for o in index_operands(e) for n in reads(o)}


def _is_shape(function: Function, name: str) -> bool:
    t = function.types.get(name)
    return isinstance(t, Number) and t.value is not None


def is_active(function: Function, e: Expr) -> bool:
    return any(n in function.active for n in reads(e))


def check(function: Function, s: Stmt, useful: set[str]) -> None:
    """Refuse an operation that an active number goes through and that has no derivative here."""
    use: Use | None = function.uses.get(id(s))
    if use is None or not isinstance(s, Assign) or use.kind == "parallel":
        return
    hot = [n for n in sorted(reads(s.value)) if n in function.varied and can_vary(function.types.get(n))]
    wanted = any(t in useful for t in targets(s.target))
    if not hot or not wanted or use.kind in _SILENT:
        return
    loc = getattr(s.value, "loc", None) or s.loc
    if use.kind == "rule":
        assert use.rule is not None
        for p, e in use.bound.items():
            if not use.rule.differentiable(p):
                for n in sorted(_data_names(e)):
                    if n in function.varied and not _is_shape(function, n):
                        what = "an index" if p == "i" and use.what == "an index" else f"the argument {p} of {use.what}"
                        refuse(
                            "active-index" if what == "an index" else "active-data",
                            f"{what} depends on an argument that is differentiated",
                            e.loc or loc,
                            note=depends(function, n),
                            hint="if it is only data, say detach(...), or int(...) for an index",
                        )
        return
    refuse_use(function, s, use, hot, loc)


def can_vary(t: Type | None) -> bool:
    return True


def depends(function: Function, web: str) -> str:
    """The note behind the carets: on which argument, and since which line."""
    wrt = ", ".join(function.spelled(w) for w in function.wrt)
    name = function.spelled(web)
    if web.startswith("·"):
        return f"this depends on {wrt}"
    if web in function.wrt:
        return f"{name} is differentiated"
    for s in statements(function.body):
        if web in binds(s) and s.loc is not None:
            return f"{name} depends on {wrt} (line {s.loc.lineno})"
    return f"{name} depends on {wrt}"


def refuse_use(function: Function, s: Stmt, use: Use, hot: list[str], loc: Any) -> None:
    """The refusal of an operation without a derivative, by what it is."""
    note = depends(function, hot[0])
    if use.error is not None:
        if use.error.filename is None:
            refuse(use.error.slug, use.error.message, loc, note=note, hint=use.error.hint)
        raise use.error
    try:
        _refuse_kind(function, s, use, hot, loc, note)
    except SrcgradError as error:
        # an operation whose result has no type may be one that fails in the user's own code: that error comes first
        error.primal_first = isinstance(use.result, Unknown)  # type: ignore[attr-defined]
        raise


def _refuse_kind(function: Function, s: Stmt, use: Use, hot: list[str], loc: Any, note: str) -> None:
    from srcgrad.rules.known import hint_for

    if use.kind == "creation":
        refuse(
            "active-data",
            f"{use.what} takes data only, and is given a number that is differentiated",
            loc,
            note=note,
            hint="if it is only data, say detach(...)",
        )
    if use.kind == "lazy" or use.kind == "opaque":
        what = use.kind if use.kind == "lazy" else getattr(s.value, "what", "this")
        refuse(
            "syntax",
            f"the value of {_article(what)} depends on an argument that is differentiated",
            loc,
            note=note,
            hint="write it as a loop with append, or with array operations",
        )
    if use.kind == "iterator":
        refuse(
            "active-call",
            f"{use.what} is used here otherwise than as what a loop runs over",
            loc,
            note=note,
            hint="write it in the head of the for loop, or loop over range(len(...))",
        )
    if use.kind != "unknown":
        return
    if use.why == "no-rule":
        from srcgrad.rules.table import table

        hint = None
        try:
            hint = hint_for(use.function)
        except Exception:  # an object that cannot be looked up
            hint = None
        assert table() is not None
        refuse(
            "no-rule",
            f"{use.what} has no derivative rule",
            loc,
            note=note,
            hint=(hint or "if it is only data, say detach(...)") + "; or write a rule: srcgrad explain no-rule",
        )
    if use.why == "method":
        refuse("method", f"{use.what} has no derivative rule", loc, note=note, hint="use the NumPy function instead")
    if use.why.startswith("the keyword"):
        refuse("keyword", f"{use.what}: {use.why}", loc, note=note, hint="leave the keyword out, or detach the argument")
    result = use.result
    if any(not is_numeric(function.types.get(n)) for n in hot) or result is None:
        refuse(
            "unknown-type",
            f"{use.what or 'an operation'} is not covered here: {use.why or 'the type of an operand is not known'}",
            loc,
            note=note,
            hint="srcgrad explain unknown-type tells what gives a value a known type",
        )
    refuse(
        "no-rule",
        f"{use.what} has no derivative rule for these arguments: {use.why}",
        loc,
        note=note,
        hint="srcgrad rules lists what is covered; if it is only data, say detach(...)",
    )


def _article(what: str) -> str:
    return f"an {what}" if what[0] in "aeiouf" and what != "lambda" and not what.startswith("list") else f"a {what}"


__all__ = ["Name", "activity", "can_carry", "check", "edges", "is_active", "varied"]
