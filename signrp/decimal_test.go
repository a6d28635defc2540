package signrp_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// P₊ is exactly 1 if and only if β ≥ Σ|u_i| for the decimals as written, at any scale. Float64 sums often decide this
// comparison wrongly.
func TestAlwaysOfDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 8))
	close := 0
	total := cases.Of(1000, 4000)
	for trial := range total {
		scale := math.Pow(10, float64(rng.IntN(17)-19))
		u, sum := make([]float64, 3+rng.IntN(10)), 0
		exact := new(big.Rat)
		for i := range u {
			k := 1 + rng.IntN(999)
			sum += k
			u[i] = roundedDecimal(t, float64(k), scale)
			exact.Add(exact, shortDecimal(t, u[i]))
			if rng.IntN(2) == 0 {
				u[i] = -u[i]
			}
		}
		beta := roundedDecimal(t, float64(sum+rng.IntN(3)-1), scale)
		if beta == 0 {
			continue
		}
		want := exact.Cmp(shortDecimal(t, beta)) <= 0
		if floats := func() (s float64) {
			for _, v := range u {
				s += math.Abs(v)
			}
			return s
		}(); (floats <= beta) != want {
			close++
		} else if trial%100 > 0 {
			continue
		}
		if got := must.Be(signrp.GaussianPPlus(t.Context(), u, beta)); (lower(got) == 1) != want {
			t.Fatalf("P₊ of %v within %v is %v, Σ|u| ≤ β is %t", u, beta, got, want)
		}
	}
	if close < 50*total/4000 {
		t.Errorf("float64 sums are wrong in only %d cases", close)
	}
}

// roundedDecimal returns k·scale rounded to 12 digits, as the nearest float64.
func roundedDecimal(t *testing.T, k, scale float64) float64 {
	return must.Be(strconv.ParseFloat(strconv.FormatFloat(k*scale, 'g', 12, 64), 64))
}

// shortDecimal returns the shortest decimal that prints as |v|.
func shortDecimal(t *testing.T, v float64) *big.Rat {
	t.Helper()
	q, ok := new(big.Rat).SetString(strconv.FormatFloat(math.Abs(v), 'g', -1, 64))
	if !ok {
		t.Fatal(v)
	}
	return q
}
