"""Memory: small programs in the manner of people who write arrays in place, and those on which a plausible reading fails."""

import numpy as np
import pytest

from srcgrad import SrcgradError, grad

from .test_found import check, numbers

X = np.array([0.3, -0.7, 1.1, 0.5, 0.9])
HELPERS = {
    "relax",
    "g28",
    "g27",
    "step",
    "fill",
    "viewof",
    "recur",
    "kick",
    "drift",
    "acc",
    "h",
}
OTHERS = {
    "stencil": (X, np.zeros(5), 3),
    "overwrite": (X, 0.1, 3),
    "buffers": (X, X[::-1] * 0.5, 3),
    "helper": (X, 0.1, 3),
}
MAY_REFUSE = {"alias", "inlist_of_dicts", "innername", "calleedict", "lists2"}
STATE = np.zeros(5)


def stencil(a, b, steps):
    for t in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    return np.sum(a * a)


def overwrite(u, dt, steps):
    for t in range(steps):
        u[1:] = u[1:] - dt * u[1:] * (u[1:] - u[:-1])
    return np.sum(u)


def buffers(u, v, steps):
    for t in range(steps):
        v[1:-1] = u[:-2] * u[2:]
        u, v = v, u
    return np.sum(u)


def relax(u, k):
    u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]


def helper(u, k, steps):
    for t in range(steps):
        relax(u, k)
    return np.sum(u)


def aug(x):
    a = np.zeros(4)
    a[0] = x[0] * x[1]
    a[1] += x[2] ** 2
    a[1] *= a[0]
    return np.sum(a * a)


def reshape(x):
    y = 2.0 * x
    z = y.reshape(5, 1)
    z *= 3.0
    return np.sum(y)


def chain(x):
    y = z = 2.0 * x
    z += 1.0
    return np.sum(y * z)


def inlist(x):
    y = 2.0 * x
    items = [y]
    y *= 3.0
    return np.sum(items[0])


def unpacking(x):
    y = 2.0 * x
    z, w = y, x
    z *= 3.0
    return np.sum(y * w)


def tuple_targets(x):
    a = x * 1.5
    a[0], a[1] = a[1], a[0] * a[2]
    return np.sum(a * a * np.arange(5.0))


def chained(x):
    a = np.zeros(5)
    b = np.zeros(5)
    a[0] = b[1] = x[0] * x[1]
    return np.sum(a * 3 + b * b)


def mask(x):
    a = x * 2
    a[a > 0.5] *= a[a > 0.5]
    a[x < 0] = x[0]
    return np.sum(a**2)


def fancy(x):
    a = np.zeros(3)
    a[[0, 1, 0]] = x[:3] * x[1:4]
    a[[2, 2]] += x[3]
    return np.sum(np.sin(a) * a)


def fancyrep(x):
    a = x[:3] * 1.0
    idx = np.array([0, 2, 0])
    a[idx] *= x[2:]
    return np.sum(a * a)


def view_alive(x):
    a = x * 1.0
    v = a[1:]
    a = a * 2
    v[0] = a[0] * a[0]
    return np.sum(v * v) + np.sum(np.sin(a))


def rebind_mem(x):
    s = 0.0
    for t in range(3):
        a = np.zeros(2)
        if t != 1:
            a[0] = x[t]
        s += np.sum(np.sin(a) * (t + 1))
    return s


def by_branch(x):
    a = x * 2
    b = x * 3
    if x[0] > 0:
        v = a[1:]
    else:
        v = b
    v[0] = x[0] * x[1]
    return np.sum(a * a) + np.sum(b * b * b)


def double_buf(x):
    u = x.copy()
    v = np.ones_like(x)
    for t in range(3):
        v[1:-1] = u[1:-1] + 0.1 * u[1:-1] * (u[2:] - u[:-2])
        u, v = v, u
    return np.sum(u * u)


def rotate3(x):
    a = x.copy()
    b = x * 0.5
    c = np.zeros_like(x)
    for t in range(4):
        c[1:-1] = 2 * b[1:-1] - a[1:-1] + 0.1 * b[2:] * b[:-2]
        a, b, c = b, c, a
    return np.sum(b * b)


def tmpswap(x):
    u = x.copy()
    v = np.ones_like(x)
    for t in range(3):
        v[1:] = u[1:] * u[:-1]
        tmp = u
        u = v
        v = tmp
    return np.sum(u * u)


def newbuf(x):
    u = x.copy()
    for t in range(3):
        un = np.empty_like(u)
        un[0] = u[0]
        un[1:] = u[1:] * u[:-1]
        u = un
    return np.sum(u * u)


def copybuf(x):
    u = x.copy()
    for t in range(3):
        un = u.copy()
        u[1:] = un[1:] - 0.2 * un[1:] * (un[1:] - un[:-1])
        u[0] = 1.0
    return np.sum(u * u)


def g28(p, q):
    q[:] = p * p
    p[:] = q * 2


def alias_args(x):
    a = x.copy()
    g28(a, a)
    return np.sum(np.sin(a))


def g27(p, q):
    p[0] = q[1] * q[1]
    q[0] = p[0] * q[1]


def alias_view(x):
    a = x.copy()
    g27(a, a[1:])
    return np.sum(a * a * a)


def outs(x):
    b = np.empty(5)
    np.exp(x, out=b)
    np.multiply(b, x, out=b)
    np.add(b, 1.0, b)
    return np.sum(b * b)


def copyto(x):
    b = np.zeros(5)
    np.copyto(b, x * x)
    b.fill(x[1])
    b[2:] += x[2:]
    return np.sum(b * b)


def addat(x):
    b = np.zeros(3)
    np.add.at(b, np.array([0, 0, 2, 1, 0]), x * x)
    return np.sum(b * b)


def filld(x):
    A = np.outer(x, x)
    np.fill_diagonal(A, x[0] * 2)
    return np.sum(A * A)


def sorted_(x):
    b = x * x
    b.sort()
    return np.sum(b * np.arange(5.0) ** 2)


def rows(x):
    A = np.outer(x, x)
    for row in A:
        row *= row[0]
    return np.sum(A * A)


def rowslast(x):
    A = np.outer(x, np.ones(3))
    r = A[1]
    r[0] = 5.0 * x[2]
    A[1, 1] *= r[0]
    r *= 2
    return np.sum(A**2) + np.sum(r)


def trans(x):
    A = np.outer(x, x)
    B = A.T
    B[0] = x
    A[:, 1] = B[2] * 2
    return np.sum(A * A)


def seidel(x):
    A = np.outer(x, x)
    for t in range(2):
        for i in range(1, 4):
            for j in range(1, 4):
                A[i, j] = (A[i - 1, j] * A[i + 1, j] + A[i, j - 1] + A[i, j + 1] + A[i, j]) / 5
    return np.sum(A)


def lu(x):
    A = np.outer(x, x) + 5 * np.eye(5)
    for i in range(5):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, 5):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
    return np.sum(A)


def intmem(x):
    c = np.zeros(5, int)
    s = 0.0
    for i in range(5):
        k = 0 if x[i] < 0 else 2
        c[k] += 1
        s += x[c[k]] * x[i]
    return s * c[2]


def intindex(x):
    p = np.arange(5)
    s = 0.0
    for i in range(4):
        p[i], p[4] = p[4], p[i]
        s += np.sum(x[p] * np.arange(5.0)) * x[p[0]]
    return s


def wbreak(x):
    a = x.copy()
    i = 0
    while True:
        a[i] = a[i] * a[i + 1]
        if a[i] > 0.2 or i == 3:
            break
        i += 1
    return np.sum(a * a)


def listmem(x):
    xs = []
    for i in range(3):
        a = np.zeros(2)
        a[0] = x[i]
        xs.append(a)
    xs[1][1] = x[3] * x[0]
    xs[0][0] *= x[4]
    return np.sum(xs[0] * xs[1]) + np.sum(xs[2] ** 2) + xs[1][1]


def liststore(x):
    xs = [0.0] * 3
    for i in range(3):
        xs[i] = x[i] * x[i + 1]
    xs[1] += xs[0] * xs[2]
    return xs[0] + xs[1] * xs[2]


def dictstate(x):
    s = {"u": x[0], "n": 0}
    for i in range(3):
        s["u"] = s["u"] * x[i]
        s["n"] += 1
    s["w"] = s["u"] * 2
    return s["w"] * s["n"]


def step(u, dt):
    u[1:] -= dt * u[1:] * (u[1:] - u[:-1])
    return u


def returned(x):
    u = x.copy()
    for t in range(3):
        u = step(u, 0.1)
    return np.sum(u * u)


def fill(n, v):
    a = np.empty(n)
    for i in range(n):
        a[i] = v * i
    return a


def freshresult(x):
    a = fill(5, x[0])
    a[1] *= x[1]
    return np.sum(a * a)


def viewof(u):
    return u[1:]


def viewresult(x):
    a = x * x
    v = viewof(a)
    s = np.sum(v * v)
    a[2] = 0.0
    return s + np.sum(a * a)


def scalar_aug(x):
    s = x[0]
    t = s
    s += x[1]
    s *= t
    return s * t


def arr_aug_alias(x):
    a = x * 2
    b = a
    a += x
    a *= b
    return np.sum(a * b)


def zerotrip(x):
    a = x.copy()
    for i in range(0):
        a[i] = 0.0
    return np.sum(a * a)


def bcast(x):
    A = np.zeros((3, 5))
    A[:] = x
    A[1:] *= x
    A[:, 0] = x[2]
    return np.sum(A * A)


def ell(x):
    A = np.zeros((2, 5))
    A[..., 0] = x[0]
    A[..., 1:3] = x[1]
    A[0, ...] += x
    A[1][None, 2:] = x[3]
    return np.sum(A**3)


def negstep(x):
    a = x * 1.0
    a[::-1] = a * a[0]
    a[::2] += a[::-1][::2]
    return np.sum(a * a * np.arange(5.0))


def recur(a, k):
    if k > 0:
        a[k] = a[k] * a[k - 1]
        recur(a, k - 1)


def recursive(x):
    a = x.copy()
    recur(a, 4)
    return np.sum(a * a)


def scratch(x):
    buf = np.empty(4)
    s = 0.0
    for t in range(3):
        for i in range(4):
            buf[i] = x[i] * x[i + 1] + t
        s += np.sum(buf * buf)
    return s


def readonly_views(x):
    a = x.copy()
    left = a[:-1]
    r = a[1:]
    for t in range(3):
        left += 0.1 * r * left
    return np.sum(a)


def cond_write(x):
    a = x.copy()
    for i in range(4):
        if a[i] > 0:
            a[i + 1] *= a[i]
        else:
            a[i] = np.sin(a[i])
    return np.sum(a * a)


def kick(v, a, dt):
    v += a * dt


def drift(p, v, dt):
    p += v * dt


def acc(p, a):
    a[:] = -p * np.abs(p)


def leapfrog(x):
    p = x[:3].copy()
    v = x[2:].copy()
    a = np.empty(3)
    acc(p, a)
    for t in range(4):
        kick(v, a, 0.05)
        drift(p, v, 0.1)
        acc(p, a)
        kick(v, a, 0.05)
    return np.sum(p * p) + np.sum(v * v)


def alias(x):
    d = {"a": x[0]}
    e = d
    d["a"] = x[1] * x[2]
    return e["a"] * x[0]


def nested(x):
    s = {"a": x * 2, "b": [x[0], x[1]]}
    for i in range(3):
        s["b"][1] = s["b"][1] * 0.5 + np.sum(s["a"])
        s["a"] = s["a"] * s["b"][0]
    return s["b"][1]


def inlist_of_dicts(x):
    d = {"a": x[0]}
    found = [d]
    d["a"] = x[1]
    return found[0]["a"] * x[2]


def innername(x):
    d = {"b": [x[0], x[1]]}
    b = d["b"]
    d["b"][0] = x[2] * x[3]
    return b[0] * b[1]


def dictarr(x):
    d = {"u": x.copy(), "n": 0}
    for i in range(3):
        d["u"][1:] *= d["u"][:-1]
        d["n"] += 1
    return np.sum(d["u"]) * d["n"]


def dictarr2(x):
    d = {"u": x.copy(), "v": np.zeros(5)}
    for i in range(3):
        d["v"][1:] = d["u"][:-1] * d["u"][1:]
        d["u"], d["v"] = d["v"], d["u"]
    return np.sum(d["u"] * d["v"])


def h(d):
    d["a"] = d["a"] * 2


def calleedict(x):
    d = {"a": x[0]}
    h(d)
    return d["a"] * x[1]


def lists2(x):
    L = [[0.0, 0.0], [0.0, 0.0]]
    for i in range(2):
        for j in range(2):
            L[i][j] = x[i] * x[j + 1]
    return L[0][1] * L[1][0] + L[1][1]


def poplist(x):
    s = [x[0]]
    s.append(x[1] * x[0])
    s.append(x[2])
    a = s.pop()
    b = s.pop()
    return a * b + s[-1]


def insertlist(x):
    s = [x[0], x[1]]
    s.insert(0, x[2] * x[3])
    s.extend([x[4], x[0] * 2])
    del s[1]
    t = 0.0
    for i in range(len(s)):
        t += s[i] * s[i] * (i + 1)
    return t


def listaug(x):
    s = [x[0], x[1]]
    for i in range(4):
        s[i % 2] *= x[i] + 1
    return s[0] * s[1]


def listarr(x):
    xs = [x * 1.0, x * 2]
    xs[0] = xs[0] * xs[1]
    xs[1][2] = xs[0][1]
    xs[0] += xs[1]
    return np.sum(xs[0] * xs[1])


def worklist(x):
    todo = [0]
    s = 0.0
    while todo:
        i = todo.pop()
        s += x[i] * x[i - 1] * (len(todo) + 1)
        if i < 3:
            todo.append(i + 1)
        if i == 1:
            todo.append(4)
    return s


CASES = [
    (function, OTHERS.get(name, (X,)))
    for name, function in list(vars().items())
    if callable(function) and getattr(function, "__module__", "") == __name__ and name not in HELPERS
]


@pytest.mark.parametrize("function, arguments", CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_right(function, arguments):
    try:
        check(function, arguments)
    except SrcgradError as error:
        assert function.__name__ in MAY_REFUSE, error


def global_written(x):
    STATE[:] = x * x
    STATE[0] *= x[1]
    return np.sum(STATE * STATE)


def test_an_array_of_the_module_is_written_as_the_function_writes_it():
    STATE[:] = 0.0
    value = global_written(X.copy())
    left = STATE.copy()
    STATE[:] = 0.0
    answer, gradient = grad(global_written)(X.copy())
    assert answer == value
    np.testing.assert_array_equal(STATE, left)
    wanted = 4 * X**3
    wanted[0], wanted[1] = 4 * X[0] ** 3 * X[1] ** 2, 4 * X[1] ** 3 + 2 * X[0] ** 4 * X[1]
    np.testing.assert_allclose(gradient, wanted)


def shared(u, v):
    v[1:] = u[:-1] * u[1:]
    return np.sum(v * u)


def test_arguments_that_overlap_are_refused_before_anything_is_written():
    a = X.copy()
    for second in (a, a[::-1], a[:]):
        with pytest.raises(SrcgradError, match="share memory"):
            grad(shared)(a, second)
    np.testing.assert_array_equal(a, X)
    value, gradient = grad(shared)(a, np.zeros(5))
    assert np.isfinite(value) and numbers(gradient).shape == (5,)


def through_reshape(a):
    flat = a.reshape(-1)
    flat[0] = a[1, 1] * 2.0
    return np.sum(a * a)


def test_a_reshape_that_copies_is_refused_by_the_run():
    square = np.arange(1.0, 10.0).reshape(3, 3)
    _, gradient = grad(through_reshape)(square.copy())
    wanted = 2 * square
    wanted[0, 0], wanted[1, 1] = 0.0, 2 * square[1, 1] + 8 * square[1, 1]
    np.testing.assert_allclose(gradient, wanted)
    with pytest.raises(SrcgradError, match="made a copy"):
        grad(through_reshape)(np.arange(1.0, 17.0).reshape(4, 4)[:3, :3])


def results_in_arguments(a, out):
    if a[0] < 0:
        out[:] = -a
        return 3
    out[1:] = a[1:] * a[:-1]
    out = out * 2.0
    return np.sum(out)


def test_what_is_left_in_an_argument_is_what_was_passed():
    out = np.ones(5)
    value, gradient = grad(results_in_arguments, of="out", seed=np.arange(5.0))(np.abs(X), out)
    assert value is out
    a = np.abs(X)
    np.testing.assert_allclose(value, [1.0, *(a[1:] * a[:-1])])
    weights = np.arange(5.0)
    wanted = np.zeros(5)
    wanted[1:] += weights[1:] * a[:-1]
    wanted[:-1] += weights[1:] * a[1:]
    np.testing.assert_allclose(gradient, wanted)


def narrowed(x):
    a = np.zeros(5, np.float32)
    a[:] = x * x
    return np.sum(a * a)


def test_a_store_into_float32_is_differentiated_in_float32():
    value, gradient = grad(narrowed)(X.copy())
    assert value == narrowed(X.copy())
    np.testing.assert_allclose(gradient, 4 * X**3, rtol=1e-6)


def alias_of_the_module_s(x):
    w = STATE
    w += 2.0
    return np.sum(w * x)


def test_an_array_of_the_module_is_written_under_another_name():
    STATE[:] = 1.0
    value, gradient = grad(alias_of_the_module_s)(X.copy())
    np.testing.assert_array_equal(STATE, np.full(5, 3.0))
    np.testing.assert_array_equal(gradient, np.full(5, 3.0))
    assert value == np.sum(np.full(5, 3.0) * X)
