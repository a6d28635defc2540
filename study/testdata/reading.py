"""Prints what Optuna's tools find in a storage, as one JSON object.

    python reading.py URL STUDY
"""
import contextlib
import io
import json
import sys
import warnings

warnings.simplefilter("ignore")
import optuna
from optuna.cli import main


def cli(*args):
    """Runs a command of the program optuna and returns what it prints."""
    out = io.StringIO()
    sys.argv = ["optuna", *args, "--storage", url, "-f", "json"]
    with contextlib.redirect_stdout(out):
        status = main()
    if status:
        sys.exit("optuna %s ends with %s" % (args, status))
    return json.loads(out.getvalue())


def distribution(d):
    attributes = dict(d._asdict())
    if isinstance(d, optuna.distributions.CategoricalDistribution):
        return {"kind": "choice", "choices": list(d.choices)}
    kind = "int" if isinstance(d, optuna.distributions.IntDistribution) else "float"
    return {"kind": kind, "low": attributes["low"], "high": attributes["high"], "log": d.log}


url, name = sys.argv[1:]
study = optuna.load_study(storage=url, study_name=name)
json.dump(
    {
        "version": optuna.__version__,
        "names": [s.study_name for s in optuna.study.get_all_study_summaries(storage=url)],
        "direction": study.direction.name,
        "attributes": study._storage.get_study_system_attrs(study._study_id),
        "trials": [
            {
                "number": t.number,
                "state": t.state.name,
                "values": t.values,
                "params": t.params,
                "space": {k: distribution(d) for k, d in t.distributions.items()},
                "attributes": t.system_attrs,
                "reported": len(t.intermediate_values),
                "start": t.datetime_start and t.datetime_start.timestamp(),
            }
            for t in study.trials
        ],
        "best": [study.best_trial.number, study.best_value],
        "studies": cli("studies"),
        "listed": cli("trials", "--study-name", name),
        "best_listed": cli("best-trial", "--study-name", name),
    },
    sys.stdout,
)
