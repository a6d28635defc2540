"""Noise of bits: laws of the XOR mechanism, every state listed."""
from laws import *

theta = [["0.5", "0.2"], ["0.2", "-1"]]
crossed = [["0.3", "0"], ["0", "0.1"]]
pi_matrix = rows_of(theta, {(0, 1): crossed}, 2)
total, law = states(pi_matrix)
say("bernoulli", "~6", 1)
say("bernoulli_uniform", "~6", 1)
every("type bernoulli", 2, 2)
# Proposition 1's U/L: c is 2 λ_max(Λ) and the larger root of the trace and the determinant of Θ.
c = (mpf("-0.5") + sqrt(mpf("2.25") + 4 * mpf("0.04"))) / 2 + 2 * mpf("0.3")
norms = sqrt(mpf("0.25") + 2 * mpf("0.04") + 1), sqrt(mpf("0.09") + mpf("0.01"))
say("type bernoulli.bound", 0, 4 * exp(c) * (1 + exp(c)) ** 3 / (8 * (2 + 2 * norms[0] + norms[1])))
say("type bernoulli.claimed_epsilon", 0, 2 * sum(norms))
say("type bernoulli.distance", 0, 0)
every("type bernoulli.exponent", mpf("0.5") + 2 * mpf("0.2") - 1)
for name, value in [("n", 2), ("p", 2), ("size", 4)]:
    every("type bernoulli." + name, value)
shown("type bernoulli.pair_moments", 4, 4, *[sum(p for b, p in law.items() if b[i] and b[k]) for i in range(4) for k in range(4)])
every("type bernoulli.pi", 4, 4, *[x for row in pi_matrix for x in row])
every("type bernoulli.theta", 2, 2, *[F(x) for row in theta for x in row])
losses = {(b, s): abs(log(law[b] / law[tuple(x ^ (i in s) for i, x in enumerate(b))])) for b in law for s in map(tuple, upto(4, 2))}
assert abs(losses[(0, 1, 0, 1), (0, 2)] - max(losses.values())) < mpf(10) ** -50
every("type bernoulli.worst_flip", 0, 2, max(losses.values()), 1, 3)
for name in ["sample", "simulate"]:
    among("type bernoulli." + name, 0, 1, 2)
    among("type noise law." + name, *range(16))
every("type bernoulli.release", 2, 2)

# Algorithm 1's form where it spends its budget best: independent bits.
every("type alpha_solution.alpha", 1)
say("type alpha_solution.claimed_epsilon", 0, sqrt(mpf(2)))  # ‖I‖ of two columns, at θ = 1
shown("type alpha_solution", 1, 1, flip)
every("type alpha_solution.law", 4, 2, -1, 0)  # of 1 - B
shown("type alpha_solution.table", 1, 1, sqrt(mpf(2)), 1, flip, 1, flip, 1, flip)
for k, v in enumerate([1, None, None, None, 1, 1, sqrt(mpf(3)), 1, 1 / (1 + exp(mpf(1) / 2)), 1, 1 / (1 + exp(mpf(1) / 2))]):
    if v is not None:
        say("optimize_alpha", f"~{k}" + ("" if v == 1 and k < 7 else "%"), v)

# The best noise for single bits flips each with 1/(1 + e), which a program in float64 finds to some 1e-11; what it found is judged as it stands.
best = [flip ** bin(k).count("1") * (1 - flip) ** (4 - bin(k).count("1")) for k in range(16)]
every("type noise law.prob", *[between(p - mpf("1e-11"), p + mpf("1e-11")) for p in best])
found = [mpf(p) for p in listed("type noise law.prob")]
pairs = [(found, [found[k ^ 1 << i] for k in range(16)]) for i in range(4)]
say("type noise law.delta_at", "0~", delta(pairs, exp(mpf("0.5"))))
say("type noise law.epsilon_at", "0?", epsilon(pairs, mpf("0.1")))
say("type noise law.smallest_epsilon", "0?", 1)
every("type noise law.cells", len({sum(b) for b in product((0, 1), repeat=4)}))
shown("type noise law", 2, 2, 4 * flip)
every("type noise law.release", 2, 2)
for k, v in enumerate([F(1, 4), F(1, 12), F(1, 12), F(1, 12)]):
    say("optimal_xor", f"~{k + 3}", v)

# Columns of exchangeable bits, by their 2^n states.
def column(n, theta, lam):
    return normalized({b: exp(theta * sum(b) + lam * sum(b) * (sum(b) - 1)) for b in product((0, 1), repeat=n)})


def allocation(n, p, eps, alpha, sensitivity):
    s = sensitivity * sqrt(mpf(p))
    return alpha * eps / s, (1 - alpha) * eps / s / (n * (n - 1) / 2)


law = column(2, *allocation(2, 1, mpf(1), mpf("0.3"), 1))
say("xor_allocation", 0, 1)
say("xor_allocation", 1, log(loss(flips(law, upto(2, 1)))))
say("xor_allocation", "~1", 1)
say("xor_allocation", "~5", 1)
for name in ["xor_graph", "xor_simulate_graph"]:
    among(name, 0, 1, 3)
every("xor_release", 2, 3)
every("xor_simulate", 2, 3, 1, 0, 1, 0, 0, 1)  # at ε = 40 no bit is flipped
