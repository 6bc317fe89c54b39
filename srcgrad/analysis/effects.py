"""Effects: what a call may write of what it is handed.

A function of the user's is analysed like any other. Of the rest, only what is known to write nothing is let through:
NumPy's and SciPy's functions without `out`, builtins and parts of the standard library that read, print or draw.
Everything else is refused; nothing is assumed.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import logging
import random
import types as pytypes
from typing import Any

import numpy as np

from srcgrad.analysis.activity import KEYWORDS, METHODS
from srcgrad.analysis.uses import Use, name_of
from srcgrad.errors import refuse
from srcgrad.function import Function
from srcgrad.ir import Assign, Attr, Call, Effect, Expr, Name, Opaque, Stmt, reads, statements, walk
from srcgrad.rules.known import NO_RULE, WRITES, entry_for
from srcgrad.syntax import attributes_called
from srcgrad.types import Array, Data, ListOf, Maybe, Number, Struct, Type, Unknown, known

# NumPy's functions that write into an argument (besides out=), or hand it to a function of the user's.
_WRITERS = {
    "copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "shuffle", "at", "frombuffer", "nditer",
    "apply_along_axis", "apply_over_axes", "vectorize", "frompyfunc", "piecewise", "fromfunction", "setbufsize",
    "seterrcall", "broadcast_arrays", "save", "savez", "savetxt", "memmap", "fromfile",
}  # fmt: skip
# Methods that write what they are called on, or give a way to.
_WRITING_METHODS = {
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault", "popitem", "add",
    "discard", "fill", "put", "itemset", "partition", "resize", "setfield", "setflags", "shuffle", "byteswap",
    "appendleft", "popleft", "rotate", "__setitem__", "__delitem__", "__iadd__", "__setattr__", "__next__", "send",
}  # fmt: skip
_READING_METHODS = {
    "items", "keys", "values", "get", "copy", "index", "count", "tolist", "item", "tobytes", "format", "join", "split",
    "strip", "startswith", "endswith", "lower", "upper", "replace", "title", "bit_length", "as_integer_ratio",
    "is_integer", "hex", "__len__", "__contains__", "__getitem__",
}  # fmt: skip
_BUILTINS = {
    "print", "len", "range", "abs", "min", "max", "sum", "sorted", "zip", "enumerate", "reversed", "map", "filter",
    "list", "tuple", "dict", "set", "frozenset", "str", "repr", "format", "int", "float", "bool", "complex", "bytes",
    "isinstance", "issubclass", "hasattr", "getattr", "type", "callable", "id", "hash", "round", "divmod", "pow", "all",
    "any", "breakpoint", "chr", "ord", "hex", "bin", "oct", "slice", "ascii",
}  # fmt: skip
# Modules of the standard library whose functions write nothing that they are handed (but those named below).
_LIBRARY = {
    "math", "cmath", "random", "time", "datetime", "logging", "warnings", "itertools", "functools", "operator",
    "_operator", "_functools", "collections", "_collections", "json", "re", "string", "statistics", "decimal",
    "fractions", "numbers", "os", "posixpath", "ntpath", "pathlib", "platform", "textwrap", "pprint", "calendar",
    "hashlib", "bisect", "_bisect", "io", "_io", "timeit", "numpy", "scipy", "_random", "_datetime", "posix", "uuid",
}  # fmt: skip
_LIBRARY_WRITERS = {
    "shuffle", "insort", "insort_left", "insort_right", "heappush", "heappop", "heapify", "setitem", "delitem", "iadd",
    "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul", "iconcat", "iand", "ior", "ixor", "ilshift",
    "irshift", "methodcaller", "reduce", "partial", "system", "remove", "unlink", "rename",
}  # fmt: skip

# What is said of builtins and methods that are refused by their names: what they do, and what to write instead.
_NOT_COVERED = "is not covered in a function that is differentiated"
_OUTSIDE = "call it outside the function, and pass its result as an argument"
_SAID = {
    **dict.fromkeys(
        ("eval", "exec", "compile"),
        ("runs text, which is not differentiated", "write the code out in the function"),
    ),
    **dict.fromkeys(
        ("locals", "globals", "vars"),
        ("gives all variables at once, which is not covered", "use the variables by their names"),
    ),
    **dict.fromkeys(
        ("setattr", "delattr"),
        ("writes an attribute, which is not covered yet", "keep the number in a variable, and return it"),
    ),
    "iter": (
        "makes an iterator, which is used up as it is read",
        "read by an index, items[0], or in a for loop",
    ),
    "next": ("uses up an item of an iterator", "read by an index, items[0], or in a for loop"),
    **dict.fromkeys(("open", "input"), ("reads or writes outside of the program", _OUTSIDE)),
    "super": (
        "finds a method of another class, which is not followed yet",
        "call it by the class: Base.method(self, x)",
    ),
    "__import__": ("imports a module", "import it at the top of the file"),
}
_INSTEAD = {
    **dict.fromkeys(
        ("sort", "partition"), "make a new value: np.sort(x), or np.sort(np.array(items)) of a list"
    ),
    **dict.fromkeys(("append", "appendleft"), "make the list in this function, and grow it by append"),
    "extend": "append in a loop: for v in more: items.append(v)",
    "insert": "append the items in the order that they are to have",
    **dict.fromkeys(("pop", "popleft"), "read it by an index instead: items[-1]"),
    "clear": "make a new list: items = []",
    "remove": "append what is to stay to a new list",
    "reverse": "run over it from behind: for v in reversed(items)",
    **dict.fromkeys(("update", "setdefault"), "write all entries where the dict is made: {key: value}"),
    "fill": "make a new value: np.full(n, v)",
    "shuffle": "read it by a permutation that is drawn outside, and passed as an argument: y[order]",
}


def effects(function: Function) -> Function:
    """Refuse calls that may write what the sweeps read."""
    for s in statements(function.body):
        use: Use | None = function.uses.get(id(s))
        value = s.value if isinstance(s, Assign | Effect) else None
        if value is None or use is None:
            continue
        if use.kind in ("lazy", "opaque"):
            _tree(value, s)
        elif isinstance(value, Call) and use.kind == "user" and use.error is not None:
            method = isinstance(value.fn, Attr) and not isinstance(
                getattr(_owner_type(function, value.fn.value), "value", None), pytypes.ModuleType
            )
            if not method and not _handed(function, value) and is_self_contained(use.function):
                continue  # whatever it does, it does to things of its own
            if use.error.filename is None:
                refuse(use.error.slug, use.error.message, value.loc or s.loc, hint=use.error.hint)
            raise use.error
        elif isinstance(value, Call) and use.kind == "unknown":
            _call(function, value, use, s)
    return function


def is_writable(t: Type | None) -> bool:
    """Whether a value of this type may be changed by who is handed it."""
    match t:
        case Number():
            return False
        case Maybe(item):
            return is_writable(item)
        case Struct("tuple", items):
            return any(is_writable(i) for i in items)
        case Data(cls=cls, known=known, value=value):
            if cls in (str, type(None), bytes, slice, range, type(Ellipsis)):
                return False
            fixed = type | np.dtype | pytypes.FunctionType | pytypes.ModuleType | np.ufunc
            if known and isinstance(value, fixed):
                return False
            return cls is None or not (isinstance(cls, type) and issubclass(cls, BaseException))
    return True


def is_self_contained(obj: Any, seen: set[int] | None = None) -> bool:
    """Whether a function of the user's reaches nothing that can be written, but what it makes and is handed."""
    seen = set() if seen is None else seen
    obj = inspect.unwrap(getattr(obj, "__func__", obj))
    if not isinstance(obj, pytypes.FunctionType) or obj.__closure__ or obj.__kwdefaults__:
        return False
    if id(obj) in seen:
        return True
    seen.add(id(obj))
    if any(isinstance(d, list | dict | set | np.ndarray) for d in obj.__defaults__ or ()):
        return False
    codes = [obj.__code__]
    while codes:
        code = codes.pop()
        codes += [c for c in code.co_consts if isinstance(c, pytypes.CodeType)]
        if any(
            i.opname in ("STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_NAME") for i in dis.get_instructions(code)
        ):
            return False
        for name in code.co_names:
            value = obj.__globals__.get(name, getattr(builtins, name, None))
            if isinstance(value, pytypes.FunctionType):
                library = (value.__module__ or "").split(".")[0] in _LIBRARY
                if not library and not is_self_contained(value, seen):
                    return False
            elif isinstance(value, type) and (value.__module__ or "").split(".")[0] not in {
                *_LIBRARY,
                "builtins",
            }:
                return False
            elif name in ("eval", "exec", "globals", "locals", "vars", "setattr", "__import__", "compile"):
                return False
            elif is_writable(known(value)) and not isinstance(value, type(print)):
                return False
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
    if any(k == "out" for k, _ in call.keywords):
        _refuse("an array is written by out=", call, s, _NO_OUT)
    if use.function is not None:
        _function(function, call, use.function, s)
    elif isinstance(call.fn, Attr):
        _method(function, call, call.fn, s, use)
    else:
        handed = _handed(function, call)
        if handed:
            _refuse_unknown(function, use.what or "a call", call, s, handed)


def _method(function: Function, call: Call, fn: Attr, s: Stmt, use: Use) -> None:
    owner = _owner_type(function, fn.value)
    cls = owner.cls if isinstance(owner, Data) else None
    if isinstance(owner, Array | ListOf | Struct | Unknown | Number | Maybe) or cls in (
        dict,
        set,
        list,
        None,
    ):
        if fn.name not in _READING_METHODS:
            what, why, loc = f"the method .{fn.name}", use.why, call.loc or s.loc
            hint = _INSTEAD.get(fn.name) or METHODS.get(fn.name)
            if fn.name.startswith("__"):
                hint = "write the operator, or an index, instead"
            if isinstance(owner, Unknown):
                hint = hint or "compute it outside of the function, and pass it as an argument"
                refuse(
                    "unknown-type", f"{what} is called on something whose type is not known", loc, hint=hint
                )
            if fn.name not in _WRITING_METHODS and why.startswith("the keyword"):
                hint = KEYWORDS.get(why.split()[2], "leave the keyword out")
                refuse("keyword", f"{what}: {why}", loc, hint=hint)
            if fn.name not in _WRITING_METHODS:
                hint = hint or "srcgrad rules lists the functions and methods that are covered"
                why = "" if why in ("", "method") else f": {why}"
                refuse("method", f"{what} is not covered here{why}", loc, hint=hint)
            _refuse(f"{what} may write what it is called on", call, s, hint)
        return
    assert isinstance(cls, type)
    if issubclass(cls, str | bytes | logging.Logger):
        return
    if issubclass(cls, np.ufunc) and fn.name not in ("reduce", "accumulate", "outer", "reduceat"):
        _refuse(f"the method .{fn.name} of a ufunc may write what it is given", call, s)
    if issubclass(cls, np.random.Generator | np.random.RandomState | random.Random) and fn.name != "shuffle":
        return
    if _is_library(cls) and fn.name not in _WRITING_METHODS:
        return
    _refuse_unknown(function, f"the method .{fn.name}", call, s, _handed(function, call))


def _function(function: Function, call: Call, obj: Any, s: Stmt) -> None:
    name = getattr(obj, "__name__", "")
    module = (getattr(obj, "__module__", None) or type(obj).__module__).split(".")[0]
    owner = getattr(obj, "__self__", None)
    if isinstance(owner, np.ufunc):
        _refuse(f"numpy.{owner.__name__}.{name} may write what it is given", call, s)
    if isinstance(obj, np.ufunc):
        if len(call.args) > obj.nin:
            _refuse("an array is written by out", call, s, _NO_OUT)
        return
    if module == "numpy":
        if name in _WRITERS or _gives_out(obj, call):
            if name not in _WRITERS:
                _refuse("an array is written by out", call, s, _NO_OUT)
            _refuse_named(obj, call, s)
        return
    if module == "builtins" and owner in (None, builtins):
        if name not in _BUILTINS:
            said, hint = _SAID.get(name, (_NOT_COVERED, _OUTSIDE))
            refuse("active-call", f"{name}() {said}", call.loc or s.loc, hint=hint)
        return
    if module == "srcgrad":
        refuse(
            "option",
            f"{name} is called inside a function that is differentiated, which is not covered yet",
            call.loc or s.loc,
            hint="call it outside, and pass its result as an argument",
        )
    if module in _LIBRARY:
        if name in _LIBRARY_WRITERS or (inspect.isclass(obj) and name == "partial"):
            _refuse_named(obj, call, s)
        return
    if isinstance(obj, type) and module == "builtins":
        said, hint = _SAID.get(name, (_NOT_COVERED, _OUTSIDE))
        refuse("active-call", f"{name}() {said}", call.loc or s.loc, hint=hint)
    if isinstance(obj, type):
        made = f"{obj.__name__} is a class, and objects that the function makes are not covered yet"
        refuse("active-call", made, call.loc or s.loc, hint="keep its numbers in variables, or in a tuple")
    handed = _handed(function, call)
    if handed or isinstance(obj, pytypes.FunctionType | type):
        _refuse_unknown(function, _public(obj), call, s, handed)


def _gives_out(obj: Any, call: Call) -> bool:
    """Whether a call may give `out` by position."""
    try:
        bound = inspect.signature(obj).bind(*call.args, **dict(call.keywords))
    except (TypeError, ValueError):
        return len(call.args) > 2
    return bound.arguments.get("out") is not None


def _owner_type(function: Function, e: Expr) -> Type:
    if isinstance(e, Name) and e.id in function.names:
        return function.types.get(e.id, Unknown())
    if isinstance(e, Name | Attr):
        return function.context.global_type(function, e)  # type: ignore[no-any-return]
    return Data(type(getattr(e, "value", None)))


def _is_library(cls: type) -> bool:
    return (cls.__module__ or "").split(".")[0] in {*_LIBRARY, "builtins"}


def _tree(value: Expr, s: Stmt) -> None:
    """Lazily evaluated trees and comprehensions: no method in them may write."""
    for e in walk(value):
        names = [e.fn.name] if isinstance(e, Call) and isinstance(e.fn, Attr) else []
        if isinstance(e, Opaque):
            names += attributes_called(e.node)
        for name in names:
            if name in _WRITING_METHODS:
                _refuse(f"the method .{name} may write what it is called on", e, s, _INSTEAD.get(name))


def _refuse(what: str, at: Expr, s: Stmt, hint: str | None = None) -> None:
    refuse(
        "write",
        f"{what}, which is not covered yet",
        getattr(at, "loc", None) or s.loc,
        hint=hint or "make a new value instead: np.where, np.sort(x), a list built with append",
    )


_NO_OUT = "call it without out, and use the array that it returns: y = np.exp(x)"


def _public(obj: Any) -> str:
    """The name that a user knows a function by: functools.reduce, and not _functools.reduce."""
    return name_of(obj).lstrip("_")


def _refuse_named(obj: Any, at: Expr, s: Stmt) -> None:
    """A function of NumPy's or the standard library's that writes, or calls what is not followed."""
    name, what = getattr(obj, "__name__", ""), _public(obj)
    loc = getattr(at, "loc", None) or s.loc
    reason, hint = entry_for(obj) or ("", "")
    if name == "reduce":
        calls = "calls a function from inside, where it is not followed"
        refuse("no-rule", f"{what} {calls}", loc, hint="write the loop: it is differentiated as it stands")
    if name in ("partial", "methodcaller"):
        kept = "makes a function that keeps what it is given, which is not covered yet"
        refuse("active-call", f"{what} {kept}", loc, hint="call the function itself, with all its arguments")
    if reason == NO_RULE:
        refuse("no-rule", f"{what} has no derivative rule", loc, hint=hint)
    if reason.startswith("it ") and reason != WRITES:
        refuse("no-rule", f"{what} is refused: {reason}", loc, hint=hint)
    _refuse(f"{what} may write what it is given", at, s)


def _refuse_unknown(function: Function, what: str, at: Expr, s: Stmt, handed: list[str]) -> None:
    given = function.spelled(handed[0]) if handed and not handed[0].startswith("·") else "its argument"
    does = "what is called here" if what == "a call" else f"what {what} does"
    hint, loc = _OUTSIDE, getattr(at, "loc", None) or s.loc
    method = what.rpartition(".")[2] if what.startswith("the method") else ""
    if what == "a call" or method:
        hint = "call a function by its own name; or call it outside the function, and pass its result"
    if method in _WRITING_METHODS and handed:
        _refuse(f"{what} may write {given}", at, s, _INSTEAD.get(method, hint))
    refuse(
        "active-call",
        f"{does} is not known" + (f", and it may write {given}" if handed else ""),
        loc,
        hint=hint,
    )
