package audit_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// The privacy of a table agrees with an audit at every claim. Its functions satisfy δ(ε(δ)) = δ, and δ(0) is the
// total variation distance.
func TestPrivacyAgreesWithAudit(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := range 30 {
		table := new(audit.Table)
		laws := [2][]*big.Rat{}
		for x, name := range []string{"x", "y"} {
			weights, total := make([]int64, 4), int64(0)
			for i := range weights {
				weights[i] = 1 + rng.Int64N(9)
				total += weights[i]
			}
			for i, w := range weights {
				p := big.NewRat(w, total)
				laws[x] = append(laws[x], p)
				add := table.Add
				if trial%3 == 0 {
					add = table.AddRounded
				}
				if err := add(name, string(rune('a'+i)), p); err != nil {
					t.Fatal(err)
				}
			}
		}
		curve := table.Privacy([]audit.Pair{{"x", "y"}})
		eps := must.Be(evidence.LogEpsilon("eps", big.NewRat(11+rng.Int64N(20), 10)))
		delta := float64(rng.IntN(8)) / 32
		r := must.Be(table.Audit(ctx, nil, audit.Claim{Epsilon: eps, Delta: evidencetest.Delta(delta)}))
		d, err := curve.Delta(ctx, eps)
		if err != nil || d.String() != r.Delta.String() {
			t.Errorf("δ(%v) = %v, %v, audit %v", eps, d, err, r.Delta)
		}
		e, err := curve.Epsilon(ctx, evidencetest.Delta(delta))
		if err != nil || e.String() != r.Epsilon.String() {
			t.Errorf("ε(%v) = %v, %v, audit %v", delta, e, err, r.Epsilon)
		}
		if log, ok := e.(evidence.ExactLog); ok && log.Argument.Cmp(rat("1")) > 0 {
			at := must.Be(evidence.LogEpsilon("eps", log.Argument))
			back, err := curve.Delta(ctx, at)
			if got, ok := back.(evidence.Exact); err != nil || !ok || got.Value.Cmp(new(big.Rat).SetFloat64(delta)) != 0 {
				t.Errorf("δ(ε(%v)) = %v, %v", delta, back, err)
			}
		}
		distance := new(big.Rat)
		for i, p := range laws[0] {
			if gap := new(big.Rat).Sub(p, laws[1][i]); gap.Sign() > 0 {
				distance.Add(distance, gap)
			}
		}
		zero, err := curve.Delta(ctx, evidence.Epsilon{})
		lo, hi := zero.Bounds()
		if want, _ := distance.Float64(); err != nil || want < lo*(1-1e-15) || want > hi*(1+1e-15) {
			t.Errorf("δ(0) = %v, %v, total variation %v", zero, err, distance)
		}
	}
}

func TestPrivacyErrors(t *testing.T) {
	ctx := context.Background()
	table := new(audit.Table)
	if _, err := table.Privacy(nil).Epsilon(ctx, evidence.Delta{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("empty table: %v", err)
	}
	for _, name := range []string{"x", "y"} {
		if err := table.Add(name, "a", big.NewRat(1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := table.Privacy([]audit.Pair{{"x", "z"}}).Delta(ctx, evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("unknown dataset: %v", err)
	}
	if _, err := table.Audit(ctx, nil, audit.Claim{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a claim of ε = 0: %v", err)
	}
}
