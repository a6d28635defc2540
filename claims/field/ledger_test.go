package field_test

import (
	"math"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/claims/field"
	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
)

// panels check the claims that have a number but no statement to decide: they compare the number with the value that
// mpmath computed with 40 digits.
var panels = map[string]checktest.Panel{
	"field.dpaccounting.pessimistic": {Each: 1, Family: []string{"100,000 uses"}, NonVacuous: 1, Check: func(t *testing.T, _ string, items []check.Item) bool {
		lo, hi := items[0].Number.Bounds()
		if want := pessimisticDelta; !(lo <= want*(1+1e-9) && hi >= want*(1-1e-9)) || lo <= 0 || math.IsNaN(hi) {
			t.Errorf("δ in [%g, %g], want %g", lo, hi, want)
		}
		return items[0].Number.Kind() == evidence.KindCertified
	}},
}

func TestLedger(t *testing.T) {
	checktest.Ledger{Claims: field.Claims(), Sizes: sizes, Panels: panels}.Run(t)
}

func TestInterrupted(t *testing.T) {
	checktest.Ledger{Claims: field.Claims(), Panels: panels}.Interrupted(t, ctxtest.CancelAfter)
}
