package ehmc_test

import (
	"errors"
	"math"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
)

// coins are bits that are independent, of one logit.
type coins struct {
	n     int
	logit float64
}

func (c coins) Dim() int                       { return c.n }
func (c coins) Diagonal(int) float64           { return c.logit }
func (c coins) AddRow(int, float64, []float64) {}

// A table has at most twenty bits; of independent ones it is a product.
func TestTableOfCoins(t *testing.T) {
	for n := range 22 {
		p, err := ehmc.Probabilities(coins{n, math.Log(3)})
		if (err != nil) != (n > ehmc.MaxTable) || err != nil && !errors.Is(err, evidence.ErrParameter) {
			t.Fatalf("%d bits: %v", n, err)
		}
		if err != nil {
			continue
		}
		if len(p) != 1<<n || math.Abs(p[0]*math.Pow(4, float64(n))-1) > 1e-10 || math.Abs(p[len(p)-1]/math.Pow(0.75, float64(n))-1) > 1e-10 {
			t.Errorf("%d bits: %d states, the first %v, the last %v", n, len(p), p[0], p[len(p)-1])
		}
	}
}
