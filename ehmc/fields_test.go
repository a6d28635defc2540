package ehmc

import (
	"context"
	"math"
	"math/big"
	"testing"
)

// coupled is a law with couplings of its own for each pair of bits.
type coupled [][]float64

func (c coupled) Dim() int               { return len(c) }
func (c coupled) Diagonal(k int) float64 { return c[k][k] }
func (c coupled) AddRow(k int, by float64, dst []float64) {
	for j, v := range c[k] {
		if j != k {
			dst[j] += by * v
		}
	}
}

// What a field may be at most is known of every bit before a perfect draw.
func TestFieldsAreMeasured(t *testing.T) {
	c := coupled{{.5, -.1, .3, 0}, {-.1, -2, 0, 1e-300}, {.3, 0, 0, 0}, {0, 1e-300, 0, 1e200}}
	p, err := NewPerfect(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	for k, row := range c {
		sum := new(big.Rat)
		for j, v := range row {
			weight := big.NewRat(2, 1)
			if j == k {
				weight = big.NewRat(1, 1)
			}
			sum.Add(sum, weight.Mul(weight, new(big.Rat).SetFloat64(math.Abs(v))))
		}
		size := p.bath.size[k]
		if v, _ := sum.Float64(); new(big.Rat).SetFloat64(size).Cmp(sum) < 0 || size > v*(1+1e-14) {
			t.Errorf("the field of bit %d is at most %v, want %v", k, size, v)
		}
	}
}

// The logistic function keeps to its range and its digits, at fields beyond e^x too.
func TestSigmoidOfFarFields(t *testing.T) {
	for x, want := range map[float64]float64{0: .5, 800: 1, 1e300: 1, -1e300: 0, -740: math.Exp(-740), -40: math.Exp(-40), math.Log(3): .75, -math.Log(3): .25, math.Inf(1): 1, math.Inf(-1): 0} {
		if got := sigmoid(x); !(math.Abs(got-want) <= 1e-15*want+5e-324) {
			t.Errorf("at %g: %v, want %v", x, got, want)
		}
	}
}
