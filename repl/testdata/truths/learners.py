"""Support vector machines, and the normalised estimator of a cosine."""
from itertools import product
from mpmath import gamma, hyp2f1, mpf, sqrt
from tools import F, between, every, none, num, say

# Rows 0, 1, 3, 4, of which the first two are "low", +1. With all but the last row inside the margin the gradient is
# linear: w + 2Σ x(wx + b) = 2Σ yx and b + 2Σ(wx + b) = 2Σ y.
rows = [(0, 1), (1, 1), (3, -1), (4, -1)]
inside = rows[:3]
xx, x1, n = sum(x * x for x, _ in inside), sum(x for x, _ in inside), len(inside)
yx, y1 = sum(y * x for x, y in inside), sum(y for _, y in inside)
det = (1 + 2 * xx) * (1 + 2 * n) - 4 * x1 * x1
w, b = F(2 * yx * (1 + 2 * n) - 4 * x1 * y1, det), F((1 + 2 * xx) * 2 * y1 - 4 * x1 * yx, det)
margins = [y * (w * x + b) for x, y in rows]
assert [m < 1 for m in margins] == [True, True, True, False]
objective = (w * w + b * b) / 2 + sum((1 - m) ** 2 for m in margins if m < 1)
for name in ["linear_svm", "type svm.objective"]:
    say(name, 0, objective)
for name, at in [("linear_svm", 1), ("type svm.accuracy", 0)]:
    say(name, at, 1)
every("type svm.score", F(1, 2))
every("type svm", 2, 1)
for k, v in enumerate([w, b]):
    say("type svm.weights", f"~{k}", between(num(v) - mpf("1e-4"), num(v) + mpf("1e-4")))

# Every 3×2 matrix of signs.
u, v = [F(1), F(1, 2), F(0)], [F(1, 2), F(1), F(1, 2)]
dot = lambda a, b: sum(x * y for x, y in zip(a, b))
root = lambda q: sqrt(num(F(q)))
mean, square, count = mpf(0), F(0), 0
for signs in product([-1, 1], repeat=6):
    images = [[dot(signs[j::2], z) for j in range(2)] for z in (u, v)]
    a, c, ac = dot(images[0], images[0]), dot(images[1], images[1]), dot(*images)
    count += 1
    if a and c:
        mean += num(F(ac)) / root(F(a) * c)
        square += F(ac * ac) / (a * c)
mean, square = mean / count, num(square / count)
say("cosine_moments", 0, mean)
say("cosine_moments", 1, square - mean ** 2)

# Gaussian W: the sample correlation of 64 normal pairs with known means.
k, noise = 64, 64 * F(1, 100)
truth = num(dot(u, v)) / root(dot(u, u) * dot(v, v))
r = num(dot(u, v)) / root((dot(u, u) + noise) * (dot(v, v) + noise))
first = mpf(2) / k * (gamma(mpf(k + 1) / 2) / gamma(mpf(k) / 2)) ** 2 * r * hyp2f1(mpf(1) / 2, mpf(1) / 2, mpf(k) / 2 + 1, r * r)
second = 1 - (1 - mpf(1) / k) * (1 - r * r) * hyp2f1(1, 1, mpf(k) / 2 + 1, r * r)
say("cosine_moments", 2, second - 2 * truth * first + truth ** 2)
none("the noise goes by the matrix that a seed draws", "type release.cosine_moments")

# The delta method: of a column (xy, xx, yy) the covariance, and the gradient of xy/√(xx·yy) at the means.
u, v = [F(1), F(1, 2), F(1, 4), F(0)], [F(1, 2), F(1), F(0), F(1, 2)]
columns = []
for signs in product([-1, 1], repeat=4):
    x, y = dot(signs, u), dot(signs, v)
    columns.append([x * y, x * x, y * y])
means = [sum(c[i] for c in columns) / len(columns) for i in range(3)]
cov = [[sum((c[i] - means[i]) * (c[j] - means[j]) for c in columns) / len(columns) for j in range(3)] for i in range(3)]
length = root(means[1] * means[2])
gradient = [1 / length, -num(means[0]) / (2 * num(means[1]) * length), -num(means[0]) / (2 * num(means[2]) * length)]
limit = sum(gradient[i] * num(cov[i][j]) * gradient[j] for i in range(3) for j in range(3))
say("cosine_formula", "0~", limit / 2)
