"""The objectives of `suite` as they are written for JAX: batched, with scan where there is a sequence.

Where several ways were tried, it is the fastest of them. Each function takes the
arguments of the Rust function by name; `against_jax` compiles it together with its gradient.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp as log_sum_exp
from jax.scipy.special import multigammaln


def gmm(alpha, mu, q, l, x, gamma, m):
    n, d = x.shape
    k = alpha.shape[0]
    diagonal, log_det = jnp.exp(q), jnp.sum(q, axis=1)
    columns, rows = np.triu_indices(d, 1)  # column by column of the lower triangle
    factors = jnp.zeros((k, d, d), x.dtype).at[:, rows, columns].set(l)
    factors = factors.at[:, np.arange(d), np.arange(d)].set(diagonal)
    # Points last, and the centres apart: the product is then one of large matrices.
    z = jnp.einsum("kij,nj->kin", factors, x)
    z = z - jnp.einsum("kij,kj->ki", factors, mu)[:, :, None]
    scores = (alpha + log_det)[:, None] - 0.5 * jnp.sum(z**2, axis=1)
    data = jnp.sum(log_sum_exp(scores, axis=0)) - n * log_sum_exp(alpha)
    nu = d + m + 1
    constant = nu * d * jnp.log(gamma / math.sqrt(2)) - multigammaln(0.5 * nu, d)
    frobenius = jnp.sum(diagonal**2) + jnp.sum(l**2)
    prior = k * constant + m * jnp.sum(log_det) - 0.5 * gamma**2 * frobenius
    return data - 0.5 * n * d * math.log(2 * math.pi) + prior


def lstm(weights, extra, state, sequence):
    length, b = sequence.shape
    layers = state.shape[0] // 2
    weights = weights.reshape(layers, 2, 4, b)

    def step(state, pair):
        now, after = pair
        said, states = now * extra[0], []
        for i in range(layers):
            w, bias = weights[i]
            before, memory = state[i]
            forget = jax.nn.sigmoid(said * w[0] + bias[0])
            enter = jax.nn.sigmoid(before * w[1] + bias[1])
            out = jax.nn.sigmoid(said * w[2] + bias[2])
            change = jnp.tanh(before * w[3] + bias[3])
            cell = memory * forget + enter * change
            said = out * jnp.tanh(cell)
            states.append(jnp.stack([said, cell]))
        guess = said * extra[1] + extra[2]
        norm = jnp.log(2 + jnp.sum(jnp.exp(guess)))
        return jnp.stack(states), jnp.sum(after * (guess - norm))

    state = state.reshape(layers, 2, b)
    _, totals = jax.lax.scan(step, state, (sequence[:-1], sequence[1:]))
    return -jnp.sum(totals) / (b * (length - 1))


def ba(cameras, points, weights, which, seen):
    # A vector over all observations for each number.
    shown = reprojection(cameras[which[:, 0]].T, points[which[:, 1]].T, seen.T)
    return 0.5 * jnp.sum((weights * shown) ** 2) + 0.5 * jnp.sum((1 - weights**2) ** 2)


def reprojection(camera, point, seen):
    r0, r1, r2, c0, c1, c2, focal, u0, u1, k1, k2 = camera
    x0, x1, x2 = point
    d = d0, d1, d2 = x0 - c0, x1 - c1, x2 - c2

    def cross(a0, a1, a2):
        return a1 * d2 - a2 * d1, a2 * d0 - a0 * d2, a0 * d1 - a1 * d0

    squared = r0 * r0 + r1 * r1 + r2 * r2
    zero = squared == 0
    angle = jnp.sqrt(jnp.where(zero, 1.0, squared))
    sine, cosine = jnp.sin(angle), jnp.cos(angle)
    a = a0, a1, a2 = r0 / angle, r1 / angle, r2 / angle
    along = (a0 * d0 + a1 * d1 + a2 * d2) * (1 - cosine)
    y0, y1, y2 = (
        jnp.where(zero, d + small, d * cosine + c * sine + a * along)
        for d, small, c, a in zip(d, cross(r0, r1, r2), cross(*a), a)
    )
    v0, v1 = y0 / y2, y1 / y2
    s = v0 * v0 + v1 * v1
    scale = focal * (1 + k1 * s + k2 * s * s)
    return jnp.stack([scale * v0 + u0 - seen[0], scale * v1 + u1 - seen[1]])


def vertices(
    theta, parents, base_relatives, inverse_base_absolutes, base_positions, weights
):
    bones = len(parents)
    fingers, first = theta[6:].reshape(5, 4), 2 + 4 * np.arange(5)
    x = jnp.zeros(bones).at[first[:, None] + np.arange(3)].set(fingers[:, [0, 2, 3]])
    z = jnp.zeros(bones).at[first].set(fingers[:, 1])
    relatives = base_relatives @ _turns(x, z)

    # All bones that are equally far from the root at once.
    depths = []
    for parent in parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    order, levels = [], []
    for depth in range(max(depths) + 1):
        level = [b for b in range(bones) if depths[b] == depth]
        here = relatives[np.array(level)]
        if depth > 0:
            above = [b for b in range(bones) if depths[b] == depth - 1]
            here = levels[-1][np.array([above.index(parents[b]) for b in level])] @ here
        levels.append(here)
        order += level
    absolutes = jnp.concatenate(levels)[np.argsort(order)]
    transforms = absolutes[:, :3] @ inverse_base_absolutes
    blended = jnp.einsum("vb,brc->vrc", weights, transforms)
    posed = jnp.einsum("vrc,vc->vr", blended, base_positions)

    squared = theta[:3] @ theta[:3]
    small = squared < 1e-8
    angle = jnp.sqrt(jnp.where(small, 1.0, squared))
    x, y, z = theta[:3] / angle
    turn = jnp.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    full = jnp.eye(3) + jnp.sin(angle) * turn + (1 - jnp.cos(angle)) * turn @ turn
    rotation = jnp.where(small, jnp.eye(3), full)
    return posed @ rotation.T + theta[3:6]


def _turns(x, z):
    sx, cx, sz, cz = jnp.sin(x), jnp.cos(x), jnp.sin(z), jnp.cos(z)
    no, yes = jnp.zeros_like(x), jnp.ones_like(x)
    rows = [
        [cz, -sz * cx, sz * sx, no],
        [sz, cz * cx, -cz * sx, no],
        [no, sx, cx, no],
        [no, no, no, yes],
    ]
    return jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)


def hand(theta, touching, points, **model):
    residuals = points - vertices(theta, **model)[touching]
    return 0.5 * jnp.sum(residuals**2)


def hand_complicated(theta, places, triangles, touching, points, **model):
    corners = vertices(theta, **model)[triangles[touching]]
    u, v = places[:, 0], places[:, 1]
    shares = jnp.stack([u, v, 1 - u - v], axis=1)
    residuals = points - jnp.einsum("nc,ncr->nr", shares, corners)
    return 0.5 * jnp.sum(residuals**2)


def kmeans(centres, points):
    squares = jnp.sum(centres**2, axis=1) - 2 * points @ centres.T
    nearest = jnp.argmin(squares, axis=1)
    return jnp.sum((points - centres[nearest]) ** 2)


def logsumexp(x):
    return log_sum_exp(x)


def llsq(x, n):
    t = jnp.linspace(-1.0, 1.0, n)
    values = jnp.polyval(x[::-1], t, unroll=x.shape[0])
    return 0.5 * jnp.sum((jnp.sign(t) - values) ** 2)


def ode(x, s):
    h = 2.0 / s

    def slope(y):
        return x * jnp.concatenate([jnp.ones(1, x.dtype), y[:-1]])

    def step(y, _):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    y, _ = jax.lax.scan(step, jnp.zeros_like(x), None, length=s)
    return y[-1]


def mlp(w1, b1, w2, b2, x, y):
    hidden = jnp.tanh(x @ w1 + b1)
    return jnp.mean((hidden @ w2 + b2 - y) ** 2)


def logistic(w, b, x, y):
    z = x @ w + b
    return jnp.mean(jax.nn.softplus(z) - y * z)


def nnmf(w, h, x):
    return 0.5 * jnp.sum((x - w @ h) ** 2)


def conv(image, kernel, wanted):
    here = jax.lax.conv_general_dilated(
        image[None, None], kernel[None, None], (1, 1), "VALID"
    )
    return jnp.mean((here[0, 0] - wanted) ** 2)


MODELS = {
    "ba": ba,
    "conv": conv,
    "gmm": gmm,
    "hand": hand,
    "hand_complicated": hand_complicated,
    "kmeans": kmeans,
    "llsq": llsq,
    "logistic": logistic,
    "logsumexp": logsumexp,
    "lstm": lstm,
    "mlp": mlp,
    "nnmf": nnmf,
    "ode": ode,
}
# Structure rather than data: known when the function is compiled, as are all scalars of whole numbers.
STATIC = {"parents"}
