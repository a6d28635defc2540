package signrp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/privacy"
)

// composedOf composes the given numbers of uses of releases at one pair of vectors.
func composedOf(t testing.TB, times []int, of ...*privacy.DominatingPairs) *privacy.Account {
	t.Helper()
	var parts []*privacy.Account
	for _, f := range of {
		parts = append(parts, privacy.New(f))
	}
	a := must(privacy.Compose(context.Background(), parts, times))
	return a
}

// The composition of every release of signs agrees with all patterns of its repeated bits. A single use gives exactly
// the numbers of Pair.
func TestPairsAgainstAllPatterns(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(23, 8))
	exact := 0
	for trial := range 3 {
		p, k := 2+rng.IntN(4), 1+rng.IntN(4)
		e := eps(t, []float64{0.3, 1, 4}[trial%3])
		if trial%4 == 0 {
			e = lnEps(t, 3, 1).Times(int64(k))
		}
		beta := []float64{1, 0.5, 0.3}[rng.IntN(3)]
		for n, w := range allKinds(t, p, k, uint64(trial)) {
			for m, r := range everyRelease(t, w, e, beta) {
				if !cases.Every(2, trial+n+m) {
					continue
				}
				u := boundaryVector(rng, p, trial)
				v := slices.Clone(u)
				i := rng.IntN(p)
				v[i] = math.Max(-1, math.Min(1, u[i]+[]float64{beta, -beta}[rng.IntN(2)]))
				if trial%5 == 0 {
					v = boundaryVector(rng, p, trial+1)
				}
				f := must(r.PairsBetween(ctx, u, v))
				single := privacy.New(f)
				for _, at := range []float64{0.1, 1} {
					if got, want := fmt.Sprint(deltaOf(t, single, eps(t, at))), fmt.Sprint(deltaOf(t, r.Pair(u, v), eps(t, at))); got != want {
						t.Errorf("%s, one use: δ(%g) = %s, want %s", r.name, at, got, want)
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
						t.Errorf("%s, %s W, %d uses: smallest ε %v, all patterns %v (%v)", r.name, w.kind, uses, got, wantEps, err)
					}
					for _, at := range []evidence.Epsilon{{}, eps(t, 0.7), lnEps(t, 2, 1)} {
						_, want := bruteForce(x, y, at.Value())
						got := deltaOf(t, account, at)
						tolerance := 1e-10
						if !r.exactBits() {
							tolerance = 1e-3
						}
						if !agrees(got, want, tolerance) {
							t.Errorf("%s, %s W, k = %d, %d uses, u = %v, v = %v: δ(%v) = %v, all patterns %v", r.name, w.kind, k, uses, u, v, at, got, want)
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

// exactBits reports whether bits are randomized responses.
func (r *Release) exactBits() bool { return r.rule != noisySigns && r.rule != individualNormal }

// Numbers are normal laws, and releases of one pair of vectors share it.
func TestPairsOfNumbers(t *testing.T) {
	ctx := context.Background()
	w := must(NewProjection(Gaussian, 3, 4, ProjectionOptions{Seed: 2}))
	r := must(NewRP(ctx, w, eps(t, 1), evidencetest.Delta(1e-3), RPOptions{Beta: 1}))
	signs := must(NewSignRP(ctx, w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 1}))
	u, v := []float64{0.5, 0.1, 0}, []float64{-0.5, 0.1, 0}
	pairs := func(r *Release, u, v []float64) *privacy.DominatingPairs {
		f := must(r.PairsBetween(ctx, u, v))
		return f
	}
	numbers := pairs(r, u, v)
	mu := must(composedOf(t, []int{1}, numbers).GDP(ctx))
	four, err := composedOf(t, []int{4}, numbers).GDP(ctx)
	if err != nil || !agrees(four, 2*mu.Float(), 1e-9) {
		t.Errorf("μ of four uses is %v, want twice %v (%v)", four, mu, err)
	}
	if got, want := fmt.Sprint(deltaOf(t, privacy.New(numbers), eps(t, 1))), fmt.Sprint(deltaOf(t, r.Pair(u, v), eps(t, 1))); got != want {
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

// With levels, δ(ε) agrees with a convolution over the sum of level differences of the + bits, in float64 without
// truncation. The numbers of bits are small and large.
func TestDeltaOfLevels(t *testing.T) {
	ctx := context.Background()
	for _, k := range []int{3, 12, 96, 600} {
		const slope = 0.01
		a, b := &law{eps: eps(t, slope)}, &law{eps: eps(t, slope)}
		for j := range k {
			a.level, b.level = append(a.level, 1+j%3), append(b.level, -1-j%2)
		}
		chance := func(level int) float64 { return 1 / (1 + math.Exp(-slope*float64(level))) }
		// The sum of level differences over the + bits determines the loss.
		p, q, shift := []float64{1}, []float64{1}, 0.0
		for j := range k {
			plus, under, step := chance(a.level[j]), chance(b.level[j]), a.level[j]-b.level[j]
			longer := func(p []float64, plus float64) []float64 {
				next := make([]float64, len(p)+step)
				for n, v := range p {
					next[n] += v * (1 - plus)
					next[n+step] += v * plus
				}
				return next
			}
			p, q = longer(p, plus), longer(q, under)
			shift += math.Log((1 - plus) / (1 - under))
		}
		for _, e := range []float64{0.05, 0.5, 1} {
			var sums [2]float64
			for n := range p {
				loss := shift + slope*float64(n)
				sums[0] += p[n] * math.Max(0, -math.Expm1(e-loss))
				sums[1] += q[n] * math.Max(0, -math.Expm1(e+loss))
			}
			want := math.Max(sums[0], sums[1])
			got := must(newSides(a, b, nil).delta(ctx, eps(t, e), ""))
			lo, hi := got.Bounds()
			if lo > want*(1+1e-10)+1e-15 || hi < want*(1-1e-10)-1e-15 || hi-lo > 1e-15+1e-12*hi {
				t.Errorf("k = %d: δ(%g) in [%v, %v], want %v", k, e, lo, hi, want)
			}
		}
	}
}

// With two privacy parameters, and with Gaussian noise, δ agrees with the sum over all patterns of a few bits.
func TestDeltaOfPatterns(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(10, 10))
	for _, k := range []int{1, 2, 5, 10} {
		two := [2]*law{{eps: eps(t, 0.4)}, {eps: eps(t, 0.7)}}
		normal := [2]*law{{normal: true, sigma: 1}, {normal: true, sigma: 1}}
		for range k {
			for i := range two {
				two[i].level = append(two[i].level, 1-2*rng.IntN(2))
				normal[i].level, normal[i].z, normal[i].slack = append(normal[i].level, 1), append(normal[i].z, 2*rng.NormFloat64()), append(normal[i].slack, 0)
			}
		}
		for name, l := range map[string][2]*law{"two ε'": two, "normal signs": normal} {
			chance := func(i, j int) float64 {
				if l[i].normal {
					return math.Erfc(-l[i].z[j]/math.Sqrt2) / 2
				}
				return 1 / (1 + math.Exp(-l[i].eps.Value()*float64(l[i].level[j])))
			}
			for _, e := range []float64{0.01, 0.3, 1} {
				var sums [2]float64
				for pattern := range 1 << k {
					p, q := 1.0, 1.0
					for j := range k {
						x, y := chance(0, j), chance(1, j)
						if pattern>>j&1 == 0 {
							x, y = 1-x, 1-y
						}
						p, q = p*x, q*y
					}
					sums[0] += math.Max(0, p-math.Exp(e)*q)
					sums[1] += math.Max(0, q-math.Exp(e)*p)
				}
				want := math.Max(sums[0], sums[1])
				got := must(newSides(l[0], l[1], nil).delta(ctx, eps(t, e), ""))
				lo, hi := got.Bounds()
				if lo > want+1e-13 || hi < want-1e-13 || hi-lo > 1e-13 {
					t.Errorf("%s, k = %d: δ(%g) in [%v, %v], want %v", name, k, e, lo, hi, want)
				}
			}
		}
	}
}

// The threat models with many pairs have the dominating pairs of their theorems. For randomized response one pair
// dominates, and k uses compose like flips. The neighbors of a vector only have a bound, which is marked as one.
func TestPairsOfThreatModels(t *testing.T) {
	ctx := t.Context()
	w := must(NewProjection(Rademacher, 6, 3, ProjectionOptions{Seed: 1}))
	ln8 := must(evidence.LogEpsilon("eps", big.NewRat(8, 1)))
	rr := must(NewSignRP(ctx, w, ln8, SignOptions{Noise: RandomizedResponse, Beta: 1}))
	f, err := rr.Pairs(ctx)
	if err != nil || f.Bound {
		t.Fatalf("pairs %+v, error %v, want exact pairs", f, err)
	}
	f.Profile = nil
	// Three signs cost ln 2 each. At e^ε = 2, δ is the sum over j of C(3, j)(2^{3−j} − 2·2^j)⁺/27.
	ln2 := must(evidence.LogEpsilon("eps", big.NewRat(2, 1)))
	d, err := privacy.New(f).Delta(ctx, ln2)
	if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.Cmp(big.NewRat(8-2, 27)) != 0 {
		t.Errorf("δ(ln 2) = %v, %v, want 6/27", d, err)
	}
	bound, err := rr.NeighborPairs(ctx, make([]float64, 6))
	if err != nil || !bound.Bound {
		t.Fatalf("pairs of the neighbors of a vector: %+v, error %v, want a bound", bound, err)
	}
	two := must(privacy.Compose(ctx, []*privacy.Account{privacy.New(bound)}, []int{2}))
	one := must(rr.Neighbors(make([]float64, 6)).Epsilon(ctx, evidence.Delta{}))
	both, err := two.Epsilon(ctx, evidence.Delta{})
	_, most := both.Bounds()
	if _, hi := one.Bounds(); err != nil || math.Abs(most-2*hi) > 1e-12 {
		t.Errorf("two uses: %v, %v, want at most %g", both, err, 2*hi)
	}
}

// Pairs have the same scope only if both vectors are equal, in the same order.
func TestScopesOfPairs(t *testing.T) {
	a, b, c := []float64{1, 0}, []float64{0.5, 0}, []float64{1, 0, 0}
	one := vectors{a, b}
	for _, s := range []vectors{{b, a}, {a, a}, {b, b}, {c, b}, {a, c}, {a, nil}, {nil, b}} {
		if one.Same(s) || s.Same(one) {
			t.Errorf("scope %v is taken for scope %v", s, one)
		}
	}
	if !one.Same(vectors{[]float64{1, 0}, []float64{0.5, 0}}) || one.Same(privacy.Unique(t)) || one.Same(nil) || (vectors{}).Same(privacy.Unique(t)) {
		t.Error("a scope differs from its copy, or equals an unrelated scope")
	}
}
