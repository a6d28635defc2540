"""Composition by prv_accountant: numerical, with errors that are asked for."""

from importlib.metadata import version

from prv_accountant import PRVAccountant
from prv_accountant.privacy_random_variables import LaplaceMechanism, PoissonSubsampledGaussianMechanism

VERSION = version("prv-accountant")


def upper(make, n):
    def run():
        accountant = PRVAccountant(prvs=[make()], max_self_compositions=[n], eps_error=1e-2, delta_error=1e-9)
        return accountant.compute_epsilon(1e-6, [n])[2]

    return run


def laplace(n, _):
    return upper(lambda: LaplaceMechanism(mu=0.1), n)


def subsampled(n, _):
    return upper(lambda: PoissonSubsampledGaussianMechanism(sampling_probability=0.01, noise_multiplier=1.0), n)
