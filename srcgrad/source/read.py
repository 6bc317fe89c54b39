"""Finds the text of a function: its syntax tree, lines, comments and signature.

>>> def area(r):
...     return 3 * r * r  # roughly
>>> source = read(area)
>>> source.name, list(source.signature.parameters)
('area', ['r'])
>>> source.comments
{2: (22, '# roughly')}

The text is compiled again and compared with the code that runs, so that a lambda is
told from its neighbours, and a file edited since its import is refused.
"""

from __future__ import annotations
import __future__

import ast
import dis
import functools
import inspect
import io
import linecache
import os
import tokenize
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from srcgrad.errors import Location, refuse

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SUSPENDS = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR
)
# Flags of a code object that say how its text was compiled (`from __future__`).
# `nested_scopes` has CO_NESTED, which is a fact about a function and not an option.
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag
_FUTURE &= ~inspect.CO_NESTED


class Presets(NamedTuple):
    """Arguments that a `functools.partial` supplies."""

    positional: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}


@dataclass(frozen=True, eq=False)
class Source:
    """One function and its text; two are equal only when they are the same object.

    The tree, `lines` and `comments` are shared by all functions made from one piece of
    code (closures, bound methods): they are read and never edited.
    """

    function: types.FunctionType  # what is left when partials and methods are taken off
    name: str  # "lambda" for a lambda
    filename: str
    firstlineno: int  # the line of `def`, below decorators
    tree: FunctionNode  # line numbers and columns are those of the file
    lines: dict[int, str] = field(repr=False)
    comments: dict[int, tuple[int, str]] = field(repr=False)  # line -> (column, text)
    signature: inspect.Signature  # of `function`: all its parameters
    call_signature: inspect.Signature  # of what was read: without bound and presets
    bound: Any  # the object that the first parameter is bound to, or None
    presets: Presets  # further arguments, after the bound one

    def location(self, node: ast.AST) -> Location:
        """Gives the place of a node of the tree, for a message."""
        return Location.of(self, node)


def read(function: Callable[..., Any]) -> Source:
    """Reads the source of a function, method, partial, or object with `__call__`."""
    plain, bound, presets = _unwrap(function)
    text = _find(plain)
    signature = _signature(plain)
    source = Source(
        function=plain,
        name="lambda" if plain.__name__ == "<lambda>" else plain.__name__,
        filename=text.filename,
        firstlineno=text.tree.lineno,
        tree=text.tree,
        lines=text.lines,
        comments=text.comments,
        signature=signature,
        call_signature=_call_signature(plain, signature, bound, presets),
        bound=bound,
        presets=presets,
    )
    if plain.__code__.co_flags & _SUSPENDS:
        kind = "a coroutine" if inspect.iscoroutinefunction(plain) else "a generator"
        refuse(
            "generator",
            f"{source.name} is {kind}, and its derivative would have to run backwards",
            source.location(text.tree),
            hint="collect the values in a list and return it",
        )
    return source


# ---- from a callable to the Python function behind it


def _unwrap(called: Any) -> tuple[types.FunctionType, Any, Presets]:
    """Takes partials, methods, caches and callable objects off a function."""
    given = called
    positional: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    innermost_is_method = False
    for _ in range(1000):  # a chain of wrappers that closes on itself ends here
        if isinstance(called, types.FunctionType):
            if _is_transparent(called) and hasattr(called, "__wrapped__"):
                called = called.__wrapped__
                continue
            if "__wrapped__" in vars(called):
                _refuse_decorated(called)
            bound = None
            if innermost_is_method:
                bound, *rest = positional
                positional = tuple(rest)
            return called, bound, Presets(positional, keywords)
        if isinstance(called, functools.partial):
            positional = called.args + positional
            keywords = {**called.keywords, **keywords}
            # What was bound before is now an argument like any other, unless the partial
            # adds none in front of it.
            innermost_is_method = innermost_is_method and not called.args
            called = called.func
        elif isinstance(called, types.MethodType):
            positional = (called.__self__, *positional)
            innermost_is_method = True
            called = called.__func__
        elif isinstance(called, staticmethod):
            called = called.__func__
        elif isinstance(called, functools._lru_cache_wrapper):
            called = called.__wrapped__
        elif isinstance(called, type):
            refuse(
                "no-source",
                f"{_spelled(called)} is a class, not a function",
                hint="write a function that makes the object and returns a number",
            )
        elif _is_transparent(called) and hasattr(called, "__wrapped__"):
            called = called.__wrapped__
        else:
            method = _call_method(called)
            if method is None:
                _refuse_without_text(called)
            if "__wrapped__" in getattr(called, "__dict__", ()):
                _refuse_decorated(called)
            called = method
    refuse("no-source", f"{_spelled(given)} is wrapped around itself")


def _is_transparent(called: Any) -> bool:
    """Tells whether a wrapper does nothing that the function below it does not."""
    marked = getattr(called, "__srcgrad_transparent__", None)
    if marked is not None:
        # functools.wraps copies the mark of what it wraps to a wrapper that never had it.
        below = getattr(called, "__wrapped__", None)
        return bool(marked) and not hasattr(below, "__srcgrad_transparent__")
    package = getattr(type(called), "__module__", None)
    return isinstance(package, str) and package.partition(".")[0] == "srcgrad"


def _call_method(instance: Any) -> Any:
    """Gives `instance.__call__` as calls find it: through the class; None if it is C."""
    call = inspect.getattr_static(type(instance), "__call__", None)
    python = (types.FunctionType, staticmethod, classmethod, functools.partial)
    if not isinstance(call, python):
        return None
    if isinstance(call, functools.partial):
        return call
    return call.__get__(instance, type(instance))


def _refuse_decorated(called: Any) -> Any:
    name = getattr(called, "__name__", type(called).__name__)
    refuse(
        "captured",
        f"{name} is wrapped by a decorator, whose code would be differentiated instead",
        hint="put grad below the decorator, or pass "
        f"{name}.__wrapped__ if the wrapper leaves the result as it is",
    )


def _refuse_without_text(called: Any) -> Any:
    if hasattr(called, "py_func"):
        refuse(
            "no-source",
            f"{_spelled(called)} is compiled, and has no Python source",
            hint="pass the function it was made from: its .py_func",
        )
    if not callable(called):
        refuse("no-source", f"{_spelled(called)} is not a function")
    refuse(
        "no-source",
        f"{_spelled(called)} is not written in Python, and has no source to read",
        hint="srcgrad rules lists the functions that need none",
    )


def _spelled(called: Any) -> str:
    """Names an object for a message."""
    name = getattr(called, "__qualname__", None) or getattr(called, "__name__", None)
    if not isinstance(name, str):
        return f"an object of type {type(called).__qualname__}"
    module = getattr(called, "__module__", None)
    if isinstance(module, str) and module not in ("builtins", "__main__"):
        return f"{module}.{name}"
    return name


def _signature(function: types.FunctionType) -> inspect.Signature:
    """Gives the signature that the code has, whatever `__signature__` claims."""
    bare = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    bare.__kwdefaults__ = function.__kwdefaults__
    bare.__annotations__ = function.__annotations__
    return inspect.signature(bare)


def _call_signature(
    function: types.FunctionType,
    signature: inspect.Signature,
    bound: Any,
    presets: Presets,
) -> inspect.Signature:
    first = () if bound is None else (bound,)
    if not (first or presets.positional or presets.keywords):
        return signature

    def bare(*args: Any, **kwargs: Any) -> None: ...

    bare.__signature__ = signature  # type: ignore[attr-defined]
    preset = functools.partial(bare, *first, *presets.positional, **presets.keywords)
    try:
        return inspect.signature(preset)
    except (TypeError, ValueError) as error:
        name = function.__name__
        refuse("no-source", f"{name} cannot take the arguments bound to it: {error}")


# ---- from a function to its node in a text


class _Text(NamedTuple):
    """What belongs to the code of a function, whatever its closure and defaults."""

    filename: str
    tree: FunctionNode
    lines: dict[int, str]
    comments: dict[int, tuple[int, str]]


class _File:
    """A text, its tree, and each function in it beside the code it compiles to."""

    def __init__(self, lines: list[str], filename: str, future: int) -> None:
        self.lines = lines
        self._filename = filename
        self._future = future
        self._tree = ast.parse("".join(lines), filename)
        self._whole = self._compiled([self._tree])

    def functions(self) -> Iterator[list[tuple[FunctionNode, types.CodeType]]]:
        """Gives the pairs as they come from compiling the file as a whole, then apart.

        IPython compiles each statement of a cell for itself. That makes a difference: a
        call `np.sin(x)` is compiled otherwise when the text is seen to import np.
        """
        yield self._whole
        yield self._apart

    @functools.cached_property
    def _apart(self) -> list[tuple[FunctionNode, types.CodeType]]:
        return self._compiled([ast.Module([each], []) for each in self._tree.body])

    def _compiled(self, modules: list[ast.Module]) -> list[tuple[FunctionNode, types.CodeType]]:
        return _compiled_functions(modules, self._filename, self._future)


# By the id of a code object. A WeakKeyDictionary would compare code by value, and two
# files with the same function on the same line have equal code.
_texts: dict[int, tuple[weakref.ref[types.CodeType], _Text]] = {}
# The files that were read last, by name and options of the compiler.
_files: dict[tuple[str, int], _File] = {}
_FILES_KEPT = 8


def _find(function: types.FunctionType) -> _Text:
    """Gives the text of a function, from the cache or from its file."""
    code = function.__code__
    known = _texts.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    file = _file(function)
    node = _match(code, file)
    if node is None:
        _refuse_changed(function)
    text = _cut(code.co_filename, file.lines, node)
    key = id(code)
    _texts[key] = (weakref.ref(code, lambda _: _texts.pop(key, None)), text)
    return text


def _file(function: types.FunctionType) -> _File:
    """Gives the text that a function was compiled from, parsed."""
    code = function.__code__
    filename = code.co_filename
    # A cell of a notebook or a doctest stays; a file that changed on disk is read anew.
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    if not lines:
        _refuse_no_text(function)
    future = code.co_flags & _FUTURE
    kept = _files.get((filename, future))
    if kept is not None and kept.lines == lines:
        return kept
    try:
        file = _File(lines, filename, future)
    except (SyntaxError, ValueError):
        _refuse_changed(function)
    if len(_files) >= _FILES_KEPT:
        _files.pop(next(iter(_files)))
    _files[filename, future] = file
    return file


def _refuse_no_text(function: types.FunctionType) -> Any:
    filename = function.__code__.co_filename
    name = "lambda" if function.__name__ == "<lambda>" else function.__name__
    if filename.startswith("<"):
        refuse(
            "no-source",
            f"the source of {name} is not kept: it was made in {filename}",
            hint="put the function into a file, or use IPython",
        )
    refuse(
        "no-source",
        f"the source of {name} is not there: {filename} cannot be read",
        hint="install the package with its .py files, or run from the folder that the program was started in",
    )


def _refuse_changed(function: types.FunctionType) -> Any:
    filename = function.__code__.co_filename
    shown = filename if filename.startswith("<") else os.path.basename(filename)
    name = "lambda" if function.__name__ == "<lambda>" else function.__name__
    refuse(
        "no-source",
        f"{shown} changed since it was imported: {name} in it is not the {name} that runs",
        hint="start Python anew, or reload the module",
    )


def _compiled_functions(
    modules: list[ast.Module], filename: str, future: int
) -> list[tuple[FunctionNode, types.CodeType]]:
    """Pairs each function of some trees with the code that it compiles to.

    The compiler does not tell which node a code object comes from. But a code object
    knows its first line: the trees are compiled twice, the second time with a line of
    its own for each function, past the end of the text. The code of the second time is
    not quite the same (an instruction that does nothing may mark a new line), and only
    tells which function stands where among the first.
    """
    nodes = [node for tree in modules for node in _functions_in(tree)]
    if not nodes:
        return []
    real = _compile(modules, filename, future)
    past_the_end = 1 + max(node.end_lineno or 0 for node in nodes)
    places = []
    by_line: dict[int, FunctionNode] = {}
    for number, node in enumerate(nodes):
        marked: list[Any] = [node]
        if not isinstance(node, ast.Lambda) and node.decorator_list:
            # The first line of a decorated function is that of its first decorator. The
            # decorator may be a lambda, marked already: then it has a number of its own.
            first = node.decorator_list[0]
            if isinstance(first, ast.Lambda):
                first = ast.Name("decorator", ast.Load())
                places.append((node, None, node.decorator_list))
                node.decorator_list = [first, *node.decorator_list]
            marked = [first]
        line = past_the_end + number
        by_line[line] = node
        for each in marked:
            places.append((each, _get_place(each), None))
            each.lineno = each.end_lineno = line
            each.col_offset, each.end_col_offset = 0, 1
    try:
        marked_code = _compile(modules, filename, future)
    finally:
        for node, place, decorators in reversed(places):
            if decorators is not None:
                node.decorator_list = decorators
            elif place is not None:
                _set_place(node, place)
    found = []
    for marked_each, code in _side_by_side(marked_code, real):
        owner = by_line.get(marked_each.co_firstlineno)
        name = "<lambda>" if isinstance(owner, ast.Lambda) else getattr(owner, "name", "")
        # A comprehension in a default has the line of what it stands in, and its own name.
        if owner is not None and code.co_name == name:
            found.append((owner, code))
    return found


def _compile(modules: list[ast.Module], filename: str, future: int) -> list[types.CodeType]:
    return [compile(tree, filename, "exec", flags=future, dont_inherit=True) for tree in modules]


def _side_by_side(
    ones: list[types.CodeType], others: list[types.CodeType]
) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    """Walks through two compilations of one text, pairing their code objects."""
    waiting = [(ones, others)]
    while waiting:
        ones, others = waiting.pop()
        if [code.co_name for code in ones] != [code.co_name for code in others]:
            # The compiler made one object of two equal ones on one line. Without its
            # partner a code object stands for itself.
            others = ones
        for one, other in zip(ones, others, strict=True):
            yield one, other
            waiting.append((_nested(one), _nested(other)))


def _nested(code: types.CodeType) -> list[types.CodeType]:
    return [each for each in code.co_consts if isinstance(each, types.CodeType)]


def _get_place(node: Any) -> tuple[Any, ...] | None:
    if not hasattr(node, "lineno"):
        return None
    return _span(node)


def _set_place(node: Any, place: tuple[Any, ...]) -> None:
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place


def _functions_in(tree: ast.AST) -> Iterator[FunctionNode]:
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTION_NODES):
            yield node


def _codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """Gives a code object and all that are nested in it."""
    waiting = [code]
    while waiting:
        code = waiting.pop()
        yield code
        waiting.extend(_nested(code))


def _match(code: types.CodeType, file: _File) -> FunctionNode | None:
    """Gives the function of a text that compiles to this code, or None."""
    wanted = _fingerprint(code)
    same: list[FunctionNode] = []
    for functions in file.functions():
        same = [node for node, made in functions if _fingerprint(made) == wanted]
        if not same and _is_rewritten(code):
            same = [node for node, made in functions if _agrees(code, made, node)]
        if same:
            break
    if len(same) < 2:
        return same[0] if same else None
    # They compute the same, so any would do; the right one has the right line and columns.
    positions = list(_positions(code))
    exact = [node for node in same if _holds(node, positions)]
    return min(exact or same, key=lambda node: abs(node.lineno - code.co_firstlineno))


def _fingerprint(code: types.CodeType) -> tuple[Any, ...]:
    """Gives what a function computes, without its place in the file."""
    return (
        code.co_name,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags,
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        tuple(_constant(value) for value in code.co_consts),
        getattr(code, "co_exceptiontable", b""),
    )


def _constant(value: Any) -> Any:
    """Gives a constant such that 1, 1.0 and True differ, and 0.0 and -0.0."""
    if isinstance(value, types.CodeType):
        return _fingerprint(value)
    if isinstance(value, tuple):
        return tuple(_constant(item) for item in value)
    if isinstance(value, frozenset):
        return frozenset(_constant(item) for item in value)
    return (type(value), repr(value))


def _positions(code: types.CodeType) -> Iterator[tuple[int, int, int, int]]:
    """Gives line, column, last line, last column of each instruction that has them."""
    instructions = code.co_code[::2]
    for opcode, position in zip(instructions, code.co_positions(), strict=False):
        # RESUME stands at the first line, which may be a decorator's.
        if dis.opname[opcode] == "RESUME" or None in position:
            continue
        line, end_line, column, end_column = position
        if (line, column) == (end_line, end_column):
            continue  # the return of a lambda has no text of its own
        yield line, column, end_line, end_column


def _span(node: Any) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _holds(node: ast.AST, positions: list[tuple[int, int, int, int]]) -> bool:
    first_line, first_column, end_line, end_column = _span(node)
    return all(
        (first_line, first_column) <= (line, column) and (last, last_column) <= (end_line, end_column)
        for line, column, last, last_column in positions
    )


# ---- pytest rewrites the assertions of test modules, and runs other code than the text


def _is_rewritten(code: types.CodeType) -> bool:
    return any(
        name.startswith("@py") for each in _codes_in(code) for name in each.co_names + each.co_varnames
    )


def _agrees(code: types.CodeType, made: types.CodeType, node: FunctionNode) -> bool:
    """Tells whether rewritten code is that of a text, apart from its assertions."""
    asserts = [each for each in ast.walk(node) if isinstance(each, ast.Assert)]
    return (
        code.co_name == made.co_name
        and code.co_argcount == made.co_argcount
        and code.co_posonlyargcount == made.co_posonlyargcount
        and code.co_kwonlyargcount == made.co_kwonlyargcount
        and code.co_freevars == made.co_freevars
        and _outside(code, node, asserts) == _outside(made, node, asserts)
    )


def _outside(code: types.CodeType, node: FunctionNode, asserts: list[ast.Assert]) -> set[tuple[Any, ...]]:
    """Gives the instructions of a function, with places, that belong to no assertion."""
    found = set()
    for each in _codes_in(code):
        for instruction in dis.get_instructions(each):
            place = instruction.positions
            if place is None or None in place:
                continue
            if instruction.opname in ("RESUME", "EXTENDED_ARG"):
                continue
            line, end_line, column, end_column = place
            position = (line, column, end_line, end_column)
            if any(_holds(each, [position]) for each in asserts):
                continue
            value = instruction.argval
            if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
                value = None
            elif isinstance(value, types.CodeType):
                value = value.co_name
            found.add((instruction.opname, _constant(value), position))
    return found


# ---- from a node to its lines


def _cut(filename: str, lines: list[str], node: FunctionNode) -> _Text:
    """Takes the lines and comments of a function out of a text."""
    last = node.end_lineno or node.lineno
    numbered = {
        number: lines[number - 1].rstrip("\r\n") for number in range(node.lineno, min(last, len(lines)) + 1)
    }
    return _Text(filename, node, numbered, _comments(numbered))


def _comments(lines: dict[int, str]) -> dict[int, tuple[int, str]]:
    """Finds the comments in the lines of a function.

    The lines of a lambda may begin and end within brackets: where the tokenizer gives
    up, the rest has no comments, which costs nothing but them.
    """
    if not any("#" in line for line in lines.values()):
        return {}
    first = next(iter(lines))
    # All in brackets, so that neither the indentation nor the end of the text matters.
    text = "(\n" + "\n".join(lines.values()) + "\n"
    found = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                line, column = token.start
                found[line - 2 + first] = (column, token.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    return found
