"""Tests the checker on values computed here from the definitions in 60-digit decimals, and on files that are wrong.

    python3 certificate/test_check.py
"""

import contextlib
import copy
import glob
import gzip
import hashlib
import io
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal, getcontext
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import check  # noqa: E402
import kinds  # noqa: E402
import real  # noqa: E402
import roots  # noqa: E402
import theorem  # noqa: E402

getcontext().prec = 80
getcontext().Emax, getcontext().Emin = 10**17, -(10**17)
TINY = Fraction(1, 10**30)


def certificate(statement, proof):
    canonical = json.dumps(statement, sort_keys=True, separators=(",", ":"))
    return {
        "format": "dpworkbench certificate 1",
        "version": "0",
        "made": {"call": "by hand"},
        "statement": statement,
        "sha256": hashlib.sha256(canonical.encode()).hexdigest(),
        "proof": proof,
    }


def write(q):
    return str(Fraction(q))


def dec(q):
    q = Fraction(q)
    return Decimal(q.numerator) / Decimal(q.denominator)


def rational(d):
    return Fraction(d).limit_denominator(10**60)


# ---- A second implementation of the definitions: by exhaustion, in decimals


def real_value(parameter):
    if "rational" in parameter:
        return dec(parameter["rational"])
    return dec(parameter["ln"]).ln() * dec(parameter.get("times", "1"))


class Model:
    """A query with all distances between datasets and between values."""

    def __init__(self, query):
        self.q, self.n, self.m = query, len(query["values"]), len(query["range"])
        if query["metric"] == "abs":
            numbers = [Fraction(v) for v in query["range"]]
            self.d = [[abs(a - b) for b in numbers] for a in numbers]
            self.numbers = numbers
        elif query["metric"] == "discrete":
            self.d = [[Fraction(i != j) for j in range(self.m)] for i in range(self.m)]
        else:
            self.d = [[Fraction(v) for v in row] for row in query["metric"]]
        self.f = [query["range"].index(v) for v in query["values"]]
        if "distances" in query:
            self.far = [[None if v == "inf" else Fraction(v) for v in row] for row in query["distances"]]
        else:
            far = [[0 if x == y else None for y in range(self.n)] for x in range(self.n)]
            for x, y in query["neighbors"]:
                far[x][y] = far[y][x] = 1
            for z, x, y in itertools.product(range(self.n), repeat=3):
                if None not in (far[x][z], far[z][y]) and (far[x][y] is None or far[x][z] + far[z][y] < far[x][y]):
                    far[x][y] = far[x][z] + far[z][y]
            self.far = far
        self.far = [[None if v is None else -(-v // 1) for v in row] for row in self.far]
        self.pairs = [(x, y) for x in range(self.n) for y in range(self.n) if self.far[x][y] == 1]
        self.change = max([self.d[self.f[x]][self.f[y]] for x, y in self.pairs], default=Fraction(0))

    def layered(self, initial, x, r):
        found = [self.far[x][y] + i for y in range(self.n) if self.far[x][y] is not None for i, rs in initial[y] if r in rs]
        return min(found, default=None)

    def rung(self, x, r):
        if r == self.f[x]:
            return 0
        total, t = Fraction(0), 0
        while t < 100:
            total += max(
                [self.d[self.f[y]][self.f[z]] for y, z in self.pairs if self.far[x][y] is not None and self.far[x][y] <= t],
                default=Fraction(0),
            )
            if total >= self.d[self.f[x]][r]:
                return 1 + t
            t += 1
        return None

    def law(self, law):
        """Returns p[x][r] in decimals."""
        rule = law["rule"]
        if rule == "table":
            return [[dec(p) for p in row] for row in law["rows"]]
        if rule in ("laplace", "geometric"):
            return [self.noise(rule, real_value(law["eps"]), x) for x in range(self.n)]
        rows = []
        for x in range(self.n):
            if rule == "exponential":
                if self.change == 0:
                    levels, unit = [0 if r == self.f[x] else None for r in range(self.m)], Decimal(1)
                else:
                    levels, unit = self.d[self.f[x]], real_value(law["eps"]) / 2 / dec(self.change)
            elif rule == "ladder":
                levels, unit = [self.rung(x, r) for r in range(self.m)], real_value(law["eps"]) / 2
            elif rule == "levels":
                levels, unit = law["levels"][x], real_value(law["unit"])
            else:
                initial = law.get("initial") or [[[0, [self.f[y]]]] for y in range(self.n)]
                levels, unit = [self.layered(initial, x, r) for r in range(self.m)], real_value(law["decay"])
            weights = [Decimal(0) if k is None else (-unit * dec(k)).exp() for k in levels]
            rows.append([w / sum(weights) for w in weights])
        return rows

    def noise(self, rule, eps, x):
        if self.change == 0:
            return [Decimal(r == self.f[x]) for r in range(self.m)]
        center, scale = self.numbers[self.f[x]], eps / dec(self.change)
        order = sorted(range(self.m), key=lambda r: self.numbers[r])
        halves = [(self.numbers[a] + self.numbers[b]) / 2 for a, b in zip(order, order[1:])]
        row = [Decimal(0)] * self.m

        def below(half):  # P(center + noise ≤ half)
            t = half - center
            if rule == "laplace":
                return (scale * dec(t)).exp() / 2 if t < 0 else 1 - (-scale * dec(t)).exp() / 2
            v, k = (-scale).exp(), t // 1
            return v ** int(-k) / (1 + v) if k < 0 else 1 - v ** int(k + 1) / (1 + v)

        cumulated = [Decimal(0), *(below(h) for h in halves), Decimal(1)]
        for r, a, b in zip(order, cumulated, cumulated[1:]):
            row[r] = b - a
        return row

    def epsilon(self, p):
        """Returns the smallest epsilon, or None for infinity, and a witness."""
        best = (Decimal(0), None)
        for x, y in self.pairs:
            for r in range(self.m):
                if p[x][r] > 0 and p[y][r] == 0:
                    return None, {"x": x, "y": y, "r": r}
                if p[x][r] > 0 and (p[x][r] / p[y][r]).ln() > best[0]:
                    best = (p[x][r] / p[y][r]).ln(), {"x": x, "y": y, "r": r}
        return best

    def delta(self, p, eps):
        w = real_value(eps).exp()
        return max([(sum(max(Decimal(0), a - w * b) for a, b in zip(p[x], p[y])), x, y) for x, y in self.pairs], default=None)

    def distortion(self, p, x):
        return sum(p[x][r] * dec(self.d[self.f[x]][r]) for r in range(self.m))


PATH = {"values": ["0", "1", "2"], "range": ["0", "1", "2"], "metric": "abs", "neighbors": [[0, 1], [1, 2]]}
QUERIES = {
    "path": PATH,
    "gaps": {
        "values": ["0", "3", "1", "3", "10"],
        "range": ["10", "0", "1", "3", "5/2", "-1/2"],
        "metric": "abs",
        "neighbors": [[0, 1], [1, 2], [2, 3], [0, 3], [3, 4]],
    },
    "names": {
        "values": ["a", "b", "c", "b"],
        "range": ["c", "a", "b", "d"],
        "metric": [["0", "1", "2", "1/3"], ["1", "0", "5/2", "2"], ["2", "5/2", "0", "1"], ["1/3", "2", "1", "0"]],
        "neighbors": [[0, 1], [1, 2], [1, 3]],
    },
    "discrete": {"values": ["u", "v", "u"], "range": ["u", "v"], "metric": "discrete", "neighbors": [[1, 2], [0, 1]]},
    "distances": {
        "values": ["0", "2", "5"],
        "range": ["0", "2", "5"],
        "metric": "abs",
        "distances": [["0", "1/2", "3/2"], ["1/2", "0", "1"], ["3/2", "1", "0"]],
    },
    "parts": {"values": ["0", "1", "0", "2"], "range": ["0", "1", "2"], "metric": "abs", "neighbors": [[0, 1], [2, 3]]},
}
PARAMETERS = [
    {"ln": "2"},
    {"ln": "4", "times": "1/2"},
    {"ln": "3", "times": "2/3"},
    {"rational": "1/2"},
    {"rational": "1/1000000000000"},
    {"rational": "50"},
]


def laws(name):
    query = QUERIES[name]
    n, m = len(query["values"]), len(query["range"])
    for p in PARAMETERS:
        yield {"rule": "purest", "decay": p}
        yield {"rule": "ladder", "eps": p}
        yield {"rule": "exponential", "eps": p}
        if query["metric"] == "abs":
            yield {"rule": "laplace", "eps": p}
            yield {"rule": "geometric", "eps": p}
    draw = random.Random(name)
    for p in PARAMETERS[:4]:
        initial = [[[i, draw.sample(range(m), draw.randint(0, m))] for i in sorted(draw.sample(range(4), 2))] for _ in range(n)]
        initial[0].append([7, list(range(m))])
        if name != "parts":
            yield {"rule": "layered", "decay": p, "initial": initial}
        yield {"rule": "levels", "unit": p, "levels": [[draw.choice([None, 0, 3, 5, 90]) for _ in range(m - 1)] + [2] for _ in range(n)]}
    rows = [[draw.randint(0, 4) for _ in range(m - 1)] + [1] for _ in range(n)]
    yield {"rule": "table", "rows": [[write(Fraction(c, sum(row))) for c in row] for row in rows]}


def around(value):
    """Returns ends that enclose a decimal, and two intervals that miss it."""
    q = rational(value)
    one = {"lo": write(q - TINY), "hi": write(q + TINY)}
    return one, {"lo": write(q + TINY), "hi": write(q + 2 * TINY)}, {"lo": write(q - 2 * TINY), "hi": write(q - TINY)}


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = os.path.join(folder.name, "c.json")

    def verdict(self, statement, proof):
        with open(self.path, "w") as file:
            json.dump(certificate(statement, proof), file)
        return check.verdict(self.path)

    def accepted(self, statement, proof):
        good, words = self.verdict(statement, proof)
        self.assertTrue(good, f"{words}: {json.dumps(statement)[:600]}")
        return words

    def rejected(self, statement, proof, reason=""):
        good, words = self.verdict(statement, proof)
        self.assertFalse(good, f"{words}: {json.dumps(statement)[:600]}")
        self.assertIn(reason, words)
        self.assertNotIn("cannot be checked", words)


class Values(Case):
    """Compares each rule on each query with the definitions."""

    known = []

    def each(self):
        if not self.known:
            for name, query in QUERIES.items():
                model = Model(query)
                for law in laws(name):
                    self.known.append((model, law, model.law(law), {"name": "m", "query": query, "law": law}))
        return self.known

    def test_smallest_epsilon(self):
        for model, law, p, mechanism in self.each():
            statement = {"kind": "smallest epsilon", "mechanism": mechanism}
            value, witness = model.epsilon(p)
            proof = {"witness": witness} if witness else {}
            if value is None:
                self.accepted({**statement, "is": {"lo": "inf", "hi": "inf"}}, proof)
                self.accepted({**statement, "is": {"lo": "7", "hi": "inf"}}, proof)
                self.rejected({**statement, "is": {"lo": "0", "hi": "10000"}}, proof, "infinite")
                continue
            good, low, high = around(value)
            self.accepted({**statement, "is": good}, proof)
            self.rejected({**statement, "is": low}, proof)
            self.rejected({**statement, "is": high}, proof)
            self.rejected({**statement, "is": {"lo": "inf", "hi": "inf"}}, proof)

    def test_delta(self):
        draw = random.Random(2)
        for model, law, p, mechanism in self.each():
            for eps in draw.sample(({"rational": "0"}, {"ln": "2"}, {"rational": "1/3"}, {"ln": "2", "times": "1/2"}), 2):
                statement = {"kind": "delta", "mechanism": mechanism, "eps": eps}
                value, x, y = model.delta(p, eps)
                proof = {"witness": {"x": x, "y": y}}
                good, low, high = around(value)
                if value < dec(TINY):
                    good["lo"] = "0"
                self.accepted({**statement, "is": good}, proof)
                self.rejected({**statement, "is": low}, proof, "lower")
                self.rejected({**statement, "is": high}, proof)

    def test_distortion(self):
        draw = random.Random(3)
        for model, law, p, mechanism in self.each():
            n = model.n
            for x in draw.sample(range(n), 2):
                statement = {"kind": "distortion", "mechanism": mechanism, "dataset": x}
                good, low, high = around(model.distortion(p, x))
                self.accepted({**statement, "is": good}, {})
                self.rejected({**statement, "is": low}, {}, "below")
                self.rejected({**statement, "is": high}, {}, "above")
            prior = [Fraction(2 * x, n * (n - 1)) for x in range(n)]
            good, low, high = around(sum(dec(q) * model.distortion(p, x) for x, q in enumerate(prior)))
            statement = {"kind": "distortion", "mechanism": mechanism, "prior": [write(q) for q in prior]}
            self.accepted({**statement, "is": good}, {})
            self.rejected({**statement, "is": low}, {}, "below")
            self.rejected({**statement, "is": high}, {}, "above")


def purest(query=PATH, decay="2"):
    return {"name": "m", "query": query, "law": {"rule": "purest", "decay": {"ln": decay}}}


# p = (4 2 1)/7, (1 2 1)/4, (1 2 4)/7. So ε is ln(16/7), at datasets 0 and 1 in place 0.
EPSILON = {"kind": "smallest epsilon", "mechanism": purest(), "is": {"ln": "16/7"}}
EPSILON_PROOF = {"witness": {"x": 0, "y": 1, "r": 0}}
# δ at ln 2 is 4/7 - 2/4. The distortion of dataset 0 is (2 + 2)/7.
DELTA = {"kind": "delta", "mechanism": purest(), "eps": {"ln": "2"}, "is": {"equal": "1/14"}}
DELTA_PROOF = {"witness": {"x": 0, "y": 1}}
DISTORTION = {"kind": "distortion", "mechanism": purest(), "dataset": 0, "is": {"equal": "4/7"}}
# Randomized response is optimal for two datasets: 1/(1 + e^ε), for every prior near 1/2.
COIN = {"values": ["0", "1"], "range": ["0", "1"], "metric": "abs", "neighbors": [[0, 1]]}
OPTIMUM = {
    "kind": "optimum",
    "query": COIN,
    "eps": {"ln": "2"},
    "delta": "0",
    "objective": "mean",
    "prior": ["1/2", "1/2"],
    "is": {"equal": "1/3"},
}
OPTIMUM_PROOF = {"laws": [["2/3", "1/3"], ["1/3", "2/3"]], "prices": [[1, 0, 1, "1/6"], [0, 1, 0, "1/6"]]}
WORST = {k: v for k, v in {**OPTIMUM, "objective": "worst"}.items() if k != "prior"}
WORST_PROOF = {**OPTIMUM_PROOF, "weights": ["1/2", "1/2"]}
GOOD = [(EPSILON, EPSILON_PROOF), (DELTA, DELTA_PROOF), (DISTORTION, {}), (OPTIMUM, OPTIMUM_PROOF), (WORST, WORST_PROOF)]


class Exact(Case):
    def test_hand(self):
        for statement, proof in GOOD:
            self.accepted(statement, proof)

    def test_words(self):
        words = self.accepted(EPSILON, EPSILON_PROOF)
        for part in "smallest epsilon", "purest with decay ln(2)", "3 datasets", "is ln(16/7)", "by hand":
            self.assertIn(part, words)

    def test_nearly(self):
        self.rejected({**EPSILON, "is": {"ln": write(Fraction(16, 7) + Fraction(1, 10**40))}}, EPSILON_PROOF, "lower")
        self.rejected({**EPSILON, "is": {"ln": write(Fraction(16, 7) - Fraction(1, 10**40))}}, EPSILON_PROOF, "upper")
        self.rejected({**EPSILON, "is": {"ln": "7/16"}}, EPSILON_PROOF, "negative")
        self.rejected({**DELTA, "is": {"equal": write(Fraction(1, 14) + Fraction(1, 10**40))}}, DELTA_PROOF, "lower")
        self.rejected({**DELTA, "is": {"equal": write(Fraction(1, 14) - Fraction(1, 10**40))}}, DELTA_PROOF, "upper")
        self.rejected({**DISTORTION, "is": {"equal": write(Fraction(4, 7) + Fraction(1, 10**400))}}, {}, "below")
        self.rejected({**DISTORTION, "is": {"equal": write(Fraction(4, 7) - Fraction(1, 10**400))}}, {}, "above")

    def test_witness(self):
        for x, y, r in itertools.product(range(-1, 4), repeat=3):
            good = (x, y, r) in ((0, 1, 0), (2, 1, 2))
            (self.accepted if good else self.rejected)(EPSILON, {"witness": {"x": x, "y": y, "r": r}})
            if r == 0:
                good = (x, y) in ((0, 1), (2, 1))
                (self.accepted if good else self.rejected)(DELTA, {"witness": {"x": x, "y": y}})
        self.rejected(EPSILON, {}, "no witness")
        self.rejected(DELTA, {}, "no witness")

    def test_easier(self):
        """The proof of one statement does not prove another."""
        for change in (
            {"neighbors": [[1, 2]]},
            {"neighbors": [[0, 1], [0, 2], [1, 2]]},
            {"values": ["0", "1", "1"]},
            {"metric": "discrete", "neighbors": [[0, 2], [1, 2]]},
        ):
            self.rejected({**EPSILON, "mechanism": purest({**PATH, **change})}, EPSILON_PROOF)
        self.rejected({**EPSILON, "mechanism": purest(decay="3")}, EPSILON_PROOF)
        self.rejected({**DELTA, "eps": {"ln": "3"}}, DELTA_PROOF)
        self.rejected({**DISTORTION, "dataset": 1}, {})
        for change in ({"eps": {"ln": "3"}}, {"prior": ["1/3", "2/3"]}, {"delta": "1/100"}, {"query": {**COIN, "neighbors": []}}):
            self.rejected({**OPTIMUM, **change}, OPTIMUM_PROOF)

    def test_commensurable(self):
        """Ties are decided if e^ε is a power of v, or v^2 is rational."""
        root = {"name": "m", "query": COIN, "law": {"rule": "purest", "decay": {"ln": "2", "times": "1/2"}}}
        self.accepted({"kind": "smallest epsilon", "mechanism": root, "is": {"lo": "0", "hi": "1"}}, {})
        for unit, levels, value in (
            ({"ln": "2", "times": "1/2"}, [[0, 2], [2, 0]], {"ln": "2"}),
            ({"ln": "8", "times": "1/6"}, [[5, 7], [7, 5]], {"ln": "2"}),
            ({"rational": "1/2"}, [[0, 3], [3, 0]], {"equal": "3/2"}),
            ({"ln": "4/9", "times": "1"}, None, None),
        ):
            law = {"rule": "levels", "unit": unit, "levels": levels or [[0, 1], [1, 0]]}
            statement = {"kind": "smallest epsilon", "mechanism": {"name": "", "query": COIN, "law": law}, "is": value or {"equal": "0"}}
            proof = {"witness": {"x": 0, "y": 1, "r": 0}}
            if value is None:
                self.rejected(statement, proof, "not of a number above 1")
                continue
            self.accepted(statement, proof)
            eps = {"rational": value["equal"]} if "equal" in value else value
            self.accepted({**statement, "kind": "delta", "eps": eps, "is": {"equal": "0"}}, {})

    def test_extremes(self):
        for eps in "1/1000000000000", "700", "1000000":
            for rule in "exponential", "laplace", "geometric", "ladder", "purest":
                law = {"rule": rule, "decay" if rule == "purest" else "eps": {"rational": eps}}
                proof = {"witness": {"x": 0, "y": 1, "r": 0}}
                statement = {"kind": "smallest epsilon", "mechanism": {"name": "", "query": PATH, "law": law}}
                half = write(Fraction(eps) * Fraction(49, 100))
                self.accepted({**statement, "is": {"lo": half, "hi": write(Fraction(eps) + 1)}}, proof)
                if rule != "purest":
                    self.accepted({**statement, "is": {"lo": "0", "hi": eps}}, proof)
                self.rejected({**statement, "is": {"lo": "0", "hi": half}}, proof)

    def test_optimum(self):
        for statement, proof in (OPTIMUM, OPTIMUM_PROOF), (WORST, WORST_PROOF):
            self.rejected({**statement, "is": {"equal": "17/50"}}, proof, "bound")
            self.rejected({**statement, "is": {"equal": "33/100"}}, proof, "objective")
            self.accepted({**statement, "is": {"lo": "1/4", "hi": "1/3"}}, {**proof, "prices": [[1, 0, 1, "1/8"], [0, 1, 0, "1/8"]]})
            self.rejected(statement, {**proof, "prices": [[1, 0, 1, "1/5"], [0, 1, 0, "1/5"]]}, "bound")
            self.rejected(statement, {**proof, "laws": [["3/4", "1/4"], ["1/3", "2/3"]]}, "break")
            self.rejected(statement, {**proof, "laws": [["2/3", "1/3"], ["1/2", "1/3"]]}, "sum 1")
            self.rejected(statement, {**proof, "laws": [["4/3", "-1/3"], ["1/3", "2/3"]]}, "below 0")
            # With δ the optimum is (1 - δ)/3.
            laws = [["7/10", "3/10"], ["3/10", "7/10"]]
            self.accepted({**statement, "delta": "1/10", "is": {"equal": "3/10"}}, {**proof, "laws": laws})
            self.rejected({**statement, "delta": "1/11", "is": {"lo": "0", "hi": "3/10"}}, {**proof, "laws": laws}, "break")
            # For e^ε = e the optimum is 1/(1 + e) = 0.2689414…
            e = {**statement, "eps": {"rational": "1"}, "is": {"lo": "268941421/1000000000", "hi": "134470711/500000000"}}
            laws = [["365529289/500000000", "134470711/500000000"], ["134470711/500000000", "365529289/500000000"]]
            price = write(rational(1 / (2 * (1 + Decimal(1).exp()))))
            good = {**proof, "laws": laws, "prices": [[1, 0, 1, price], [0, 1, 0, price]]}
            self.accepted(e, good)
            self.rejected({**e, "is": {"lo": "0", "hi": "268941421/1000000000"}}, good, "objective")
            self.rejected({**e, "is": {"lo": "134470711/500000000", "hi": "1"}}, good, "bound")
        wide = {**COIN, "range": ["0", "1", "5", "-1"]}
        rows = [["2/3", "1/3", "0", "0"], ["1/3", "2/3", "0", "0"]]
        proof = {**OPTIMUM_PROOF, "laws": rows, "values": [0, 1]}
        self.accepted({**OPTIMUM, "query": wide}, proof)
        self.rejected({**OPTIMUM, "query": wide}, {**proof, "values": [1]}, "dominates")
        self.rejected({**OPTIMUM, "query": wide}, {**proof, "values": [0, 1, 1]}, "twice")
        self.rejected({**OPTIMUM, "query": wide}, {**proof, "prices": proof["prices"] + [[0, 1, 2, "1"]]}, "not in values")
        self.rejected({**OPTIMUM, "query": wide}, {**proof, "prices": proof["prices"] * 2}, "twice")
        self.rejected(OPTIMUM, {**OPTIMUM_PROOF, "prices": [[0, 0, 0, "1"]]}, "no neighbors")
        self.rejected(OPTIMUM, {**OPTIMUM_PROOF, "prices": [[0, 1, 0, "-1"]]}, "below 0")
        self.rejected(WORST, OPTIMUM_PROOF, "weights")
        self.rejected(WORST, {**WORST_PROOF, "weights": ["1", "1"]}, "sum 1")


def graph_query(nodes, count):
    """Returns the query of all graphs on some nodes; isomorphism is decided by trying all permutations."""
    edges = [(i, j) for j in range(nodes) for i in range(j)]
    classes, seen = [], {}
    for chosen in itertools.product([0, 1], repeat=len(edges)):
        graph = frozenset(e for e, c in zip(edges, chosen) if c)
        if graph not in seen:
            for p in itertools.permutations(range(nodes)):
                seen[frozenset((min(p[i], p[j]), max(p[i], p[j])) for i, j in graph)] = len(classes)
            classes.append(graph)
    pairs = {tuple(sorted((x, seen[g ^ {e}]))) for x, g in enumerate(classes) for e in edges}
    names = []
    for g in classes:
        bits = "".join("1" if e in g else "0" for e in edges)
        bits += "0" * (-len(bits) % 6)
        names.append(chr(63 + nodes) + "".join(chr(63 + int(bits[i : i + 6], 2)) for i in range(0, len(bits), 6)))
    values = [str(copies(g, nodes, count)) for g in classes]
    return {
        "values": values,
        "range": sorted(set(values), key=int),
        "metric": "abs",
        "neighbors": [list(p) for p in sorted(pairs)],
        "graphs": {"nodes": nodes, "classes": names, "count": count},
    }


def copies(graph, nodes, count):
    """Returns the number of copies of a subgraph, by a formula for each subgraph."""
    has = lambda i, j: (min(i, j), max(i, j)) in graph
    degree = [sum(has(i, j) for j in range(nodes) if j != i) for i in range(nodes)]
    if count == "edge":
        return len(graph)
    if count == "triangle":
        return sum(has(a, b) and has(b, c) and has(a, c) for a, b, c in itertools.combinations(range(nodes), 3))
    if count == "2-star":
        return sum(d * (d - 1) // 2 for d in degree)
    if count == "3-star":
        return sum(d * (d - 1) * (d - 2) // 6 for d in degree)
    fours = list(itertools.combinations(range(nodes), 4))
    if count == "4-clique":
        return sum(all(has(i, j) for i, j in itertools.combinations(s, 2)) for s in fours)
    cycles = lambda a, b, c, d: [(a, b, c, d), (a, b, d, c), (a, c, b, d)]
    return sum(has(a, b) and has(b, c) and has(c, d) and has(d, a) for s in fours for a, b, c, d in cycles(*s))


class Graphs(Case):
    def judge(self, query, reason=None):
        law = {"rule": "exponential", "eps": {"rational": "1"}}
        statement = {"kind": "smallest epsilon", "mechanism": {"name": "m", "query": query, "law": law}, "is": {"lo": "0", "hi": "1"}}
        if reason is None:
            return self.accepted(statement, {})
        return self.rejected(statement, {}, reason)

    def test_all(self):
        for nodes, classes in (1, 1), (2, 2), (3, 4), (4, 11), (5, 34):
            for count in "edge", "triangle", "2-star", "3-star", "4-clique", "4-cycle":
                query = graph_query(nodes, count)
                self.assertEqual(len(query["values"]), classes)
                self.assertIn(f"the {count} count of all graphs on {nodes} nodes", self.judge(query))

    def test_wrong(self):
        good = graph_query(4, "triangle")

        def graphs(**change):
            return {**good, "graphs": {**good["graphs"], **change}}

        classes = good["graphs"]["classes"]
        self.judge(graphs(count="edge"), "copies of the edge")
        self.judge(graphs(count="5-star"), "none of")
        self.judge(graphs(nodes=5), "graph6")
        self.judge(graphs(nodes=8), "nodes")
        self.judge(graphs(classes=classes[:-1]), "entries")
        self.judge(graphs(classes=classes[:-1] + classes[:1]), "isomorphic")
        self.judge(graphs(classes=classes[1:] + classes[:1]), "neighbors are not")
        self.judge(graphs(classes=["C" + chr(200)] + classes[1:]), "graph6")
        self.judge(graphs(classes=[0] + classes[1:]), "string")
        self.judge({**good, "neighbors": good["neighbors"][1:]}, "differ by one edge")
        self.judge({**good, "neighbors": [[0, 10]] + good["neighbors"]}, "differ by one edge")
        short = {k: v[:-1] if k in ("values",) else v for k, v in good.items()}
        short["neighbors"] = [p for p in good["neighbors"] if 10 not in p]
        short["graphs"] = {**good["graphs"], "classes": classes[:-1]}
        self.judge(short, "not all graphs")
        wrong = copy.deepcopy(good)
        wrong["values"][3] = "4"
        self.judge(wrong, "copies of the triangle")
        three = graph_query(3, "edge")
        three["graphs"]["classes"][0] = "B" + chr(63 + 1)  # sets a bit beyond those of the three edges
        self.judge(three, "beyond its edges")


def paths(value, at=()):
    """Yields the path to every part of a JSON value."""
    yield at
    for key, part in value.items() if type(value) is dict else enumerate(value) if type(value) is list else ():
        yield from paths(part, at + (key,))


def replaced(value, at, new):
    if not at:
        return new
    result = copy.copy(value)
    result[at[0]] = replaced(value[at[0]], at[1:], new)
    return result


class Malformed(Case):
    def test_every_place(self):
        """A certificate with a part of another type, or with a key more or less, is rejected in one line."""
        odd = [None, True, False, -1, 10**9, "", "x", "01", "-0", "2/4", "1/0", "4*2^1", "1*2^9999999", "inf", "1.5", [], [[]], {}, {"x": 1}]
        for statement, proof in GOOD:
            whole = {"statement": statement, "proof": proof}
            for at in paths(whole):
                if not at:
                    continue
                part = whole
                for key in at:
                    part = part[key]
                for new in odd:
                    if new == part and type(new) is type(part):
                        continue
                    changed = replaced(whole, at, new)
                    good, words = self.verdict(changed["statement"], changed["proof"])
                    if at == ("statement", "mechanism", "name"):
                        self.assertEqual(good, type(new) is str, words)
                    elif at == ("proof", "prices") and new == []:
                        self.assertFalse(good)
                    else:
                        self.assertFalse(good, f"{at} as {new}: {words}")
                    self.assertNotIn("cannot be checked", words)
                if type(part) is dict:
                    for changed in [{**part, "more": 1}] + [{k: v for k, v in part.items() if k != key} for key in part]:
                        changed = replaced(whole, at, changed)
                        good, words = self.verdict(changed["statement"], changed["proof"])
                        self.assertFalse(good, f"{at}: {words}")
                        self.assertNotIn("cannot be checked", words)

    def test_laws(self):
        def law(reason, query=PATH, **law):
            statement = {"kind": "smallest epsilon", "mechanism": {"name": "", "query": query, "law": law}, "is": {"lo": "0", "hi": "inf"}}
            self.rejected(statement, {}, reason)

        one, rows = {"rational": "1"}, [["1", "0", "0"]] * 3
        law("none of", rule="best")
        law("lacks the key decay", rule="purest")
        law("unknown key eps", rule="purest", decay=one, eps=one)
        law("not positive", rule="purest", decay={"rational": "0"})
        law("below 0", rule="purest", decay={"rational": "-1"})
        law("not positive", rule="purest", decay={"ln": "2", "times": "0"})
        law("above 1", rule="purest", decay={"ln": "1"})
        law("no value has weight", rule="layered", decay=one, initial=[[], [], []])
        law("whole number from 1", rule="layered", decay=one, initial=[[[0, [0]], [0, [1]]], [], []])
        law("place", rule="layered", decay=one, initial=[[[0, [3]]], [], []])
        law("no value has weight", rule="levels", unit=one, levels=[[0, 0, 0], [None] * 3, [0, 0, 0]])
        law("whole number", rule="levels", unit=one, levels=[[0, 0, 0], [0, True, 0], [0, 0, 0]])
        law("2 entries", rule="levels", unit=one, levels=[[0, 0, 0], [0, 0], [0, 0, 0]])
        law("sum 1", rule="table", rows=[["1/2", "0", "1/3"]] + rows[1:])
        law("2 entries", rule="table", rows=rows[:2])
        law("numbers as values", QUERIES["discrete"], rule="laplace", eps=one)
        halves = {**PATH, "values": ["0", "1/2", "2"], "range": ["0", "1/2", "2"]}
        law("whole values", halves, rule="geometric", eps=one)

    def test_queries(self):
        def query(reason, **change):
            made = {k: v for k, v in {**PATH, **change}.items() if v is not None}
            self.rejected({**EPSILON, "mechanism": purest(made)}, EPSILON_PROOF, reason)

        query("twice in range", range=["0", "1", "2", "1*2^0"])
        query("range lacks", range=["0", "1"])
        query("ascending", neighbors=[[1, 0], [1, 2]])
        query("ascending", neighbors=[[0, 0], [1, 2]])
        query("twice", neighbors=[[0, 1], [1, 2], [0, 1]])
        query("whole number", neighbors=[[0, 1], [1, 3]])
        query("whole number", neighbors=[[False, 1], [1, 2]])
        query("neither or both", neighbors=None)
        query("neither or both", distances=[["0", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]])
        query("not symmetric", neighbors=None, distances=[["0", "1", "2"], ["1", "0", "1"], ["3", "1", "0"]])
        query("diagonal", neighbors=None, distances=[["0", "1", "2"], ["1", "1", "1"], ["2", "1", "0"]])
        query("0 apart", neighbors=None, distances=[["0", "1", "2"], ["1", "0", "0"], ["2", "0", "0"]])
        query("below 0", neighbors=None, distances=[["0", "-1", "2"], ["-1", "0", "1"], ["2", "1", "0"]])
        query("not a number", metric=[["0", "inf", "2"], ["inf", "0", "1"], ["2", "1", "0"]])
        query("diagonal", metric=[["1", "1", "2"], ["1", "0", "1"], ["2", "1", "0"]])
        query("not abs", metric="l2")

    def file(self, data, name="c.json"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(data)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = check.main([path])
            self.assertEqual(out.getvalue().count("\n"), 1)
            self.assertNotIn("cannot be checked", out.getvalue())
            return status, out.getvalue()

    def test_files(self):
        good = certificate(EPSILON, EPSILON_PROOF)
        text = json.dumps(good).encode()
        self.assertEqual(self.file(text)[0], 0)
        self.assertEqual(self.file(json.dumps(good, indent=2).encode())[0], 0)
        packed = gzip.compress(text)
        self.assertEqual(self.file(packed, "c.json.gz")[0], 0)

        def wrong(data, reason, name="c.json"):
            status, words = self.file(data, name)
            self.assertEqual(status, 1, words)
            self.assertIn(reason, words)

        for cut in 0, 1, 20, len(text) // 2, len(text) - 1:
            wrong(text[:cut], "not JSON")
        for cut in 0, 5, 15, len(packed) // 2, len(packed) - 1:
            wrong(packed[:cut], "", "c.json.gz")
        wrong(packed, "not ASCII")
        wrong(text, "cannot be read", "c.json.gz")
        wrong(packed[:40] + b"\0\0\0\0" + packed[44:], "", "c.json.gz")
        wrong(gzip.compress(b" " * (check.MAX_BYTES + 1)), "longer than", "bomb.json.gz")
        wrong(text + b"x", "not JSON")
        wrong(b"\xef\xbb\xbf" + text, "not ASCII")
        wrong(text.replace(b"by hand", "von H\u00e4nden".encode()), "not ASCII")
        for depth in 900, 100000, 10**6:
            wrong(b"[" * depth + b"]" * depth, "")
        for more in b"NaN", b"Infinity", b"-Infinity", b"1.0", b"1e3", b"-0", b"9" * 10**6, b"-0.0":
            wrong(text[:-1] + b', "more": ' + more + b"}", "")
            wrong(text.replace(b'"x": 0', b'"x": ' + more), "")
        wrong(text.replace(b'"x": 0', b'"x": 9007199254740993'), "2^53")
        wrong(text[:-1] + b', "version": "0"}', "twice")
        wrong(text.replace(b'"x": 0', b'"x": 0, "x": 0'), "twice")
        for digits in 60000, 10**6:
            self.rejected({**EPSILON, "is": {"ln": "9" * digits}}, EPSILON_PROOF, "digits")
            self.rejected({**EPSILON, "is": {"ln": "16/" + "9" * digits}}, EPSILON_PROOF, "digits")
            self.rejected({**EPSILON, "is": {"equal": "9" * digits + "*2^0"}}, EPSILON_PROOF, "digits")
        wrong(text.replace(good["sha256"].encode(), b"0" * 64), "sha256")
        wrong(text.replace(b'"decay": {"ln": "2"}', b'"decay": {"ln": "3"}'), "sha256")
        wrong(text.replace(b"certificate 1", b"certificate 2"), "format")
        for change in {"made": {"who": "x"}}, {"made": []}, {"version": 1}, {"statement": []}, {"sha256": None}, {"proof": []}, {"extra": 1}:
            wrong(json.dumps({**good, **change}).encode(), "")
        for kind in "best", "", None, 1, [], "check":
            self.rejected({**EPSILON, "kind": kind}, EPSILON_PROOF, "kind")

    def test_words(self):
        """Calls are printed in full. A name is printed apart from the sentence, and cannot begin a line."""
        call = 'purest(graphs(5).count("triangle"), ' + " + ".join(["1"] * 100) + ")"
        name = 'm is ln(2)\n\u2028c.json: accepted: "m"'
        good = {**certificate({**EPSILON, "mechanism": {**EPSILON["mechanism"], "name": name}}, EPSILON_PROOF), "made": {"call": call, "script": None}}
        status, words = self.file(json.dumps(good).encode())
        self.assertEqual(status, 0, words)
        self.assertIn(f"[said to be made by {call}, version", words)
        self.assertIn(r'of "m is ln(2)\n\u2028c.json: accepted: \"m\"" (', words)
        self.assertIn(" of by_hand (", self.file(json.dumps(certificate({**EPSILON, "mechanism": {**EPSILON["mechanism"], "name": "by_hand"}}, EPSILON_PROOF)).encode())[1])

    def test_bits(self):
        """Too many long numbers are rejected, even if each is within its limit."""
        many = {**PATH, "range": ["0", "1", "2"] + [f"{2 * i + 1}*2^1048576" for i in range(400)]}
        self.rejected({**EPSILON, "mechanism": purest(many)}, EPSILON_PROOF, "bits")

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            good, bad = os.path.join(folder, "good.json"), os.path.join(folder, "b\nad.json")
            for path, proof in (good, EPSILON_PROOF), (bad, {}):
                with open(path, "w") as file:
                    json.dump(certificate(EPSILON, proof), file)
            run = lambda *files: subprocess.run([sys.executable, "-I", os.path.join(HERE, "check.py"), *files], capture_output=True, text=True)
            self.assertEqual(run(good, good).returncode, 0)
            result = run(good, bad, folder, os.path.join(folder, "none"))
            self.assertEqual((result.returncode, result.stderr, result.stdout.count("\n")), (1, "", 4))
            self.assertEqual(run().returncode, 2)


class Lines(Case):
    """Lines of refutations have their meaning in Python, or are rejected."""

    SIGMA = {"kind": "gaussian sigma", "eps": {"rational": "97"}, "delta": "1/1000000", "sensitivity": "1", "is": {"lo": "0", "hi": "9"}}

    def line(self, source, facts=()):
        statement = {"kind": "refutation", "claim": "c", "says": "s", "line": source, "facts": [{"call": c, "statement": s} for c, s in facts]}
        return self.verdict(statement, {"facts": [{}] * len(facts)})

    def test_false(self):
        """A line is accepted only if it is False in Python."""
        yes = """1 == 2; 1 < 2 < 2; 0.1 + 0.2 != 0.3; -7 // 2 == -3; 1 if 2 < 1 else 1 == 2; max([math.e, math.e]) == 3; {1: 2}[1] == 3; None == 0
            not all([t == (1, 2) for t in zip([1], [2])]); math.pow(-math.pi, 3) > 0; p_plus_printed(1, 3) > 0.6827; min(3, math.pi) == 3.5"""
        for source in re.split("; |\n *", yes):
            good, words = self.line(f"print({source})")
            self.assertTrue(good, f"{source}: {words}")
        no = """print = lambda x: x; print(1 == 2)
            math = 1; print(math.pi < 3)
            print((lambda min: min)(1) == 2)
            x = 1; f = [lambda: x for i in [0]][0]; x = 2; print(f() == 2)
            h = [[lambda: i for j in [0]] for i in [0, 1]]; print(h[0][0]() == 1)
            y = [1]; print([y for x in [1] for y in y] == [2])
            k = 5; f = lambda *, k=1: k; print(f() == 1)
            print([1] == [True])
            print(True in [1])
            print({0: 0.5} == {0: 0.5})
            print(len({0.5: 1, 0.5: 2}) == 1)
            print("ab" in "abc")
            print(range(1) != [0])
            print(all([[1, 2] != t for t in zip([1], [2])]))
            print(0.30000000000000001 > 0.3)
            print(1e999 < 1)
            print(math.e == math.e)
            print(bernoulli([[1]], {(1, 0): [[1]]}, 2).size == 1)
            print(finite_query([0, 1], edges=[(0, 1)]).distance(0, -1) == 0)"""
        for source in no.split("\n"):
            good, words = self.line(source.strip())
            self.assertFalse(good, f"{source}: {words}")
            self.assertNotIn("cannot be checked", words)
        self.assertFalse(self.line("print(1 == 2)\nprint(True)")[0])

    def test_facts(self):
        """A fact must be about its call, and its number may lie anywhere between its ends."""
        call, statement = "gaussian_sigma(97, 1e-06)", self.SIGMA
        self.assertTrue(self.line("print(gaussian_sigma(97, delta=1e-6).hi > 10)", [(call, statement)])[0])
        allocation = {"objects": 2, "features": 1, "theta": "1/2", "lambda": "1/2"}
        loss = {"kind": "bits epsilon", "law": allocation, "neighbors": {"bits": 1}, "is": {"equal": "3/2"}}
        bits = "xor_allocation(2, 1, 1, 0.5, 1).smallest_epsilon(1)"
        self.assertTrue(self.line(f"print({bits}.lo <= 1)", [(bits, loss)])[0])
        for source, *facts in [
            ("print(gaussian_sigma(97, 1e-6).hi < 5)", (call, statement)),
            ("print(gaussian_sigma(97, 1e-6).value < 9)", (call, {**statement, "is": {"lo": "0", "hi": "inf"}})),
            ("print(gaussian_sigma(97, 1e-6).hi > 10)", (call, {**statement, "eps": {"rational": "98"}})),
            ("print(gaussian_sigma(97, 1e-6).hi > 10)", (call, {**statement, "sensitivity": "1/2"})),
            ("print(gaussian_sigma(delta=97, eps=1e-6).hi > 10)", (call, statement)),
            ("print(foo(a=1) + foo(b=1) > 18)", ("foo(1)", statement)),
            ('print(foo("a\\", \\"b").hi > 10)', ('foo("a", "b")', statement)),
            ("print(foo > 10)", ("foo", statement)),
            (f"print({bits}.lo <= 1)", (bits, {**loss, "law": {**allocation, "lambda": "3/4"}, "is": {"equal": "2"}})),
            (f"print({bits}.lo <= 1)", (bits, {**loss, "neighbors": {"bits": 2}, "is": {"equal": "2"}})),
        ]:
            good, words = self.line(source, facts)
            self.assertFalse(good, f"{source}: {words}")
            self.assertNotIn("cannot be checked", words)

    def test_endless(self):
        """Lines that would run for ever or exhaust memory are rejected at once."""
        for source in [
            "x = range(10000000000000); print(sum(x) == 1)",
            "x = [0] * 1000000000; print(1 == 2)",
            "x = [0]; " + "x = x + x; " * 50 + "print(1 == 2)",
            "x = [0]; " + "x = [x, x]; " * 60 + "print(x)",
            "x = 2; " + "x = x * x; " * 60 + "print(x == 1)",
            "x = 2.5; " + "x = math.pow(x, 9999); " * 6 + "print(x == 1)",
            "x = math.pi; " + "x = math.pow(x, 9999); " * 6 + "print(math.ceil(x) < 1)",
            "x = 'a'; " + "x = foo(x, x); " * 60 + "print(x == 1)",
            "f = lambda n: f(n); print(f(1) == 2)",
            "print(ln('1e999999999') < 1)",
            "print(bernoulli([[1]], {}, 100000).pi == 1)",
        ]:
            good, words = self.line(source)
            self.assertFalse(good, f"{source[:60]}: {words}")
            self.assertNotIn("cannot be checked", words)
        self.assertTrue(self.line("x = math.pi; " + "x = x + x; " * 60 + "print(x == 1)")[0])


class Bounds(Case):
    """Small files whose check would take for ever are rejected."""

    def test_large(self):
        law = {"objects": 2**31 - 1, "features": 1, "theta": "1/10", "lambda": "1/10"}
        self.rejected({"kind": "bits epsilon", "law": law, "neighbors": {"rows": 2**31 - 1}, "is": {"lo": "0", "hi": "1"}}, {}, "bits differ")
        spread = {**PATH, "range": [str(i) for i in range(5000)] + ["1*2^-1048576"]}
        self.rejected({**EPSILON, "mechanism": purest(spread)}, EPSILON_PROOF, "over common denominators")
        levels = {"rule": "levels", "unit": {"ln": "2"}, "levels": [[0, 1, 2], [1, 0, 2], [2, 1, 0]]}
        part = {"mechanism": {"name": "", "query": PATH, "law": levels}, "times": 9}
        self.accepted({"kind": "composition", "parts": [part], "eps": {"rational": "10000000000"}, "is": {"lo": "0", "hi": "1"}}, {})

    def test_seconds(self):
        """A check beyond the time limit ends with one line."""
        slow = check.verdict
        try:
            check.verdict = lambda path: [i for i in iter(int, 1)]
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.assertEqual(check.main(["--seconds", "1", "x"]), 1)
            self.assertIn("rejected: takes more than 1 seconds", out.getvalue())
        finally:
            check.verdict = slow


class Refutations(Case):
    """Refutations of the ledger are rejected with facts about something else, and with lines that compute nothing."""

    def changed(self, name, reason, line=None, **fact):
        with open(os.path.join(HERE, "ledger", name + ".json")) as file:
            given = json.load(file)
        statement = given["statement"]
        self.accepted(statement, given["proof"])
        statement = copy.deepcopy(statement)
        if line:
            statement["line"] = statement["line"].replace(*line)
            for one in statement["facts"]:
                one["call"] = one["call"].replace(*line)
        if fact:
            statement["facts"][0]["statement"].update(fact)
        self.rejected(statement, given["proof"], reason)

    def test_facts(self):
        """True facts are rejected if they are not about the calls of the line."""
        self.changed("signrp.figure12", "is not what", sensitivity="1/100", **{"is": {"lo": "0", "hi": "1/100"}})
        self.changed("signrp.figure12", "is not what", eps={"rational": "98"}, **{"is": {"lo": "0", "hi": "999/10000"}})
        self.changed("signrp.figure12", "is not what", delta="1/1000", **{"is": {"lo": "0", "hi": "99/1000"}})
        self.changed("signrp.theoremA2", "is not what", u=["1/5", "1/2"])
        self.changed("signrp.theoremA2", "is not what", eps={"rational": "2"})
        self.changed("signrp.theoremA2", "is not what", projection={"signs": ["+-", "--"]})
        law = {"features": 1, "objects": 2, "theta": "2", "lambda": "1/2"}
        self.changed("xor.algorithm1.privacy", "is not what", law=law, **{"is": {"lo": "2", "hi": "10"}})
        self.changed("xor.algorithm1.privacy", "is not what", neighbors={"bits": 2}, **{"is": {"lo": "3/2", "hi": "10"}})
        self.changed("xor.theorem3", "is not what", count="zeros", **{"is": {"lo": "0", "hi": "1"}})
        self.changed("xor.theorem3", "is not what", per="5", **{"is": {"lo": "0", "hi": "1"}})

    def test_lines(self):
        self.changed("xor.theorem1", "a whole number from 1 on", ("claimed_epsilon(1)", "claimed_epsilon(0)"))
        self.changed("xor.algorithm1.privacy", "entries", ("print(e, 1, e <= 1)", "print(e, 1, min(b) < 1)"))
        self.changed("xor.algorithm1.privacy", "entries", ("print(e, 1, e <= 1)", "print(e, 1, [r for r in b] == 1)"))
        self.changed("xor.figure1", "may stand for another call", ("complement=", "complemett="))
        self.changed("xor.figure1", "may stand for another call", ("complement=", "ones="))
        self.changed("signrp.theoremA2", "may stand for another call", ("seed=", "see="))
        self.changed("xor.theorem1", "", ("bernoulli([[", "bernoulli(1, [["))


class Reals(unittest.TestCase):
    """Enclosures contain the exact values, and are narrow."""

    def test_enclosures(self):
        draw = random.Random(1)
        for _ in range(300):
            bits = draw.choice([64, 100, 200])
            a, b, c = (Fraction(draw.randint(-999, 999), draw.randint(1, 10 ** draw.randint(0, 9))) for _ in range(3))
            A, B, C = (real.Interval.of(q, bits) for q in (a, b, c))
            pairs = [(A + B, a + b), (A * B - C, a * b - c), (A.over(7), a / 7), (A.shifted(-300) + B, a / 2**300 + b)]
            if c:
                pairs.append((A / C, a / c))
            for interval, value in pairs:
                lo, hi = interval.ends()
                self.assertTrue(lo <= value <= hi)
                low, high = interval.fixed(40)
                self.assertTrue(low <= value * 2**40 <= high)
            narrow = Fraction(1, 2 ** (bits - 6))
            lo, hi = real.exp(real.Interval.of(a, bits + 40), bits).ends()
            value = dec(a).exp()
            self.assertTrue(dec(lo) <= value * (1 + Decimal("1e-70")) and value * (1 - Decimal("1e-70")) <= dec(hi))
            self.assertLess(hi - lo, narrow * hi)
            if a > 0:
                lo, hi = real.log(real.Interval.of(a, bits + 40), bits).ends()
                value, slack = dec(a).ln(), Decimal("1e-70")
                self.assertTrue(dec(lo) <= value + slack and value - slack <= dec(hi))
                self.assertLess(hi - lo, narrow * max(1, abs(hi)))


class Roots(unittest.TestCase):
    """Compares the signs of polynomials with those of their factors."""

    def test_signs(self):
        draw = random.Random(3)
        decided = {True: 0, False: 0}
        for _ in range(1500):
            zeros = [(Fraction(draw.randint(1, 11), 12), draw.choice([1, 1, 2, 3])) for _ in range(draw.randint(0, 4))]
            p, scale = [draw.choice([-3, 1, 2])], draw.choice([[1], [1, 1], [2, -1, 1], [0, 0, 1], [1, -1]])
            for z, order in zeros:
                for _ in range(order):
                    p = roots.times(p, [-z.numerator, z.denominator])
            p = roots.times(p, scale)

            def sign(z):
                """Returns the sign at z from the factors."""
                value = (p[-1] > 0) - (p[-1] < 0) if scale != [1, -1] else (p[-1] < 0) - (p[-1] > 0)
                for zero, order in zeros:
                    value *= ((z > zero) - (z < zero)) ** order
                return value

            a, b = sorted(draw.sample([Fraction(i, 12) for i in range(13)], 2))
            places = sorted({a, b} | {z for z, _ in zeros if a < z < b})
            inside = [sign((u + v) / 2) for u, v in zip(places, places[1:])]
            never = all(s > 0 for s in inside)
            self.assertEqual(roots.never_negative(p, a, b), never, (p, a, b))
            inside += [sign(z) for z in places if 0 < z < 1]
            self.assertEqual(roots.negative(p, a, b), all(s < 0 for s in inside), (p, a, b))
            decided[never] += 1
            q = roots.plain(p)
            odd = roots.odd_part(q)
            orders = {}
            for z, order in zeros:
                orders[z] = orders.get(z, 0) + order
            self.assertEqual(roots.count(odd, a, b) if len(odd) > 1 else 0, sum(a < z < b for z in orders if orders[z] % 2))
        self.assertGreater(min(decided.values()), 300)

    def test_products(self):
        draw = random.Random(4)
        for _ in range(300):
            p, q = ([draw.randint(-(10**9), 10**9) for _ in range(draw.randint(1, 30))] + [1] for _ in range(2))
            product = [sum(p[i] * q[k - i] for i in range(max(0, k - len(q) + 1), min(k + 1, len(p)))) for k in range(len(p) + len(q) - 1)]
            self.assertEqual(roots.times(p, q), product)
            self.assertEqual(roots.quotient(product, q), p)
            self.assertEqual(roots.plus(p, q, -1), roots.trimmed([(p + [0] * 40)[i] - (q + [0] * 40)[i] for i in range(40)]))


class Schema(unittest.TestCase):
    """schema.json agrees with the checker on the form of the certificates above."""

    def setUp(self):
        with open(os.path.join(HERE, "schema.json")) as file:
            self.schema = json.load(file)

    def test_kinds(self):
        """The schema has every kind of statement."""
        statements = self.schema["$defs"]["statement"]["oneOf"]
        self.assertEqual({s["properties"]["kind"]["const"] for s in statements}, set(kinds.MODULES))

    def test_schema(self):
        certificates = [certificate(*pair) for pair in GOOD]
        for name, query in QUERIES.items():
            for law in laws(name):
                mechanism = {"name": "m", "query": query, "law": law}
                certificates.append(certificate({"kind": "smallest epsilon", "mechanism": mechanism, "is": {"lo": "inf", "hi": "inf"}}, {}))
        graphs = purest(graph_query(4, "4-cycle"))
        certificates.append(certificate({**EPSILON, "mechanism": graphs}, EPSILON_PROOF))
        for path in glob.glob(os.path.join(HERE, "ledger", "*.json")):
            with open(path) as file:
                certificates.append(json.load(file))
        for c in certificates:
            self.assertTrue(valid(c, self.schema, self.schema), json.dumps(c)[:500])
        for c in certificates[:5]:
            for at in paths(c):
                for new in -1, 1.5, True, "1/0", "-0", "3.5", {"x": 1}, [[[[]]]]:
                    if at[-1:] in (("call",), ("version",), ("name",)) or (at[-2:-1] in (("values",), ("range",))):
                        continue
                    self.assertFalse(valid(replaced(c, at, new), self.schema, self.schema), f"{at} as {new}")


def valid(value, schema, root):
    """Reports whether a value satisfies a schema with the few keywords that schema.json uses."""
    for word, said in schema.items():
        if word == "$ref":
            part = root
            for key in said.split("/")[1:]:
                part = part[key]
            good = valid(value, part, root)
        elif word == "type":
            types = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}
            good = type(value) is types[said]
        elif word == "const":
            good = type(value) is type(said) and value == said
        elif word == "enum":
            good = value in said
        elif word == "pattern":
            good = type(value) is not str or re.search(said, value) is not None
        elif word == "minimum":
            good = type(value) is not int or value >= said
        elif word == "maximum":
            good = type(value) is not int or value <= said
        elif word == "required":
            good = type(value) is not dict or all(key in value for key in said)
        elif word == "properties":
            good = type(value) is not dict or all(valid(v, said[k], root) for k, v in value.items() if k in said)
        elif word == "additionalProperties":
            good = type(value) is not dict or said or all(k in schema["properties"] for k in value)
        elif word == "items":
            good = type(value) is not list or (
                not value[len(schema.get("prefixItems", [])) :] if said is False else all(valid(v, said, root) for v in value[len(schema.get("prefixItems", [])) :])
            )
        elif word == "prefixItems":
            good = type(value) is not list or all(valid(v, s, root) for v, s in zip(value, said))
        elif word == "minItems":
            good = type(value) is not list or len(value) >= said
        elif word == "maxItems":
            good = type(value) is not list or len(value) <= said
        elif word == "anyOf":
            good = any(valid(value, s, root) for s in said)
        elif word == "oneOf":
            good = sum(valid(value, s, root) for s in said) == 1
        elif word in ("$schema", "$id", "title", "description", "$defs", "$comment"):
            good = True
        else:
            raise ValueError(f"schema.json uses {word}")
        if not good:
            return False
    return True


COQ = os.path.join(HERE, "coq", "check")
LEAST_W = "Definition least_w (q : Mechanism.query) (w : Q) (m : Mechanism.mechanism) : Prop := True."
FORGED = f"""{LEAST_W}
Module Workbench. Module Mechanism. {LEAST_W} End Mechanism. End Workbench.
Module Mechanism. {LEAST_W} End Mechanism. Import Mechanism.
Module Export M. Notation law := True. End M.
Module Type T. End T.
Section S. Variable m : nat -> nat -> Q. Hypothesis H : False.
Notation "A /\ B" := (A \/ B).
Notation law := (fun _ _ => True).
Infix "==" := (fun _ _ => True).
Number Notation Q to_q of_q : Q_scope.
Coercion prop_of (b : bool) : Prop := True.
Axiom cheat : forall P : Prop, P.
Parameter cheat : forall P : Prop, P.
Conjecture cheat : False.
Lemma other : True. Proof. exact I. Qed.
Theorem statement : True. Proof. exact I. Qed.
Goal False. Admitted.
Let q := 1.
Fixpoint f (n : nat) : nat := f n.
Inductive bad := Bad : (bad -> False) -> bad.
Record r := R {{ a : nat }}.
Class C := c : nat.
Instance i : True := I.
Canonical Structure s := tt.
Definition Q := nat.
Definition nat := Z.
Definition weights : nat -> Q := fun _ => 0.
Definition prior := Workbench.Mechanism.uniform q.
Program Definition p : nat := 0.
From Workbench Require Import Other.
From Workbench Require Import Mechanism.
Require Other.
Import Other.
Export ListNotations.
Load other.
Add LoadPath "." as Workbench.
Declare ML Module "other".
Open Scope nat_scope.
Close Scope Q_scope.
Bind Scope nat_scope with Q.
Delimit Scope nat_scope with Z.
Undelimit Scope Z_scope.
Declare Scope q_scope.
Set Universe Polymorphism.
Unset Guard Checking.
#[bypass_check(guard)] Fixpoint f (n : nat) : nat := f n.
Arguments Workbench.Mechanism.least_w _ _ _ /.
Opaque Workbench.Mechanism.law.
Strategy 5 [Workbench.Mechanism.law].
Hint Resolve I.
Existing Instance i.
Ltac split := admit.
Tactic Notation "split" := admit.
Scheme Equality for nat.
Generalizable All Variables.
Implicit Types m : nat.
Universe u.
Reset q.
Back 2.
Drop.
Cd "/".
Fail Check 1.
Time Check 1.
Redirect "out" Print q.
Extraction "out" q.
Print Assumptions other.
Eval compute in 1.
idtac "Closed under the global context".
admit.
Abort.
Admitted.
Defined.""".split("\n")


def coq_files():
    with open(os.path.join(HERE, "testdata", "coq.txt"), encoding="utf-8") as file:
        parts = re.split(r"(?m)^\(\* == (.*) == \*\)\n", file.read())
    return dict(zip(parts[1::2], parts[2::2]))


class Theorems(unittest.TestCase):
    def test_written(self):
        for name, text in coq_files().items():
            said, sentences = theorem.theorem(text)
            stated = re.search(r"Theorem statement : (.*)\.\n", text)[1]
            self.assertTrue(said.startswith(stated + ", of "), name)
            self.assertIn("Theorem statement : " + stated, sentences)
            # Comments nest, and change nothing anywhere.
            noted = text.replace(".\n", ".\n(* a (* Axiom cheat : False. *) (**) (*) *) b. *)\n")
            self.assertEqual(theorem.theorem(noted), (said, sentences), name)

    def refused(self, text, why):
        with self.assertRaises(check.Rejected, msg=why):
            theorem.theorem(text)

    def test_forged(self):
        """A file is rejected if a sentence is of another kind, occurs twice or is missing."""
        files = coq_files()
        for share, name in enumerate(("initial values", "worst δ", "Ladder apart")):
            text = files[name]
            ends = [m.end() for m in re.finditer(r"\.\n", text[text.index("*)\n\nFrom") :])]
            ends = [0] + [text.index("*)\n\nFrom") + e for e in ends]
            for at in ends:
                for forged in FORGED[share::3]:
                    self.refused(f"{text[:at]}{forged}\n{text[at:]}", f"{name}: {forged} at {at}")
            ends[0] = text.index("From Coq")
            for begin, end in zip(ends, ends[1:]):
                for twice in text[begin:end] * 2, "":
                    self.refused(text[:begin] + twice + text[end:], f"{name}: {twice}")

    def test_changed(self):
        """A file is rejected with a malformed number, statement or query."""
        text = coq_files()["purest G5"]
        small = coq_files()["unreached"]
        named = coq_files()["names"]
        for file, old, new in (
            (text, "(52 # 19)", "(104 # 38)"),
            (text, "(52 # 19)", "(1/1)"),
            (text, "Workbench.Mechanism.law q m /\\ ", ""),
            (text, "Workbench.Mechanism.least_w q", "least_w q"),
            (text, "Workbench.Mechanism.least_w q (52 # 19) m", "True"),
            (text, "least_w q (52 # 19) m.", "least_w q (52 # 19) m \\/ True."),
            (text, "Theorem statement", "Theorem other"),
            (text, "Theorem statement", "Definition statement"),
            (text, "vm_compute; reflexivity|]", "vm_compute; admit|]"),
            (text, "Workbench.Layers.purest_sound", "Other.purest_sound"),
            (text, "Qed.", "Admitted."),
            (text, "Print Assumptions statement.", ""),
            (text, "(0, 1)", "(1, 0)"),
            (text, "(0, 1)", "(0, 99)"),
            (text, "(0, 1)", "(0, 2); (0, 2)"),
            (small, "[0; 1; 2]", "[0; 1; 1; 2]"),
            (small, "[0; 1; 2]", "[0; 2]"),
            (small, "[0; 1; 2]", "[0; 1; 2; 3]"),
            (named, "[0; 1; 1]", "[0; 1; 2]"),
            (named, "[0; 1; 1]", "[1; 1; 1]"),
            (named, "[0; 1; 1]", "[0; (-1); 1]"),
            (text, "   Its datasets", '   "Its datasets'),
            (text, "   Its datasets", "   (* Its datasets"),
            (text, "   Its datasets", "   *) Its datasets"),
            (text, "   Its datasets", "   \u202e Its datasets"),
            (text, "   Its datasets", "   \r Its datasets"),
        ):
            self.assertIn(old, file)
            self.refused(file.replace(old, new, 1), f"{new} for {old}")
        self.refused(coq_files()["distortion"].replace("distortion q m 7", "distortion q m 34"), "no dataset 34")
        self.refused("", "an empty file")

    def test_coq(self):
        """As a program, with Coq, the checker accepts the theorem, and rejects another number or an axiom."""
        files = coq_files()
        true = files["purest of names"]
        false = true.replace("(16 # 7)", "(15 # 7)")
        axiom = true.replace("Definition m :", "Axiom cheat : False.\nDefinition m :")
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("true.v", "false.v", "axiom.v")]
            for path, text in zip(paths, (true, false, axiom)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            ran = [subprocess.run([sys.executable, "-B", COQ, *some], stdout=subprocess.PIPE, text=True) for some in (paths[:1], paths)]
            said = [line.split(": ", 1)[1] for line in ran[1].stdout.splitlines()]
        self.assertIn("rejected: not what certify writes there: Axiom", said[2])
        if shutil.which("coqc"):
            self.assertEqual([r.returncode for r in ran], [0, 1])
            self.assertTrue(said[0].startswith("accepted: Workbench.Mechanism.law q m /\\ Workbench.Mechanism.purest q (1 # 2) m /\\ "), said)
            self.assertTrue(said[1].startswith("rejected: coqc: "), said)
        else:
            self.assertEqual([r.returncode for r in ran], [2, 2])
            self.assertTrue(all("nothing is proved: coqc is not installed" in s for s in said[:2]), said)


if __name__ == "__main__":
    unittest.main()
