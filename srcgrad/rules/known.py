"""What NumPy has and the table of calculus does not: why, and what to do instead. A refusal prints the hint.

Every public callable of NumPy is in one class: it has a rule, is constant, makes data (see `constants`), or
stands here. A test walks the installed NumPy and says what is missing.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

NO_RULE = "it has no derivative rule yet"
WRITES = "it writes its argument"
PRINTS = "it makes text of numbers"
READS = "it reads numbers from elsewhere"
TYPE = "it is a type, not a calculation"
HOUSEKEEPING = "it is about NumPy itself, not about numbers"
PYTHON_CALLS = "it calls a function from inside NumPy, where the source is not followed"
ORDER = "it picks entries by an order or by equality"
COMPLEX = "its derivative needs complex eigenvectors of a matrix that may have none"

DETACH = "if its result is only data, call it outside of the function and pass the result"
OUTSIDE = "call it outside of the function that is differentiated"
LOOP = "write the loop: it is differentiated as it stands"
FFT = "the product with the matrix of the transform is covered: F @ x"


def _each(names: str, reason: str, hint: str, module: str = "numpy") -> dict[str, tuple[str, str]]:
    return {f"{module}.{name}": (reason, hint) for name in names.split()}


KNOWN: dict[str, tuple[str, str]] = {
    "numpy.partition": (ORDER, "np.sort is covered; np.argpartition gives indices that you can read x by"),
    "numpy.sort_complex": (ORDER, "np.sort is covered"),
    "numpy.unique": (
        ORDER,
        "np.sort is covered; or pass np.unique(x, return_index=True)[1] as an argument, and read x by it",
    ),
    **_each(
        "unique_all unique_counts unique_inverse unique_values union1d",
        ORDER,
        "np.sort is covered; " + DETACH,
    ),
    **_each("intersect1d setdiff1d setxor1d", ORDER, "np.isin gives a mask that you can read x by"),
    "numpy.trim_zeros": (ORDER, "slice: x[first:last]"),
    "numpy.choose": (NO_RULE, "np.select, np.where and np.take are covered"),
    "numpy.piecewise": (PYTHON_CALLS, "np.where and np.select are covered"),
    **_each("apply_along_axis apply_over_axes vectorize frompyfunc", PYTHON_CALLS, LOOP),
    **_each("fromfunction fromiter", PYTHON_CALLS, "np.array of a list comprehension is covered"),
    "numpy.block": (NO_RULE, "np.concatenate, np.hstack and np.vstack are covered"),
    "numpy.bmat": ("it makes a matrix object, which is refused", "np.concatenate is covered"),
    "numpy.insert": (NO_RULE, "np.concatenate is covered: (x[:i], [v], x[i:])"),
    "numpy.resize": (NO_RULE, "np.tile, np.pad and np.reshape are covered"),
    "numpy.rollaxis": (NO_RULE, "np.moveaxis is covered"),
    "numpy.row_stack": ("NumPy is about to remove it", "np.vstack is the same"),
    "numpy.unwrap": (NO_RULE, "pass the jumps, np.unwrap(x) - x, as an argument, and add them"),
    "numpy.vander": (NO_RULE, "x[:, None] ** np.arange(n) is covered"),
    "numpy.broadcast_arrays": (NO_RULE, "np.broadcast_to is covered"),
    **_each(
        "broadcast nditer nested_iters ndenumerate ndindex flatiter", "it is an iterator of NumPy's", LOOP
    ),
    **_each("bincount histogram histogram2d histogramdd", NO_RULE, "counts are data: " + OUTSIDE),
    "numpy.histogram_bin_edges": (NO_RULE, "np.linspace(start, stop, n) is covered"),
    **_each("packbits unpackbits", "it is about bits", DETACH),
    "numpy.cov": (NO_RULE, "d @ d.T / (n - 1) is covered, with d = x - np.mean(x, axis=1, keepdims=True)"),
    "numpy.corrcoef": (
        NO_RULE,
        "e @ e.T is covered, with e = d / np.sqrt(np.sum(d * d, axis=1, keepdims=True)), "
        "d = x - np.mean(x, axis=1, keepdims=True)",
    ),
    "numpy.cumulative_sum": (NO_RULE, "np.cumsum is covered"),
    "numpy.cumulative_prod": (NO_RULE, "np.cumprod is covered"),
    "numpy.nancumsum": (NO_RULE, "np.cumsum(np.where(np.isnan(x), 0, x)) is covered"),
    "numpy.nancumprod": (NO_RULE, "np.cumprod(np.where(np.isnan(x), 1, x)) is covered"),
    "numpy.nanprod": (NO_RULE, "np.prod(np.where(np.isnan(x), 1, x)) is covered"),
    "numpy.nanmedian": (NO_RULE, "np.median(x[~np.isnan(x)]) is covered"),
    **_each("nanpercentile nanquantile", NO_RULE, "np.quantile(x[~np.isnan(x)], q) is covered"),
    "numpy.geomspace": (NO_RULE, "np.exp(np.linspace(np.log(a), np.log(b), n)) is covered"),
    "numpy.logspace": (NO_RULE, "base ** np.linspace(a, b, n) is covered"),
    "numpy.matvec": (NO_RULE, "a @ b is covered"),
    "numpy.vecmat": (NO_RULE, "a @ b is covered"),
    "numpy.vecdot": (NO_RULE, "np.sum(a * b, axis=-1) is covered"),
    "numpy.linalg.vecdot": (NO_RULE, "np.sum(a * b, axis=-1) is covered"),
    "numpy.real_if_close": ("its result is real or complex by the numbers", "x.real is covered"),
    "numpy.polyfit": (
        NO_RULE,
        "np.linalg.solve(V.T @ V, V.T @ y) with V = x[:, None] ** np.arange(n) is covered",
    ),
    "numpy.roots": (
        COMPLEX,
        "a step of Newton's is covered, from roots that are passed in: r - np.polyval(p, r) / d",
    ),
    "numpy.polyder": (NO_RULE, "p[:-1] * np.arange(len(p) - 1, 0, -1) is covered"),
    "numpy.polymul": (NO_RULE, "np.convolve is covered"),
    **_each(
        "poly poly1d polyadd polydiv polyint polysub",
        NO_RULE,
        "np.polyval, np.convolve and x + y are covered",
    ),
    **_each(
        "copyto put put_along_axis putmask place fill_diagonal",
        WRITES,
        "write by an index: x[i] = v",
    ),
    "numpy.matrix": ("matrix objects are refused", "np.array and @ are covered"),
    "numpy.asmatrix": ("matrix objects are refused", "np.array and @ are covered"),
    **_each("record recarray", "records are refused", "a dataclass of arrays is covered"),
    "numpy.memmap": ("subclasses of ndarray are refused", "np.array(memmap) is covered"),
    "numpy.require": (NO_RULE, "np.ascontiguousarray and np.array are covered"),
    "numpy.ndarray": (TYPE, "np.array and np.zeros are covered"),
    **_each("array2string array_repr array_str base_repr binary_repr", PRINTS, DETACH),
    **_each("format_float_positional format_float_scientific", PRINTS, DETACH),
    **_each("from_dlpack frombuffer fromfile fromregex fromstring genfromtxt load loadtxt", READS, OUTSIDE),
    **_each("save savetxt savez savez_compressed", "it writes a file", OUTSIDE),
    **_each(
        "busday_count busday_offset busdaycalendar is_busday datetime_as_string datetime_data",
        "it is about days",
        DETACH,
    ),
    **_each("datetime64 timedelta64", TYPE, DETACH),
    **_each(
        "bytes_ character complexfloating flexible floating generic inexact integer number object_",
        TYPE,
        DETACH,
    ),
    **_each("signedinteger str_ unsignedinteger void ufunc", TYPE, DETACH),
    **_each("errstate geterr geterrcall seterr seterrcall getbufsize setbufsize", HOUSEKEEPING, OUTSIDE),
    **_each(
        "get_include get_printoptions set_printoptions printoptions info mintypecode", HOUSEKEEPING, OUTSIDE
    ),
    **_each("show_config show_runtime test typename einsum_path", HOUSEKEEPING, OUTSIDE),
    "numpy.linalg.LinAlgError": (TYPE, "catch it outside of the function"),
    "numpy.linalg.test": (HOUSEKEEPING, OUTSIDE),
    "numpy.linalg.cond": (NO_RULE, "s = np.linalg.svd(A, compute_uv=False); s[0] / s[-1] is covered"),
    "numpy.linalg.eig": (COMPLEX, "np.linalg.eigh of a symmetric matrix is covered"),
    "numpy.linalg.eigvals": (COMPLEX, "np.linalg.eigvalsh of a symmetric matrix is covered"),
    "numpy.linalg.lstsq": (
        NO_RULE,
        "np.linalg.solve(A.T @ A, A.T @ b), or np.linalg.pinv(A) @ b, is covered",
    ),
    "numpy.linalg.matrix_rank": ("its result is a count", DETACH),
    "numpy.linalg.multi_dot": (NO_RULE, "A @ B @ C is covered"),
    "numpy.linalg.tensorinv": (NO_RULE, "np.linalg.inv of the reshaped matrix is covered"),
    "numpy.linalg.tensorsolve": (NO_RULE, "np.linalg.solve of the reshaped system is covered"),
    **_each("fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2", NO_RULE, FFT, "numpy.fft"),
    **_each("fftn ifftn rfftn irfftn", NO_RULE, FFT, "numpy.fft"),
    **_each("fftshift ifftshift", NO_RULE, "np.roll is covered", "numpy.fft"),
    **_each(
        "fftfreq rfftfreq", "it makes data of data", "its arguments may not be active: " + DETACH, "numpy.fft"
    ),
    **_each("test", HOUSEKEEPING, OUTSIDE, "numpy.fft"),
    **_each(
        "BitGenerator MT19937 PCG64 PCG64DXSM Philox SFC64",
        TYPE,
        "np.random.default_rng is data",
        "numpy.random",
    ),
    **_each("get_bit_generator set_bit_generator get_state set_state", HOUSEKEEPING, OUTSIDE, "numpy.random"),
    **_each("random_integers", "NumPy is about to remove it", "np.random.randint is data", "numpy.random"),
    **_each("test", HOUSEKEEPING, OUTSIDE, "numpy.random"),
}

# Whole modules, by the beginning of the name of the module that a function is defined in.
MODULES: dict[str, tuple[str, str]] = {
    "numpy.ma": ("masked arrays are refused", "np.where and x[mask] are covered"),
    "numpy.testing": ("tests are no part of a calculation", "an assert statement is carried through"),
    "numpy.polynomial": (NO_RULE, "np.polyval, and the sum written out, are covered"),
    "numpy.char": ("it is about strings", DETACH),
    "numpy.strings": ("it is about strings", DETACH),
    "numpy.rec": ("records are refused", "a dataclass of arrays is covered"),
    "numpy.lib": (NO_RULE, DETACH),
    "numpy.random": (
        "a random draw takes data alone",
        "location + scale * draw is covered",
    ),
    "numpy.fft": (NO_RULE, FFT),
    "scipy": (NO_RULE, "srcgrad rules scipy lists what is covered; " + DETACH),
}
FALLBACK = "srcgrad rules lists what is covered; " + DETACH


@functools.cache
def _by_object() -> dict[int, str]:
    """The names of KNOWN by the identity of what they name in the installed NumPy."""
    found = {}
    for path in KNOWN:
        module, _, name = path.rpartition(".")
        there = getattr(importlib.import_module(module), name, None)
        if there is not None:
            found[id(there)] = path
    return found


def entry_for(function: Any) -> tuple[str, str] | None:
    """The (reason, hint) of a function that has no rule; None if it is of no module that is known here."""
    path = _by_object().get(id(function))
    if path is not None:
        return KNOWN[path]
    module = getattr(function, "__module__", None) or ""
    for start, entry in MODULES.items():
        if module == start or module.startswith(start + "."):
            return entry
    return None


def hint_for(function: Any) -> str | None:
    """What to do instead of a function that has no rule.

    >>> import numpy as np
    >>> hint_for(np.partition)
    'np.sort is covered; np.argpartition gives indices that you can read x by'
    >>> hint_for(np.ma.masked_where)
    'np.where and x[mask] are covered'
    >>> hint_for(print) == FALLBACK
    True
    """
    entry = entry_for(function)
    return entry[1] if entry else FALLBACK


def reason_for(function: Any) -> str | None:
    """Why a function has no rule, in a few words; None if nothing is known about it."""
    entry = entry_for(function)
    return entry[0] if entry else None
