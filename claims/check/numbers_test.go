package check_test

import (
	"testing"

	"dpworkbench/claims/check"
)

// What is refused of a claim's own instance panics, and what is not is returned.
func TestMust(t *testing.T) {
	if v := check.Must(3, nil); v != 3 {
		t.Errorf("%v, want 3", v)
	}
	defer func() {
		if recover() == nil {
			t.Error("a budget of −1")
		}
	}()
	check.BudgetOf(-1)
}
