package audit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
)

func ExamplePlan_Draws() {
	eps, _ := evidence.NewEpsilon("eps", 1)
	plan := audit.Plan{P: 0.75, Q: 0.25, Claim: audit.Claim{Epsilon: eps}, Power: 0.9, Tests: 2}
	n, err := plan.Draws(context.Background())
	fmt.Println(n > 10_000 && n < 50_000, err)
	// Output: true <nil>
}

func TestPlanErrors(t *testing.T) {
	for _, c := range []struct {
		p    audit.Plan
		want string
	}{
		{audit.Plan{P: 0.5, Q: 0.25, Power: 0.9}, "eps = 0, want a positive finite number"},
		{audit.Plan{P: 0.5, Q: 0.25, Claim: floatClaim(1, "0"), Power: 0.9}, "p = 0.5 and q = 0.25 do not violate the claim"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "1/4"), Power: 0.9}, "p = 0.75 and q = 0.25 do not violate the claim"},
		{audit.Plan{P: 0.25, Q: 0.1, Claim: floatClaim(1, "1/4"), Power: 0.9}, "p = 0.25 and q = 0.1 do not violate the claim"},
		{audit.Plan{P: 0.25, Q: 0, Claim: floatClaim(1, "1/4"), Power: 0.9}, "p = 0.25 and q = 0 do not violate the claim"},
		{audit.Plan{P: 0.2, Q: 0, Claim: floatClaim(1, "1/4"), Power: 0.9}, "p = 0.2 and q = 0 do not violate the claim"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "0"), Power: 1}, "power = 1"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "0"), Power: 0}, "power = 0"},
		{audit.Plan{P: math.NaN(), Q: 0.25, Claim: floatClaim(1, "0"), Power: 0.9}, "p = NaN, want 0 < p <= 1"},
		{audit.Plan{P: 0, Q: 0, Claim: floatClaim(1, "0"), Power: 0.9}, "p = 0, want 0 < p <= 1"},
		{audit.Plan{P: math.Nextafter(1, 2), Q: 0, Claim: floatClaim(1, "0"), Power: 0.9}, "p = 1.0000000000000002, want 0 < p <= 1"},
		{audit.Plan{P: 0.75, Q: -1, Claim: floatClaim(1, "0"), Power: 0.9}, "q = -1"},
		{audit.Plan{P: 0.75, Q: 1.5, Claim: floatClaim(1, "0"), Power: 0.9}, "q = 1.5"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(math.Log(3)-1e-9, "0"), Power: 0.9}, "p = 0.75 and q = 0.25 are too close to the claim"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "0"), Power: 0.9, Confidence: 2}, "confidence = 2"},
		{audit.Plan{P: 0.75, Q: 0.25, Claim: floatClaim(1, "0"), Power: 0.9, Tests: -1}, "tests = -1, want at least 1"},
	} {
		if n, err := c.p.Draws(context.Background()); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) || n != 0 {
			t.Errorf("%+v: %d, %v, want %q", c.p, n, err, c.want)
		}
	}
	if n, err := (audit.Plan{P: 0.01, Q: 0, Claim: floatClaim(1, "0"), Power: 0.9}).Draws(context.Background()); err != nil || n > 20000 {
		t.Errorf("an event with probability 0 at the neighbor: %d, %v", n, err)
	}
}
