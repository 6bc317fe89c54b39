"""Derivatives of plain NumPy functions, as Python you can read.

>>> import numpy as np
>>> from srcgrad import grad
>>> def f(x):
...     return 2 * np.dot(x, x)
>>> df = grad(f)
>>> value, gradient = df(np.arange(4.0))
>>> print(value, gradient)
28.0 [ 0.  4.  8. 12.]

`df.source` is the derivative as a person would have written it, and that is what runs.

The way of a function through the package: source → normal → analysis → derive (with rules) → simplify → emit. One
record, `function.Function`, goes from pass to pass.

    api.py        grad vjp jvp: the request, the building, the cache, the call; signature.py: its parameters
    pipeline.py   THE ORDER of the passes: read this first
    function.py   the record handed from pass to pass
    ir.py         expressions and statements, as the passes see them; syntax.py makes them of `ast`
    types.py      what is known of a value: kinds of numbers, arrays with the pattern of their extents, containers
    naming.py     every generated name
    errors.py     SrcgradError, refuse(): the only way to fail; explain.py says what each refusal means
    source/       1. the user's function: read, resolve (which object each name means), target, static
    normal/       2. normal form, one operation per statement: syntax first; then meaning, which needs types
    analysis/     3. facts, never edits: types, activity, liveness, objects, uses
    derive/       4. adjoint, tangent, what has to be kept
    rules/        4b. the table of calculus, written as the textbook prints it
    simplify/     5. what a person would have written
    emit/         6. the printer, and compiling
    runtime.py    all that generated code may call; special.py: functions that NumPy lacks
    detached.py   detach; check.py: derivatives against differences and against each other
    cli/          the command line
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcgrad.api import grad, jvp, vjp
from srcgrad.checkpoints import checkpointed
from srcgrad.detached import detach
from srcgrad.errors import SrcgradError

if TYPE_CHECKING:
    from srcgrad.check import check_grad as check_grad

__version__ = "0.1.0"
__all__ = ["SrcgradError", "check_grad", "checkpointed", "detach", "grad", "jvp", "vjp"]


def __getattr__(name: str) -> Any:
    if name == "check_grad":  # tests need more modules than programs do
        from srcgrad.check import check_grad

        globals()[name] = check_grad
        return check_grad
    raise AttributeError(f"module 'srcgrad' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
