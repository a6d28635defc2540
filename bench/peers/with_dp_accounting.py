"""Times dp_accounting: Gaussian noise, and composition on its grid of privacy losses."""

import math
from importlib.metadata import version

from dp_accounting import dp_event
from dp_accounting.pld import common, pld_privacy_accountant, privacy_loss_mechanism
from dp_accounting.pld import privacy_loss_distribution as pld

VERSION = version("dp-accounting")
GRID = {"value_discretization_interval": 1e-4}


def between(n):
    return [0.5 + i / n for i in range(n)]


def sigma(n, _):
    make = privacy_loss_mechanism.GaussianPrivacyLoss.from_privacy_guarantee
    return lambda: sum(make(common.DifferentialPrivacyParameters(x, 1e-5)).standard_deviation for x in between(n))


def delta(n, _):
    return lambda: sum(privacy_loss_mechanism.GaussianPrivacyLoss(x).get_delta_for_epsilon(1.0) for x in between(n))


def laplace(n, _):
    return lambda: pld.from_laplace_mechanism(10, **GRID).self_compose(n).get_epsilon_for_delta(1e-6)


def subsampled(n, _):
    return lambda: pld.from_gaussian_mechanism(1.0, sampling_prob=0.01, **GRID).self_compose(n).get_epsilon_for_delta(1e-6)


def mixture(n, _):
    eps, grows = 0.02, 0.4
    falls = grows * math.exp(-eps)
    masses = [grows, 1 - grows - falls, falls]

    def logs(p):
        return {i: math.log(m) for i, m in enumerate(p)}

    def run():
        every = pld.from_gaussian_mechanism(50.0, **GRID).self_compose(n)
        every = every.compose(pld.from_laplace_mechanism(1 / eps, **GRID).self_compose(n))
        staircase = pld.from_two_probability_mass_functions(logs(masses[::-1]), logs(masses), **GRID)
        every = every.compose(staircase.self_compose(n))
        return sum(every.get_delta_for_epsilon(e) for e in (7.5, 10.0, 15.0, 20.0, 24.0))

    return run


def masses(n, handed):
    lower, upper = ({i: math.log(m) for i, m in enumerate(p) if m > 0} for p in handed)
    return lambda: pld.from_two_probability_mass_functions(lower, upper, **GRID).self_compose(n).get_epsilon_for_delta(1e-6)


def event(_, handed):
    def read(e):
        if not isinstance(e, list):
            return e
        if e[0] != "":
            return [read(x) for x in e]
        return getattr(dp_event, e[1])(*map(read, e[2:]))

    def run():
        accountant = pld_privacy_accountant.PLDAccountant()
        accountant.compose(read(handed["event"]))
        return accountant.get_delta(handed["at"]) if handed["delta"] else accountant.get_epsilon(handed["at"])

    return run
