"""Stores: each way to write an array, as the pass leaves it."""

import numpy as np
import pytest

from srcgrad.pipeline import generate

U = np.ones(3)


def augmented(u, v):
    u += v
    return np.sum(u)


def augmented_item(u, v):
    u[1:] *= v[1:]
    return np.sum(u)


def out(u, v):
    np.exp(v, out=u)
    return np.sum(u)


def out_of_a_sum(u, v):
    np.sum(v[:, None] * v, axis=0, out=u)
    return np.sum(u)


def filled(u, v):
    u.fill(v[0])
    return np.sum(u)


def copied(u, v):
    np.copyto(u, v)
    return np.sum(u)


def exchanged(u, v):
    u[0], v[0] = v[0], u[0]
    return np.sum(u)


def added_at(u, v):
    np.add.at(u, [0, 0], v[1])
    return np.sum(u)


def own_name(u, v):
    s = u[0]
    s += v[0]
    return s


STORES = {
    augmented: ["u[...] = part"],
    augmented_item: ["u[1:] = part"],
    out: ["np.exp(v)", "u[...] = part"],
    out_of_a_sum: ["np.sum(product, axis=0)", "u[...] = part"],
    filled: ["u[...] = v_item"],
    copied: ["u[...] = v"],
    exchanged: ["v_item = v[0]", "u_item = u[0]", "u[0] = v_item", "v[0] = u_item"],
    added_at: ["spread(v_item, part, u)", "u[...] = part"],
    own_name: ["part = s + v_item", "s = part"],
}


def after(function, stage):
    text = str(generate(function, (U, U), {}, stage=stage))
    for digits in range(12):
        text = text.replace(f"_{digits}", "")
    return text


@pytest.mark.parametrize("function", STORES, ids=lambda f: f.__name__)
def test_every_write_is_a_store(function):
    text = after(function, "stores")
    for line in STORES[function]:
        assert line in text
    assert "+=" not in text and "*=" not in text and "out=" not in text


PRINTED = {
    augmented: "u += v",
    augmented_item: "u[1:] *= v[1:]",
    out: "np.exp(v, out=u)",
    filled: "u.fill(v[0])",
    copied: "np.copyto(u, v)",
}


@pytest.mark.parametrize("function", PRINTED, ids=lambda f: f.__name__)
def test_it_is_printed_as_the_user_wrote_it(function):
    assert PRINTED[function] in str(generate(function, (U, U), {}, wrt=("u",)))
