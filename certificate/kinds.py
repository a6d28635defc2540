"""Which module checks which statements.

A module has a dict KINDS, from the name of a kind to the function of statement and
proof that returns what was checked in words, or raises Rejected.
"""

import importlib

from written import need, short

MODULES = {
    "smallest epsilon": "finite",
    "delta": "finite",
    "distortion": "finite",
    "optimum": "finite",
    "gaussian delta": "gaussian",
    "gaussian epsilon": "gaussian",
    "gaussian sigma": "gaussian",
    "gaussian mu": "gaussian",
    "mvg sensitivity": "mvg",
    "mvg delta": "mvg",
    "mvg epsilon": "mvg",
    "water-filling": "filling",
    "rademacher": "signs",
    "signs epsilon": "signs",
    "refutation": "refutation",
    "epsilon": "losses",
    "trade-off": "losses",
    "bits epsilon": "bits",
    "bits normalizer": "bits",
    "bits flips": "bits",
    "universe": "universe",
    "layers": "layers",
    "migration": "layers",
    "comparison": "comparison",
    "composition": "composition",
    "program": "program",
}


def load():
    """Imports all modules, once for many files: each is checked in a child process, which would import its own."""
    for module in set(MODULES.values()):
        importlib.import_module(module)


def proved(statement, proof):
    """What a proof proves, in words."""
    need(type(statement) is dict, "the statement is not an object")
    kind = statement.get("kind")
    need(type(kind) is str and kind in MODULES, f"the kind {short(kind)} is unknown")
    return importlib.import_module(MODULES[kind]).KINDS[kind](statement, proof)
