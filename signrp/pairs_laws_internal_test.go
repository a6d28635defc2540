package signrp

import (
	"testing"

	"dpworkbench/privacy"
)

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
