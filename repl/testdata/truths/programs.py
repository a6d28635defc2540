"""Programs: geometric noise summed by hand, in fractions and with z = e^{-eps}."""
from tools import *
from universes import *


def below(n, z):
    """Pr[X <= n] of two-sided geometric noise."""
    return z ** -n / (1 + z) if n < 0 else 1 - z ** (n + 1) / (1 + z)


half = F(1, 2)  # e^{-ln 2}
laws = [[below(-1 - x, half), below(-x, half) - below(-1 - x, half), 1 - below(-x, half)] for x in (0, 1)]  # at most -1, 0, at least 1
loss = max(max(F(a, b), F(b, a)) for a, b in zip(*laws))
two = log(mpf(2))
say("program", 0, below(-1, half))
say("program", 1, below(0, half))
say("program", 2, f"ln({loss})")
for name in ("smallest_epsilon", "smallest_epsilon_at", "worst"):
    say("type program." + name, 0, f"ln({loss})")
every("type program.worst", 0, 1)
excess = lambda e: max(sum(max(F(0), a - e * b) for a, b in zip(p, q)) for p, q in (laws, laws[::-1]))
say("type program.delta_at", 0, excess(F(271828, 100000)))  # above the loss, at which it is 0 already
rest = mpf("1e-6")
epsilon_at = log((num(sum(laws[0][:2])) - rest) / num(sum(laws[1][:2])))  # the first two outputs are those that x = 0 is likelier at
say("type program.epsilon_at", 0, epsilon_at)
say("type program.renyi", 0, f"ln({max(sum(a * a / b for a, b in zip(p, q)) for p, q in (laws, laws[::-1]))})")
say("type program.zcdp", 0, max(sum(num(a) * log(num(a / b)) for a, b in zip(p, q)) for p, q in (laws, laws[::-1])))  # the order 1 asks most
corner = [(0, 1), (sum(laws[0][2:]), sum(laws[1][:2])), (1, 0)]
several("type program.tradeoff", *[v for pair in corner for v in pair])
quantile = mp.findroot(lambda t: 1 - erfc(t / sqrt(mpf(2))) / 2 - num(1 - corner[1][0]), mpf("0.4"))
say("type program.gdp", 0, 2 * quantile)
wide = lambda e: max(sum(max(mpf(0), num(a) - e * num(b)) for a, b in zip(p, q)) for p, q in (laws, laws[::-1]))
several("type program.report", f"ln({loss})", epsilon_at, said["type program.zcdp", 0], said["type program.gdp", 0], excess(F(1)), *[wide(exp(mpf(e))) for e in (0.173, 0.347, 0.52, 0.693)])
none("parameters, places in papers, and the ticks of a drawing", "type program.report")
none("a drawing: its ticks are no results", "type program.plot", "type program.epsilon_plot")
none("a function of z: program's own tests sum it at numbers", "type program.law", "type program.probability", "type program.paths")
none("how much was decided: a count of the workbench's own", "type decision.degree", "type decision.polynomials", "type program.private")
every("type program", 2, 3)
every("type program.at", 2, 3)
every("type program.size", 2)
every("type program.denominator", 1)
every("type program.outputs", -1, 0, 1)
none("how much was decided: a count of the workbench's own", "program")

# Refused at half of what the noise is at: far out p/q is e^eps, which e^{eps/2} is not for any eps.
for name in ("decision", "decision.times"):
    none("the multiple that was asked about, and 0, where every range begins", "type " + name)
say("type decision.fails", 0, 0)
z = F(1, 2)  # e^{-eps/2}
p, q = below(-1, z * z), below(-2, z * z)
several("type decision.witness", 2 * log(1 / num(z)), f"ln({p / q})")
for k, v in enumerate([0, 1, -1, z.numerator, z.denominator, 2]):
    say("type decision.witness", f"~{k}", v)
for k, v in enumerate([p.numerator, p.denominator, q.numerator, q.denominator]):
    say("type decision.witness", f"~{9 + k}", v)

# Draws.
more = 1 - below(0, half)
several("type draw", 1 - more, more)
several("type noise_source.geometric", more, 1 - more)
several("type noise_source.one_sided", half * half, 1 - half * half)
several("type noise_source.flip", F(2, 3), F(1, 3))
several("type noise_source", F(2, 3), F(1, 3))
several("type noise_source.choice", F(1, 1 + 2), F(2, 1 + 2))
several("type noise_source.integer", *[F(1, 3)] * 3)
weights = [F(2) ** s for s in (0, 2)]  # e^{ln 4 score/2}
several("type noise_source.exponential", *[w / sum(weights) for w in weights])
lose = weights[0] / weights[1]
several("type noise_source.permute_and_flip", half * lose, 1 - half * lose)
for name, n, places in (("integer", 3, (0, 4, 8)), ("exponential", 2, (0, 4)), ("permute_and_flip", 2, (0, 4))):
    for k, v in zip(places, range(n)):
        say("type noise_source." + name, f"~{k}", v)
say("exp", "~0", exp(mpf(1)))
say("exp", "0", sqrt(mpf(3)))
none("a power of z as it is written", "exp", "type power", "symbol", "type symbol")

# Clamping noise to the range of the 4 graphs on 3 nodes, by edges, is the truncated geometric mechanism.
clamped = lambda f: [below(0 - f, half)] + [below(v - f, half) - below(v - 1 - f, half) for v in (1, 2)] + [1 - below(2 - f, half)]
say("type program.mechanism", 0, sum(p * abs(v - f) for f in range(4) for v, p in enumerate(clamped(f))) / 4)
every("type program.mechanism", 0)
