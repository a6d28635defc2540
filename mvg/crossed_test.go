package mvg

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
	"dpworkbench/internal/looks"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// What one record moves is enclosed for every P and Q that the computed ones stand for, and as the
// roundings of both ask for: of a bound on λ_max(tP + Q/t), half its square.
func TestCrossedModesAllowForInverses(t *testing.T) {
	p, q := mat.NewSymDense(3, []float64{1, 0.25, 0, 0.25, 0.5, 0, 0, 0, 0.25}), mat.NewSymDense(3, []float64{0.5, 0, 0, 0, 1, 0.125, 0, 0.125, 0.5})
	const trP, trQ, top, low = 1.75, 2.0, 3.0, 0.7
	for _, at := range []float64{0.25, 1, 8} {
		for _, off := range [][2]float64{{0, 0}, {1e-3, 0}, {0, 1e-3}, {1e-9, 1e-6}} {
			lo, hi := crossedEnds(top, at, low, p, q, off[0], off[1])
			over := at*off[0] + off[1]/at + 12*unit*(at*trP+trQ/at) // twice 3·tr, in units
			want := (top + over) * (top + over) / 4
			if math.Abs(hi-want) > 8*unit*want {
				t.Errorf("t = %v, off by %v: up to %v, want %v", at, off, hi, want)
			}
			if want := low - off[0] - off[1] - 2*17*3*unit*(trP+trQ); math.Abs(lo-want) > 4*unit*want {
				t.Errorf("t = %v, off by %v: from %v, want %v", at, off, lo, want)
			}
		}
	}
	if lo, _ := crossedEnds(top, 1, 1e-9, p, q, 1e-3, 1e-3); lo != 0 {
		t.Errorf("from %v, want 0", lo)
	}
}

// Determinants are held by both ends, the lower first, and by more digits where asked for.
func TestDeterminantsInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(141, 2))
	for range 40 {
		x, z := math.Exp(3*rng.NormFloat64()), math.Exp(3*rng.NormFloat64())
		y := math.Sqrt(x*z) * (1 - math.Exp(-12*rng.Float64()))
		c := ok(NewDense(mat.NewSymDense(2, []float64{x, y, y, z})))
		want := new(big.Rat).Sub(new(big.Rat).Mul(ratOf(x), ratOf(z)), new(big.Rat).Mul(ratOf(y), ratOf(y)))
		last := math.Inf(1)
		for _, bits := range []int{0, 100, 200} {
			lo, hi, err := c.det(bits, 300)
			if err != nil {
				t.Fatal(err)
			}
			least, _ := lo.Rat(nil)
			most, _ := hi.Rat(nil)
			if least.Cmp(want) > 0 || most.Cmp(want) < 0 || least.Cmp(most) >= 0 {
				t.Errorf("determinant from %v to %v, want %v", lo, hi, want)
			}
			width, _ := new(big.Rat).Quo(most.Sub(most, least), want).Float64()
			if bits > 0 && width > math.Ldexp(1, 8-bits) || width > last {
				t.Errorf("a determinant to %d bits is %v wide, %v before", bits, width, last)
			}
			last = width
		}
	}
}

// Products of variances are held by both ends, the lower first; and directions that are far from
// orthonormal are refused.
func TestDeterminantsOfDiagonals(t *testing.T) {
	c := ok(NewDirectional([]float64{0.1, 0.3, 7}, nil))
	want := new(big.Rat).Mul(ratOf(0.1), new(big.Rat).Mul(ratOf(0.3), ratOf(7)))
	lo, hi, err := c.det(0, 60)
	if err != nil {
		t.Fatal(err)
	}
	least, _ := lo.Rat(nil)
	most, _ := hi.Rat(nil)
	if least.Cmp(want) > 0 || most.Cmp(want) < 0 || least.Cmp(most) >= 0 {
		t.Errorf("determinant from %v to %v, want %v", lo, hi, want)
	}
	for _, stretch := range []float64{1.2, 1.3, 1.5, 2} { // ‖WᵀW − I‖ = stretch² − 1
		w := mat.NewDense(2, 2, []float64{stretch, 0, 0, 1})
		if f, err := newFrame(w, []float64{1, 1}); (err == nil) != (stretch*stretch-1 < 0.5) || err != nil && f != nil {
			t.Errorf("directions stretched by %v: error %v", stretch, err)
		}
	}
}

// What is withheld adds less than a part in 10¹⁰ to the information, whatever that is.
func TestWithheldIsNegligible(t *testing.T) {
	for _, value := range []float64{1e-6, 1, 1e6} {
		for _, columns := range []float64{1, 7} {
			o := of33columns()
			o.goal = Goal{Objective: MostInformation, Weights: []float64{2, 3, 4}}
			o.columns = columns
			all := []float64{1, 1, 1}
			part := func(i int, share float64) float64 { return math.Expm1(share*1e-10*value/columns) / o.goal.Weights[i] }
			out := &Optimum{Precisions: []float64{part(0, 0.9), part(1, 1.1), part(2, 50)}}
			if !o.withhold(out, all, value) || out.Precisions[0] != 0 || out.Precisions[1] == 0 || out.Precisions[2] == 0 {
				t.Errorf("value %v of %v columns: precisions %v", value, columns, out.Precisions)
			}
			if out = (&Optimum{Precisions: []float64{1, 1, 1}}); o.withhold(out, all, value) {
				t.Errorf("value %v: withheld %v", value, out.Precisions)
			}
			if out = (&Optimum{Precisions: []float64{1, 1, 1}}); !o.withhold(out, []float64{1, 0, 1}, value) || out.Precisions[1] != 0 || out.Precisions[0] != 1 {
				t.Errorf("value %v: withheld %v of a precision that is 0", value, out.Precisions)
			}
		}
	}
}

// The ends of an optimum are moved outward by the readings, said to be apart above a millionth, and
// no number, or none at all, is an error.
func TestEndsOfOptima(t *testing.T) {
	o := of33columns()
	for _, objective := range []Objective{LeastError, MostInformation} {
		o.goal.Objective = objective
		between := func(lo, hi float64) (evidence.Certified, error) {
			low, high := interval.Float(lo), interval.Float(hi)
			if objective == LeastError {
				low, high = high, low
			}
			return o.between(low, high, "a method")
		}
		for _, size := range []float64{1e-200, 1, 1e200} {
			for gap, apart := range map[float64]bool{0: false, 0.99e-6: false, 1.01e-6: true, 0.5: true} {
				v, err := between(size*(1-gap), size)
				if err != nil || strings.Contains(v.Method, "apart") != apart {
					t.Errorf("a gap of %v at %v: method %q, error %v", gap, size, v.Method, err)
				}
				if v.Lo != size*(1-gap)*(1-readings) || v.Hi != size*(1+readings) {
					t.Errorf("a gap of %v at %v: %v to %v", gap, size, v.Lo, v.Hi)
				}
			}
		}
		for _, ends := range [][2]float64{{2, 1}, {0, 0}, {-1, 1}, {1, math.Inf(1)}} {
			if math.IsInf(ends[1], 1) {
				ends[1] = math.MaxFloat64
			}
			if v, err := between(ends[0], ends[1]); err == nil || v != (evidence.Certified{}) || !strings.Contains(err.Error(), "the optimum is from ") {
				t.Errorf("from %v to %v: %v, error %v", ends[0], ends[1], v, err)
			}
		}
	}
}

// A ceiling of shares is above each share's upper end.
func TestCeilingsOfShares(t *testing.T) {
	third := func(k int64) interval.Interval { return interval.Int(k).Quo(interval.Int(3)) }
	s := &shares{geodesic: &geodesic{diagonal: true}, frame: &frame{charges: []interval.Interval{interval.Int(7), interval.Int(1), interval.Int(11)}}}
	s.rows = symmetric.Diagonal([]interval.Interval{third(70), third(40), third(50)})
	got := ok(s.ceiling())
	v, _ := s.rows.At(1, 1)
	if got.CmpLo(got.Upper()) != 0 || got.CmpHi(v.Upper()) < 0 || !got.Sub(third(40)).Less(interval.Float(1e-60)) {
		t.Errorf("ceiling %v, want %v", got, third(40))
	}
	s.rows = symmetric.Exactly(mat.NewDense(3, 3, []float64{1, 0, 0, 0, math.NaN(), 0, 0, 0, 1}))
	if got, err := s.ceiling(); err == nil {
		t.Errorf("an unknown share has the ceiling %v", got)
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if got, err := upperEnd(v); err == nil {
			t.Errorf("%v is an upper end: %v", v, got)
		}
	}
}

// What is waited for is what it gives, its error, or its panic as an error.
func TestAwaited(t *testing.T) {
	want := errors.New("none")
	if v, err := awaited(t.Context(), func() (interval.Interval, error) { return interval.Int(3), nil }); err != nil || v.CmpLo(interval.Int(3)) != 0 {
		t.Errorf("%v, error %v", v, err)
	}
	if _, err := awaited(t.Context(), func() (interval.Interval, error) { return interval.Int(3), want }); !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
	if _, err := awaited(t.Context(), func() (interval.Interval, error) { panic(want) }); err == nil {
		t.Error("no error of a panic")
	}
}

// A filling says how many starts it has made, and is bounded by the filling without structure.
func TestStartsAreReported(t *testing.T) {
	var told []string
	ctx := parallel.WithProgress(t.Context(), func(done, total int64, what string) { told = append(told, fmt.Sprintf("%d/%d %s", done, total, what)) })
	rows, columns := []float64{1, 3}, []float64{1, 2, 0.5}
	for _, norm := range []Norm{L1, L2} {
		told = nil
		f := ok(FillKronecker(ctx, KroneckerProblem{rows, columns, 2, norm, 3}, rand.NewPCG(1, 1)))
		if got := strings.Join(told, ", "); got != "0/4 starts, 1/4 starts, 2/4 starts, 3/4 starts" {
			t.Errorf("told %q", got)
		}
		var flat, ones []interval.Interval
		for _, k := range columns {
			for _, l := range rows {
				flat, ones = append(flat, interval.Float(l*k)), append(ones, interval.Int(1))
			}
		}
		want := fillLinear(flat, ones, interval.Int(2)).Value
		if norm == L2 {
			want = fillSquares(flat, interval.Int(4)).Value
		}
		if f.Value.Hi != want.Hi || want.Lo >= want.Hi {
			t.Errorf("norm %d: up to %v, want %v to %v", norm, f.Value.Hi, want.Lo, want.Hi)
		}
	}
	told = nil
	g := newRelaxation([]float64{400, 900}, []*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 0, 1}), mat.NewDense(2, 2, []float64{0, 1, 1, 0.5})})
	ok(g.solve(ctx))
	if len(told) < 2 || !strings.HasSuffix(told[0], "barrier 0.1") || !strings.HasSuffix(told[1], "barrier 0.02") {
		t.Errorf("told %q", told)
	}
}

// Differences of no weight in the dual leave it as it is.
func TestDualsWithoutSomeDifferences(t *testing.T) {
	list := []*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 0, 1}), mat.NewDense(2, 2, []float64{1, 2, 3, 1}), mat.NewDense(2, 2, []float64{0, 3, 1, 0})}
	o := of33columns()
	o.mu = evidence.Certified{Lo: 1, Hi: 1}
	some, all := []float64{0.5, 0.25}, []float64{0.5, 0.25, 0}
	want, got := ok(o.informedLimit(list[:2], some)), ok(o.informedLimit(list, all))
	apart := func(a, b interval.Interval) bool {
		d := a.Sub(b)
		return !interval.Max(d, d.Neg()).Less(interval.Float(1e-60))
	}
	if apart(got, want) {
		t.Errorf("a dual of %v with a difference of no weight, %v without", got, want)
	}
	s := &pairs{optimizer: o, rows: []int{0, 1}, gains: []float64{1, 1}, list: list}
	for _, d := range list {
		s.exact = append(s.exact, symmetric.Exactly(d))
	}
	full := ok(s.limit(all))
	s.list, s.exact = s.list[:2], s.exact[:2]
	part := ok(s.limit(some))
	if apart(full, part) {
		t.Errorf("a dual of %v with a difference of no weight, %v without", full, part)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if v, err := s.limit([]float64{1, bad}); err == nil {
			t.Errorf("a weight of %v has the dual %v", bad, v)
		}
		if v, err := o.informedLimit(list[:2], []float64{1, bad}); err == nil {
			t.Errorf("a weight of %v has the dual %v", bad, v)
		}
	}
	// Rows whose inverse is beyond float64 have no balanced columns.
	tiny := &pairs{optimizer: o, rows: []int{0}, gains: []float64{1}, list: []*mat.Dense{mat.NewDense(1, 1, []float64{5e-324})}}
	if base, _, err := tiny.balancedColumns([]float64{1}); err == nil {
		t.Errorf("columns of the least float64 are balanced by %v", mat.Formatted(base))
	}
}

// A search that is interrupted at any of its looks has no result.
func TestSearchOfPairsEnds(t *testing.T) {
	list := []*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 0, 1}), mat.NewDense(2, 2, []float64{1, 2, 0, 1}), mat.NewDense(2, 2, []float64{0, 3, 1, 0})}
	search := func(ctx context.Context) error {
		o := of33columns()
		o.ctx, o.mu = ctx, evidence.Certified{Lo: 1, Hi: 1}
		s := &pairs{optimizer: o, rows: []int{0, 1}, gains: []float64{1, 1}, list: list}
		_, _, err := s.search([]*mat.SymDense{symmetric.Multiple(2, 1)})
		return err
	}
	whole := looks.After(t.Context(), math.MaxInt)
	if err := search(whole); err != nil || whole.Looks() < 10 {
		t.Fatalf("%d looks, error %v", whole.Looks(), err)
	}
	for n := 0; n < whole.Looks(); n += 1 + n/8 {
		if err := search(looks.After(t.Context(), n)); !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %d of %d looks: error %v", n, whole.Looks(), err)
		}
	}
	if err := search(looks.After(t.Context(), whole.Looks()-1)); !errors.Is(err, context.Canceled) {
		t.Errorf("ended at the last look: error %v", err)
	}
}

// Covariances that meet the limit exactly are taken, and what is said of their precisions is theirs.
func TestDesignsAtTheLimit(t *testing.T) {
	o := of33columns()
	o.s, o.n = ok(NewBox(1, []float64{1, 0.5})), 1
	sigma := ok(NewDirectional([]float64{2, 3}, nil))
	d := ok(NewDesign(t.Context(), o.s, sigma, unitNoise(1)))
	o.mu = evidence.Certified{Lo: d.norm.hi, Hi: d.norm.hi}
	got, err := o.scaled(func(float64) (Covariance, Covariance, error) { return sigma, unitNoise(1), nil })
	if err != nil || got.norm.hi != d.norm.hi {
		t.Errorf("a design at the limit: error %v", err)
	}
	designs := 0
	for _, objective := range []Objective{LeastError, MostInformation} {
		eps := ok(evidence.NewEpsilon("eps", 1))
		out := ok(Optimal(t.Context(), o.s, Goal{objective, []float64{1e6, 7e6}}, Recipe{Epsilon: eps, Delta: evidencetest.Delta(1e-5), Directions: symmetric.Eye(2)}))
		if out.Design == nil {
			continue // some are withheld
		}
		for i, v := range out.Design.Sigma().Variances() {
			if out.Precisions[i] != 1/v {
				t.Errorf("precision %d is %v, that of the design %v", i, out.Precisions[i], 1/v)
			}
		}
		designs++
	}
	if designs == 0 {
		t.Error("no design")
	}
}

// The cells of an angle's law are between what the law is known to, and the precision of a covariance
// is off by its inverse and three roundings of its trace.
func TestEndsOfParts(t *testing.T) {
	for _, dimension := range []int{2, 3, 10, 500} {
		s := ok(newAngles(t.Context(), dimension, 60))
		law := newCosines(dimension)
		for j := range 30 {
			low, high := law.below(s.cuts[j])
			lo, hi := law.below(s.cuts[j+1])
			if s.least[j] != math.Max(0, interval.Down(lo-high)) || s.most[j] != interval.Up(hi-low) || s.least[59-j] != s.least[j] || s.most[59-j] != s.most[j] {
				t.Errorf("dimension %d: cell %d from %v to %v, the law from %v to %v", dimension, j, s.least[j], s.most[j], lo-high, hi-low)
			}
		}
	}
	rng := rand.New(rand.NewPCG(141, 3))
	for n := 2; n < 8; n++ {
		w := symmetric.RandomBasis(n, rng)
		v := symmetric.Multiple(n, 1)
		v.SetSym(0, 0, 1.25)
		c := ok(NewDense(symmetric.Turn(v, mat.DenseCopyOf(w.T()))))
		p, _, off := c.normalized()
		inverse, trace := c.dense.inverse(), mat.Trace(p)
		want := inverse.Entry*trace + inverse.Spread/(1-inverse.Spread) + 3*unit*trace
		if math.Abs(off-want*(1+1e-6)) > 1e-9*want {
			t.Errorf("order %d: off by %v, want %v", n, off, want)
		}
	}
	const m = enclosedOrder + 1
	w := symmetric.RandomBasis(m, rng)
	w.Set(0, 0, w.At(0, 0)+1e-3)
	f := ok(newFrame(w, uniform(m, 1)))
	norm, off := symmetric.Skew(w)
	drift := interval.Up(norm + off)
	if f.least != interval.Down(1-drift) || f.most != interval.Up(1+drift) {
		t.Errorf("eigenvalues from %v to %v, want 1 ± %v", f.least, f.most, drift)
	}
	want := square(interval.Between(f.least, f.most)).Add(interval.Int(m).Mul(square(interval.Between(0, drift))))
	for _, v := range f.charges {
		if v.CmpHi(want) != 0 || v.CmpLo(want) != 0 {
			t.Fatalf("a charge of %v, want %v", v, want)
		}
	}
	if f := ok(newFrame(nil, uniform(2, 1))); f.least != 1 || f.most != 1 {
		t.Errorf("the standard basis has eigenvalues from %v to %v", f.least, f.most)
	}
}

// What is refused has no number beside its error, and sums beyond float64 have no spectrum.
func TestNothingBesideAnError(t *testing.T) {
	good := RankOne{Dimension: 3, Sensitivity: 1, Variance: 1}
	for name, c := range map[string]rankOneCurve{
		"tolerance":   {good, 0},
		"dimension":   {RankOne{Dimension: 1, Sensitivity: 1, Variance: 1}, 0.1},
		"sensitivity": {RankOne{Dimension: 3, Sensitivity: -1, Variance: 1}, 0.1},
		"variance":    {RankOne{Dimension: 3, Sensitivity: 1, Variance: math.Inf(1)}, 0.1},
		"small":       {RankOne{Dimension: 3, Sensitivity: 1e-120, Variance: 1}, 0.1},
		"large":       {RankOne{Dimension: 3, Sensitivity: 1e120, Variance: 1}, 0.1},
	} {
		if v, err := c.shift(); v != 0 || err == nil {
			t.Errorf("%s: a shift of %v, error %v", name, v, err)
		}
		if v, err := c.Delta(t.Context(), evidence.Epsilon{}); v != nil || err == nil {
			t.Errorf("%s: δ = %v, error %v", name, v, err)
		}
		if v, err := c.Epsilon(t.Context(), evidencetest.Delta(0.1)); v != nil || err == nil {
			t.Errorf("%s: ε = %v, error %v", name, v, err)
		}
	}
	for name, c := range map[string]struct {
		k    mat.Matrix
		m, n int
	}{"order": {symmetric.Eye(3), 2, 2}, "not symmetric": {mat.NewDense(2, 2, []float64{1, 1, 0, 1}), 2, 1}, "zero": {mat.NewDense(2, 2, nil), 2, 1}, "trace": {mat.NewDense(2, 2, []float64{0, 1, 1, 0}), 2, 1}} {
		if psi, sigma, residual, err := NearestKronecker(c.k, c.m, c.n); psi != nil || sigma != nil || residual != 0 || err == nil {
			t.Errorf("%s: %v and %v, %v apart, error %v", name, psi, sigma, residual, err)
		}
	}
	for _, scale := range []float64{1e200, 1e-200, 1} {
		g := newRelaxation([]float64{1}, []*mat.Dense{mat.NewDense(1, 2, []float64{scale, 0}), mat.NewDense(1, 2, []float64{0, scale})})
		a, u := g.spectrum(0, []float64{1, 1})
		if scale == 1 != (a != nil) || (a == nil) != (u == nil) {
			t.Errorf("vectors of %v have the spectrum %v", scale, a)
		}
	}
}
