package xor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// The closed form agrees with enumeration of the same law given as blocks.
func TestColumnsAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 60 {
		n, p := 1+rng.IntN(6), 1+rng.IntN(2)
		theta, lambda := 3*rng.NormFloat64(), rng.NormFloat64()
		c := must.Be(xor.NewUniform(n, p, theta, lambda))
		e := must.For(c.Enumerate(ctx))(t)
		z := must.Be(c.LogNormalizer(ctx))
		if got, want := z.Float(), e.LogNormalizer.Float(); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%d×%d, θ = %g, λ = %g: ln Z = %v, want %v", n, p, theta, lambda, got, want)
		}
		for _, complement := range []bool{false, true} {
			rate := must.Be(c.ErrorRate(ctx, 0, xor.Variant(complement)))
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

// The loss of at most P bits in distinct columns follows the formula, for small and large shapes.
func TestAllocationLoss(t *testing.T) {
	for _, c := range []struct {
		n, p, s    int
		eps, alpha float64
	}{{2, 1, 1, 1, .3}, {4039, 4039, 2, 1, .7}, {240, 16, 16, .5, .75}, {3, 2, 1, 2, 0}, {7, 3, 3, .1, 1}} {
		b := must.Be(xor.Allocate(xor.Budget{N: c.n, P: c.p, Epsilon: evidencetest.Epsilon(c.eps), Alpha: c.alpha, Sensitivity: float64(c.s)}))
		want := c.eps / math.Sqrt(float64(c.p)) * (c.alpha + 4*(1-c.alpha)/float64(c.n))
		got := b.Columns().LossInDistinctColumns(c.s).Float()
		if math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
		if claimed := b.ClaimedEpsilon(c.s).Float(); math.Abs(claimed/c.eps-1) > 1e-12 {
			t.Errorf("%+v: claimed ε %v", c, claimed)
		}
	}
	// The noise flips 78.8 % of the bits for N = 2, P = 1, α = 0.3, ε = 1.
	b, _ := xor.Allocate(xor.Budget{N: 2, P: 1, Epsilon: evidencetest.Epsilon(1), Alpha: .3, Sensitivity: 1})
	rate, _ := b.ErrorRate(ctx, 0, xor.Plain)
	if math.Abs(rate.Float()-.788) > .0005 {
		t.Errorf("flip rate %v, want .788", rate.Float())
	}
	// Before symmetrising, the noise of Algorithm 3 has ε = 6.01 for N = 2, α = .3, ε = 5, s_f = 2.
	b, _ = xor.Allocate(xor.Budget{N: 2, P: 2, Epsilon: evidencetest.Epsilon(5), Alpha: .3, Sensitivity: 2})
	loss, err := smallest(ctx, b, xor.FlipEdges(1), xor.LossOptions{})
	if err != nil || math.Abs(loss.Float()-5/math.Sqrt2*(.3+4*.7/2)) > 1e-12 {
		t.Errorf("edge loss before symmetrising %v, want 6.01", loss.Float())
	}
}
