"""The types that parameters accept."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, SupportsIndex, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._values import EvidenceBase

Number = Union[int, float, Fraction, Decimal, "np.floating[Any]", "np.integer[Any]", "EvidenceBase"]
Exactly = Union[Number, str]
Whole = Union[SupportsIndex, "EvidenceBase"]
Rows = Union[Iterable[Iterable[Number]], "npt.NDArray[Any]"]
Path = Union[str, "PathLike[str]"]
