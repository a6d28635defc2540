package privacy_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

var errBroken = errors.New("the pair cannot be had")

// broken returns a family whose screens are known but whose pairs return an error. It stands for families that compute
// a pair only if it may be the worst.
func broken(pmfs []table) *privacy.DominatingPairs {
	return &privacy.DominatingPairs{
		Name: "broken", Source: "test", Size: len(pmfs), Relation: query.Any,
		Screen: func(i int) *privacy.Screen { return privacy.NewScreen(pmfs[i].p, pmfs[i].q) },
		Pair:   func(context.Context, int) (privacy.Pair, error) { return nil, errBroken },
	}
}

// If a pair cannot be computed, the answer to every question is its error, whether losses are finite or not.
func TestPairErrorsAreReturned(t *testing.T) {
	finite := []table{{normalized([]int{1, 2, 3}), normalized([]int{3, 2, 1})}, {normalized([]int{1, 5}), normalized([]int{3, 3})}}
	unboundedAbove := []table{{normalized([]int{1, 2, 3}), normalized([]int{0, 2, 1})}}
	for name, pmfs := range map[string][]table{"finite": finite, "infinite": unboundedAbove} {
		for question, do := range questions(t) {
			if err := do(t.Context(), compose(t, []int{2}, broken(pmfs))); !errors.Is(err, errBroken) && (name != "infinite" || question != "adaptive") { // the infinite loss alone decides this answer
				t.Errorf("%s losses, %s: %v", name, question, err)
			}
			steps := broken(pmfs)
			steps.Relation = query.AddRemove
			for what, a := range map[string]*privacy.Account{"two steps": must.For(privacy.New(steps).Under(query.Replace))(t), "beside a claim": compose(t, []int{1, 1}, broken(pmfs), claimedPairs(t))} {
				if err := do(t.Context(), a); !errors.Is(err, errBroken) && name == "finite" && question != "ε" && question != "adaptive" {
					t.Errorf("%s, %s: %v", what, question, err)
				}
			}
			below := family(t, "s", finite, true) // the lower bound of this family fails
			below.LowerBound = broken(finite)
			if err := do(t.Context(), privacy.New(below)); name == "finite" && question != "adaptive" && !errors.Is(err, errBroken) {
				t.Errorf("%s of a lower bound: %v", question, err)
			}
		}
		apart := []*privacy.Account{privacy.New(family(t, "s", finite, false)), privacy.New(broken(pmfs))}
		if a, err := privacy.Compose(t.Context(), apart, []int{1, 1}); name == "finite" && (a != nil || !errors.Is(err, errBroken)) {
			t.Errorf("%s losses, of two universes: %v, %v", name, a, err)
		}
		for _, kind := range []privacy.Sampling{privacy.Poisson, privacy.WithoutReplacement} {
			if a, err := privacy.Subsample(t.Context(), privacy.New(broken(pmfs)), big.NewRat(1, 3), kind); a != nil || !errors.Is(err, errBroken) {
				t.Errorf("%s losses, sampled %v: %v", name, kind, err)
			}
		}
	}
}

// Errors of a profile reach the caller, and an ε or δ that cannot be represented is rejected.
func TestProfileErrorsAreReturned(t *testing.T) {
	failing := privacy.ProfileFunc{Source: "test", Pure: func(context.Context) (evidence.Number, error) { return nil, errBroken }}
	for _, delta := range []float64{0, 0.5} {
		if n, err := failing.Epsilon(t.Context(), evidencetest.Delta(delta)); n != nil || !errors.Is(err, errBroken) {
			t.Errorf("ε at δ = %g: %v, %v", delta, n, err)
		}
	}
	known := failing
	known.At = func(context.Context, evidence.Epsilon) (evidence.Number, error) {
		return evidence.Enclosed(interval.Float(0.25), "known", "test"), nil
	}
	if n, err := known.Epsilon(t.Context(), evidencetest.Delta(0.1)); n != nil || !errors.Is(err, errBroken) {
		t.Errorf("ε of a curve whose δ is known: %v, %v", n, err)
	}
	if p, err := privacy.PureDP("broken", failing).Pair(t.Context(), 0); p != nil || !errors.Is(err, errBroken) {
		t.Errorf("a bound: %v, %v", p, err)
	}
	near := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300)))
	tiny := privacy.ProfileFunc{Source: "test", Pure: func(context.Context) (evidence.Number, error) {
		return evidence.ExactLog{Argument: near, Provenance: evidence.From("test")}, nil
	}}
	if p, err := privacy.PureDP("tiny", tiny).Pair(t.Context(), 0); p != nil || !isParameter(err) {
		t.Errorf("ε = ln(1 + 2^-300): %v, %v", p, err)
	}
	for _, c := range []struct{ mu, delta float64 }{{1, 1e-308}, {1e160, 0.5}} {
		if n, err := privacy.New(privacy.NormalPairs("normal", "test", interval.Float(c.mu))).Epsilon(t.Context(), evidencetest.Delta(c.delta)); n != nil || !isParameter(err) {
			t.Errorf("ε of μ = %g at δ = %g: %v, %v", c.mu, c.delta, n, err)
		}
		for _, kind := range []privacy.Sampling{privacy.Poisson, privacy.WithoutReplacement} {
			drawn := must.For(privacy.Subsample(t.Context(), privacy.New(privacy.NormalPairs("normal", "test", interval.Float(c.mu))), big.NewRat(3, 4), kind))(t)
			if n, err := drawn.Epsilon(t.Context(), evidencetest.Delta(c.delta)); n != nil || !isParameter(err) {
				t.Errorf("ε of μ = %g, sampled %s, at δ = %g: %v, %v", c.mu, kind, c.delta, n, err)
			}
		}
	}
}

// Subsampling a pair with upper and lower bounds stops at whichever poll its context ends.
func TestSubsampleStopsAtEveryPoll(t *testing.T) {
	few := []table{{normalized([]int{1, 2, 3}), normalized([]int{3, 2, 1})}, {normalized([]int{2, 2, 3}), normalized([]int{3, 2, 1})}}
	f := family(t, "s", few, true) // with hidden masses, the dominating pair has upper and lower bounds
	f.Relation = query.AddRemove
	for n := 0; ; n++ {
		a := must.For(compose(t, []int{1}, f).Adaptive(t.Context()))(t)
		sub, err := privacy.Subsample(ctxtest.CancelAfter(t.Context(), n), a, big.NewRat(1, 3), privacy.Poisson)
		if err == nil {
			if n < 2 {
				t.Errorf("the context was polled only %d times", n)
			}
			return
		}
		if sub != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d polls: %v, %v", n, sub, err)
		}
	}
}
