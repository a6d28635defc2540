"""Matrices, what is learned from them, networks, and matrix-variate Gaussian designs."""
from laws import *
from mpmath import lu_solve, matrix

shown("components", 3, 1, 2, 2, 1 / sqrt(mpf(2)), -1 / sqrt(mpf(2)), 1 / sqrt(mpf(2)), 1 / sqrt(mpf(2)))  # of [[2, 1], [1, 2]]
every("gram", 2, 2, 1, 1, 1, 2)  # [[2, 2], [2, 4]] over 2 records
every("identity", 2, 2, 3, 0, 0, 3)
every("lost_variance", 3 - 1)  # the estimate's first component is the second axis
every("residual_sum", (3 - 1) ** 2 + (1 - 3) ** 2)
every("matrix", 3)
every("type matrix", 2, 2, 2, 2, *[3 * x for x in (1, 2, 3, 4)])
every("type matrix.block", 2, 2, 1, 3, 4, 6)
every("type matrix.column", F(1, 2), F(1, 4))
every("type matrix.condition", F(8, 2))
every("type matrix.determinant", 2 * 3 - 1 * 1)
every("type matrix.diagonal", 2, 3)
every("type matrix.dot", 2 * 1 + 1 * 10, 1 * 1 + 3 * 10)
every("type matrix.eigen", 3, 2, 2, 2, 0, 1, 1, 0)
every("type matrix.inverse", 2, 2, F(3, 5), F(-1, 5), F(-1, 5), F(2, 5))
every("type matrix.log_determinant", 1, log(mpf(5)))
every("type matrix.norm", max(2 + 1, 1 + 3))
every("type matrix.rank", 2)
every("type matrix.row", 2, 1)
every("type matrix.rows", 1, 2, 3, 4)
every("type matrix.shape", 2, 3)
every("type matrix.solve", F(3 * 1 - 1 * 10, 5), F(-1 * 1 + 2 * 10, 5))
every("type matrix.spectrum", 0, 1, 0, -1)
every("type matrix.svd", 2, 1, 2, 2, 1, 0, 0, 1, 2, 2, 0, 1, 1, 0)
every("type matrix.t", 2, 2, 2, 1, 1, 3)
every("type matrix.trace", 5)
shown("nearest_kronecker", 2, 2, 3, F(3, 2), F(3, 2), F(9, 2), 2, 2, F(2, 3), 0, 0, F(4, 3), between(0, "1e-14"))  # their product is the matrix itself

# Regressions, by their normal equations.
x, y = [[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0]
w = matrix([0, 0])
for _ in range(60):
    h = [1 / (1 + exp(-(w[0] * a + w[1] * b))) for a, b in x]
    gradient = matrix([sum((h[i] - y[i]) * x[i][j] for i in range(4)) / 4 + w[j] * mpf("0.001") for j in range(2)])
    hessian = matrix([[sum(h[i] * (1 - h[i]) * x[i][j] * x[i][k] for i in range(4)) / 4 + (mpf("0.001") if j == k else 0) for k in range(2)] for j in range(2)])
    w -= lu_solve(hessian, gradient)
for name in ["logistic", "type logistic.weights"]:
    say(name, "~0?", w[0])
    say(name, "~1?", w[1])
right = [int(w[0] * a + w[1] * b > 0) for a, b in ([1, 1], [0, 1])]
say("logistic", "~2", int(right[0] == 1))
every("type logistic.accuracy", F(int(right[0] == 1) + int(right[1] == 0), 2))
every("type logistic", 2)
kernel = lambda a, b: mpf(a * b + 1)
a = lu_solve(matrix([[kernel(i, k) + (mpf("0.01") if i == k else 0) for k in range(3)] for i in range(3)]), matrix([0, 1, 2]))
say("ridge_rmse", "~0?", abs(sum(a[i] * kernel(i, 3) for i in range(3)) - 3))

# Networks: a triangle with a tail.
edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
adjacency = [[int((i, j) in edges or (j, i) in edges) for j in range(4)] for i in range(4)]
far = distances([[bool(v) for v in row] for row in adjacency])
degrees = [sum(row) for row in adjacency]
every("type network", 4, 4)
every("type network.adjacency", 4, 4, *[v for row in adjacency for v in row])
every("type network.components", 1)
every("type network.degrees", *degrees)
every("type network.density", F(4, 6))
every("type network.diameter", max(map(max, far)))
every("type network.edges", 4)
every("type network.nodes", 4)
every("type network.mean_path", F(sum(map(sum, far)), 12))
every("network", 5, 4, 1, 0, 1, 2, 5, 6)


def degree_law(degrees, mix=F(0)):
    return [(1 - mix) * F(degrees.count(d), 4) + mix / 4 for d in range(4)]


def divergence(p, q):
    return sum(num(a) * log(num(a) / num(b)) for a, b in zip(p, q) if a)


line = [1, 2, 2, 1]
every("degree_divergence", divergence(degree_law(line), degree_law(degrees)), divergence(degree_law(degrees), degree_law(line, F(1, 100))), divergence([0, 0, 1, 0], degree_law(degrees)), -log(mpf(2)) / 4, log(mpf(2) / 3) / 3 + 2 * log(mpf(4) / 3) / 3)
every("degree_overlap", 1, F(3, 4), 2)

# Sensitivities as they print.
every("box_sensitivity", 100, 2)
every("type sensitivity", 100, 2)
every("type sensitivity.shape", 2, 100)
every("difference_sensitivity", 2, 2, 2)
every("gram_sensitivity", F(1, 100), 4, 1)
every("l2_sensitivity", 6, 248, 2 * sqrt(mpf(6)))
every("binary_theta", *[F(9, 20) if i in (2, 5) else F(1, 40) for i in range(6)])

# The design whose numbers laws.py has: 2 × 3, directions .8 and .2.
mu = sqrt(precise[0])
say("type mvg design.claimed_epsilon", 0, 1)
say("type mvg design.omega", 0, 4 * harmonic * 2 * 1)  # 4 H_r γ s2
element = sqrt((1 / precise[0] + 1 / precise[1]) / 2)
shown("type mvg design", 2, 2, 3, element)
shown("type mvg design.sigma", 2, 2, 1 / precise[0], 0, 0, 1 / precise[1])
every("type mvg design.psi", 3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1)
say("type mvg design.worst", 0, "inf")
say("type mvg design.draw_error", "0?", 0)
several("type mvg design.report", 1, bisect(lambda e: gaussian(e, mu) - mpf("0.001"), mpf(0), mpf(9)), "inf", bisect(lambda e: gaussian(e, mu) - mpf("1e-6"), mpf(0), mpf(9)),
        mu ** 2 / 2, mu, *[gaussian(e, mu) for e in (0, 0.0483, 0.0966, 0.145, 0.193)], "inf")
none("parameters, places in papers, and the ticks of a drawing", "type mvg design.report")
corners = arguments("type mvg design.tradeoff")  # how many there are and where is the program's choice
within("type mvg design.tradeoff", 0, 1)
for k, alpha in enumerate(corners):
    # A test that errs with chance α at one mean errs with Φ(Φ⁻¹(1 − α) − μ) at the other.
    say("type mvg design.tradeoff", f"{k}?", 1 if not alpha else tail(mu - quantile(mpf(alpha))))
for name in ["sample", "simulate"]:
    within("type mvg design." + name, -7 * sqrt(1 / precise[1]), 7 * sqrt(1 / precise[1]))
    within("type r1smg." + name, -7 * 4000, 7 * 4000)
every("type mvg design.release", 2, 3)


# MVG with all directions alike, of a 6 × 248 answer, and the best there is.
def theorem2(m, n, s2, gamma, eps, delta):
    r = min(m, n)
    h, roots = sum(mpf(1) / k for k in range(1, r + 1)), sum(1 / sqrt(mpf(k)) for k in range(1, r + 1))
    alpha, few = (h + roots) * gamma ** 2 + 2 * h * gamma * s2, -log(delta)
    zeta = sqrt(2 * sqrt(m * n * few) + 2 * few + m * n)
    beta = 2 * mpf(m * n) ** (mpf(1) / 4) * zeta * h * s2
    return ((sqrt(beta ** 2 + 8 * alpha * eps) - beta) ** 2 / (4 * alpha ** 2)) ** 2 / n


def analytic(eps, delta):
    return bisect(lambda s: gaussian(eps, 1 / s) - delta, mpf("0.01"), mpf(999))


rare = mpf(1 / 248)
precision = sqrt(theorem2(6, 248, 2 * sqrt(mpf(6)), sqrt(mpf(6 * 248)), 1, rare) / 6)
say("mvg", "0~", 1 / sqrt(precision))
say("mvg", 1, 0)
say("mvg", "2~", 2 * sqrt(mpf(6)) * analytic(1, rare))
assert gaussian(0, 2 * sqrt(mpf(6)) * sqrt(precision)) < rare
sigma = analytic(1, ppm)
error = 100 * (2 * 1 + 2 * 10) ** 2 * sigma ** 2  # Σ 1/p_i under Σ p_i (2 h_i)² = 1/σ²
for name in ["mvg_optimal", "type mvg optimum.optimum"]:
    say(name, 0, error)
say("mvg_optimal", "1~", sqrt(error / 200))
precisions = [1 / (sigma ** 2 * 2 * h * 22) for h in (1, 10)]
for name in ["mvg_optimal", "type mvg optimum.precisions"]:
    every(name, *precisions)
every("type mvg optimum", between(error - 1, error + 1), 2)
say("type mvg optimum.design", 0, 1)
none("the 2 of a formula", "type mvg optimum.method")

# A search from equal parts of the budget, p_i = 1/(2 σ² (2 h_i)²), to the least root mean square error.
begun, least_sd = sigma * sqrt(mpf(4) * (1 + 100)), sqrt(error / 200)
say("mvg_search", 2, least_sd)
say("mvg_search", 3, 1)
near = mpf("1e-4")
every("type mvg search", between(least_sd, begun), between(begun - near, begun + near), between(least_sd - near, least_sd))
say("type mvg search.design", 0, 1)
none("what a search comes to", "type mvg search.gain")
say("type mvg search.optimum", 0, least_sd)
shown("type mvg search.start", 2, 100, begun)
say("type mvg search.start_value", "~0?", begun)
every("type mvg search.study", 60)
for k, h in enumerate([1, 10]):
    say("type mvg search.waterfilling", f"~{k}?", 1 / (sigma ** 2 * 2 * (2 * h) ** 2))
none("of a signal far above the noise, not infinitely far", "type mvg search.start_value")
none("what a search comes to", "mvg_search", "type mvg search.value")


# Two differences, both covariances diagonal: rows 1/1, 1/x and columns in the ratio t, at the scale that both constraints leave.
def cost_of(u, v):
    x, t = exp(u), exp(v)
    return (1 + 1 / x) * (1 + 1 / t) * max(64 * t + x, 1 + 4 * x * t)


def least(f, lo, hi, steps):
    for _ in range(steps):
        a, b = lo + (hi - lo) * mpf("0.382"), hi - (hi - lo) * mpf("0.382")
        lo, hi = (lo, b) if f(a) < f(b) else (a, hi)
    return f((lo + hi) / 2)


mp.dps = 20
both_sides = least(lambda u: least(lambda v: cost_of(u, v), mpf(-8), mpf(8), 90), mpf(-8), mpf(8), 90)
mp.dps = 60
say("mvg_optimal", 2, both_sides * sigma ** 2)

# Power, by waterfilling: laws.py has the level.
for k, v in enumerate([F(1, 4), F(3, 4), 0]):
    say("waterfill", f"~{k}", v)
say("waterfill", "2?", 0)
say("type waterfilling.residual", "0?", 0)
every("type waterfilling.precisions", F(1, 4), F(3, 4), 0)
say("waterfill", "~4", 0)
say("waterfill", "~5", 1)
every("type waterfilling.active", 0, 1)
shown("type waterfilling", 2, 3, log(fill))


# Rows that share 1, columns that share 2, of gains λ κ: both slopes vanish.
def power(p, q):
    return sum(log(1 + l * k * a * b) for l, a in ((1, p), (3, 1 - p)) for k, b in ((1, q), (2, 2 - q)))


from mpmath import findroot, diff
p, q = findroot([lambda p, q: diff(power, (p, q), (1, 0)), lambda p, q: diff(power, (p, q), (0, 1))], (mpf("0.3"), mpf("0.8")))
assert all(power(mpf(i) / 20, mpf(k) / 10) < power(p, q) for i in range(21) for k in range(21))
for name in ["kronecker_waterfill", "type kronecker waterfilling.log_pnr"]:
    say(name, "0?", power(p, q))
say("type kronecker waterfilling.local", "0~", power(p, q))
shown("type kronecker waterfilling", power(p, q), log(mpf(36)), 9, 9, 8)  # four free shares of 2 rise to the level 1: Π λκ
for k, v in enumerate([p, 1 - p, q, 2 - q]):
    v = between(v - mpf("1e-8"), v + mpf("1e-8"))  # where the objective is flat
    say("kronecker_waterfill", f"~{k}", v)
    say("type kronecker waterfilling." + ["rows", "columns"][k // 2], f"~{k % 2}", v)
every("type kronecker waterfilling.residual", between(0, "1e-8"))
