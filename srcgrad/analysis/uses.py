"""What an operation means: the object that is called, the rule that it has, and how its operands bind.

Rules are found by the object, never by spelling. What is not known is said to be unknown here; whether that matters
(because an active number goes through it) is decided by `activity`, and refused there.
"""

from __future__ import annotations

import functools
import inspect
import random
import types as pytypes
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.checkpoints import checkpointed
from srcgrad.errors import SrcgradError, refuse
from srcgrad.function import Function
from srcgrad.ir import (
    Attr,
    Binary,
    Call,
    Compare,
    Const,
    Expr,
    Item,
    Name,
    Object,
    Seq,
    Slice,
    Stmt,
    Unary,
    reads,
)
from srcgrad.rules import notation
from srcgrad.rules.table import Variant, table
from srcgrad.types import (
    Array,
    Data,
    ListOf,
    Maybe,
    Number,
    Struct,
    Sym,
    Type,
    Unknown,
    adjoint_type,
    broadcast,
    certain,
    forget,
    is_numeric,
    join,
    known,
    rank_of,
    shape_of,
)


@dataclass
class Use:
    """The meaning of one operation.

    kind: copy, data, constant (no derivative), rule, entry (of a container), display, append, user (a function of
    the user's), lazy, opaque, unpack, for, unknown (`why` says what it is).
    """

    kind: str
    result: Type | None = None
    rule: Variant | None = None
    bound: dict[str, Expr] = field(default_factory=dict)
    callee: Any = None
    why: str = ""
    what: str = ""  # what is called, for messages
    function: Any = None
    key: Any = None  # of an entry
    error: SrcgradError | None = None
    call: tuple[Any, ...] | None = None  # variants and arguments, to choose again once activity is known


def is_real_only(v: Variant) -> bool:
    """Whether a rule is wrong for complex numbers: its module says so of the function."""
    from srcgrad.rules.table import path_object

    listed = v.namespace.get("REAL_ONLY", ())
    if not listed or not isinstance(v.pattern, Call):
        return False
    try:
        return path_object(v.pattern.fn, v.namespace) in listed
    except (LookupError, AttributeError, TypeError):
        return False


def is_complex(t: Type) -> bool:
    return isinstance(t, Number | Array) and t.kind == "c"


_COUNTING = (len, np.shape, np.size)
_ITERATORS = (enumerate, zip, reversed, range)


class Uses:
    def __init__(self, function: Function, type_of: Callable[[Expr], Type]):
        self.f = function
        self.context = function.context
        self.t = type_of

    def is_local(self, e: Expr) -> bool:
        while isinstance(e, Attr):
            e = e.value
        if isinstance(e, Object):
            return False
        return not isinstance(e, Name) or e.id in self.f.names

    # ---------------------------------------------------------------------------------------- running examples
    def example(self, run: Callable[..., Any], operands: list[Expr], counted: bool = False) -> Type:
        return self.context.example.result(run, [self.t(o) for o in operands], counted=counted)

    def rule_use(self, variants: list[Variant], args: tuple, keywords: tuple, what: str, run: Any) -> Use:
        """The first variant that fits, with the operands bound; unknown when none does."""
        use = Use("unknown", what=what, call=(variants, args, keywords))
        choose(use, self.t, set())
        return use

    # ---------------------------------------------------------------------------------------- cases
    def operator(self, op: str, run: Any, e: Expr, operands: tuple[Expr, ...], counted: bool) -> Use:
        # of None the user's own operation fails
        ts = [t.item if isinstance(t := self.t(o), Maybe) else t for o in operands]
        what = f"the operator {op.removeprefix('u')}"
        counted = counted and all(isinstance(t, Number) and t.kind == "i" and t.value is not None for t in ts)
        if not counted:
            ts = [
                Number(t.kind, t.dtype) if isinstance(t, Number) and not _exponent(op, k) else t
                for k, t in enumerate(ts)
            ]
        result = self.context.example.result(run, ts, counted=counted)
        if op == "**" and all(isinstance(t, Number) and t.kind == "i" and t.dtype is None for t in ts):
            if not isinstance(ts[1], Number) or ts[1].value is None:
                result = Number("f")  # an int to an int that may be negative
        given = self.t(operands[0])
        if (
            op == "u-"
            and isinstance(given, Number)
            and isinstance(given.value, float)
            and isinstance(result, Number)
        ):
            result = Number(result.kind, result.dtype, -given.value)
        if any(isinstance(t, Array) and t.shape is None for t in ts):
            result = _rankless(run, ts)
        if all(is_numeric(t) for t in ts):
            use = self.rule_use(table().by_operator.get(op, []), operands, (), what, run)
            if use.kind == "unknown" and any(isinstance(self.t(o), Maybe) for o in operands):
                choose(use, lambda e: certain(self.t(e)), set())
            if use.kind == "unknown" and op in _DATA_OPERATORS:
                use = Use("constant", what=what)
        elif (
            op == "+"
            and all(isinstance(t, Struct) and t.keys is None for t in ts)
            and ts[0].kind == ts[1].kind
        ):  # type: ignore
            joined = Struct(ts[0].kind, (*ts[0].items, *ts[1].items))  # type: ignore[union-attr]
            return Use("joined", result=joined, what=what)
        elif op == "*" and self.is_repeat(ts):
            items = next(t for t in ts if not isinstance(t, Number))
            item = items.item if isinstance(items, ListOf) else item_of(items)
            return Use("repeated", result=ListOf(item), what=what)
        elif all(isinstance(t, Struct | ListOf | Number) for t in ts) and op in ("+", "*"):
            use = Use("unknown", why="it joins containers", what=what)
        else:
            use = Use("unknown", why="the type of an operand is not known", what=what)
        use.result = elementwise(run, ts) if isinstance(result, Unknown) and op != "@" else result
        return use

    def is_repeat(self, ts: list[Type]) -> bool:
        """Whether `[0.0] * n` is asked of: a list of numbers, so many times."""
        lists = [t for t in ts if isinstance(t, ListOf) or (isinstance(t, Struct) and t.kind == "list")]
        counts = [t for t in ts if isinstance(t, Number) and t.kind == "i"]
        if len(lists) != 1 or len(counts) != 1:
            return False
        (t,) = lists
        item = t.item if isinstance(t, ListOf) else item_of(t)
        return isinstance(item, Number)

    def attribute(self, e: Attr, t: Type, name: str) -> Use:
        if isinstance(t, Struct) and t.cls is not None and name in getattr(t.cls, "_fields", ()):
            k = t.cls._fields.index(name)
            return Use("entry", result=t.items[k], key=k)
        if isinstance(t, Array) and callable(getattr(np.ndarray, name, None)):
            refuse(
                "method",
                f"the method .{name} gets a name, and what is called by it later is not known",
                e.loc,
                hint=f"call it where it stands: .{name}(...)",
            )
        if isinstance(t, Array | Number):
            result = self.context.example.result(lambda a: getattr(a, name), [t], counted=True)
            if isinstance(t, Array) and t.rank is not None and name == "ndim":
                result = Number("i", None, t.rank)
            if name in _SHAPES:
                return Use("constant", result=result)
            variants = table().by_method.get(name, []) if name in ("T", "real", "imag", "mT", "flat") else []
            use = self.rule_use(variants, (e.value,), (), f".{name}", None)
            use.result = result
            return use
        if isinstance(t, Data) and t.known and not isinstance(t.value, pytypes.ModuleType):
            from srcgrad.context import plain_attribute
            from srcgrad.source.resolve import MISSING

            value = plain_attribute(t.value, name)
            if value is MISSING:
                return Use("unknown", result=Unknown(), why="the attribute of an object", what=f".{name}")
            result = self.context.watch(t.value, name, value)
            return Use("data", result=result)
        return Use("unknown", result=Unknown(), why="the attribute of an object", what=f".{name}")

    def item(self, e: Item, t: Type, index: Expr) -> Use:
        i = self.t(index)
        if isinstance(t, Struct):
            key = i.value if isinstance(i, Number | Data) else None
            if key is not None and not isinstance(key, Sym):
                if t.keys is not None and key in t.keys:
                    k = t.keys.index(key)
                    return Use("entry", result=t.items[k], key=k)
                if t.keys is None and isinstance(key, int) and -len(t.items) <= key < len(t.items):
                    k = key % len(t.items)
                    return Use("entry", result=t.items[k], key=k)
                if t.keys is None and isinstance(key, slice):
                    span = range(len(t.items))[key]
                    return Use(
                        "slice", result=Struct(t.kind, tuple(t.items[k] for k in span)), key=list(span)
                    )
            if t.keys is None and isinstance(i, Number):
                out: Type | None = None
                for item in t.items:
                    out = join(out, item)
                return Use("list item", result=out or Unknown())
            return Use("unknown", result=Unknown(), why="the entry depends on the run", what="an entry")
        if isinstance(t, ListOf):
            if isinstance(i, Number):
                return Use("list item", result=t.item or Unknown())
            if isinstance(i, Data) and i.cls is slice:
                return Use("unknown", result=t, why="a slice of a list", what="a slice of a list")
            return Use("unknown", result=Unknown(), what="an entry")
        if isinstance(t, Array | Number):
            return self.array_item(e, t, index, i)
        if isinstance(t, Data) and t.cls is range:
            whole = isinstance(i, Data) and i.cls is slice
            return Use("constant", result=Data(range, items=Number("i")) if whole else Number("i"))
        if isinstance(t, Data) and t.cls is str:
            return Use("unknown", result=Data(str))
        return Use("unknown", result=Unknown(), what="an entry", why="the type of the container is not known")

    def array_item(self, e: Item, t: Type, index: Expr, i: Type) -> Use:
        kind = index_kind(index, self.t)
        operands = index_operands(index)
        types = [self.t(o) for o in operands]

        def run(a: Any, *parts: Any) -> Any:
            return a[rebuild_index(index, iter(parts))]

        result = self.context.example.result(run, [t, *types])
        if isinstance(result, Unknown) and isinstance(i, Number) and isinstance(t, Array) and t.rank:
            result = item_of(t)  # of an array that is empty here
        if isinstance(result, Array) and result.shape is not None:
            result = self.settle_index(t, index, result)
        if kind is None:
            return Use("unknown", result=result, why="the type of the index is not known", what="an index")
        variants = [v for v in table().by_operator.get("[]", []) if v.annotations.get("i") == kind]
        if not variants:
            return Use("unknown", result=result, why="no rule for this index", what="an index")
        return Use("rule", rule=variants[0], bound={"x": e.value, "i": index}, result=result, what="an index")

    def store(self, target: Item, owner: Type, value: Type) -> Use:
        """What a write of a place means; `result` is the type of the place, `key` the kind of the index."""
        use = Use("store", what="a write", why="the type of what is written is not known", result=Unknown())
        if isinstance(owner, Array):
            place = self.array_item(target, owner, target.index, self.t(target.index))
            use.result, use.key, use.why = place.result, index_kind(target.index, self.t), ""
            if use.key is None:
                use.why = "the type of the index is not known"
        elif isinstance(owner, ListOf | Struct):
            i = self.t(target.index)
            use.result, use.why = value, ""
            if not (isinstance(i, Number) and i.kind == "i"):
                use.why = "which entry is written is not known before the run"
        return use

    def settle_index(self, t: Type, index: Expr, result: Array) -> Type:
        """Extents of a sliced axis hold only from a least extent on: rely on it, or leave the extent unknown."""
        parts = index.items if isinstance(index, Seq) else (index,)
        by_axis = self.settle_axes(t, parts, result)
        if by_axis is not None:
            return by_axis
        bound = most = 0
        for p in parts:
            if isinstance(p, Slice):
                ends = []
                for q in (p.lower, p.upper):
                    if q is not None:
                        v = self.t(q)
                        if isinstance(v, Number) and isinstance(v.value, int):
                            ends.append(v.value)
                        else:
                            bound = 10**9
                bound += sum(abs(v) for v in ends)
                alike = len({v < 0 for v in ends}) <= 1
                most = max([most, max(map(abs, ends), default=0) if alike else sum(map(abs, ends))])
                if p.step is not None and not _is_minus_one(p.step):
                    bound = 10**9
        if not bound or not isinstance(t, Array) or t.shape is None:
            return result
        shape = []
        for e in result.shape or ():
            if e is not None and e not in t.shape:
                names = {s.name for s in t.shape if isinstance(s, Sym)}
                if isinstance(e, Sym):
                    ok = bound < 10**6 and self.context.pattern.at_least(
                        e.name, bound - min(0, _offset(t, e))
                    )
                else:
                    lowest = min((s.plus for s in t.shape if isinstance(s, Sym)), default=0)
                    enough = all(s >= most for s in t.shape if isinstance(s, int))
                    ok = (
                        bound < 10**6
                        and enough
                        and all(self.context.pattern.at_least(n, most - min(0, lowest)) for n in names)
                    )
                shape.append(e if ok else None)
            elif bound >= 10**6:
                shape.append(e if e in t.shape and len(parts) == 0 else None)
            else:
                shape.append(e)
        return Array(result.dtype, tuple(shape))

    def settle_axes(self, t: Type, parts: tuple[Expr, ...], result: Array) -> Type | None:
        """The same where each part of the index is an integer or a slice with constant ends: axis by axis."""
        if not isinstance(t, Array) or t.shape is None or result.shape is None or len(parts) > len(t.shape):
            return None
        shape: list[Any] = []
        for part, extent in zip(parts, t.shape, strict=False):
            if not isinstance(part, Slice):
                if not isinstance(self.t(part), Number) or self.t(part).kind != "i":  # type: ignore[union-attr]
                    return None
                continue
            if part.step is not None and not (isinstance(part.step, Const) and part.step.value == 1):
                return None
            k = len(shape)
            if k >= len(result.shape):
                return None
            e = result.shape[k]
            ends = []
            for q in (part.lower, part.upper):
                v = self.t(q) if q is not None else None
                if q is not None and not (isinstance(v, Number) and isinstance(v.value, int)):
                    ends = None
                    break
                if q is not None:
                    ends.append(v.value)  # type: ignore[union-attr]
            if ends is None:
                shape.append(None)
                continue
            alike = len({v < 0 for v in ends}) <= 1
            most = max(map(abs, ends), default=0) if alike else sum(map(abs, ends))
            enough = not ends
            if isinstance(extent, Sym):
                enough = enough or self.context.pattern.at_least(extent.name, most - min(0, extent.plus))
            elif isinstance(extent, int):
                enough = enough or extent >= most
            shape.append(e if enough else None)
        rest = t.shape[len(parts) :]
        if len(shape) + len(rest) != len(result.shape):
            return None
        return Array(result.dtype, (*shape, *rest))

    def call(self, s: Stmt, e: Call) -> Use:
        fn = e.fn
        if isinstance(fn, Attr) and self.is_local(fn):
            return self.method(s, e, fn, self.t(fn.value))
        ft = self.t(fn)
        if not (isinstance(ft, Data) and ft.known) and isinstance(fn, Attr):
            owner = self.t(fn.value)
            if not (isinstance(owner, Data) and isinstance(owner.value, pytypes.ModuleType)):
                return self.method(s, e, fn, owner)
        if not (isinstance(ft, Data) and ft.known):
            return Use("unknown", result=Unknown(), why="what is called is not known", what="a call")
        return self.function(s, e, ft.value, e.args, e.keywords)

    def function(self, s: Stmt, e: Call, obj: Any, args: tuple, keywords: tuple) -> Use:
        what = name_of(obj)
        names = [k for k, _ in keywords]
        operands = [*args, *(v for _, v in keywords)]

        def run(*values: Any) -> Any:
            given = len(args)
            return obj(*values[:given], **dict(zip(names, values[given:], strict=True)))

        drawn = getattr(obj, "__self__", None)
        if isinstance(drawn, _GENERATORS):  # never a draw from the user's stream
            run_name, fresh = obj.__name__, _fresh_generator(drawn)

            def run(*values: Any) -> Any:
                given = len(args)
                method = getattr(fresh, run_name)
                return method(*values[:given], **dict(zip(names, values[given:], strict=True)))

        if obj is self.context.detach:
            return Use("detach", result=self.t(args[0]) if args else Unknown(), what="detach")
        if obj is np.einsum and args and not keywords:
            spec = self.t(args[0])
            if isinstance(spec, Data) and isinstance(spec.value, str):
                return self.einsum(spec.value, args[1:], run, operands)
        if obj in _iterators():
            return self.iterator(obj, args, keywords)
        if obj in (list, tuple) and len(args) == 1:
            return self.sequence_of(obj, args[0])
        if obj is checkpointed and args:
            t = self.t(args[0])
            return Use("checkpointed", result=Data(checkpointed, items=item_of(t)), what="checkpointed")
        if obj is slice and not keywords and all(isinstance(a, Const) for a in args):
            return Use("constant", result=known(slice(*(a.value for a in args))))
        if obj is isinstance and len(args) == 2:
            return Use("constant", result=Number("b", None, self.is_instance(args)))
        variants = table().of(obj)
        try:
            constant, data = obj in notation.CONSTANT, obj in notation.DATA
        except TypeError:
            constant = data = False
        if variants or constant or data:
            result = self.context.example.result(run, [self.t(o) for o in operands], counted=obj in _COUNTING)
            if any(isinstance(self.t(o), Array) and self.t(o).shape is None for o in operands):  # type: ignore
                result = _rankless(run, [self.t(o) for o in operands])
            use = Use("constant", what=what)
            if variants:
                use = self.rule_use(variants, args, keywords, what, run)
                if (
                    use.kind == "unknown"
                    and any(isinstance(self.t(o), Data) for o in operands)
                    and (constant or data)
                ):
                    use = Use("constant" if constant else "creation", what=what)
                if isinstance(result, Unknown) and use.rule is not None and use.rule.elementwise:
                    result = elementwise(run, [self.t(o) for o in operands])
            elif data:
                use = Use("creation", what=what)
            if obj in (int, bool, float, str) and isinstance(result, Data):
                use = Use("unknown", why=f"{what} of something that is not a number", what=what)
            if obj is int and isinstance(result, Number):
                result = Number("i")
            if obj is np.reshape and isinstance(result, Unknown) and len(args) > 1:
                result = self.reshaped(self.t(args[0]), self.t(args[1]))
            if obj is runtime.spread:
                result = adjoint_type(self.t(args[2]))
            use.result = result
            use.function = obj
            return use
        if inspect.isclass(obj) and issubclass(obj, BaseException):
            return Use("constant", result=Data(obj), what=what)
        if callable(obj) and self.context.is_users(obj):
            return self.users(s, e, obj, args, keywords, what)
        result: Type = Unknown()
        if is_quiet(obj):
            result = self.context.example.result(run, [self.t(o) for o in operands])
        return Use("unknown", result=result, why="no-rule", what=what, function=obj)

    def einsum(self, spec: str, args: tuple, run: Any, operands: list[Expr]) -> Use:
        """np.einsum: its rule is made for the spec, in the notation of all rules."""
        from srcgrad.rules.einsum import Unsupported, variant

        result = self.context.example.result(run, [self.t(o) for o in operands])
        use = Use("unknown", result=result, what="numpy.einsum", function=np.einsum)
        try:
            rule = variant(spec, len(args))
        except Unsupported as e:
            use.why = str(e)
            return use
        if all(is_numeric(self.t(a)) for a in args):
            use.kind, use.rule = "rule", rule
            use.bound = dict(zip(rule.params, args, strict=True))
        return use

    def is_instance(self, args: tuple) -> bool | None:
        t, cls = self.t(args[0]), self.t(args[1])
        classes = cls.value if isinstance(cls, Data) and cls.known else None
        if isinstance(cls, Struct) and all(isinstance(i, Data) and i.known for i in cls.items):
            classes = tuple(i.value for i in cls.items)  # type: ignore[attr-defined]
        if classes is None:
            return None
        candidates: list[type] | None = None
        match t:
            case Number(kind, dtype):
                python: type = {"b": bool, "i": int, "f": float, "c": complex}[kind]
                candidates = [python] if dtype is None else [python, np.dtype(dtype).type]
            case Array(shape=shape) if shape is not None:
                candidates = [np.ndarray]
            case ListOf():
                candidates = [list]
            case Struct(kind):
                candidates = [{"tuple": tuple, "list": list, "dict": dict, "set": set}[kind]]
            case Data(cls=c) if c is not None:
                candidates = [c]
        if candidates is None:
            return None
        answers = {issubclass(c, classes) for c in candidates}
        return answers.pop() if len(answers) == 1 else None

    def iterator(self, obj: Any, args: tuple, keywords: tuple) -> Use:
        ts = [self.t(a) for a in args]
        if obj is range:
            return Use("constant", result=Data(range, items=Number("i")), what="range")
        items: Type = Unknown()
        if obj is enumerate and ts:
            items = Struct("tuple", (Number("i"), item_of(ts[0])))
        elif obj is zip:
            items = Struct("tuple", tuple(item_of(t) for t in ts))
        elif obj is reversed and ts:
            items = item_of(ts[0])
        return Use("iterator", result=Data(obj, items=items), function=obj, what=name_of(obj))

    def sequence_of(self, obj: Any, arg: Expr) -> Use:
        t = self.t(arg)
        if isinstance(t, Struct) and t.keys is None:
            return Use("slice", result=Struct(obj.__name__, t.items), key=list(range(len(t.items))))
        if isinstance(t, ListOf):
            return Use("relist", result=t, what=obj.__name__)
        if isinstance(t, Data) and t.cls is range:
            return Use("constant", result=ListOf(Number("i")))
        return Use(
            "unknown",
            result=ListOf(item_of(t)),
            why="a list of an array's rows",
            what=obj.__name__,
            function=obj,
        )

    def method(self, s: Stmt, e: Call, fn: Attr, t: Type) -> Use:
        name = fn.name
        what = f"the method .{name}"
        if isinstance(t, Array | Number):
            names = [k for k, _ in e.keywords]
            operands = [fn.value, *e.args, *(v for _, v in e.keywords)]

            def run(a: Any, *values: Any) -> Any:
                given = len(e.args)
                return getattr(a, name)(*values[:given], **dict(zip(names, values[given:], strict=True)))

            result = self.context.example.result(run, [self.t(o) for o in operands])
            variants = table().by_method.get(name, [])
            given: tuple[Expr, ...] = e.args
            if name in ("reshape", "transpose") and len(given) > 1:
                given = (Seq("tuple", given),)
            if variants:
                use = self.rule_use(variants, (fn.value, *given), e.keywords, what, run)
            elif name in notation.CONSTANT_METHODS:
                use = Use("constant", what=what)
            elif name in notation.DATA_METHODS:
                use = Use("creation", what=what)
            else:
                use = Use("unknown", why="method", what=what)
            if name == "reshape" and isinstance(result, Unknown) and given:
                result = self.reshaped(t, self.t(given[0]))
            use.result = result
            return use
        listed = isinstance(t, ListOf) or (isinstance(t, Struct) and t.kind == "list")
        own = isinstance(fn.value, Name) and self.is_local(fn.value)
        if listed and own and name == "pop" and len(e.args) <= 1 and not e.keywords:
            i = self.t(e.args[0]) if e.args else Number("i")
            if isinstance(i, Number) and i.kind == "i":
                if isinstance(t, Struct):
                    self.f.uniform.add(fn.value.id)
                return Use("pop", result=item_of(t), what=what)
        if isinstance(t, Struct) and t.keys is not None and name == "get" and e.args:
            key = self.t(e.args[0])
            if isinstance(key, Data) and key.known and key.value in t.keys:
                k = t.keys.index(key.value)
                return Use("entry", result=t.items[k], key=k)
        if (
            isinstance(t, Data)
            and t.cls is not None
            and issubclass(t.cls, _GENERATORS)
            and name in notation.DATA_METHODS
        ):
            fresh = _fresh_generator(t.cls)
            names = [k for k, _ in e.keywords]

            def draw(*values: Any) -> Any:
                given = len(e.args)
                return getattr(fresh, name)(*values[:given], **dict(zip(names, values[given:], strict=True)))

            operands = [*e.args, *(v for _, v in e.keywords)]
            return Use(
                "creation", result=self.context.example.result(draw, [self.t(o) for o in operands]), what=what
            )
        if isinstance(t, Data) and t.known and not isinstance(t.value, str):
            found = getattr(type(t.value), name, None)
            if isinstance(found, pytypes.FunctionType) and name not in getattr(t.value, "__dict__", {}):
                return self.users(s, e, found, (fn.value, *e.args), e.keywords, what)
        result = Data(str) if isinstance(t, Data) and t.cls is str and name in _STRING_METHODS else Unknown()
        return Use("unknown", result=result, why="method", what=what)

    def reshaped(self, t: Type, shape: Type) -> Type:
        """The type of an array whose new extents only the run knows: its rank is known."""
        if not isinstance(t, Array):
            return Unknown()
        if isinstance(shape, Number) and shape.kind == "i":
            return Array(t.dtype, (None,))
        if isinstance(shape, Struct) and all(isinstance(i, Number) and i.kind == "i" for i in shape.items):
            extents = [i.value if isinstance(i.value, Sym) or (isinstance(i.value, int) and i.value >= 0) else None
                       for i in shape.items]  # type: ignore[union-attr]  # fmt: skip
            return Array(t.dtype, tuple(extents))
        return Unknown()

    def users(self, s: Stmt, e: Call, obj: Any, args: tuple, keywords: tuple, what: str) -> Use:
        use = Use("user", what=what, function=obj)
        try:
            use.callee, use.bound = self.context.callee(self.f, obj, args, keywords, self.t)
            use.result = use.callee.result
            if use.result is not None:
                lengths = self.context.pattern.lengths
                use.result = forget(use.result, lambda symbol: symbol not in lengths)
        except SrcgradError as error:
            use.error = error
            use.result = Unknown(error.message)
        return use

    def nested(self, e: Expr, lazy: Callable[[Expr], Type]) -> Type:
        """The type of an operation inside a lazily evaluated tree, as far as an example tells."""
        from srcgrad.analysis.types import BINARY, UNARY

        match e:
            case Binary(op, left, right):
                return self.context.example.result(BINARY[op], [lazy(left), lazy(right)])
            case Unary(op, operand):
                return self.context.example.result(UNARY[op], [lazy(operand)])
            case Attr(value, name) if isinstance(lazy(value), Array | Number):
                t = lazy(value)
                if name == "ndim" and isinstance(t, Array) and t.rank is not None:
                    return Number("i", None, t.rank)
                return self.context.example.result(lambda a: getattr(a, name), [t], counted=True)
            case Item(value, index):
                t = lazy(value)
                if isinstance(t, Struct):
                    i = lazy(index)
                    if (
                        isinstance(i, Number)
                        and isinstance(i.value, int)
                        and -len(t.items) <= i.value < len(t.items)
                    ):
                        return t.items[i.value]
                if isinstance(t, ListOf) and t.item is not None:
                    return t.item
                if isinstance(t, Array) and isinstance(lazy(index), Number):
                    return item_of(t)
            case Call(fn, args, ()) if isinstance(fn, Name | Attr) and not self.is_local(fn):
                ft = self.t(fn)
                if isinstance(ft, Data) and ft.known:
                    if ft.value is isinstance and len(args) == 2:
                        return Number("b")
                    stock = table().of(ft.value) or _hashed(ft.value) in notation.CONSTANT
                    if stock:
                        return self.context.example.result(ft.value, [lazy(a) for a in args])
            case Call(Attr(value, name), args, ()):
                t = lazy(value)
                if isinstance(t, Array | Number):
                    return self.context.example.result(
                        lambda a, *v: getattr(a, name)(*v), [t, *(lazy(a) for a in args)]
                    )
            case Compare():
                return Number("b")
        return Unknown()


def is_quiet(obj: Any) -> bool:
    """Whether a function of NumPy without a rule may be run on an example: it reads arrays and gives arrays."""
    from srcgrad.rules.known import hint_for

    module = getattr(obj, "__module__", None) or ""
    if not module.startswith("numpy") or not callable(obj) or isinstance(obj, type):
        return False
    parts = module.split(".")
    return (
        (len(parts) == 1 or parts[1] in ("linalg", "fft", "lib", "_core"))
        and hint_for(obj) is not None
        and (getattr(obj, "__name__", "") not in _LOUD)
    )


_LOUD = {
    "save", "savez", "savez_compressed", "savetxt", "load", "loadtxt", "genfromtxt", "fromfile", "memmap", "fromregex",
    "seterr", "seterrcall", "setbufsize", "set_printoptions", "printoptions", "errstate", "show_config", "show_runtime",
    "info", "test", "copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "frompyfunc", "vectorize",
    "apply_along_axis", "apply_over_axes", "piecewise", "fromfunction", "nditer", "open_memmap",
}  # fmt: skip
_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)


def _fresh_generator(drawn: Any) -> Any:
    """A generator of the same kind, for examples: the user's own stream is not touched."""
    kind = drawn if isinstance(drawn, type) else type(drawn)
    if issubclass(kind, np.random.Generator):
        return np.random.default_rng(0)
    return np.random.RandomState(0) if issubclass(kind, np.random.RandomState) else random.Random(0)


_SHAPES = {"shape", "ndim", "size", "dtype", "nbytes", "itemsize", "strides", "flags"}
_DATA_OPERATORS = {"<<", ">>", "&", "|", "^", "u~", "//"}
_STRING_METHODS = {"format", "join", "lower", "upper", "strip"}


@functools.cache
def _iterators() -> tuple[Any, ...]:
    return _ITERATORS


def _hashed(obj: Any) -> Any:
    try:
        hash(obj)
    except TypeError:
        return None
    return obj


def _exponent(op: str, k: int) -> bool:
    return op == "**" and k == 1


def _is_minus_one(e: Expr) -> bool:
    return isinstance(e, Const) and e.value == -1


def _offset(t: Array, e: Sym) -> int:
    return max((s.plus for s in t.shape or () if isinstance(s, Sym) and s.name == e.name), default=0)


def _rankless(run: Any, ts: list[Type]) -> Type:
    """The type of an elementwise operation on arrays of unknown rank: its dtype is that on arrays of rank 1."""
    from srcgrad.analysis.example import Example

    filled = [Array(t.dtype, (1,)) if isinstance(t, Array) and t.shape is None else t for t in ts]
    out = Example().result(run, [Number(t.kind, t.dtype) if isinstance(t, Number) else t for t in filled])
    if isinstance(out, Array):
        return Array(out.dtype, None)
    return out


def elementwise(run: Any, ts: list[Type]) -> Type:
    """The type of an elementwise operation whose operands' extents are not proved to fit: they fit, or the run fails."""
    from srcgrad.analysis.example import Example

    if not all(isinstance(t, Number | Array | Data) for t in ts):
        return Unknown()
    ones = [
        Array(t.dtype, (1,) * len(t.shape)) if isinstance(t, Array) and t.shape is not None else t for t in ts
    ]
    out = Example().result(run, ones)
    if isinstance(out, Array):
        shape = broadcast(*[shape_of(t) for t in ts if isinstance(t, Number | Array)])
        return Array(
            out.dtype, shape if shape is not None and len(shape) == out.rank else (None,) * (out.rank or 0)
        )
    return out


def item_of(t: Type) -> Type:
    match t:
        case Array(dtype, shape) if shape is not None and len(shape) > 1:
            return Array(dtype, shape[1:])
        case Array(dtype, shape) if shape is not None:
            kind = np.dtype(dtype).kind
            return Number("i" if kind == "u" else kind, dtype)
        case ListOf(item):
            return item or Unknown()
        case Struct(_, items, None):
            out: Type | None = None
            for i in items:
                out = join(out, i)
            return out or Unknown()
        case Data(items=Type() as item):
            return item
    return Unknown()


def name_of(obj: Any) -> str:
    """What an object is called in messages.

    >>> name_of(np.linalg.solve), name_of(np.partition)
    ('numpy.linalg.solve', 'numpy.partition')
    """
    if isinstance(obj, np.ufunc):
        return f"numpy.{obj.__name__}"
    name = getattr(obj, "__qualname__", getattr(obj, "__name__", type(obj).__name__))
    module = getattr(obj, "__module__", None)
    if module in (None, "builtins", "__main__") or not isinstance(module, str):
        return str(name)
    if module.startswith("numpy"):
        public = module.replace("numpy._core", "numpy").split(".")
        module = ".".join(
            p for p in public if not p.startswith("_") and p not in ("fromnumeric", "multiarray")
        )
    return f"{module}.{name}"


def index_operands(index: Expr) -> list[Expr]:
    match index:
        case Slice(lower, upper, step):
            return [p for p in (lower, upper, step) if p is not None]
        case Seq("tuple", items):
            return [o for i in items for o in index_operands(i)]
    return [index]


def rebuild_index(index: Expr, parts: Any) -> Any:
    match index:
        case Slice(lower, upper, step):
            return slice(*(None if p is None else next(parts) for p in (lower, upper, step)))
        case Seq("tuple", items):
            return tuple(rebuild_index(i, parts) for i in items)
    return next(parts)


def index_kind(index: Expr, type_of: Callable[[Expr], Type]) -> str | None:
    """Basic, IntArray or Mask; None where the types do not tell."""
    kinds = set()
    for part in index.items if isinstance(index, Seq) else (index,):
        if isinstance(part, Slice):
            kinds.add("Basic")
            continue
        t = type_of(part)
        match t:
            case Number("i"):
                kinds.add("Basic")
            case Number("b"):
                return None
            case Array() if t.kind == "b":
                kinds.add("Mask")
            case Array() if t.kind in "iu":
                kinds.add("IntArray")
            case Data(known=True, value=v) if v is None or v is Ellipsis or isinstance(v, slice):
                kinds.add("Basic")
            case Data(cls=c) if c is slice:
                kinds.add("Basic")
            case ListOf(Number(k)) if k in "ib":
                kinds.add("IntArray" if k == "i" else "Mask")
            case Struct("list", items) if items and all(
                isinstance(i, Number) and i.kind == "i" for i in items
            ):
                kinds.add("IntArray")
            case Struct("tuple", items) if not isinstance(index, Seq):
                for i in items:
                    if isinstance(i, Number) and i.kind == "i":
                        kinds.add("Basic")
                    elif isinstance(i, Array) and i.kind in "iub":
                        kinds.add("Mask" if i.kind == "b" else "IntArray")
                    elif isinstance(i, Data) and (i.cls is slice or i.known):
                        kinds.add("Basic")
                    else:
                        return None
            case _:
                return None
    for kind in ("IntArray", "Mask", "Basic"):
        if kind in kinds:
            return kind
    return "Basic"


# ------------------------------------------------------------------------------------------------ variants


def choose(use: Use, type_of: Callable[[Expr], Type], varied: set[str]) -> None:
    """Take the first variant that fits; what is varied is not `Const`."""
    assert use.call is not None
    variants, args, keywords = use.call
    reason = ""
    for v in variants:
        bound, why = bind(v, args, keywords, type_of, varied)
        if bound is not None and is_real_only(v) and any(is_complex(type_of(e)) for e in bound.values()):
            bound, why = None, "it is covered for real numbers only"
        if bound is not None:
            use.kind, use.rule, use.bound = "rule", v, bound
            return
        reason = reason or why
    use.kind, use.rule, use.bound = "unknown", None, {}
    use.why = reason or "no variant of its rule fits these types"


def bind(
    v: Variant,
    args: tuple[Expr, ...],
    keywords: tuple[tuple[str, Expr], ...],
    type_of: Callable[[Expr], Type],
    varied: set[str],
) -> tuple[dict[str, Expr] | None, str]:
    """The operands of a call by the rule's parameters, or None and why the variant does not apply."""
    bound: dict[str, Expr] = {}
    for k, a in enumerate(args):
        if k >= v.positional:
            return None, "too many arguments"
        bound[v.params[k]] = a
    for name, value in keywords:
        if name not in v.params:
            return None, f"the keyword {name}= is not covered"
        if name in bound:
            return None, f"{name} is given twice"
        bound[name] = value
    for p in v.params:
        annotation = v.annotations.get(p)
        given = p in bound
        if not given and p not in v.defaults and annotation != "Absent":
            return None, f"{p} is missing"
        if not given:
            if annotation is not None and annotation.startswith("Literal["):
                if v.defaults[p] not in _literals(annotation, id(v.namespace), v):
                    return None, f"{p} is not given"
                continue
            if annotation is not None and not accepts(annotation, None, None, v):
                return None, f"{p} is not given"
            continue
        t = type_of(bound[p])
        if annotation is None:
            if not is_numeric(t):
                return None, f"{p} is {_article(t)}"
        elif not accepts(annotation, t, bound[p], v):
            return None, f"{p} is {_article(t)}"
        elif annotation == "Const" and any(n in varied for o in index_operands(bound[p]) for n in reads(o)):
            return None, f"{p} depends on an argument that is differentiated"
    return bound, ""


def _article(t: Type) -> str:
    return f"of type {t}"


def accepts(annotation: str, t: Type | None, e: Expr | None, v: Variant) -> bool:
    """Whether an argument of this type (None: not given) is what the annotation of a rule's parameter wants."""
    if annotation.startswith("Literal["):
        values = _literals(annotation, id(v.namespace), v)
        if t is None:
            return False
        if t == known(None):
            return None in values
        got = t.value if isinstance(t, Number | Data) else None
        if isinstance(t, Struct) and t.keys is None:
            got = tuple(i.value if isinstance(i, Number | Data) else "?" for i in t.items)
        return any(
            type(got) in (type(w), int, float) and got == w for w in values if not isinstance(got, Sym)
        ) and (got is not None)
    if " | " in annotation:
        return any(accepts(a, t, e, v) for a in annotation.split(" | "))
    none = t is None or t == known(None)
    match annotation:
        case "Const":
            return True
        case "Given":
            return not none
        case "Absent":
            return none
    if none:
        return t is None
    rank = rank_of(t)
    match annotation:
        case "Number":
            return isinstance(t, Number)
        case "Literal":
            return isinstance(t, Number) and t.value is not None and not isinstance(t.value, Sym)
        case "Mask":
            return isinstance(t, Array | Number) and t.kind == "b"
        case "Complex":
            return isinstance(t, Array | Number) and t.kind == "c"
        case "Float":
            return isinstance(t, Number) and t.dtype is None and t.kind in "bif"
        case "Scalar":
            return rank == 0
        case "Vector":
            return isinstance(t, Array) and rank == 1
        case "Matrix":
            return isinstance(t, Array) and rank == 2
        case "Stack":
            return isinstance(t, Array) and rank is not None and rank >= 3
        case "Array":
            return isinstance(t, Array) and rank is not None and rank >= 1
        case "Sequence":
            return isinstance(t, ListOf) or (isinstance(t, Struct) and t.kind in ("tuple", "list"))
    raise AssertionError(f"unknown annotation {annotation} in rule {v.name}")


@functools.cache
def _literals(annotation: str, _: int, v: Variant) -> tuple[Any, ...]:
    # the rule tables are ours: their annotations are evaluated in their own module
    return typing.get_args(eval(annotation, {**v.namespace, "Literal": typing.Literal}))  # noqa: S307
