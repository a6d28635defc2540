package discretize_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// rough is a mechanism whose logarithms in float64 are off by as much as it admits, up
// and down as its bits say; it counts those of 256 bits that it is asked for.
type rough[M mechanism.Mechanism] struct {
	m     M
	off   float64
	bits  uint64
	asked *int
}

func (r rough[M]) Name() string                    { return r.m.Name() }
func (r rough[M]) Query() *query.Query             { return r.m.Query() }
func (r rough[M]) ClaimedEpsilon() evidence.Number { return r.m.ClaimedEpsilon() }
func (r rough[M]) LogProb(x, v int) float64 {
	if r.bits>>(5*x+v)&1 == 1 {
		return r.m.LogProb(x, v) + r.off
	}
	return r.m.LogProb(x, v) - r.off
}
func (r rough[M]) LogError() float64                     { return r.m.LogError() + r.off }
func (r rough[M]) Enclose(x, v int) interval.Interval    { return r.m.Enclose(x, v) }
func (r rough[M]) EncloseLog(x, v int) interval.Interval { *r.asked++; return r.m.EncloseLog(x, v) }
func (r rough[M]) Rational(x, v int) (*big.Rat, bool)    { return r.m.Rational(x, v) }
func (r rough[M]) Class(x int) int                       { return r.m.Class(x) }
func (r rough[M]) Classes() int                          { return r.m.Classes() }
func (r rough[M]) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return mechanism.Pairs(r), nil
}

// Whatever float64 says within the error that is admitted, the layers are those of
// Definition 13.
func TestRoughLogarithms(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 4))
	q := path(t, 5, 1)
	for range 60 {
		base := 2 + r.Int64N(4)
		rows := make([][]*big.Rat, q.Size())
		for x := range rows { // powers of the base and a little beside them
			sum := new(big.Rat)
			for range 5 {
				p := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(base), big.NewInt(r.Int64N(5)), nil))
				if side := r.Int64N(3); side > 0 {
					p.Mul(p, big.NewRat(1000+2*side-3, 1000))
				}
				if r.IntN(6) == 0 {
					p.SetInt64(0)
				}
				rows[x] = append(rows[x], p)
			}
			rows[x][x].SetInt64(1)
			for _, p := range rows[x] {
				sum.Add(sum, p)
			}
			for _, p := range rows[x] {
				p.Quo(p, sum)
			}
		}
		m := must.For(mechanism.NewRationalTable(mechanism.Info{Name: "table", Query: q, Claimed: evidence.Claimed{Value: 1}}, rows, nil))(t)
		eps := log(t, base)
		d := must.For(discretize.New(ctx, m, eps))(t)
		for _, off := range []float64{1e-3, 0.01, 4} {
			same := must.For(discretize.New(ctx, rough[*mechanism.Table]{m, off, r.Uint64(), new(int)}, eps))(t)
			for x := range rows {
				for v := range rows[x] {
					if a, b := d.Layer(x, v), same.Layer(x, v); a != b {
						t.Fatalf("rows %v off by %g, e^ε = %d: value %d of dataset %d in layer %d, want %d", rows, off, base, v, x, b, a)
					}
				}
			}
		}
	}
}

// roughLeveled is rough with the levels that decide equality, one law for each f(x).
type roughLeveled struct {
	rough[*mechanism.Layered]
	*mechanism.Layered
}

func (r roughLeveled) Name() string                          { return r.rough.Name() }
func (r roughLeveled) Query() *query.Query                   { return r.rough.Query() }
func (r roughLeveled) ClaimedEpsilon() evidence.Number       { return r.rough.ClaimedEpsilon() }
func (r roughLeveled) LogProb(x, v int) float64              { return r.rough.LogProb(x, v) }
func (r roughLeveled) LogError() float64                     { return r.rough.LogError() }
func (r roughLeveled) Enclose(x, v int) interval.Interval    { return r.rough.Enclose(x, v) }
func (r roughLeveled) EncloseLog(x, v int) interval.Interval { return r.rough.EncloseLog(x, v) }
func (r roughLeveled) Rational(x, v int) (*big.Rat, bool)    { return r.rough.Rational(x, v) }
func (r roughLeveled) Class(x int) int                       { return r.Query().ValueIndex(x) }
func (r roughLeveled) Classes() int                          { return len(r.Query().Range()) }
func (r roughLeveled) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return mechanism.Pairs(r), nil
}

// A loss of exactly ε is private, one that exceeds it by e^{−300} is not, and no more is
// one of ε in one direction; neither shows in 256 bits or float64.
func TestRoughLosses(t *testing.T) {
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 1}, []float64{0, 1, 2}))(t)
	eps := float(t, 0.3)
	const u = query.Unreached
	for _, c := range []struct {
		levels []int32
		want   evidence.Verdict
	}{
		{[]int32{0, 1, u, 1, 0, u}, evidence.Confirmed},
		{[]int32{0, 1, 999, 1, 0, 999}, evidence.Confirmed},
		{[]int32{0, 1, 1000, 1, 0, 999}, evidence.Refuted},
		{[]int32{0, 1, 999, 1, 0, 1000}, evidence.Refuted},
	} {
		m := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(ctx, q, c.levels))(t), eps, mechanism.Claim(eps, "by its levels"))
		for _, off := range []float64{0, 1e-3, 4} {
			for bits := range uint64(64) {
				bits = bits&7 | bits>>3<<5 // three values of two datasets
				d := must.For(discretize.New(ctx, roughLeveled{rough[*mechanism.Layered]{m, off, bits, new(int)}, m}, eps))(t)
				if th := must.For(d.Theorem1(ctx))(t); th.Hypothesis != c.want {
					t.Fatalf("levels %v off by %g: %s, want %s", c.levels, off, th.Hypothesis, c.want)
				}
			}
		}
	}
}

// Laws that datasets share are looked at once, by New and by Theorem 1.
func TestSharedLawsAreAskedOnce(t *testing.T) {
	eps := float(t, 1).Ratio(1, 3)
	asked := func(times int) [2]int { // values on a circle, gone through back and forth
		var edges [][2]int
		values, levels := make([]float64, 6*times), make([]int32, 36*times)
		for x := range values {
			if x > 0 {
				edges = append(edges, [2]int{x - 1, x})
			}
			f := x % 6
			if x/6%2 == 1 {
				f = 5 - f
			}
			values[x] = float64(f)
			for r := range 6 {
				apart := max(f-r, r-f)
				levels[6*x+r] = int32(min(apart, 6-apart))
			}
		}
		q := must.For(query.NewNumeric("f", must.For(query.NewPathSpace(len(values), edges))(t), values, nil))(t)
		l := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(ctx, q, levels))(t), eps, mechanism.Claim(eps, "by its levels"))
		m := roughLeveled{rough[*mechanism.Layered]{m: l, asked: new(int)}, l}
		d := must.For(discretize.New(ctx, m, eps))(t)
		made := *m.asked
		must.For(d.Theorem1(ctx))(t)
		return [2]int{made, *m.asked - made}
	}
	once, twice := asked(1), asked(2)
	if once != twice || once[0] == 0 || once[1] == 0 {
		t.Errorf("%d logarithms where laws come once, %d where twice", once, twice)
	}
}

// Where two probabilities may be the largest, a layer is what either of them makes it,
// or undecided.
func TestLargestOfTwo(t *testing.T) {
	q := path(t, 2, 1)
	low, high := interval.Between(0.5, 0.52), interval.Between(0.51, 0.6)
	for _, pair := range [][2]interval.Interval{{low, high}, {high, low}} {
		for eps, layer := range map[float64]int{0.5: 1, 0.7: -1, 0.75: 0} { // ln(M/0.29) lies in [0.565, 0.728]
			p := interval.Float(0.29)
			m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "table", Query: q, Claimed: evidence.Claimed{Value: 1}},
				[][]interval.Interval{{pair[0], p}, {p, pair[1]}}, nil, nil))(t)
			d, err := discretize.New(ctx, m, float(t, eps))
			if layer < 0 && !errors.Is(err, mechanism.ErrUndecided) || layer >= 0 && (err != nil || d.Layer(0, 1) != layer) {
				t.Errorf("largest of %v at ε = %g: %v, want layer %d", pair, eps, err, layer)
			}
		}
	}
}

// The last layer there may be, and one beyond; who works says how far it has come; no ε is none.
func TestNewAtItsLimits(t *testing.T) {
	q := path(t, 2, 1)
	m := must.For(mechanism.NewGeometric(ctx, q, float(t, 1600)))(t)
	if d, err := discretize.New(ctx, m, float(t, 1600).Ratio(1, 1<<24-1)); err != nil || d.LastLayer(0) != 1<<24-1 {
		t.Errorf("layer 2^24 − 1: %v", err)
	}
	if _, err := discretize.New(ctx, m, float(t, 1600).Ratio(1, 1<<24)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("layer 2^24: %v, want ErrParameter", err)
	}
	if _, err := discretize.New(ctx, m, evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "positive") {
		t.Errorf("ε = 0: %v, want it to be positive", err)
	}
	heard := int64(0)
	must.For(discretize.New(parallel.WithProgress(ctx, func(done, total int64, _ string) {
		if heard++; done != heard-1 || total != 2 {
			t.Errorf("report %d: %d of %d", heard, done, total)
		}
	}), m, float(t, 1600)))(t)
	if heard != 2 {
		t.Errorf("%d reports, want one a dataset", heard)
	}
}

// On the line: a first step that ends within 2^−400 of half a gap.
func TestLinesThatAreHard(t *testing.T) {
	of := func(points ...*big.Rat) *continuous.Linear {
		var v [][2]*big.Rat
		for _, p := range points {
			v = append(v, [2]*big.Rat{p, p})
		}
		return must.For(continuous.NewLinear(v))(t)
	}
	one := big.NewRat(1, 1)
	root, term := big.NewRat(1, 1), big.NewRat(1, 1) // e^{1/2}
	for k := int64(1); k < 80; k++ {
		root.Add(root, term.Mul(term, big.NewRat(1, 2*k)))
	}
	gamma := root.Inv(root.Add(root, one)) // the best γ = 1/(1 + e^{ε/2}) at ε = 1
	whole := new(big.Int).Lsh(gamma.Num(), 400)
	near := new(big.Rat).SetFrac(whole.Quo(whole, gamma.Denom()), new(big.Int).Lsh(big.NewInt(1), 400))
	hard := of(new(big.Rat).Sub(one, near.Add(near, near)), one) // the other gap is 2γ
	if _, err := discretize.NewLine(hard, must.For(continuous.NewStaircase(hard, float(t, 1), nil))(t)); !errors.Is(err, mechanism.ErrUndecided) {
		t.Errorf("γ within 2^-400 of half a gap: %v, want ErrUndecided", err)
	}
}

// vague vouches for no digit of its logarithms in float64, and has none of a probability of 0 in 256 bits.
type vague struct {
	roughLeveled
	t *testing.T
}

func (v vague) LogError() float64 { return math.Inf(1) }
func (v vague) EncloseLog(x, r int) interval.Interval {
	if math.IsInf(v.LogProb(x, r), -1) {
		v.t.Errorf("the logarithm of 0 is asked for, value %d of dataset %d", r, x)
	}
	return v.roughLeveled.EncloseLog(x, r)
}

// Values that no dataset, or one alone, reaches have no logarithm: none is asked for, whatever float64 is worth.
func TestNoLogarithmOfZero(t *testing.T) {
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{1, 2}, []float64{0, 1, 2, 3}))(t)
	eps := float(t, 0.3)
	const u = query.Unreached
	for _, levels := range [][]int32{{u, 0, 1, u, u, 1, 0, u}, {0, 1, 2, u, 1, 0, u, u}, {u, 0, 1, 999, u, 1, 0, 999}, {u, 0, 1, 1000, u, 1, 0, 999}} {
		m := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(ctx, q, levels))(t), eps, mechanism.Claim(eps, "by its levels"))
		d := must.For(discretize.New(ctx, vague{roughLeveled{rough[*mechanism.Layered]{m: m, asked: new(int)}, m}, t}, eps))(t)
		for i, want := range levels {
			if got := d.Layer(i/4, i%4); got != int(want) {
				t.Errorf("levels %v: value %d of dataset %d in layer %d", levels, i%4, i/4, got)
			}
		}
		must.For(d.Theorem1(ctx))(t)
	}
}
