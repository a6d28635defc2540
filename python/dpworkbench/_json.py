"""Values of the workbench as JSON."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np

from ._values import Object


class JSONEncoder(json.JSONEncoder):
    """Encodes the workbench's values: ``json.dumps(x, cls=wb.JSONEncoder)``.

    Evidence becomes an object with kind, value, lo, hi and source. Exact evidence also has rational, and an estimate has
    confidence and draws. Infinite ends are the strings "inf" and "-inf". Tables and figures become the numbers in them,
    matrices and arrays lists of rows, and a Fraction text such as "1/3". Any other value of the workbench becomes an object
    with type, text and call, the expression that makes the value again.
    """

    def default(self, o: Any) -> Any:
        if isinstance(o, Object):
            return json.loads(o._shown("json"))
        if isinstance(o, (np.ndarray, np.generic)):
            return o.tolist()
        if isinstance(o, Fraction):
            return str(o)
        return super().default(o)
