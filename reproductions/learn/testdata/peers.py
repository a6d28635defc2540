# What scikit-learn and SciPy give for the learners of this package: python3 peers.py > peers.json
import json

import numpy as np
import scipy
import sklearn
from scipy.linalg import eigh
from sklearn.kernel_ridge import KernelRidge


def numbers(seed, *shape):
    """Numbers in [-1, 1] of eight digits, from a congruence that needs no library."""
    out = []
    for _ in range(int(np.prod(shape))):
        seed = (1103515245 * seed + 12345) % 2**31
        out.append(round(2 * seed / 2**31 - 1, 8))
    return np.array(out).reshape(shape)


cases = []
for seed, (n, d, penalty, width) in enumerate([(5, 1, 1, None), (30, 5, 1, None), (30, 5, 0.01, None), (4, 6, 2, None), (30, 5, 1, 1.0), (25, 3, 0.1, 0.5), (12, 2, 1e-3, 3.0)]):
    x, y, tx, ty = numbers(seed + 1, n, d), numbers(seed + 100, n), numbers(seed + 200, 7, d), numbers(seed + 300, 7)
    row = dict(x=x.tolist(), y=y.tolist(), test=tx.tolist(), test_y=ty.tolist(), penalty=penalty, width=width or 0)
    if width is None:
        fits = {"": KernelRidge(kernel="linear", alpha=penalty), "_intercept": KernelRidge(kernel="poly", degree=1, gamma=1, coef0=1, alpha=penalty)}
    else:
        fits = {"": KernelRidge(kernel="rbf", gamma=1 / (2 * width**2), alpha=penalty)}
    for name, fit in fits.items():
        p = fit.fit(x, y).predict(tx)
        row["predicted" + name], row["rmse" + name] = p.tolist(), float(np.sqrt(np.mean((p - ty) ** 2)))
    cases.append(row)

spectra = []
for seed, (m, n) in enumerate([(2, 3), (4, 9), (6, 40)]):
    x, noise = numbers(seed + 11, m, n), numbers(seed + 51, m, m)
    s = x @ x.T / n
    e = s + noise
    values = eigh(s, eigvals_only=True)[::-1]
    v = eigh((e + e.T) / 2)[1][:, ::-1]
    captured = np.einsum("ik,ij,jk->k", v, s, v)
    spectra.append(dict(x=x.tolist(), noise=noise.tolist(), values=values.tolist(), lost=values[0] - captured[0], residual=float(((values - captured) ** 2).sum())))

print(json.dumps(dict(source=f"scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, NumPy {np.__version__}", ridge=cases, spectra=spectra), indent=None, separators=(",", ":")))
