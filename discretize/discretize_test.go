package discretize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

var ctx = context.Background()

// cycle is f(x) = |x − n| around a cycle of 2n datasets: values 0 … n, Δ = 1.
func cycle(t testing.TB, n int) *query.Query {
	t.Helper()
	var edges [][2]int
	values := make([]float64, 2*n)
	for x := range values {
		edges = append(edges, [2]int{x, (x + 1) % (2 * n)})
		values[x] = math.Abs(float64(x - n))
	}
	space := must.For(query.NewPathSpace(2*n, edges))(t)
	return must.For(query.NewNumeric("cycle", space, values, nil))(t)
}

// path is f(x) = x·step on a path of n datasets.
func path(t testing.TB, n int, step float64) *query.Query {
	t.Helper()
	var edges [][2]int
	values := make([]float64, n)
	for x := range values {
		if x > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
		values[x] = float64(x) * step
	}
	return must.For(query.NewNumeric("path", must.For(query.NewPathSpace(n, edges))(t), values, nil))(t)
}

// New puts the values of random rational laws into the layers of Definition 13.
func TestDefinition13(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	q := cycle(t, 3)
	for range 60 {
		base := big.NewRat(2+r.Int64N(4), 1)
		rows := make([][]*big.Rat, q.Size())
		for x := range rows {
			rows[x] = make([]*big.Rat, len(q.Range()))
			sum := new(big.Rat)
			for v := range rows[x] { // powers of the base, so that probabilities lie on boundaries
				rows[x][v] = new(big.Rat).Inv(new(big.Rat).SetInt(new(big.Int).Exp(base.Num(), big.NewInt(r.Int64N(5)), nil)))
				if r.IntN(6) == 0 {
					rows[x][v] = new(big.Rat)
				}
				sum.Add(sum, rows[x][v])
			}
			if sum.Sign() == 0 {
				rows[x][0], sum = big.NewRat(1, 1), big.NewRat(1, 1)
			}
			for _, p := range rows[x] {
				p.Quo(p, sum)
			}
		}
		m := must.For(mechanism.NewRationalTable(mechanism.Info{Name: "random", Query: q, Claimed: evidence.Claimed{Value: 1}}, rows, nil))(t)
		d := must.For(discretize.New(ctx, m, must.For(evidence.LogEpsilon("eps", base))(t)))(t)
		most := new(big.Rat)
		for _, row := range rows {
			for _, p := range row {
				if p.Cmp(most) > 0 {
					most = p
				}
			}
		}
		for x, row := range rows {
			for v, p := range row {
				want := query.Unreached
				if p.Sign() > 0 {
					bound := new(big.Rat).Set(most)
					for want = 0; ; want++ { // e^{−(i+1)ε} < p/M
						if bound.Quo(bound, base); p.Cmp(bound) > 0 {
							break
						}
					}
				}
				if got := d.Layer(x, v); got != want {
					t.Fatalf("p^%d = %v, e^ε = %v: value %d is in layer %d, want %d", x, row, base, v, got, want)
				}
			}
		}
	}
}

// Theorem 1 holds for mechanisms of every kind. Both rules reconstruct the layers, and a mechanism is basic if and only
// if it has no extras.
func TestTheorem1(t *testing.T) {
	for _, q := range []*query.Query{cycle(t, 4), path(t, 6, 1), path(t, 5, 2)} {
		for _, eps := range []evidence.Epsilon{evidencetest.Epsilon(0.5), evidencetest.Epsilon(2), evidencetest.LogEpsilon(3, 1)} {
			for _, m := range []mechanism.Mechanism{
				must.For(mechanism.NewLaplace(ctx, q, eps))(t),
				must.For(mechanism.NewGeometric(ctx, q, eps))(t),
				must.For(mechanism.NewExponential(ctx, q, eps))(t),
				must.For(mechanism.NewLadder(ctx, q, eps))(t),
				must.For(layers.NewPurest(ctx, q, eps.Ratio(1, 2)))(t),
				must.For(layers.NewDeltaNeighborhood(ctx, q, eps.Ratio(1, 2), make([]float64, q.Size())))(t),
			} {
				at := must.For(discretize.Guarantee(m))(t)
				if at.Value() != eps.Value() {
					t.Errorf("Guarantee(%s) = %v, want %v", m.Name(), at, eps)
				}
				d := must.For(discretize.New(ctx, m, at))(t)
				th := must.For(d.Theorem1(ctx))(t)
				if th.Hypothesis != evidence.Confirmed || th.Privacy != evidence.Confirmed || th.Utility != evidence.Confirmed {
					t.Errorf("%s at %v: %+v", m.Name(), at, th)
				}
				for _, rule := range []layers.Rule{layers.Published, layers.Closure} {
					if r := must.For(d.Reconstruct(ctx, rule))(t); !r.Equal {
						t.Errorf("%s at %v: rule %q differs at %v", m.Name(), at, rule, r.Differ)
					}
				}
				extras := must.For(d.Extras(ctx))(t)
				if basic := must.For(d.IsBasic(ctx))(t); basic != (len(extras) == 0) {
					t.Errorf("%s: basic %v with extras %v", m.Name(), basic, extras)
				}
			}
		}
	}
}

// New returns an error if the enclosure of a probability contains a boundary, or if ε gives too many layers.
func TestUndecided(t *testing.T) {
	q := path(t, 2, 1)
	half := interval.Int(1).Quo(interval.Int(2))
	edge := interval.Int(-1).Exp().Quo(interval.Int(2))
	rows := [][]interval.Interval{{half, edge}, {edge, half}}
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "table", Query: q, Claimed: evidence.Claimed{Value: 1}}, rows, nil, nil))(t)
	if _, err := discretize.New(ctx, m, evidencetest.Epsilon(1)); !errors.Is(err, mechanism.ErrUndecided) {
		t.Errorf("p/M = e^{−1} by enclosure: %v, want ErrUndecided", err)
	}
	if _, err := discretize.New(ctx, m, evidencetest.Epsilon(0.99)); err != nil {
		t.Errorf("p/M = e^{−1} at ε = 0.99: %v", err)
	}
	if _, err := discretize.New(ctx, m, evidencetest.Epsilon(1e-12)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("ε = 1e-12: %v, want ErrParameter", err)
	}
}

func ExampleNew() {
	space, _ := query.NewPathSpace(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	q, _ := query.NewNumeric("f", space, []float64{0, 1, 2, 3}, nil)
	eps, _ := evidence.LogEpsilon("eps", big.NewRat(4, 1))
	m, _ := mechanism.NewExponential(ctx, q, eps)
	d, _ := discretize.New(context.Background(), m, eps)
	for x := range 4 {
		fmt.Print(d.Layers(x), " ")
	}
	basic, _ := d.IsBasic(context.Background())
	extras, _ := d.Extras(context.Background())
	fmt.Println(basic, extras)
	// Output:
	// [[0 1] [2 3]] [[0 1 2] [3]] [[1 2 3] [0]] [[2 3] [0 1]] false [{0 3 1} {3 0 1}]
}

func TestLine(t *testing.T) {
	of := func(ends ...int64) *continuous.Linear {
		var v [][2]*big.Rat
		for i := 0; i < len(ends); i += 2 {
			v = append(v, [2]*big.Rat{big.NewRat(ends[i], 2), big.NewRat(ends[i+1], 2)})
		}
		return must.For(continuous.NewLinear(v))(t)
	}
	full, gaps := of(0, 20), of(0, 2, 18, 20)
	eps := evidencetest.LogEpsilon(3, 1)
	check := func(q *continuous.Linear, m continuous.Mechanism, basic bool) {
		t.Helper()
		d := must.For(discretize.NewLine(q, m))(t)
		if d.IsBasic() != basic {
			t.Errorf("%s on %v: basic %v, want %v", m.Name(), q, d.IsBasic(), basic)
		}
		th := must.For(d.Theorem1(ctx))(t)
		if th.Hypothesis != evidence.Confirmed || th.Privacy != evidence.Confirmed || th.Utility != evidence.Confirmed {
			t.Errorf("%s on %v: %+v", m.Name(), q, th)
		}
		// The layers of p are those of q, boundaries included.
		a, b := must.For(m.Layers(ctx, 3))(t), must.For(d.Layers(ctx, 3))(t)
		for i := range a {
			if !a[i].Equal(b[i]) {
				t.Errorf("%s: R_%d = %v, discretized %v", m.Name(), i, a[i], b[i])
			}
		}
		// The layers are basic if and only if R_0 + V covers A_1.
		reach := a[0].Sum(q.NeighboringSet())
		if covers := a[1].Difference(reach).IsEmpty(); covers != basic {
			t.Errorf("%s on %v: R_0 + V covers A_1: %v, want %v", m.Name(), q, covers, basic)
		}
	}
	check(full, must.For(continuous.NewStaircase(full, eps, big.NewRat(1, 7)))(t), true)
	check(gaps, must.For(continuous.NewStaircase(gaps, eps, big.NewRat(1, 7)))(t), false)
	check(gaps, must.For(continuous.NewStaircase(gaps, eps, big.NewRat(2, 5)))(t), false) // gap 8 = 2γΔ, endpoints excluded
	check(gaps, must.For(continuous.NewStaircase(gaps, eps, big.NewRat(41, 100)))(t), true)
	check(gaps, must.For(continuous.NewLaplace(gaps, eps))(t), true)
	check(gaps, must.For(continuous.NewDeltaNeighborhood(ctx, gaps, eps, big.NewRat(1, 3)))(t), true)
	check(gaps, must.For(discretize.NewLine(gaps, must.For(continuous.NewLaplace(gaps, eps))(t)))(t), true)
}

// The discretized density is exact at the boundaries of layers and next to them. Layer i of Laplace noise is where p(r)
// lies in (e^{−(i+1)ε}, e^{−iε}] of its maximum. So the layer contains its nearer boundary in |r|.
func TestLineLayerBoundaries(t *testing.T) {
	eps := evidencetest.LogEpsilon(3, 1)
	delta := big.NewRat(5, 2)
	q := must.For(continuous.NewLinear([][2]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 2)}, {delta, delta}}))(t)
	laplace := must.For(discretize.NewLine(q, must.For(continuous.NewLaplace(q, eps))(t)))(t)
	density := func(m *discretize.Line, r *big.Rat) *big.Rat {
		e, ok := must.For(m.Density(r))(t).(evidence.Exact)
		if !ok {
			t.Fatalf("%s at %v is not exact", m.Name(), r)
		}
		return e.Value
	}
	sliver := big.NewRat(1, 1<<50)
	most := density(laplace, new(big.Rat))
	if want := big.NewRat(2, 15); most.Cmp(want) != 0 { // (1 − 1/3)/(2Δ)
		t.Errorf("largest density %v, want %v", most, want)
	}
	for i := int64(0); i < 6; i++ {
		power := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(3), big.NewInt(i), nil))
		start := new(big.Rat).Mul(delta, big.NewRat(i, 1))
		last := new(big.Rat).Sub(new(big.Rat).Add(start, delta), sliver)
		for _, r := range []*big.Rat{start, last, new(big.Rat).Neg(start), new(big.Rat).Neg(last)} {
			if got := density(laplace, r); got.Cmp(new(big.Rat).Mul(power, most)) != 0 {
				t.Errorf("Laplace at %v: %v, want 3^-%d of %v", r, got, i, most)
			}
		}
	}
}

// rough wraps a mechanism. Its float64 logarithms are off by the admitted error, up or down according to bits. It
// counts the calls of EncloseLog.
type rough[M mechanism.Mechanism] struct {
	m     M
	off   float64
	bits  uint64
	asked *int
}

func (r rough[M]) Name() string { return r.m.Name() }

func (r rough[M]) Query() *query.Query { return r.m.Query() }

func (r rough[M]) ClaimedEpsilon() evidence.Number { return r.m.ClaimedEpsilon() }

func (r rough[M]) LogProb(x, v int) float64 {
	if r.bits>>(5*x+v)&1 == 1 {
		return r.m.LogProb(x, v) + r.off
	}
	return r.m.LogProb(x, v) - r.off
}

func (r rough[M]) LogError() float64 { return r.m.LogError() + r.off }

func (r rough[M]) Enclose(x, v int) interval.Interval { return r.m.Enclose(x, v) }

func (r rough[M]) EncloseLog(x, v int) interval.Interval { *r.asked++; return r.m.EncloseLog(x, v) }

func (r rough[M]) Rational(x, v int) (*big.Rat, bool) { return r.m.Rational(x, v) }

func (r rough[M]) Class(x int) int { return r.m.Class(x) }
func (r rough[M]) Classes() int    { return r.m.Classes() }
func (r rough[M]) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return mechanism.Pairs(r), nil
}

// roughLeveled is rough for a layered mechanism. The exact layers decide equality, and datasets with equal f(x) share a
// law.
type roughLeveled struct {
	rough[*mechanism.Layered]
	*mechanism.Layered
}

func (r roughLeveled) Name() string { return r.rough.Name() }

func (r roughLeveled) Query() *query.Query { return r.rough.Query() }

func (r roughLeveled) ClaimedEpsilon() evidence.Number { return r.rough.ClaimedEpsilon() }

func (r roughLeveled) LogProb(x, v int) float64 { return r.rough.LogProb(x, v) }

func (r roughLeveled) LogError() float64 { return r.rough.LogError() }

func (r roughLeveled) Enclose(x, v int) interval.Interval { return r.rough.Enclose(x, v) }

func (r roughLeveled) EncloseLog(x, v int) interval.Interval { return r.rough.EncloseLog(x, v) }

func (r roughLeveled) Rational(x, v int) (*big.Rat, bool) { return r.rough.Rational(x, v) }

func (r roughLeveled) Class(x int) int { return r.Query().ValueIndex(x) }

func (r roughLeveled) Classes() int { return len(r.Query().Range()) }

func (r roughLeveled) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return mechanism.Pairs(r), nil
}

// A mechanism with a loss of exactly ε is ε-private. A mechanism whose loss exceeds ε by e^{−300}, if only in one
// direction, is not. Neither 256 bits nor float64 show the difference.
func TestLossesNearEpsilon(t *testing.T) {
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 1}, []float64{0, 1, 2}))(t)
	eps := evidencetest.Epsilon(0.3)
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
				if !cases.Every(3, int(bits)) {
					continue
				}
				bits = bits&7 | bits>>3<<5 // three values of two datasets
				d := must.For(discretize.New(ctx, roughLeveled{rough[*mechanism.Layered]{m, off, bits, new(int)}, m}, eps))(t)
				if th := must.For(d.Theorem1(ctx))(t); th.Hypothesis != c.want {
					t.Fatalf("levels %v off by %g: %s, want %s", c.levels, off, th.Hypothesis, c.want)
				}
			}
		}
	}
}

// At every ε, also if all probabilities but the largest underflow, the layers follow from the exponents, boundaries
// included, and Theorem 1 is decided.
func TestLayersAtEveryScale(t *testing.T) {
	for _, e := range []float64{1e-5, 1, 745, 1e5, 1e9, 1e150, 1e308} {
		eps := evidencetest.Epsilon(e)
		q := path(t, 5, 1)
		for _, m := range []mechanism.Mechanism{
			must.For(mechanism.NewExponential(ctx, q, eps))(t),
			must.For(mechanism.NewGeometric(ctx, q, eps))(t),
			must.For(mechanism.NewLaplace(ctx, q, eps))(t),
			must.For(layers.NewPurest(ctx, q, eps.Ratio(1, 2)))(t),
		} {
			d := must.For(discretize.New(ctx, m, eps))(t)
			for x := range 5 {
				for r := range 5 {
					// ln p/M lies between −ε·(layer + 1) and −ε·layer, from logarithms of 256 bits.
					lo, hi := m.EncloseLog(x, r).Quo(eps.Enclosure()).Bounds()
					if l := float64(d.Layer(x, r)); e > 700 && (math.Abs(lo) > l+1+1e-12 || math.Abs(hi) < l-1e-2) {
						t.Errorf("%s: ln p^%d(%d) = −ε·[%v, %v] in layer %v", m.Name(), x, r, -hi, -lo, l)
					}
				}
			}
			th := must.For(d.Theorem1(ctx))(t)
			if th.Hypothesis != evidence.Confirmed || th.Privacy != evidence.Confirmed || th.Utility != evidence.Confirmed {
				t.Errorf("%s: hypothesis %s, privacy %s, utility %s", m.Name(), th.Hypothesis, th.Privacy, th.Utility)
			}
		}
	}
}

// Underflow does not count as agreement: E_p and E_q that both round to 0 are still compared, and a mechanism that is
// not ε-private is distinguished from one that is.
func TestTheorem1WithUnderflow(t *testing.T) {
	q := path(t, 3, 1)
	m := must.For(layers.NewPurest(ctx, q, evidencetest.Epsilon(1000)))(t) // p ∝ e^{−1000 k}
	d := must.For(discretize.New(ctx, m, evidencetest.Epsilon(300)))(t)    // q ∝ e^{−300 ⌊1000k/300⌋} = e^{−900}
	th := must.For(d.Theorem1(ctx))(t)
	if th.Hypothesis != evidence.Refuted || th.Utility != evidence.Confirmed {
		t.Errorf("hypothesis %s, utility %s, want refuted and confirmed", th.Hypothesis, th.Utility)
	}
	if lo, hi := th.Before.Bounds(); lo < 0 || !(hi > 0) {
		t.Errorf("E_p in [%v, %v], want it positive", lo, hi)
	}
}
