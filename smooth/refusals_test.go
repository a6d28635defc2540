package smooth_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/query"
	"dpworkbench/smooth"
)

// refused fails unless err is ErrParameter with exactly this message.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func errorOf[T any](_ T, err error) error { return err }

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

func TestRefusedNoise(t *testing.T) {
	for g, want := range map[*big.Rat]string{nil: "nothing", rat(1, 1): "1", rat(-4, 3): "-4/3", rat(1001, 1): "1001", rat(1000001, 1000): "1000001/1000"} {
		refused(t, errorOf(smooth.Cauchy(g)), "gamma = "+want+", want 1 < gamma <= 1000: at γ ≤ 1 the density does not integrate to a finite number")
	}
	for d, want := range map[*big.Rat]string{nil: "nothing", rat(0, 1): "0", rat(1, 1001): "1/1001", rat(1000001, 1000): "1000001/1000", rat(1<<60+1, 1<<61-1): "1152921504606846977/2305843009213693951"} {
		if want != "0" && len(want) > 24 {
			if n := must.For(smooth.Student(d))(t); n.Name() != "student(d=0.5)" {
				t.Error(n.Name())
			}
			continue
		}
		refused(t, errorOf(smooth.Student(d)), "d = "+want+", want a number of degrees of freedom from 0.001 to 1000")
	}
	must.For(smooth.Student(rat(1, 1000)))(t)
	must.For(smooth.Student(rat(1000, 1)))(t)
	must.For(smooth.Cauchy(rat(1000, 1)))(t)
	if smooth.Laplace().Name() != "laplace" || cauchyOf(t, 5, 2).Name() != "cauchy(gamma=5/2)" || studentOf(t, 3, 1).Name() != "student(d=3)" {
		t.Error("names")
	}
	for p, want := range map[*big.Rat]string{nil: "nothing", rat(0, 1): "0", rat(1, 1): "1", rat(-1, 2): "-1/2"} {
		_, _, err := smooth.Laplace().Quantile(p)
		refused(t, err, "p = "+want+", want 0 < p < 1")
	}
	src := rand.NewPCG(1, 1)
	refused(t, errorOf(cauchyOf(t, 1001, 500).Draw(src)), "gamma = 1001/500, want a fraction with a numerator and a denominator of at most 1000, because noise is drawn exactly")
	refused(t, errorOf(studentOf(t, 2, 1001).Draw(src)), "d = 2/1001, want a fraction with a numerator and a denominator of at most 1000, because noise is drawn exactly")
	must.For(studentOf(t, 1000, 999).Draw(src))(t)
}

func TestRefusedCalibrations(t *testing.T) {
	one := evidencetest.Epsilon(1)
	cauchy, student := cauchyOf(t, 4, 1), studentOf(t, 3, 1)
	refused(t, errorOf(smooth.Calibrate(cauchy, evidence.Epsilon{}, evidence.Delta{}, nil)), "eps = 0, want a positive finite number")
	refused(t, errorOf(smooth.Calibrate(smooth.Laplace(), one, evidence.Delta{}, nil)), `delta = 0 with noise = "laplace", want 0 < delta < 1: tails of Laplace noise of different scales have no finite log-ratio; "cauchy" and "student" take delta = 0`)
	refused(t, errorOf(smooth.Calibrate(cauchy, one, evidencetest.RationalDelta(rat(1, 9)), nil)), `delta = 1/9, want 0 with noise = "cauchy", whose guarantee is pure`)
	refused(t, errorOf(smooth.Calibrate(student, one, evidencetest.RationalDelta(rat(1, 9)), nil)), `delta = 1/9, want 0 with noise = "student", whose guarantee is pure`)
	for _, c := range []struct {
		n    smooth.Noise
		d    *big.Rat
		beta *big.Rat
		want string
	}{{cauchy, nil, rat(0, 1), "beta = 0, want 0 < beta <= 0.1"}, {cauchy, nil, rat(-1, 1), "beta = -1, want 0 < beta <= 0.1"}, {cauchy, nil, rat(1, 10), ""}, {cauchy, nil, rat(101, 1000), "beta = 101/1000, want 0 < beta <= 0.1"},
		{student, nil, rat(249, 1000), ""}, {student, nil, rat(1, 4), "beta = 1/4, want 0 < beta <= 0.25"}, {student, nil, rat(0, 1), "beta = 0, want 0 < beta <= 0.25"}, {student, nil, rat(-1, 4), "beta = -1/4, want 0 < beta <= 0.25"},
		{smooth.Laplace(), rat(1, 100), rat(94, 1000), ""}, {smooth.Laplace(), rat(1, 100), rat(95, 1000), "beta = 19/200, want 0 < beta <= 0.0943696"}} {
		_, err := smooth.Calibrate(c.n, one, evidencetest.RationalDelta(c.d), c.beta)
		if c.want != "" {
			refused(t, err, c.want+", the range of the theorem")
		} else if err != nil {
			t.Error(err)
		}
	}
	c := must.For(smooth.Calibrate(cauchy, one, evidence.Delta{}, nil))(t)
	refused(t, errorOf(smooth.NewBound(nil, c)), "steps is empty, want the local sensitivity at distance 0 and at each distance where it increases")
	refused(t, errorOf(smooth.NewBound([]smooth.RationalStep{{0, nil}}, c)), "steps[0] = nothing, want a local sensitivity of at least 0")
	refused(t, errorOf(smooth.NewBound([]smooth.RationalStep{{0, rat(1, 1)}, {2, rat(-1, 3)}}, c)), "steps[1] = -1/3, want a local sensitivity of at least 0")
	refused(t, errorOf(smooth.NewBound([]smooth.RationalStep{{1, rat(1, 1)}}, c)), "steps[0] is at distance 1, want distances that start at 0 and increase")
	refused(t, errorOf(smooth.NewBound([]smooth.RationalStep{{0, rat(1, 1)}, {0, rat(2, 1)}}, c)), "steps[1] is at distance 0, want distances that start at 0 and increase")
	refused(t, errorOf(smooth.NewBound([]smooth.RationalStep{{0, rat(1, 1)}, {3, rat(2, 1)}, {2, rat(3, 1)}}, c)), "steps[2] is at distance 2, want distances that start at 0 and increase")
	must.For(smooth.NewBound([]smooth.RationalStep{{0, rat(1, 1)}, {3, rat(2, 1)}, {4, rat(1, 1)}}, c))(t)
	refused(t, errorOf(smooth.NewBoundSteps(nil, rat(1, 1), c)), "steps is empty, want the local sensitivity at distance 0 and at each distance where it increases")
	refused(t, errorOf(smooth.NewBoundSteps([]query.SensitivityStep{{From: -7, Value: 1}}, rat(1, 1), c)), "steps[0] is at distance -7, want distances that start at 0 and increase")
	for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
		refused(t, errorOf(smooth.NewBoundSteps([]query.SensitivityStep{{From: 0, Value: 1}, {From: 2, Value: v}}, rat(1, 1), c)), fmt.Sprintf("steps[1] = %v, want a local sensitivity of at least 0", v))
	}
	if err := errorOf(c.Quantile(smooth.Constant(rat(1, 1)).Amount(), rat(2, 1))); err == nil || err.Error() != "p = 2, want 0 < p < 1" {
		t.Error(err)
	}
	b := smooth.Constant(rat(1, 1))
	refused(t, errorOf(c.SampleAt(ctx, rat(0, 1), b, 1, nil, nil)), "grid is missing, want a positive number that does not depend on the data")
	if err := errorOf(c.SampleAt(ctx, rat(0, 1), b, -1, rat(1, 4), nil)); err == nil || !strings.HasPrefix(err.Error(), "n = -1, want 0…") {
		t.Error(err)
	}
	for _, g := range []*big.Rat{rat(0, 1), rat(-1, 2)} {
		if err := errorOf(c.SampleAt(ctx, rat(0, 1), b, 1, g, nil)); !errors.Is(err, evidence.ErrParameter) {
			t.Error(err)
		}
	}
	long := must.For(smooth.Calibrate(studentOf(t, 2, 1001), one, evidence.Delta{}, nil))(t)
	refused(t, errorOf(long.SampleAt(ctx, rat(0, 1), b, 1, rat(1, 4), nil)), "d = 2/1001, want a fraction with a numerator and a denominator of at most 1000, because noise is drawn exactly")
	if out := must.For(long.SampleAt(ctx, rat(7, 3), smooth.Constant(new(big.Rat)), 2, rat(1, 4), nil))(t); out[0] != 2.25 || out[1] != 2.25 { // no noise
		t.Error(out)
	}
	// Without noise, ties are rounded up, on every grid.
	for answer, want := range map[*big.Rat]float64{rat(3, 2): 3, rat(-3, 2): 0, rat(9, 2): 6, rat(4, 1): 3} {
		if out := must.For(long.SampleAt(ctx, answer, smooth.Constant(new(big.Rat)), 1, rat(3, 1), nil))(t); out[0] != want {
			t.Errorf("%v on multiples of 3: %v, want %v", answer, out, want)
		}
	}
}

// threeOf returns a query on a path of three datasets.
func threeOf(t *testing.T, values ...float64) *query.Query {
	space := must.For(query.NewPathSpace(len(values), [][2]int{{0, 1}, {1, 2}}))(t)
	return must.For(query.NewNumeric("three", space, values, nil))(t)
}

func TestRefusedQueries(t *testing.T) {
	one := evidencetest.Epsilon(1)
	c := must.For(smooth.Calibrate(cauchyOf(t, 4, 1), one, evidence.Delta{}, nil))(t)
	q := threeOf(t, 0, 1, 5)
	pair := must.For(query.NewNumeric("pair", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, nil))(t)
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	names := must.For(query.New("names", space, []query.Value{query.Name("a"), query.Name("b")}, nil, query.ValueMetric{Discrete: true}))(t)
	other := must.For(query.New("other", space, []query.Value{query.Number(0), query.Number(5)}, nil, query.ValueMetric{Discrete: true}))(t)
	for word, of := range map[string]func(q *query.Query) error{
		"smooth_sensitivity":  func(q *query.Query) error { return errorOf(smooth.New(ctx, q, c)) },
		"laplace":             func(q *query.Query) error { return errorOf(smooth.NewGlobal(q, one, nil)) },
		"lipschitz_extension": func(q *query.Query) error { return errorOf(smooth.McShane(ctx, q, rat(1, 1), []int{0}, smooth.Upper)) },
	} {
		if err := of(names); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", word, err)
		}
		refused(t, of(other), word+" adds noise to a number and needs the value metric |a − b|, but the distance of 0 and 5 differs from it")
	}
	zero, unit := new(big.Rat), rat(1, 1)
	lossy := must.For(threeOf(t, 0, 1, 5).WithLoss("loss", [][]*big.Rat{{zero, unit, unit}, {unit, zero, unit}, {unit, unit, zero}}))(t)
	for word, err := range map[string]error{
		"smooth_sensitivity": errorOf(smooth.New(ctx, lossy, c)), "laplace": errorOf(smooth.NewGlobal(lossy, one, q)), "laplace of": errorOf(smooth.NewGlobal(q, one, lossy)),
		"lipschitz_extension": errorOf(smooth.McShane(ctx, lossy, rat(1, 1), []int{0}, smooth.Upper)),
	} {
		if word, _, _ = strings.Cut(word, " "); err == nil || !strings.HasPrefix(err.Error(), word+" needs a value metric") {
			t.Errorf("%s of a loss: %v", word, err)
		}
	}
	if b, _, _, err := smooth.LipschitzConstant(ctx, names, []int{0, 1}); b.Value != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("the constant of names: %v, %v", b, err)
	}
	refused(t, errorOf(smooth.NewGlobal(q, evidence.Epsilon{}, nil)), "eps = 0, want a positive finite number")
	if err := errorOf(smooth.NewGlobal(q, one, other)); !errors.Is(err, evidence.ErrParameter) {
		t.Error(err)
	}
	refused(t, errorOf(smooth.NewGlobal(q, one, pair)), "query has 3 datasets and the query that it approximates 2, want the same universe")
	m := must.For(smooth.New(ctx, q, c))(t)
	refused(t, errorOf(m.DeltaAt(ctx, one)), "delta_at of cauchy(gamma=4) noise is not supported, want Laplace noise")
	off := must.For(smooth.NewGlobal(threeOf(t, 1, 1, 5), one, q))(t)
	refused(t, errorOf(off.ErrorQuantile(0, rat(1, 2))), "no quantile of the error: the noise is not centered at f(x)")
	must.For(off.ErrorQuantile(1, rat(1, 2)))(t)
	refused(t, errorOf(m.ErrorQuantile(0, rat(2, 1))), "p = 2, want 0 < p < 1")
	flat := must.For(smooth.New(ctx, threeOf(t, 2, 2, 2), c))(t)
	if err := errorOf(flat.DensityAt(1, rat(2, 1))); err == nil || !strings.HasSuffix(err.Error(), " has no density: its answer is 2, without noise") || !errors.Is(err, evidence.ErrParameter) {
		t.Error(err)
	}
	if err := errorOf(m.ExpectedDistortion(ctx, []*big.Rat{rat(1, 1)})); !errors.Is(err, evidence.ErrParameter) {
		t.Error(err)
	}
	refused(t, errorOf(smooth.McShane(ctx, q, rat(-1, 3), []int{0}, smooth.Upper)), "bound = -1/3, want a number of at least 0")
	refused(t, errorOf(smooth.McShane(ctx, q, rat(1, 1), nil, smooth.Upper)), "on is empty, want the datasets whose values the extension keeps")
	refused(t, errorOf(smooth.McShane(ctx, q, rat(1, 1), []int{0, 3}, smooth.Upper)), "on[1] = 3, want a dataset in 0…2")
	refused(t, errorOf(smooth.McShane(ctx, q, rat(1, 1), []int{-1}, smooth.Upper)), "on[0] = -1, want a dataset in 0…2")
	refused(t, errorOf(smooth.McShane(ctx, q, rat(1, 1), []int{2, 1, 2}, smooth.Upper)), fmt.Sprintf("on has dataset %v twice", q.Space().Dataset(2)))
	refused(t, errorOf(smooth.McShane(ctx, q, rat(1, 1), []int{0, 2}, smooth.Upper)), fmt.Sprintf("on: datasets %v and %v are at distance 2 and their values differ by 5, more than bound·distance = 2", q.Space().Dataset(0), q.Space().Dataset(2)))
	apart := must.For(query.NewNumeric("apart", must.For(query.NewPathSpace(3, [][2]int{{0, 1}}))(t), []float64{0, 1, 2}, nil))(t)
	refused(t, errorOf(smooth.McShane(ctx, apart, rat(1, 1), []int{0}, smooth.Upper)), fmt.Sprintf("on: no path of neighbors joins dataset %v to the set, want a dataset from every component", apart.Space().Dataset(2)))
	for _, on := range [][]int{nil, {7}} {
		n, x, y, err := smooth.LipschitzConstant(ctx, q, on)
		if !errors.Is(err, evidence.ErrParameter) || n.Value != nil || x != 0 || y != 0 {
			t.Errorf("Lipschitz constant %v at %d and %d, error %v", n, x, y, err)
		}
	}
	if n, x, y, err := smooth.LipschitzConstant(ctx, q, []int{2, 0, 1}); err != nil || n.Value.Cmp(rat(4, 1)) != 0 || x != 2 || y != 1 || n.Cases != 3 || n.Source != "all pairs of the set" {
		t.Errorf("Lipschitz constant %+v at %d and %d, error %v", n, x, y, err)
	}
	if n, x, y, err := smooth.LipschitzConstant(ctx, apart, []int{2, 0}); err != nil || n.Value.Sign() != 0 || x != 2 || y != 2 {
		t.Errorf("Lipschitz constant %+v at %d and %d, error %v", n, x, y, err)
	}
	g := must.For(smooth.McShane(ctx, q, rat(3, 2), []int{0, 1}, smooth.Lower))(t)
	if g.Name() != "three, extended with bound 3/2" || number(g, 2).Cmp(rat(-1, 2)) != 0 || number(must.For(smooth.McShane(ctx, q, rat(3, 2), []int{0, 1}, smooth.Upper))(t), 2).Cmp(rat(5, 2)) != 0 {
		t.Errorf("lower extension %s has the value %v", g.Name(), g.Value(2))
	}
	refused(t, errorOf(smooth.UpToDegree(q, 2)), "on = 2, want a list of datasets: a largest degree is for queries on graphs")
	refused(t, errorOf(smooth.UpToDegree(must.For(must.For(query.NewGraphs(ctx, 3))(t).Count("edge"))(t), -1)), "on = -1, want a degree of at least 0")
	family := func(e evidence.Epsilon) (*smooth.Mechanism, error) { return smooth.NewGlobal(q, e, nil) }
	refused(t, errorOf(smooth.AtEpsilon(ctx, family, evidence.Epsilon{})), "eps = 0, want a positive finite number")
	fails := errors.New("a family that fails")
	if _, err := smooth.AtEpsilon(ctx, func(evidence.Epsilon) (*smooth.Mechanism, error) { return nil, fails }, one); err != fails {
		t.Error(err)
	}
	over := func(ctx context.Context) error { return errorOf(smooth.AtEpsilon(ctx, family, one)) }
	ctxtest.EachPoll(t, 1, over)
	same := func(evidence.Epsilon) (*smooth.Mechanism, error) { return smooth.NewGlobal(q, one, nil) } // the search goes down to the smallest float64
	for _, want := range []float64{1e-3, 1e300} {
		if m, err := smooth.AtEpsilon(ctx, same, evidencetest.Epsilon(want)); m != nil || !errors.Is(err, smooth.ErrNotReached) {
			t.Errorf("constant family, ε = %g: %v, error %v", want, m, err)
		}
	}
	endless := func(e evidence.Epsilon) (*smooth.Mechanism, error) {
		return smooth.NewGlobal(threeOf(t, 1, 1, 1), e, nil)
	}
	if _, err := smooth.AtEpsilon(ctx, endless, one); !errors.Is(err, smooth.ErrNotReached) || !strings.HasSuffix(err.Error(), " gives the smallest epsilon 1") {
		t.Error(err)
	}
}
