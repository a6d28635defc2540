"""Checks statements about layered mechanisms: their layers, and their layers after a value moves."""

from law import MAX_WHOLE, read_initial, spread
from query import Query
from written import keys, listed, need, parameter, short, whole


def layers(statement, proof):
    query, decay, rule, initial, levels = keys(statement, "the statement", "kind query decay spread initial levels")[1:]
    keys(proof, "the proof", "")
    query, decay = Query(query), parameter(decay, "decay")
    same(query, levels, table(query, rule, read_initial(query, initial)), "levels")
    return f"the layers of a layered mechanism with decay {decay.words()} on {query.name} ({query.words})"


def migration(statement, proof):
    query, decay, rule, initial, levels, move, after = keys(statement, "the statement", "kind query decay spread initial levels move after")[1:]
    keys(proof, "the proof", "")
    query, decay = Query(query), parameter(decay, "decay")
    starts = read_initial(query, initial)
    before = table(query, rule, starts)
    same(query, levels, before, "levels")
    x0, r0, i0 = keys(move, "move", "x r layer")
    whole(x0, "x", query.n), whole(r0, "r", query.m), whole(i0, "layer", MAX_WHOLE)
    starts[r0] = starts[r0] + [(i0, x0)]
    moved = table(query, rule, starts)
    same(query, after, moved, "after")
    if rule == "closure" or i0 == 0:  # Theorem 4 and Corollary 3
        far = spread(query, [(i0, x0)])
        for x in range(query.n):
            for r in range(query.m):
                known = [k for k in (before[x][r], far[x] if r == r0 else None) if k is not None]
                need(moved[x][r] == min(known, default=None), f"the value in place {r} is not where it is to be at dataset {x}")
    return f"the layers after the value in place {r0} moved into layer {i0} of dataset {x0}, decay {decay.words()}, on {query.name} ({query.words})"


def table(query, rule, starts):
    """Returns the layer of every value at every dataset, or None if it is not reached."""
    need(rule in ("closure", "printed"), f"spread, {short(rule)}, is not closure or printed")
    columns = []
    for at in starts:
        column = spread(query, sorted(at) if rule == "closure" else sorted(start for start in at if start[0] == 0))
        if rule == "printed":  # values in layers i > 0 do not spread to other datasets
            for i, y in at:
                column[y] = i if column[y] is None else min(i, column[y])
        columns.append(column)
    rows = [list(row) for row in zip(*columns)]
    for x, row in enumerate(rows):
        need(any(k is not None for k in row), f"dataset {x} reaches no value")
    return rows


def same(query, given, rows, what):
    for x, row in enumerate(listed(given, what, query.n)):
        for r, k in enumerate(listed(row, f"{what} {x}", query.m)):
            need(k is None or type(k) is int, f"an entry of {what} is not a whole number")
            need(k == rows[x][r], f"the value in place {r} is not in layer {short(k)} of dataset {x}")


KINDS = {"layers": layers, "migration": migration}
