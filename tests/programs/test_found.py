"""Faults that a second reader found, one small program each: value, arguments and gradient, or a refusal."""

import copy
import math

import numpy as np
import pytest

from srcgrad import SrcgradError, grad, jvp, vjp

X = np.array([0.31, -0.72, 1.13, 0.54, 0.97])
CASES, REFUSED = [], []
BOX = np.zeros(3)
MEMORY = []


def case(*arguments):
    """The function must be differentiated, and rightly."""
    return lambda function: CASES.append((function, arguments)) or function


def refused_or_right(*arguments):
    """The function may be refused; a number that is given must be right."""
    return lambda function: REFUSED.append((function, arguments)) or function


def numbers(value):
    """All numbers of a result, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return np.concatenate([numbers(part) for part in value])
    return np.asarray(value, float).ravel()


def like(value, source):
    """A seed for a result, with the numbers of an iterator."""
    if isinstance(value, dict):
        return {key: like(part, source) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(like(part, source) for part in value)
    if isinstance(value, np.ndarray):
        return np.array([next(source) for _ in range(value.size)]).reshape(value.shape)
    return float(next(source))


def fresh(arguments):
    """The arguments of one more call, with module state as it was."""
    BOX[:] = 0.0
    MEMORY.clear()
    return copy.deepcopy(list(arguments))


def check(function, arguments):
    """Value, arguments, gradient against differences, tangent against gradient."""
    left = fresh(arguments)
    value = function(*left)
    weights = np.random.default_rng(1).uniform(0.5, 1.5, numbers(value).size)

    def output(x):
        call = fresh(arguments)
        call[0] = x if np.ndim(x) else float(x)
        return weights @ numbers(function(*call))

    base = np.array(arguments[0], float)
    wanted = np.zeros(base.shape)
    for index in np.ndindex(base.shape):
        up, down = base.copy(), base.copy()
        up[index] += 1e-6
        down[index] -= 1e-6
        wanted[index] = (output(up) - output(down)) / 2e-6
    call = fresh(arguments)
    answer, pullback = vjp(function)(*call)
    np.testing.assert_equal(answer, value)
    np.testing.assert_equal(call, left)
    for _ in range(2):
        gradient = pullback(like(value, iter(weights)))
        np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-6)
    if np.ndim(value) == 0 and not isinstance(value, dict):
        np.testing.assert_allclose(grad(function).gradient(*fresh(arguments)) * weights[0], gradient)
    dot = np.full(base.shape, 0.7) if base.shape else 0.7
    name = function.__code__.co_varnames[0]
    answer, tangent = jvp(function)(*fresh(arguments), **{f"{name}_dot": dot})
    np.testing.assert_equal(answer, value)
    np.testing.assert_allclose(weights @ numbers(tangent), np.sum(gradient * dot), rtol=1e-9, atol=1e-12)


# A condition that is evaluated after an operand of it was restored ------------------------------------------


@case(X, 0.4)
def maximum_with_what_each_trip_rebinds(x, w):
    s = 0.0
    c = x[2]
    for _ in range(3):
        s = s + np.sin(c) * c
        v = x[::-1] * w
        c = c * 0.3
        s = s + np.sum(np.maximum(v, c))
    return s


@case(X, 0.4)
def clip_at_a_count(x, w):
    c = 0
    s = 0.0
    for _ in range(4):
        v = np.exp(x * w) * x
        c = c + 1
        s = s + np.sum(np.clip(v, -0.3 * c, 0.2 * c)) * np.max(v * c)
    return s


@case(np.array([1.2143, 0.3529, -0.2711]))
def loop_over_what_it_rebinds(x):
    v = x
    b = 0.5
    for _ in range(1):
        for b in v:
            a = b
            v = scaled(v, a * b)
    return v * b


def scaled(u, s):
    return u * s + np.sin(u)


@case(X)
def loop_over_what_it_rebinds_to_data_of_another_name(x):
    u = x
    v = x[::-1]
    for a in v:
        v = u
    return a


@case(X, 0.4)
def loop_over_what_it_rebinds_then_branches(x, w):
    v = x[::-1] * w
    u = x
    b = w
    for a in v:
        v = np.sin(u)
        if a > 0:
            b = b * a
    return a * b


# Calls as statements that write: the callee's own writes, and those of what it calls ------------------------


def put(items, value):
    items.append(value)


def sort_in_place(a):
    a.sort()


def copy_into(a, v):
    np.copyto(a, v)


def remember(v):
    BOX[0] = v


@refused_or_right(X)
def helper_appends(x):
    items = []
    put(items, x[0])
    put(items, x[1])
    return items[0] * items[1]


@refused_or_right(X)
def helper_sorts(x):
    y = x * 2
    sort_in_place(y)
    return y[0] * y[1] ** 2


@refused_or_right(X)
def helper_copies(x):
    y = np.zeros(5)
    copy_into(y, x)
    return np.sum(y**3)


@refused_or_right(X)
def helper_writes_a_global_array(x):
    remember(x[0])
    return BOX[0] * x[1]


@refused_or_right(X)
def appends_to_a_global_list(x):
    MEMORY.append(x[0])
    return MEMORY[0] * x[1]


def setter_and_getter():
    cell = [0.0]

    def set_cell(v):
        cell[0] = v

    def get_cell():
        return cell[0]

    return set_cell, get_cell


SET, GET = setter_and_getter()


@refused_or_right(X)
def writes_a_cell(x):
    SET(x[0])
    return GET() * x[1]


@refused_or_right(X)
def bound_method_of_an_array(x):
    y = np.zeros(5)
    fill = y.fill
    fill(x[0])
    return np.sum(y)


@refused_or_right(X)
def bound_method_of_a_list(x):
    items = []
    push = items.append
    for v in x:
        push(v * v)
    return items[0] + items[1]


class Total:
    def __init__(self):
        self.total = 0.0

    def add(self, v):
        self.total = v


TOTAL = Total()


def add_to_total(v):
    TOTAL.add(v)


@refused_or_right(X)
def method_writes_a_global_object(x):
    add_to_total(x[0])
    return TOTAL.total * x[1]


@refused_or_right(X)
def add_at(x):
    y = np.zeros(5)
    np.add.at(y, [0, 0], x[:2])
    return np.sum(y**3)


# Names that are read behind the back of the text ------------------------------------------------------------


@refused_or_right(2.37)
def evaluated(x):
    return eval("x * x")


@refused_or_right(X)
def through_locals(x):
    return locals()["x"][0] * 2


@refused_or_right(X)
def through_vars(x):
    return vars()["x"][0] * 2


# Iterators that are used up, lists that grow under a loop ---------------------------------------------------


@refused_or_right(X)
def zip_walked_twice(x):
    pairs = zip([1.0, 2.0], x, strict=False)
    s = 0.0
    for a, b in pairs:
        s = s + a * b
    for a, b in pairs:
        s = s + a * b
    return s


@refused_or_right(X)
def enumerate_left_and_walked_on(x):
    pairs = enumerate(x)
    s = 0.0
    for i, a in pairs:
        if i == 2:
            break
        s = s + a * i
    for i, a in pairs:
        s = s + a * a * i
    return s


@refused_or_right(X)
def reversed_left_and_walked_on(x):
    back = reversed(x)
    s = 0.0
    for a in back:
        if a < 0:
            break
        s = s + a
    for a in back:
        s = s + a * a
    return s


@refused_or_right(X)
def active_list_that_grows(x):
    items = [x[0], x[1]]
    s = 0.0
    for v in items:
        if len(items) < 6:
            items.append(v * x[2] + 1)
        s = s * v + x[0]
    return s


# Results and dtypes -----------------------------------------------------------------------------------------


@case(X)
def dictionary_with_integer_keys(x):
    return {0: x[0], 1: x[1] * 3}


@case(X)
def dictionary_with_names(x):
    return {"a": x[0] ** 2, "b": x * 3}


@refused_or_right(X)
def full_like_of_integers(x):
    return np.full_like(np.arange(3), x[1] * 10).sum() * x[0]


@case(X)
def interpolated_on_a_list(x):
    return np.interp(0.3, [0, 1, 2, 3, 4], x)


@refused_or_right(X, 0.4)
def result_of_two_structures(x, w):
    if w > 1:
        return w
    return (w, x * 2)


# Breaks in the middle of a body -----------------------------------------------------------------------------


@case(X)
def break_in_an_arm_with_more_below(x):
    s = x[0]
    for i in range(5):
        if x[i] > 1:
            s = s * 2
        elif x[i] < -0.5:
            break
        s = s * x[i]
    return s


@case(0.5)
def break_before_what_a_trip_rebinds(x):
    a = 0
    m = 0
    v = x
    for c in [m * x, a + 2]:
        pass
    for _ in range(a, 4):
        if x:
            if 0.2:
                break
        else:
            for _ in range(m, 4):
                v = a
        m = a
    return v * c


@case(0.4)
def maximum_with_a_choice(x):
    a = 2
    c = 0.0
    if x > 5:
        return c
    for _ in range(2):
        for c in [c, x]:  # noqa: B020
            c = max(c * a, a * 0.1 if two_arms(c) else 0.3)
    return c


def two_arms(a, b=0.3):
    if a > 0.2:
        return a * b
    return a - b


@case(X)
def two_targets_of_one_name(x):
    a, a = x[0] * 2, x[1] * x[2]
    return a * math.sin(a)


# Refused without need ---------------------------------------------------------------------------------------


@case(X)
def ternary_guards_a_name(x):
    for i in range(3):
        y = x[i] * (1 if i == 0 else y)  # noqa: F821
    return y * i


@case(X)
def largest_so_far(x):
    m = None
    for v in x:
        if m is None or v > m:
            m = v
    return m * m


@pytest.mark.parametrize("function, arguments", CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_right(function, arguments):
    check(function, arguments)


@pytest.mark.parametrize("function, arguments", REFUSED, ids=lambda part: getattr(part, "__name__", ""))
def test_refused_or_right(function, arguments):
    try:
        check(function, arguments)
    except SrcgradError as error:
        assert error.slug


@case(X)
def continue_in_the_else_of_an_inner_loop(x):
    u = x * 1.5
    for k in range(4):
        if k % 2:
            for _ in range(k):
                u = np.sin(u)
            else:
                continue
        u = u * x[k]
    return np.sum(u)


@case(X)
def flags_that_are_apart(x):
    c = 0
    s = x[0]
    if not c > 0.2:
        if c > 0:
            if s > c:
                return s**2
        n = 0
        while n < 4:
            n += 1
            s = s * x[1]
            if n > 1:
                return np.sum(x + x) * s
    return s * 3
