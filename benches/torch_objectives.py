"""The objectives of `suite` as they are written for PyTorch, without loops over the data.

Each function takes the arguments of the Rust function by name. The models that are missing are loops of small steps.
"""

import math

import torch
from torch.nn import functional


def mlp(w1, b1, w2, b2, x, y):
    hidden = torch.addmm(b1, x, w1).tanh()
    return functional.mse_loss(torch.addmm(b2, hidden, w2), y)


def logistic(w, b, x, y):
    return functional.binary_cross_entropy_with_logits(x @ w + b, y)


def nnmf(w, h, x):
    return 0.5 * functional.mse_loss(w @ h, x, reduction="sum")


def conv(image, kernel, wanted):
    here = functional.conv2d(image[None, None], kernel[None, None])
    return functional.mse_loss(here[0, 0], wanted)


def gmm(alpha, mu, q, l, x, gamma, m):
    (n, d), k = x.shape, alpha.shape[0]
    diagonal, log_det = q.exp(), q.sum(1)
    columns, rows = torch.triu_indices(d, d, 1)  # column by column of the lower triangle
    factors = torch.diag_embed(diagonal).index_put(
        (torch.arange(k)[:, None], rows, columns), l
    )
    # The centres apart: the product is then one of large matrices.
    z = x @ factors.mT - (factors @ mu[:, :, None]).mT
    scores = alpha + log_det - 0.5 * (z * z).sum(2).T
    data = scores.logsumexp(1).sum() - n * alpha.logsumexp(0)
    nu = d + m + 1
    constant = nu * d * torch.log(gamma / math.sqrt(2))
    constant = constant - torch.special.multigammaln(torch.tensor(0.5 * nu, dtype=x.dtype), d)
    frobenius = (diagonal**2).sum() + (l**2).sum()
    prior = k * constant + m * log_det.sum() - 0.5 * gamma**2 * frobenius
    return data - 0.5 * n * d * math.log(2 * math.pi) + prior


def kmeans(centres, points):
    with torch.no_grad():
        squares = torch.addmm((centres**2).sum(1), points, centres.T, alpha=-2)
        nearest = squares.argmin(1)
    return functional.mse_loss(centres[nearest], points, reduction="sum")


def logsumexp(x):
    return x.logsumexp(0)


def llsq(x, n):
    t = torch.linspace(-1, 1, n, dtype=x.dtype)
    values = torch.zeros_like(t)
    for coefficient in x.flip(0):
        values = values * t + coefficient
    return 0.5 * functional.mse_loss(values, t.sign(), reduction="sum")


MODELS = {
    "conv": conv,
    "gmm": gmm,
    "kmeans": kmeans,
    "llsq": llsq,
    "logistic": logistic,
    "logsumexp": logsumexp,
    "mlp": mlp,
    "nnmf": nnmf,
}
