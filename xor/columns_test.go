package xor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

func ExampleOptimizeAlpha() {
	s, _ := xor.OptimizeAlpha(context.Background(), xor.AlphaProblem{
		N: 5, P: 3, Epsilon: nats(1), Sensitivity: 2, Privacy: xor.ExactPrivacy, Complement: true,
	})
	fmt.Printf("α = %g, ε = %.6f, flips %.6f, randomised response %.6f\n",
		s.Alpha, s.Smallest.Float(), s.FlipRate.Float(), s.Response.Float())
	// Output: α = 1, ε = 1.000000, flips 0.377541, randomised response 0.377541
}

// The closed form against enumeration of the same law, given block by block.
func TestColumnsAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 60 {
		n, p := 1+rng.IntN(6), 1+rng.IntN(2)
		theta, lambda := 3*rng.NormFloat64(), rng.NormFloat64()
		c, err := xor.NewUniform(n, p, theta, lambda)
		if err != nil {
			t.Fatal(err)
		}
		e, err := c.Enumerate(ctx) // walks rows of Π
		if err != nil {
			t.Fatal(err)
		}
		z, err := c.LogNormalizer(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := z.Float(), e.LogNormalizer.Float(); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%d×%d, θ = %g, λ = %g: ln Z = %v, want %v", n, p, theta, lambda, got, want)
		}
		for _, complement := range []bool{false, true} {
			rate, err := c.ErrorRate(ctx, 0, xor.Variant(complement))
			if err != nil {
				t.Fatal(err)
			}
			want := e.MeanOnes.Float() / float64(n*p)
			if complement {
				want = 1 - want
			}
			if got := rate.Float(); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d×%d, θ = %g, λ = %g, complement %t: rate %v, want %v", n, p, theta, lambda, complement, got, want)
			}
		}
	}
}

// A law whose blocks happen to be multiples of the identity is recognised.
func TestColumnsAreRecognised(t *testing.T) {
	identity := [][]float64{{.25, 0}, {0, .25}}
	all := map[xor.Pair][][]float64{{I: 0, J: 1}: identity, {I: 0, J: 2}: identity, {I: 1, J: 2}: identity}
	b, err := xor.NewBernoulli([][]float64{{.5, 0}, {0, .5}}, all, 3)
	if err != nil || b.Columns() == nil {
		t.Fatalf("columns not found: %v", err)
	}
	delete(all, xor.Pair{I: 0, J: 2})
	if b, _ = xor.NewBernoulli([][]float64{{.5, 0}, {0, .5}}, all, 3); b.Columns() != nil {
		t.Error("a missing association is overlooked")
	}
}

// The formula for at most P bits in distinct columns, at every size.
func TestAllocationSpends(t *testing.T) {
	for _, c := range []struct {
		n, p, s    int
		eps, alpha float64
	}{{2, 1, 1, 1, .3}, {4039, 4039, 2, 1, .7}, {240, 16, 16, .5, .75}, {3, 2, 1, 2, 0}, {7, 3, 3, .1, 1}} {
		b, err := xor.Allocate(xor.Budget{N: c.n, P: c.p, Epsilon: nats(c.eps), Alpha: c.alpha, Sensitivity: float64(c.s)})
		if err != nil {
			t.Fatal(err)
		}
		want := c.eps / math.Sqrt(float64(c.p)) * (c.alpha + 4*(1-c.alpha)/float64(c.n))
		got := b.Columns().LossInDistinctColumns(c.s).Float()
		if math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
		if claimed := b.ClaimedEpsilon(c.s).Float(); math.Abs(claimed/c.eps-1) > 1e-12 {
			t.Errorf("%+v: claims %v", c, claimed)
		}
	}
	// FINDINGS: N = 2, P = 1, α = 0.3, ε = 1: 78.8 % of the bits are flipped.
	b, _ := xor.Allocate(xor.Budget{N: 2, P: 1, Epsilon: nats(1), Alpha: .3, Sensitivity: 1})
	rate, _ := b.ErrorRate(ctx, 0, xor.Plain)
	if math.Abs(rate.Float()-.788) > .0005 {
		t.Errorf("flip rate %v, want .788", rate.Float())
	}
	// Algorithm 3 at N = 2, α = .3, ε = 5, s_f = 2 releases ε = 5.18.
	b, _ = xor.Allocate(xor.Budget{N: 2, P: 2, Epsilon: nats(5), Alpha: .3, Sensitivity: 2})
	loss, err := smallest(ctx, b, xor.FlipEdges(1), xor.LossOptions{})
	if err != nil || math.Abs(loss.Float()-5/math.Sqrt2*(.3+4*.7/2)) > 1e-12 {
		t.Errorf("edge loss before symmetrising %v, want 6.01", loss.Float())
	}
}

// Golden: α = 1 under exact privacy, complement, s ≤ P; the budget is spent.
func TestOptimizeAlpha(t *testing.T) {
	for _, n := range []int{1, 2, 7} {
		for _, p := range []int{1, 3} {
			for s := 1; s <= p; s++ {
				for _, eps := range []float64{.1, 5} {
					q := xor.AlphaProblem{N: n, P: p, Epsilon: nats(eps), Sensitivity: s, Privacy: xor.ExactPrivacy, Complement: true}
					got, err := xor.OptimizeAlpha(ctx, q)
					if err != nil {
						t.Fatal(err)
					}
					if got.Alpha != 1 || math.Abs(got.Smallest.Float()/eps-1) > 1e-12 || math.Abs(got.FlipRate.Float()/got.Response.Float()-1) > 1e-10 {
						t.Errorf("%+v: α = %v, ε = %v, rate %v, response %v", q, got.Alpha, got.Smallest.Float(), got.FlipRate.Float(), got.Response.Float())
					}
				}
			}
		}
	}
	// Everywhere: no α of a fine grid does better, and budgets are spent.
	for _, q := range []xor.AlphaProblem{
		{N: 4, P: 2, Epsilon: nats(2), Sensitivity: 1, Privacy: xor.ClaimedPrivacy},
		{N: 4, P: 2, Epsilon: nats(2), Sensitivity: 1, Privacy: xor.ClaimedPrivacy, Complement: true},
		{N: 2, P: 2, Epsilon: nats(3), Sensitivity: 2, Privacy: xor.ClaimedPrivacy, Complement: true},
		{N: 6, P: 1, Epsilon: nats(2), Sensitivity: 3, Privacy: xor.ExactPrivacy},
		{N: 6, P: 1, Epsilon: nats(2), Sensitivity: 3, Privacy: xor.ExactPrivacy, Complement: true},
	} {
		got, err := xor.OptimizeAlpha(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		spent := got.Claimed.Float()
		if q.Privacy == xor.ExactPrivacy {
			spent = got.Smallest.Float()
		}
		if math.Abs(spent/q.Epsilon.Value()-1) > 1e-12 {
			t.Errorf("%+v spends %v", q, spent)
		}
		for i := range 1001 {
			b, err := xor.Allocate(xor.Budget{N: q.N, P: q.P, Epsilon: q.Epsilon, Alpha: float64(i) / 1000, Sensitivity: float64(q.Sensitivity)})
			if err != nil {
				t.Fatal(err)
			}
			if q.Privacy == xor.ExactPrivacy {
				theta, lambda := b.Columns().Parameters()
				k := q.Epsilon.Value() / b.Columns().LossAnywhere(q.Sensitivity).Float()
				if b, err = xor.NewUniform(q.N, q.P, theta*k, lambda*k); err != nil {
					t.Fatal(err)
				}
			}
			if rate := must.Be(b.Columns().FlipRate(ctx, xor.Variant(q.Complement))).Float(); rate < got.FlipRate.Float()*(1-1e-12) {
				t.Errorf("%+v: α = %g flips %v, the optimum %g flips %v", q, float64(i)/1000, rate, got.Alpha, got.FlipRate.Float())
				break
			}
		}
	}
}

func TestAllocationRefuses(t *testing.T) {
	good := xor.Budget{N: 2, P: 2, Epsilon: nats(1), Alpha: .5, Sensitivity: 1}
	for _, change := range []func(*xor.Budget){
		func(u *xor.Budget) { u.N = 0 }, func(u *xor.Budget) { u.P = -1 }, func(u *xor.Budget) { u.Epsilon = evidence.Epsilon{} },
		func(u *xor.Budget) { u.N = 1 << 31 }, func(u *xor.Budget) { u.Alpha = -.01 }, func(u *xor.Budget) { u.Alpha = 1.01 },
		func(u *xor.Budget) { u.Alpha = math.NaN() }, func(u *xor.Budget) { u.Sensitivity = 0 },
	} {
		u := good
		change(&u)
		if _, err := xor.Allocate(u); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v gives %v", u, err)
		}
	}
}

// Proposition 1: g ≤ U/L wherever it claims to hold, and its formula summed out.
func TestBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	covered := 0
	for range 200 {
		b, err := xor.Allocate(xor.Budget{N: 1 + rng.IntN(4), P: 1 + rng.IntN(3), Epsilon: nats(5 * rng.Float64()), Alpha: rng.Float64(), Sensitivity: 1})
		if err != nil {
			t.Fatal(err)
		}
		bound, ok := b.Bound()
		mean, err := b.MeanOnes(ctx, xor.Plain)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			covered++
			if bound.Float() < mean.Lo {
				t.Errorf("U/L = %v below g = %v", bound.Float(), mean.Lo)
			}
		}
	}
	if covered != 200 {
		t.Errorf("only %d of 200 allocations are covered", covered)
	}
	b, err := xor.NewBernoulli([][]float64{{2, 1}, {1, 2}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{1, .5}, {.5, 1}}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	c := 3 + 2*1.5 // greatest eigenvalues 3 and 1.5
	var u float64
	for m, ways := range []float64{1, 4, 6, 4, 1} {
		u += ways * math.Exp(c*float64(m)) * float64(m)
	}
	want := u / (8 * (2 + 2*math.Sqrt(10) + math.Sqrt(2.5)))
	if got, ok := b.Bound(); !ok || math.Abs(got.Float()/want-1) > 1e-12 {
		t.Errorf("U/L = %v, want %v", got.Float(), want)
	}
}

// s bits anywhere against a knapsack over columns written out.
func TestLossAnywhereAgainstSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for range 300 {
		n, p := 1+rng.IntN(7), 1+rng.IntN(4)
		theta, lambda := rng.NormFloat64(), rng.NormFloat64()
		b, err := xor.NewUniform(n, p, theta, lambda)
		if err != nil {
			t.Fatal(err)
		}
		column, err := xor.NewColumns(n, 1, theta, lambda)
		if err != nil {
			t.Fatal(err)
		}
		for s := 1; s <= n*p; s++ {
			total := make([]float64, s+1)
			for range p {
				next := append([]float64(nil), total...)
				for have, v := range total {
					for k := 1; k <= n && have+k <= s; k++ {
						next[have+k] = math.Max(next[have+k], v+column.LossAnywhere(k).Float())
					}
				}
				total = next
			}
			if got := b.Columns().LossAnywhere(s).Float(); math.Abs(got-total[s]) > 1e-11*(1+total[s]) {
				t.Fatalf("%d×%d, s = %d: %v, want %v", n, p, s, got, total[s])
			}
		}
	}
}

// What cannot be held is refused before it is asked for.
func TestSizes(t *testing.T) {
	ctx := context.Background()
	u := xor.Budget{N: 1_000_000, P: 1_000_000, Epsilon: nats(1), Alpha: 1, Sensitivity: 1}
	b, err := xor.Allocate(u)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Noise(ctx, 1, xor.Auto, rand.NewPCG(1, 1)); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "1000000 × 1000000 bits take 125 GB, want at most 4.29") {
		t.Errorf("a draw of 10¹² bits gives %v", err)
	}
	if _, err := xor.Divide(u, 3, 3); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "want at most 16777216 tiles") {
		t.Errorf("10¹¹ tiles give %v", err)
	}
	if _, err := xor.OptimizeAlpha(ctx, xor.AlphaProblem{N: 5, P: 3, Epsilon: nats(1), Sensitivity: 16, Privacy: xor.ClaimedPrivacy}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "sensitivity = 16 bits, want 1 to 15") {
		t.Errorf("16 of 15 bits give %v", err)
	}
}
