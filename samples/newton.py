"""Differentiates the root that Newton's method finds, through its while loop.

The number of trips depends on the data. At a root, F(x, p) = 0 gives dx/dp = -(∂F/∂p) / (∂F/∂x): the loop knows
nothing of that, and its derivative agrees with it. Run it with `python samples/newton.py [--plot]`.
"""

from __future__ import annotations

import sys

import numpy as np

from srcgrad import grad


def kepler(eccentricity, mean_anomaly, tolerance=1e-12):
    """Solves E - e sin E = M for the eccentric anomaly E of an orbit."""
    x = mean_anomaly
    error = x - eccentricity * np.sin(x) - mean_anomaly
    while abs(error) > tolerance:
        slope = 1 - eccentricity * np.cos(x)
        x = x - error / slope
        error = x - eccentricity * np.sin(x) - mean_anomaly
    # One more step: the root is exact by now, its derivative is so one step later.
    return x - error / (1 - eccentricity * np.cos(x))


def implicit(eccentricity, root):
    """The derivatives of the root by the implicit function theorem: by eccentricity, and by mean anomaly."""
    slope = 1 - eccentricity * np.cos(root)
    return np.sin(root) / slope, 1 / slope


def main():
    dkepler = grad(kepler, wrt=("eccentricity", "mean_anomaly"))
    rows = []
    print("eccentricity  anomaly      root   by eccentricity  by anomaly   off by")
    for eccentricity, mean_anomaly in [(0.0167, 1.0), (0.2, 2.5), (0.6, 0.3), (0.9, 1.5), (0.97, 0.2)]:
        root, (by_eccentricity, by_anomaly) = dkepler(eccentricity, mean_anomaly)
        wanted = implicit(eccentricity, root)
        off = max(abs(by_eccentricity - wanted[0]), abs(by_anomaly - wanted[1]))
        print(
            f"{eccentricity:12} {mean_anomaly:8} {root:9.5f} {by_eccentricity:17.6f} {by_anomaly:11.6f}   {off:.1e}"
        )
        rows.append((root, by_eccentricity, by_anomaly, *wanted))
    if "--plot" in sys.argv:
        plot()
    return rows


def plot():
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print('no plot: pip install "srcgrad[samples]"')
        return
    by_anomaly = grad(kepler, wrt="mean_anomaly")
    anomalies = np.linspace(0.05, 6.2, 200)
    for eccentricity in (0.2, 0.6, 0.9):
        plt.plot(anomalies, [by_anomaly(eccentricity, m)[1] for m in anomalies], label=f"e = {eccentricity}")
    plt.xlabel("mean anomaly")
    plt.ylabel("derivative of the eccentric anomaly")
    plt.legend()
    plt.show()


if __name__ == "__main__":
    main()
