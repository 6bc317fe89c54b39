"""What is made once, what is made anew, and that threads never see a half-made version."""

import threading

import numpy as np
import pytest

import srcgrad.api
from srcgrad import SrcgradError, grad, vjp

SCALE = 2.0


def scaled(x):
    return np.sum(SCALE * x * x)


def shaped(x, mode="sum", n=None):
    if mode == "sum":
        return np.sum(x * x)
    if n is None:
        return np.mean(x * x)
    return np.sum(x) * n


@pytest.fixture
def made(monkeypatch):
    """The (mode, types) that were built."""
    log = []
    make = srcgrad.api._make

    def counting(source, arguments, wrt, mode, of):
        log.append((mode, arguments))
        return make(source, arguments, wrt, mode, of)

    monkeypatch.setattr(srcgrad.api, "_make", counting)
    return log


def test_one_text_for_all_sizes(made):
    df = grad(shaped)
    for n in (3, 3, 4, 1000):
        assert np.array_equal(df(np.ones(n))[1], 2 * np.ones(n))
    assert len(made) == 1
    df(np.ones(3)[::-1])
    df(np.ones((3, 2)).T[0])
    assert len(made) == 1
    df(np.ones((3, 4)))
    df(np.ones(3, np.float32))
    df(2.0)
    df(np.float64(2.0))
    assert len(made) == 5


def test_strings_and_none_are_known_by_value(made):
    df = grad(shaped)
    x = np.arange(4.0)
    assert np.array_equal(df(x)[1], 2 * x)
    assert np.array_equal(df(x, "mean")[1], x / 2)
    assert np.array_equal(df(x, "mean", 3)[1], np.full(4, 3.0))
    assert np.array_equal(df(x, "mean", 5)[1], np.full(4, 5.0))
    assert np.array_equal(df(x, mode="mean")[1], x / 2)
    assert len(made) == 3


def test_equal_lengths_are_not_taken_for_granted():
    df = grad(lambda a, b: np.sum(a * b), wrt=("a", "b"))
    one, three = np.ones(1), np.arange(3.0)
    for a, b in ((three, three), (one, three), (three, one), (three, three)):
        da, db = df(a, b)[1]
        assert da.shape == a.shape and db.shape == b.shape
        assert np.sum(da) == np.sum(np.broadcast_to(b, 3)) if a.size == 3 else da[0] == 3.0


def test_a_global_changed_later_is_seen(monkeypatch):
    df = grad(scaled)
    x = np.arange(3.0)
    assert np.array_equal(df(x)[1], 4 * x)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert np.array_equal(df(x)[1], 10 * x)
    monkeypatch.setitem(globals(), "SCALE", np.array([1.0, 2.0, 3.0]))
    assert np.array_equal(df(x)[1], 2 * SCALE * x)


def test_a_helper_bound_anew_is_seen():
    def helper(x):
        return x * x

    def f(x):
        return helper(x)

    df = grad(f)
    assert df(3.0) == (9.0, 6.0)

    def helper(x):  # noqa: F811
        return 5.0 * x

    assert df(3.0) == (15.0, 5.0)


def test_modes_are_kept_apart(made):
    df = grad(shaped)
    x = np.ones(3)
    df(x)
    df.gradient(x)
    df.source_for(x)
    df.compiled_for(x)
    df(x)
    assert [mode for mode, _ in made] == ["grad"]
    df.accumulate(x, into=np.zeros(3))
    df.accumulate(x, into=np.zeros(3))
    assert [mode for mode, _ in made] == ["grad", "accumulate"]


def test_too_many_versions():
    df = grad(lambda x, t: x * len(t))
    for n in range(64):
        df(1.0, tuple(range(n)))
    with pytest.raises(SrcgradError) as caught:
        df(1.0, tuple(range(64)))
    assert caught.value.slug == "too-many-versions"
    assert df(1.0, (1, 2)) == (2.0, 2.0)


def test_sizes_may_be_as_many_as_they_like(made):
    df = grad(shaped)
    for n in range(2, 700):
        df(np.ones(n))
    assert len(made) == 1
    assert len(df._target.main.exact) <= 512


def test_threads_share_one_build(made):
    df = grad(shaped)
    x = np.arange(5.0)
    go = threading.Barrier(8)
    answers = []

    def work():
        go.wait()
        answers.append([df(x), df(x[:3]), df(2.0)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(answers) == 8 and len(made) == 2
    for one, two, three in answers:
        assert np.array_equal(one[1], 2 * x) and np.array_equal(two[1], 2 * x[:3]) and three == (4.0, 4.0)


def test_a_failed_build_leaves_nothing_behind(monkeypatch):
    df = grad(shaped)
    make = srcgrad.api._make

    def fails(*args):
        raise RuntimeError("half-made")

    monkeypatch.setattr(srcgrad.api, "_make", fails)
    with pytest.raises(RuntimeError, match="half-made"):
        df(2.0)
    monkeypatch.setattr(srcgrad.api, "_make", make)
    assert df(2.0) == (4.0, 4.0)


# ---- the text


def test_source_before_and_after_a_call():
    def f(x: float):
        return x * x

    df = grad(f)
    before = df.source
    assert before.splitlines()[0] == "# for the types of the annotations, since it has not been called yet"
    assert before.splitlines()[1] == "# gradient with respect to x: float"
    df(np.float64(2.0))
    assert df.source.splitlines()[0] == "# gradient with respect to x: float64"
    assert df.source_for(2.0).splitlines()[0] == "# gradient with respect to x: float"
    assert df.source.splitlines()[0] == "# gradient with respect to x: float64"
    assert "def f_forward" in vjp(f).source


def test_compiled_for_is_the_function_itself():
    df = grad(scaled)
    x = np.arange(3.0)
    bare = df.compiled_for(x)
    assert bare is df.compiled_for(np.arange(4.0))
    value, gradient = bare(x)
    assert value == scaled(x) and np.array_equal(gradient, df(x)[1])
