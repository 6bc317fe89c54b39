"""The workloads as autograd, JAX and PyTorch want them written, each in the way that suits the tool best.

``BUILD[tool](name, args, wrt)`` gives a function without arguments that computes ``(value, gradients)`` of
the workload ``name`` at ``args``; building it imports the tool. A KeyError says that the workload is not
written for the tool. Building and calling may raise whatever the tool raises.
"""

import math

import numpy as np
import workloads


# ------------------------------------------------------------------ written once, for any of the three (xp)
def lower_index(d):
    """(d, d) index into concat(strict lower triangle by columns, [0])."""
    index = np.full((d, d), d * (d - 1) // 2)
    columns, rows = np.triu_indices(d, 1)
    index[rows, columns] = np.arange(d * (d - 1) // 2)
    return index


def gmm(xp):
    """The factor is built by a gather, for tools without assignment."""

    def f(alphas, means, icf, x, gamma, m):
        n, d = x.shape
        k = alphas.shape[0]
        constant = workloads.wishart_constant(d, gamma, m)
        log_diag, lower = icf[:, :d], icf[:, d:]
        padded = xp.concatenate([lower, np.zeros((k, 1))], axis=1)
        e = xp.exp(log_diag)
        factor = padded[:, lower_index(d)] + e[:, :, None] * np.eye(d)
        whitened = xp.matmul(x - means[:, None, :], xp.swapaxes(factor, 1, 2))
        inner = (alphas + xp.sum(log_diag, axis=1))[:, None] - 0.5 * xp.sum(whitened**2, axis=2)
        peak, top = xp.max(inner, axis=0), xp.max(alphas)
        log_mix = peak + xp.log(xp.sum(xp.exp(inner - peak), axis=0))
        log_norm = top + xp.log(xp.sum(xp.exp(alphas - top)))
        prior = 0.5 * gamma**2 * (xp.sum(e**2) + xp.sum(lower**2)) - m * xp.sum(log_diag) - k * constant
        return xp.sum(log_mix) - n * log_norm - 0.5 * n * d * math.log(2.0 * math.pi) + prior

    return f


def lstm_step(xp, main, extra, hidden, cell, x_in):
    """One character: -> the new hidden and cell states, the log-probabilities of the next."""
    width = extra.shape[1]
    x = x_in * extra[0]
    new_hidden, new_cell = [], []
    for i in range(main.shape[0] // 2):
        w, b, h = main[2 * i], main[2 * i + 1], hidden[i]
        forget = 1.0 / (1.0 + xp.exp(-(x * w[:width] + b[:width])))
        ingate = 1.0 / (1.0 + xp.exp(-(h * w[width : 2 * width] + b[width : 2 * width])))
        outgate = 1.0 / (1.0 + xp.exp(-(x * w[2 * width : 3 * width] + b[2 * width : 3 * width])))
        c = cell[i] * forget + ingate * xp.tanh(h * w[3 * width :] + b[3 * width :])
        x = outgate * xp.tanh(c)
        new_hidden.append(x)
        new_cell.append(c)
    y = x * extra[1] + extra[2]
    return new_hidden, new_cell, y - xp.log(xp.sum(xp.exp(y)) + 2.0)


def lstm(xp):
    def f(main, extra, state, sequence):
        hidden, cell = list(state[0::2]), list(state[1::2])
        steps = sequence.shape[0] - 1
        total = 0.0
        for t in range(steps):
            hidden, cell, log_p = lstm_step(xp, main, extra, hidden, cell, sequence[t])
            total = total + xp.sum(sequence[t + 1] * log_p)
        return -total / (steps * extra.shape[1])

    return f


def lotka_volterra_step(stack, y, p, dt):
    def rhs(y):
        return stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])

    k1 = rhs(y)
    k2 = rhs(y + 0.5 * dt * k1)
    k3 = rhs(y + 0.5 * dt * k2)
    k4 = rhs(y + dt * k3)
    return y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def lotka_volterra(xp, stack):
    def f(p, y0, dt, steps):
        y = y0
        for _ in range(steps):
            y = lotka_volterra_step(stack, y, p, dt)
        return xp.sum((y - 1.0) ** 2)

    return f


def hmm_head(xp, init_logits, trans_logits, log_sd):
    e = xp.exp(init_logits - xp.max(init_logits))
    et = xp.exp(trans_logits - xp.max(trans_logits))
    return e / xp.sum(e), et / xp.reshape(xp.sum(et, 1), (-1, 1)), xp.exp(log_sd)


def hmm_emit(xp, alpha, y, means, sd):
    z = (y - means) / sd
    joint = alpha * (xp.exp(-0.5 * z * z) / sd)
    scale = xp.sum(joint)
    return joint / scale, xp.log(scale)


def hmm(xp):
    def f(init_logits, trans_logits, means, log_sd, y):
        alpha, trans, sd = hmm_head(xp, init_logits, trans_logits, log_sd)
        total = 0.0
        for t in range(y.shape[0]):
            if t > 0:
                alpha = xp.matmul(alpha, trans)
            alpha, log_scale = hmm_emit(xp, alpha, y[t], means, sd)
            total = total + log_scale
        return total - 0.5 * y.shape[0] * math.log(2.0 * math.pi)

    return f


# ------------------------------------------------------------------ the tools
def build_autograd(name, args, wrt):
    import autograd
    import autograd.numpy as xp

    forms = {
        "damped_sqrt": lambda: workloads.damped_sqrt,
        "lotka_volterra": lambda: lotka_volterra(xp, xp.array),
        "lotka_volterra_scalar": lambda: workloads.lotka_volterra_scalar,
        "hmm": lambda: hmm(xp),
        "gmm": lambda: gmm(xp),
        "lstm": lambda: lstm(xp),
    }
    f = forms[name]()

    def of_active(*active):
        given = list(args)
        for position, value in zip(wrt, active, strict=True):
            given[position] = value
        return f(*given)

    gradient = autograd.value_and_grad(of_active, argnum=tuple(range(len(wrt))))
    active = [args[position] for position in wrt]
    return lambda: gradient(*active)


def jax_forms():
    """Loops by scan and while_loop: unrolled ones take minutes to compile."""
    import jax
    import jax.numpy as xp

    def damped_sqrt(steps):
        def f(a, rate, tol):  # a while_loop has no reverse mode in JAX: the trips are given
            return jax.lax.fori_loop(0, steps, lambda _, x: x - rate * (x * x - a) / (2.0 * x), a)

        return f

    def scanned_lotka_volterra(steps):
        def f(p, y0, dt, _):
            def body(y, _):
                return lotka_volterra_step(xp.stack, y, p, dt), None

            return xp.sum((jax.lax.scan(body, y0, None, length=steps)[0] - 1.0) ** 2)

        return f

    def scanned_hmm(init_logits, trans_logits, means, log_sd, y):
        alpha, trans, sd = hmm_head(xp, init_logits, trans_logits, log_sd)
        alpha, first = hmm_emit(xp, alpha, y[0], means, sd)
        _, rest = jax.lax.scan(lambda alpha, y: hmm_emit(xp, alpha @ trans, y, means, sd), alpha, y[1:])
        return first + xp.sum(rest) - 0.5 * y.shape[0] * math.log(2.0 * math.pi)

    def scanned_lstm(main, extra, state, sequence):
        def body(carry, pair):
            hidden, cell, log_p = lstm_step(xp, main, extra, *carry, pair[0])
            return (hidden, cell), xp.sum(pair[1] * log_p)

        start = list(state[0::2]), list(state[1::2])
        _, terms = jax.lax.scan(body, start, (sequence[:-1], sequence[1:]))
        return -xp.sum(terms) / ((sequence.shape[0] - 1) * extra.shape[1])

    return {
        "damped_sqrt": lambda args: damped_sqrt(trips_of_damped_sqrt(*args)),
        "lotka_volterra": lambda args: scanned_lotka_volterra(args[3]),
        "lotka_volterra_scalar": lambda args: scanned_lotka_volterra(args[3]),
        "hmm": lambda args: scanned_hmm,
        "gmm": lambda args: lambda a, m, i, x: gmm(xp)(a, m, i, x, *args[4:]),
        "lstm": lambda args: scanned_lstm,
    }


def trips_of_damped_sqrt(a, rate, tol):
    x, trips = a, 0
    while abs(x * x - a) > tol:
        x = x - rate * (x * x - a) / (2.0 * x)
        trips += 1
    return trips


def build_jax(name, args, wrt):
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    f = jax_forms()[name](args)
    given = [jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    if name == "gmm":  # gamma and m are held in f
        given = given[:4]
    compiled = jax.jit(jax.value_and_grad(f, argnums=wrt))
    return lambda: jax.block_until_ready(compiled(*given))


def gmm_torch(alphas, means, icf, x, gamma, m):
    import torch

    n, d = x.shape
    k = alphas.shape[0]
    log_diag, lower = icf[:, :d], icf[:, d:]
    padded = torch.cat([lower, torch.zeros((k, 1), dtype=torch.float64)], dim=1)
    e = torch.exp(log_diag)
    factor = padded[:, torch.tensor(lower_index(d))] + e[:, :, None] * torch.eye(d, dtype=torch.float64)
    whitened = (x - means[:, None, :]) @ factor.transpose(1, 2)
    inner = (alphas + log_diag.sum(1))[:, None] - 0.5 * (whitened**2).sum(2)
    prior = 0.5 * gamma**2 * ((e**2).sum() + (lower**2).sum()) - m * log_diag.sum()
    prior = prior - k * workloads.wishart_constant(d, gamma, m)
    log_mix = torch.logsumexp(inner, 0).sum()
    return log_mix - n * torch.logsumexp(alphas, 0) - 0.5 * n * d * math.log(2.0 * math.pi) + prior


def build_torch(name, args, wrt):
    import torch

    torch.set_num_threads(1)
    forms = {
        "damped_sqrt": lambda: workloads.damped_sqrt,
        "lotka_volterra": lambda: lotka_volterra(torch, torch.stack),
        "lotka_volterra_scalar": lambda: workloads.lotka_volterra_scalar,
        "hmm": lambda: hmm(torch),
        "gmm": lambda: gmm_torch,
        "lstm": lambda: lstm(torch),
    }
    f = forms[name]()
    given = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in args]
    for position in wrt:
        given[position] = torch.tensor(args[position], dtype=torch.float64, requires_grad=True)
    active = [given[position] for position in wrt]

    def run():
        value = f(*given)
        return value.detach(), torch.autograd.grad(value, active)

    return run


BUILD = {"autograd": build_autograd, "jax": build_jax, "torch": build_torch}
