"""Tests of the values that Python and the workbench exchange, in both directions."""

import copy
import csv
import inspect
import io
import json
import math
import pickle
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import dpworkbench as wb
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _(session):
    pass


def there_and_back(x):
    return wb.evaluate("x", x=x)


@pytest.mark.parametrize(
    "x",
    [
        None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**63, -(2**70), 1 << 20000, 0.0, -0.0, 0.1, 1e300, 5e-324, math.inf, -math.inf, 1e16,
        "", "ε\n\"\\\u2028", "x" * 100000, b"", b"\x00\xff" * 100, [], [[]], (), {}, set(), [1, 2.0, "a", None], (1,), {"a": 1, (1, 2): [3]}, {1, 2},
        list(range(100)), [0.5] * 9, [1.0] * 7, [2**64] * 9, [True] * 9, [1, 2.0] * 9, {"$h": 1}, {"$x": "nan"}, [[1.0] * 9] * 3,
    ],
    ids=lambda x: f"{type(x).__name__} {x.bit_length()} bits" if isinstance(x, int) else repr(x)[:20],
)  # fmt: skip
def test_round_trips(x):
    got = there_and_back(x)
    assert got == x and type(got) is type(x)
    if isinstance(x, list) and x:
        assert [type(a) for a in got] == [type(a) for a in x]
    if x == 0 and isinstance(x, float):
        assert math.copysign(1, got) == math.copysign(1, x)


def test_nan():
    assert math.isnan(there_and_back(math.nan))
    assert math.isnan(there_and_back([math.nan] * 10)[3])


def test_other_types():
    assert there_and_back(range(3)) == [0, 1, 2]
    assert there_and_back(i * i for i in range(20)) == [i * i for i in range(20)]
    assert there_and_back({"a": 1}.keys()) == ["a"]
    assert there_and_back(np.float32(0.5)) == 0.5
    assert there_and_back(np.int8(-3)) == -3
    assert there_and_back(np.bool_(True)) is True
    assert there_and_back(np.uint64(2**64 - 1)) == 2**64 - 1
    for x in (Fraction(1, 3), Decimal("0.1"), Fraction(10**400, 7)):
        e = there_and_back(x)
        assert e.kind == "exact" and e.rational == Fraction(x)
    assert wb.ln(Fraction(7, 2)).exact == "ln(7/2)"
    with pytest.raises(TypeError, match="complex"):
        there_and_back(np.array([1j]))
    with pytest.raises(TypeError, match="builtins.object has no counterpart"):
        there_and_back(object())
    for text in "\ud800", ["a\udfff"], {"\ud800": 1}:
        with pytest.raises(wb.ParameterError, match=r"\\ud.00'|\\udfff', half of a surrogate pair"):
            there_and_back(text)
    deep, cyclic, around = [], [], {}
    for _ in range(3000):
        deep = [deep]
    cyclic.append(cyclic)
    around["x"] = (around,)
    for x in deep, cyclic, around:
        with pytest.raises(wb.ParameterError, match="holds itself, or is nested too deep"):
            there_and_back(x)
    with pytest.raises(wb.ParameterError, match="holds itself"):
        wb.sweep([1], lambda _: cyclic)
    assert there_and_back(1) == 1


@pytest.mark.parametrize("dtype", ["f8", ">f8", "f4", "f2"])
def test_arrays_of_floats(dtype):
    a = np.arange(12, dtype=dtype).reshape(3, 4) / 8
    for b in (a, a.T, a[::-1], a[:, 1:3], np.asfortranarray(a)):
        got = there_and_back(b)
        assert type(got) is wb.Matrix and got.dtype == np.float64
        assert np.array_equal(got, b)
        got[0, 0] = 7  # the array is writable
    assert there_and_back(a[0]) == a[0].tolist()
    assert there_and_back(np.array(0.5)) == 0.5
    assert there_and_back(np.zeros((0, 3))) == []
    assert [m.shape for m in there_and_back(np.zeros((2, 3, 4)))] == [(3, 4)] * 2


def test_arrays_of_ints():
    a = np.arange(6).reshape(2, 3)
    assert there_and_back(a) == a.tolist()
    assert there_and_back(a.astype(bool)) == a.astype(bool).astype(int).tolist()
    assert there_and_back(np.array([2**64 - 1], np.uint64)) == [2**64 - 1]
    assert there_and_back(np.array(["a", None], object)) == ["a", None]


def test_holes():
    rows = there_and_back(np.array([[1, math.nan], [2, 3]]))
    assert rows[0][0] == 1.0 and math.isnan(rows[0][1])
    assert np.isnan(there_and_back(np.ma.masked_array([1.0, 2.0], [False, True]))[1])
    with pytest.raises(wb.ParameterError):
        wb.matrix([[math.nan]])


def test_matrices():
    m = wb.matrix([[2, 1], [1, 3]], names=["a", "b"])
    assert isinstance(m, np.ndarray) and m.names == ["a", "b"]
    assert m.tolist() == m.rows == [[2.0, 1.0], [1.0, 3.0]]
    assert m.determinant() == pytest.approx(5) and np.allclose(m.inverse() @ m, np.eye(2))
    assert type(m * 2) is wb.Matrix and (m * 2).names == ["a", "b"]
    assert type(m[0]) is np.ndarray and m[0].tolist() == [2.0, 1.0]
    assert type(m.sum()) is np.float64 and type(m > 1) is np.ndarray
    assert there_and_back(m).names == ["a", "b"]
    assert m[:, :1].names is None
    assert wb.identity(3).trace() == 3


def test_evidence():
    e = wb.ln(3)
    assert float(e) == e.value == 1.0986122886681098 and e.lo < math.log(3) <= e.hi
    half = np.sqrt(np.exp(e))
    assert wb.exp(e).rational == np.exp(e).rational == 3 and Fraction(half.lo) ** 2 < 3 < Fraction(half.hi) ** 2 and np.abs(-e).exact == "ln(3)"
    assert np.log(half).kind == "certified" and isinstance(np.sin(e), float)
    csv.writer(out := io.StringIO()).writerow([float(e), e])
    assert out.getvalue() == "1.0986122886681098,1.09861228866811 (exact: ln(3))\r\n"
    assert (e.kind, e.source, e.exact, e.rational) == ("exact", "written as a logarithm", "ln(3)", None)
    assert repr(e) == str(e) == f"{e}" == "1.09861228866811 (exact: ln(3))"
    assert f"{e:.3f}" == "1.099" and round(e, 2) == 1.1 and int(e) == 1 and math.exp(e) == pytest.approx(3)
    assert bool(e) and (-e).exact == "ln(1/3)" and abs(-e) == e and (e**2).kind == "certified" and (e**2).lo <= math.log(3) ** 2 <= (e**2).hi and 2**e == 2**e.value
    assert (e + e).exact == "ln(9)" and (2 * e).exact == "ln(9)" and (e - 1).value == pytest.approx(math.log(3) - 1, abs=1e-15) and (1 / e).kind == "certified"
    assert e < 2 and 1 < e <= e and e == wb.ln("3") and e != 1 and not e == "a" and e is not None
    assert hash(e) == hash(wb.ln(3)) and {e: 1}[wb.ln(3)] == 1
    assert sorted([wb.ln(3), wb.ln(2)])[0].exact == "ln(2)" and max(e, 1.0) is e and sum([e, e]).exact == "ln(9)"
    with pytest.raises(TypeError, match="unhashable"):
        hash(e / 3.1)
    three = wb.ln(8) / wb.ln(2)
    assert [5, 6, 7, 8][three] == 8 and list(range(three)) == [0, 1, 2] and [5, 6, 7, 8][:three] == [5, 6, 7] and [0] * three == [0, 0, 0]
    assert "%d %x %g" % (three, three, e) == "3 3 1.09861" and np.arange(4)[three] == 3 and np.array([three]).dtype == np.float64
    with pytest.raises(TypeError, match="want a whole number"):
        range(e)
    q = wb.purest(wb.graphs(4).count("triangle"), e).distortion(10)
    assert isinstance(q.rational, Fraction) and float(q.rational) == q.value
    assert q == q.rational and q < q.rational + Fraction(1, 10**30)


def numbers():
    m = wb.purest(wb.graphs(4).count("triangle"), 1)
    estimate = wb.audit({"x": ["a"] * 90 + ["b"] * 10, "y": ["b"] * 100}, [("x", "y")], 1).epsilon
    return [
        wb.ln(3), -wb.ln(3), wb.ln(3) / 2, wb.ln(3) * 0, m.smallest_epsilon, m.claimed_epsilon, 2 * m.claimed_epsilon, m.distortion(3), wb.gaussian_delta(1, 2),
        wb.purest(m.query, wb.ln(2)).distortion(3), wb.evaluate("x", x=Fraction(-1, 3)), wb.known(1, "1/3").smallest_epsilon, estimate,
    ]  # fmt: skip


def test_evidence_pickles():
    found = numbers()
    assert {e.kind for e in found} == {"exact", "certified", "claimed", "estimated"}
    kept, before = pickle.dumps(found), wb.current()
    with wb.Session() as other:
        for e, f in zip(found, pickle.loads(kept)):
            known = [(x.value, x.lo, x.hi, x.kind, x.source, x.exact, repr(x), f"{x:.3g}", float(x)) for x in (e, f)]
            assert known[0] == known[1] and type(f) is wb.Evidence and other._worker is None
    for e, f in zip(found, pickle.loads(kept)):
        assert (f + 1).kind == (e + 1).kind and repr(2 * f) == repr(2 * e) and (f.cite(), f.call, f.draws, f.cases) == (e.cite(), e.call, e.draws, e.cases)
        if e.kind != "estimated":
            assert f == e and not f < e and f in [e] and f._worker is before._worker
    assert wb.purest(wb.graphs(3).count("edge"), pickle.loads(pickle.dumps(wb.ln(3)))).smallest_epsilon.kind == "exact"


def test_evidence_of_an_ended_session_pickles():
    with wb.Session():
        e, exact = wb.gaussian_delta(1, 2), wb.ln(3)
    f = pickle.loads(pickle.dumps(e))
    assert (f.value, f.lo, f.hi, f.kind, f.source) == (e.value, e.lo, e.hi, "certified", e.source) and f < 1 and f == wb.gaussian_delta(1, 2) and f"{f:.3g}" == f"{e:.3g}"
    with pytest.raises(wb.EndedError, match="closed"):
        pickle.dumps(exact)


def test_matrices_pickle():
    m = wb.matrix([[1, 2]], names=["a", "b"])
    for n in pickle.loads(pickle.dumps(m)), copy.copy(m), copy.deepcopy(m):
        assert type(n) is wb.Matrix and n.names == ["a", "b"] and n.tolist() == m.tolist()


def test_json():
    for e in numbers() + [wb.table([[1, wb.ln(2)]], header=["n", "x"]), wb.line_plot({"a": [1.0, 2.0]}), wb.purest(wb.graphs(3).count("edge"), 1)]:
        text = json.dumps(e, cls=wb.JSONEncoder)
        if not isinstance(e, wb.Mechanism):
            assert json.loads(text) == json.loads(wb.evaluate("json.encode(x)", x=e))
        assert text == json.dumps(pickle.loads(pickle.dumps(e)), cls=wb.JSONEncoder)
    assert json.loads(text)["call"] == 'purest(graphs(3).count("edge"), 1)'
    endless = json.loads(json.dumps({"x": [wb.known(1, "1/3").smallest_epsilon]}, cls=wb.JSONEncoder))["x"][0]
    assert endless["kind"] and endless["hi"] == "inf"
    assert json.dumps([wb.matrix([[1, 2]]), np.float64(2), np.arange(2), Fraction(1, 3)], cls=wb.JSONEncoder) == '[[[1.0, 2.0]], 2.0, [0, 1], "1/3"]'
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps(object(), cls=wb.JSONEncoder)


def test_evidence_that_does_not_decide():
    e = wb.purest(wb.graphs(4).count("triangle"), 1).smallest_epsilon
    assert e.kind == "certified" and e.lo < e.hi
    with pytest.raises(wb.UndecidedError, match="not decided"):
        e < e.hi
    assert e <= e.hi and e == e
    f = wb.purest(wb.graphs(4).count("triangle"), 2).smallest_epsilon
    assert e < f and not e == f


def test_evidence_in_numpy():
    e = wb.ln(3)
    assert np.array([e, 1]).dtype == np.float64
    assert np.exp(e) == pytest.approx(3) and type(np.float64(2) * e) is not None
    assert (np.arange(3.0) * e).tolist() == [0.0, e.value, 2 * e.value] and (e * np.arange(3.0)).tolist() == [0.0, e.value, 2 * e.value]
    assert np.float64(1) < e and not np.float64(2) < e
    certified = wb.purest(wb.graphs(4).count("triangle"), 1).smallest_epsilon
    with pytest.raises(wb.UndecidedError):
        np.float64(certified.hi) > certified


def test_errors():
    q = wb.graphs(3).count("edge")
    with pytest.raises(wb.ParameterError) as e:
        wb.purest(q, -1)
    assert str(e.value) == "purest: decay = -1, want a positive finite number" and isinstance(e.value, ValueError)
    with pytest.raises(TypeError, match=r"^purest needs decay; it is purest\(q, decay\)$"):
        wb.purest(q)
    with pytest.raises(wb.ArgumentError, match="has no parameter dekay"):
        wb.purest(q, dekay=1)
    with pytest.raises(AttributeError, match="query has no .sice"):
        q.sice
    with pytest.raises(AttributeError, match="cannot be changed"):
        q.size = 3
    assert not hasattr(wb.laplace(q, 1), "decay") and hasattr(wb.purest(q, 1), "decay")
    with pytest.raises(AttributeError, match="has no .layers"):
        wb.laplace(q, 1).layers(0)
    with pytest.raises(wb.ScriptError) as s:
        wb.evaluate("def f(x):\n    return ln(x)\nf(-1)")
    assert "in f" in str(s.value) and s.value.args[0].startswith("ln: x = -1")
    with pytest.raises(wb.ScriptError, match="limit 4 GiB"):
        wb.evaluate("'a' * 100000000000")
    with pytest.raises(TypeError, match="is made by"):
        wb.Mechanism()


def test_tables():
    t = wb.table([["a", wb.ln(3), 1], ["b", wb.ln(2), None]], header=["name", "eps", "n"], title="T")
    assert (t.title, t.header) == ("T", ["name", "eps", "n"]) and t.rows[0][1].exact == "ln(3)"
    assert t._repr_html_().startswith("<table") and "name" in str(t)
    pandas = pytest.importorskip("pandas")
    d = t.to_pandas()
    assert list(d.columns) == ["name", "eps", "n"] and d["eps"].dtype == float and d["eps"][0] == wb.ln(3).value
    assert list(t.to_pandas("columns").columns) == ["name", "eps_value", "eps_lo", "eps_hi", "eps_kind", "n"]
    assert t.to_pandas("objects")["eps"][1].exact == "ln(2)"
    with pytest.raises(ValueError, match="want"):
        t.to_pandas("x")
    m = wb.matrix(pandas.DataFrame({"a": [1, 2], "b": [0.5, 1]}))
    assert m.names == ["a", "b"] and m.tolist() == [[1, 0.5], [2, 1]]
    assert there_and_back(pandas.Series([1.0, 2.0])) == [1.0, 2.0]
    assert there_and_back(pandas.DataFrame({"a": ["x"], "b": [1]})) == [["x", 1]]


def test_comparisons(folder):
    pandas = pytest.importorskip("pandas")
    q = wb.graphs(4).count("triangle")
    a, b = wb.purest(q, wb.ln(2)), wb.ladder(q, 2)
    c = wb.compare(a, b)
    d = c.to_pandas()
    assert list(d.columns) == [a.name, b.name, "ratio"] and d.index.name == "dataset" and list(d.index) == [q.dataset(i) for i in range(q.size)]
    assert [d[n].tolist() for n in d] == [pytest.approx(x) for x in (a.distortions(), b.distortions(), c.ratios)]
    d = c.to_pandas(evidence="columns")
    assert set(d["ratio_kind"]) == {"certified"} and set(d[a.name + "_kind"]) == {"exact"} and all(pandas.api.types.is_float_dtype(d[n]) for n in d if not n.endswith("_kind"))
    assert (d["ratio_lo"] <= d["ratio_value"]).all() and (d["ratio_value"] <= d["ratio_hi"]).all() and d["ratio_hi"].max() == c.max.hi
    c.table(per="dataset").save("c.csv")
    assert wb.read_csv("c.csv")[1][:3:2] == [q.dataset(0), d[b.name + "_value"].iloc[0]]
    assert list(wb.compare(a, b, a).to_pandas()["mechanism"]) == [a.name, b.name, a.name]
    with pytest.raises(wb.ParameterError, match="needs two mechanisms on finite queries"):
        wb.compare(a, b, a).table(per="dataset")


def test_figures(folder):
    p = wb.line_plot({"a": np.arange(4.0)}, title="T")
    assert p._repr_svg_().lstrip().startswith("<") and "<svg" in p._repr_svg_() and p._repr_png_().startswith(b"\x89PNG")
    assert "T" in repr(p)
    p.save(folder / "a.svg")
    assert (folder / "a.svg").exists()
    h = wb.heatmap(np.array([[1.0, np.nan], [2, 3]]))
    assert "<svg" in h._repr_svg_()
    m = wb.purest(wb.graphs(3).count("edge"), 1)
    assert "smallest" in str(m.report()) and m.report(folder / "r.html") is None


def test_format_keeps_to_the_safe_side():
    e = wb.gaussian_delta(1, 2)
    for digits in range(1, 20):
        for letter in "efg":
            assert Fraction(f"{e:.{digits}{letter}}") >= Fraction(e.hi)
    assert f"{wb.ln('5/2'):.3g}" == f"{wb.ln('5/2'):.3f}" == "0.917"
    p = wb.p_plus([0.5, 0.25], kind="gaussian")
    assert f"{p:.4g}" == format(p.lo, ".4g") == format(p.hi, ".4g")


def test_events_go_as_their_named_tuples():
    named = namedtuple("named", "module_name class_name noise_multiplier")

    class Event:
        def to_named_tuple(self) -> tuple[str, str, float]:
            return named("dp_accounting.dp_event", "GaussianDpEvent", 2.0)

    assert abs(wb.account(Event()).epsilon_at(1e-5).hi - wb.gaussian_epsilon(1e-5, 2).hi) < 1e-12
    with pytest.raises(wb.ParameterError, match="UnsupportedDpEvent"):
        wb.account({"class_name": "UnsupportedDpEvent"})


def test_what_takes_no_arguments_is_written_with_or_without_brackets():
    """Attributes may be called, and a method without parameters may be used as its result. Others show how to call them."""
    pandas = pytest.importorskip("pandas")
    m = wb.purest(wb.graphs(4).count("triangle"), 1)
    line = wb.laplace(wb.linear_query([(0, 2)]), 1)
    assert m.smallest_epsilon() == m.smallest_epsilon and m.query().size == m.query.size
    assert line.distortion * 2 == 4 == 2 * line.distortion and float(line.distortion) == 2 and line.distortion <= 2
    assert line.distortion.kind == line.distortion().kind and f"{line.distortion:.1f}" == "2.0" and np.sqrt(line.distortion) ** 2 == pytest.approx(2)
    assert (wb.ln(line.distortion) - wb.ln(2)).value == 0
    assert list(map(m.distortion, [0, 1])) == [m.distortion(0), m.distortion(1)]
    assert pickle.loads(pickle.dumps(m.expected_distortion))() == m.expected_distortion()
    assert str(inspect.signature(m.prob)) == "(x, evidence=False)" and m.prob.__doc__.startswith("The law at dataset x")
    assert pandas.DataFrame({"a": [1]}).assign(e=m.smallest_epsilon)["e"][0] == m.smallest_epsilon
    for wrong in (lambda: m.expected_distortion * 2, lambda: m.expected_distortion.hi, lambda: wb.table([[m.expected_distortion]]), lambda: m.smallest_epsilon(3)):
        with pytest.raises(wb.Error, match="call|takes no arguments"):
            wrong()
