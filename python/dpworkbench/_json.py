"""Values of the workbench as JSON."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np

from ._values import Object


class JSONEncoder(json.JSONEncoder):
    """Writes what the workbench returns: ``json.dumps(x, cls=wb.JSONEncoder)``.

    Evidence is an object with kind, value, lo, hi and source; exact evidence has rational, an estimate confidence and draws,
    and infinite ends are the strings "inf" and "-inf". Tables and figures are the numbers in them, matrices and arrays lists
    of rows, a Fraction is text such as "1/3". Any other value of the workbench is described by an object with type, text,
    and call, the expression that makes it anew.
    """

    def default(self, o: Any) -> Any:
        if isinstance(o, Object):
            return json.loads(o._shown("json"))
        if isinstance(o, (np.ndarray, np.generic)):
            return o.tolist()
        if isinstance(o, Fraction):
            return str(o)
        return super().default(o)
