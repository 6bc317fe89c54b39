"""What has no derivative, and what makes data of data.

`constant`: the derivative is zero wherever there is one; an active argument is fine, and nothing flows back.
`data`: the result is data because the arguments are; an active one is refused.
`NOT_DIFFERENTIATED`: known and refused, with the reason and what to do.
What is in none of these and has no rule is refused as unknown.
Operators are named by their functions in the module `operator`.
"""

from __future__ import annotations

import math
import operator
import random
from typing import Any

import numpy as np

from srcgrad.rules.notation import constant, data

# --- steps --------------------------------------------------------------------------------------------

constant(
    "a step function",
    *(
        np.floor,
        np.ceil,
        np.trunc,
        np.rint,
        np.round,
        np.around,
        np.fix,
        np.floor_divide,
        np.signbit,
        np.spacing,
    ),
    *(math.floor, math.ceil, math.trunc, math.ulp),
    *(round, int, operator.floordiv, operator.index),
    methods=("round", "__round__", "__floor__", "__ceil__", "__trunc__", "__int__"),
)

# --- answers of yes and no ----------------------------------------------------------------------------

constant(
    "a comparison",
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
    *(operator.is_, operator.is_not, operator.contains),
    *(np.isclose, np.allclose, np.array_equal, np.array_equiv, np.isin, math.isclose),
)
constant(
    "a truth value",
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not, np.all, np.any),
    *(bool, all, any, operator.not_, operator.truth, np.bool_),
    *(np.isnan, np.isinf, np.isfinite, np.isposinf, np.isneginf, np.isreal, np.iscomplex, np.isnat),
    *(math.isnan, math.isinf, math.isfinite),
    methods=("all", "any", "is_integer", "__bool__"),
)
constant(
    "arithmetic of bits",
    *(
        np.bitwise_and,
        np.bitwise_or,
        np.bitwise_xor,
        np.invert,
        np.left_shift,
        np.right_shift,
        np.bitwise_count,
    ),
    *(operator.and_, operator.or_, operator.xor, operator.invert, operator.lshift, operator.rshift),
    methods=("bit_length", "bit_count"),
)

# --- positions, counts, types -------------------------------------------------------------------------

constant(
    "positions",
    *(np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort, np.argpartition, np.lexsort),
    *(np.nonzero, np.flatnonzero, np.argwhere, np.searchsorted, np.digitize),
    methods=("argmax", "argmin", "argsort", "argpartition", "nonzero", "searchsorted"),
)
constant("a count", np.count_nonzero, np.size, np.ndim, len, methods=("__len__",))
constant("a shape", np.shape)
constant(
    "a type",
    *(isinstance, issubclass, type, callable, hasattr),
    *(
        np.isscalar,
        np.iscomplexobj,
        np.isrealobj,
        np.result_type,
        np.common_type,
        np.can_cast,
        np.min_scalar_type,
    ),
    *(np.promote_types, np.issubdtype, np.isdtype, np.dtype, np.finfo, np.iinfo, np.iterable),
)
constant("where it lies in memory", np.shares_memory, np.may_share_memory, np.isfortran)
constant(
    "of its argument it takes the shape alone",
    *(np.zeros_like, np.ones_like, np.empty_like, np.diag_indices_from, np.tril_indices_from),
    *(np.triu_indices_from,),
)
constant(
    "an integer type",
    *(np.int8, np.int16, np.int32, np.int64, np.intp, np.longlong),
    *(np.uint8, np.uint16, np.uint32, np.uint64, np.uintp, np.ulonglong),
)

# --- creation -----------------------------------------------------------------------------------------

data(
    "it makes an array of a shape",
    *(np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri, np.arange, np.indices),
    *(np.bartlett, np.blackman, np.hamming, np.hanning, np.kaiser),
)
data(
    "it makes indices",
    *(range, np.diag_indices, np.tril_indices, np.triu_indices),
    *(
        np.mask_indices,
        np.ravel_multi_index,
        np.unravel_index,
        np.ix_,
        np.broadcast_shapes,
    ),
)
data(
    "it is about integers",
    *(np.gcd, np.lcm, math.gcd, math.lcm, math.comb, math.perm, math.factorial, math.isqrt),
)

# --- random draws -------------------------------------------------------------------------------------

_DRAWS = (
    *(
        "beta",
        "binomial",
        "bytes",
        "chisquare",
        "choice",
        "dirichlet",
        "exponential",
        "f",
        "gamma",
        "geometric",
    ),
    *("gumbel", "hypergeometric", "laplace", "logistic", "lognormal", "logseries", "multinomial"),
    *("multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto"),
    *("permutation", "poisson", "power", "random", "rayleigh", "standard_cauchy", "standard_exponential"),
    *(
        "standard_gamma",
        "standard_normal",
        "standard_t",
        "triangular",
        "uniform",
        "vonmises",
        "wald",
        "weibull",
    ),
    "zipf",
)
_OLD_DRAWS = ("rand", "randn", "randint", "random_sample", "ranf", "sample", "seed")
_NEW_DRAWS = ("integers", "multivariate_hypergeometric", "permuted", "spawn")
_PYTHON_DRAWS = (
    *(
        "random",
        "uniform",
        "triangular",
        "randint",
        "randrange",
        "getrandbits",
        "randbytes",
        "choice",
        "choices",
    ),
    *("sample", "gauss", "normalvariate", "lognormvariate", "expovariate", "vonmisesvariate", "gammavariate"),
    *("betavariate", "paretovariate", "weibullvariate", "seed"),
)

data(
    "a random draw",
    *(getattr(np.random, name) for name in (*_DRAWS, *_OLD_DRAWS)),
    *(getattr(random, name) for name in _PYTHON_DRAWS),
    *(
        np.random.default_rng,
        np.random.Generator,
        np.random.RandomState,
        np.random.SeedSequence,
        random.Random,
    ),
    # methods of NumPy's generators, new and old, and of random.Random
    methods=tuple(dict.fromkeys((*_DRAWS, *_OLD_DRAWS, *_NEW_DRAWS, *_PYTHON_DRAWS))),
)

# --- known, and refused -------------------------------------------------------------------------------

# Function -> (why it has no rule, what to do instead).
NOT_DIFFERENTIATED: dict[Any, tuple[str, str]] = {
    np.i0: (
        "its derivative is the Bessel function I1, which NumPy lacks",
        "scipy.special.i0 and ive, or a rule of your own",
    ),
    np.nextafter: ("it steps from one float to the next", "say detach(x) if it is a tolerance"),
    math.nextafter: ("it steps from one float to the next", "say detach(x) if it is a tolerance"),
    str: (
        "a string can come back as a number, which no derivative follows",
        "print the number, or say detach(x)",
    ),
    repr: (
        "a string can come back as a number, which no derivative follows",
        "print the number, or say detach(x)",
    ),
    format: (
        "a string can come back as a number, which no derivative follows",
        "print the number, or say detach(x)",
    ),
    np.random.shuffle: (
        "it writes its argument in random order",
        "draw np.random.permutation(n) and index with it",
    ),
    random.shuffle: (
        "it writes its argument in random order",
        "draw random.sample(range(n), n) and index with it",
    ),
}
