"""Kernels restated for JAX, without writes: each takes the kernel's arguments and gives what its result argument holds.

Steps of time are `fori_loop`s, so that compiling them does not take longer with their number. Where another way to the
same numbers is shorter (a matrix product for a double loop, JAX's own Cholesky), that way is taken.
"""

import jax
import jax.numpy as jnp
from jax.lax import fori_loop

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


# ------------------------------------------------------------------ stencils
def both_ways(steps, A, B, update):
    """Two fields, each the update of the other."""

    def step(_, fields):
        B = update(fields[0], fields[1])
        return update(B, fields[0]), B

    return fori_loop(0, steps, step, (A, B))[0]


def jacobi_1d(steps, A, B):
    return both_ways(steps, A, B, lambda a, b: b.at[1:-1].set(0.33333 * (a[:-2] + a[1:-1] + a[2:])))


def jacobi_2d(steps, A, B):
    def update(a, b):
        cross = a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        return b.at[1:-1, 1:-1].set(0.2 * cross)

    return both_ways(steps, A, B, update)


def heat_3d(steps, A, B):
    def update(a, b):
        c = a[1:-1, 1:-1, 1:-1]
        x = a[2:, 1:-1, 1:-1] - 2.0 * c + a[:-2, 1:-1, 1:-1]
        y = a[1:-1, 2:, 1:-1] - 2.0 * c + a[1:-1, :-2, 1:-1]
        z = a[1:-1, 1:-1, 2:] - 2.0 * c + a[1:-1, 1:-1, :-2]
        return b.at[1:-1, 1:-1, 1:-1].set(0.125 * (x + y + z) + c)

    return both_ways(steps, A, B, update)


def seidel_2d(steps, A):
    n = A.shape[0]

    def point(k, A):
        i, j = 1 + k // (n - 2), 1 + k % (n - 2)
        around = jax.lax.dynamic_slice(A, (i - 1, j - 1), (3, 3))
        return A.at[i, j].set(jnp.sum(around) / 9.0)

    return fori_loop(0, steps, lambda _, A: fori_loop(0, (n - 2) ** 2, point, A), A)


def fdtd_2d(steps, ex, ey, hz, fict):
    def step(t, fields):
        ex, ey, hz = fields
        ey = ey.at[0, :].set(fict[t])
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        hz = hz.at[:-1, :-1].add(-0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
        return ex, ey, hz

    return fori_loop(0, steps, step, (ex, ey, hz))[2]


def adi(steps, u, v, p, q):
    """The tridiagonal systems of each half step, solved as full matrices."""
    n = u.shape[0]
    dt, h2 = 1.0 / steps, 1.0 / (n * n)
    a, d = -dt / h2, -dt / h2 / 2.0

    def implicit(side):
        middle = 1.0 - 2.0 * side
        return middle * jnp.eye(n - 2) + side * (jnp.eye(n - 2, k=1) + jnp.eye(n - 2, k=-1))

    ends = jnp.zeros((n - 2, 1)).at[0].set(1.0).at[-1].set(1.0)  # the boundaries are 1

    def half(side, other, f):
        """Implicit along the first axis, explicit along the second: -> the inner points."""
        right = -other * (f[1:-1, :-2] + f[1:-1, 2:]) + (1.0 + 2.0 * other) * f[1:-1, 1:-1]
        return jnp.linalg.solve(implicit(side), right - side * ends)

    def step(_, fields):
        u, v = fields
        v = v.at[0, 1:-1].set(1.0).at[-1, 1:-1].set(1.0)
        v = v.at[1:-1, 1:-1].set(half(a, d, u))
        u = u.at[1:-1, 0].set(1.0).at[1:-1, -1].set(1.0)
        return u.at[1:-1, 1:-1].set(half(d, a, v.T).T), v

    return fori_loop(0, steps, step, (u, v))[0]


def burgers_1d(steps, u, dt, dx, nu):
    def step(_, u):
        flow = dt / dx * u[1:-1] * (u[1:-1] - u[:-2])
        return u.at[1:-1].add(-flow + nu * dt / dx**2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]))

    return fori_loop(0, steps, step, u)


def burgers_2d(steps, u, v, dt, dx, dy, nu):
    def moved(w, u, v):
        c = w[1:-1, 1:-1]
        carried = dt / dx * u[1:-1, 1:-1] * (c - w[1:-1, :-2]) + dt / dy * v[1:-1, 1:-1] * (c - w[:-2, 1:-1])
        spread = (w[1:-1, 2:] - 2 * c + w[1:-1, :-2]) / dx**2 + (w[2:, 1:-1] - 2 * c + w[:-2, 1:-1]) / dy**2
        return jnp.ones_like(w).at[1:-1, 1:-1].set(c - carried + nu * dt * spread)

    return fori_loop(0, steps, lambda _, s: (moved(s[0], *s), moved(s[1], *s)), (u, v))[0]


# ------------------------------------------------------------------ factorisations and solvers
def lu(A):
    n = A.shape[0]
    index = jnp.arange(n)

    def step(k, A):
        below = jnp.where(index > k, A[:, k] / A[k, k], 0.0)
        right = jnp.where(index > k, A[k, :], 0.0)
        A = A.at[:, k].set(jnp.where(index > k, below, A[:, k]))
        return A - jnp.outer(below, right)

    return fori_loop(0, n - 1, step, A)


def ludcmp(A, b, x, y):
    return jnp.linalg.solve(A, b)


def cholesky(A):
    """Of the lower triangle alone; what is above it stays."""
    lower = jnp.tril(A)
    whole = lower + jnp.tril(A, -1).T
    return jnp.tril(jnp.linalg.cholesky(whole, symmetrize_input=False)) + jnp.triu(A, 1)


def gramschmidt(A, R, Q):
    index = jnp.arange(A.shape[1])

    def step(k, pair):
        A, Q = pair
        q = A[:, k] / jnp.sqrt(A[:, k] @ A[:, k])
        return A - jnp.outer(q, jnp.where(index > k, q @ A, 0.0)), Q.at[:, k].set(q)

    return fori_loop(0, A.shape[1], step, (A, Q))[1]


def durbin(r, y):
    """The Yule-Walker equations themselves: a Toeplitz matrix with ones on its diagonal."""
    n = r.shape[0]
    lags = jnp.concatenate([jnp.ones(1), r[:-1]])
    return -jnp.linalg.solve(lags[jnp.abs(jnp.arange(n)[:, None] - jnp.arange(n))], r)


def trisolv(L, x, b):
    return jax.scipy.linalg.solve_triangular(L, b, lower=True)


# ------------------------------------------------------------------ products
def gemm(alpha, beta, C, A, B):
    return alpha * A @ B + beta * C


def two_mm(alpha, beta, tmp, A, B, C, D):
    return alpha * A @ B @ C + beta * D


def three_mm(E, A, B, F, C, D, G):
    return (A @ B) @ (C @ D)


def atax(A, x, y, tmp):
    return A.T @ (A @ x)


def bicg(A, s, q, p, r):
    return r @ A


def mvt(x1, x2, y1, y2, A):
    return x1 + A @ y1


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A = A + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    return w + alpha * A @ (x + beta * A.T @ y + z)


def gesummv(alpha, beta, A, B, tmp, x, y):
    return alpha * A @ x + beta * B @ x


def symm(alpha, beta, C, A, B):
    return beta * C + alpha * (jnp.tril(A) + jnp.tril(A, -1).T) @ B


def syrk(alpha, beta, C, A):
    return jnp.tril(beta * C + alpha * A @ A.T) + jnp.triu(C, 1)


def syr2k(alpha, beta, C, A, B):
    return jnp.tril(beta * C + alpha * (A @ B.T + B @ A.T)) + jnp.triu(C, 1)


def trmm(alpha, A, B):
    return alpha * (B + jnp.tril(A, -1).T @ B)


def doitgen(A, C4, total):
    return A @ C4


# ------------------------------------------------------------------ statistics, filters, paths
def covariance(float_n, data, cov, mean):
    centred = data - jnp.sum(data, axis=0) / float_n
    return centred.T @ centred / (float_n - 1.0)


def correlation(float_n, data, corr, mean, stddev):
    centred = data - jnp.sum(data, axis=0) / float_n
    deviation = jnp.sqrt(jnp.sum(centred**2, axis=0) / float_n)
    scaled = centred / (jnp.sqrt(float_n) * jnp.where(deviation <= 0.1, 1.0, deviation))
    off = ~jnp.eye(data.shape[1], dtype=bool)
    return jnp.where(off, scaled.T @ scaled, 1.0)


def floyd_warshall(path):
    return fori_loop(0, path.shape[0], lambda k, p: jnp.minimum(p, p[:, k, None] + p[k, :]), path)


def deriche(alpha, image, out, y1, y2):
    k = (1.0 - jnp.exp(-alpha)) ** 2 / (1.0 + 2.0 * alpha * jnp.exp(-alpha) - jnp.exp(2.0 * alpha))
    here, before = k, k * jnp.exp(-alpha) * (alpha - 1.0)
    after, second = k * jnp.exp(-alpha) * (alpha + 1.0), -k * jnp.exp(-2.0 * alpha)
    b1, b2 = 2.0 ** (-alpha), -jnp.exp(-2.0 * alpha)

    def filtered(rows, c0, c1):
        """y[j] = c0 x[j] + c1 x[j - 1] + b1 y[j - 1] + b2 y[j - 2] down the first axis."""

        def step(carry, x):
            last, y1, y2 = carry
            y = c0 * x + c1 * last + b1 * y1 + b2 * y2
            return (x, y, y1), y

        zero = jnp.zeros_like(rows[0])
        return jax.lax.scan(step, (zero, zero, zero), rows)[1]

    def both(rows):
        shifted = jnp.concatenate([jnp.zeros_like(rows[:1]), rows[::-1][:-1]])  # what follows, from the end
        return filtered(rows, here, before) + filtered(shifted, after, second)[::-1]

    return both(both(image.T).T)


def deriche_loops(alpha, image, out, y1, y2):
    """One pass along the rows: the two passes of `deriche`, taken apart by an image that is filtered once."""
    rows = image.T
    k = (1.0 - jnp.exp(-alpha)) ** 2 / (1.0 + 2.0 * alpha * jnp.exp(-alpha) - jnp.exp(2.0 * alpha))
    n = rows.shape[0]
    b1, b2 = 2.0 ** (-alpha), -jnp.exp(-2.0 * alpha)
    response = [1.0, b1]  # of the recursion to one impulse
    for _ in range(n - 2):
        response.append(b1 * response[-1] + b2 * response[-2])
    lag = jnp.arange(n)[:, None] - jnp.arange(n)
    recursion = jnp.where(lag >= 0, jnp.stack([jnp.asarray(c, float) for c in response])[jnp.abs(lag)], 0.0)
    shift = jnp.eye(n, k=-1)
    forward = recursion @ (k * jnp.eye(n) + k * jnp.exp(-alpha) * (alpha - 1.0) * shift)
    back = k * jnp.exp(-alpha) * (alpha + 1.0) * shift - k * jnp.exp(-2.0 * alpha) * shift @ shift
    return ((forward + (recursion @ back)[::-1, ::-1]) @ rows).T


# ------------------------------------------------------------------ images, bodies, weather, flow
def conv2d(image, weights, out):
    return jax.scipy.signal.correlate2d(image, weights, mode="valid")


def nbody_pairs(steps, pos, vel, mass, G, softening, dt):
    def acceleration(pos):
        d = pos[None, :, :] - pos[:, None, :]
        return G * jnp.einsum("ijk,ij,j->ik", d, (jnp.sum(d**2, axis=2) + softening**2) ** -1.5, mass[:, 0])

    def step(_, state):
        pos, vel = state
        vel = vel + acceleration(pos) * dt / 2.0
        pos = pos + vel * dt
        return pos, vel + acceleration(pos) * dt / 2.0

    vel = vel - jnp.sum(mass * vel, axis=0) / jnp.sum(mass)
    return fori_loop(0, steps, step, (pos, vel))[0]


def nbody(steps, pos, vel, mass, G, softening, dt):
    """As `nbody_pairs`, where the centre of mass may move."""
    drift = jnp.sum(mass[:, None] * vel, axis=0) / jnp.sum(mass)
    return nbody_pairs(steps, pos, vel, mass[:, None], G, softening, dt) + steps * dt * drift


def horizontal_diffusion(in_field, out_field, coeff):
    f = in_field
    lap = 4.0 * f[1:-1, 1:-1] - (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2])
    flux_x, flux_y = lap[1:, 1:-1] - lap[:-1, 1:-1], lap[1:-1, 1:] - lap[1:-1, :-1]
    flux_x = jnp.where(flux_x * (f[2:-1, 2:-2] - f[1:-2, 2:-2]) > 0, 0.0, flux_x)
    flux_y = jnp.where(flux_y * (f[2:-2, 2:-1] - f[2:-2, 1:-2]) > 0, 0.0, flux_y)
    return f[2:-2, 2:-2] - coeff * (flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1])


def vertical_advection(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    """The tridiagonal systems as a stack of full matrices."""
    levels = utens_stage.shape[2]
    w = 0.25 * (wcon[1:] + wcon[:-1])[:, :, 1:levels]  # between a level and the next
    none = jnp.zeros_like(w[:, :, :1])
    below, above = jnp.concatenate([none, -w], 2), jnp.concatenate([w, none], 2)
    step = u_stage[:, :, 1:] - u_stage[:, :, :-1]
    step_down, step_up = jnp.concatenate([none, -step], 2), jnp.concatenate([step, none], 2)
    right = dtr_stage * u_pos + utens + utens_stage - 0.45 * (below * step_down + above * step_up)
    eye = jnp.eye(levels)
    matrix = (dtr_stage - 0.55 * (below + above))[..., None] * eye
    matrix += 0.55 * (below[..., None] * jnp.eye(levels, k=-1) + above[..., None] * jnp.eye(levels, k=1))
    return dtr_stage * (jnp.linalg.solve(matrix, right[..., None])[..., 0] - u_pos)


def cavity_flow(nt, nit, u, v, dt, dx, dy, p, rho, nu):
    def d_dx(f):
        return (f[1:-1, 2:] - f[1:-1, :-2]) / (2 * dx)

    def d_dy(f):
        return (f[2:, 1:-1] - f[:-2, 1:-1]) / (2 * dy)

    def moved(w, u, v, push):
        c = w[1:-1, 1:-1]
        carried = u[1:-1, 1:-1] / dx * (c - w[1:-1, :-2]) + v[1:-1, 1:-1] / dy * (c - w[:-2, 1:-1])
        spread = (w[1:-1, 2:] - 2 * c + w[1:-1, :-2]) / dx**2 + (w[2:, 1:-1] - 2 * c + w[:-2, 1:-1]) / dy**2
        return jnp.zeros_like(w).at[1:-1, 1:-1].set(c + dt * (nu * spread - carried - push / rho))

    def step(_, fields):
        u, v, p = fields
        b = rho * ((d_dx(u) + d_dy(v)) / dt - d_dx(u) ** 2 - 2 * d_dy(u) * d_dx(v) - d_dy(v) ** 2)

        def relaxed(_, p):
            across = (p[1:-1, 2:] + p[1:-1, :-2]) * dy**2 + (p[2:, 1:-1] + p[:-2, 1:-1]) * dx**2
            p = p.at[1:-1, 1:-1].set((across - dx**2 * dy**2 * b) / (2 * (dx**2 + dy**2)))
            p = p.at[:, -1].set(p[:, -2])
            p = p.at[0, :].set(p[1, :])
            return p.at[:, 0].set(p[:, 1]).at[-1, :].set(0.0)

        p = fori_loop(0, nit, relaxed, p)
        return moved(u, u, v, d_dx(p)).at[-1, :].set(1.0), moved(v, u, v, d_dy(p)), p

    return fori_loop(0, nt, step, (u, v, p))[0]


SAME = {  # other texts of one kernel
    "jacobi_1d_loops": jacobi_1d,
    "seidel_2d_rows": seidel_2d,
    "lu_outer": lu,
    "cholesky_rows": cholesky,
    "durbin_flipped": durbin,
    "trisolv_rows": trisolv,
    "gemm_whole": gemm,
    "gemver_loops": gemver,
    "symm_rows": symm,
    "trmm_rows": trmm,
    "doitgen_rows": doitgen,
    "covariance_rows": covariance,
    "conv2d_loops": conv2d,
}


def version(name):
    """The version of the kernel of this name; None where there is none."""
    found = SAME.get(name) or globals().get(name)
    return found if callable(found) and name not in ("version", "both_ways", "fori_loop") else None


def value_and_gradient(name, function_parameters, arguments, wrt, seed):
    """A compiled function of the differentiated arguments: -> result, gradients of sum(seed * result)."""
    places = [function_parameters.index(parameter) for parameter in wrt]
    restated = version(name)

    def loss(active, others):
        given = [arguments[k] if other is None else other for k, other in enumerate(others)]
        for place, value in zip(places, active, strict=True):
            given[place] = value
        result = restated(*given)
        return jnp.sum(seed * result), result

    compiled = jax.jit(jax.value_and_grad(loss, has_aux=True))

    def run(*given):
        active = tuple(given[place] for place in places)
        others = [None if isinstance(a, int) else a for a in given]  # trips are part of the program
        (_, result), gradients = jax.block_until_ready(compiled(active, others))
        return result, gradients

    return run
