"""Times Optuna's trials on SQLite, with an objective of negligible cost."""

import os
import tempfile

import optuna

VERSION = optuna.__version__
optuna.logging.set_verbosity(optuna.logging.ERROR)


def sphere(trial):
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", -5, 5)
    return (x - 0.3) ** 2 + (y + 2) ** 2 / 100


def trials(sampler, n):
    folder = tempfile.mkdtemp()
    count = 0

    def run():
        nonlocal count
        count += 1
        storage = "sqlite:///" + os.path.join(folder, f"{count}.db")
        optuna.create_study(storage=storage, sampler=sampler()).optimize(sphere, n_trials=n)
        return 0

    return run


def random(n, _):
    return trials(optuna.samplers.RandomSampler, n)


def tpe(n, _):
    return trials(optuna.samplers.TPESampler, n)
