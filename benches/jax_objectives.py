"""The objectives of `suite` as they are written for JAX: batched, with scan where there is a sequence.

Each function takes the arguments of the Rust function by name; `against_jax` compiles it together with its gradient.
"""

import math

import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp as log_sum_exp
from jax.scipy.special import multigammaln


def gmm(alpha, mu, q, l, x, gamma, m):
    n, d = x.shape
    k = alpha.shape[0]
    diagonal, log_det = jnp.exp(q), jnp.sum(q, axis=1)
    columns, rows = jnp.triu_indices(d, 1)  # column by column of the lower triangle
    below = jnp.zeros((k, d, d), x.dtype).at[:, rows, columns].set(l)
    centred = x[:, None, :] - mu[None, :, :]
    z = diagonal * centred + jnp.einsum("kij,nkj->nki", below, centred)
    scores = alpha + log_det - 0.5 * jnp.sum(z**2, axis=2)
    data = jnp.sum(log_sum_exp(scores, axis=1)) - n * log_sum_exp(alpha)
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


def _reprojection(camera, point, weight, seen):
    r, d = camera[:3], point - camera[3:6]
    squared = r @ r
    zero = squared == 0
    angle = jnp.sqrt(jnp.where(zero, 1.0, squared))
    a = r / angle
    turned = (
        d * jnp.cos(angle)
        + jnp.cross(a, d) * jnp.sin(angle)
        + a * (a @ d) * (1 - jnp.cos(angle))
    )
    turned = jnp.where(zero, d + jnp.cross(r, d), turned)
    v = turned[:2] / turned[2]
    s = v @ v
    scale = camera[6] * (1 + camera[9] * s + camera[10] * s * s)
    return weight * (scale * v + camera[7:9] - seen)


def ba(cameras, points, weights, which, seen):
    observed = cameras[which[:, 0]], points[which[:, 1]], weights, seen
    e = jax.vmap(_reprojection)(*observed)
    return 0.5 * (jnp.sum(e**2) + jnp.sum((1 - weights**2) ** 2))


def _vertices(
    theta, parents, base_relatives, inverse_base_absolutes, base_positions, weights
):
    absolutes = []
    for b, parent in enumerate(parents):
        finger, joint = (b + 2) // 4, (b + 2) % 4
        here = base_relatives[b]
        if 1 <= finger <= 5 and joint < 3:
            x = theta[2 + 4 * finger + (joint + 1 if joint else 0)]
            sx, cx = jnp.sin(x), jnp.cos(x)
            turn = jnp.eye(4).at[1:3, 1:3].set(jnp.array([[cx, -sx], [sx, cx]]))
            if joint == 0:
                z = theta[3 + 4 * finger]
                sz, cz = jnp.sin(z), jnp.cos(z)
                about_z = jnp.eye(4).at[:2, :2].set(jnp.array([[cz, -sz], [sz, cz]]))
                turn = about_z @ turn
            here = here @ turn
        absolutes.append(here if parent < 0 else absolutes[parent] @ here)
    transforms = jnp.stack(absolutes)[:, :3] @ inverse_base_absolutes
    moved = jnp.einsum("brc,vc->bvr", transforms, base_positions)
    posed = jnp.einsum("vb,bvr->vr", weights, moved)

    squared = theta[:3] @ theta[:3]
    small = squared < 1e-8
    angle = jnp.sqrt(jnp.where(small, 1.0, squared))
    x, y, z = theta[:3] / angle
    turn = jnp.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    full = jnp.eye(3) + jnp.sin(angle) * turn + (1 - jnp.cos(angle)) * turn @ turn
    rotation = jnp.where(small, jnp.eye(3), full)
    return posed @ rotation.T + theta[3:6]


def hand(theta, touching, points, **model):
    residuals = points - _vertices(theta, **model)[touching]
    return 0.5 * jnp.sum(residuals**2)


def hand_complicated(theta, places, triangles, touching, points, **model):
    corners = _vertices(theta, **model)[triangles[touching]]
    u, v = places[:, 0], places[:, 1]
    shares = jnp.stack([u, v, 1 - u - v], axis=1)
    residuals = points - jnp.einsum("nc,ncr->nr", shares, corners)
    return 0.5 * jnp.sum(residuals**2)


def kmeans(centres, points):
    squares = (
        jnp.sum(points**2, axis=1)[:, None]
        + jnp.sum(centres**2, axis=1)[None, :]
        - 2 * points @ centres.T
    )
    return jnp.sum(jnp.min(squares, axis=1))


def logsumexp(x):
    largest = jnp.max(x)
    return largest + jnp.log(jnp.sum(jnp.exp(x - largest)))


def llsq(x, n):
    t = jnp.linspace(-1.0, 1.0, n)
    factors = jnp.broadcast_to(t[:, None], (n, x.shape[0])).at[:, 0].set(1.0)
    powers = jnp.cumprod(factors, axis=1)
    return 0.5 * jnp.sum((jnp.sign(t) - powers @ x) ** 2)


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
