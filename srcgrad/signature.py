"""Which parameters are differentiated, and how a call's arguments reach the parameters of the function's own text.

>>> def loss(w, b, x=1.0):
...     return w * x + b
>>> choose("b", inspect.signature(loss), "loss")
(('b',), False)
>>> Binder(loss).bind((2.0, 3.0), {})
(2.0, 3.0, 1.0)
"""

from __future__ import annotations

import difflib
import functools
import inspect
import operator
import types
from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.errors import refuse

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_VARIADIC = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def name_of(function: Any) -> str:
    """What messages call a function.

    >>> name_of(functools.partial(abs)), name_of(lambda: 0)
    ('abs', 'lambda')
    """
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        name = type(function).__name__
    return "lambda" if name == "<lambda>" else name


def signature_of(function: Any) -> inspect.Signature | None:
    """The signature that calls have, without reading any source; None where there is no telling."""
    if isinstance(function, classmethod):  # it has one when it is read from its class
        function = functools.partial(function.__func__, None)
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def preset_by(function: Any) -> dict[str, str]:
    """The parameters that a call cannot be differentiated by, and what has bound them.

    >>> preset_by(functools.partial(pow, 2, mod=3))
    {'base': 'functools.partial', 'mod': 'functools.partial'}
    """
    out: dict[str, str] = {}
    count = 0
    while isinstance(function, functools.partial):
        out.update(dict.fromkeys(function.keywords, "functools.partial"))
        count += len(function.args)
        function = function.func
    by = ["functools.partial"] * count
    if isinstance(function, types.MethodType):
        function, by = function.__func__, ["the method's object", *by]
    below = signature_of(function)
    if below is not None:
        names = [p.name for p in below.parameters.values() if p.kind in _POSITIONAL]
        out = {**dict(zip(names, by, strict=False)), **out}
    return out


def choose(
    wrt: Any, signature: inspect.Signature, name: str, preset: Mapping[str, str] | None = None, first: int = 0
) -> tuple[tuple[str, ...], bool]:
    """The names of the differentiated parameters, and whether their gradients come in a tuple.

    `wrt` is what the user wrote; `preset` what they cannot choose; without `wrt` the parameter at `first` is meant,
    or the first one behind it that is free.

    >>> from srcgrad.errors import SrcgradError
    >>> try:
    ...     choose("weights", inspect.signature(lambda w, b, x: 0), "loss")
    ... except SrcgradError as error:
    ...     print(error)
    loss has no parameter 'weights': it has w, b, x. Did you mean 'w'?  [unknown-wrt]
    """
    preset = preset or {}
    names = list(signature.parameters)
    free = [n for n in names if n not in preset]
    if wrt is None:
        if not free:
            what = "takes no arguments" if not names else "has no free parameter"
            refuse("unknown-wrt", f"{name} {what}, so there is nothing to differentiate by")
        return ((free[first] if first < len(free) else free[0]),), False
    many = isinstance(wrt, tuple | list)
    entries = list(wrt) if many else [wrt]
    if not entries:
        refuse("unknown-wrt", f"wrt is empty: {_has(name, names)}")
    chosen: list[str] = []
    for entry in entries:
        found = _one(entry, signature, names, name, preset)
        if found in chosen:
            refuse("unknown-wrt", f"wrt names {found!r} twice")
        chosen.append(found)
    return tuple(chosen), many


def choose_result(of: Any, signature: inspect.Signature, name: str) -> str:
    """The name of the parameter that holds the result, or a refusal."""
    if not isinstance(of, str):
        refuse("option", f"of names the parameter that holds the result, and got {of!r}")
    return _one(of, signature, list(signature.parameters), name, {})


def _one(
    entry: Any, signature: inspect.Signature, names: Sequence[str], name: str, preset: Mapping[str, str]
) -> str:
    if isinstance(entry, str):
        if entry in preset:
            refuse("unknown-wrt", f"{name} has its parameter {entry!r} bound by {preset[entry]} already")
        if entry not in names:
            guess = _guess(entry, [n for n in names if n not in preset])
            meant = f". Did you mean {guess!r}?" if guess else ""
            refuse("unknown-wrt", f"{name} has no parameter {entry!r}: {_has('it', names)}{meant}")
        found = entry
    else:
        try:
            position = operator.index(entry)
        except TypeError:
            position = -1
        if isinstance(entry, bool) or (position < 0 and not hasattr(type(entry), "__index__")):
            refuse("unknown-wrt", f"wrt takes names or positions of parameters, and got {entry!r}")
        if not 0 <= position < len(names):
            also = ", counted from 0" if position < 0 or position == len(names) else ""
            refuse(
                "unknown-wrt", f"{name} has no parameter at position {position}{also}: {_has('it', names)}"
            )
        found = names[position]
        if found in preset:
            refuse("unknown-wrt", f"{name} has its parameter {found!r} bound by {preset[found]} already")
    stars = _VARIADIC.get(signature.parameters[found].kind)
    if stars:
        hint = "give the argument a parameter of its own"
        refuse("unknown-wrt", f"{stars}{found} of {name} collects arguments, and is none itself", hint=hint)
    return found


def _has(subject: str, names: Sequence[str]) -> str:
    return f"{subject} has {', '.join(names)}" if names else f"{subject} has none"


def _guess(wrong: str, names: Sequence[str]) -> str | None:
    """The parameter that was probably meant.

    >>> _guess("weight", ["x", "weights"]), _guess("weights", ["x", "w"]), _guess("z", ["x"])
    ('weights', 'w', None)
    """
    close = difflib.get_close_matches(wrong.lower(), [n.lower() for n in names], 1)
    if close:
        return next(n for n in names if n.lower() == close[0])
    related = [n for n in names if wrong.startswith(n) or n.startswith(wrong)]
    return max(related, key=len, default=None)


# ---- calls


class Binder:
    """Puts the arguments of a call in the order of the parameters of a function's own text.

    A call that does not fit raises the TypeError that the function itself would raise.

    >>> def loss(w, *, rate=0.5):
    ...     return w * rate
    >>> binder = Binder(loss)
    >>> binder.names, binder.bind((2.0,), {"rate": 1.0})
    (('w', 'rate'), (2.0, 1.0))
    >>> binder.bind((), {})
    Traceback (most recent call last):
    TypeError: loss() missing 1 required positional argument: 'w'

    With `tangents`, the arguments of a forward derivative: the function's own, then a tangent for each.

    >>> Binder(lambda x, y: x * y, tangents=("x_dot",)).bind((2.0, 3.0, 1.0), {})
    (2.0, 3.0, 1.0)
    """

    def __init__(
        self,
        function: types.FunctionType | Any,
        prefix: tuple[Any, ...] = (),
        keywords: Mapping[str, Any] | None = None,
        tangents: tuple[str, ...] = (),
        positional: bool = True,
    ):
        parameters = _parameters(function)
        self.names = tuple(n for n, _ in parameters)
        self.prefix = prefix
        self._function = function
        self._stub = _stub(function, parameters, tangents, positional)
        self._keywords = dict(keywords or {})
        plain = all(kind in _POSITIONAL for _, kind in parameters) and (positional or not tangents)
        # How many positional arguments are a call that leaves nothing to be looked up; -1: none.
        self.arity = -1 if self._keywords or not plain else len(parameters) + len(tangents) - len(prefix)

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values of all parameters (then of the tangents), defaults filled in."""
        if not kwargs and len(args) == self.arity:
            return self.prefix + args
        stub = self._stub
        # Looked up at each call, as Python does.
        stub.__defaults__ = self._function.__defaults__
        stub.__kwdefaults__ = self._function.__kwdefaults__
        values: tuple[Any, ...] = stub(*self.prefix, *args, **{**self._keywords, **kwargs})
        return values


def _parameters(function: Any) -> list[tuple[str, Any]]:
    code = function.__code__
    names = code.co_varnames
    count, only = code.co_argcount, code.co_kwonlyargcount
    kinds = inspect.Parameter
    out: list[tuple[str, Any]] = []
    for i, n in enumerate(names[:count]):
        out.append((n, kinds.POSITIONAL_ONLY if i < code.co_posonlyargcount else kinds.POSITIONAL_OR_KEYWORD))
    at = count + only
    if code.co_flags & inspect.CO_VARARGS:
        out.append((names[at], kinds.VAR_POSITIONAL))
        at += 1
    out.extend((n, kinds.KEYWORD_ONLY) for n in names[count : count + only])
    if code.co_flags & inspect.CO_VARKEYWORDS:
        out.append((names[at], kinds.VAR_KEYWORD))
    return out


def _stub(
    function: Any, parameters: list[tuple[str, Any]], tangents: tuple[str, ...], positional: bool
) -> types.FunctionType:
    """A function with the same parameters (and tangents) that gives back its arguments."""
    kinds = inspect.Parameter
    by_kind: dict[Any, list[str]] = {}
    for n, kind in parameters:
        by_kind.setdefault(kind, []).append(n)
    parts: list[str] = []
    if only := by_kind.get(kinds.POSITIONAL_ONLY):
        parts += [*only, "/"]
    parts += by_kind.get(kinds.POSITIONAL_OR_KEYWORD, [])
    if positional:
        parts += tangents
    rest = by_kind.get(kinds.KEYWORD_ONLY, []) + ([] if positional else list(tangents))
    if star := by_kind.get(kinds.VAR_POSITIONAL):
        parts.append("*" + star[0])
    elif rest:
        parts.append("*")
    parts += rest
    if stars := by_kind.get(kinds.VAR_KEYWORD):
        parts.append("**" + stars[0])
    given = "".join(f"{n}, " for n in (*(n for n, _ in parameters), *tangents))
    space: dict[str, Any] = {}
    exec(f"def stub({', '.join(parts)}): return ({given})", space)
    stub: types.FunctionType = space["stub"]
    stub.__name__, stub.__qualname__ = function.__name__, function.__qualname__
    return stub


def tangent_names(wrt: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """What the tangents of parameters are called: a name that a parameter has already gets a suffix.

    >>> tangent_names(("x",), ("x", "y")), tangent_names(("x",), ("x", "x_dot"))
    (('x_dot',), ('x_dot_2',))
    """
    taken = set(names)
    out = []
    for n in wrt:
        wish, k = f"{n}_dot", 1
        while wish in taken:
            k += 1
            wish = f"{n}_dot_{k}"
        taken.add(wish)
        out.append(wish)
    return tuple(out)


def tangents_positional(signature: inspect.Signature) -> bool:
    """Whether tangents may be given by position, last: where f has neither defaults nor *args."""
    return all(p.default is p.empty and p.kind in _POSITIONAL for p in signature.parameters.values())


def with_tangents(signature: inspect.Signature, tangents: Sequence[str]) -> inspect.Signature:
    """The signature of a forward derivative.

    >>> print(with_tangents(inspect.signature(lambda x, n=2: x), ["x_dot"]))
    (x, n=2, *, x_dot)
    """
    own = list(signature.parameters.values())
    by_position = tangents_positional(signature)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if by_position else inspect.Parameter.KEYWORD_ONLY
    at = len(own)
    if own and own[-1].kind is inspect.Parameter.VAR_KEYWORD:
        at -= 1
    own[at:at] = [inspect.Parameter(n, kind) for n in tangents]
    return signature.replace(parameters=own, return_annotation=inspect.Signature.empty)


def without_first(signature: inspect.Signature) -> inspect.Signature:
    """The signature that a method has when it is bound."""
    own = list(signature.parameters.values())
    if own and own[0].kind in _POSITIONAL:
        own = own[1:]
    return signature.replace(parameters=own)
