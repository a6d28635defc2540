"""Times jax_privacy's optimisers of strategies for prefix sums, with compilation: errors at unit sensitivity."""

from importlib.metadata import version
from math import sqrt

import jax
import jax.numpy as jnp
from jax_privacy.matrix_factorization import banded as bands
from jax_privacy.matrix_factorization import buffered_toeplitz as buffers
from jax_privacy.matrix_factorization import toeplitz as coefficients

VERSION = version("jax-privacy")
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def toeplitz(n, _):
    return lambda: sqrt(coefficients.loss(coefficients.optimize_banded_toeplitz(n, n), n))


def banded(n, _):
    return lambda: sqrt(jnp.mean(bands.per_query_error(bands.optimize(n, bands=32))))


def blt(n, _):
    return lambda: sqrt(buffers.max_loss(buffers.optimize(n=n, min_buffers=4, max_buffers=4), n))
