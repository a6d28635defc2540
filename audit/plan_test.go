package audit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

func ExamplePlan_Draws() {
	eps, _ := evidence.NewEpsilon("eps", 1)
	plan := audit.Plan{P: 0.75, Q: 0.25, Claim: audit.Claim{Epsilon: eps}, Power: 0.9, Tests: 2}
	n, err := plan.Draws(context.Background())
	fmt.Println(n > 10_000 && n < 50_000, err)
	// Output: true <nil>
}

// The planned number of draws refutes as often as planned, and half of it less
// often: 150 audits of power 0.9 refute fewer than 118 with probability 5e-5.
func TestPlannedPower(t *testing.T) {
	const runs = 150
	for name, tests := range map[string]int{"split": 0, "fixed": 4} {
		eps, claim := 1.3, floatClaim(1, "0")
		p := math.Exp(eps) / (1 + math.Exp(eps))
		n, err := audit.Plan{P: p, Q: 1 - p, Claim: claim, Power: 0.9, Tests: tests}.Draws(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		how := audit.Sampling{}
		if tests > 0 {
			how.Events = [][]string{{"0"}, {"1"}}
		}
		frequency := func(n int64) (refuted int) {
			for i := range runs {
				s := response(eps).samples(t, []int{0, 1}, int(n), rand.New(rand.NewPCG(21, uint64(i))))
				if must.Be(s.Audit(context.Background(), nil, claim, how, rand.NewPCG(22, uint64(i)))).Verdict == evidence.Refuted {
					refuted++
				}
			}
			return refuted
		}
		if got := frequency(n); got < 118 {
			t.Errorf("%s: %d of %d audits of %d draws refute, want 90%%", name, got, runs, n)
		}
		if got := frequency(n / 3); got > 118 {
			t.Errorf("%s: %d of %d audits of %d draws refute: the plan asks for far too many", name, got, runs, n/3)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	for _, c := range []struct {
		p    audit.Plan
		want string
	}{
		{audit.Plan{P: 0.5, Q: 0.25, Claim: floatClaim(1, "0"), Power: 0.9}, "p = 0.5 and q = 0.25 show no more than the claim"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "1/4"), Power: 0.9}, "p = 0.75 and q = 0.25 show no more than the claim"},
		{audit.Plan{P: 0.25, Q: 0.1, Claim: floatClaim(1, "1/4"), Power: 0.9}, "p = 0.25 and q = 0.1 show no more than the claim"},
		{audit.Plan{P: 0.25, Q: 0, Claim: floatClaim(1, "1/4"), Power: 0.9}, "p = 0.25 and q = 0 show no more than the claim"},
		{audit.Plan{P: 0.2, Q: 0, Claim: floatClaim(1, "1/4"), Power: 0.9}, "p = 0.2 and q = 0 show no more than the claim"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "0"), Power: 1}, "power = 1"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "0"), Power: 0}, "power = 0"},
		{audit.Plan{P: math.NaN(), Q: 0.25, Claim: floatClaim(1, "0"), Power: 0.9}, "p = NaN, want 0 < p <= 1"},
		{audit.Plan{P: 0, Q: 0, Claim: floatClaim(1, "0"), Power: 0.9}, "p = 0, want 0 < p <= 1"},
		{audit.Plan{P: math.Nextafter(1, 2), Q: 0, Claim: floatClaim(1, "0"), Power: 0.9}, "p = 1.0000000000000002, want 0 < p <= 1"},
		{audit.Plan{P: 0.75, Q: -1, Claim: floatClaim(1, "0"), Power: 0.9}, "q = -1"},
		{audit.Plan{P: 0.75, Q: 1.5, Claim: floatClaim(1, "0"), Power: 0.9}, "q = 1.5"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(math.Log(3)-1e-9, "0"), Power: 0.9}, "p = 0.75 and q = 0.25 are too near the claim"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "0"), Power: 0.9, Confidence: 2}, "confidence = 2"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "0"), Power: 0.9, Tests: -1}, "tests = -1, want at least 1"},
	} {
		if n, err := c.p.Draws(context.Background()); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) || n != 0 {
			t.Errorf("%+v: %d, %v, want %q", c.p, n, err, c.want)
		}
	}
	if n, err := (audit.Plan{P: 0.01, Q: 0, Claim: floatClaim(1, "0"), Power: 0.9}).Draws(context.Background()); err != nil || n > 20000 {
		t.Errorf("an event that the neighbor lacks: %d, %v", n, err)
	}
}
