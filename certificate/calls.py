"""Whether a fact of a refutation is about what the line asks for.

Of the calls below the statement is known, number for number; of any other a reader is to see it.
"""

import ast
from fractions import Fraction

from written import number

MAX_CALL = 100_000
NEAR = Fraction(1, 1 << 47)  # of a float64 that stands for an irrational number, relatively


def agree(call, statement):
    """Whether a statement may be what a call says; it is checked elsewhere."""
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
    except (KeyError, TypeError, ValueError):  # another kind of statement or other arguments
        return False


def called(node):
    """The name of the function or method of a call, and the values of its arguments; None for what is no call."""
    if type(node) is not ast.Call:
        return None, None
    name = node.func.attr if type(node.func) is ast.Attribute else getattr(node.func, "id", None)
    return name, [value(a) for a in node.args]


def value(node):
    """A number, a list of numbers, or for a call its name and arguments; None for all else."""
    if type(node) is ast.Call:
        return called(node)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def in_place(function, names, count):
    """Whether arguments with names, after some without, stand where the function has them, as far as that is known."""
    known = PARAMETERS.get(function)
    return known is None or known.split()[count : count + len(names)] == list(names)


def is_number(written, value):
    """Whether a number of the statement is one of the call, or the float64 nearest to it."""
    q = number(written, "a number of a fact")
    return q == Fraction(repr(value)) or q == Fraction(value)


def gaussian_sigma(statement, eps, delta, s2=1):
    given = zip((statement["eps"]["rational"], statement["delta"], statement["sensitivity"]), (eps, delta, s2))
    return statement["kind"] == "gaussian sigma" and all(is_number(*pair) for pair in given)


def xor_allocation(statement, name, args, n, p, eps, alpha, sensitivity):
    """Algorithm 1: Θ = αε/(s√p) I, and Λ = (1 - α)ε/(s√p) I over the n(n - 1)/2 pairs."""
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
    """Signs of a projection of p numbers to k, whichever were drawn, at one vector or two; β is 1."""
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
