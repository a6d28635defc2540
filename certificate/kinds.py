"""Finds the module that checks a statement.

Each module has a dict KINDS from the name of a kind to a function of statement and
proof. The function returns in words what it has checked, or raises Rejected.
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
    """Imports all modules once, so that the child processes that check single files need not import them."""
    for module in set(MODULES.values()):
        importlib.import_module(module)


def proved(statement, proof):
    """Returns in words what a proof proves, or raises Rejected."""
    need(type(statement) is dict, "the statement is not an object")
    kind = statement.get("kind")
    need(type(kind) is str and kind in MODULES, f"the kind {short(kind)} is unknown")
    return importlib.import_module(MODULES[kind]).KINDS[kind](statement, proof)
