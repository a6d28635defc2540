# What scikit-learn's LinearSVC gives for support vector machines: python3 svm.py > svm.json
import json

import numpy as np
import sklearn
from sklearn.svm import LinearSVC


def numbers(seed, *shape):
    """Numbers in [-1, 1] of eight digits, from a congruence that needs no library."""
    out = []
    for _ in range(int(np.prod(shape))):
        seed = (1103515245 * seed + 12345) % 2**31
        out.append(round(2 * seed / 2**31 - 1, 8))
    return np.array(out).reshape(shape)


cases = []
for seed, (n, d, classes, price, loss, intercept) in enumerate([
    (40, 3, 2, 1, "squared_hinge", True), (40, 3, 2, 1, "hinge", True), (60, 8, 2, 0.1, "squared_hinge", False), (60, 8, 2, 10, "hinge", False),
    (90, 5, 3, 1, "squared_hinge", True), (90, 5, 4, 0.5, "hinge", True), (6, 20, 2, 1, "squared_hinge", True), (6, 20, 3, 1, "hinge", False),
]):
    x, tx = numbers(seed + 1, n, d), numbers(seed + 100, 50, d)
    w = numbers(seed + 200, classes, d)
    label = lambda x, noise: np.argmax(x @ w.T + 0.5 * noise, axis=1)
    y, ty = label(x, numbers(seed + 300, n, classes)), label(tx, numbers(seed + 400, 50, classes))
    if len(set(y)) < classes:
        y[:classes] = range(classes)
    m = LinearSVC(C=price, loss=loss, fit_intercept=intercept, tol=1e-10, max_iter=10**7, dual=True, random_state=1).fit(x, y)
    weights = np.hstack([m.coef_, m.intercept_[:, None]]) if intercept else m.coef_
    ones = np.hstack([x, np.ones((n, 1))]) if intercept else x
    total = 0
    for k, v in enumerate(weights):
        sign = np.where(y == (1 if classes == 2 else k), 1, -1)
        slack = np.maximum(0, 1 - sign * (ones @ v))
        total += v @ v / 2 + price * np.sum(slack if loss == "hinge" else slack**2)
    cases.append(dict(x=x.tolist(), y=y.tolist(), test=tx.tolist(), test_y=ty.tolist(), classes=classes, price=price, hinge=loss == "hinge", intercept=intercept,
                      weights=weights.tolist(), objective=float(total), predicted=m.predict(tx).tolist(), accuracy=float(m.score(tx, ty))))

print(json.dumps(dict(scikit_learn=sklearn.__version__, cases=cases)))
