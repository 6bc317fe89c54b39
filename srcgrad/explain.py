"""What each refusal means, and how to get on: the texts behind ``srcgrad explain``.

Every slug that `srcgrad.errors.refuse` may be given is listed here, once.

>>> print(SLUGS["non-scalar"].title)
the function does not return a single number
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Slug:
    """One kind of refusal: a title of one line, and a paragraph."""

    title: str
    text: str


SLUGS: dict[str, Slug] = {}


def _slug(name: str, title: str, text: str) -> None:
    assert name not in SLUGS, f"slug {name!r} is listed twice"
    SLUGS[name] = Slug(title, " ".join(textwrap.dedent(text).split()))


# The calculus: which operations have a derivative.

_slug(
    "no-rule",
    "a function has no derivative rule",
    """
    A function is called with an argument that depends on what you differentiate with
    respect to, and the table of rules does not have it. `srcgrad rules` lists what is
    covered; often a close relative is. If the result is only data, call it outside of
    the function, and pass the result as an argument. Otherwise write what the function
    does with others that are covered: a Python function of your own is differentiated
    as it stands.
""",
)
_slug(
    "keyword",
    "a keyword argument that no rule names",
    """
    The function has a rule, but not for this keyword: its derivative would differ, and
    ignoring the keyword would give a wrong number. Express what the keyword does with
    other operations: `dtype` by `.astype` on the inputs, `where` by `np.where` on them,
    `initial` by one operation more.
""",
)
_slug(
    "method",
    "a method that has no derivative rule",
    """
    A method is called on a number, array or container that is differentiated, and its
    meaning is not known. Most methods of arrays have a function of the same name in
    NumPy that is covered: `np.sort(x)` for `x.sort()`; an index replaces `.item()`.
""",
)
_slug(
    "active-call",
    "a call of what is not known or not followed",
    """
    The callable is neither in the table of rules nor a Python function whose source
    can be read, and it receives something that depends on what you differentiate with
    respect to, or could write what the function reads, as `eval` and a class's
    constructor could. Whatever it returns may depend on it too.
    Replace it by a covered function or by one of your own in Python, call it outside
    of the function and pass its result, or say `detach(x)` for its argument if the
    derivative must not go through it.
""",
)
_slug(
    "active-index",
    "an index depends on a differentiated number",
    """
    An array is indexed by, or a loop or shape is sized by, a number that depends on
    what you differentiate with respect to. An index is an integer: the result jumps as
    the number moves, and between jumps the derivative is zero. If that zero is what
    you want, compute the index from `detach(x)`, or round it: `int(x)`. If not,
    interpolate: `np.interp`.
""",
)
_slug(
    "active-data",
    "a differentiated number is used where only data may be",
    """
    The number is stored into an array of integers, used in `range()`, as an axis,
    a shape or a seed: places that cut the derivative off without a sign of it. Give
    the array a float dtype, or say `detach(...)` where cutting it off is intended.
    Printing and formatting are fine as they are.
""",
)

# The request: what grad was asked for.

_slug(
    "non-scalar",
    "the function does not return a single number",
    """
    A gradient belongs to a number. For an array there is a choice to make:
    `grad(f, seed=1.0)` is the gradient of the sum of its entries, and `vjp(f)` takes
    weights of your own, one set for each call of what it returns. An array of one
    element counts as a number.
""",
)
_slug(
    "no-result",
    "the function returns nothing",
    """
    The function has no `return` with a value on the path that was taken, so there is
    nothing to differentiate. Return the result on every path, also one that is left
    in an argument.
""",
)
_slug(
    "unknown-wrt",
    "wrt names no parameter of the function",
    """
    `wrt` takes names or positions of parameters, or a tuple or list of them; positions
    count after `self` for a bound method. Without it the first parameter is meant.
""",
)
_slug(
    "wrong-seed",
    "the seed does not fit the output",
    """
    The seed is the adjoint of the output: the weights with which the entries of the
    output are summed before the gradient is taken. Its shape must be that of the
    output, or broadcast to it; its structure that of the output if that is a tuple,
    list or dictionary.
""",
)
_slug(
    "option",
    "an option that is not covered yet",
    """
    The option has a settled meaning and no implementation so far, so it is refused
    rather than ignored. `of=` can be replaced by returning the array; `jit=True` by
    the NumPy code that `grad` makes without it.
""",
)
_slug(
    "into",
    "the buffers given to accumulate do not fit",
    """
    `df.accumulate(..., into=buffers)` adds the gradient into arrays that you own. They
    must have the gradient's structure, shape and kind (a 0-d array for a number), be
    writable, and overlap neither an argument nor each other.
""",
)
_slug(
    "argument-type",
    "an argument of a type that is not differentiated",
    """
    Arguments are Python and NumPy numbers, plain `numpy.ndarray`, and containers of
    them. Subclasses of ndarray, masked arrays and arrays of objects compute by rules
    of their own and are refused: pass `np.asarray(x)`, `x.filled(...)` or
    `x.astype(float)`. Arguments that are not differentiated may be anything.
""",
)
_slug(
    "container-parameter",
    "a container where it is not covered yet",
    """
    The differentiated parameter is a list, dictionary or object, or the function
    writes into one in a way that is not covered yet. Pass the arrays as parameters of
    their own, or build the container inside the function.
""",
)
_slug(
    "extra",
    "an optional package is not installed",
    """
    srcgrad itself needs NumPy and astor. What was asked for needs one more package;
    the hint has the command that installs it.
""",
)

# The source: which text is differentiated.

_slug(
    "no-source",
    "the source of a function cannot be read",
    """
    srcgrad differentiates source text. It finds it for functions in files, in IPython
    and Jupyter cells and in doctests, and checks that the text compiles to the very
    code that runs. Functions made by `exec`, typed into a plain interpreter or given to
    `python -c` have no text: put them into a file, or use IPython. A file that was
    edited after it was imported must be imported again. Functions written in C need a
    rule: see `srcgrad rules`.
""",
)
_slug(
    "captured",
    "a decorator hides the function",
    """
    The function was replaced by a decorator, and what runs is the decorator's wrapper.
    Differentiating the function below it would skip what the wrapper does. Apply
    `grad` below the decorator, differentiate `f.__wrapped__` if the wrapper does not
    change the result, or set `__srcgrad_transparent__ = True` on the wrapper to say
    so. `functools.lru_cache` and `functools.cache` are seen through.
""",
)
_slug(
    "generator",
    "a generator or coroutine",
    """
    `yield`, `async` and `await` suspend a function halfway; the reverse sweep would have
    to resume it backwards. Collect the values in a list and return it.
""",
)
_slug(
    "recursion",
    "a recursive function that is not covered yet",
    """
    The function calls itself, directly or through others, in a way that is not covered
    yet; or `@grad` stands on a function that calls itself by that name, so that the
    inner call would give a pair. Write `df = grad(f)` beside the function in the second
    case, and a loop in the first.
""",
)
_slug(
    "undefined-name",
    "a name that is not defined",
    """
    The name is found neither in the function, its closure, its module nor the
    builtins, so the call would raise NameError. If the module defines it later,
    call after that; on the command line `--run` imports the file, which settles
    names that its text alone does not.
""",
)
_slug(
    "undefined-path",
    "a variable may be read before it is assigned",
    """
    On some path through the function a name is read that was not assigned there. Python
    would raise UnboundLocalError on that path alone; give the variable a value before
    the branch or loop.
""",
)
_slug(
    "syntax",
    "a statement or expression that is not accepted",
    """
    The accepted language is plain Python for numbers: assignments, loops, branches,
    calls, subscripts, containers. What has no derivative to speak of, or is not
    implemented yet, is refused before anything runs. The message points to the place;
    usually the same thing can be written with simpler statements, or be moved to a
    function that is called with data only.
""",
)
_slug(
    "unpack",
    "an unpacking that is not covered",
    """
    The number of items on the right is not known when the derivative is made, or a
    starred target stands where it is not covered. Unpack by index, or return a tuple of
    fixed length.
""",
)

# Memory and types: what the analyses could not settle.

_slug(
    "write",
    "an array is written in place where that is not covered yet",
    """
    Arrays may be written in place by an index, by `a += v`, by `out=` and by the functions
    and methods that `README.md` names. This is another way: an attribute, something whose
    type is not known, a method that is not followed. Make a new array instead:
    `a = a + v`, `np.where`, `np.concatenate`, or write places of the array by an index.
""",
)
_slug(
    "detach-write",
    "what was detached is written to",
    """
    `detach(x)` is a constant to the differentiator, but it is x itself, not a copy.
    Writing through it would change x behind the derivative's back. Write to a copy:
    `detach(x).copy()`.
""",
)
_slug(
    "alias",
    "two names may share memory, and one of them is written",
    """
    It cannot be decided whether two arrays overlap, or two arguments do overlap, while
    one of them is written: reading the other then sees the write, or does not. Copy one
    of them (`b = b.copy()`) before. Of two arguments that overlap, and of a reshape that
    NumPy makes a copy of for the way the array lies in memory, the run tells. A list that
    is appended to has one name, and is made in the function that appends: its derivative is
    a list that grows and shrinks with it.
""",
)
_slug(
    "unknown-type",
    "the type of an expression is not known",
    """
    The derivative of this operation depends on a type, rank or shape that is not known
    here: the rank of an operand of `@`, whether `a += b` writes into an array, whether what
    a loop runs over is used up by the loop. Call the function with real arguments,
    annotate its parameters, or give example values on the command line: `--at "x=np.ones(3)"`.
""",
)
_slug(
    "subclass",
    "an instance of a class that is not covered",
    """
    An object takes part whose class overrides operators, attribute access or
    construction, or derives from a class that does; what its expressions mean is not
    known. Use plain numbers, arrays, tuples or lists, and functions of your own.
""",
)
_slug(
    "too-many-versions",
    "one function needs too many versions",
    """
    A derivative is made for the types of each call, and one function was asked for in
    more than 64 of them; usually a type grows at each call, as a tuple that gets
    longer or a lambda that wraps the previous one. Use a list or an array, or pass
    the changing part as data.
""",
)

# The command line and the checks.

_slug(
    "mismatch",
    "a derivative does not agree with differences",
    """
    `check_grad` compared the derivative with central differences, and the two modes with
    each other, and the worst entry is off by more than the tolerance. Look for kinks
    near the point, and for a function that is not deterministic; if none is there, it
    is a bug of srcgrad, and a report is welcome.
""",
)
_slug(
    "target",
    "the target names no function",
    """
    A target is FILE:FUNCTION, FILE:Class.method, FILE::FUNCTION, package.module:f,
    FILE:LINE for the function at that line, or FILE for all that it defines. `show`
    finds functions that are defined at the top level of a file or in a class there.
""",
)
