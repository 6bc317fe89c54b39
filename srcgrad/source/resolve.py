"""Says what a free name of a function means: the object itself, looked up live.

>>> import math
>>> from srcgrad.source.read import read
>>> def f(x):
...     return math.sin(x) + offset
>>> names = Names(read(f))
>>> names.resolve(("math", "sin")) is math.sin
True
>>> names.lookup("offset").kind
'missing'
>>> offset = 3
>>> names.lookup("offset")
Binding(kind='global', value=3)

The names that a function binds itself are not looked up here.
"""

from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from srcgrad.source.read import Source


class _Missing:
    """The type of MISSING."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


#: Stands for the object of a name that has none.
MISSING: Any = _Missing()


class Unsettled:
    """Stands in a module for a name whose object only running the file would give.

    A name that was simply absent would be looked up further, and a user's own `sum`
    would silently become the built-in one.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}: known only when the file runs>"


@dataclass(frozen=True)
class Binding:
    """What a name is bound to, and where."""

    kind: str  # "cell", "global", "builtin", "missing"
    value: Any
    # The cell or the dictionary that binds it: with the name, the place to look again.
    namespace: Any = field(default=None, repr=False, compare=False)


_NOTHING = Binding("missing", MISSING)

# Descriptors that give the same object whenever they are asked, and run no user's code.
_PLAIN_DESCRIPTORS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    staticmethod,
    classmethod,
    property,
)


class Names:
    """The free names of one function: its cells, then its globals, then builtins."""

    def __init__(self, source: Source) -> None:
        function = source.function
        cells = function.__closure__ or ()
        self._cells = dict(zip(function.__code__.co_freevars, cells, strict=True))
        self._globals = function.__globals__
        # A module may bring builtins of its own, found when the function was made.
        self._builtins = getattr(function, "__builtins__", vars(builtins))
        self._private = {
            name: mangled
            for mangled in _all_names(function.__code__)
            for name in [_unmangled(mangled)]
            if name
        }

    def lookup(self, name: str) -> Binding:
        """Gives what a name is bound to now."""
        name = self._private.get(name, name)
        if name in self._cells:
            cell = self._cells[name]
            try:
                return _binding("cell", cell.cell_contents, cell)
            except ValueError:  # the enclosing function has not bound it yet
                return _NOTHING
        if name in self._globals:
            return _binding("global", self._globals[name], self._globals)
        if name in self._builtins:
            return _binding("builtin", self._builtins[name], self._builtins)
        return _NOTHING

    def resolve(self, path: tuple[str, ...]) -> Any:
        """Follows a dotted name through modules and classes; MISSING where it ends.

        Attributes of other objects may be computed, and differ each time they are read.
        """
        first, *rest = path
        value = self.lookup(first).value
        for name in rest:
            if isinstance(value, types.ModuleType):
                value = getattr(value, self._private.get(name, name), MISSING)
            elif isinstance(value, type):
                value = _class_attribute(value, self._private.get(name, name))
            else:
                return MISSING
            if isinstance(value, Unsettled):
                return MISSING
        return value


def _binding(kind: str, value: Any, namespace: Any) -> Binding:
    if isinstance(value, Unsettled):
        return _NOTHING
    return Binding(kind, value, namespace)


def _class_attribute(owner: type, name: str) -> Any:
    static = inspect.getattr_static(owner, name, MISSING)
    if static is MISSING:
        return MISSING
    computed = hasattr(type(static), "__get__") and not isinstance(static, type)
    if computed and not isinstance(static, _PLAIN_DESCRIPTORS):
        return MISSING
    return getattr(owner, name, MISSING)


def _all_names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _all_names(constant)


def _unmangled(name: str) -> str:
    """Gives the name that a class-private name has in the text, or "".

    >>> _unmangled("_Model__scale"), _unmangled("_x"), _unmangled("__init__")
    ('__scale', '', '')
    """
    start = name.find("__", 2)
    if not name.startswith("_") or name.startswith("__") or start < 0:
        return ""
    private = name[start:]
    return "" if private.endswith("__") else private
