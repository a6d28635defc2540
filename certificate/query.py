"""Queries: datasets, their values, the distances between values, and the neighbors."""

from itertools import permutations

from written import Rejected, keys, listed, need, number, short, string, whole, whole_multiples

MAX_CELLS = 5_000_000  # datasets × values
MAX_VISITS = 20_000_000  # pairs of neighbors × values; also pairs of datasets whose distances are given
MAX_NODES = 7  # nodes of graphs


class Query:
    """Datasets with values and neighbors. Distances between values are whole numbers divided by `scale`."""

    def __init__(self, value):
        values, span, metric, pairs, distances, graphs = keys(
            value, "the query", "values range metric", "neighbors distances graphs"
        )
        self.n, self.m = len(listed(values, "values")), len(listed(span, "range"))
        need(self.n > 0 and self.m > 0, "there is no dataset or no value in range")
        need(self.n * self.m <= MAX_CELLS, f"datasets times values are more than {MAX_CELLS}")
        self.numbers = self.matrix = None
        if metric == "abs":
            read = {}
            for v in values + span:
                string(v, "a value")
                if v not in read:
                    read[v] = number(v, "a value")
            values, span = [read[v] for v in values], [read[v] for v in span]
            self.numbers, self.scale = whole_multiples(span, "the range")
        else:
            for v in values + span:
                string(v, "a value")
            self.scale = 1
            if metric != "discrete":
                need(type(metric) is list, f"metric, {short(metric)}, is not abs, discrete or a matrix")
                self.matrix, self.scale = symmetric(metric, "metric", self.m)
        place = {v: i for i, v in enumerate(span)}
        need(len(place) == self.m, "a value comes twice in range")
        for x, v in enumerate(values):
            need(v in place, f"range lacks the value of dataset {x}")
        self.f = [place[v] for v in values]
        self._neighbors(pairs, distances)
        need(2 * len(self.pairs) * self.m <= 2 * MAX_VISITS, f"neighbors times values are more than {MAX_VISITS}")
        self.words = f"{self.n} datasets, {self.m} values, {len(self.pairs)} pairs of neighbors"
        self.words += ", " + ("a matrix of distances" if self.matrix else "metric " + metric)
        self.name = "a query"
        if graphs is not None:
            need(distances is None, "a query that counts subgraphs has neighbors, not distances")
            self.name = check_graphs(graphs, value["values"], self.pairs)

    def _neighbors(self, pairs, distances):
        need((pairs is None) != (distances is None), "the query has neither or both of neighbors and distances")
        self.steps = None  # ⌈d̄(x, y)⌉ if distances are given; an entry None is infinity
        if distances is None:
            self.pairs = []
            for pair in listed(pairs, "neighbors"):
                x, y = listed(pair, "a pair of neighbors", 2)
                self.pairs.append((whole(x, "a dataset", self.n), whole(y, "a dataset", self.n)))
                need(x < y, f"the neighbors {x} and {y} do not stand in ascending order")
            need(len(set(self.pairs)) == len(self.pairs), "a pair of neighbors comes twice")
        else:
            need(self.n**2 <= MAX_VISITS, f"pairs of datasets are more than {MAX_VISITS}")
            rows, scale = symmetric(distances, "distances", self.n, infinite=True)
            need(all(d != 0 for x in range(self.n) for d in rows[x][:x]), "two datasets are 0 apart")
            self.steps = [[None if d is None else -(-d // scale) for d in row] for row in rows]
            self.pairs = [(x, y) for x in range(self.n) for y in range(x + 1, self.n) if self.steps[x][y] == 1]
        self.beside = [[] for _ in range(self.n)]
        for x, y in self.pairs:
            self.beside[x].append(y)
            self.beside[y].append(x)

    def ordered(self):
        """Yields the pairs of neighbors in both orders."""
        for x, y in self.pairs:
            yield x, y
            yield y, x

    def gap(self, i, j):
        """Returns the distance between the values in places i and j, times scale."""
        if self.numbers is not None:
            return abs(self.numbers[i] - self.numbers[j])
        return self.matrix[i][j] if self.matrix is not None else int(i != j)

    def sensitivity(self):
        """Returns the sensitivity Δf, times scale."""
        return max((self.gap(self.f[x], self.f[y]) for x, y in self.pairs), default=0)


def symmetric(value, what, size, infinite=False):
    """Reads a symmetric matrix with zero diagonal; returns whole numbers (None for infinity) and their denominator."""
    read = {}
    for i, row in enumerate(listed(value, what, size)):
        for j, entry in enumerate(listed(row, f"{what} {i}", size)):
            string(entry, f"an entry of {what}")
            if entry not in read:
                read[entry] = None if infinite and entry == "inf" else number(entry, f"an entry of {what}", 0)
    ints, scale = whole_multiples([q for q in read.values() if q is not None], what)
    ints = iter(ints)
    read = {entry: None if q is None else next(ints) for entry, q in read.items()}
    rows = [[read[entry] for entry in row] for row in value]
    need(all(row[i] == 0 for i, row in enumerate(rows)), f"{what} is not 0 on its diagonal")
    need(rows == [list(column) for column in zip(*rows)], f"{what} is not symmetric")
    return rows, scale


SUBGRAPHS = {  # the edges of one copy of each subgraph
    "edge": [(0, 1)],
    "triangle": [(0, 1), (0, 2), (1, 2)],
    "2-star": [(0, 1), (0, 2)],
    "3-star": [(0, 1), (0, 2), (0, 3)],
    "4-clique": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)],
    "4-cycle": [(0, 1), (1, 2), (2, 3), (0, 3)],
}


def check_graphs(value, counts, pairs):
    """Checks that a query counts a subgraph in all graphs on some nodes; returns the query's name."""
    nodes, classes, name = keys(value, "graphs", "nodes classes count")
    need(type(name) is str and name in SUBGRAPHS, f"count, {short(name)}, is none of {', '.join(SUBGRAPHS)}")
    graphs, bit, _ = all_graphs(nodes, listed(classes, "classes", len(counts)), pairs)
    copy = SUBGRAPHS[name]
    size = 1 + max(max(edge) for edge in copy)
    masks = {sum(bit[tuple(sorted((p[i], p[j])))] for i, j in copy) for p in permutations(range(nodes), size)}
    for x, graph in enumerate(graphs):
        count = sum(graph & mask == mask for mask in masks)
        need(number(counts[x], "a count") == count, f"class {x} has {count} copies of the {name}, not {short(counts[x])}")
    return f"the {name} count of all graphs on {nodes} nodes"


def all_graphs(nodes, classes, pairs):
    """Checks that classes are all graphs on some nodes, each once, and that pairs are the graphs one edge apart.

    A labelled graph is a whole number with one bit for each edge. Two permutations of the nodes
    generate all others, so repeated application reaches every graph isomorphic to a given one.
    Classes are distinct if none starts at a graph already reached, and complete if every number is
    reached. Returns the graphs, the bit of every edge, and the number of labelled graphs in each class.
    """
    whole(nodes, "nodes", MAX_NODES + 1, 1)
    edges = [(i, j) for j in range(nodes) for i in range(j)]  # in the order of graph6
    bit = {edge: 1 << b for b, edge in enumerate(edges)}
    owner, sizes = [None] * (1 << len(edges)), []
    movers = [mover(edges, bit, p) for p in ([1, 0, *range(2, nodes)], [*range(1, nodes), 0]) if nodes > 1]
    graphs = [graph6(text, nodes, len(edges)) for text in classes]
    for x, graph in enumerate(graphs):
        need(owner[graph] is None, f"classes {owner[graph]} and {x} are isomorphic")
        owner[graph], reached = x, [graph]
        for g in reached:
            for move in movers:
                image = move(g)
                if owner[image] is None:
                    owner[image] = x
                    reached.append(image)
        sizes.append(len(reached))
    need(None not in owner, f"classes are not all graphs on {nodes} nodes")
    flips = {tuple(sorted((x, owner[g ^ b]))) for x, g in enumerate(graphs) for b in bit.values()}
    need(flips == set(pairs), "neighbors are not the graphs that differ by one edge")
    return graphs, bit, sizes


def graph6(text, nodes, edges):
    """Returns the number of the graph in a graph6 string: a character n + 63, then six bits each, padded with 0."""
    codes = [ord(c) - 63 for c in string(text, "a class")]
    groups = -(-edges // 6)
    need(len(codes) == 1 + groups and codes[0] == nodes and all(0 <= c < 64 for c in codes), f"{short(text)} is no graph6 string of {nodes} nodes")
    bits = [c >> (5 - i) & 1 for c in codes[1:] for i in range(6)]
    need(not any(bits[edges:]), f"{short(text)} has bits beyond its edges")
    return sum(b << i for i, b in enumerate(bits[:edges]))


def mover(edges, bit, permutation):
    """Returns the function that permutes the nodes of a graph, by tables for the low 11 bits and the others."""
    image = [bit[tuple(sorted((permutation[i], permutation[j])))] for i, j in edges]
    low, high = [0], [0]
    for table, images in (low, image[:11]), (high, image[11:]):
        for b in images:
            table += [t | b for t in table]
    return lambda g: low[g & 2047] | high[g >> 11]
