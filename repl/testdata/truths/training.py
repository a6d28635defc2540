"""Training loops: at rate 1 the steps are one use of Gaussian noise."""
import cmath
import math
from tools import *


def sampled(sigma, rate, steps, eps, tilt):
    """δ(ε) of the removal of a record, in float64: ∫ M(z)^k e^{−zε}/(z(z + 1)) dz/(2πi) over Re z = tilt, M(z) = E_P e^{zL}."""
    def moment(z):
        total, h = 0, 0.05
        for k in range(int(-9 / h), int((9 + (1 + tilt) / sigma) / h)):
            x = k * h
            total += cmath.exp((1 + z) * math.log1p(rate * math.expm1(x / sigma - 1 / (2 * sigma * sigma))) - x * x / 2) * h
        return total / math.sqrt(2 * math.pi)
    step, out = 0.1, 0
    for k in range(400):
        z = complex(tilt, k * step)
        out += (0.5 if k == 0 else 1) * (cmath.exp(steps * cmath.log(moment(z)) - z * eps) / (z * (z + 1))).real
    return out * step / math.pi


mu = mpf(1) / 4
m = "type training."
at = bisect(lambda e: gaussian(e, mu) - mpf("1e-6"), mpf("0.1"), mpf(9))
ppm = mpf("1e-5")
needed = bisect(lambda s: gaussian(1, 1 / s) - ppm, mpf("0.1"), mpf(99))  # σ at (1, 1e-5)
say("dp_sgd", "0?", bisect(lambda e: sampled(1, 0.01, 1000, float(e), 5) - 1e-6, mpf(2), mpf("2.3")))
say("dp_sgd", "1?", 10 * needed)
every("dp_sgd", mpf("37.31"), 100, 1)
for name, value in {
    "delta_at": gaussian(log(mpf(2)), mu), "epsilon_at": at, "gdp": mu, "renyi": mu ** 2, "zcdp": mu ** 2 / 2, "worst": "inf", "smallest_epsilon": "inf",
}.items():
    say(m + name, 0, value)
say(m + "found", "0?", (20 / needed) ** 2)
several(m + "report", "inf", at, mu ** 2 / 2, mu, *[gaussian(mpf(e), mu) for e in (0, 0.265, 0.53, 0.796, 1.06)], "inf")
every("type training", 20, 25, 1)
every(m + "noise_multiplier", 20)
every(m + "rate", 1)
every(m + "steps", 25)


def rdp(order, tighter):
    e = order * mu ** 2 / 2 - log(ppm) / (order - 1)
    return e + log(1 - mpf(1) / order) - log(mpf(order)) / (order - 1) if tighter else e


best = [min(range(2, 65), key=lambda order: rdp(order, tighter)) for tighter in (False, True)]
rows = [bisect(lambda e: gaussian(e, mu) - ppm, mpf("0.1"), mpf(9)), best[0], rdp(best[0], False), best[1], rdp(best[1], True),
        bisect(lambda e: gaussian(e, sqrt(25 * (exp(mpf(1) / 400) - 1))) - ppm, mpf("0.1"), mpf(9))]
none("a drawing: its ticks are no results", m + "plot")
none("parameters, places in papers, and the ticks of a drawing", m + "report")
none("a polygon below the trade-off function of two normal laws, and its distance", m + "tradeoff")
none("years of papers, δ, and numbers rounded up: " + ", ".join(mp.nstr(r, 7) for r in rows), m + "table")


# Events: a hundred steps of the sampled Gaussian; zero-concentrated privacy by Canonne, Kamath and Steinke 2020, Proposition 12.
say("account", "0?", bisect(lambda e: sampled(1, 0.01, 100, float(e), 6) - 1e-6, mpf("0.8"), mpf("1.1")))



def of_zcdp(rho):
    at = lambda a: rho * a - log(mpf("1e-6") * a) / (a - 1) + log(1 - 1 / a)
    low, high = mpf("1.01"), mpf(1000)
    for _ in range(200):  # it falls, then rises
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if at(a) < at(b) else (a, high)
    return at(low)


say("account", 1, of_zcdp(mpf("0.1")))
spent = mpf(1) / 800 + zcdp(pairs_of(q4, purest(q4, exp(mpf(-5) / 100))))
limit = bisect(lambda rho: 1 - of_zcdp(rho), mpf("0.001"), mpf("0.1"))
less = sqrt(log(mpf(10) ** 6) / limit)  # α − 1 of the odometer, whose ε has its least derivative where all is spent
for k, v in enumerate([spent, limit - spent, spent * (1 + less) + log(mpf(10) ** 6) / less]):
    say("budget", f"~{k}", "..".join(mp.nstr(v * (1 + s * mpf(10) ** -12), 30) for s in (-1, 1)))  # what is charged is rounded up
for name, value in {"limit": log(mpf(3)), "left": log(mpf(3)), "spent": 0, "odometer": 0}.items():
    say("type budget." + name, 0, value)
none("what is charged is rounded up: said of all numbers", "budget")
none("a budget of nothing spent, and years of papers", "type budget", "type budget.theorem")
