"""Compares the facts of a refutation with the calls of its line.

For the calls below every number of the statement is compared. For any other call, a reader must compare them.
"""

import ast
from fractions import Fraction

from written import number

MAX_CALL = 100_000
NEAR = Fraction(1, 1 << 47)  # allowed relative error of a float64 that stands for an irrational number


def agree(call, statement):
    """Reports whether a statement may be about the value of a call. Other modules check the statement itself."""
    if len(call) > MAX_CALL:
        return False
    try:
        node = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    name, args = called(node)
    if name is None:
        return False
    try:
        if type(node.func) is ast.Name:
            return CALLS[name](statement, *args) if name in CALLS else True
        owner, given = called(node.func.value)
        return METHODS[owner](statement, name, args, *given) if owner in METHODS else True
    except (KeyError, TypeError, ValueError):  # the statement has another kind, or the arguments differ
        return False


def called(node):
    """Returns the name of a call's function or method, and the values of its arguments; None twice if it is no call."""
    if type(node) is not ast.Call:
        return None, None
    name = node.func.attr if type(node.func) is ast.Attribute else getattr(node.func, "id", None)
    return name, [value(a) for a in node.args]


def value(node):
    """Returns the value of a literal, or the name and arguments of a call; None for any other expression."""
    if type(node) is ast.Call:
        return called(node)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def in_place(function, names, count):
    """Reports whether named arguments after `count` positional ones have the function's order; True if unknown."""
    known = PARAMETERS.get(function)
    return known is None or known.split()[count : count + len(names)] == list(names)


def is_number(written, value):
    """Reports whether a number of the statement is the call's number, as its shortest decimal or as its float64."""
    q = number(written, "a number of a fact")
    return q == Fraction(repr(value)) or q == Fraction(value)


def gaussian_sigma(statement, eps, delta, s2=1):
    given = zip((statement["eps"]["rational"], statement["delta"], statement["sensitivity"]), (eps, delta, s2))
    return statement["kind"] == "gaussian sigma" and all(is_number(*pair) for pair in given)


def xor_allocation(statement, name, args, n, p, eps, alpha, sensitivity):
    """Compares a law with Algorithm 1: Θ = αε/(s√p) I, and Λ = (1 - α)ε/(s√p) I over the n(n - 1)/2 pairs."""
    law = statement["law"]
    if type(law["theta"]) is not str or (law["objects"], law["features"]) != (n, p):
        return False
    eps, alpha, sensitivity = (Fraction(repr(v)) for v in (eps, alpha, sensitivity))
    pairs = n * (n - 1) // 2
    for written, share in (law["theta"], alpha), (law["lambda"], (1 - alpha) / pairs if pairs else 0):
        q, square = number(written, "a number of the law") * sensitivity, (share * eps) ** 2
        if q < 0 or abs(q * q * p - square) > square * NEAR:
            return False
    if name == "smallest_epsilon":
        return statement["kind"] == "bits epsilon" and args in ([], [1]) and statement["neighbors"] == {"bits": 1}
    count = {(): "ones", (False,): "ones", (True,): "zeros"}[tuple(args)]
    return name == "error_rate" and statement["kind"] == "bits flips" and statement["count"] == count and statement["per"] == str(n * p)


def idp_signrp(statement, name, args, projection, eps):
    """Compares a statement on p x k signs, at one vector or two, with β = 1. The drawn signs are not compared."""
    (kind, (p, k, *_)), rows = projection, statement["projection"]["signs"]
    drawn = kind == "projection" and len(rows) == p and all(len(row) == k and "0" not in row for row in rows)
    data = [statement[key] for key in ("u", "v") if key in statement]
    same = len(args) == len(data) and all(len(a) == len(d) and all(map(is_number, d, a)) for a, d in zip(args, data))
    parameters = is_number(statement["eps"]["rational"], eps) and is_number(statement["beta"], 1)
    return name == "smallest_epsilon" and statement["kind"] == "signs epsilon" and statement["rule"] == "within" and drawn and same and parameters


CALLS = {"gaussian_sigma": gaussian_sigma}
METHODS = {"xor_allocation": xor_allocation, "idp_signrp": idp_signrp}
PARAMETERS = {
    "gaussian_sigma": "eps delta s2",
    "xor_allocation": "n p eps alpha sensitivity",
    "error_rate": "complement",
    "idp_signrp": "w eps",
    "projection": "p k seed",
}
