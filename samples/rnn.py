"""A recurrent network in plain NumPy learns to add up a sequence of bits modulo two (their parity, step by step).

The gradient runs back through time; the optimizer is Adam, written out. Run it with
`python samples/rnn.py [--plot]`.
"""

from __future__ import annotations

import sys

import numpy as np

from srcgrad import grad

HIDDEN = 12
LENGTH = 8


def loss(W_in, W, b, w_out, b_out, bits, parities):
    """Mean logistic loss of the parity so far, after each step of the sequence."""
    h = np.zeros((bits.shape[1], len(b)))
    total = 0.0
    for t in range(len(bits)):
        h = np.tanh(np.outer(bits[t], W_in) + h @ W + b)
        score = h @ w_out + b_out
        total = total + np.mean(np.logaddexp(0.0, -parities[t] * score))
    return total / len(bits)


def batch(rng, size, length=LENGTH):
    """Bits as -1, 1, one row per step, and the parity of the bits so far."""
    bits = rng.integers(0, 2, size=(length, size))
    return 2.0 * bits - 1.0, 2.0 * (np.cumsum(bits, axis=0) % 2) - 1.0


def accuracy(params, bits, parities):
    W_in, W, b, w_out, b_out = params
    h = np.zeros((bits.shape[1], HIDDEN))
    right = []
    for bit, parity in zip(bits, parities, strict=True):
        h = np.tanh(np.outer(bit, W_in) + h @ W + b)
        right.append(np.mean(np.sign(h @ w_out + b_out) == parity))
    return np.mean(right)


def train(params, rng, steps=1500, rate=0.01):
    """Adam; gives the trained parameters and the loss at each step."""
    dloss = grad(loss, wrt=("W_in", "W", "b", "w_out", "b_out"))
    first = [np.zeros_like(p) for p in params]
    second = [np.zeros_like(p) for p in params]
    history = []
    for t in range(1, steps + 1):
        bits, parities = batch(rng, 64)
        value, gradients = dloss(*params, bits, parities)
        history.append(value)
        for k, g in enumerate(gradients):
            first[k] = 0.9 * first[k] + 0.1 * g
            second[k] = 0.999 * second[k] + 0.001 * g**2
            direction = first[k] / (1 - 0.9**t) / (np.sqrt(second[k] / (1 - 0.999**t)) + 1e-8)
            params[k] = params[k] - rate * direction
    return params, history


def main():
    rng = np.random.default_rng(0)
    params = [
        rng.normal(size=HIDDEN),
        rng.normal(size=(HIDDEN, HIDDEN)) / np.sqrt(HIDDEN),
        np.zeros(HIDDEN),
        rng.normal(size=HIDDEN) / np.sqrt(HIDDEN),
        np.zeros(1),
    ]
    unseen = batch(rng, 500)
    longer = batch(rng, 500, length=3 * LENGTH)
    before = accuracy(params, *unseen)
    params, history = train(params, rng)
    after, beyond = accuracy(params, *unseen), accuracy(params, *longer)
    print(f"loss      {history[0]:.3f} -> {history[-1]:.4f} in {len(history)} steps")
    print(
        f"accuracy  {before:.1%} -> {after:.1%} on {LENGTH} bits, {beyond:.1%} on {3 * LENGTH} bits, never trained on"
    )
    if "--plot" in sys.argv:
        plot(history)
    return history, before, after, beyond


def plot(history):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print('no plot: pip install "srcgrad[samples]"')
        return
    plt.semilogy(history)
    plt.xlabel("step")
    plt.ylabel("loss")
    plt.show()


if __name__ == "__main__":
    main()
