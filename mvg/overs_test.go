package mvg

import (
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
)

// The smallest ε of Laplace noise is s/b, of numbers above 0 alone.
func TestLaplacePrivacyOfWhat(t *testing.T) {
	if v, err := LaplacePrivacy(big.NewRat(3, 7), big.NewRat(2, 5)); err != nil || evidence.Rational(v) != "15/14" {
		t.Errorf("ε = %v, error %v", v, err)
	}
	for _, bad := range []*big.Rat{new(big.Rat), big.NewRat(-1, 3)} {
		if v, err := LaplacePrivacy(bad, big.NewRat(1, 1)); v != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, "sensitivity = "+bad.RatString()+", want a positive number") {
			t.Errorf("sensitivity %v: %v, error %v", bad, v, err)
		}
		if v, err := LaplacePrivacy(big.NewRat(1, 1), bad); v != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, "scale = "+bad.RatString()+", want a positive number") {
			t.Errorf("scale %v: %v, error %v", bad, v, err)
		}
	}
}
