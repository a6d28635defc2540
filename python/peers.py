"""Compares the workbench with dp_accounting and OpenDP: python python/peers.py

    pip install dp-accounting opendp

A peer's number is an upper bound. It must not be smaller than the workbench's certified number. The last column says
how much larger it is, relatively. If any is smaller, the script ends with status 1."""

import math
import sys
from importlib.metadata import version

import dpworkbench as wb
from dp_accounting.pld import privacy_loss_distribution as pld

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")

ROUNDING = 1e-10  # relative; peers compute in float64 and state no bound on their rounding errors
rows, wrong = [], []


def ask(question, ours, peer, theirs):
    """Compares a certified number with a peer's upper bound on it."""
    rows.append([question, ours, peer, float(theirs), float(theirs) / ours.value - 1])
    if theirs < ours.lo * (1 - ROUNDING):
        wrong.append(question)


def gaussian():
    for sigma in (0.7, 2.0):
        delta = pld.from_gaussian_mechanism(sigma, value_discretization_interval=1e-5).get_delta_for_epsilon(1.0)
        ask(f"Gaussian, σ = {sigma}: δ at ε = 1", wb.gaussian_delta(1, sigma), "dp_accounting", delta)
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    measurement = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=2.0))
    ask("Gaussian, σ = 2: ε at δ = 1e-6", wb.gaussian_epsilon(1e-6, 2), "OpenDP, by zCDP", measurement.map(1.0).epsilon(1e-6))


def noise_on_counts():
    """Geometric noise on a count, clamped to a range. The peers' numbers are for noise without clamping."""
    q = wb.finite_query({i: i for i in range(31)}, edges=[(i, i + 1) for i in range(30)])
    m = wb.geometric(q, 1)
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    ask("geometric noise: ε", m.smallest_epsilon, "OpenDP", dp.m.make_laplace(*space, scale=1.0).map(1))
    ten = wb.compose(m, 10)
    peer = pld.from_discrete_laplace_mechanism(1.0, value_discretization_interval=1e-4).self_compose(10)
    for delta in (1e-3, 1e-9):
        ask(f"ten times: ε at δ = {delta}", ten.epsilon_at(delta), "dp_accounting", peer.get_epsilon_for_delta(delta))


def any_table():
    """A custom mechanism. dp_accounting takes two of its laws; the workbench takes all pairs of neighbors."""
    q = wb.graphs(5).count("triangle")
    m = wb.purest(q, wb.ln(2))
    worst = m.worst()
    x, y = q.index(worst.x), q.index(worst.y)

    def logs(i):
        return {k: math.log(p) for k, p in enumerate(m.prob(i)[r] for r in q.range if r in m.prob(i))}

    for a, b in ((x, y), (y, x)):
        one = pld.from_two_probability_mass_functions(logs(a), logs(b), value_discretization_interval=1e-4)
        if one.get_epsilon_for_delta(0) >= m.smallest_epsilon.lo:
            ask("purest on triangles: ε", m.smallest_epsilon, "dp_accounting", one.get_epsilon_for_delta(0))
            ask("ten times: ε at δ = 1e-6", wb.compose(m, 10).epsilon_at(1e-6), "dp_accounting", one.self_compose(10).get_epsilon_for_delta(1e-6))


def coins():
    q = wb.finite_query({"no": 0, "yes": 1}, edges=[("no", "yes")])
    m = wb.finite_mechanism(q, lambda x, r: "3/4" if r == q.values[q.index(x)] else "1/4")
    ask("randomised response, 3/4: ε", m.smallest_epsilon, "OpenDP", dp.m.make_randomized_response_bool(prob=0.75).map(1))


gaussian()
noise_on_counts()
any_table()
coins()
versions = ", ".join(f"{name} {version(name)}" for name in ("dp-accounting", "opendp"))
print(wb.table(rows, header=["question", "workbench", "peer", "peer's bound", "above by"], title=f"Against {versions}", digits=9))
if wrong:
    sys.exit("below what is certified: " + "; ".join(wrong))
