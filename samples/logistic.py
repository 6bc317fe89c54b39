"""Logistic regression on the Wisconsin breast cancer data, fitted by SciPy with a gradient that srcgrad made.

The data come with scikit-learn. Run it with `python samples/logistic.py [--plot]`.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer

from srcgrad import grad


def loss(w, features, labels, penalty):
    """The mean of log(1 + exp(-label * score)), with the weights (not the intercept) held small."""
    score = features @ w[1:] + w[0]
    return np.mean(np.logaddexp(0.0, -labels * score)) + penalty * np.sum(w[1:] ** 2)


def load():
    """Standardized features and labels -1, 1; every third row is kept for the test."""
    data = load_breast_cancer()
    features = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    labels = 2.0 * data.target - 1.0
    held_out = np.arange(labels.size) % 3 == 0
    return features[~held_out], labels[~held_out], features[held_out], labels[held_out]


def accuracy(w, features, labels):
    return np.mean(np.sign(features @ w[1:] + w[0]) == labels)


def main():
    features, labels, test_features, test_labels = load()
    start = np.zeros(features.shape[1] + 1)
    found = minimize(grad(loss), start, args=(features, labels, 1e-3), jac=True, method="L-BFGS-B")
    train = accuracy(found.x, features, labels)
    test = accuracy(found.x, test_features, test_labels)
    print(f"{found.nit} iterations of L-BFGS, {found.nfev} calls of the gradient")
    print(f"loss       {loss(start, features, labels, 1e-3):.4f} -> {found.fun:.4f}")
    print(f"gradient   {np.abs(found.jac).max():.1e} at the end")
    print(f"accuracy   {train:.1%} on the training rows, {test:.1%} on rows not seen")
    if "--plot" in sys.argv:
        plot(found.x)
    return found, train, test


def plot(w):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print('no plot: pip install "srcgrad[samples]"')
        return
    names = load_breast_cancer().feature_names
    order = np.argsort(np.abs(w[1:]))
    plt.figure(figsize=(7, 7))
    plt.barh(names[order], w[1:][order])
    plt.title("weights (features standardized; positive: benign)")
    plt.tight_layout()
    plt.show()


if __name__ == "__main__":
    main()
