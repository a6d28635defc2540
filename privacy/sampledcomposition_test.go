package privacy_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"

	"pgregory.net/rapid"
)

// Several uses on one sample have the divergence of the mixture of product laws, summed over all outputs in rationals.
func TestSubsampleOfComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w3 := rapid.SliceOfN(rapid.Int64Range(0, 5), 3, 3).Filter(func(w []int64) bool { return w[0]+w[1]+w[2] > 0 }).Draw(t, "p")
		p, q := make([]*big.Rat, 3), make([]*big.Rat, 3)
		for i := range w3 { // the pair equals its reverse
			p[i] = big.NewRat(w3[i], w3[0]+w3[1]+w3[2])
			q[2-i] = p[i]
		}
		uses := rapid.IntRange(1, 3).Draw(t, "uses")
		rate := big.NewRat(rapid.Int64Range(0, 4).Draw(t, "quarters"), 4)
		pair := must.Be(privacy.NewRationalPair(p, q))
		one := &privacy.DominatingPairs{Name: "laws", Size: 1, TranslationInvariant: true, Source: "test", Relation: query.AddRemove, Pair: func(context.Context, int) (privacy.Pair, error) { return pair, nil }}
		all := must.Be(privacy.Compose(t.Context(), []*privacy.Account{privacy.New(one)}, []int{uses}))
		sub := must.Be(privacy.Subsample(t.Context(), all, rate, privacy.Poisson))
		eps, w := evidence.Epsilon{}, big.NewRat(1, 1)
		if rapid.Bool().Draw(t, "ln 3/2") {
			w = big.NewRat(3, 2)
			eps = must.Be(evidence.LogEpsilon("eps", w))
		}
		got := must.Be(sub.Delta(t.Context(), eps))
		up, down := new(big.Rat), new(big.Rat)
		var visit func(k int, x, y *big.Rat)
		visit = func(k int, x, y *big.Rat) {
			if k == 0 {
				mixed := new(big.Rat).Add(new(big.Rat).Mul(rate, x), new(big.Rat).Mul(new(big.Rat).Sub(big.NewRat(1, 1), rate), y))
				if d := new(big.Rat).Sub(mixed, new(big.Rat).Mul(w, y)); d.Sign() > 0 {
					up.Add(up, d)
				}
				if d := new(big.Rat).Sub(y, new(big.Rat).Mul(w, mixed)); d.Sign() > 0 {
					down.Add(down, d)
				}
				return
			}
			for i := range p {
				visit(k-1, new(big.Rat).Mul(x, p[i]), new(big.Rat).Mul(y, q[i]))
			}
		}
		visit(uses, big.NewRat(1, 1), big.NewRat(1, 1))
		if up.Cmp(down) < 0 {
			up = down
		}
		if e, ok := got.(evidence.Exact); !ok || sub.IsBound() || e.Value.Cmp(up) != 0 {
			t.Fatalf("δ = %v, want exactly %v", got, up)
		}
	})
}

// Several uses of Gaussian noise on one sample equal one use with less noise.
func TestSubsampleOfGaussians(t *testing.T) {
	four := must.For(privacy.Compose(t.Context(), []*privacy.Account{gaussianAccount(.5)}, []int{4}))(t)
	for _, kind := range []privacy.Sampling{privacy.Poisson, privacy.WithoutReplacement} {
		var said [2]evidence.Number
		for i, a := range []*privacy.Account{four, gaussianAccount(1)} {
			sub := must.For(privacy.Subsample(t.Context(), a, big.NewRat(1, 100), kind))(t)
			said[i] = must.For(sub.Delta(t.Context(), evidence.Epsilon{}))(t)
		}
		if a, b := said[0].Float(), said[1].Float(); !(math.Abs(a-b) <= 1e-12*b) || b <= 0 {
			t.Errorf("%s: δ(0) is %v for four uses at μ = 1/2, want %v of one at μ = 1", kind, said[0], said[1])
		}
	}
}

// Two and three uses of Laplace noise on one sample have the expected δ: γ(E(1 − e^{c − S})⁺) over the sum S of their
// losses at c = ln(1 + (e^ε − 1)/γ), integrated piecewise in mpmath with 20 digits. Neighbors that replace a record
// have the same value for ε ≥ 0.
func TestSubsampleOfLaplace(t *testing.T) {
	noise := privacy.LaplacePairs("laplace", "test", must.For(evidence.NewEpsilon("eps", 1))(t))
	noise.TranslationInvariant = true
	for _, c := range []struct {
		uses       int
		rate       *big.Rat
		eps, delta float64
	}{{2, big.NewRat(1, 10), .2, .0203217189885869}, {2, big.NewRat(1, 4), .05, .103266851321652}, {2, big.NewRat(1, 2), 1, .0631553967147668}, {3, big.NewRat(1, 10), .2, .0283116056676364}} {
		all := must.For(privacy.Compose(t.Context(), []*privacy.Account{privacy.New(noise)}, []int{c.uses}))(t)
		for _, kind := range []privacy.Sampling{privacy.Poisson, privacy.WithoutReplacement} {
			sub := must.For(must.For(privacy.Subsample(t.Context(), all, c.rate, kind))(t).Within(1e-7))(t)
			lo, hi := must.For(sub.Delta(t.Context(), must.For(evidence.NewEpsilon("eps", c.eps))(t)))(t).Bounds()
			if !(lo <= c.delta*(1+1e-14) && c.delta*(1-1e-14) <= hi && hi-lo <= 1e-7*hi) {
				t.Errorf("%d uses, rate %v, %s: δ in [%v, %v], want %v", c.uses, c.rate, kind, lo, hi, c.delta)
			}
			lo, hi = must.For(sub.Epsilon(t.Context(), evidencetest.Delta(c.delta)))(t).Bounds()
			if !(lo <= c.eps*(1+1e-13) && c.eps*(1-1e-13) <= hi && hi-lo <= 1e-7*hi) {
				t.Errorf("%d uses, rate %v, %s: ε in [%v, %v], want %v", c.uses, c.rate, kind, lo, hi, c.eps)
			}
		}
	}
}

func gaussianAccount(mu float64) *privacy.Account {
	return privacy.New(&privacy.DominatingPairs{Name: "gaussian", Size: 1, TranslationInvariant: true, Relation: query.Any, Source: "test", Pair: func(context.Context, int) (privacy.Pair, error) {
		return privacy.Normal(interval.Float(mu)), nil
	}})
}
