package signrp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// The example of Appendix A: iDP-SignRP-RR at k = 1, p = 2, W = (1, 1), β = 1. The sign of u = (0.6, 0.5) never flips,
// while the sign of u' = (−0.4, 0.5) can.
func ExampleRelease_Pair() {
	one, _ := evidence.NewEpsilon("eps", 1)
	w := projectionWith([][]float64{{1}, {1}})
	r, _ := signrp.NewIndividual(w, one, signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1})
	e, _ := r.Pair([]float64{0.6, 0.5}, []float64{-0.4, 0.5}).Epsilon(context.Background(), evidence.Delta{})
	fmt.Println(r.ClaimedEpsilon().Value, e.Float())
	fmt.Println(r.Label())
	// Output:
	// 1 +Inf
	// individual, data-dependent: not differential privacy
}

// The smallest ε and δ(ε) of every release of signs agree with all sign patterns, for k ≤ 8 and pairs that need not be
// neighbors.
func TestPairAgainstAllPatterns(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for trial := range cases.Of(12, 40) {
		p, k := 1+rng.IntN(6), 1+rng.IntN(8)
		e := evidencetest.Epsilon([]float64{0.3, 1, 4}[trial%3])
		if trial%4 == 0 {
			e = evidencetest.LogEpsilon(3, 1).Times(int64(k))
		}
		beta := []float64{1, 0.5, 0.3}[rng.IntN(3)]
		for _, w := range signrp.AllKinds(t, p, k, uint64(trial)) {
			for _, r := range signrp.EveryRelease(t, w, e, beta) {
				u := signrp.BoundaryVector(rng, p, trial)
				v := append([]float64(nil), u...)
				i := rng.IntN(p)
				v[i] = math.Max(-1, math.Min(1, u[i]+[]float64{beta, -beta}[rng.IntN(2)]))
				if trial%5 == 0 {
					v = signrp.BoundaryVector(rng, p, trial+1)
				}
				a, b := slowLaw(t, r, u), slowLaw(t, r, v)
				at := []float64{0.1, 0.7, 2}[rng.IntN(3)]
				wantEps, wantDelta := bruteForce(a, b, at)
				got := signrp.SmallestOf(t, r, u, v)
				if !agrees(got, wantEps, 1e-9*(1+wantEps)) {
					t.Errorf("%s, %s W, k = %d, u = %v, v = %v: smallest ε %v, all patterns %v", r.Name(), w.Kind(), k, u, v, got, wantEps)
				}
				delta := deltaOf(t, r.Pair(u, v), evidencetest.Epsilon(at))
				if !agrees(delta, wantDelta, 1e-10) {
					t.Errorf("%s, %s W, k = %d, u = %v, v = %v: δ(%g) = %v, all patterns %v", r.Name(), w.Kind(), k, u, v, at, delta, wantDelta)
				}
				if plainFlips(r) && got.Kind() != evidence.KindExact {
					t.Errorf("%s: the kind of the smallest ε is %s, want exact", r.Name(), got.Kind())
				}
				if r.Individual() && (!strings.Contains(got.Origin(), signrp.IndividualLabel) || !strings.Contains(delta.Origin(), signrp.IndividualLabel) || !strings.Contains(r.ClaimedEpsilon().Origin(), signrp.IndividualLabel)) {
					t.Errorf("%s: the origin lacks its label: %q", r.Name(), got.Origin())
				}
			}
		}
	}
}

// δ is rational if e^ε' and e^ε are. All three signs of u and v differ. At Pr[keep] = 2/3 the eight patterns have
// weights 8, 3·4, 3·2 and 1 out of 27 under one law, and the reverse under the other. So δ(ln 3/2) = (8 + 12)/27 −
// 3/2·(1 + 6)/27 = 19/54.
func TestExactDelta(t *testing.T) {
	w := projectionWith([][]float64{{1, 1, -1}, {-1, 1, 1}})
	r := must.Be(signrp.NewSignRP(context.Background(), w, evidencetest.LogEpsilon(2, 1).Times(3), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}))
	u, v := []float64{0.5, 0.25}, []float64{-0.5, 0.25}
	d := deltaOf(t, r.Pair(u, v), evidencetest.LogEpsilon(3, 2))
	if got, ok := d.(evidence.Exact); !ok || got.Value.Cmp(big.NewRat(19, 54)) != 0 {
		t.Errorf("δ = %v, want 19/54", d)
	}
	e := signrp.SmallestOf(t, r, u, v)
	if got, ok := e.(evidence.ExactLog); !ok || got.Argument.Cmp(big.NewRat(8, 1)) != 0 {
		t.Errorf("smallest ε = %v, want ln 8", e)
	}
}
