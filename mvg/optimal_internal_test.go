package mvg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// Designs, claims and rank-one noise report where their parameters come from. HalfWidths returns a copy.
func TestReportedSources(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 1.5))
	r := Params{Epsilon: eps, Delta: evidencetest.Delta(0.01), Mode: Equimodal}
	gram := must.Be(NewGram(2, 1, query.Replace, 0.5))
	tight := must.Be(NewTight(t.Context(), gram, r))
	if c, ok := tight.ClaimedEpsilon(); !ok || c.Value != 1.5 || c.Epsilon != eps || c.Source != askedFor {
		t.Errorf("the claimed ε of a tight design is %+v (%v)", c, ok)
	}
	for theorem := Theorem2; theorem <= Theorem3; theorem++ {
		claim := must.Be(NewClaim(t.Context(), gram, theorem, ZetaRoot, r))
		if c, ok := claim.ClaimedEpsilon(); !ok || c.Value != 1.5 || !ErrorContains(errors.New(c.Source), []string{"Theorem 2", "Theorem 3"}[theorem-Theorem2]) {
			t.Errorf("the claimed ε of theorem %d is %+v (%v)", theorem, c, ok)
		}
		squares := claim.PrecisionSquares()
		if v := claim.PrecisionBudget.Value; claim.Theorem != theorem || v != claim.Constants.Norm || math.Abs(squares.Hi-v) > 1e-13*v {
			t.Errorf("the claim of theorem %d has budget %v, the design spends %+v", claim.Theorem, v, squares)
		}
	}
	two := must.Be(NewIsotropic(2, 1))
	if c, ok := must.Be(NewDesign(t.Context(), gram, two, two)).ClaimedEpsilon(); ok {
		t.Errorf("a design with given covariances has the claimed ε %+v", c)
	}
	if c := (Constants{Norm: 6}); c.UnimodalBudget(3) != 12 || c.EquimodalBudget() != 6 {
		t.Errorf("budgets %v, %v, want 12 and 6", c.UnimodalBudget(3), c.EquimodalBudget())
	}
	w := must.Be(Waterfill([]float64{1, 2}, 3, L1))
	if v := w.MutualInformation(); v.Lo != w.Value.Lo/2 || v.Hi != w.Value.Hi/2 || v.Method != w.Value.Method {
		t.Errorf("the mutual information for ln PNR %+v is %+v", w.Value, v)
	}
	noise := must.Be(NewRankOne(5, 1, eps, evidencetest.Delta(1e-3)))
	if v := noise.ClaimedError(); v.Value != noise.Variance || v.Source != rankOneSource {
		t.Errorf("claimed error %+v", v)
	}
	if v, ok := noise.ClaimedDelta(); !ok || v.Value != 1e-3 || v.Source != rankOneSource {
		t.Errorf("claimed δ = %+v (%v)", v, ok)
	}
	if v, ok := (RankOne{Dimension: 5, Sensitivity: 1, Variance: 1}).ClaimedDelta(); ok {
		t.Errorf("noise with a given variance has the claimed δ = %+v", v)
	}
	box := must.Be(NewBox(1, []float64{1, 2}))
	h := box.HalfWidths()
	if len(h) != 2 || h[0] != 1 || h[1] != 2 {
		t.Errorf("half-widths %v", h)
	}
	if h[0] = 7; box.HalfWidths()[0] != 1 {
		t.Error("HalfWidths shares memory with the box")
	}
}

// Nearly parallel differences span the space, exactly parallel ones do not. A cancelled context stops the optimum over
// a list. A basis with skew directions is rejected, and hasRow allows for rounding.
func TestSpannedByNearlyParallelDifferences(t *testing.T) {
	for _, angle := range []float64{1e-3, 1e-7, 1e-12, 0} {
		for mode := Unimodal; mode <= Bimodal; mode++ {
			list := must.Be(NewDifferences([]*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 1, 0}), mat.NewDense(2, 2, []float64{1, 0, 1 + angle, angle})}))
			o := &optimizer{ctx: t.Context(), s: list, recipe: Params{Mode: mode}}
			if err := o.spanned(list); (err != nil) != (angle == 0 && mode != Equimodal) || err != nil && !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("mode %d, angle %g: error %v", mode, angle, err)
			}
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	eye := symmetric.Eye(2)
	o := &optimizer{ctx: stopped, basis: must.Be(newBasis(nil, []float64{1, 1}))}
	if _, err := o.overList(Differences{2, 2, []*mat.Dense{eye, eye}}, exactly([]float64{1, 1})); !errors.Is(err, context.Canceled) {
		t.Errorf("a list with a cancelled context: error %v", err)
	}
	if f, err := newBasis(mat.NewDense(2, 2, []float64{1, 1, 0, 1}), []float64{1, 1}); f != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a basis of skew directions: %v, error %v", f, err)
	}
	for _, c := range []struct {
		row  []float64
		want bool
	}{{[]float64{1, 2}, true}, {[]float64{1, 2 + 1e-13}, true}, {[]float64{1, 2.001}, false}, {[]float64{1.001, 2}, false}} {
		if got := hasRow([][]float64{{3, 4}, {1, 2}}, c.row); got != c.want {
			t.Errorf("hasRow finds %v: %v", c.row, got)
		}
	}
}

// A direction is withheld if both its precision and its information are negligible.
func TestWithheldDirections(t *testing.T) {
	for _, c := range []struct {
		root, signal float64
		want         int
	}{{1e-6, 1, 1}, {1e-6, 1e8, 0}, {1e-3, 1, 0}, {1, 1, 0}} {
		g := &informed{signals: []*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 0, c.signal})}}
		if got := g.withheld(mat.NewDense(2, 2, []float64{1, 0, 0, c.root})); got != c.want {
			t.Errorf("%+v: %d directions are withheld", c, got)
		}
	}
}

// Above 2²⁰ vertices, signMaximum returns the diagonal bound, which is at least the value at a good vertex.
func TestSignMaximumBeyondEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(106, 2))
	m := maxVertexBits + 3
	q := gramOf(normalMatrix(m, m, rng))
	o := &optimizer{ctx: t.Context()}
	_, hi := must.Be(o.signMaximum(symmetric.Exactly(q))).Bounds()
	best, bound := form(q, localMaxima(q)[0]), diagonalBound(q)
	if hi < best || hi < bound*(1-1e-12) || hi > bound*(1+1e-12) {
		t.Errorf("bound %v, one vertex has %v, want the diagonal bound %v", hi, best, bound)
	}
}

// The bounds of an optimum are as close as each method allows. No method needs more than 2 % more steps than it did
// when this test was written. A misdirected search takes more steps or leaves a wider gap.
func TestOptimaAreTightInFewSteps(t *testing.T) {
	type class struct {
		set, axes string
		objective Objective
		mode      Mode
	}
	type limit struct {
		steps int
		apart float64
	}
	const rounding = 1e-13
	limits := map[class]limit{
		{"box", "free", 0, 0}:      {1865, rounding},
		{"box", "free", 0, 1}:      {4569, rounding},
		{"box", "free", 0, 2}:      {1905, rounding},
		{"box", "free", 1, 0}:      {1210, 6e-10},
		{"box", "given", 0, 0}:     {1882, 2e-11},
		{"box", "given", 0, 1}:     {4314, rounding},
		{"box", "given", 0, 2}:     {1565, 1e-11},
		{"box", "given", 1, 0}:     {2297, 1e-10},
		{"box", "standard", 0, 0}:  {0, rounding},
		{"box", "standard", 0, 1}:  {1149, rounding},
		{"box", "standard", 0, 2}:  {0, rounding},
		{"box", "standard", 1, 0}:  {0, rounding},
		{"list", "free", 0, 0}:     {1747, rounding},
		{"list", "free", 0, 1}:     {1901, rounding},
		{"list", "free", 0, 2}:     {1777, rounding},
		{"list", "free", 1, 0}:     {1697, 2e-10},
		{"list", "given", 0, 0}:    {1572, 1e-11},
		{"list", "given", 0, 1}:    {1698, rounding},
		{"list", "given", 0, 2}:    {1915, rounding},
		{"list", "given", 1, 0}:    {2528, 6e-11},
		{"list", "standard", 0, 0}: {1917, rounding},
		{"list", "standard", 0, 1}: {1630, rounding},
		{"list", "standard", 0, 2}: {1782, rounding},
		{"list", "standard", 1, 0}: {2552, 5e-11},
	}
	steps, apart := map[class]int{}, map[class]float64{}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(102, seed))
		for mode := Unimodal; mode <= Bimodal; mode++ {
			for _, axes := range []string{"standard", "given", "free"} {
				for objective := LeastError; objective <= MostInformation && (objective == LeastError || mode == Unimodal); objective++ {
					m, n := 3, 2
					if mode == Equimodal {
						n = m
					}
					var list []*mat.Dense
					for range 5 {
						list = append(list, normalMatrix(m, n, rng))
					}
					r := Params{Mode: mode, FreeAxes: axes == "free"}
					if axes != "standard" {
						r.Directions = symmetric.RandomBasis(m, rng)
					}
					goal := Goal{objective, []float64{1, 10 * rng.Float64(), math.Exp(2 * rng.NormFloat64())}}
					for set, s := range map[string]Sensitivity{"list": must.Be(NewDifferences(list)), "box": must.Be(NewBox(n, []float64{1, 3, 0.4}))} {
						c := &counting{Context: t.Context()}
						o := must.Be(solveAt(c, s, goal, r, 1, 1))
						of := class{set, axes, objective, mode}
						steps[of] += c.asked
						apart[of] = math.Max(apart[of], o.Value.Hi/o.Value.Lo-1)
					}
				}
			}
		}
	}
	for of, n := range steps {
		if most := limits[of]; n > most.steps+most.steps/50 || apart[of] > most.apart {
			t.Errorf("%+v: %d steps and a gap of %.2g, want at most %d and %g", of, n, apart[of], most.steps, most.apart)
		}
	}
}

// The bounds of an optimum are widened by decimalSlack. The method mentions a relative gap above 1e-6. Bounds out of
// order or out of range are an error.
func TestBetweenWidensBounds(t *testing.T) {
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
				if v.Lo != size*(1-gap)*(1-decimalSlack) || v.Hi != size*(1+decimalSlack) {
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

// Enclosures by verified inverses have the width that their derivations give, to 10 %. So the rounding is allowed for
// in full, and the bounds are no wider.
func TestEnclosureWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(105, 2))
	for _, m := range []int{2, 5, 9} {
		for range 5 {
			a := gramOf(normalMatrix(m, m, rng))
			for i := range m {
				a.SetSym(i, i, a.At(i, i)+1)
			}
			c := must.Be(NewDense(a))
			p := c.dense.inverse()
			n := float64(m)
			width := func(name string, v interval.Interval, lo, hi float64) {
				t.Helper()
				lo, hi = lo/(1+p.Spread)*(1-4*unit), hi/(1-p.Spread)*(1+4*unit)
				got, want := v.Upper().Sub(v.Lower()).Mid(), math.Ldexp(hi-lo, 2*p.Exp)
				if math.Abs(got-want) > 0.1*want {
					t.Errorf("%s, order %d: width %v, want %v", name, m, got, want)
				}
			}
			trace := mat.Trace(p.Near)
			values, off := c.spectrum(p)
			for i, v := range c.top(m) {
				e := off + p.Entry*trace
				width("an eigenvalue", v, values[i]-e, values[i]+e)
			}
			largest := 0.0
			for i := range m {
				largest = math.Max(largest, p.Near.At(i, i))
			}
			width("the largest entry", c.largestEntry(), largest*(1-p.Entry), largest*(1+p.Entry))
			norm := mat.Norm(p.Near, 2)
			e := p.Entry*trace + norm*(n*n+8)*unit
			width("the norm", c.precisionSquares().Sqrt(), norm-e, norm+e)

			h := make([]float64, m)
			for i := range h {
				h[i] = math.Exp(rng.NormFloat64())
			}
			p = c.dense.factor.Inverse(h)
			trace = mat.Trace(p.Near)
			top, sizes := 0.0, 0.0
			signPatterns(m, func(s []float64) { top = math.Max(top, form(p.Near, s)) })
			for i := range m {
				for j := range m {
					sizes += math.Abs(p.Near.At(i, j))
				}
			}
			e = p.Entry*n*trace + n*n*sizes*0x1p-60 + (n*n+4)*unit*n*trace
			width("the best vertex", must.Be(must.Be(NewBox(1, h)).vertexMaximum(t.Context(), c)).Quo(interval.Int(4)), top-e, top+e)
		}
	}
}

// If both covariances have the same leading axis, one record attains the product of their largest precisions. The lower
// bound is short of it by the rounding allowance only.
func TestCrossedModesWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(105, 4))
	for _, m := range []int{3, 6} {
		w, v := symmetric.RandomBasis(m, rng), make([]float64, m)
		for i := range v {
			v[i] = 50 + 10*rng.Float64()
		}
		v[0] = 1
		sigma := must.Be(NewDirectional(v, w))
		v[0], v[1] = 2, 90
		psi := must.Be(NewDirectional(v, w))
		p, left, offP := sigma.normalized()
		q, right, offQ := psi.normalized()
		rounding := float64(2*(m*m+8)) * unit * float64(m)
		want := (rounding*mat.Trace(p) + offP) + (rounding*mat.Trace(q) + offQ)
		got := must.Be(crossedModes(t.Context(), sigma, psi)).Quo(left.Mul(right))
		if lo, hi := got.Bounds(); 1-lo < 0.95*want || 1-lo > 1.6*want || hi < 1 || hi > 1+4*want {
			t.Errorf("order %d: one record attains 1 %+v to 1 %+v, want a rounding allowance of %v", m, lo-1, hi-1, want)
		}
	}
}

// solveAt calls the optimizer with μ in [lo, hi].
func solveAt(ctx context.Context, s Sensitivity, goal Goal, r Params, lo, hi float64) (*Optimum, error) {
	_, n := s.Shape()
	f, err := newBasis(r.Directions, goal.Weights)
	if err != nil {
		return nil, err
	}
	o := &optimizer{ctx: ctx, s: s, goal: goal, recipe: r, basis: f, mu: evidence.Certified{Lo: lo, Hi: hi}, n: float64(n), columns: 1}
	return o.solve()
}

// setsOf returns one set of each kind for 2×2 queries.
func setsOf(rng *rand.Rand) map[string]Sensitivity {
	var list []*mat.Dense
	for range 4 {
		list = append(list, normalMatrix(2, 2, rng))
	}
	return map[string]Sensitivity{
		"ball":             must.Be(NewBall(2, 2, BallOptions{S2: 2, Gamma: 4, PSD: true})),
		"gram, added":      must.Be(NewGram(2, 1.5, query.AddRemove, 0.5)),
		"gram, replaced":   must.Be(NewGram(2, 1.5, query.Replace, 0.5)),
		"gram, one record": must.Be(NewGram(1, 1.5, query.Replace, 0.5)),
		"box":              must.Be(NewBox(2, []float64{0.5, 2})),
		"list":             must.Be(NewDifferences(list)),
	}
}

// routes calls f for every set, goal, mode and choice of directions that Optimal accepts.
func routes(f func(name string, s Sensitivity, goal Goal, r Params)) {
	w := symmetric.RandomBasis(2, rand.NewPCG(4, 1))
	for name, s := range setsOf(rand.New(rand.NewPCG(4, 2))) {
		m, _ := s.Shape()
		for _, goal := range []Goal{{LeastError, []float64{1, 3}[:m]}, {MostInformation, []float64{30, 20}[:m]}} {
			for mode := Unimodal; mode <= Bimodal; mode++ {
				for _, axes := range []string{"standard", "given", "free"} {
					r := Params{Mode: mode, FreeAxes: axes == "free"}
					if axes != "standard" && m == 2 {
						r.Directions = w
					}
					if _, ok := s.(Differences); goal.Objective == MostInformation && (ok && mode == Equimodal || r.FreeAxes && (ok && mode != Unimodal || name == "box" && mode == Equimodal)) {
						continue // Optimal rejects these
					}
					f(fmt.Sprintf("%s, objective %d, mode %d, %s axes", name, goal.Objective, mode, axes), s, goal, r)
				}
			}
		}
	}
}

// If μ is only known to lie in [1, 2], the design satisfies the constraint for μ = 1, and the bound on all designs is
// that for μ = 2.
func TestOptimaUseBoundsOfMu(t *testing.T) {
	routes(func(name string, s Sensitivity, goal Goal, r Params) {
		find := func(lo, hi float64) *Optimum {
			o, err := solveAt(t.Context(), s, goal, r, lo, hi)
			if err != nil {
				t.Fatalf("%s, μ in [%v, %v]: %v", name, lo, hi, err)
			}
			return o
		}
		low, high, wide := find(1, 1), find(2, 2), find(1, 2)
		reached, bound := [2]float64{low.Value.Hi, wide.Value.Hi}, [2]float64{high.Value.Lo, wide.Value.Lo}
		if goal.Objective == MostInformation {
			reached, bound = [2]float64{low.Value.Lo, wide.Value.Lo}, [2]float64{high.Value.Hi, wide.Value.Hi}
		}
		if math.Abs(bound[1]/bound[0]-1) > 1e-6 {
			t.Errorf("%s: bound %v, want %v", name, bound[1], bound[0])
		}
		// The best precisions for μ = 2, rescaled to μ = 1, have nearly as much information as the best for μ = 1.
		if slack := math.Abs(reached[1]/reached[0] - 1); slack > 1e-8 && goal.Objective == LeastError || slack > 0.05 {
			t.Errorf("%s: a design reaches %v, want %v", name, reached[1], reached[0])
		}
		if wide.Design == nil {
			return
		}
		if norm := wide.Design.norm.hi; norm > 1 || norm < 1-1e-9 {
			t.Errorf("%s: whitened sensitivity %v, want just below 1", name, norm)
		}
	})
}

// The enclosure of an optimum runs from the worst attained value to the best limit, widened by decimalSlack. Bounds
// that are reversed, negative or infinite are rejected.
func TestBetweenEnclosesWideIntervals(t *testing.T) {
	for _, c := range []struct {
		objective      Objective
		reached, limit [2]float64
		want           [2]float64
		apart          bool
		refused        string
	}{
		{MostInformation, [2]float64{2, 3}, [2]float64{5, 7}, [2]float64{2, 7}, true, ""},
		{LeastError, [2]float64{5, 7}, [2]float64{2, 3}, [2]float64{2, 7}, true, ""},
		{MostInformation, [2]float64{0, 3}, [2]float64{5, 7}, [2]float64{0, 7}, true, ""},
		{MostInformation, [2]float64{1, 1}, [2]float64{1, 1 + 1.0000002e-6}, [2]float64{1, 1 + 1.0000002e-6}, false, ""},
		{MostInformation, [2]float64{1, 1}, [2]float64{1, 1 + 1.0001e-6}, [2]float64{1, 1 + 1.0001e-6}, true, ""},
		{MostInformation, [2]float64{0, 0}, [2]float64{0, 0}, [2]float64{}, false, "from 0 to 0"},
		{MostInformation, [2]float64{8, 9}, [2]float64{1, 2}, [2]float64{}, false, "from 8 to 2"},
		{MostInformation, [2]float64{-1, 3}, [2]float64{5, 7}, [2]float64{}, false, "from -1 to 7"},
		{MostInformation, [2]float64{1, 3}, [2]float64{5, math.Inf(1)}, [2]float64{}, false, "from 1 to +Inf"},
	} {
		o := &optimizer{goal: Goal{Objective: c.objective}}
		v, err := o.between(interval.Between(c.reached[0], c.reached[1]), interval.Between(c.limit[0], c.limit[1]), "how")
		if c.refused != "" {
			if !errors.Is(err, errScale) || !ErrorContains(err, c.refused) {
				t.Errorf("%+v: [%v, %v], error %v", c, v.Lo, v.Hi, err)
			}
			continue
		}
		if err != nil || v.Lo != c.want[0]*(1-decimalSlack) || v.Hi != c.want[1]*(1+decimalSlack) || (v.Method != "how") != c.apart {
			t.Errorf("%+v: [%v, %v], %q, error %v", c, v.Lo, v.Hi, v.Method, err)
		}
	}
}

// Each precision that replaces 0 uses at most 1e-20 of the constraint at the lower bound of μ. The largest uses at
// least 1e-23.
func TestNegligiblePrecisionsCostNothing(t *testing.T) {
	h, signal := []float64{0.5, 2, 0.1}, []float64{3, 0, 40}
	b := must.Be(NewBox(3, h))
	for _, mode := range []Mode{Unimodal, Equimodal} {
		o := &optimizer{ctx: t.Context(), s: b, goal: Goal{MostInformation, signal}, recipe: Params{Mode: mode}, n: 3, columns: 1,
			basis: must.Be(newBasis(nil, signal)), mu: evidence.Certified{Lo: 1, Hi: 1}}
		if mode == Unimodal {
			o.mu.Hi = 2
		}
		best := must.Be(o.box(b))
		sum, top, whole, large := 0.0, 0.0, 0.0, 0.0
		for i, v := range o.negligible {
			square := 4 * h[i] * h[i]
			sum, top = math.Max(sum, square*v), math.Max(top, v)
			whole, large = whole+square*best.Precisions[i], math.Max(large, best.Precisions[i])
		}
		if len(o.negligible) != 3 || mode == Unimodal && (sum > 1.01e-20 || sum < 0.99e-20) {
			t.Errorf("mode %d: the negligible precisions %v cost up to %v, want 1e-20", mode, o.negligible, sum)
		}
		if mode == Equimodal && (sum > 1.01e-20*whole || top > 1.01e-20*large || sum < 1e-23*whole && top < 1e-23*large) {
			t.Errorf("mode %d: the negligible precisions %v cost %v of %v, the largest entry is %v of %v", mode, o.negligible, sum, whole, top, large)
		}
	}
}
