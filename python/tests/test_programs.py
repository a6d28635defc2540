"""Tests of programs that are Python functions. The workbench computes with draws and compares them."""

import pytest

import dpworkbench as wb


def first(threshold, query):
    def run(x, noise):
        rho = noise.geometric(threshold)
        for i, q in enumerate(x):
            if q + noise.geometric(query) >= rho:
                return i
        return "none"

    return run


DATA = [(0, 0), (0, 1), (1, 0), (1, 1)]


def any_two(a, b):
    return a != b


def test_decided():
    eps = wb.symbol("eps")
    right = wb.program(DATA, first(eps / 2, eps / 4), neighbors=any_two)
    assert right.private(eps).verdict == "confirmed"
    refuted = wb.program(DATA, first(eps / 2, eps), neighbors=any_two).private(eps)
    assert refuted.verdict == "refuted" and refuted.witness["loss"] > refuted.witness["eps"]
    assert right.private(eps / 8).verdict == "refuted"


def test_numbers():
    m = wb.program([0, 1], lambda x, noise: max(0, min(2, x + noise.geometric(wb.ln(2)))))
    assert m.smallest_epsilon == wb.ln(2)
    assert m.law(0)["0"].rational == wb.program([0, 1], lambda x, noise: -noise.geometric(wb.ln(2)) >= x).law(0)["True"].rational


def test_refused():
    with pytest.raises(TypeError, match="neither true nor false"):
        wb.program([0, 1], lambda x, noise: 1 if noise.geometric(1) else 2)
    with pytest.raises(wb.Error, match="product of two draws"):
        wb.program([0, 1], lambda x, noise: noise.geometric(1) * noise.geometric(1) > 2)
    with pytest.raises(ValueError, match="mine"):
        wb.program([0, 1], mine)
    assert wb.program([0, 1], lambda x, noise: noise.flip("1/2")).smallest_epsilon == 0


def mine(x, noise):
    raise ValueError("mine")


def test_value_of_the_query():
    class Clamped:
        def run(self, x, value, noise):
            return max(0, min(1, value + noise.geometric(1)))

    q = wb.graphs(2).count("edge")
    assert wb.program(q, Clamped().run).smallest_epsilon.value == pytest.approx(1)
    assert wb.program(q, lambda x, noise, *rest: 0 if rest else 1).probability(0, 1).value == 1


def test_kept_functions():
    """A query keeps its functions, which later requests call."""

    def spread(x):
        return max(x) - min(x)

    q = wb.record_query(value=spread, up=lambda x, t: t, down=lambda x, t: t)
    found = wb.verify(q, records=2, values=range(4))
    assert "wrong" in str(found)
