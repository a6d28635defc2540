"""The language itself: Python says the same of lists, texts and sets, and mpmath of the functions of math."""
from tools import *

# Python's own answers, of which the numbers count.
for name, answer in {
    "bytes.elems": list(b"ab"), "dict": dict([("a", 1)], b=2), "dict.get": {1: 2}.get(3, 0), "dict.items": list({1: 2}.items()), "dict.keys": list({1: 2}),
    "dict.pop": {1: 2}.pop(1), "dict.popitem": {1: 2}.popitem(), "dict.setdefault": {}.setdefault(1, 2), "dict.values": list({1: 2}.values()),
    "enumerate": list(enumerate(["a", "b"])), "len": len([1, 2]), "list": list(range(3)), "list.index": [1, 2].index(2), "list.pop": [1, 2].pop(), "ord": ord("a"),
    "range": [2, 10, 3], "reversed": list(reversed([1, 2])), "set": [1, 2], "set.difference": [2], "set.intersection": [1], "set.pop": {1}.pop(),
    "set.symmetric_difference": sorted({1} ^ {2}), "set.union": sorted({1} | {2}), "sorted": sorted([3, 1, 2], key=lambda x: -x), "string.codepoint_ords": [ord(c) for c in "ab"],
    "string.count": "aba".count("a"), "string.elem_ords": list("ab".encode()), "string.find": "ab".find("b"), "string.index": "ab".index("b"), "string.rfind": "aba".rfind("a"),
    "string.rindex": "aba".rindex("a"), "tuple": tuple([1, 2]), "zip": list(zip([1, 2], [3, 4])), "max": max(2, log(mpf(3)), F(3, 2)), "int": int(log(mpf(100))) + int("ff", 16),
    "who": 1, "timed": 999 * 1000 // 2, "print": 1, "string.format": [1, 2], "round": [round(F(5, 2)), round(F("0.72692"), 3)], "fmt": F("0.727"), "hash": 97, "json": json.loads("[1]"),
    "json.decode": json.loads('{"a": [1, 2.5, null]}')["a"][1], "json.indent": [1, 2],
}.items():
    numbers, todo = [], [answer]
    while todo:
        v = todo.pop(0)
        if isinstance(v, dict):
            v = list(v.items())
        if isinstance(v, (list, tuple)):
            todo = list(v) + todo
        elif not isinstance(v, str):
            numbers.append(F(v) if isinstance(v, float) else v)
    every(name, *numbers)

ln3 = log(mpf(3))
say("abs", 0, 3 + log(mpf(2)))
every("float", ln3 + mpf("0.5"))
say("sum", 0, mpf("3.5") + ln3)
say("math.exp", 0, 3)
for name in ["getattr", "type evidence.value", "type evidence.hi", "type evidence.lo"]:
    every(name, ln3)
every("type evidence.confidence", 1)
for name in ["min", "show", "str"]:
    say(name, 0, "ln(3)")
say("type evidence.cite", 0, "ln(3)")
none("a citation: the number once more, and its line", "type evidence.cite")
none("the text of a call", "type evidence.call")
text("type evidence.rational", '"ln(27/8)"')

# What is written and read again.
every("json.encode", ln3, ln3, ln3, 3, 1, F(5, 2))
shown("table", ln3, 2)
every("type table", 1, F(5, 2))
every("type table.save", *[ln3] * 3)
every("read_csv", 1, F(5, 2), 2)
every("read_edges", 0, 1, 1, 2)
every("read_json", F(1, 10), 1)
text("write", 'purest(graphs(2).count("edge"), 1)')
text("certify", '{"ln": "5/2"}')
text("exit", "exit with status 0")

# The functions of math, to 60 digits.
e = exp(mpf(1))
for name, value in {
    "math": sqrt(mpf(2)), "acos": pi / 2, "acosh": log(2 + sqrt(mpf(3))), "asin": pi / 2, "asinh": log(1 + sqrt(mpf(2))), "atan": pi / 4, "atan2": 3 * pi / 4, "atanh": log(mpf(3)) / 2,
    "ceil": 3, "copysign": -2, "cos": cos(mpf(1)), "cosh": (e + 1 / e) / 2, "degrees": 180, "e": e, "fabs": 2, "floor": 2, "gamma": 24, "hypot": 5, "log": 3, "mod": 1, "pi": +pi,
    "pow": sqrt(mpf(2)), "radians": +pi, "remainder": -1, "round": 3, "sin": sin(mpf(1)), "sinh": (e - 1 / e) / 2, "sqrt": sqrt(mpf(2)), "tan": sin(mpf(1)) / cos(mpf(1)),
    "tanh": (e - 1 / e) / (e + 1 / e),
}.items():
    every(name if name == "math" else "math." + name, value)

none("a list of names", "apropos", "datasets", "type ledger.ids", "type ledger", "help")
none("a drawing: its ticks are no results", "type comparison.plot", "heatmap", "heatmaps", "line_plot", "type heatmap", "type line_plot", "type knorm.plot", "type line_mechanism.plot",
     "type mechanism.plot", "type mvg design.plot", "type privacy.plot", "type study.plot")
none("the line of an error", "fail", "save")
