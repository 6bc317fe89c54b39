"""Effects: what a call may write of what it is handed.

A function of the user's is analysed like any other. Of the rest only what is known to write nothing may be handed
something that can be written: NumPy's functions but the few that write, the standard library's printing, logging and
clocks. Everything else is refused; nothing is assumed.
"""

from __future__ import annotations

import logging
import random
import sys
import types as pytypes
from typing import Any

import numpy as np

from srcgrad.analysis.uses import Use, name_of
from srcgrad.errors import refuse
from srcgrad.function import Function
from srcgrad.ir import (
    Assign,
    Attr,
    Bool,
    Call,
    Compare,
    Effect,
    Expr,
    IfExp,
    Name,
    Opaque,
    Stmt,
    reads,
    statements,
    walk,
)
from srcgrad.types import Array, Data, ListOf, Number, Struct, Type, Unknown

# NumPy's functions that write into an argument (besides out=).
_WRITERS = {
    "copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "shuffle", "at", "frombuffer", "nditer",
    "apply_along_axis", "apply_over_axes", "vectorize", "frompyfunc", "piecewise",
}  # fmt: skip
# Methods that write what they are called on, or give a way to.
_WRITING_METHODS = {
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault", "popitem", "add",
    "discard", "fill", "put", "itemset", "partition", "resize", "setfield", "setflags", "shuffle", "byteswap",
    "appendleft", "popleft", "rotate", "__setitem__", "__delitem__", "__iadd__",
}  # fmt: skip
_READING_METHODS = {
    "items", "keys", "values", "get", "copy", "index", "count", "tolist", "item", "tobytes", "view", "astype", "flat",
    "__len__", "__contains__", "__getitem__", "format", "join", "split", "strip", "startswith", "endswith", "lower",
    "upper", "replace", "title", "total_seconds", "isoformat", "bit_length", "as_integer_ratio", "is_integer", "hex",
}  # fmt: skip
_LIBRARY = {*sys.stdlib_module_names, "numpy", "scipy", "builtins", "_io"}
_STDLIB_WRITERS = {
    "shuffle", "heappush", "heappop", "heapify", "insort", "setattr", "delattr", "next", "iter", "exec", "eval",
}  # fmt: skip


def effects(function: Function) -> Function:
    """Refuse calls that may write what the sweeps read."""
    for s in statements(function.body):
        use: Use | None = function.uses.get(id(s))
        value = s.value if isinstance(s, Assign | Effect) else None
        if value is None or use is None:
            continue
        if use.kind in ("lazy", "opaque"):
            _tree(function, value, s)
        elif isinstance(value, Call) and (
            use.kind == "unknown" or (use.kind == "user" and use.error is not None)
        ):
            _call(function, value, use, s)
    return function


def is_writable(t: Type | None) -> bool:
    """Whether a value of this type may be changed by who is handed it."""
    match t:
        case Number():
            return False
        case Struct("tuple", items):
            return any(is_writable(i) for i in items)
        case Data(cls=cls, known=known, value=value):
            if cls in (str, type(None), bytes, slice, range, type(Ellipsis)):
                return False
            if known and isinstance(
                value, type | np.dtype | pytypes.FunctionType | pytypes.ModuleType | np.ufunc
            ):
                return False
            return cls is None or not (isinstance(cls, type) and issubclass(cls, BaseException))
    return True


def _handed(function: Function, call: Call) -> list[str]:
    """Names of writable things among the arguments."""
    out = []
    for e in (*call.args, *(v for _, v in call.keywords)):
        for n in sorted(reads(e)):
            if n in function.names and is_writable(function.types.get(n)):
                out.append(n)
    return out


def _call(function: Function, call: Call, use: Use, s: Stmt) -> None:
    fn = call.fn
    if any(k == "out" for k, _ in call.keywords):
        _refuse(function, "an array is written by out=", call, s)
    if isinstance(fn, Attr) and use.function is None:
        owner = function.types.get(fn.value.id) if isinstance(fn.value, Name) else None
        known = owner.value if isinstance(owner, Data) and owner.known else None
        cls = owner.cls if isinstance(owner, Data) else None
        if known is None and isinstance(fn.value, Name | Attr) and owner is None:
            known = _static(function, fn.value)
            cls = type(known)
        if isinstance(owner, Array | ListOf | Struct | Unknown | Number) or cls in (dict, set, list):
            if fn.name in _READING_METHODS:
                return
            _refuse(function, f"the method .{fn.name} may write what it is called on", call, s)
        if _is_library(cls) and fn.name not in _WRITING_METHODS or isinstance(known, logging.Logger):
            return
        if isinstance(cls, type) and issubclass(
            cls, np.random.Generator | np.random.RandomState | random.Random
        ):
            if fn.name not in ("shuffle",):
                return
        handed = _handed(function, call)
        if handed or not _is_library(cls):
            _refuse_unknown(function, f"the method .{fn.name}", call, s, handed)
        return
    obj = use.function
    if obj is None:
        handed = _handed(function, call)
        if handed:
            _refuse_unknown(function, use.what or "a call", call, s, handed)
        return
    name = getattr(obj, "__name__", "")
    module = (getattr(obj, "__module__", None) or getattr(type(obj), "__module__", "")).split(".")[0]
    writes = name in _WRITERS or name in _STDLIB_WRITERS or name in _WRITING_METHODS
    handed = _handed(function, call)
    if module in _LIBRARY and not writes:
        return
    if handed and writes:
        _refuse(function, f"{name_of(obj)} may write what it is given", call, s)
    if handed:
        if use.error is not None and use.error.filename is not None:
            raise use.error
        _refuse_unknown(function, name_of(obj), call, s, handed)


def _static(function: Function, e: Expr) -> Any:
    t = function.context.global_type(function, e) if not _local(function, e) else None
    return t.value if isinstance(t, Data) and t.known else None


def _local(function: Function, e: Expr) -> bool:
    while isinstance(e, Attr):
        e = e.value
    return isinstance(e, Name) and e.id in function.names


def _is_library(cls: Any) -> bool:
    return isinstance(cls, type) and (cls.__module__ or "").split(".")[0] in _LIBRARY


def _tree(function: Function, value: Expr, s: Stmt) -> None:
    """Lazily evaluated trees and comprehensions: no method in them may write."""
    for e in walk(value):
        if isinstance(e, Call) and isinstance(e.fn, Attr) and e.fn.name in _WRITING_METHODS:
            _refuse(function, f"the method .{e.fn.name} may write what it is called on", e, s)
        if isinstance(e, Opaque):
            from srcgrad.syntax import attributes_called

            for name in attributes_called(e.node):
                if name in _WRITING_METHODS:
                    _refuse(function, f"the method .{name} may write what it is called on", e, s)


def _refuse(function: Function, what: str, at: Expr, s: Stmt) -> None:
    refuse(
        "write",
        f"{what}, which is not covered yet",
        getattr(at, "loc", None) or s.loc,
        hint="make a new value instead: np.where, np.sort(x), a list built with append",
    )


def _refuse_unknown(function: Function, what: str, at: Expr, s: Stmt, handed: list[str]) -> None:
    given = function.spelled(handed[0]) if handed and not handed[0].startswith("·") else "its argument"
    refuse(
        "active-call",
        f"{what} may write {given}, and its source is not there to tell"
        if handed
        else f"{what} is not known",
        getattr(at, "loc", None) or s.loc,
        hint="call it outside the function, and pass its result as an argument",
    )


__all__ = ["Bool", "Compare", "IfExp", "effects", "is_writable"]
