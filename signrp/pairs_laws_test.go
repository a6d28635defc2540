package signrp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
)

// composedOf composes the given numbers of uses of releases at one pair of vectors.
func composedOf(t testing.TB, times []int, of ...*privacy.DominatingPairs) *privacy.Account {
	t.Helper()
	var parts []*privacy.Account
	for _, f := range of {
		parts = append(parts, privacy.New(f))
	}
	return must.Be(privacy.Compose(context.Background(), parts, times))
}

// The composition of every release of signs agrees with all patterns of its repeated bits. A single use gives exactly
// the numbers of Pair.
func TestPairsAgainstAllPatterns(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(23, 8))
	exact := 0
	for trial := range 3 {
		p, k := 2+rng.IntN(4), 1+rng.IntN(4)
		e := evidencetest.Epsilon([]float64{0.3, 1, 4}[trial%3])
		if trial%4 == 0 {
			e = evidencetest.LogEpsilon(3, 1).Times(int64(k))
		}
		beta := []float64{1, 0.5, 0.3}[rng.IntN(3)]
		for n, w := range signrp.AllKinds(t, p, k, uint64(trial)) {
			for m, r := range signrp.EveryRelease(t, w, e, beta) {
				if !cases.Every(2, trial+n+m) {
					continue
				}
				u := signrp.BoundaryVector(rng, p, trial)
				v := slices.Clone(u)
				i := rng.IntN(p)
				v[i] = math.Max(-1, math.Min(1, u[i]+[]float64{beta, -beta}[rng.IntN(2)]))
				if trial%5 == 0 {
					v = signrp.BoundaryVector(rng, p, trial+1)
				}
				f := must.Be(r.PairsBetween(ctx, u, v))
				single := privacy.New(f)
				for _, at := range []float64{0.1, 1} {
					if got, want := fmt.Sprint(deltaOf(t, single, evidencetest.Epsilon(at))), fmt.Sprint(deltaOf(t, r.Pair(u, v), evidencetest.Epsilon(at))); got != want {
						t.Errorf("%s, one use: δ(%g) = %s, want %s", r.Name(), at, got, want)
					}
				}
				f.Profile = nil
				a, b := slowLaw(t, r, u), slowLaw(t, r, v)
				for uses := 1; uses <= 2; uses++ {
					account := composedOf(t, []int{uses}, f)
					x, y := slices.Repeat(a, uses), slices.Repeat(b, uses)
					wantEps, _ := bruteForce(x, y, 1)
					got, err := account.Epsilon(ctx, evidence.Delta{})
					if err != nil || !agrees(got, wantEps, 1e-9*(1+wantEps)) {
						t.Errorf("%s, %s W, %d uses: smallest ε %v, all patterns %v (%v)", r.Name(), w.Kind(), uses, got, wantEps, err)
					}
					for _, at := range []evidence.Epsilon{{}, evidencetest.Epsilon(0.7), evidencetest.LogEpsilon(2, 1)} {
						_, want := bruteForce(x, y, at.Value())
						got := deltaOf(t, account, at)
						tolerance := 1e-10
						if strings.HasSuffix(r.Name(), "-G") {
							tolerance = 1e-3
						}
						if !agrees(got, want, tolerance) {
							t.Errorf("%s, %s W, k = %d, %d uses, u = %v, v = %v: δ(%v) = %v, all patterns %v", r.Name(), w.Kind(), k, uses, u, v, at, got, want)
						}
						if got.Kind() == evidence.KindExact && at.Value() != 0.7 {
							exact++
						}
					}
				}
			}
		}
	}
	if exact < 10 {
		t.Errorf("only %d exact answers", exact)
	}
}

// The pairs of releases of numbers are normal laws. Releases at one pair of vectors share its universe.
func TestPairsOfNumbers(t *testing.T) {
	ctx := context.Background()
	w := must.Be(signrp.NewProjection(signrp.Gaussian, 3, 4, signrp.ProjectionOptions{Seed: 2}))
	r := must.Be(signrp.NewRP(ctx, w, evidencetest.Epsilon(1), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: 1}))
	signs := must.Be(signrp.NewSignRP(ctx, w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}))
	u, v := []float64{0.5, 0.1, 0}, []float64{-0.5, 0.1, 0}
	pairs := func(r *signrp.Release, u, v []float64) *privacy.DominatingPairs {
		return must.Be(r.PairsBetween(ctx, u, v))
	}
	numbers := pairs(r, u, v)
	mu := must.Be(composedOf(t, []int{1}, numbers).GDP(ctx))
	four, err := composedOf(t, []int{4}, numbers).GDP(ctx)
	if err != nil || !agrees(four, 2*mu.Float(), 1e-9) {
		t.Errorf("μ of four uses is %v, want twice %v (%v)", four, mu, err)
	}
	if got, want := fmt.Sprint(deltaOf(t, privacy.New(numbers), evidencetest.Epsilon(1))), fmt.Sprint(deltaOf(t, r.Pair(u, v), evidencetest.Epsilon(1))); got != want {
		t.Errorf("one use: δ(1) = %s, want %s", got, want)
	}
	if d := deltaOf(t, composedOf(t, []int{3}, pairs(r, u, u)), evidence.Epsilon{}); d.Float() != 0 {
		t.Errorf("δ(0) = %v between equal vectors", d)
	}
	if a := composedOf(t, []int{1, 2}, numbers, pairs(signs, u, v)); a.IsBound() {
		t.Error("releases of the same vectors do not share pairs")
	}
	if a := composedOf(t, []int{1, 2}, numbers, pairs(signs, v, u)); !a.IsBound() {
		t.Error("releases of different vectors share pairs")
	}
	worst, err := composedOf(t, []int{2}, pairs(signs, u, v)).Worst(ctx, nil)
	if x, ok := worst.X.([]float64); err != nil || !ok || !slices.Equal(x, u) && !slices.Equal(x, v) {
		t.Errorf("the worst ε of the pair is %v (%v)", worst, err)
	}
	if _, err := signs.PairsBetween(ctx, u, v[:2]); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a short vector: %v", err)
	}
}

// The threat models with many pairs have the dominating pairs of their theorems. For randomized response one pair
// dominates, and k uses compose like flips. For the neighbors of a vector only an upper bound is known, and it is
// marked as a bound.
func TestPairsOfThreatModels(t *testing.T) {
	ctx := t.Context()
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 6, 3, signrp.ProjectionOptions{Seed: 1}))
	ln8 := must.Be(evidence.LogEpsilon("eps", big.NewRat(8, 1)))
	rr := must.Be(signrp.NewSignRP(ctx, w, ln8, signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}))
	f, err := rr.Pairs(ctx)
	if err != nil || f.Bound {
		t.Fatalf("pairs %+v, error %v, want exact pairs", f, err)
	}
	f.Profile = nil
	// Three signs cost ln 2 each. At e^ε = 2, δ is the sum over j of C(3, j)(2^{3−j} − 2·2^j)⁺/27.
	ln2 := must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1)))
	d, err := privacy.New(f).Delta(ctx, ln2)
	if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.Cmp(big.NewRat(8-2, 27)) != 0 {
		t.Errorf("δ(ln 2) = %v, %v, want 6/27", d, err)
	}
	bound, err := rr.NeighborPairs(ctx, make([]float64, 6))
	if err != nil || !bound.Bound {
		t.Fatalf("pairs of the neighbors of a vector: %+v, error %v, want a bound", bound, err)
	}
	two := must.Be(privacy.Compose(ctx, []*privacy.Account{privacy.New(bound)}, []int{2}))
	one := must.Be(rr.Neighbors(make([]float64, 6)).Epsilon(ctx, evidence.Delta{}))
	both, err := two.Epsilon(ctx, evidence.Delta{})
	_, most := both.Bounds()
	if _, hi := one.Bounds(); err != nil || math.Abs(most-2*hi) > 1e-12 {
		t.Errorf("two uses: %v, %v, want at most %g", both, err, 2*hi)
	}
}

// Pairs have the same scope only if both vectors are equal, in the same order.
func TestScopesOfPairs(t *testing.T) {
	scope := func(u, v []float64) privacy.Universe {
		r := must.Be(signrp.NewRaw(len(u), evidencetest.Epsilon(1), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: 1}))
		return must.Be(r.PairsBetween(t.Context(), u, v)).Universe
	}
	a, b, c, d := []float64{1, 0}, []float64{0.5, 0}, []float64{1, 0, 0}, []float64{0.5, 0, 0}
	one := scope(a, b)
	for _, s := range []privacy.Universe{scope(b, a), scope(a, a), scope(b, b), scope(c, d), privacy.Unique(t), nil} {
		if one.Same(s) || s != nil && s.Same(one) {
			t.Errorf("scope %v is taken for scope %v", s, one)
		}
	}
	if !one.Same(scope([]float64{1, 0}, []float64{0.5, 0})) {
		t.Error("a scope differs from its copy")
	}
}
