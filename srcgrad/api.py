"""grad, vjp, jvp: the request, the building, the cache, the call.

A derivative is made at the first call, for the types of its arguments, and kept for all calls that it fits. A call
looks up exact types and shapes first (`_key`), then what the kept ones rely on (`Made.fits`), and builds last.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import importlib
import inspect
import linecache
import math
import os
import sys
import sysconfig
import threading
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, overload

import numpy as np

from srcgrad.checkpoints import Plan
from srcgrad.errors import SrcgradError, refuse, shown_path
from srcgrad.signature import (
    Binder,
    choose,
    choose_result,
    name_of,
    preset_by,
    signature_of,
    tangent_names,
    tangents_positional,
    with_tangents,
    without_first,
)

if TYPE_CHECKING:
    import ast

    from srcgrad.errors import Location
    from srcgrad.source.read import Source

_Wrt = str | int | Sequence[str | int] | None
_T = TypeVar("_T", bound="_Transformed")

_MOST_VERSIONS = 64  # of one derivative, by types
_MOST_KEYS = 512  # exact types and shapes: when there are more, they are forgotten

# One build at a time: the passes share tables, and what they make is published whole.
_building = threading.RLock()


def _make(
    source: Source, arguments: dict[str, Any] | None, wrt: tuple[str, ...], mode: str, of: str | None
) -> Any:
    from srcgrad.pipeline import make

    return make(source, arguments, wrt, mode, of)


# ---------------------------------------------------------------------------------------------- what users call


@overload
def grad(
    f: Callable[..., Any], wrt: _Wrt = None, *, seed: Any = None, of: str | None = None, jit: bool = False
) -> Derivative: ...
@overload
def grad(
    f: None = None, wrt: _Wrt = None, *, seed: Any = None, of: str | None = None, jit: bool = False
) -> Callable[[Callable[..., Any]], Derivative]: ...
def grad(
    f: Callable[..., Any] | None = None,
    wrt: _Wrt = None,
    *,
    seed: Any = None,
    of: str | None = None,
    jit: bool = False,
) -> Any:
    """Gives a function with f's signature that returns (value, gradient).

    Parameters
    ----------
    f : a function of NumPy arrays and numbers that returns a number, or an array of one element; without it, a
        decorator is returned (`@grad(wrt="w")`)
    wrt : which parameters to differentiate by: a name, a position, or a tuple or list of them, which gives a tuple
        of gradients. Default: the first parameter (after a bound self)
    seed : for an output that is not a number: the adjoint of the output, broadcast to it (1.0 gives the gradient of
        the sum)
    of : for a function whose result is in an argument: the parameter; what is differentiated is the array as f leaves
        it, and the array is the value
    jit : refused, until it is covered

    Returns
    -------
    A `Derivative`. Each gradient has its argument's shape and dtype (float64 where that is of integers or bools),
    and shares memory with nothing.

    Raises
    ------
    SrcgradError : here, when the request is wrong; at the first call, when the function is not covered

    Examples
    --------
    >>> def f(x):
    ...     return np.sum(x * x)
    >>> df = grad(f)
    >>> value, dx = df(np.array([1.0, 2.0]))
    >>> print(value, dx)
    5.0 [2. 4.]
    """
    try:
        if jit:
            refuse(
                "option", "jit=True is not covered yet", hint="leave it out: the gradient is plain NumPy code"
            )
        if f is not None:
            return Derivative(f, wrt, seed=seed, of=of)
        _check_seed(seed)
    except SrcgradError as error:
        raise error.with_traceback(None) from None

    def decorate(f: Callable[..., Any]) -> Derivative:
        try:
            return Derivative(f, wrt, seed=seed, of=of)
        except SrcgradError as error:
            raise error.with_traceback(None) from None

    return decorate


def vjp(f: Callable[..., Any], wrt: _Wrt = None, *, of: str | None = None) -> VJP:
    """Gives a function with f's signature that returns (value, pullback): reverse mode, raw.

    The pullback takes the adjoint of the output (of its shape, or broadcast to it) and gives the gradient, a tuple
    of them where `wrt` is a tuple or list. It may be called again, and is right whatever the caller has written into
    the arguments since. `of` names the parameter that holds the result, of a function that leaves it there.

    Raises
    ------
    SrcgradError : as `grad` does; by the pullback, when the adjoint does not fit the output

    Examples
    --------
    >>> value, pullback = vjp(lambda x: x * x)(np.array([1.0, 2.0]))
    >>> print(value, pullback(np.array([1.0, 0.5])))
    [1. 4.] [2. 2.]
    """
    try:
        return VJP(f, wrt, of=of)
    except SrcgradError as error:
        raise error.with_traceback(None) from None


def jvp(f: Callable[..., Any], wrt: _Wrt = None, *, of: str | None = None) -> JVP:
    """Gives a function that returns (value, tangent): forward mode, raw.

    It takes f's arguments, then a tangent for each parameter of `wrt`, named as in the printed code: x_dot for x. They
    may be positional, last, where f has neither defaults nor *args. A tangent has its argument's shape.
    `of` names the parameter that holds the result, of a function that leaves it there.

    Raises
    ------
    SrcgradError : as `grad` does, and when a tangent does not fit its argument

    Examples
    --------
    >>> value, tangent = jvp(lambda x: x * x)(3.0, x_dot=0.5)
    >>> print(value, tangent)
    9.0 3.0
    """
    try:
        return JVP(f, wrt, of=of)
    except SrcgradError as error:
        raise error.with_traceback(None) from None


# ------------------------------------------------------------------------------------- derivatives as functions


class _Transformed:
    """What derivatives of all modes have in common: they look like the function that they were made from."""

    # The wrapper does something else than the function below: it must not be seen through.
    __srcgrad_transparent__ = False
    _word = ""
    _gives = ""
    _first_line = ""

    wrt: tuple[str, ...]
    many: bool
    seed: Any = None
    of: str | None = None

    def __init__(self, f: Any, wrt: _Wrt = None, *, of: str | None = None) -> None:
        f = self._accepted(f)
        self.of = of
        self._static = isinstance(f, staticmethod)
        f = _with_source(f.__func__ if self._static else f)
        self.__wrapped__ = f
        self._wrt = wrt
        self._instance: tuple[Any, ...] = ()
        self._forms: dict[Any, Any] = {}  # what binding to an object gives, but for the object
        name, signature = name_of(f), signature_of(f)
        if signature is not None:
            self.wrt, self.many = choose(wrt, signature, name, preset_by(f), self._first_free(f))
        else:  # the first call will say what is wrong with it
            self.wrt, self.many = (), isinstance(wrt, tuple | list)
        if of is not None and signature is not None:
            self.of = choose_result(of, signature, name)
        self._target = _Target(f, self.wrt, self.many, self.seed, self.of)
        self._dress(f, name)

    def _accepted(self, f: Any) -> Any:
        word = self._word
        if isinstance(f, _Transformed):
            refuse(
                "option",
                f"{name_of(f)} is a derivative already, and {word} of one is not covered yet",
                hint=f"{word}({name_of(f)}.__wrapped__) differentiates the function itself",
            )
        if isinstance(f, str):
            refuse(
                "argument-type",
                f"{word} takes a function, and got {f!r}",
                hint=f"@{word}(wrt={f!r})" if word == "grad" else f"{word}(f, wrt={f!r})",
            )
        if not callable(f) and not isinstance(f, classmethod):
            refuse("argument-type", f"{word} takes a function, and got an object of type {type(f).__name__}")
        return f

    @staticmethod
    def _first_free(f: Any) -> int:
        """Where the default `wrt` is: behind `self`, in a function that stands in a class."""
        if isinstance(f, classmethod):
            return 1
        if isinstance(f, types.FunctionType) and f.__code__.co_varnames[:1] == ("self",):
            owner = f.__qualname__.rpartition(".")[0]
            return int(bool(owner) and not owner.endswith("<locals>"))
        return 0

    def _dress(self, f: Any, name: str) -> None:
        self.__name__ = name
        self.__qualname__ = getattr(f, "__qualname__", name)
        self.__module__ = getattr(f, "__module__", None) or "builtins"
        own = getattr(f, "__doc__", None)
        first = self._first_line.format(name=name, wrt=", ".join(self.wrt))
        named = isinstance(own, str) and not isinstance(f, functools.partial)
        self.__doc__ = f"{first}\n\n{own}" if named else first

    def __getattr__(self, name: str) -> Any:
        if name != "__signature__":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        signature = signature_of(self.__wrapped__)
        if signature is None:
            raise AttributeError(name)
        self.__signature__ = signature = self._signed(signature)
        return signature

    def _signed(self, signature: inspect.Signature) -> inspect.Signature:
        return signature.replace(return_annotation=inspect.Signature.empty)

    def __repr__(self) -> str:
        signature = signature_of(self.__wrapped__)
        parameters = "..." if signature is None else ", ".join(signature.parameters)
        place = _place(self.__wrapped__)
        by = ", ".join(self.wrt)
        text = f"{self._word} of {self.__name__}({parameters}) by {by} -> {self._gives}"
        return f"<{text}, {place}>" if place else f"<{text}>"

    # ---- methods

    def __get__(self: _T, instance: Any, owner: type | None = None) -> _T:
        wrapped: Any = self.__wrapped__
        if self._static or self._instance or not hasattr(type(wrapped), "__get__"):
            return self
        if isinstance(wrapped, classmethod):
            return self._of_class(owner if owner is not None else type(instance))
        if instance is None:
            return self
        bound = wrapped.__get__(instance, owner)
        if (
            getattr(bound, "__func__", None) is not wrapped
            or getattr(bound, "__self__", None) is not instance
        ):
            return self
        form = self._forms.get("bound")
        if form is None:
            form = self._forms["bound"] = self._bound_form()
        out: _T = object.__new__(type(self))
        out.__dict__.update(form)
        out.__wrapped__ = bound
        out._instance = (instance,)
        return out

    def _bound_form(self) -> dict[str, Any]:
        form = {k: v for k, v in vars(self).items() if k != "__signature__"}
        signature = signature_of(self.__wrapped__)
        if signature is not None:
            own, first = without_first(signature), next(iter(signature.parameters), "self")
            try:
                form["wrt"], form["many"] = choose(
                    self._wrt, own, self.__name__, {first: "the method's object"}
                )
            except SrcgradError as error:
                raise error.with_traceback(None) from None
            if form["wrt"] != self.wrt:
                form["_target"] = _Target(self.__wrapped__, form["wrt"], form["many"], self.seed, self.of)
        return form

    def _of_class(self: _T, owner: type) -> _T:
        found: _T | None = self._forms.get(owner)
        if found is None:
            wrapped: Any = self.__wrapped__
            found = self._again(wrapped.__get__(None, owner))
            self._forms[owner] = found
        return found

    def _again(self: _T, f: Any) -> _T:
        """The same request, of another function."""
        return type(self)(f, self._wrt, of=self.of)

    # ---- copies

    def __reduce__(self) -> str | tuple[Any, ...]:
        if not self._instance and _imported(self.__module__, self.__qualname__) is self:
            return str(self.__qualname__)
        return _rebuild, (type(self), self.__wrapped__, self._wrt, self.seed, self.of)

    def __copy__(self: _T) -> _T:
        return self

    def __deepcopy__(self: _T, memo: dict[int, Any]) -> _T:
        f: Any = self.__wrapped__
        g = copy.deepcopy(f, memo)
        return self if g is f else self._again(g)

    # ---- building and looking up

    def _values(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        target = self._target
        if target.binder is None:
            target.read()
        return target.binder.bind(self._instance + args, kwargs)  # type: ignore[union-attr]

    def _text(self, mode: str) -> str:
        try:
            last = self._target.last
            if last is not None:
                text: str = last.made.text
                return text
            made = self._target.make(None, mode)
            return f"# for the types of the annotations, since it has not been called yet\n{made.text}"
        except SrcgradError as error:
            raise error.with_traceback(None) from None

    def _noted(self, error: Exception) -> None:
        _note(error, self._target)


class Derivative(_Transformed):
    """What `grad` makes: a function with the signature of f that returns (value, gradient).

    Attributes
    ----------
    __wrapped__ : the untouched function
    wrt : the names of the differentiated parameters
    many : whether the gradient is a tuple, one for each of them
    seed : the adjoint of the output, or None
    of : the parameter that holds the result, or None
    source : the generated text
    """

    _word = "grad"
    _gives = "(value, gradient)"
    _first_line = "Gives (value, gradient): what {name} returns, and its gradient with respect to {wrt}."

    def __init__(self, f: Any, wrt: _Wrt = None, *, seed: Any = None, of: str | None = None) -> None:
        _check_seed(seed)
        self.seed = seed
        super().__init__(f, wrt, of=of)

    def _again(self, f: Any) -> Derivative:
        return Derivative(f, self._wrt, seed=self.seed, of=self.of)

    @property
    def _mode(self) -> str:
        return "grad" if self.seed is None else "seed"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # The way of most calls, written out: a function more would cost as much as all of the look-up.
        try:
            target = self._target
            if kwargs or len(args) != target.arity or self._instance:
                args = self._values(args, kwargs)
            elif target.prefix:
                args = target.prefix + args
            key = _key(args)
            entry = target.main.exact.get(key)
            if entry is None or not (entry.current is None or entry.current()):
                entry = target.entry(self._mode, key, args)
            target.last = entry
            return entry.run(*args)
        except SrcgradError as error:
            if error.filename is None:  # said by the running code
                self._noted(error)
            raise error.with_traceback(None) from None
        except Exception as error:
            self._noted(error)
            raise

    def _called(self, values: tuple[Any, ...]) -> Any:
        target = self._target
        entry = target.last = target.entry(self._mode, _key(values), values)
        return entry.run(*values)

    def gradient(self, *args: Any, **kwargs: Any) -> Any:
        """Gives the gradient alone.

        >>> grad(lambda x: x * x).gradient(3.0)
        6.0
        """
        try:
            return self._called(self._values(args, kwargs))[1]
        except SrcgradError as error:
            if error.filename is None:  # said by the running code
                self._noted(error)
            raise error.with_traceback(None) from None
        except Exception as error:
            self._noted(error)
            raise

    def accumulate(self, *args: Any, into: Any, **kwargs: Any) -> Any:
        """Gives the value, and adds the gradient into arrays that the caller owns.

        Parameters
        ----------
        *args, **kwargs : as f takes them
        into : an array for one `wrt`; a tuple or list of them, or a dict by name, for several. Each has the shape and
            kind of its gradient (a 0-d array for a number), is writable, and overlaps no argument. After an exception
            what is in them is undefined

        >>> total = np.array(10.0)
        >>> grad(lambda x: x * x).accumulate(3.0, into=total), total
        (9.0, array(16.))
        """
        try:
            values = self._values(args, kwargs)
            target = self._target
            target.check(values)
            buffers = _buffers(
                into, self.wrt, self.many, dict(zip(target.names, values, strict=True)), self.__name__
            )
            if self.seed is None:
                entry = target.last = target.entry("accumulate", _key(values), values)
                if entry.made.scalar is True:
                    target.check_apart(entry.made, values)
                    return entry.made.functions[0](*values, *buffers)
            value, gradient = self._called(values)
            for buffer, part in zip(
                buffers, gradient if len(buffers) > 1 or self.many else (gradient,), strict=True
            ):
                buffer += part
            return value
        except SrcgradError as error:
            if error.filename is None:  # said by the running code
                self._noted(error)
            raise error.with_traceback(None) from None
        except Exception as error:
            self._noted(error)
            raise

    @property
    def source(self) -> str:
        """The text that runs: for the types of the last call; before any call, for those of the annotations.

        Raises SrcgradError when there was no call, and the annotations do not say enough.
        """
        return self._text(self._mode)

    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """Gives the text for the types of these arguments; nothing runs.

        >>> print(grad(lambda x: 3 * x).source_for(1.0).splitlines()[0])
        # gradient with respect to x: float
        """
        try:
            values = self._values(args, kwargs)
            text: str = self._target.entry(self._mode, _key(values), values).made.text
            return text
        except SrcgradError as error:
            raise error.with_traceback(None) from None

    def compiled_for(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """Gives the compiled function for the types of these arguments, without the look-up around it.

        It takes all parameters of f by position (and the seed, where there is one) and checks nothing.
        """
        try:
            values = self._values(args, kwargs)
            function: Callable[..., Any] = self._target.entry(
                self._mode, _key(values), values
            ).made.functions[0]
            return function
        except SrcgradError as error:
            raise error.with_traceback(None) from None


class VJP(_Transformed):
    """What `vjp` makes: a function with the signature of f that returns (value, pullback)."""

    _word = "vjp"
    _gives = "(value, pullback)"
    _first_line = "Gives (value, pullback): what {name} returns, and its reverse mode with respect to {wrt}."

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, Pullback]:
        try:
            values = self._values(args, kwargs)
            target = self._target
            entry = target.last = target.entry("vjp", _key(values), values)
            target.check_apart(entry.made, values)
            forward, reverse = entry.made.functions
            theirs = list(_arrays_in(values))
            value, kept = forward(*values)
            theirs.extend(_arrays_in(value))
            theirs.extend(target.captured())
            kept = _own(kept, theirs)
            return value, Pullback(self, reverse, kept, _outline(value), entry.made.memory)
        except SrcgradError as error:
            if error.filename is None:  # said by the running code
                self._noted(error)
            raise error.with_traceback(None) from None
        except Exception as error:
            self._noted(error)
            raise

    @property
    def source(self) -> str:
        """The text of the two halves, for the types of the last call; before any call, for the annotations'."""
        return self._text("vjp")


class Pullback:
    """Takes the adjoint of the output to the gradient; it may be called again, also from several threads."""

    def __init__(
        self, of: VJP, reverse: Callable[..., Any], kept: Any, outline: Any, memory: bool = False
    ) -> None:
        self._of = of
        self._memory = memory  # the reverse half writes into arrays that are kept
        self._reverse = reverse
        self._kept = kept
        self._outline = outline

    def __call__(self, seed: Any) -> Any:
        of = self._of
        try:
            _check_seed(seed, structure=True)
            kept = fresh(self._kept, self._memory)
            gradient = self._reverse(kept, of._target.adjoint(self._outline, seed))
        except SrcgradError as error:
            raise error.with_traceback(None) from None
        except Exception as error:
            of._noted(error)
            raise
        return (gradient,) if of.many and len(of.wrt) == 1 else gradient

    def __repr__(self) -> str:
        return f"<pullback of {self._of.__name__}: adjoint of the output -> gradient by {', '.join(self._of.wrt)}>"


class JVP(_Transformed):
    """What `jvp` makes: a function of the arguments of f, then of tangents, that returns (value, tangent)."""

    _word = "jvp"
    _gives = "(value, tangent)"
    _first_line = "Gives (value, tangent): what {name} returns, and its forward mode with respect to {wrt}."

    def _signed(self, signature: inspect.Signature) -> inspect.Signature:
        return with_tangents(signature, tangent_names(self.wrt, list(signature.parameters)))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            target = self._target
            if target.tangent_binder is None:
                target.read()
                target.tangent_binder = target.binder_with_tangents(self._instance)
            given = target.tangent_binder.bind(self._instance + args, kwargs)
            count = len(target.names)
            values, tangents = given[:count], given[count:]
            entry = target.last = target.entry("tangent", _key(values), values)
            arguments = dict(zip(target.names, values, strict=True))
            names = tangent_names(self.wrt, target.names)
            dots = [
                _tangent(n, arguments[of], of, dot)
                for n, of, dot in zip(names, self.wrt, tangents, strict=True)
            ]
            target.check_apart(entry.made, values)
            return entry.made.functions[0](*values, *dots)
        except SrcgradError as error:
            if error.filename is None:  # said by the running code
                self._noted(error)
            raise error.with_traceback(None) from None
        except Exception as error:
            self._noted(error)
            raise

    @property
    def source(self) -> str:
        """The text that runs, for the types of the last call; before any call, for those of the annotations."""
        return self._text("tangent")


def _rebuild(cls: type[_Transformed], f: Any, wrt: _Wrt, seed: Any, of: str | None = None) -> _Transformed:
    return Derivative(f, wrt, seed=seed, of=of) if cls is Derivative else cls(f, wrt, of=of)


def _imported(module: str, qualname: str) -> Any:
    found: Any = sys.modules.get(module)
    for name in qualname.split("."):
        found = vars(found).get(name) if isinstance(found, type) else getattr(found, name, None)
    return found


def _place(f: Any) -> str:
    """Where a function stands: model.py:12, the line of its `def`."""
    from srcgrad.source.read import read

    try:
        source = read(f.__func__ if isinstance(f, classmethod) else f)
    except Exception:
        code = getattr(inspect.unwrap(f) if callable(f) else f, "__code__", None)
        return f"{shown_path(code.co_filename)}:{code.co_firstlineno}" if code is not None else ""
    return "" if source.filename in _stand_ins else f"{shown_path(source.filename)}:{source.firstlineno}"


# ---------------------------------------------------------------------------------------------------- the cache


class _Entry:
    """One version: what was made for the types of a call, and how it is run."""

    __slots__ = ("made", "run", "current")

    def __init__(self, made: Any, run: Callable[..., Any]) -> None:
        self.made = made
        self.run = run
        # Whether the globals, cells and classes that it was made from still are what they were; None: there are none.
        self.current: Callable[[], bool] | None = made.context.fits if made.context.watched else None


class _Versions:
    """The versions of one mode: by exact types and shapes, and by types and ranks."""

    def __init__(self) -> None:
        self.exact: dict[Any, _Entry] = {}
        self.by_types: dict[Any, tuple[_Entry, ...]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.by_types.values()))


class _Target:
    """A function, the parameters that it is differentiated by, and all that was made of them."""

    def __init__(
        self, function: Any, wrt: tuple[str, ...], many: bool, seed: Any, of: str | None = None
    ) -> None:
        self.function = function
        self.of = of  # the parameter that holds the result
        self.wrt = wrt
        self.one = many and len(wrt) == 1  # the gradient is a tuple of one
        self.seed = seed
        self.arity = -1  # of a call that needs no binding; before the first call there is none
        self.prefix: tuple[Any, ...] = ()
        self.names: tuple[str, ...] = ()
        self.source: Source | None = None
        self.binder: Binder | None = None
        self.tangent_binder: Binder | None = None
        self.main = _Versions()  # those that `grad` calls
        self.versions = {"seed" if seed is not None else "grad": self.main}
        self.last: _Entry | None = None

    @property
    def name(self) -> str:
        return name_of(self.function) if self.source is None else self.source.name

    def read(self) -> Source:
        """The source, read at the first need."""
        if self.source is None:
            from srcgrad.source.read import read

            with _building:
                source = read(self.function)
                if not self.wrt:
                    self.wrt, _ = choose(None, source.call_signature, source.name)
                bound = () if source.bound is None else (source.bound,)
                prefix = bound + source.presets.positional
                binder = Binder(source.function, prefix, source.presets.keywords)
                missing = [n for n in self.wrt if n not in binder.names]
                if missing:
                    has = ", ".join(binder.names) or "none"
                    refuse(
                        "unknown-wrt",
                        f"the text of {source.name} has no parameter {missing[0]!r}: it has {has}",
                    )
                self.prefix, self.names, self.binder = prefix, binder.names, binder
                self.arity = binder.arity
                self.source = source
        return self.source

    def binder_with_tangents(self, instance: tuple[Any, ...]) -> Binder:
        source = self.read()
        signature = without_first(source.call_signature) if instance else source.call_signature
        return Binder(
            source.function,
            self.prefix,
            source.presets.keywords,
            tangent_names(self.wrt, self.names),
            tangents_positional(signature),
        )

    def entry(self, mode: str, key: Any, values: tuple[Any, ...]) -> _Entry:
        """The version for these arguments: found, or made."""
        versions = self.versions.get(mode)
        if versions is None:
            versions = self.versions.setdefault(mode, _Versions())
        if key is not None:
            entry = versions.exact.get(key)
            if entry is not None and (entry.current is None or entry.current()):
                return entry
        source = self.read()
        arguments = dict(zip(self.names, values, strict=True))
        coarse = _coarse(values)
        found = self._fitting(versions, coarse, arguments)
        if found is None:
            try:
                found = self._build(versions, mode, coarse, arguments)
            except SrcgradError as error:
                if not getattr(error, "primal_first", False):
                    raise
                # Types failed on an operation that may well raise in the user's own code: that would say it better.
                _try(source, arguments)
                raise
        if key is not None:
            if len(versions.exact) >= _MOST_KEYS:
                versions.exact = {}
            versions.exact[key] = found
        return found

    def _fitting(self, versions: _Versions, coarse: Any, arguments: dict[str, Any]) -> _Entry | None:
        for entry in versions.by_types.get(coarse, ()):
            if entry.made.fits(arguments):
                return entry
        return None

    def _build(self, versions: _Versions, mode: str, coarse: Any, arguments: dict[str, Any]) -> _Entry:
        with _building:
            found = self._fitting(versions, coarse, arguments)  # another thread may have been here
            if found is not None:
                return found
            self.check(tuple(arguments.values()))
            if len(versions) >= _MOST_VERSIONS:
                self._drop_stale(versions)
            made = self.make(arguments, mode)
            if mode in ("grad", "accumulate") and made.scalar is False:
                self._refuse_not_a_number(made, arguments)
            entry = _Entry(made, self._runner(mode, made))
            versions.by_types[coarse] = (*versions.by_types.get(coarse, ()), entry)
            return entry

    def _drop_stale(self, versions: _Versions) -> None:
        """Makes room: what was made from things that have changed since goes first."""
        for coarse, entries in list(versions.by_types.items()):
            kept = tuple(e for e in entries if e.current is None or e.current())
            versions.by_types[coarse] = kept
        versions.exact = {}
        if len(versions) >= _MOST_VERSIONS:
            refuse(
                "too-many-versions",
                f"{self.name} was asked for with arguments of more than {_MOST_VERSIONS} different types",
                self._definition(),
                hint="pass the part that changes as an array, or make a new derivative of it",
            )

    def make(self, arguments: dict[str, Any] | None, mode: str) -> Any:
        return _make(self.read(), arguments, self.wrt, mode, self.of)

    # ---- running

    def _runner(self, mode: str, made: Any) -> Callable[..., Any]:
        """How a version is run: as it is, where its value is known to be a number."""
        f: Callable[..., Any] = made.functions[0]
        seed, one = self.seed, self.one
        if made.written or made.captured:
            f = functools.partial(self._apart, f, made)
        if mode == "grad" and made.scalar is not True:
            return functools.partial(self._both_sweeps, 1.0)
        if mode == "seed" and (np.ndim(seed) or np.iscomplexobj(seed)):
            return functools.partial(self._both_sweeps, seed)
        if mode == "seed":

            def run(*values: Any) -> Any:
                value, gradient = f(*values, seed)
                return value, ((gradient,) if one else gradient)

            return run
        if mode == "grad" and one:

            def run_one(*values: Any) -> Any:
                value, gradient = f(*values)
                return value, (gradient,)

            return run_one
        return f

    def _both_sweeps(self, seed: Any, *values: Any) -> Any:
        """The value and the gradient, with a look at the value between the sweeps."""
        made = self.entry("vjp", _key(values), values).made
        self.check_apart(made, values)
        forward, reverse = made.functions
        value, kept = forward(*values)
        if self.seed is None:
            self.check_number(value)
        gradient = reverse(kept, self.adjoint(value, seed))
        return value, ((gradient,) if self.one else gradient)

    def _apart(self, f: Callable[..., Any], made: Any, *values: Any) -> Any:
        self.check_apart(made, values)
        return f(*values)

    # ---- checks

    def check_apart(self, made: Any, values: tuple[Any, ...]) -> None:
        """Refuses arrays that overlap where one of them is written: before anything runs."""
        if not made.written and not made.captured:
            return
        arrays: list[tuple[str, np.ndarray[Any, Any], bool]] = []
        for name, value in zip(self.names, values, strict=False):
            for a in _arrays_in(value):
                arrays.append((name, a, name in made.written))
        if made.captured:
            from srcgrad.source.resolve import Names

            names = Names(self.read())
            for name in made.captured:
                arrays.append((name, names.lookup(name).value, True))
        named = [a for _, a, _ in arrays]
        arrays += [
            ("an array of the module", a, False) for a in self.captured() if not any(a is b for b in named)
        ]
        for k, (name, a, written) in enumerate(arrays):
            for other, b, also in arrays[:k]:
                if (written or also) and np.may_share_memory(a, b) and _overlap(a, b):
                    which = name if written else other
                    refuse(
                        "alias",
                        f"{other} and {name} share memory, and {which} is written by {self.name}",
                        self._definition(),
                        hint="pass copies: the derivative by one of them alone is not defined",
                    )

    def check(self, values: tuple[Any, ...]) -> None:
        """Refuses arguments whose types are not covered."""
        for name, value in zip(self.names, values, strict=True):
            if isinstance(value, np.ndarray):
                self._check_array(name, value)
            elif name in self.wrt and type(value) not in _NUMBERS and not _is_number(value):
                self._refuse_argument(name, value)

    def _check_array(self, name: str, value: np.ndarray[Any, Any]) -> None:
        where = self._parameter(name)
        if type(value) is not np.ndarray:
            kind = type(value).__name__
            hint = (
                f"pass {name}.filled(...), or np.asarray({name})"
                if kind == "MaskedArray"
                else f"pass np.asarray({name})"
            )
            refuse(
                "argument-type", f"{name} is a {kind}, which computes by rules of its own", where, hint=hint
            )
        if value.dtype.kind == "O":
            refuse(
                "argument-type", f"{name} is an array of objects", where, hint=f"pass {name}.astype(float)"
            )
        if name in self.wrt and value.dtype.kind not in "biufc":
            refuse(
                "argument-type",
                f"{name} is an array of {_KINDS.get(value.dtype.kind, value.dtype)}, which has no derivative",
                where,
                hint="choose another parameter: wrt=...",
            )

    def _refuse_argument(self, name: str, value: Any) -> NoReturn:
        where = self._parameter(name)
        kind = type(value).__name__
        if value is None:
            refuse(
                "argument-type",
                f"{name} is None, and {self.name} is to be differentiated by it",
                where,
                hint="pass a number or an array, or choose another parameter: wrt=...",
            )
        if isinstance(value, tuple | list | dict):
            numbers = not isinstance(value, dict)
            hint = f"pass np.array({name}), or its entries" if numbers else "pass its entries"
            refuse(
                "container-parameter",
                f"{name} is a {kind}, and gradients of containers are not covered yet",
                where,
                hint=f"{hint} as parameters of their own",
            )
        if hasattr(value, "__array__"):
            refuse(
                "argument-type",
                f"{name} is a {kind}, and numbers and arrays alone are differentiated",
                where,
                hint=f"pass np.asarray({name})",
            )
        if dataclasses.is_dataclass(value) or (hasattr(value, "__dict__") and not callable(value)):
            number = isinstance(value, int | float | complex)
            if not number:
                refuse(
                    "container-parameter",
                    f"{name} is an object of {kind}, and gradients of objects are not covered yet",
                    where,
                    hint="pass its attributes as parameters of their own, or choose another parameter: wrt=...",
                )
        number = isinstance(value, int | float | complex) or hasattr(value, "__float__")
        refuse(
            "argument-type",
            f"{name} is of type {kind}, and numbers and arrays alone are differentiated",
            where,
            hint=f"pass float({name})" if number else "choose another parameter: wrt=...",
        )

    def check_number(self, value: Any) -> None:
        """Refuses a value that has not exactly one element."""
        if value is None:
            self._refuse_no_result()
        if not _is_numeric(value) or np.size(value) != 1:
            self._refuse_non_scalar(_described(value))

    def adjoint(self, value: Any, seed: Any) -> Any:
        """The adjoint of the output, from what the user gave: an array of its shape and kind, that nobody else has."""
        if isinstance(value, tuple | list):
            if not isinstance(seed, tuple | list) or len(seed) != len(value):
                self._refuse_seed(f"is {_described(seed)}", _described(value), _alike(value))
            parts = [self.adjoint(v, s) for v, s in zip(value, seed, strict=True)]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if isinstance(value, dict):
            if not isinstance(seed, dict) or list(seed) != list(value):
                self._refuse_seed(f"is {_described(seed)}", _described(value), _alike(value))
            return {k: self.adjoint(v, seed[k]) for k, v in value.items()}
        if not isinstance(value, _Outline) and not _is_numeric(value):
            return None
        shape, dtype = (value.shape, value.dtype) if isinstance(value, _Outline) else _shape_and_dtype(value)
        if not _is_numeric(seed):
            self._refuse_seed(f"is {_described(seed)}", _described(value))
        given = np.asarray(seed)
        wanted = dtype if dtype.kind in "fc" else np.dtype(float)
        if given.dtype.kind == "c" and wanted.kind != "c":
            self._refuse_seed("is complex", f"{_described(value)}, which is real", "pass its real part")
        if given.shape != shape:
            try:
                given = np.broadcast_to(given, shape)
            except ValueError:
                self._refuse_seed(f"has shape {given.shape}", _described(value))
        out = np.array(given, wanted)
        plain = value.plain if isinstance(value, _Outline) else not isinstance(value, np.generic | np.ndarray)
        if plain:
            return out.item()
        number = value.number if isinstance(value, _Outline) else isinstance(value, np.generic)
        return out[()] if number else out

    def _refuse_seed(
        self, seed: str, value: str, hint: str = "it has the output's shape, or is broadcast to it"
    ) -> NoReturn:
        refuse(
            "wrong-seed",
            f"the adjoint of the output {seed}, and {self.name} returns {value}",
            self._returned(),
            hint=hint,
        )

    def _refuse_not_a_number(self, made: Any, arguments: dict[str, Any]) -> NoReturn:
        from srcgrad.types import NONE

        if made.value_type == NONE:
            self._refuse_no_result()
        self._refuse_non_scalar(_described_type(made.value_type, arguments))

    def _refuse_non_scalar(self, what: str) -> NoReturn:
        name = self.name
        array = "array" in what
        weights = f"your own weights: vjp({name})"
        refuse(
            "non-scalar",
            f"{name} returns {what}, and grad needs a number",
            self._returned(),
            hint=f"gradient of the sum: grad({name}, seed=1.0) · {weights}"
            if array
            else f"return one of its numbers · {weights}",
        )

    def _refuse_no_result(self) -> NoReturn:
        refuse(
            "no-result",
            f"{self.name} returned None for these arguments, and grad needs a number",
            self._definition(),
            hint='return the result on every path; or name the argument that it is left in: of="C"',
        )

    # ---- places

    def _definition(self) -> Location:
        from srcgrad.errors import Location

        source = self.read()
        tree = source.tree
        return Location(
            source, tree.lineno, tree.col_offset, tree.lineno, len(source.lines.get(tree.lineno, "").encode())
        )

    def _parameter(self, name: str) -> Location:
        source = self.read()
        arguments = source.tree.args
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if each.arg == name:
                return source.location(each)
        return self._definition()

    def _returned(self) -> Location:
        """The line that the function returns its value in: the last one, where there are several."""
        source = self.read()
        node = _last_return(source.tree)
        return self._definition() if node is None else source.location(node)

    def captured(self) -> Iterator[np.ndarray[Any, Any]]:
        """The arrays that the function reads as globals or from its closure."""
        function = self.read().function
        for name in function.__code__.co_names:
            yield from _arrays_in(function.__globals__.get(name))
        for cell in function.__closure__ or ():
            try:
                yield from _arrays_in(cell.cell_contents)
            except ValueError:
                continue


def _try(source: Source, arguments: dict[str, Any]) -> None:
    """Calls the untouched function on copies."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for p in source.signature.parameters.values():
        value = _copied(arguments[p.name])
        if p.kind is p.VAR_POSITIONAL:
            args.extend(value)
        elif p.kind is p.VAR_KEYWORD:
            kwargs.update(value)
        elif p.kind is p.KEYWORD_ONLY:
            kwargs[p.name] = value
        else:
            args.append(value)
    source.function(*args, **kwargs)


# Types that say all that a version can depend on: no contents, no attributes.
_NUMBERS: frozenset[type] = frozenset(
    {
        int,
        float,
        bool,
        complex,
        *(t for t in vars(np).values() if isinstance(t, type) and issubclass(t, np.number | np.bool_)),
    }
)
_BY_TYPE: frozenset[type] = _NUMBERS | {type(None), range, slice}


def _key(values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Exact types and shapes, and strings; None where an argument has contents that have to be looked at."""
    key: list[Any] = []
    for value in values:
        cls = type(value)
        if cls is np.ndarray:
            key.append(value.dtype)
            key.append(value.shape)
        elif cls in _BY_TYPE:
            key.append(cls)
        elif cls is str:
            key.append(value)
        else:
            return None
    return tuple(key)


def _coarse(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Types and ranks, and strings."""
    key: list[Any] = []
    for value in values:
        cls = type(value)
        key.append((value.dtype, value.ndim) if isinstance(value, np.ndarray) else cls)
        if cls is str:
            key.append(value)
    return tuple(key)


# -------------------------------------------------------------------------------------- seeds, tangents, buffers


class _Outline:
    """What a pullback remembers of a value: its shape and dtype, not its contents."""

    def __init__(self, value: Any) -> None:
        self.shape, self.dtype = _shape_and_dtype(value)
        self.number = isinstance(value, np.generic)
        self.plain = not isinstance(value, np.generic | np.ndarray)


def _outline(value: Any) -> Any:
    if type(value) in (tuple, list):
        return type(value)(_outline(v) for v in value)
    if type(value) is dict:
        return {k: _outline(v) for k, v in value.items()}
    return _Outline(value) if _is_numeric(value) else value


def _shape_and_dtype(value: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    array = np.asarray(value)
    return array.shape, array.dtype


def _is_number(value: Any) -> bool:
    return isinstance(value, np.generic) and value.dtype.kind in "biufc"


def _is_numeric(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    return type(value) in _NUMBERS or _is_number(value)


def _described(value: Any) -> str:
    """What a value is, for a message.

    >>> _described(np.ones(4)), _described((1, 2)), _described(2.0)
    ('an array of shape (4,)', 'a tuple', 'a number')
    """
    if isinstance(value, _Outline):
        return "a number" if value.plain or value.number else f"an array of shape {value.shape}"
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return f"an array of shape {value.shape}"
    if _is_numeric(value):
        return "a number"
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _described_type(t: Any, arguments: dict[str, Any]) -> str:
    from srcgrad.types import Array, Data, ListOf, Pattern, Struct, Sym

    if isinstance(t, Array) and t.shape is not None:
        pattern = Pattern()
        for value in arguments.values():
            pattern.type_of(value)
        sizes: list[int] = []
        for e in t.shape:
            if isinstance(e, Sym) and e.name in pattern.lengths:
                sizes.append(pattern.lengths[e.name] + e.plus)
            elif isinstance(e, int):
                sizes.append(e)
        if len(sizes) == len(t.shape):
            return f"an array of shape {tuple(sizes)}"
        rank = len(t.shape)
        return f"an array of {rank} dimension{'s' * (rank != 1)}"
    if isinstance(t, Array):
        return "an array"
    if isinstance(t, Struct):
        return f"a {t.kind}"
    if isinstance(t, ListOf):
        return "a list"
    if isinstance(t, Data) and isinstance(t.cls, type):
        return f"{'an' if t.cls.__name__[0] in 'aeiou' else 'a'} {t.cls.__name__}"
    return "something else"


_KINDS = {"U": "text", "S": "text", "M": "dates", "m": "durations", "V": "records"}


def _alike(value: Any) -> str:
    """The hint for a seed of another structure than the output's."""
    return f"pass a {type(value).__name__} of {len(value)}, one adjoint for each entry"


def _check_seed(seed: Any, structure: bool = False) -> None:
    if seed is None and not structure:
        return
    if structure and isinstance(seed, tuple | list | dict):
        return
    if _is_numeric(seed) and (not isinstance(seed, np.ndarray) or type(seed) is np.ndarray):
        return
    hint = f"pass np.array({seed!r})" if isinstance(seed, list | tuple) and len(seed) < 9 else ""
    refuse(
        "wrong-seed",
        f"the seed, the adjoint of the output, is a number or an array, and got {_described(seed)}",
        hint=hint,
    )


def _tangent(name: str, x: Any, of: str, given: Any) -> Any:
    """A tangent as the compiled function takes it: of its argument's shape, kind and form, and a copy."""
    if not _is_numeric(given):
        refuse("argument-type", f"the tangent {name} is {_described(given)}, and {of} is {_described(x)}")
    shape, dtype = _shape_and_dtype(x)
    dot = np.asarray(given)
    if dot.shape != shape:
        refuse("argument-type", f"the tangent {name} has shape {dot.shape}, and {of} has shape {shape}")
    wanted = dtype if dtype.kind in "fc" else np.dtype(float)
    if dot.dtype.kind == "c" and wanted.kind != "c":
        refuse("argument-type", f"the tangent {name} is complex, and {of} is real")
    dot = np.array(dot, wanted)
    if isinstance(x, np.ndarray):
        return dot
    return dot[()] if isinstance(x, np.generic) else dot.item()


def _buffers(
    into: Any, wrt: tuple[str, ...], many: bool, arguments: dict[str, Any], name: str
) -> tuple[Any, ...]:
    """The buffers, one for each gradient, or a refusal that says what is wrong with them."""
    if isinstance(into, dict):
        if set(into) != set(wrt):
            refuse(
                "into",
                f"into names {', '.join(map(str, into)) or 'nothing'}, "
                f"and the gradient of {name} is by {', '.join(wrt)}",
            )
        buffers = tuple(into[n] for n in wrt)
    elif many:
        if not isinstance(into, tuple | list) or len(into) != len(wrt):
            got = f"{len(into)}" if isinstance(into, tuple | list) else _described(into)
            names = ", ".join(wrt)
            refuse("into", f"into takes a tuple or list of {len(wrt)} arrays, for {names}, and got {got}")
        buffers = tuple(into)
    else:
        buffers = (into,)
    theirs = list(_arrays_in(tuple(arguments.values())))
    for n, buffer in zip(wrt, buffers, strict=True):
        shape, dtype = _shape_and_dtype(arguments[n])
        if type(buffer) is not np.ndarray:
            hint = "a 0-d array, np.zeros(()), takes the gradient of a number" if not shape else ""
            refuse("into", f"into takes arrays, and got {_described(buffer)} for {n}", hint=hint)
        if buffer.shape != shape:
            refuse(
                "into",
                f"the buffer of into for {n} has shape {buffer.shape}, and its gradient has shape {shape}",
            )
        kind = dtype.kind if dtype.kind in "fc" else "f"
        if buffer.dtype.kind != kind:
            a = {"f": "floating-point", "c": "complex"}[kind]
            refuse("into", f"the buffer of into for {n} is of {buffer.dtype}, and its gradient is {a}")
        if not buffer.flags.writeable:
            refuse("into", f"the buffer of into for {n} is read-only")
        for other in theirs:
            if np.may_share_memory(buffer, other) and np.shares_memory(buffer, other):
                refuse(
                    "into",
                    f"the buffer of into for {n} overlaps an argument, or another buffer",
                    hint="give it memory of its own: np.zeros_like",
                )
        theirs.append(buffer)
    for k, buffer in enumerate(buffers):
        if any(
            np.may_share_memory(buffer, other) and np.shares_memory(buffer, other) for other in buffers[:k]
        ):
            refuse("into", "the buffers of into overlap each other")
    return buffers


# ------------------------------------------------------------------------------------------- what a pullback owns


def fresh(kept: Any, arrays: bool = False, copies: dict[int, Any] | None = None) -> Any:
    """Copies lists, tuples and dicts all the way down: what a reverse sweep may pop from.

    With `arrays`, arrays too: what it may write. Views of one array become views of one copy.

    >>> kept = ([1, [2]], 3)
    >>> again = fresh(kept)
    >>> again == kept, again[0][1] is kept[0][1]
    (True, False)
    >>> a = np.zeros(3)
    >>> b, v = fresh((a, a[1:]), arrays=True)
    >>> v[0] = 1.0
    >>> a, b
    (array([0., 0., 0.]), array([0., 1., 0.]))
    """
    copies = {} if copies is None else copies
    cls = type(kept)
    if cls is tuple:
        return tuple([fresh(k, arrays, copies) for k in kept])
    if cls is list:
        if id(kept) not in copies:
            copies[id(kept)] = [fresh(k, arrays, copies) for k in kept]
        return copies[id(kept)]
    if cls is dict:
        return {k: fresh(v, arrays, copies) for k, v in kept.items()}
    if arrays and cls is np.ndarray:
        return _copied_array(kept, copies)
    if cls is Plan:
        return kept.fresh()
    return kept


def _copied_array(a: np.ndarray[Any, Any], copies: dict[int, Any]) -> np.ndarray[Any, Any]:
    """A copy of an array; of a view, the same view of the copy of what it is a view of."""
    base = a
    while isinstance(base.base, np.ndarray):
        base = base.base
    if id(base) not in copies:
        copies[id(base)] = base.copy(order="K")
        copies[-id(base)] = base  # the id stays this array's
    new = copies[id(base)]
    if a is base:
        return new
    if new.strides != base.strides:  # a base with gaps, or turned round: its copy lies otherwise
        return a.copy(order="K")
    begin = np.lib.array_utils.byte_bounds(new)[0]
    offset = a.__array_interface__["data"][0] - np.lib.array_utils.byte_bounds(base)[0]
    memory = np.lib.stride_tricks.as_strided(new.ravel(order="K").view(np.uint8), (new.nbytes,), (1,))
    assert begin == memory.__array_interface__["data"][0]
    return np.ndarray(a.shape, a.dtype, memory, offset, a.strides)


def _own(kept: Any, theirs: list[np.ndarray[Any, Any]], copies: dict[int, Any] | None = None) -> Any:
    """What a forward sweep kept, with copies of the arrays that somebody else could write into.

    >>> x = np.ones(3)
    >>> kept = _own((x[1:], [2.0]), [x])
    >>> x[:] = 0
    >>> kept
    (array([1., 1.]), [2.0])
    """
    copies = {} if copies is None else copies
    cls = type(kept)
    if cls is np.ndarray:
        if id(kept) not in copies:
            shared = any(kept is a or np.may_share_memory(kept, a) for a in theirs)
            copies[id(kept)] = kept.copy(order="K") if shared else kept
        return copies[id(kept)]
    if cls is tuple:
        return tuple([_own(k, theirs, copies) for k in kept])
    if cls is list:
        return [_own(k, theirs, copies) for k in kept]
    if cls is dict:
        return {k: _own(v, theirs, copies) for k, v in kept.items()}
    return kept


def _overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    try:
        return np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _arrays_in(value: Any, depth: int = 0) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays that can be reached from an object."""
    if isinstance(value, np.ndarray):
        yield value
    elif depth > 6 or type(value) in _BY_TYPE or isinstance(value, str | type | types.ModuleType):
        return
    elif isinstance(value, tuple | list):
        for v in value:
            yield from _arrays_in(v, depth + 1)
    elif isinstance(value, dict):
        for v in value.values():
            yield from _arrays_in(v, depth + 1)
    elif not callable(value) and hasattr(value, "__dict__"):
        for v in list(vars(value).values()):
            yield from _arrays_in(v, depth + 1)


def _copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # a lock, a file: as it is
        return value


# ------------------------------------------------------------------------- library functions: a rule and no source

_stand_ins: dict[str, types.FunctionType] = {}  # by file name in linecache
_HOMES = ("np", "math", "np.linalg", "np.fft")


def _with_source(f: Any) -> Any:
    """A small Python function in place of a library's that has a rule; anything else as it is."""
    if isinstance(f, functools.partial):
        inner = _with_source(f.func) if not _is_library(f.func) else _stand_in(f.func, tuple(f.keywords))
        return f if inner is f.func else functools.partial(inner, *f.args, **f.keywords)
    return _stand_in(f) if _is_library(f) else f


def _is_library(f: Any) -> bool:
    if isinstance(f, np.ufunc):
        return True
    module = getattr(f, "__module__", None) or type(f).__module__
    if isinstance(f, types.FunctionType | types.BuiltinFunctionType) or type(f).__module__.startswith(
        "numpy"
    ):
        return isinstance(module, str) and module.partition(".")[0] in ("numpy", "math", "scipy", "builtins")
    return False


def _stand_in(f: Any, keywords: tuple[str, ...] = ()) -> Any:
    from srcgrad.rules.table import table

    variants = table().of(f)
    home = _home(f)
    if not variants or home is None:
        return f
    path, name, imports = home
    first = variants[0]
    params = [p for p in first.params if p not in first.defaults and p not in keywords]
    given = ", ".join([*params, *(f"{k}={k}" for k in keywords)])
    taken = ", ".join([*params, *(["*", *keywords] if keywords else [])])
    text = f"{imports}def {name}({taken}):\n    return {path}({given})\n"
    filename = f"<{path}({taken})>"
    if filename not in _stand_ins:
        space: dict[str, Any] = {"__name__": getattr(f, "__module__", None) or "numpy"}
        exec(compile(text, filename, "exec"), space)
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        function: types.FunctionType = space[name]
        function.__doc__ = None
        _stand_ins[filename] = function
    return _stand_ins[filename]


def _home(f: Any) -> tuple[str, str, str] | None:
    """How a library function is spelled, its name there, and the import that the spelling needs."""
    name = getattr(f, "__name__", "")
    roots = {"np": np, "math": math, "np.linalg": np.linalg, "np.fft": np.fft}
    for home in _HOMES:
        if getattr(roots[home], name, None) is f:
            imports = "import math\n\n\n" if home == "math" else "import numpy as np\n\n\n"
            return f"{home}.{name}", name, imports
    module = getattr(f, "__module__", None)
    if isinstance(module, str) and module != "builtins":
        try:
            if getattr(importlib.import_module(module), name, None) is f:
                return f"{module}.{name}", name, f"import {module}\n\n\n"
        except ImportError:
            return None
    return None


# ------------------------------------------------------------------------------------------- notes on exceptions

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep


@functools.cache
def _libraries() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple(
        {os.path.normpath(paths[k]) + os.sep for k in ("stdlib", "platstdlib", "purelib", "platlib")}
    )


def _note(error: Exception, target: _Target) -> None:
    """Adds the line of the user's that raised, once: `in your code: model.py:6: return np.sum(a * x)`."""
    source, entry = target.source, target.last
    if source is None or any(n.startswith("in your code: ") for n in getattr(error, "__notes__", ())):
        return
    found: tuple[str, int] | None = None
    tb = error.__traceback__
    while tb is not None:
        filename, line = tb.tb_frame.f_code.co_filename, tb.tb_lineno
        if filename.startswith("<srcgrad: "):
            line_map = getattr(entry.made, "line_map", None) if entry is not None else None
            mapped = line_map.get(line) if line_map else None
            if mapped is not None:
                found = source.filename, mapped
        elif filename == source.filename or _is_users(filename):
            found = filename, line
        tb = tb.tb_next
    if found is None:
        return
    filename, line = found
    text = linecache.getline(filename, line).strip()
    shown = filename if filename.startswith("<") else shown_path(filename)
    error.add_note(f"in your code: {shown}:{line}" + (f": {text}" if text else ""))


def _is_users(filename: str) -> bool:
    if filename.startswith("<") or filename.startswith(_OURS):
        return False
    return not os.path.abspath(filename).startswith(_libraries())


def _last_return(tree: Any) -> ast.AST | None:
    import ast

    if isinstance(tree, ast.Lambda):
        return tree.body
    found: ast.AST | None = None
    waiting: list[ast.AST] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Return):
            found = node
        waiting.extend(reversed(list(ast.iter_child_nodes(node))))
    return found
