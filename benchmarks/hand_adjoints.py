"""Hand-written adjoints of some of workloads.py: the speed yardstick, no part of the product.

A forward sweep that keeps what is needed, then an explicit reverse sweep. Every function returns
``(value, gradients...)``.
"""

import math

import numpy as np


# ------------------------------------------------------------------ GMM, whole arrays (NumPy only)
def gmm_grad(alphas, means, icf, x, gamma, m, constant):
    n, d = x.shape
    k = alphas.shape[0]
    log_diag = icf[:, :d]
    lower = icf[:, d:]
    cols, rows = np.triu_indices(d, 1)
    diag = np.arange(d)
    factor = np.zeros((k, d, d))
    factor[:, rows, cols] = lower
    e = np.exp(log_diag)
    factor[:, diag, diag] = e
    sum_log_diag = np.sum(log_diag, axis=1)
    centred = x - means[:, None, :]
    whitened = centred @ np.swapaxes(factor, 1, 2)
    inner = (alphas + sum_log_diag)[:, None] - 0.5 * np.sum(whitened**2, axis=2)
    peak = np.max(inner, axis=0)
    ex = np.exp(inner - peak)
    s = np.sum(ex, axis=0)
    log_mix = peak + np.log(s)
    peak_a = np.max(alphas)
    ea = np.exp(alphas - peak_a)
    sa = np.sum(ea)
    log_norm = peak_a + np.log(sa)
    prior = 0.5 * gamma**2 * (np.sum(e**2) + np.sum(lower**2)) - m * np.sum(log_diag) - k * constant
    value = np.sum(log_mix) - n * log_norm - 0.5 * n * d * math.log(2.0 * math.pi) + prior
    # reverse sweep, value_bar = 1
    log_diag_bar = gamma**2 * e * e - m
    lower_bar = gamma**2 * lower
    alphas_bar = (-n / sa) * ea
    peak_a_bar = -n - np.sum(alphas_bar)
    alphas_bar[np.argmax(alphas)] += peak_a_bar
    inner_bar = ex / s
    peak_bar = 1.0 - np.sum(inner_bar, axis=0)
    inner_bar[np.argmax(inner, axis=0), np.arange(n)] += peak_bar
    sum_bar = np.sum(inner_bar, axis=1)
    alphas_bar += sum_bar
    log_diag_bar += sum_bar[:, None]
    whitened_bar = -inner_bar[:, :, None] * whitened
    factor_bar = np.swapaxes(whitened_bar, 1, 2) @ centred
    means_bar = -np.sum(whitened_bar @ factor, axis=1)
    log_diag_bar += factor_bar[:, diag, diag] * e
    lower_bar += factor_bar[:, rows, cols]
    icf_bar = np.empty_like(icf)
    icf_bar[:, :d] = log_diag_bar
    icf_bar[:, d:] = lower_bar
    return value, alphas_bar, means_bar, icf_bar


# ------------------------------------------------------------------ ordinary code
def damped_sqrt_grad(a, rate, tol):
    x = a
    r = x * x - a
    stack_x = []
    stack_r = []
    count = 0
    while abs(r) > tol:
        stack_x.append(x)
        stack_r.append(r)
        x = x - rate * r / (2.0 * x)
        r = x * x - a
        count += 1
    value = x
    x_bar = 1.0
    a_bar = 0.0
    r_bar = 0.0
    for _ in range(count):
        x_bar += 2.0 * x * r_bar
        a_bar -= r_bar
        x = stack_x.pop()
        r = stack_r.pop()
        r_bar = -rate / (2.0 * x) * x_bar
        x_bar += rate * r / (2.0 * x * x) * x_bar
    x_bar += 2.0 * x * r_bar
    a_bar -= r_bar
    a_bar += x_bar
    return value, a_bar


def lotka_volterra_grad(p, y0, dt, steps):
    y = y0
    st_y = np.empty((steps, 2))
    st_k1 = np.empty((steps, 2))
    st_k2 = np.empty((steps, 2))
    st_k3 = np.empty((steps, 2))
    for i in range(steps):
        st_y[i] = y
        k1 = np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])
        z = y + 0.5 * dt * k1
        k2 = np.array([p[0] * z[0] - p[1] * z[0] * z[1], p[2] * z[0] * z[1] - p[3] * z[1]])
        z = y + 0.5 * dt * k2
        k3 = np.array([p[0] * z[0] - p[1] * z[0] * z[1], p[2] * z[0] * z[1] - p[3] * z[1]])
        z = y + dt * k3
        k4 = np.array([p[0] * z[0] - p[1] * z[0] * z[1], p[2] * z[0] * z[1] - p[3] * z[1]])
        st_k1[i] = k1
        st_k2[i] = k2
        st_k3[i] = k3
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    value = np.sum((y - 1.0) ** 2)
    y_bar = 2.0 * (y - 1.0)
    p_bar = np.zeros(4)
    for i in range(steps - 1, -1, -1):
        y = st_y[i]
        k_bar = dt / 6.0 * y_bar
        k4_bar = k_bar
        k3_bar = 2.0 * k_bar
        k2_bar = 2.0 * k_bar
        k1_bar = k_bar
        z = y + dt * st_k3[i]
        z_bar = lotka_volterra_rhs_bar(z, p, k4_bar, p_bar)
        y_bar = y_bar + z_bar
        k3_bar = k3_bar + dt * z_bar
        z = y + 0.5 * dt * st_k2[i]
        z_bar = lotka_volterra_rhs_bar(z, p, k3_bar, p_bar)
        y_bar = y_bar + z_bar
        k2_bar = k2_bar + 0.5 * dt * z_bar
        z = y + 0.5 * dt * st_k1[i]
        z_bar = lotka_volterra_rhs_bar(z, p, k2_bar, p_bar)
        y_bar = y_bar + z_bar
        k1_bar = k1_bar + 0.5 * dt * z_bar
        y_bar = y_bar + lotka_volterra_rhs_bar(y, p, k1_bar, p_bar)
    return value, p_bar, y_bar


def lotka_volterra_rhs_bar(y, p, out_bar, p_bar):
    xy = y[0] * y[1]
    p_bar[0] += out_bar[0] * y[0]
    p_bar[1] -= out_bar[0] * xy
    p_bar[2] += out_bar[1] * xy
    p_bar[3] -= out_bar[1] * y[1]
    y_bar = np.empty(2)
    y_bar[0] = out_bar[0] * (p[0] - p[1] * y[1]) + out_bar[1] * p[2] * y[1]
    y_bar[1] = out_bar[1] * (p[2] * y[0] - p[3]) - out_bar[0] * p[1] * y[0]
    return y_bar


def burgers_grad(u0, nu, dt, dx, steps):
    u = u0.copy()
    stack = np.empty((steps, u.shape[0], u.shape[1]))
    for t in range(steps):
        stack[t] = u
        old = stack[t]
        centre = old[1:-1, 1:-1]
        east, west = old[2:, 1:-1], old[:-2, 1:-1]
        north, south = old[1:-1, 2:], old[1:-1, :-2]
        u[1:-1, 1:-1] = (
            centre
            - dt / (2.0 * dx) * centre * (east - west + north - south)
            + nu * dt / (dx * dx) * (east + west + north + south - 4.0 * centre)
        )
    value = 0.5 * np.sum(u * u) * dx * dx
    u_bar = u * (dx * dx)
    nu_bar = 0.0
    adv = dt / (2.0 * dx)
    dif = nu * dt / (dx * dx)
    for t in range(steps - 1, -1, -1):
        old = stack[t]
        centre = old[1:-1, 1:-1]
        east, west = old[2:, 1:-1], old[:-2, 1:-1]
        north, south = old[1:-1, 2:], old[1:-1, :-2]
        g = u_bar[1:-1, 1:-1].copy()
        u_bar[1:-1, 1:-1] = 0.0
        old_bar = u_bar
        nu_bar += dt / (dx * dx) * np.sum(g * (east + west + north + south - 4.0 * centre))
        lap_bar = dif * g
        adv_bar = -adv * g * centre
        plus = lap_bar + adv_bar
        minus = lap_bar - adv_bar
        old_bar[1:-1, 1:-1] += g * (1.0 - adv * (east - west + north - south)) - 4.0 * lap_bar
        old_bar[2:, 1:-1] += plus
        old_bar[:-2, 1:-1] += minus
        old_bar[1:-1, 2:] += plus
        old_bar[1:-1, :-2] += minus
        u_bar = old_bar
    return value, u_bar, nu_bar


def burgers_loops_grad(u0, nu, dt, dx, steps):
    n, m = u0.shape
    u = u0.copy()
    stack = np.empty((steps, n, m))
    for t in range(steps):
        old = stack[t]
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
    u_bar = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            u_bar[i, j] += u[i, j] * dx * dx
    nu_bar = 0.0
    old_bar = np.zeros((n, m))
    for t in range(steps - 1, -1, -1):
        old = stack[t]
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                g = u_bar[i, j]
                u_bar[i, j] = 0.0
                gradient = old[i + 1, j] - old[i - 1, j] + old[i, j + 1] - old[i, j - 1]
                laplace = old[i + 1, j] + old[i - 1, j] + old[i, j + 1] + old[i, j - 1] - 4.0 * old[i, j]
                nu_bar += dt / (dx * dx) * laplace * g
                laplace_bar = nu * dt / (dx * dx) * g
                gradient_bar = -dt / (2.0 * dx) * old[i, j] * g
                old_bar[i, j] += g - dt / (2.0 * dx) * gradient * g - 4.0 * laplace_bar
                old_bar[i + 1, j] += laplace_bar + gradient_bar
                old_bar[i - 1, j] += laplace_bar - gradient_bar
                old_bar[i, j + 1] += laplace_bar + gradient_bar
                old_bar[i, j - 1] += laplace_bar - gradient_bar
        for i in range(n):
            for j in range(m):
                u_bar[i, j] += old_bar[i, j]
                old_bar[i, j] = 0.0
    return energy, u_bar, nu_bar


def hmm_grad(init_logits, trans_logits, means, log_sd, y):
    n = y.shape[0]
    s = means.shape[0]
    e = np.exp(init_logits - np.max(init_logits))
    init = e / np.sum(e)
    et = np.exp(trans_logits - np.max(trans_logits))
    row = np.sum(et, axis=1).reshape(-1, 1)
    trans = et / row
    sd = np.exp(log_sd)
    st_alpha = np.empty((n, s))
    st_pred = np.empty((n, s))
    st_z = np.empty((n, s))
    st_emit = np.empty((n, s))
    st_scale = np.empty(n)
    total = 0.0
    alpha = init
    for t in range(n):
        if t > 0:
            alpha = alpha @ trans
        z = (y[t] - means) / sd
        emit = np.exp(-0.5 * z * z) / sd
        joint = alpha * emit
        scale = np.sum(joint)
        st_pred[t] = alpha
        alpha = joint / scale
        total += np.log(scale)
        st_z[t] = z
        st_emit[t] = emit
        st_scale[t] = scale
        st_alpha[t] = alpha
    value = total - 0.5 * n * np.log(2.0 * np.pi)
    alpha_bar = np.zeros(s)
    trans_bar = np.zeros((s, s))
    means_bar = np.zeros(s)
    sd_bar = np.zeros(s)
    for t in range(n - 1, -1, -1):
        scale = st_scale[t]
        emit = st_emit[t]
        z = st_z[t]
        scale_bar = (1.0 - np.dot(alpha_bar, st_alpha[t])) / scale
        joint_bar = alpha_bar / scale + scale_bar
        emit_bar = joint_bar * st_pred[t]
        pred_bar = joint_bar * emit
        w = emit_bar * emit
        z_bar = -w * z
        means_bar -= z_bar / sd
        sd_bar -= (w + z_bar * z) / sd
        if t > 0:
            trans_bar += np.outer(st_alpha[t - 1], pred_bar)
            alpha_bar = trans @ pred_bar
        else:
            alpha_bar = pred_bar
    log_sd_bar = sd_bar * sd
    init_logits_bar = init * (alpha_bar - np.dot(alpha_bar, init))
    trans_logits_bar = trans * (trans_bar - np.sum(trans_bar * trans, axis=1).reshape(-1, 1))
    return value, init_logits_bar, trans_logits_bar, means_bar, log_sd_bar


# ------------------------------------------------------------------ LSTM
def lstm_grad(main, extra, state, sequence):
    layers, width, steps = main.shape[0] // 2, extra.shape[1], sequence.shape[0] - 1
    hidden, cell = list(state[0::2]), list(state[1::2])
    total = 0.0
    kept, out_kept = [], []
    for t in range(steps):
        x = sequence[t] * extra[0]
        for i in range(layers):
            w, b, h, old = main[2 * i], main[2 * i + 1], hidden[i], cell[i]
            forget = 1.0 / (1.0 + np.exp(-(x * w[:width] + b[:width])))
            ingate = 1.0 / (1.0 + np.exp(-(h * w[width : 2 * width] + b[width : 2 * width])))
            outgate = 1.0 / (1.0 + np.exp(-(x * w[2 * width : 3 * width] + b[2 * width : 3 * width])))
            change = np.tanh(h * w[3 * width :] + b[3 * width :])
            cell[i] = old * forget + ingate * change
            squashed = np.tanh(cell[i])
            kept.append((x, h, old, forget, ingate, outgate, change, squashed))
            x = hidden[i] = outgate * squashed
        y = x * extra[1] + extra[2]
        e = np.exp(y)
        s = np.sum(e) + 2.0
        out_kept.append((x, e, s))
        total += np.sum(sequence[t + 1] * (y - np.log(s)))
    scale = -1.0 / (steps * width)
    # reverse sweep
    main_bar, extra_bar = np.zeros_like(main), np.zeros_like(extra)
    hidden_bar, cell_bar = [0.0] * layers, [0.0] * layers
    for t in reversed(range(steps)):
        x, e, s = out_kept.pop()
        y_bar = scale * sequence[t + 1]
        y_bar -= np.sum(y_bar) / s * e
        extra_bar[1] += y_bar * x
        extra_bar[2] += y_bar
        x_bar = y_bar * extra[1]
        for i in reversed(range(layers)):
            x, h, old, forget, ingate, outgate, change, squashed = kept.pop()
            x_bar = x_bar + hidden_bar[i]
            c_bar = cell_bar[i] + x_bar * outgate * (1.0 - squashed * squashed)
            cell_bar[i] = c_bar * forget
            forget_bar = c_bar * old * forget * (1.0 - forget)
            ingate_bar = c_bar * change * ingate * (1.0 - ingate)
            outgate_bar = x_bar * squashed * outgate * (1.0 - outgate)
            change_bar = c_bar * ingate * (1.0 - change * change)
            w, w_bar, b_bar = main[2 * i], main_bar[2 * i], main_bar[2 * i + 1]
            w_bar[:width] += forget_bar * x
            w_bar[width : 2 * width] += ingate_bar * h
            w_bar[2 * width : 3 * width] += outgate_bar * x
            w_bar[3 * width :] += change_bar * h
            b_bar[:width] += forget_bar
            b_bar[width : 2 * width] += ingate_bar
            b_bar[2 * width : 3 * width] += outgate_bar
            b_bar[3 * width :] += change_bar
            hidden_bar[i] = ingate_bar * w[width : 2 * width] + change_bar * w[3 * width :]
            x_bar = forget_bar * w[:width] + outgate_bar * w[2 * width : 3 * width]
        extra_bar[0] += x_bar * sequence[t]
    return total * scale, main_bar, extra_bar


# ------------------------------------------------------------------ Lotka-Volterra, scalars
def lotka_volterra_scalar_grad(p, y0, dt, steps):
    a, b, c, d = p[0], p[1], p[2], p[3]
    x, y = y0[0], y0[1]
    kept = []
    for _ in range(steps):
        k1x = a * x - b * x * y
        k1y = c * x * y - d * y
        u2 = x + 0.5 * dt * k1x
        v2 = y + 0.5 * dt * k1y
        k2x = a * u2 - b * u2 * v2
        k2y = c * u2 * v2 - d * v2
        u3 = x + 0.5 * dt * k2x
        v3 = y + 0.5 * dt * k2y
        k3x = a * u3 - b * u3 * v3
        k3y = c * u3 * v3 - d * v3
        u4 = x + dt * k3x
        v4 = y + dt * k3y
        k4x = a * u4 - b * u4 * v4
        k4y = c * u4 * v4 - d * v4
        kept.append((x, y, u2, v2, u3, v3, u4, v4))
        x = x + dt / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x)
        y = y + dt / 6.0 * (k1y + 2.0 * k2y + 2.0 * k3y + k4y)
    value = (x - 1.0) ** 2 + (y - 1.0) ** 2
    # reverse sweep
    x_bar, y_bar = 2.0 * (x - 1.0), 2.0 * (y - 1.0)
    a_bar = b_bar = c_bar = d_bar = 0.0
    for _ in range(steps):
        x, y, u2, v2, u3, v3, u4, v4 = kept.pop()
        gx, gy = dt / 6.0 * x_bar, dt / 6.0 * y_bar  # k4_bar
        u_bar = gx * (a - b * v4) + gy * c * v4
        v_bar = gy * (c * u4 - d) - gx * b * u4
        a_bar += gx * u4
        b_bar -= gx * u4 * v4
        c_bar += gy * u4 * v4
        d_bar -= gy * v4
        hx, hy = 2.0 * gx + dt * u_bar, 2.0 * gy + dt * v_bar  # k3_bar
        x_bar, y_bar = x_bar + u_bar, y_bar + v_bar
        u_bar = hx * (a - b * v3) + hy * c * v3
        v_bar = hy * (c * u3 - d) - hx * b * u3
        a_bar += hx * u3
        b_bar -= hx * u3 * v3
        c_bar += hy * u3 * v3
        d_bar -= hy * v3
        hx, hy = 2.0 * gx + 0.5 * dt * u_bar, 2.0 * gy + 0.5 * dt * v_bar  # k2_bar
        x_bar, y_bar = x_bar + u_bar, y_bar + v_bar
        u_bar = hx * (a - b * v2) + hy * c * v2
        v_bar = hy * (c * u2 - d) - hx * b * u2
        a_bar += hx * u2
        b_bar -= hx * u2 * v2
        c_bar += hy * u2 * v2
        d_bar -= hy * v2
        hx, hy = gx + 0.5 * dt * u_bar, gy + 0.5 * dt * v_bar  # k1_bar
        x_bar, y_bar = x_bar + u_bar, y_bar + v_bar
        a_bar += hx * x
        b_bar -= hx * x * y
        c_bar += hy * x * y
        d_bar -= hy * y
        u_bar = hx * (a - b * y) + hy * c * y
        v_bar = hy * (c * x - d) - hx * b * x
        x_bar, y_bar = x_bar + u_bar, y_bar + v_bar
    return value, np.array([a_bar, b_bar, c_bar, d_bar]), np.array([x_bar, y_bar])
