package check_test

import (
	"errors"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// Try returns the error passed to Must. Other panics pass through.
func TestMust(t *testing.T) {
	if v := check.Must(3, nil); v != 3 {
		t.Errorf("%v, want 3", v)
	}
	if err := check.Try(func() { check.BudgetOf(-1) }); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a budget of −1: %v", err)
	}
	defer func() {
		if recover() != "other" {
			t.Error("another panic was recovered")
		}
	}()
	t.Error(check.Try(func() { panic("other") }))
}

// AtMost returns true if all numbers of the interval are at most the bound, and false if all exceed it.
// Otherwise it ends the check with an error.
func TestAtMost(t *testing.T) {
	for _, c := range []struct {
		lo, hi   float64
		is, open bool
	}{{-2, -1, true, false}, {-1, 0, true, false}, {0, 0, true, false}, {-1, 1, false, true}, {0, 1, false, true}, {1, 2, false, false}} {
		var is bool
		if err := check.Try(func() { is = check.AtMost(c.lo, c.hi, 0) }); is != c.is || (err != nil) != c.open {
			t.Errorf("AtMost of [%v, %v] and 0: %v, %v", c.lo, c.hi, is, err)
		}
	}
}
