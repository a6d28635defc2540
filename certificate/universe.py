"""Checks the statement that lists the unlabelled graphs with a given number of nodes."""

from math import comb, factorial

from query import MAX_NODES, all_graphs
from written import keys, listed, need, whole


def universe(statement, proof):
    nodes, classes, symmetries, neighbors = keys(statement, "the statement", "kind nodes classes automorphisms neighbors")[1:]
    keys(proof, "the proof", "")
    whole(nodes, "nodes", MAX_NODES + 1, 1)
    listed(classes, "classes")
    pairs = []
    for pair in listed(neighbors, "neighbors"):
        x, y = listed(pair, "a pair of neighbors", 2)
        pairs.append((whole(x, "a dataset", len(classes)), whole(y, "a dataset", len(classes))))
        need(x < y, f"the neighbors {x} and {y} do not stand in ascending order")
    need(len(set(pairs)) == len(pairs), "a pair of neighbors comes twice")
    sizes = all_graphs(nodes, classes, pairs)[2]
    for x, order in enumerate(listed(symmetries, "automorphisms", len(classes))):
        need(whole(order, "an order", factorial(nodes) + 1, 1) * sizes[x] == factorial(nodes), f"class {x} has not {order} automorphisms")
    need(sum(factorial(nodes) // order for order in symmetries) == 1 << comb(nodes, 2), "the classes do not have all labelled graphs")
    return f"the {len(classes)} graphs on {nodes} nodes, their automorphisms and {len(pairs)} pairs of neighbors"


KINDS = {"universe": universe}
