"""Makes a module from a user's file without running the file.

What `srcgrad show` needs to know of a file stands in its text: imports, definitions and
constants. They are carried out one statement at a time; every other statement is left
out, and the names that it would bind or change are named as unsettled. Functions are
compiled with the file's own name and lines, so that their source can be read.

`run_file` is the other way: it imports the file.
"""

from __future__ import annotations
import __future__

import abc
import ast
import builtins
import cmath
import collections
import dataclasses
import enum
import functools
import importlib
import importlib.util
import math
import os
import random
import sys
import types
import typing
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.errors import refuse, shown_path
from srcgrad.source.resolve import MISSING, Unsettled
from srcgrad.source.target import find_module_file

# ---- what may be carried out

# Modules of the standard library that do something when they are imported.
_NOISY = {"antigravity", "this", "idlelib", "turtledemo", "lib2to3", "test", "__main__"}
_PACKAGES = {"numpy", "scipy", "srcgrad"} | (set(sys.stdlib_module_names) - _NOISY)

# Functions of NumPy that make arrays and touch nothing else.
_ARRAY_MAKERS = """
    abs all any arange array asarray ascontiguousarray asfortranarray atleast_1d
    atleast_2d atleast_3d average block broadcast_to column_stack concatenate copy cross
    cumprod cumsum diag diff dot dstack dtype empty empty_like eye finfo flip full
    full_like geomspace hstack identity iinfo inner kron linspace logspace max mean
    meshgrid min moveaxis ones ones_like outer pad prod ravel repeat reshape roll
    rot90 shape size sort split squeeze stack std sum swapaxes take tile trace transpose
    tri tril triu var vstack where zeros zeros_like
""".split()
_PURE_BUILTINS: tuple[Any, ...] = (
    abs, bool, bytes, complex, dict, divmod, float, frozenset, int, len, list, max, min,
    pow, range, round, set, slice, sorted, str, sum, tuple, object,
)  # fmt: skip
_PURE_METHODS = {
    "astype", "copy", "reshape", "transpose", "ravel", "sum", "mean", "max", "min",
    "tolist", "item", "real", "imag", "T", "shape", "ndim", "size", "dtype", "conj",
}  # fmt: skip


def _identities(objects: Any) -> set[int]:
    # By identity: not everything that a name may be bound to can be hashed.
    return {id(each) for each in objects}


_PURE_FUNCTIONS = _identities(
    [
        *_PURE_BUILTINS,
        *(f for m in (math, cmath) for f in vars(m).values() if callable(f)),
        *(f for f in vars(np).values() if isinstance(f, np.ufunc)),
        *(getattr(np, name) for name in _ARRAY_MAKERS),
        *(t for t in vars(np).values() if isinstance(t, type) and issubclass(t, np.generic)),
        np.random.default_rng,
        dataclasses.field,
        enum.auto,
        collections.namedtuple,
        typing.NewType,
        typing.TypeVar,
        functools.partial,
    ]
)
_DECORATORS = _identities(
    [
        staticmethod,
        classmethod,
        property,
        functools.lru_cache,
        functools.cache,
        functools.wraps,
        functools.cached_property,
        functools.total_ordering,
        abc.abstractmethod,
        dataclasses.dataclass,
        typing.final,
        typing.overload,
        *([typing.override] if hasattr(typing, "override") else []),
    ]
)
_EXPRESSIONS = (
    ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp, ast.BinOp,
    ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Slice, ast.Starred,
)  # fmt: skip
# Whatever a top-level call to one of these is handed comes back as it was.
_HARMLESS = _identities(
    [
        print, repr, len, isinstance, np.set_printoptions, np.seterr, np.random.seed,
        random.seed, warnings.filterwarnings, warnings.simplefilter,
    ]
)  # fmt: skip
# What srcgrad offers and what runs nothing when it is called: not check_grad.
_TRANSFORMS = {"grad", "vjp", "jvp", "jacobian", "hessian", "hvp", "detach"}

# In the namespace of a module that is being made: a default that is not a literal.
_MARK = "__srcgrad_unsettled__"
_TOO_LARGE = 10_000


class StaticModule(types.ModuleType):
    """A module made from a text that was not run.

    Attributes
    ----------
    __srcgrad_plain__ : functions below srcgrad's decorators, by qualified name
    __srcgrad_decorators__ : the text of those decorators, by qualified name
    """

    __srcgrad_plain__: dict[str, Any]
    __srcgrad_decorators__: dict[str, tuple[str, ...]]


def load_static(path: str | os.PathLike[str]) -> tuple[StaticModule, list[str]]:
    """Gives a module with what the text of a file settles, and the names it does not.

    Each unsettled name is bound to an `Unsettled`, which `Names` takes for missing.
    A function that has a decorator of srcgrad is bound as the decorator leaves it, since
    that is what the rest of the file calls; `plain` gives the function itself.
    """
    return _Loader().load(Path(os.path.abspath(path)))


def plain(module: types.ModuleType, qualname: str) -> Any:
    """Gives a function of a module by qualified name, below srcgrad's own decorators.

    MISSING is given when there is none. It serves modules that were run as well.
    """
    known = getattr(module, "__srcgrad_plain__", {})
    if qualname in known:
        return known[qualname]
    value: Any = module
    for name in qualname.split("."):
        value = vars(value).get(name, MISSING) if hasattr(value, "__dict__") else MISSING
        if isinstance(value, Unsettled) or value is MISSING:
            return MISSING
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    while type(value).__module__.partition(".")[0] == "srcgrad":
        below = getattr(value, "__wrapped__", None)
        if below is None:
            break
        value = below
    return value


def run_file(path: str | os.PathLike[str]) -> types.ModuleType:
    """Imports a file under its own module name, with its folder on the path."""
    file = Path(os.path.abspath(path))
    root, name = _root_and_name(file)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    known = sys.modules.get(name)
    if known is not None:
        if _same_file(getattr(known, "__file__", None), file):
            return known
        # A file called random.py must not take the place of the module in use.
        name += "_"
    if "." in name:
        importlib.import_module(name.rpartition(".")[0])
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        refuse("target", f"{shown_path(str(file))} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _same_file(one: str | None, other: Path) -> bool:
    return one is not None and os.path.realpath(one) == os.path.realpath(other)


def _root_and_name(file: Path) -> tuple[Path, str]:
    """Gives the folder that imports start from, and the dotted name of a file in it."""
    parts = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


# ---- one load: a file, and the files beside it that it imports


class _Loader:
    def __init__(self) -> None:
        self.modules: dict[Path, StaticModule] = {}

    def load(self, path: Path) -> tuple[StaticModule, list[str]]:
        root, name = _root_and_name(path)
        module = StaticModule(name)
        module.__file__ = str(path)
        is_package = path.stem == "__init__"
        module.__package__ = name if is_package else name.rpartition(".")[0]
        module.__srcgrad_plain__ = {}
        module.__srcgrad_decorators__ = {}
        # Known before its text is read, so that two files may import one another.
        self.modules[path] = module
        unsettled = _Body(self, module, path, root).fill()
        return module, unsettled

    def file_module(self, path: Path) -> StaticModule:
        if path not in self.modules:
            self.load(path)
        return self.modules[path]


class _Body:
    """Carries out the statements of one file, into one module."""

    def __init__(self, loader: _Loader, module: StaticModule, path: Path, root: Path) -> None:
        self.loader = loader
        self.module = module
        self.space = module.__dict__
        self.path = path
        self.root = root
        self.flags = 0
        self.unsettled: dict[str, None] = {}
        try:
            self.tree = ast.parse(path.read_bytes(), str(path))
        except SyntaxError as error:
            shown = shown_path(str(path))
            refuse("target", f"{shown}:{error.lineno} is not Python: {error.msg}")
        except (OSError, ValueError) as error:
            refuse("target", f"{shown_path(str(path))} cannot be read: {error}")

    def fill(self) -> list[str]:
        self.space["__builtins__"] = vars(builtins)
        self.space["__doc__"] = ast.get_docstring(self.tree, clean=False)
        self.space[_MARK] = Unsettled("a default value")
        for statement in self.tree.body:
            self.carry_out(statement)
        self.space.pop(_MARK)
        return list(self.unsettled)

    def carry_out(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import):
            self.import_modules(statement)
        elif isinstance(statement, ast.ImportFrom):
            self.import_names(statement)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.define(statement)
        elif isinstance(statement, ast.ClassDef):
            self.define_class(statement)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            self.assign(statement)
        elif not _has_no_effect(statement):
            self.leave_out(statement)

    def settle(self, name: str, value: Any) -> None:
        self.space[name] = value
        self.unsettled.pop(name, None)

    def unsettle(self, name: str) -> None:
        self.space[name] = Unsettled(name)
        self.unsettled[name] = None
        self.module.__srcgrad_plain__.pop(name, None)

    # -- imports

    def import_modules(self, statement: ast.Import) -> None:
        for alias in statement.names:
            top = alias.name.partition(".")[0]
            bound = alias.asname or top
            found = self.imported(alias.name)
            if found is None:
                self.unsettle(bound)
            elif alias.asname:
                self.settle(bound, found)
            else:
                self.settle(bound, self.imported(top))

    def import_names(self, statement: ast.ImportFrom) -> None:
        if statement.module == "__future__" and not statement.level:
            for alias in statement.names:
                feature = getattr(__future__, alias.name, None)
                self.flags |= getattr(feature, "compiler_flag", 0)
                self.settle(alias.asname or alias.name, feature)
            return
        name = statement.module or ""
        if statement.level:
            base = (self.module.__package__ or "").split(".")
            base = base[: len(base) - statement.level + 1]
            name = ".".join(filter(None, [*base, name]))
        module = self.imported(name) if name else None
        for alias in statement.names:
            bound = alias.asname or alias.name
            if alias.name == "*":
                self.import_all(module, name)
                continue
            value = MISSING if module is None else getattr(module, alias.name, MISSING)
            if value is MISSING or isinstance(value, Unsettled):
                # A submodule that nothing has imported so far.
                found = self.imported(f"{name}.{alias.name}") if name else None
                value = MISSING if found is None else found
            if value is MISSING:
                self.unsettle(bound)
            else:
                self.settle(bound, value)

    def import_all(self, module: types.ModuleType | None, name: str) -> None:
        if module is None:
            self.unsettled[f"all that {name} exports"] = None
            return
        public = [n for n in vars(module) if not n.startswith("_")]
        for each in getattr(module, "__all__", public):
            value = getattr(module, each, MISSING)
            if value is MISSING or isinstance(value, Unsettled):
                self.unsettle(each)
            else:
                self.settle(each, value)

    def imported(self, name: str) -> types.ModuleType | None:
        """Gives a module: a stock one, really; a file of the user's, from its text."""
        parts = name.split(".")
        if parts[0] not in sys.builtin_module_names:
            # As Python does, a file beside this one comes before the standard library.
            folders = [str(self.root), str(self.path.parent)]
            file = find_module_file(parts, folders)
            if file is not None and (file != self.path or len(parts) > 1):
                return self.file_module(parts, file)
        if parts[0] not in _PACKAGES:
            return None
        try:
            return importlib.import_module(name)
        except Exception:  # whatever a broken installation raises: it is not there
            return None

    def file_module(self, parts: list[str], file: Path) -> StaticModule:
        module = self.loader.file_module(file)
        if len(parts) > 1:
            parent = self.imported(".".join(parts[:-1]))
            if isinstance(parent, StaticModule):
                parent.__dict__.setdefault(parts[-1], module)
        return module

    # -- definitions

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        kept = self.filtered_function(node)
        if kept is None:
            self.unsettle(node.name)
            return
        function, ours = kept
        if self.execute(function):
            self.unsettled.pop(node.name, None)
            self.decorate(node.name, ours)
        else:
            self.unsettle(node.name)

    def filtered_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> tuple[Any, list[ast.expr]] | None:
        """Gives a definition that runs no code of the user's, and srcgrad's decorators.

        None is given if it has a decorator that is not known.
        """
        ours, stock = [], []
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            target = self.path_value(called)
            arguments = _arguments(decorator)
            if not all(self.is_constant(argument) for argument in arguments):
                return None
            if _is_ours(target) and not stock:
                ours.append(decorator)
            elif id(target) in _DECORATORS:
                stock.append(decorator)
            else:
                return None
        copy = type(node)(**{f: getattr(node, f) for f in node._fields})
        ast.copy_location(copy, node)
        copy.decorator_list = stock
        copy.args = self.filtered_arguments(node.args)
        copy.returns = self.filtered_annotation(node.returns)
        return copy, ours

    def filtered_arguments(self, arguments: ast.arguments) -> ast.arguments:
        def argument(each: ast.arg | None) -> Any:
            if each is None or each.annotation is None:
                return each
            annotation = self.filtered_annotation(each.annotation)
            return ast.copy_location(ast.arg(each.arg, annotation), each)

        def default(each: ast.expr | None) -> Any:
            if each is None or self.is_constant(each):
                return each
            return ast.copy_location(ast.Name(_MARK, ast.Load()), each)

        return ast.arguments(
            posonlyargs=[argument(each) for each in arguments.posonlyargs],
            args=[argument(each) for each in arguments.args],
            vararg=argument(arguments.vararg),
            kwonlyargs=[argument(each) for each in arguments.kwonlyargs],
            kw_defaults=[default(each) for each in arguments.kw_defaults],
            kwarg=argument(arguments.kwarg),
            defaults=[default(each) for each in arguments.defaults],
        )

    def filtered_annotation(self, annotation: ast.expr | None) -> Any:
        """Keeps an annotation that means something here, and the text of another."""
        if annotation is None or self.flags & __future__.annotations.compiler_flag:
            return annotation
        allowed = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple)
        allowed += (ast.BinOp, ast.BitOr, ast.List, ast.expr_context, ast.UnaryOp, ast.USub)
        if all(isinstance(each, allowed) for each in ast.walk(annotation)):
            names = [each for each in ast.walk(annotation) if isinstance(each, (ast.Name, ast.Attribute))]
            if all(self.path_value(each) is not MISSING for each in names):
                try:
                    self.evaluate(annotation)
                    return annotation
                except Exception:
                    pass
        return ast.copy_location(ast.Constant(ast.unparse(annotation)), annotation)

    def decorate(self, qualname: str, decorators: list[ast.expr]) -> None:
        """Applies srcgrad's decorators to a function that was just bound."""
        if not decorators:
            self.module.__srcgrad_plain__.pop(qualname, None)
            self.module.__srcgrad_decorators__.pop(qualname, None)
            return
        value = self.space[qualname]
        self.module.__srcgrad_plain__[qualname] = value
        texts = tuple(ast.unparse(decorator) for decorator in decorators)
        self.module.__srcgrad_decorators__[qualname] = texts
        try:
            for decorator in reversed(decorators):
                value = self.evaluate(decorator)(value)
            self.space[qualname] = value
        except Exception:
            # Refused, or used wrongly: the function itself can still be shown.
            self.space[qualname] = Unsettled(qualname)
            self.unsettled[qualname] = None

    def define_class(self, node: ast.ClassDef) -> None:
        bases = [self.path_value(base) for base in node.bases]
        decorators = node.decorator_list
        known = all(
            id(self.path_value(d.func if isinstance(d, ast.Call) else d)) in _DECORATORS
            and all(self.is_constant(argument) for argument in _arguments(d))
            for d in decorators
        )
        if not known or node.keywords or not all(map(_is_inert_base, bases)):
            self.unsettle(node.name)
            return
        if any(isinstance(base, enum.EnumMeta) for base in bases) and (
            not all(_is_stock(base) for base in bases)
            or any(isinstance(each, ast.FunctionDef) and each.name.startswith("_") for each in node.body)
        ):
            # An Enum calls its own methods while it is being made.
            self.unsettle(node.name)
            return
        makes_fields = bool(decorators) or not all(isinstance(b, type) for b in bases)
        left_out: list[str] = []
        ours: list[tuple[str, list[ast.expr]]] = []
        body: list[ast.stmt] = []
        for statement in node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                kept = self.filtered_function(statement)
                if kept is None:
                    left_out.append(statement.name)
                    continue
                body.append(kept[0])
                if kept[1]:
                    ours.append((statement.name, kept[1]))
            elif isinstance(statement, ast.Assign) and _names(statement.targets):
                value = statement.value
                if self.is_constant(value) or self.is_plain_lambda(value):
                    body.append(statement)
                else:
                    left_out.extend(_names(statement.targets) or ())
            elif isinstance(statement, ast.AnnAssign) and _names([statement.target]):
                if statement.value is not None and not self.is_constant(statement.value):
                    if makes_fields:  # without this one they would be other fields
                        self.unsettle(node.name)
                        return
                    left_out.extend(_names([statement.target]))
                    continue
                copy = ast.AnnAssign(
                    statement.target,
                    self.filtered_annotation(statement.annotation),
                    statement.value,
                    statement.simple,
                )
                body.append(ast.copy_location(copy, statement))
            elif not _has_no_effect(statement) or isinstance(statement, ast.Expr):
                if isinstance(statement, ast.Expr) and _has_no_effect(statement):
                    body.append(statement)
                else:
                    left_out.extend(_bound(statement))
        made = ast.ClassDef(**{f: getattr(node, f) for f in node._fields})
        made.body = body or [ast.copy_location(ast.Pass(), node)]
        if not self.execute(ast.copy_location(made, node)):
            self.unsettle(node.name)
            return
        self.unsettled.pop(node.name, None)
        owner = self.space[node.name]
        for name in left_out:
            # The name stays in the class, or a base's attribute would be found instead.
            setattr(owner, name, Unsettled(f"{node.name}.{name}"))
            self.unsettled[f"{node.name}.{name}"] = None
        for name, decorators in ours:
            self.decorate_method(owner, node.name, name, decorators)

    def decorate_method(self, owner: type, owner_name: str, name: str, decorators: list[ast.expr]) -> None:
        qualname = f"{owner_name}.{name}"
        value = vars(owner)[name]
        self.module.__srcgrad_plain__[qualname] = getattr(value, "__func__", value)
        texts = tuple(ast.unparse(decorator) for decorator in decorators)
        self.module.__srcgrad_decorators__[qualname] = texts
        try:
            for decorator in reversed(decorators):
                value = self.evaluate(decorator)(value)
        except Exception:
            value = Unsettled(qualname)
            self.unsettled[qualname] = None
        setattr(owner, name, value)

    # -- constants

    def assign(self, statement: ast.Assign | ast.AnnAssign) -> None:
        if isinstance(statement, ast.AnnAssign):
            targets: list[ast.expr] = [statement.target]
            if statement.value is None:
                return  # `x: float` binds nothing
        else:
            targets = statement.targets
        value = statement.value
        assert value is not None
        names = _names(targets)
        constant = self.is_constant(value) or self.is_plain_lambda(value)
        if not names or not (constant or self.is_our_call(value)):
            self.leave_out(statement)
            return
        # The annotation is not evaluated: a plain assignment does the same.
        plain_statement = ast.copy_location(ast.Assign(targets, value), statement)
        if self.execute(plain_statement):
            for name in names:
                self.settle(name, self.space[name])
        else:
            for name in names:
                self.unsettle(name)

    def is_plain_lambda(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Lambda):
            return False
        defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        return all(self.is_constant(default) for default in defaults)

    def is_our_call(self, node: ast.expr) -> bool:
        """Tells whether this is `grad(f)` and its like: code of srcgrad's alone."""
        return (
            isinstance(node, ast.Call)
            and _is_ours(function := self.path_value(node.func))
            and getattr(function, "__name__", "") in _TRANSFORMS
            and all(
                self.is_constant(each) or self.is_plain_lambda(each) or self.is_our_call(each)
                for each in _arguments(node)
            )
        )

    def is_constant(self, node: ast.AST | None) -> bool:
        """Tells whether evaluating an expression runs stock functions on literals only."""
        if node is None:
            return True
        if isinstance(node, (ast.Name, ast.Attribute)):
            if self.path_value(node) is not MISSING:
                return True
            return (
                isinstance(node, ast.Attribute)
                and node.attr in _PURE_METHODS
                and self.is_constant(node.value)
            )
        if isinstance(node, ast.Call):
            function = node.func
            if not all(self.is_constant(argument) for argument in _arguments(node)):
                return False
            if id(self.path_value(function)) in _PURE_FUNCTIONS:
                # sorted(key=f) would run a function of the user's.
                keeps = (functools.partial, dataclasses.field)
                return self.path_value(function) in keeps or not any(
                    isinstance(self.path_value(keyword.value), types.FunctionType)
                    for keyword in node.keywords
                )
            return (
                isinstance(function, ast.Attribute)
                and function.attr in _PURE_METHODS
                and self.path_value(function.value) is MISSING
                and self.is_constant(function.value)
            )
        if not isinstance(node, _EXPRESSIONS):
            return False
        if isinstance(node, ast.Subscript):
            owner = self.path_value(node.value)
            if isinstance(owner, type) and not _is_stock(owner):
                return False  # its __class_getitem__ may be the user's
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.LShift)):
            # 10 ** 10 ** 10 would not end.
            exponent = node.right
            small = isinstance(exponent, (ast.Constant, ast.UnaryOp, ast.Name))
            if not small or _is_large(exponent):
                return False
        return all(
            self.is_constant(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
        )

    def path_value(self, node: ast.AST) -> Any:
        """Gives the object of a dotted name, through stock modules and static ones."""
        if isinstance(node, ast.Name):
            value = self.space.get(node.id, MISSING)
            if value is MISSING and node.id not in self.unsettled:
                value = vars(builtins).get(node.id, MISSING)
        elif isinstance(node, ast.Attribute):
            owner = self.path_value(node.value)
            if not isinstance(owner, (types.ModuleType, type)):
                return MISSING
            value = getattr(owner, node.attr, MISSING)
        else:
            return MISSING
        return MISSING if isinstance(value, Unsettled) else value

    # -- what is not carried out

    def leave_out(self, statement: ast.stmt) -> None:
        """Unsettles all that a statement binds, and all that it may change."""
        names = set(_bound(statement))
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        calls = [c for c in calls if id(self.path_value(c.func)) not in _HARMLESS]
        for call in calls:
            handed = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}
            names |= {name for name in handed if self.is_mutable(name)}
        if any(id(self.path_value(call.func)) not in _PURE_FUNCTIONS for call in calls):
            # A function of the user's may write what it finds among the globals.
            names |= {n for n in self.written_by_functions() if n in self.space}
        changed = _identities(self.space[name] for name in names if self.is_mutable(name))
        others = [n for n in self.space if not n.startswith("__") and n not in names]
        also = [name for name in others if id(self.space[name]) in changed]
        order = [n for n in _in_order(statement) if n in names]
        for name in dict.fromkeys([*order, *sorted(names), *also]):
            self.unsettle(name)

    def is_mutable(self, name: str) -> bool:
        value = self.space.get(name)
        return isinstance(value, (np.ndarray, list, dict, set, bytearray)) or isinstance(
            value, np.random.Generator
        )

    def written_by_functions(self) -> set[str]:
        """Gives the globals that the functions of this file may write."""
        written: set[str] = set()
        for function in ast.walk(self.tree):
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            own = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
            for node in ast.walk(function):
                if isinstance(node, ast.Global):
                    written.update(node.names)
                elif isinstance(node, (ast.Subscript, ast.Attribute, ast.Name)):
                    root = _root(node)
                    stored = isinstance(node.ctx, (ast.Store, ast.Del))
                    if stored and root not in own and not isinstance(node, ast.Name):
                        written.add(root)
                elif isinstance(node, ast.Call):
                    for name in ast.walk(node):
                        if not isinstance(name, ast.Name) or name.id in own:
                            continue
                        if self.is_mutable(name.id):
                            written.add(name.id)
        return written

    # -- running what was allowed

    def execute(self, statement: ast.stmt) -> bool:
        module = ast.Module([statement], [])
        try:
            code = compile(module, str(self.path), "exec", flags=self.flags, dont_inherit=True)
            exec(code, self.space)
        except Exception:  # a constant that cannot be computed, a class that is refused
            return False
        return True

    def evaluate(self, expression: ast.expr) -> Any:
        code = compile(ast.Expression(expression), str(self.path), "eval")
        return eval(code, self.space)


# ---- questions about syntax


def _has_no_effect(statement: ast.stmt) -> bool:
    """Tells whether leaving a statement out changes nothing when a file is imported."""
    if isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.If) and not statement.orelse:
        test = ast.unparse(statement.test)
        return test in (
            "__name__ == '__main__'",
            "'__main__' == __name__",
            "TYPE_CHECKING",
            "typing.TYPE_CHECKING",
        )
    return False


def _is_ours(value: Any) -> bool:
    """Tells whether a callable is srcgrad's own."""
    module = getattr(value, "__module__", None)
    return (
        callable(value)
        and isinstance(module, str)
        and module.partition(".")[0] == "srcgrad"
        and not isinstance(value, Unsettled)
    )


def _is_inert_base(base: Any) -> bool:
    """Tells whether deriving from a class runs no code of the user's."""
    if not isinstance(base, type):
        # typing.NamedTuple, typing.Protocol[...] and the like.
        return getattr(base, "__module__", None) == "typing"
    for each in base.__mro__:
        if not _is_stock(each) and {"__init_subclass__", "__set_name__"} & set(vars(each)):
            return False
    return True


def _is_stock(owner: Any) -> bool:
    """Tells whether a class is the standard library's or NumPy's."""
    top = str(getattr(owner, "__module__", "")).partition(".")[0]
    return top in sys.stdlib_module_names or top == "numpy"


def _arguments(node: ast.AST) -> list[ast.expr]:
    if not isinstance(node, ast.Call):
        return []
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _is_large(node: ast.expr) -> bool:
    value = node.operand if isinstance(node, ast.UnaryOp) else node
    number = value.value if isinstance(value, ast.Constant) else 0
    return isinstance(number, int) and abs(number) > _TOO_LARGE


def _names(targets: list[ast.expr]) -> list[str]:
    """Gives the names that targets bind; none if a target is more than names."""
    found: list[str] = []
    for target in targets:
        items = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        for item in items:
            if not isinstance(item, ast.Name):
                return []
            found.append(item.id)
    return found


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _bound(statement: ast.stmt) -> list[str]:
    """Gives the names that a statement binds, deletes, or writes into."""
    found = []
    for node in _walk_outside_functions(statement):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found.append(alias.asname or alias.name.partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.append(node.name)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            found.append(node.name)
        elif isinstance(node, (ast.Name, ast.Subscript, ast.Attribute)):
            if isinstance(node.ctx, (ast.Store, ast.Del)) and _root(node):
                found.append(_root(node))
    return list(dict.fromkeys(found))


def _in_order(statement: ast.stmt) -> list[str]:
    return [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]


def _walk_outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    scopes: tuple[Callable[..., Any], ...] = (
        ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
        ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
    )  # fmt: skip
    waiting = [node]
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, scopes):  # type: ignore[arg-type]
            waiting[:0] = list(ast.iter_child_nodes(node))
