package privacy_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/interval"
	"dpworkbench/privacy"

	"pgregory.net/rapid"
)

// checkCorners checks the corners against the largest convex function below all trade-off functions, which least and
// most bound. The segments between corners must lie below it, too.
func checkCorners(t *testing.T, what string, of *privacy.Tradeoff, least, most func(alpha float64) float64, width float64) {
	t.Helper()
	var before, lowBefore float64
	for i, c := range of.Corners {
		a, _ := c.Alpha.Bounds()
		lo, hi := c.Beta.Bounds()
		if lo > most(a)+1e-9 || hi < least(a)-1e-9 || hi-lo > width {
			t.Errorf("%s: β(%g) in [%g, %g], want [%g, %g]", what, a, lo, hi, least(a), most(a))
		}
		if mid := (a + before) / 2; i > 0 && (lo+lowBefore)/2 > most(mid)+1e-9 {
			t.Errorf("%s: the polygon at %g is at %g, above %g", what, mid, (lo+lowBefore)/2, most(mid))
		}
		before, lowBefore = a, lo
	}
	if n := len(of.Corners); n < 2 || of.Exact {
		t.Errorf("%s: %d corners, exact: %v", what, n, of.Exact)
	}
}

// The polygons of continuous laws, of uses on a lattice, and of so many pairs that tangents replace them lie below the
// trade-off function. Their upper ends lie above it.
func TestTradeoffPolygons(t *testing.T) {
	t.Parallel()
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	normal := func(a float64) float64 {
		if a <= 0 || a >= 1 {
			return 1 - a
		}
		return tail(1.5 + math.Sqrt2*math.Erfinv(1-2*a)*-1)
	}
	of, err := privacy.New(privacy.NormalPairs("normal", "test", interval.Float(1.5))).Tradeoff(ctx)
	checkCorners(t, "normal", ask(t, of, err), normal, normal, 0.01)

	dual := func(delta func(eps float64) float64) func(a float64) float64 { // α ↦ max_t 1 − δ(t) − tα
		return func(a float64) float64 {
			most := 0.0
			for eps := -3.0; eps <= 3; eps += 0x1p-8 {
				most = max(most, 1-delta(eps)-math.Exp(eps)*a)
			}
			return most
		}
	}
	f := dual(func(eps float64) float64 { return laplaceDelta(eps, 1.25) })
	of, err = privacy.New(privacy.LaplacePairs("Laplace", "test", evidencetest.Epsilon(1.25))).Tradeoff(ctx)
	checkCorners(t, "Laplace", ask(t, of, err), f, func(a float64) float64 { return f(a) + 1e-4 }, 0.01)

	src := rand.New(rand.NewPCG(1, 2))
	all := make([]table, 40)
	for i := range all {
		draw := func() []*big.Rat { return normalized([]int{2 + src.IntN(9), 1 + src.IntN(9), 1 + src.IntN(9)}) }
		all[i] = table{draw(), draw()}
	}
	truth := func(a float64) float64 {
		most := 0.0
		for w := big.NewRat(1, 8); w.Cmp(big.NewRat(8, 1)) <= 0; w.Mul(w, big.NewRat(6, 5)) {
			x, _ := w.Float64()
			d, _ := worst(all, func(a table) *big.Rat { return a.power(2).delta(w) }).Float64()
			most = max(most, 1-d-x*a)
		}
		return most
	}
	test := func(a float64) float64 { // β of the most powerful test, at least the convex function
		d, _ := worst(all, func(b table) *big.Rat { return b.power(2).height(rat(a)) }).Float64()
		return 1 - d
	}
	cache := map[float64]float64{}
	cached := func(a float64) float64 {
		if _, ok := cache[a]; !ok {
			cache[a] = truth(a)
		}
		return cache[a]
	}
	if cases.All() { // TestTradeoffOfManyPairs tests fewer pairs
		of, err = compose(t, []int{2}, family(t, "s", all, false)).Tradeoff(ctx)
		ask(t, of, err)
		of.Corners = of.Corners[:min(len(of.Corners), 6)]
		checkCorners(t, "many pairs", of, cached, test, 0.3)
	}

	// Uses of one pair with irrational probabilities on a lattice.
	response, err := privacy.ApproxDP(evidencetest.Epsilon(0.5), new(big.Rat))
	of, err = compose(t, []int{300}, ask(t, response, err)).Tradeoff(ctx)
	if ask(t, of, err).Exact {
		t.Error("the polygon of irrational probabilities is marked exact")
	}
	deltas := map[float64]float64{}
	for _, eps := range []float64{-100, -95, -90, -89, -28, 33, 94} {
		n, err := compose(t, []int{300}, response).Delta(ctx, evidencetest.Epsilon(math.Abs(eps)))
		_, deltas[eps] = ask(t, n, err).Bounds()
		if eps < 0 {
			deltas[eps] = -math.Expm1(eps) + math.Exp(eps)*deltas[eps]
		}
	}
	for _, c := range of.Corners {
		a, _ := c.Alpha.Bounds()
		lo, hi := c.Beta.Bounds()
		for eps, d := range deltas {
			if 1-d-math.Exp(eps)*a > hi+1e-9 {
				t.Fatalf("β(%g) in [%g, %g], the dual at ε = %g gives %g", a, lo, hi, eps, 1-d-math.Exp(eps)*a)
			}
		}
	}
}

// The adaptive answer for hidden masses encloses the answer for the exact masses.
func TestAdaptiveOfHiddenLaws(t *testing.T) {
	few(t, 8, func(t *rapid.T) {
		all := tables(t, 3, "a")
		open, err := compose(t, []int{1}, family(t, "s", all, false)).Adaptive(ctx)
		ask(t, open, err)
		hidden, err := compose(t, []int{1}, family(t, "s", all, true)).Adaptive(ctx)
		ask(t, hidden, err)
		for _, w := range []int64{1, 2, 5} {
			eps := logOf(t, big.NewRat(w, 1))
			want := ask2(t)(open.Delta(ctx, eps)).(evidence.Exact).Value
			if got := ask2(t)(hidden.Delta(ctx, eps)); !encloses(got, want, want) {
				t.Fatalf("δ at ln %d is %v, want %v", w, got, want)
			}
		}
	})
}
