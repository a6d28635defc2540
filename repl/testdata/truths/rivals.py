"""Rivals: what their definitions say at once. The list at the end is owed."""
from matrices import *

strict = analytic(1, mpf("0.001"))
say("symmetric_gauss", "0~", mpf("0.001"))
every("symmetric_gauss", strict / 100)
shown("type symmetric gauss", 2, strict)
every("type symmetric gauss.sigma", strict)
say("type symmetric gauss.delta_at", "0~", mpf("0.001"))
say("type symmetric gauss.sensitivity", 0, 1)
within("type symmetric gauss.simulate", -8 * strict, 8 * strict)
radius = sqrt(mpf(404))  # of the box of sides 2 and 20
say("gaussian_rival", "0~", radius * strict)
say("gaussian_rival", "1~", radius * sqrt(2 * log(mpf(1250))))
every("type laplace rival", 22)
every("type laplace rival.scale", 22)
say("type laplace rival.l1", 0, 22)
say("laplace_rival", "~0", 22)
say("type laplace rival.claimed_epsilon", 0, 1)
within("type laplace rival.simulate", -22 * log(mpf(10) ** 10), 22 * log(mpf(10) ** 10))
shown("type net rival", 4 * log(mpf(2)), 2, 2, 2)
say("type net rival.log_size", 0, 4 * log(mpf(2)))
say("net_rival", 0, 6 * log(mpf(5)))
for name, value in {"net rival": 1, "ppca": 1, "degree_rival": 2, "graph_rival": 1, "community_rival": 2}.items():
    say(f"type {name}.claimed_epsilon", 0, value)
large, small = 1 + sqrt(mpf(5)) / 2, 1 - sqrt(mpf(5)) / 2
shown("type bingham", 2, small, large)
for k, v in enumerate([large, small]):
    say("type bingham.values", f"~{k}?", v)
say("mean_interval", 0, F(12, 5))
say("mean_interval", 1, F(1, 2))
law = degree_law(degrees)
chance = [comb(3, k) * F(2, 3) ** k * F(1, 3) ** (3 - k) for k in range(4)]
every("type network.degree_law", *law)
every("type network.random_law", *chance)
say("type network.random_divergence", "~0?", divergence(law, chance))
every("type network.names", 7, 9, 12)
every("average_f1", F(4, 5))
every("node_groups", 0, 1, 2)
none("new: the tests of its own room have its truth, and a line of it here is owed",
    "approx_deg", "bigclam", "bingham", "dpcd", "equal_privacy", "jl_rival", "jl_rows", "laplace_rival", "ldpgen", "net_rival", "pbcn", "power_law", "ppca",
    "pygmalion", "random_network", "type bigclam", "type bigclam.affiliations", "type bigclam.communities", "type bigclam.log_likelihood",
    "type bigclam.sweeps", "type bigclam.threshold", "type bingham.acceptance", "type bingham.log_constant", "type bingham.moment", "type bingham.simulate",
    "type community_rival", "type community_rival.name", "type community_rival.simulate", "type degree_rival", "type degree_rival.measured",
    "type degree_rival.name", "type degree_rival.simulate", "type degree_rival.truncated", "type graph_rival", "type graph_rival.law",
    "type graph_rival.measured", "type graph_rival.name", "type graph_rival.release", "type graph_rival.simulate", "type graph_rival.truncated",
    "type jl rival", "type jl rival.claimed_delta", "type jl rival.claimed_epsilon", "type jl rival.delta_at", "type jl rival.epsilon_at",
    "type jl rival.move", "type jl rival.rows", "type jl rival.simulate", "type jl rival.simulate_gram", "type jl rival.width", "type laplace rival.delta_at",
    "type laplace rival.epsilon_at", "type net rival.delta_at", "type net rival.epsilon_at", "type net rival.mechanism", "type net rival.parameter",
    "type net rival.sensitivity", "type net rival.simulate", "type net rival.smallest_epsilon", "type power_law", "type power_law.distance",
    "type power_law.exponent", "type power_law.log_likelihood", "type power_law.standard_error", "type power_law.tail", "type power_law.x_min", "type ppca",
    "type ppca.captured", "type ppca.delta_at", "type ppca.epsilon_at", "type ppca.law", "type ppca.parameter", "type ppca.simulate",
    "type ppca.smallest_epsilon", "type ppca.witness", "type symmetric gauss.epsilon_at")
