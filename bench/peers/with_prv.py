"""Times prv_accountant: numerical composition within given error bounds."""

from importlib.metadata import version

from prv_accountant import PRVAccountant
from prv_accountant.privacy_random_variables import GaussianMechanism, LaplaceMechanism, PoissonSubsampledGaussianMechanism

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


def event(_, handed):
    def one(e):
        if e[1] == "PoissonSampledDpEvent":
            return PoissonSubsampledGaussianMechanism(sampling_probability=e[2], noise_multiplier=e[3][2])
        return LaplaceMechanism(mu=1 / e[2]) if e[1] == "LaplaceDpEvent" else GaussianMechanism(noise_multiplier=e[2])

    def run():
        e = handed["event"]
        uses = e[2] if e[1] == "ComposedDpEvent" else [e]
        times = [u[3] for u in uses]
        at = handed["at"]
        accountant = PRVAccountant(prvs=[one(u[2]) for u in uses], max_self_compositions=times, eps_error=1e-2, delta_error=1e-15 if handed["delta"] else at / 1000)
        return accountant.compute_delta(at, times)[2] if handed["delta"] else accountant.compute_epsilon(at, times)[2]

    return run
