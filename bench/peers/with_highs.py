"""Times HiGHS on the linear program of the optimal mechanism: variables p[x][r] for datasets x and values r."""

from importlib.metadata import version
from math import exp

import highspy
import numpy as np

VERSION = version("highspy")


def optimum(_, handed):
    values, points, pairs = (np.array(handed[name]) for name in ("values", "range", "pairs"))
    datasets, width = len(values), len(points)
    cost = np.abs(values[:, None] - points[None, :]).ravel() / datasets
    each = len(pairs) * width  # p[x][r] − e p[y][r] ≤ 0
    columns = np.empty((each, 2), dtype=np.int32)
    columns[:, 0] = (pairs[:, 0, None] * width + np.arange(width)).ravel()
    columns[:, 1] = (pairs[:, 1, None] * width + np.arange(width)).ravel()

    def run():
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = datasets * width, each + datasets
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, np.zeros(len(cost)), np.ones(len(cost))
        lp.row_lower_ = np.concatenate([np.full(each, -highspy.kHighsInf), np.ones(datasets)])
        lp.row_upper_ = np.concatenate([np.zeros(each), np.ones(datasets)])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.concatenate([np.arange(0, 2 * each, 2), 2 * each + np.arange(0, datasets * width + 1, width)]).astype(np.int32)
        lp.a_matrix_.index_ = np.concatenate([columns.ravel(), np.arange(datasets * width)]).astype(np.int32)
        lp.a_matrix_.value_ = np.concatenate([np.tile([1.0, -exp(1)], each), np.ones(datasets * width)])
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.passModel(lp)
        solver.run()
        return solver.getInfo().objective_function_value

    return run
