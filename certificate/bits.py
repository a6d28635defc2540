"""Checks statements about noise on bits: its smallest epsilon, log-normalizer and expected flips.

The law of b in {0, 1}^(NP) is proportional to exp(b^T Pi b). Flipping the bits in S changes
the exponent by a term in the bits of S alone, plus b_k c_k for every other bit k. Here c_k is
2 times the sum over j in S of s_j Pi_jk, and s_j = 1 - 2 b_j. The loss is largest if b_k = 1
exactly where c_k > 0. Bits that are not connected by couplings, directly or through other bits,
are independent, and their losses add up.
"""

from fractions import Fraction

from real import Interval, exp, log
from written import Ends, keys, listed, need, number, short, whole, whole_multiples

MAX_ORDER = 1 << 31  # largest N or P
MAX_WORK = 1 << 25  # numbers that the check of a smallest epsilon may add
MAX_HEIGHT = MAX_WORK >> 5  # bits of a column in which neighbors may differ
MAX_PART = 16  # bits of an independent part whose states are enumerated
MAX_STATES = 1 << 18  # states of all independent parts together
MAX_TERMS = 1 << 16  # objects of a column
MAX_LISTED = 16  # bits of noise up to which all differences of neighbors are listed
WORK_BITS = 256


class Noise:
    """A law on N x P bits; bit (i, j) has the number i P + j.

    If every block is a multiple of the unit matrix and all Lambda_ij are equal, theta and coupling
    are these multiples, as rational numbers. Else blocks has the entries as whole numbers over scale.
    """

    def __init__(self, value):
        objects, features, theta, blocks = keys(value, "the law", "objects features theta lambda")
        self.n = whole(objects, "objects", MAX_ORDER, 1)
        self.p = whole(features, "features", MAX_ORDER, 1)
        self.uniform = type(theta) is str
        if self.uniform:
            self.theta, self.coupling = number(theta, "theta"), number(blocks, "lambda")
            if self.n == 1:
                self.coupling = Fraction(0)
            return
        matrices = {(0, 0): self._matrix(theta, "theta")}
        for block in listed(blocks, "lambda"):
            i, j, entries = listed(block, "a block of lambda", 3)
            whole(j, "the second object of a block", self.n), whole(i, "the first object of a block", j)
            need((i, j) not in matrices, f"the block of objects {i} and {j} comes twice")
            matrices[i, j] = self._matrix(entries, f"the block of objects {i} and {j}")
        flat = [entry for m in matrices.values() for row in m for entry in row]
        ints, self.scale = whole_multiples(flat, "Pi")
        ints = iter(ints)
        self.blocks = {at: [[next(ints) for _ in row] for row in m] for at, m in matrices.items()}
        self.partners = {}  # for each object, the objects coupled with it and the blocks
        for i, j in list(self.blocks)[1:]:
            self.partners.setdefault(i, []).append((j, self.blocks[i, j]))
            self.partners.setdefault(j, []).append((i, self.blocks[i, j]))

    def _matrix(self, rows, what):
        rows = [[number(q, f"an entry of {what}") for q in listed(row, what, self.p)] for row in listed(rows, what, self.p)]
        need(all(rows[a][b] == rows[b][a] for a in range(self.p) for b in range(a)), f"{what} is not symmetric")
        return rows

    def diagonal(self, k):
        a = k % self.p
        return self.blocks[0, 0][a][a]

    def row(self, k):
        """Returns the nonzero couplings of bit k with other bits, a dict from bit to entry of Pi times scale."""
        i, a = divmod(k, self.p)
        found = {i * self.p + b: v for b, v in enumerate(self.blocks[0, 0][a]) if v and b != a}
        for j, block in self.partners.get(i, ()):
            found.update((j * self.p + b, v) for b, v in enumerate(block[a]) if v)
        return found

    def parts(self):
        """Returns the independent parts of the bits, each with its number of copies.

        Objects without couplings to others have equal laws: the parts of the first object are returned for all of them.
        """
        lone = [i for i in range(min(self.n, len(self.partners) + 1)) if i not in self.partners][:1]
        found, seen = [], set()
        for i in lone + sorted(self.partners):
            copies = self.n - len(self.partners) if i in lone else 1
            for start in range(i * self.p, (i + 1) * self.p):
                if start not in seen:
                    seen.add(start)
                    bits = [start]
                    for k in bits:
                        fresh = self.row(k).keys() - seen
                        seen |= fresh
                        bits += sorted(fresh)
                    found.append((sorted(bits), copies))
        return found

    def words(self):
        return f"noise on {self.n} x {self.p} bits"


# ---- Smallest epsilon


class Work:
    def __init__(self):
        self.left = MAX_WORK

    def spend(self, amount):
        self.left -= amount
        need(self.left >= 0, f"more than {MAX_WORK} numbers are to be added")


class Part:
    """An independent part of the bits, with the privacy losses of flips. Losses are whole numbers, times scale."""

    def __init__(self, noise, bits, work):
        self.bits, self.work = bits, work
        place = {k: i for i, k in enumerate(bits)}
        self.place = place
        self.linear = [noise.diagonal(k) for k in bits]
        self.rows = [[(place[j], v) for j, v in noise.row(k).items()] for k in bits]

    def whole_set(self, flipped):
        """Returns the largest privacy loss of flipping all these bits, times scale."""
        places = [self.place[k] for k in flipped]
        inside = set(places)
        near = {i for p in places for i, _ in self.rows[p]} - inside
        best = 0
        outside = dict.fromkeys(near, 0)
        signs = {}

        def descend(at, inner):
            nonlocal best
            if at == len(places):
                self.work.spend(1 + len(near))
                best = max(best, inner + 2 * sum(c for c in outside.values() if c > 0))
                return
            p = places[at]
            for s in (1, -1):
                value = inner + s * self.linear[p]
                for i, v in self.rows[p]:
                    if i in outside:
                        outside[i] += s * v
                    elif i in signs:  # both ends flip: 2 v (1 - b_i - b_p)
                        value += v * (s + signs[i])
                signs[p] = s
                self.work.spend(1 + len(self.rows[p]))
                descend(at + 1, value)
                del signs[p]
                for i, v in self.rows[p]:
                    if i in outside:
                        outside[i] -= s * v

        descend(0, 0)
        return best

    def up_to(self, among, most):
        """Returns a list: the largest losses, times scale, of flipping at most 0, 1, …, most of the bits `among`."""
        places = [self.place[k] for k in among]
        most = min(most, len(places))
        best = [0] * (most + 1)
        c = [0] * len(self.bits)  # c_k of all bits, also of flipped ones
        signs = {}

        def descend(first, inner, total):
            """Extends the flipped bits by later ones. total is the sum of the positive c_k over bits not flipped."""
            t = len(signs)
            best[t] = max(best[t], inner + 2 * total)
            if t == most:
                return
            for at in range(first, len(places)):
                p = places[at]
                for s in (1, -1):
                    self.work.spend(2 + len(self.rows[p]))
                    value, rest = inner + s * self.linear[p], total - max(c[p], 0)
                    for i, v in self.rows[p]:
                        if i in signs:
                            value += v * (s + signs[i])
                        else:
                            rest += max(c[i] + s * v, 0) - max(c[i], 0)
                        c[i] += s * v
                    signs[p] = s
                    descend(at + 1, value, rest)
                    del signs[p]
                    for i, v in self.rows[p]:
                        c[i] -= s * v

        descend(0, 0, 0)
        for t in range(1, most + 1):
            best[t] = max(best[t], best[t - 1])
        return best


def column_loss(noise, t):
    """Returns the largest privacy loss of flipping t bits of one column, for a law with equal columns.

    Let a of the t bits and r of the other N - t bits be 1. The exponent changes by
    (t - 2a)(theta + lambda (2r + t - 1)). This is linear in r, and largest in size at a = 0 or a = t.
    """
    return t * max(abs(noise.theta + noise.coupling * (t - 1)), abs(noise.theta + noise.coupling * (2 * noise.n - t - 1)))


def uniform_bits(noise, most):
    """Returns the largest privacy loss of flipping at most `most` bits, anywhere in the independent columns."""
    height = min(most, noise.n)
    need(height <= MAX_HEIGHT, f"columns in which more than {MAX_HEIGHT} bits differ")
    gains, best = [], Fraction(0)
    for t in range(1, height + 1):
        loss = max(best, column_loss(noise, t))
        gains.append(loss - best)
        best = loss
    need(all(a >= b for a, b in zip(gains, gains[1:])), "what a column loses does not grow less and less")
    total, left = Fraction(0), most
    for gain in gains:  # in descending order; each gain occurs at most once in every column
        total += gain * min(left, noise.p)
        left -= min(left, noise.p)
    return total


def differences(noise, neighbors):
    """Returns the sets of bits in which neighbors may differ, if they differ in at most so many rows or edges."""
    bits = noise.n * noise.p
    need(bits <= MAX_LISTED, f"several rows or edges of more than {MAX_LISTED} bits")
    (name, most), = neighbors.items()
    if name == "rows":
        pieces = [row << (i * noise.p) for i in range(noise.n) for row in range(1, 1 << noise.p)]
    else:
        pieces = [1 << (i * noise.p + j) | 1 << (j * noise.p + i) for i in range(noise.n) for j in range(i)]
    reached, frontier = {0}, {0}
    for _ in range(min(most, len(pieces))):
        frontier = {b ^ piece for b in frontier for piece in pieces} - reached
        reached |= frontier
    return [[k for k in range(bits) if b >> k & 1] for b in sorted(reached)]


def read_neighbors(value, noise):
    """Returns the neighbor relation as a dict with one key, and its words."""
    need(type(value) is dict and len(value) == 1, "neighbors is not an object of one key")
    (name, given), = value.items()
    bits = noise.n * noise.p
    if name == "patterns":
        patterns = []
        for pattern in listed(given, "patterns"):
            last = -1
            for k in listed(pattern, "a pattern"):
                last = whole(k, "a bit of a pattern", bits, last + 1)
            patterns.append(pattern)
        return {"patterns": patterns}, f"differ in one of {len(patterns)} patterns"
    need(name in ("bits", "rows", "edges"), f"neighbors, {short(name)}, is not bits, rows, edges or patterns")
    need(name != "edges" or noise.n == noise.p > 1, "edges of a matrix that is not square or of one node")
    most = whole(given, name, 1 << 53, 1)
    return {name: most}, f"differ in at most {most} {name}"


def largest_loss(noise, neighbors):
    """Returns the smallest epsilon, an exact rational number."""
    (name, most), = neighbors.items()
    if name == "rows":
        neighbors = {name: min(most, noise.n)}
        most = neighbors[name]
    if name in ("rows", "edges") and most > 1 and not (noise.uniform and name == "rows"):
        neighbors = {"patterns": differences(noise, neighbors)}
        (name, most), = neighbors.items()
    work = Work()
    if noise.uniform:
        if name == "bits":
            return uniform_bits(noise, most)
        if name == "rows":  # at most `most` bits differ in each column
            need(most <= MAX_HEIGHT, f"columns in which more than {MAX_HEIGHT} bits differ")
            return noise.p * max(column_loss(noise, t) for t in range(1, most + 1))
        if name == "edges":  # two bits, in two columns
            return 2 * column_loss(noise, 1)
        best = Fraction(0)
        for pattern in most:
            columns = {}
            for k in pattern:
                columns[k % noise.p] = columns.get(k % noise.p, 0) + 1
            best = max(best, sum(column_loss(noise, t) for t in columns.values()))
        return best
    parts = [(Part(noise, bits, work), copies) for bits, copies in noise.parts()]
    if name == "bits":
        total = [0]
        for part, copies in parts:
            loss = part.up_to(part.bits, most)
            for _ in range(min(copies, most)):
                work.spend(min(len(total) + len(loss), most) * len(loss))
                total = spend_bits(total, loss, most)
        return Fraction(max(total), noise.scale)
    if name == "rows":
        best = {}
        for part, _ in parts:
            rows = {}
            for k in part.bits:
                rows.setdefault(k // noise.p, []).append(k)
            for i, bits in rows.items():
                best[i] = best.get(i, 0) + part.up_to(bits, len(bits))[-1]
        return Fraction(max(best.values()), noise.scale)
    if name == "edges":
        most = [[j * noise.n + i, i * noise.n + j] for i in range(noise.n) for j in range(i)]
    owner = {k: part for part, _ in parts for k in part.bits}
    lone = next((part.bits[0] // noise.p for part, _ in parts if part.bits[0] // noise.p not in noise.partners), None)
    best = 0
    for pattern in most:
        shares = {}
        for k in pattern:
            i, a = divmod(k, noise.p)
            work.spend(1)
            copy = i if i not in noise.partners else None  # uncoupled objects share the parts of the first one
            k = k if copy is None else lone * noise.p + a
            part = owner[k]
            shares.setdefault((id(part), copy), (part, []))[1].append(k)
        best = max(best, sum(part.whole_set(bits) for part, bits in shares.values()))
    return Fraction(best, noise.scale)


def spend_bits(a, b, most):
    """Returns the largest a_i + b_j with i + j at most 0, 1, …, for two ascending lists."""
    out = [0] * (min(len(a) + len(b) - 2, most) + 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b[: len(out) - i]):
            if x + y > out[i + j]:
                out[i + j] = x + y
    return out


def bits_epsilon(statement, proof):
    law, relation, ends = keys(statement, "the statement", "kind law neighbors is")[1:]
    keys(proof, "the proof", "")
    noise = Noise(law)
    relation, words = read_neighbors(relation, noise)
    ends = Ends(ends)
    loss = largest_loss(noise, relation)
    need(loss <= ends.hi.times, "the smallest epsilon is above the upper end")
    need(loss >= ends.lo.times, "the smallest epsilon is below the lower end")
    return f"the smallest epsilon of {noise.words()} for neighbors that {words} {ends.words}"


# ---- Sums over states


def weights(noise, bits):
    """Returns enclosures of the weights of a part's states, summed by their number of ones.

    Setting one more bit k multiplies the weight of a state by e^(Pi_kk), and by e^(2 Pi_jk) for every j that is 1.
    """
    place = {k: i for i, k in enumerate(bits)}
    known = {}

    def power(v):
        if v not in known:
            known[v] = exp(Interval.of(Fraction(v, noise.scale), WORK_BITS + max(0, abs(v).bit_length() - noise.scale.bit_length())), WORK_BITS)
        return known[v]

    one = Interval.of(1, WORK_BITS)
    states = [one]
    for at, k in enumerate(bits):
        row = {place[j]: v for j, v in noise.row(k).items()}
        factors = [power(noise.diagonal(k))]
        for j in range(at):
            factors += [f * power(2 * row[j]) for f in factors] if j in row else factors
        states += [w * f for w, f in zip(states, factors)]
    sums = [Interval.of(0, WORK_BITS)] * (len(bits) + 1)
    for b, w in enumerate(states):
        t = bin(b).count("1")
        sums[t] = sums[t] + w
    return sums


def column_weights(noise):
    """Returns such sums for one of equal columns: C(N, m) e^(theta m + lambda m (m - 1)) for m ones."""
    bits = WORK_BITS + 64
    term = Interval.of(1, bits)
    step, growth = (exp(Interval.of(q, bits + max(0, q.numerator.bit_length() - q.denominator.bit_length())), bits) for q in (noise.theta, 2 * noise.coupling))
    sums = [term]
    for m in range(noise.n):
        term = (term * step * Interval.of(noise.n - m, bits)).over(m + 1)
        step = step * growth
        sums.append(term)
    return sums


def part_sums(noise):
    """Returns for each independent part its weights by number of ones, and its number of copies."""
    if noise.uniform:
        if noise.coupling == 0:  # every bit is independent
            lone = Noise.__new__(Noise)
            lone.n, lone.theta, lone.coupling = 1, noise.theta, noise.coupling
            return [(column_weights(lone), noise.n * noise.p)]
        need(noise.n <= MAX_TERMS, f"columns of more than {MAX_TERMS} objects")
        return [(column_weights(noise), noise.p)]
    parts = noise.parts()
    need(max(len(bits) for bits, _ in parts) <= MAX_PART, f"an independent part has more than {MAX_PART} bits")
    need(sum(1 << len(bits) for bits, _ in parts) <= MAX_STATES, f"the independent parts have more than {MAX_STATES} states")
    return [(weights(noise, bits), copies) for bits, copies in parts]


def total(values):
    result = Interval.of(0, WORK_BITS + 64)
    for v in values:
        result = result + v
    return result


def within(value, ends, what):
    """Checks that an enclosure lies between the ends."""
    low, high = value.ends()
    need(low <= ends.hi.times, f"{what} is above the upper end")
    need(high >= ends.lo.times, f"{what} is below the lower end")
    need(high <= ends.hi.times and low >= ends.lo.times, f"{what} is too near an end to tell")


def bits_normalizer(statement, proof):
    law, ends = keys(statement, "the statement", "kind law is")[1:]
    keys(proof, "the proof", "")
    noise, ends = Noise(law), Ends(ends)
    value = total(log(total(sums), WORK_BITS) * Interval.of(copies, WORK_BITS) for sums, copies in part_sums(noise))
    within(value, ends, "the log-normaliser")
    return f"the log-normaliser of {noise.words()} {ends.words}"


def bits_flips(statement, proof):
    law, count, per, ends = keys(statement, "the statement", "kind law count per is")[1:]
    keys(proof, "the proof", "")
    noise, ends = Noise(law), Ends(ends)
    need(count in ("ones", "zeros"), f"count, {short(count)}, is not ones or zeros")
    per = number(per, "per")
    need(per > 0, "per is not positive")
    value = Interval.of(0, WORK_BITS)
    for sums, copies in part_sums(noise):
        last = len(sums) - 1
        mean = total(w * Interval.of(t if count == "ones" else last - t, WORK_BITS) for t, w in enumerate(sums)) / total(sums)
        value = value + mean * Interval.of(copies, WORK_BITS)
    within(value / Interval.of(per, WORK_BITS), ends, f"the expected number of {count}")
    return f"the expected number of {count} of {noise.words()}, over {per}, {ends.words}"


KINDS = {"bits epsilon": bits_epsilon, "bits normalizer": bits_normalizer, "bits flips": bits_flips}
