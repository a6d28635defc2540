"""Linear workloads: errors from the normal equations, optima by fixed points of the weights, Toeplitz roots in fractions."""
from tools import *


def prefix(n):
    return [[1 if j <= i else 0 for j in range(n)] for i in range(n)]


def all_ranges(n):
    return [[1 if i <= k <= j else 0 for k in range(n)] for i in range(n) for j in range(i, n)]


def central(n):
    """The coefficients of (1 − z)^(−1/2), in fractions."""
    out = [F(1)]
    for k in range(1, n):
        out.append(out[-1] * F(2 * k - 1, 2 * k))
    return out


def triangle(c):
    return [[c[i - j] if j <= i else 0 for j in range(len(c))] for i in range(len(c))]


def errors(w, c):
    """The largest and the root mean square error at sensitivity 1 of CᵀC's normal equations."""
    w, c = mp.matrix([[mpf(F(v).numerator) / F(v).denominator for v in row] for row in w]), mp.matrix([[mpf(F(v).numerator) / F(v).denominator for v in row] for row in c])
    g = c.T * c
    moved = sqrt(max(g[j, j] for j in range(g.cols)))
    v = w * (g ** -1) * w.T
    own = [v[i, i] for i in range(w.rows)]
    return moved * sqrt(max(own)), moved * sqrt(sum(own) / len(own)), moved


def least(w, mean=False):
    """The least error of any factorisation: p ← diag(U S Uᵀ), q ← diag(V S Vᵀ) until the bounds of the nuclear norm meet."""
    mp.dps = 20
    m, n = len(w), len(w[0])
    p, q = [mpf(1) / m] * m, [mpf(1) / n] * n
    for _ in range(4000):
        a = mp.matrix([[sqrt(p[i] * q[j]) * w[i][j] for j in range(n)] for i in range(m)])
        values, v = mp.eigsy(a.T * a)
        s = [sqrt(max(x, mpf(10) ** -40)) for x in values]
        root = v * mp.diag(s) * v.T  # (AᵀA)^½
        back = a * v * mp.diag([1 / x for x in s]) * v.T  # A (AᵀA)^−½, so that A back ᵀ = U S Uᵀ
        rows = [sum(a[i, j] * back[i, j] for j in range(n)) for i in range(m)]
        cols = [root[j, j] for j in range(n)]
        lo = sum(s)
        hi = sqrt((lo if mean else max(x / y for x, y in zip(rows, p))) * max(x / y for x, y in zip(cols, q)))
        if hi / lo < 1 + mpf(10) ** -10:
            break
        if not mean:
            p = [x / lo for x in rows]
        q = [x / lo for x in cols]
    else:
        raise ArithmeticError("the bounds do not meet")
    mp.dps = 60
    return (lo + hi) / 2


best = least(prefix(8))
say("optimum", "0?", best)
say("optimum", "1?", least(prefix(8), True))
say("prefix_sums", "0?", best)
root = errors(prefix(8), triangle(central(8)))
say("prefix_sums", 1, sum(x * x for x in central(8)))
say("ranges", "0?", least(all_ranges(5), True))
every("ranges", 15, 5)
say("kron", "0?", least(prefix(4)) * least(all_ranges(3)))
every("kron", 24, 12)
every("marginals", 16, 12)
say("marginals", 0, sqrt(mpf(3)))  # a marginal over the axis of three sums three cells
every("toeplitz", 8, 8, 8)
say("toeplitz", "0?", least(triangle([F(1, 2 ** k) for k in range(8)])))
say("workload", "0?", sqrt(mpf(2)))  # every answer of x + y and x − y has variance 1 at C = [1 1; 1 −1]/√2
leaves = [[1 if a <= j < b else 0 for j in range(8)] for size in (8, 4, 2, 1) for a, b in [(k, k + size) for k in range(0, 8, size)]]
for k, c in enumerate([triangle(central(8)), leaves, prefix(8)]):
    e = errors(prefix(8), [[1 if i == j else 0 for j in range(8)] for i in range(8)] if k == 2 else c)[0]
    say("strategy", 2 * k, e)
    say("strategy", f"{2 * k + 1}?", 100 * (e / best - 1))
m = "type strategy."
say(m + "max_error", 0, root[0])
say(m + "rms_error", 0, root[1])
say(m + "sensitivity", 0, root[2])
say(m + "over_optimum", "0?", 100 * (root[0] / best - 1))
say("type strategy comparison.rows", "0?", 100 * (root[0] / best - 1))
unit = bisect(lambda x: mpf("1e-6") - gaussian(1, x), mpf("0.01"), mpf(1))  # μ at (1, 1e-6)
say(m + "error_at", 0, root[0] / unit)
say(m + "epsilon_at", 0, bisect(lambda e: gaussian(e, root[2] / 10) - mpf("1e-6"), mpf("0.01"), mpf(9)))
say(m + "delta_at", 0, gaussian(1, root[2] / 5))
every(m + "sigma", between(root[2] / unit, root[2] / unit * (1 + mpf(10) ** -12)))
every(m + "memory", 7)
every(m + "multiplications", 7)
c3 = mp.matrix([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
b3 = mp.matrix(prefix(3)) * (c3.T * c3) ** -1 * c3.T
shown(m + "encoder", 5, 3, *[c3[i, j] for i in range(5) for j in range(3)])
shown(m + "decoder", 3, 5, *[b3[i, j] for i in range(3) for j in range(5)])
say(m + "release", "0~", 1)
say("type stream.record", "0~", 1)
# Answers have at most √(1 + 1/4 + 9/64) σ, and x enters by 2 at most.
far = 2 + 8 * sqrt(mpf(1) + mpf(1) / 4 + mpf(9) / 64) ** 2 / unit
for name in [m + "release", m + "stream", "type stream.add"]:
    within(name, -far, far)
every("type stream", 3, 0, 3)
every("type stream.step", 0)
every("type workload", 4, 4, 4)
every("type workload.shape", 4, 4)
every("type workload.matrix", 4, 4, *[v for row in prefix(4) for v in row])
say("type mvg design.over_optimum", "0?", 100 * (sqrt(mpf(3) / 2) - 1))  # √2 of equal noise over 2/√3
every("read_npy", 2, 2, mpf("0.5"), 1, 2, 3)
none("the number of steps, and the error that .max_error has", "type strategy", "type strategy comparison")
none("a drawing: its ticks are no results", "type strategy comparison.plot")
none("rounded: said of the numbers' own examples, .rows, strategy and optimum", "type strategy comparison.table")
