"""Benchmark workloads: plain NumPy primal functions and loaders for the ADBench data files.

Own code, written from the mathematical definitions (Srajer, Kukelova, Fitzgibbon,
"A benchmark of selected algorithmic differentiation tools on some problems in computer vision
and machine learning", 2018).  No ADBench source is used; only its data files are read
(``data/``, MIT licence).  Everything here is ordinary ``import numpy as np`` code: loops,
branches, in-place assignment, calls to other functions.  Nothing knows about differentiation.

ADBench problems
    gmm_objective, gmm_objective_loop   log-posterior of a Gaussian mixture, Wishart prior
    ba_residual                         one bundle-adjustment observation: 2 errors + 1 weight error
    lstm_objective                      diagonal LSTM, mean negative log-likelihood of a text
    hand_objective                      hand tracking, linear blend skinning (the "simple" variant)
Ordinary scientific code
    damped_sqrt                         scalar while loop, about 1e5 iterations
    lotka_volterra, lotka_volterra_scalar   RK4, 2000 steps, small arrays / scalars
    burgers_2d, burgers_2d_loops        in-place 2-D stencil, 200 x 200, 200 steps
    hmm_log_likelihood, kalman_log_likelihood   sequential filters, n = 1000

``CASES`` maps a name to ``(function, argument builder, differentiable argument positions)``.
"""

import math
import os

import numpy as np

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


# --------------------------------------------------------------------------- loaders
def _floats(path):
    with open(path, encoding="ascii") as handle:
        return np.array(handle.read().split(), dtype=np.float64)


def load_gmm(path):
    """-> alphas (k,), means (k, d), icf (k, d(d+1)/2), x (n, d), gamma, m.  File: "d k n" first."""
    v = _floats(path)
    d, k, n = int(v[0]), int(v[1]), int(v[2])
    sizes = [k, k * d, k * (d * (d + 1) // 2), n * d, 2]
    parts = np.split(v[3 : 3 + sum(sizes)], np.cumsum(sizes)[:-1])
    return (
        parts[0],
        parts[1].reshape(k, d),
        parts[2].reshape(k, -1),
        parts[3].reshape(n, d),
        float(parts[4][0]),
        float(int(parts[4][1])),
    )


def load_ba(path):
    """-> cam (11,), point (3,), weight, feature (2,), sizes (n, m, p).

    ADBench replicates the one observation p times."""
    v = _floats(path)
    return v[3:14], v[14:17], float(v[17]), v[18:20], (int(v[0]), int(v[1]), int(v[2]))


def load_lstm(path):
    """-> main (2l, 4b), extra (3, b), state (2l, b), sequence (c, b).  File: "l c b" first."""
    v = _floats(path)
    layers, chars, width = int(v[0]), int(v[1]), int(v[2])
    sizes = [2 * layers * 4 * width, 3 * width, 2 * layers * width, chars * width]
    parts = np.split(v[3 : 3 + sum(sizes)], np.cumsum(sizes)[:-1])
    return (
        parts[0].reshape(2 * layers, 4 * width),
        parts[1].reshape(3, width),
        parts[2].reshape(2 * layers, width),
        parts[3].reshape(chars, width),
    )


def load_hand(path, bones=None, vertices=None):
    """-> theta (26,), parents (nb,), base_relative (nb,4,4), inverse_base_absolute (nb,4,4),
    base_positions (nv,4), weights (nv,nb), correspondences (c,), points (c,3)."""
    bones = bones or os.path.join(DATA, "hand_bones.txt")
    vertices = vertices or os.path.join(DATA, "hand_vertices.txt")
    parents, relative, inverse = [], [], []
    with open(bones, encoding="ascii") as handle:
        for line in handle:
            f = line.split(":")
            if len(f) < 34:
                continue
            parents.append(int(f[1]))
            relative.append(np.array(f[2:18], dtype=np.float64).reshape(4, 4))
            inverse.append(np.array(f[18:34], dtype=np.float64).reshape(4, 4))
    positions, rows = [], []
    with open(vertices, encoding="ascii") as handle:
        for line in handle:
            f = line.split(":")
            if len(f) < 9:
                continue
            positions.append([float(f[0]), float(f[1]), float(f[2]), 1.0])
            row = np.zeros(len(parents))
            for i in range(int(f[8])):
                row[int(f[9 + 2 * i])] = float(f[10 + 2 * i])
            rows.append(row)
    v = _floats(path)
    count, n_theta = int(v[0]), int(v[1])
    table = v[2 : 2 + 4 * count].reshape(count, 4)
    theta = v[2 + 4 * count : 2 + 4 * count + n_theta]
    return (
        theta,
        np.array(parents),
        np.array(relative),
        np.array(inverse),
        np.array(positions),
        np.array(rows),
        table[:, 0].astype(np.int64),
        table[:, 1:].copy(),
    )


# --------------------------------------------------------------------------- GMM
def log_gamma_multivariate(a, p):
    total = 0.25 * p * (p - 1) * math.log(math.pi)
    for j in range(1, p + 1):
        total += math.lgamma(a + 0.5 * (1 - j))
    return total


def wishart_constant(d, gamma, m):
    dof = d + m + 1.0
    return dof * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma_multivariate(0.5 * dof, d)


def gmm_objective(alphas, means, icf, x, gamma, m):
    """Log-posterior, whole arrays.  icf[k] = log-diagonal, then the strict lower triangle by columns."""
    n, d = x.shape
    k = alphas.shape[0]
    log_diag = icf[:, :d]
    lower = icf[:, d:]
    cols, rows = np.triu_indices(d, 1)
    diag = np.arange(d)
    factor = np.zeros((k, d, d))
    factor[:, rows, cols] = lower
    factor[:, diag, diag] = np.exp(log_diag)
    sum_log_diag = np.sum(log_diag, axis=1)
    centred = x - means[:, None, :]
    whitened = centred @ np.swapaxes(factor, 1, 2)
    inner = (alphas + sum_log_diag)[:, None] - 0.5 * np.sum(whitened**2, axis=2)
    peak = np.max(inner, axis=0)
    log_mix = peak + np.log(np.sum(np.exp(inner - peak), axis=0))
    peak_a = np.max(alphas)
    log_norm = peak_a + np.log(np.sum(np.exp(alphas - peak_a)))
    prior = (
        0.5 * gamma**2 * (np.sum(np.exp(log_diag) ** 2) + np.sum(lower**2))
        - m * np.sum(log_diag)
        - k * wishart_constant(d, gamma, m)
    )
    return np.sum(log_mix) - n * log_norm - 0.5 * n * d * math.log(2.0 * math.pi) + prior


def gmm_objective_loop(alphas, means, icf, x, gamma, m, constant):
    """The same value, one component at a time, in place; constant = wishart_constant(d, gamma, m)."""
    n, d = x.shape
    k = alphas.shape[0]
    inner = np.empty((k, n))
    factor = np.zeros((d, d))
    prior = 0.0
    for j in range(k):
        position = d
        sum_log_diag = 0.0
        for c in range(d):
            e = np.exp(icf[j, c])
            factor[c, c] = e
            sum_log_diag += icf[j, c]
            prior += 0.5 * gamma**2 * e * e
            for r in range(c + 1, d):
                factor[r, c] = icf[j, position]
                prior += 0.5 * gamma**2 * icf[j, position] ** 2
                position += 1
        prior -= m * sum_log_diag
        whitened = (x - means[j]) @ factor.T
        inner[j] = alphas[j] + sum_log_diag - 0.5 * np.sum(whitened * whitened, axis=1)
    log_mix = 0.0
    for i in range(n):
        peak = np.max(inner[:, i])
        log_mix += peak + np.log(np.sum(np.exp(inner[:, i] - peak)))
    peak_a = np.max(alphas)
    log_norm = peak_a + np.log(np.sum(np.exp(alphas - peak_a)))
    return log_mix - n * log_norm - 0.5 * n * d * np.log(2.0 * np.pi) + prior - k * constant


# --------------------------------------------------------------------------- BA
def rotate(r, v):
    """Rodrigues: rotate v about the axis r by |r|."""
    theta2 = np.dot(r, r)
    if theta2 > 0.0:
        theta = np.sqrt(theta2)
        axis = r / theta
        c = np.cos(theta)
        return v * c + np.cross(axis, v) * np.sin(theta) + axis * (np.dot(axis, v) * (1.0 - c))
    return v + np.cross(r, v)


def project(cam, point):
    """cam = rotation 3, centre 3, focal 1, principal point 2, radial distortion 2."""
    p = rotate(cam[:3], point - cam[3:6])
    image = p[:2] / p[2]
    r2 = np.dot(image, image)
    return image * (1.0 + cam[9] * r2 + cam[10] * r2 * r2) * cam[6] + cam[7:9]


def ba_residual(cam, point, weight, feature):
    """-> (3,): the two weighted reprojection errors and the weight error 1 - w^2."""
    e = weight * (project(cam, point) - feature)
    return np.array([e[0], e[1], 1.0 - weight * weight])


def ba_residual_scalar(cam, point, weight, feature):
    """The same with scalars only (no small-array calls)."""
    rx, ry, rz = cam[0], cam[1], cam[2]
    vx, vy, vz = point[0] - cam[3], point[1] - cam[4], point[2] - cam[5]
    theta2 = rx * rx + ry * ry + rz * rz
    if theta2 > 0.0:
        theta = math.sqrt(theta2)
        ax, ay, az = rx / theta, ry / theta, rz / theta
        c, s = math.cos(theta), math.sin(theta)
        t = (ax * vx + ay * vy + az * vz) * (1.0 - c)
        px = vx * c + (ay * vz - az * vy) * s + ax * t
        py = vy * c + (az * vx - ax * vz) * s + ay * t
        pz = vz * c + (ax * vy - ay * vx) * s + az * t
    else:
        px = vx + ry * vz - rz * vy
        py = vy + rz * vx - rx * vz
        pz = vz + rx * vy - ry * vx
    u, v = px / pz, py / pz
    r2 = u * u + v * v
    f = (1.0 + cam[9] * r2 + cam[10] * r2 * r2) * cam[6]
    return (
        weight * (u * f + cam[7] - feature[0]),
        weight * (v * f + cam[8] - feature[1]),
        1.0 - weight * weight,
    )


# --------------------------------------------------------------------------- LSTM
def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def lstm_objective(main, extra, state, sequence):
    """Mean negative log-likelihood of the next character; main[2i], main[2i+1]: layer i."""
    layers = main.shape[0] // 2
    width = extra.shape[1]
    hidden = state[0::2].copy()
    cell = state[1::2].copy()
    total = 0.0
    steps = sequence.shape[0] - 1
    for t in range(steps):
        x = sequence[t] * extra[0]
        for i in range(layers):
            w = main[2 * i]
            b = main[2 * i + 1]
            h = hidden[i].copy()
            forget = sigmoid(x * w[:width] + b[:width])
            ingate = sigmoid(h * w[width : 2 * width] + b[width : 2 * width])
            outgate = sigmoid(x * w[2 * width : 3 * width] + b[2 * width : 3 * width])
            change = np.tanh(h * w[3 * width :] + b[3 * width :])
            c = cell[i] * forget + ingate * change
            cell[i] = c
            x = outgate * np.tanh(c)
            hidden[i] = x
        y = x * extra[1] + extra[2]
        norm = np.log(np.sum(np.exp(y)) + 2.0)
        total += np.sum(sequence[t + 1] * (y - norm))
    return -total / (steps * width)


# --------------------------------------------------------------------------- HAND
def euler_rotation(ax, ay, az):
    cx, sx, cy, sy, cz, sz = np.cos(ax), np.sin(ax), np.cos(ay), np.sin(ay), np.cos(az), np.sin(az)
    rot_x = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    rot_y = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    rot_z = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    return rot_z @ rot_y @ rot_x


def rotation_matrix(r):
    theta2 = np.dot(r, r)
    if theta2 < 1e-16:
        return np.eye(3)
    theta = np.sqrt(theta2)
    a = r / theta
    s, c = np.sin(theta), np.cos(theta)
    cross = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    return c * np.eye(3) + s * cross + (1.0 - c) * np.outer(a, a)


def hand_objective(
    theta, parents, base_relative, inverse_base_absolute, base_positions, weights, correspondences, points
):
    """-> (3c,): points minus skinned vertices.  theta = rotation 3, translation 3, 5 fingers x 4 angles."""
    bones = parents.shape[0]
    angles = np.zeros((bones, 3))
    position = 6
    for finger in range(5):
        first = 1 + 4 * finger
        angles[first + 1, 0] = theta[position]
        angles[first + 1, 1] = theta[position + 1]
        angles[first + 2, 0] = theta[position + 2]
        angles[first + 3, 0] = theta[position + 3]
        position += 4
    absolute = np.zeros((bones, 4, 4))
    transform = np.zeros((bones, 4, 4))
    for b in range(bones):
        local = np.zeros((4, 4))
        local[:3, :3] = euler_rotation(angles[b, 0], angles[b, 2], angles[b, 1])
        local[3, 3] = 1.0
        relative = base_relative[b] @ local
        if parents[b] < 0:
            absolute[b] = relative
        else:
            absolute[b] = absolute[parents[b]] @ relative
        transform[b] = absolute[b] @ inverse_base_absolute[b]
    skinned = np.zeros((base_positions.shape[0], 3))
    for b in range(bones):
        skinned += weights[:, b : b + 1] * (base_positions @ transform[b, :3].T)
    world = skinned @ rotation_matrix(theta[:3]).T + theta[3:6]
    return np.ravel(points - world[correspondences])


# --------------------------------------------------------------------------- ordinary code
def damped_sqrt(a, rate, tol):
    """Square root by damped Newton (Babylonian) steps; rate 2e-4 and tol 1e-8 take about 1e5 iterations."""
    x = a
    r = x * x - a
    while abs(r) > tol:
        x = x - rate * r / (2.0 * x)
        r = x * x - a
    return x


def lotka_volterra_rhs(y, p):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])


def lotka_volterra(p, y0, dt, steps):
    """RK4; returns the squared distance of the end state from (1, 1)."""
    y = y0
    for _ in range(steps):
        k1 = lotka_volterra_rhs(y, p)
        k2 = lotka_volterra_rhs(y + 0.5 * dt * k1, p)
        k3 = lotka_volterra_rhs(y + 0.5 * dt * k2, p)
        k4 = lotka_volterra_rhs(y + dt * k3, p)
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum((y - 1.0) ** 2)


def lotka_volterra_scalar(p, y0, dt, steps):
    a, b, c, d = p[0], p[1], p[2], p[3]
    x, y = y0[0], y0[1]
    for _ in range(steps):
        k1x = a * x - b * x * y
        k1y = c * x * y - d * y
        u = x + 0.5 * dt * k1x
        v = y + 0.5 * dt * k1y
        k2x = a * u - b * u * v
        k2y = c * u * v - d * v
        u = x + 0.5 * dt * k2x
        v = y + 0.5 * dt * k2y
        k3x = a * u - b * u * v
        k3y = c * u * v - d * v
        u = x + dt * k3x
        v = y + dt * k3y
        k4x = a * u - b * u * v
        k4y = c * u * v - d * v
        x = x + dt / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x)
        y = y + dt / 6.0 * (k1y + 2.0 * k2y + 2.0 * k3y + k4y)
    return (x - 1.0) ** 2 + (y - 1.0) ** 2


def burgers_2d(u0, nu, dt, dx, steps):
    """u_t + u (u_x + u_y) = nu lap(u), central differences, fixed boundary, in place; returns the energy."""
    u = u0.copy()
    for _ in range(steps):
        old = u.copy()
        centre = old[1:-1, 1:-1]
        east, west = old[2:, 1:-1], old[:-2, 1:-1]
        north, south = old[1:-1, 2:], old[1:-1, :-2]
        u[1:-1, 1:-1] = (
            centre
            - dt / (2.0 * dx) * centre * (east - west + north - south)
            + nu * dt / (dx * dx) * (east + west + north + south - 4.0 * centre)
        )
    return 0.5 * np.sum(u * u) * dx * dx


def burgers_2d_loops(u0, nu, dt, dx, steps):
    """The same with explicit loops over the grid (slow in plain Python: use few steps)."""
    n, m = u0.shape
    u = u0.copy()
    old = np.empty((n, m))
    for _ in range(steps):
        for i in range(n):
            for j in range(m):
                old[i, j] = u[i, j]
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                gradient = old[i + 1, j] - old[i - 1, j] + old[i, j + 1] - old[i, j - 1]
                laplace = old[i + 1, j] + old[i - 1, j] + old[i, j + 1] + old[i, j - 1] - 4.0 * old[i, j]
                u[i, j] = old[i, j] - dt / (2.0 * dx) * old[i, j] * gradient + nu * dt / (dx * dx) * laplace
    energy = 0.0
    for i in range(n):
        for j in range(m):
            energy += 0.5 * u[i, j] * u[i, j] * dx * dx
    return energy


def hmm_log_likelihood(init_logits, trans_logits, means, log_sd, y):
    """Gaussian-emission HMM, scaled forward recursion."""
    e = np.exp(init_logits - np.max(init_logits))
    init = e / np.sum(e)
    et = np.exp(trans_logits - np.max(trans_logits))
    trans = et / np.sum(et, axis=1).reshape(-1, 1)
    sd = np.exp(log_sd)
    total = 0.0
    alpha = init
    for t in range(y.shape[0]):
        if t > 0:
            alpha = alpha @ trans
        z = (y[t] - means) / sd
        joint = alpha * (np.exp(-0.5 * z * z) / sd)
        scale = np.sum(joint)
        alpha = joint / scale
        total += np.log(scale)
    return total - 0.5 * y.shape[0] * np.log(2.0 * np.pi)


def kalman_log_likelihood(a, q_log_diag, r_log_diag, h, x0, y):
    """Linear-Gaussian state space, a (s,s), h (o,s), y (n,o); dense solves per step."""
    s = a.shape[0]
    q = np.diag(np.exp(q_log_diag))
    r = np.diag(np.exp(r_log_diag))
    x = x0
    p = np.eye(s)
    total = 0.0
    for t in range(y.shape[0]):
        x = a @ x
        p = a @ p @ a.T + q
        innovation = y[t] - h @ x
        hp = h @ p
        cov = hp @ h.T + r
        solved = np.linalg.solve(cov, innovation)
        total += -0.5 * (np.dot(innovation, solved) + np.log(np.linalg.det(cov)))
        x = x + hp.T @ solved
        p = p - hp.T @ np.linalg.solve(cov, hp)
    return total - 0.5 * y.shape[0] * y.shape[1] * np.log(2.0 * np.pi)


# --------------------------------------------------------------------------- inputs
def gmm_args(name="gmm_1k_d10_K25.txt"):
    return load_gmm(os.path.join(DATA, name))


def gmm_loop_args(name="gmm_1k_d10_K25.txt"):
    alphas, means, icf, x, gamma, m = gmm_args(name)
    return alphas, means, icf, x, gamma, m, wishart_constant(x.shape[1], gamma, m)


def ba_args(name="ba1_n49_m7776_p31843.txt"):
    return load_ba(os.path.join(DATA, name))[:4]


def lstm_args(name="lstm_l2_c1024.txt"):
    return load_lstm(os.path.join(DATA, name))


def hand_args(name="hand1_t26_c100.txt"):
    return load_hand(os.path.join(DATA, name))


def sqrt_args():
    return 2.0, 2e-4, 1e-8


def lotka_volterra_args(steps=2000):
    return np.array([1.1, 0.4, 0.1, 0.4]), np.array([10.0, 5.0]), 0.01, steps


def burgers_args(n=200, steps=200):
    g = np.linspace(0.0, 1.0, n)
    u0 = np.sin(np.pi * g)[:, None] * np.sin(2.0 * np.pi * g)[None, :] + 0.5
    dx = g[1] - g[0]
    return u0, 0.01, 0.1 * dx, dx, steps


def hmm_args(states=8, n=1000, seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=states),
        rng.normal(size=(states, states)),
        np.linspace(-3.0, 3.0, states),
        0.1 * rng.normal(size=states),
        2.0 * rng.normal(size=n),
    )


def kalman_args(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    a = 0.9 * np.eye(4) + 0.05 * rng.normal(size=(4, 4))
    return (
        a,
        -1.0 + 0.1 * rng.normal(size=4),
        0.1 * rng.normal(size=2),
        rng.normal(size=(2, 4)),
        rng.normal(size=4),
        rng.normal(size=(n, 2)),
    )


CASES = {
    "gmm": (gmm_objective, gmm_args, (0, 1, 2)),
    "gmm_loop": (gmm_objective_loop, gmm_loop_args, (0, 1, 2)),
    "ba": (ba_residual, ba_args, (0, 1, 2)),
    "ba_scalar": (ba_residual_scalar, ba_args, (0, 1, 2)),
    "lstm": (lstm_objective, lstm_args, (0, 1)),
    "hand": (hand_objective, hand_args, (0,)),
    "sqrt": (damped_sqrt, sqrt_args, (0,)),
    "lotka_volterra": (lotka_volterra, lotka_volterra_args, (0, 1)),
    "lotka_volterra_scalar": (lotka_volterra_scalar, lotka_volterra_args, (0, 1)),
    "burgers": (burgers_2d, burgers_args, (0, 1)),
    "burgers_loops": (burgers_2d_loops, burgers_args, (0, 1)),
    "hmm": (hmm_log_likelihood, hmm_args, (0, 1, 2, 3)),
    "kalman": (kalman_log_likelihood, kalman_args, (0, 1, 2, 3, 4)),
}


# --------------------------------------------------------------------------- without in-place writes
def gmm_objective_scattered(alphas, means, icf, x, gamma, m, scatter):
    """gmm_objective with the factors made by one product: scatter (d(d+1)/2, d*d) puts each entry into its place."""
    n, d = x.shape
    k = alphas.shape[0]
    log_diag = icf[:, :d]
    lower = icf[:, d:]
    values = np.concatenate([np.exp(log_diag), lower], axis=1)
    factor = (values @ scatter).reshape(k, d, d)
    sum_log_diag = np.sum(log_diag, axis=1)
    centred = x - means[:, None, :]
    whitened = centred @ np.swapaxes(factor, 1, 2)
    inner = (alphas + sum_log_diag)[:, None] - 0.5 * np.sum(whitened**2, axis=2)
    peak = np.max(inner, axis=0)
    log_mix = peak + np.log(np.sum(np.exp(inner - peak), axis=0))
    peak_a = np.max(alphas)
    log_norm = peak_a + np.log(np.sum(np.exp(alphas - peak_a)))
    prior = (
        0.5 * gamma**2 * (np.sum(np.exp(log_diag) ** 2) + np.sum(lower**2))
        - m * np.sum(log_diag)
        - k * wishart_constant(d, gamma, m)
    )
    return np.sum(log_mix) - n * log_norm - 0.5 * n * d * math.log(2.0 * math.pi) + prior


def gmm_scattered_args():
    alphas, means, icf, x, gamma, m = gmm_args()
    d = x.shape[1]
    cols, rows = np.triu_indices(d, 1)
    places = np.concatenate([np.arange(d) * (d + 1), rows * d + cols])
    scatter = np.zeros((len(places), d * d))
    scatter[np.arange(len(places)), places] = 1.0
    return alphas, means, icf, x, gamma, m, scatter


def lstm_cell(w, b, x, h, c, width):
    forget = sigmoid(x * w[:width] + b[:width])
    ingate = sigmoid(h * w[width : 2 * width] + b[width : 2 * width])
    outgate = sigmoid(x * w[2 * width : 3 * width] + b[2 * width : 3 * width])
    change = np.tanh(h * w[3 * width :] + b[3 * width :])
    c = c * forget + ingate * change
    return outgate * np.tanh(c), c


def lstm_two_layers(main, extra, state, sequence):
    """lstm_objective for two layers, the state in names instead of rows."""
    width = extra.shape[1]
    h0, c0, h1, c1 = state[0], state[1], state[2], state[3]
    total = 0.0
    steps = sequence.shape[0] - 1
    for t in range(steps):
        h0, c0 = lstm_cell(main[0], main[1], sequence[t] * extra[0], h0, c0, width)
        h1, c1 = lstm_cell(main[2], main[3], h0, h1, c1, width)
        y = h1 * extra[1] + extra[2]
        norm = np.log(np.sum(np.exp(y)) + 2.0)
        total += np.sum(sequence[t + 1] * (y - norm))
    return -total / (steps * width)


RESTATED = {"gmm": (gmm_objective_scattered, gmm_scattered_args), "lstm": (lstm_two_layers, lstm_args)}
