"""Activity: which webs carry derivatives.

varied: depends on an argument that is differentiated; useful: the result depends on it; active: both. Everything
passes variation on but what the table says is constant; so a number that went through text or an unknown call is
still varied, and is refused where it matters, not dropped.
"""

from __future__ import annotations

import collections
import functools
import sys
from typing import Any

from srcgrad.analysis.uses import Use, choose, index_operands
from srcgrad.errors import SrcgradError, refuse
from srcgrad.function import VALUE, Function
from srcgrad.ir import (
    Assign,
    Attr,
    Call,
    Const,
    Effect,
    Expr,
    For,
    Item,
    Name,
    Seq,
    Stmt,
    binds,
    children,
    reads,
    statements,
    targets,
)
from srcgrad.types import Array, Data, ListOf, Number, Struct, Type, Unknown, is_numeric

_SILENT = ("constant", "detach")


def varied(function: Function) -> set[str]:
    """The webs that depend on the arguments of `wrt`."""
    out = set(function.wrt)
    stmts = [s for s in statements(function.body) if binds(s) or isinstance(s, Assign | Effect)]
    changed = True
    while changed:
        changed = together(function, out)
        for s in stmts:
            for source, result in edges(function, s):
                if source in out and result not in out:
                    out.add(result)
                    changed = True
    return out


def together(function: Function, webs: set[str]) -> bool:
    """The names of one memory are in the set together: what is stored by one is read by the other."""
    if function.objects is None:
        return False
    before = len(webs)
    for members in function.objects.members.values():
        names = {w for w, _ in members}
        if names & webs:
            webs |= names
    return len(webs) > before


def activity(function: Function) -> Function:
    """Find the active webs, and refuse what is active without a derivative."""
    function.varied = varied(function)
    choose_variants(function)
    # of an array of the caller's that is written, what is left in it is a result too
    useful = {w for w, _ in function.handed} | (set() if function.quiet else {VALUE})
    stmts = [s for s in statements(function.body) if binds(s) or isinstance(s, Assign | Effect)]
    changed = True
    while changed:
        changed = together(function, useful)
        for s in reversed(stmts):
            for source, result in edges(function, s):
                if result in useful and source not in useful:
                    useful.add(source)
                    changed = True
    function.active = {w for w in function.varied & useful if can_carry(function.types.get(w))}
    for s in stmts:
        check(function, s, useful)
    known(function, stmts)
    return function


def known(function: Function, stmts: list[Stmt]) -> None:
    """Refuse an active name whose type is not known: nothing can be said of its adjoint."""
    for s in stmts:
        for w in binds(s):
            t = function.types.get(w)
            if w in function.active and (t is None or not is_known(t)):
                name = function.spelled(w)
                refuse(
                    "unknown-type",
                    f"what {name} holds here has no known type"
                    if not w.startswith("·")
                    else "this has no known type",
                    s.loc,
                    note=depends(function, w),
                    hint="srcgrad explain unknown-type tells what gives a value a known type",
                )


def is_known(t: Type) -> bool:
    match t:
        case Unknown():
            return False
        case Struct(_, items):
            return all(is_known(i) for i in items)
        case ListOf(item):
            return item is None or is_known(item)
    return True


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
        if use is not None and use.kind in ("append", "insert") and isinstance(s.value, Call):
            owner = s.value.fn.value.id  # type: ignore[attr-defined]
            return [(n, owner) for a in s.value.args for n in reads(a)]
        return []
    if not isinstance(s, Assign):
        return []
    if isinstance(s.target, Item):
        return [(n, web) for web in reads(s.target.value) for n in reads(s.value) | reads(s.target.index)]
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
        sources |= {
            n
            for p, e in use.bound.items()
            if p != "like"
            for n in _data_names(e)
            if not _is_shape(function, n)
        }
        return [(n, t) for n in sources for t in names]
    if use.kind == "user" and function.objects is not None:  # what it writes depends on what it is given
        names = [*names, *(w for w, _ in function.objects.writers.get(id(s), ()))]
    return [(n, t) for n in reads(s.value) for t in names]


def _data_names(e: Expr) -> set[str]:
    return {n for o in index_operands(e) for n in reads(o)}


def _is_shape(function: Function, name: str) -> bool:
    t = function.types.get(name)
    return isinstance(t, Number) and t.value is not None


def check(function: Function, s: Stmt, useful: set[str]) -> None:
    """Refuse an operation that an active number goes through and that has no derivative here."""
    use: Use | None = function.uses.get(id(s))
    if use is None or not isinstance(s, Assign) or use.kind == "parallel":
        return
    if isinstance(s.target, Item):
        check_store(function, s, use, useful)
        return
    hot = [n for n in sorted(reads(s.value)) if n in function.varied]
    wanted = any(t in useful for t in targets(s.target))
    if not hot or not wanted or use.kind in _SILENT:
        return
    loc = getattr(s.value, "loc", None) or s.loc
    if use.kind == "rule":
        assert use.rule is not None
        zero = all(line.value == Const(0) for line in use.rule.lines if line.role == "partial")
        whole = (
            isinstance(use.result, Number | Array)
            and use.result.kind in "biu"
            and use.result.dtype is not None
        )
        asked = any(
            "dtype" in reads(line.value) for line in use.rule.lines if line.role == "partial"
        )  # astype
        whole = whole and not asked and not (zero and use.rule.elementwise)
        floats = [n for n in hot if isinstance(t := function.types.get(n), Number | Array) and t.kind in "fc"]
        if whole and floats:
            refuse(
                "active-data",
                f"{use.what} stores a number that is differentiated as {use.result}",
                loc,
                note=depends(function, floats[0]),
                hint="keep it a float: leave dtype out, or say dtype=float",
            )
        for p, e in use.bound.items():
            if not use.rule.differentiable(p) and p != "like":
                for n in sorted(_data_names(e)):
                    if n in function.varied and not _is_shape(function, n):
                        what = (
                            "an index"
                            if p == "i" and use.what == "an index"
                            else f"the argument {p} of {use.what}"
                        )
                        refuse(
                            "active-index" if what == "an index" else "active-data",
                            f"{what} depends on an argument that is differentiated",
                            e.loc or loc,
                            note=depends(function, n),
                            hint=f"if it is only data, say detach({_shown(function, n)})"
                            + (f" or int({_shown(function, n)})" if what == "an index" else ""),
                        )
        return
    refuse_use(function, s, use, hot, loc)


# Containers of Python's, which hold no array's memory but by reference.
_CONTAINERS = {
    dict, list, collections.OrderedDict, collections.defaultdict, collections.Counter, collections.deque,
}  # fmt: skip


def check_store(function: Function, s: Assign, use: Use, useful: set[str]) -> None:
    """Refuse a write that an active number takes part in and that has no derivative."""
    assert isinstance(s.target, Item) and isinstance(s.target.value, Name)
    web, loc = s.target.value.id, s.target.loc or s.loc
    owner = function.types.get(web)
    if isinstance(owner, Unknown) or (isinstance(owner, Data) and owner.cls not in _CONTAINERS):
        # it may show the memory of an array: an iterator of NumPy's, a memoryview, an object with __setitem__
        shown = f"an object of {owner.cls.__name__}" if isinstance(owner, Data) else "what is not known"
        refuse(
            "write",
            f"an entry of {shown} is written, which is not covered",
            loc,
            hint="write the array itself: a[i] = v, or a.reshape(-1)[i] = v",
        )
    if web not in useful:
        return
    for n in sorted(_data_names(s.target.index)):
        if n in function.varied and not _is_shape(function, n):
            refuse(
                "active-index",
                "an index depends on an argument that is differentiated",
                s.target.index.loc or loc,  # type: ignore[attr-defined]
                note=depends(function, n),
                hint=f"if it is only data, say detach({_shown(function, n)}) or int({_shown(function, n)})",
            )
    t = function.types.get(web)
    hot = [n for n in sorted(reads(s.value)) if n in function.varied]
    if isinstance(t, Array) and t.kind in "biu" and hot:
        refuse(
            "active-data",
            f"a number that is differentiated is stored into an array of {t.dtype}",
            loc,
            note=depends(function, hot[0]),
            hint="make it an array of floats: dtype=float",
        )
    stored = function.types.get(s.value.id) if isinstance(s.value, Name) else None
    if isinstance(t, Array) and hot and not isinstance(stored, Number | Array):
        refuse(
            "unknown-type",
            "what is stored into an array here is neither a number nor an array",
            loc,
            note=depends(function, hot[0]),
            hint="make an array of it: np.array(...)",
        )
    if web in function.active and (use.why or not isinstance(t, Array | ListOf)):
        refuse(
            "unknown-type",
            "what is written here is not known" + (f": {use.why}" if use.why else ""),
            loc,
            note=depends(function, web),
            hint="srcgrad explain unknown-type tells what gives a value a known type",
        )


def _shown(function: Function, web: str) -> str:
    return "..." if web.startswith("·") else function.spelled(web)


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
    data = f"if it is only data, say detach({_shown(function, hot[0])})"
    if use.kind == "creation":
        draw = "random" in use.what or "Random" in use.what or use.what.startswith("the method .")
        refuse(
            "active-data",
            f"{use.what} takes data only, and is given a number that is differentiated",
            loc,
            note=note,
            hint=f"location + scale * draw is covered; {data}" if draw else data,
        )
    if use.kind == "lazy" or use.kind == "opaque":
        what = getattr(s.value, "what", "") or _LAZY.get(type(s.value).__name__, "this")
        refuse(
            "syntax",
            f"the value of {_article(what)} depends on an argument that is differentiated",
            loc,
            note=note,
            hint=_INSTEAD.get(what, "write it as a loop with append, or with array operations"),
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
        slug, message, hint = _called(function, use)
        refuse(slug, message, loc, note=note, hint=hint)
    if use.why == "method":
        method = use.what.rpartition(".")[2]
        hint = METHODS.get(method, "srcgrad rules lists the functions and methods that are covered")
        what, of = use.what, _ufunc(function, s.value)
        if of:
            what = f"numpy.{of}.{method}"
            hint = UFUNC_METHODS.get(f"{of}.{method}") or UFUNC_METHODS.get(method, hint)
        refuse("method", f"{what} has no derivative rule", loc, note=note, hint=hint)
    given = [function.types.get(getattr(e, "id", "")) for e in getattr(s.value, "args", ())]
    if use.function is list and any(isinstance(t, Struct) and t.keys is not None for t in given):
        keys = "a loop over a dict, or a list of its keys, is not covered here"
        refuse("unknown-type", keys, loc, note=note, hint='write the keys out: for key in ("a", "b"): ...')
    if use.why.startswith("the keyword"):
        keyword = use.why.split()[2]
        hint = KEYWORDS.get(keyword, "leave the keyword out")
        refuse("keyword", f"{use.what}: {use.why}", loc, note=note, hint=hint)
    if use.why == "what is called is not known":
        refuse(
            "active-call",
            "what is called here is not known, and it is given a number that is differentiated",
            loc,
            note=note,
            hint="call a function by its own name: srcgrad rules lists those that are covered",
        )
    if use.why.endswith("depends on an argument that is differentiated"):
        refuse(
            "active-data",
            f"the argument {use.why.split()[0]} of {use.what} {_DEPENDS}",
            loc,
            note=note,
            hint=data,
        )
    if use.why == "the entry depends on the run":
        index = getattr(s.value, "index", None)
        if any(n in function.varied for n in reads(index)):
            refuse("active-index", f"an index {_DEPENDS}", index.loc or loc, note=note, hint=data)  # type: ignore
        refuse(
            "unknown-type",
            "which entry is read here is not known before the run",
            loc,
            note=note,
            hint='write the keys out: table["a"]; or keep what is alike in an array',
        )
    if use.why == "it joins containers":
        refuse(
            "unknown-type",
            f"{use.what} on lists is not covered here",
            loc,
            note=note,
            hint="append to a list in a loop, or write its items out",
        )
    if use.call is not None and any(k == "dtype" for k, _ in use.call[2]):
        refuse(
            "active-data",
            f"{use.what} with a dtype is not covered for a number that is differentiated",
            loc,
            note=note,
            hint="leave dtype out, and convert what it is given: x.astype(np.float32)",
        )
    unknown = [
        e for e in children(s.value) if isinstance(e, Name) and isinstance(function.types.get(e.id), Unknown)
    ]
    if use.why in _UNTYPED and unknown:
        refuse(
            "unknown-type",
            f"the type of an operand of {use.what} is not known",
            unknown[0].loc or loc,
            note="nothing is known about what this is",
            hint="compute it outside of the function, and pass it as an argument",
        )
    why = "" if use.why in ("", use.what) or use.why.startswith("no variant of its rule") else f": {use.why}"
    if why.endswith(" is of type unknown"):
        why = f": the type of its argument {use.why.split()[0]} is not known"
    result = use.result
    if any(not is_numeric(function.types.get(n)) for n in hot) or result is None:
        refuse(
            "unknown-type",
            f"{use.what or 'an operation'} is not covered here{why}",
            loc,
            note=note,
            hint="srcgrad explain unknown-type tells what gives a value a known type",
        )
    refuse(
        "no-rule",
        f"{use.what} has no derivative rule for these arguments{why}",
        loc,
        note=note,
        hint=f"srcgrad rules lists what is covered; {data}",
    )


def _called(function: Function, use: Use) -> tuple[str, str, str]:
    """(slug, message, hint) for a call of what has no rule and no source to read."""
    from srcgrad.rules.known import hint_for

    obj, what = use.function, use.what
    if type(obj).__module__ == "srcgrad.api":
        name = getattr(obj, "__name__", what)
        if getattr(obj, "__wrapped__", None) is function.source.function:
            own = f"write df = grad({name}) beside the function, instead of @grad on it"
            return "recursion", f"{name} calls itself by the name of its derivative, which gives a pair", own
        other = f"differentiate what it gives by hand, or call {name}.__wrapped__ for the value alone"
        return (
            "active-call",
            f"{name} is a derivative, and derivatives of derivatives are not covered yet",
            other,
        )
    if getattr(obj, "__module__", None) == "srcgrad.api":
        return "active-call", "derivatives of derivatives are not covered yet", "differentiate once, outside"
    if isinstance(obj, functools.partial):
        own = "call the function itself, with all its arguments"
        return "active-call", "a functools.partial is called here, which is not covered yet", own
    if type(obj).__module__.startswith("numpy") and type(obj).__name__ == "vectorize":
        own = "write the loop, or call a function of arrays: both are differentiated as they stand"
        return "active-call", "what np.vectorize made is called here, which is not covered", own
    module = (getattr(obj, "__module__", None) or "").partition(".")[0]
    if isinstance(obj, type) and module not in sys.stdlib_module_names and module not in ("numpy", "scipy"):
        made = f"{obj.__name__} is a class, and objects made of what is differentiated are not covered yet"
        return "active-call", made, "keep its numbers in variables, or in a tuple"
    if not isinstance(obj, type) and callable(obj) and not hasattr(obj, "__name__"):
        called = f"an object of {type(obj).__name__} is called here, which is not covered yet"
        return "active-call", called, "call a function by its own name instead"
    if _hashable(obj) and obj in _STOCK:
        return "no-rule", f"{what} has no derivative rule", _STOCK[obj]
    try:
        hint = hint_for(obj)
    except Exception:  # an object that cannot be looked up
        hint = None
    return "no-rule", f"{what} has no derivative rule", hint or "srcgrad rules lists what is covered"


def _ufunc(function: Function, e: Any) -> str:
    """The ufunc that a method is called on: `add` of `np.add.reduce(x)`."""
    fn = e.fn if isinstance(e, Call) else None
    root = fn
    while isinstance(root, Attr):
        root = root.value
    if not isinstance(fn, Attr) or not isinstance(root, Name) or root.id in function.names:
        return ""
    owner = function.context.global_type(function, fn.value)
    obj = owner.value if isinstance(owner, Data) and owner.known else None
    return obj.__name__ if type(obj).__name__ == "ufunc" else ""


def _hashable(obj: Any) -> bool:
    try:
        hash(obj)
    except TypeError:
        return False
    return True


_DEPENDS = "depends on an argument that is differentiated"
_UNTYPED = ("the type of an operand is not known", "the type of the container is not known")
_LAZY = {"IfExp": "conditional expression", "Bool": "chain of and, or", "Compare": "chained comparison"}
_INSTEAD = {
    "lambda": "define a function at module level, and pass it what it needs",
    "f-string": "calculate with the number itself: text is data",
    "dict comprehension": "write its entries out, or append to a list in a loop",
    "conditional expression": "write it as an if statement",
    "chain of and, or": "write it as an if statement",
    "chained comparison": "write it as an if statement",
}
_STOCK = {
    str: "calculate with the number itself: text is data",
    repr: "calculate with the number itself: text is data",
    map: "write the loop: it is differentiated as it stands",
    filter: "write the loop: it is differentiated as it stands",
    functools.reduce: "write the loop: it is differentiated as it stands",
    sorted: "np.sort of an array is covered",
    getattr: "write the attribute: x.real",
}
METHODS = {
    "values": "read the entries by their keys, or keep them in a list",
    "items": "read the entries by their keys, or keep them in a list",
    "keys": "read the entries by their keys, or keep them in a list",
    "get": "read the entry by its key: d[key]",
    "item": "read it by an index: x[i]",
    "tolist": "loop over the array itself, or read it by an index: x[i]",
    "view": "calculate with the array itself; .astype and .reshape are covered",
    "tobytes": "calculate with the array itself",
    "hex": "calculate with the number itself: text is data",
    "dot": "x @ y is covered",
    "format": "calculate with the number itself: text is data",
}
UFUNC_METHODS = {
    "add.reduce": "np.sum is covered: np.sum(x, axis=0)",
    "multiply.reduce": "np.prod is covered: np.prod(x, axis=0)",
    "maximum.reduce": "np.max is covered: np.max(x, axis=0)",
    "minimum.reduce": "np.min is covered: np.min(x, axis=0)",
    "add.accumulate": "np.cumsum is covered: np.cumsum(x, axis=0)",
    "multiply.accumulate": "np.cumprod is covered: np.cumprod(x, axis=0)",
    "multiply.outer": "np.outer is covered for vectors, and x[:, None] * y",
    "outer": "the operation on x[:, None] and y is covered",
    "reduce": "write the loop: it is differentiated as it stands",
    "accumulate": "write the loop: it is differentiated as it stands",
    "reduceat": "write the loop over the slices: it is differentiated as it stands",
}
KEYWORDS = {
    "dtype=": "convert what it is given: x.astype(np.float32)",
    "where=": "give it np.where(condition, x, 0.0), or x[condition]",
    "initial=": "leave it out, and combine the result with it: np.maximum(np.max(x), initial)",
    "casting=": "convert what it is given: x.astype(np.float32)",
}


def _article(what: str) -> str:
    return (
        f"an {what}"
        if what[0] in "aeiouf" and what != "lambda" and not what.startswith("list")
        else f"a {what}"
    )
