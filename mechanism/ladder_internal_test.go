package mechanism

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/query"
)

// The rung of distance d is the smallest t with I_0 + … + I_{t−1} ≥ d, for integer and rational steps.
func TestRungCountsSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 3))
	for range 400 {
		values := []*big.Rat{new(big.Rat)}
		whole := rng.IntN(2) == 0
		for range 5 {
			den := int64(1)
			if !whole {
				den = 1 + rng.Int64N(5)
			}
			v := big.NewRat(rng.Int64N(4)+1, den)
			values = append(values, v.Add(v, values[len(values)-1]))
		}
		var ranks, steps []query.SensitivityStep
		from := 0
		for k := range values {
			if rng.IntN(3) == 0 && k < 5 {
				continue
			}
			v, _ := values[k].Float64()
			ranks, steps = append(ranks, query.SensitivityStep{From: from, Value: float64(k)}), append(steps, query.SensitivityStep{From: from, Value: v})
			from += 1 + rng.IntN(4)
			if rng.IntN(5) == 0 {
				break
			}
		}
		d := big.NewRat(rng.Int64N(120), 1)
		if !whole {
			d.Quo(d, big.NewRat(1+rng.Int64N(7), 1))
		}
		want, left, k := int32(0), new(big.Rat).Set(d), 0
		for at := 0; left.Sign() > 0; at++ {
			if k+1 < len(ranks) && at == ranks[k+1].From {
				k++
			}
			step := values[int(ranks[k].Value)]
			if step.Sign() == 0 && k+1 == len(ranks) {
				want = query.Unreached
				break
			}
			left.Sub(left, step)
			want++
		}
		if got := rationalRung(ranks, values, d); got != want {
			t.Errorf("ranks %v of values %v: distance %v is on rung %d, want %d", ranks, values, d, got, want)
		}
		if f, _ := d.Float64(); whole {
			if got := rung(steps, f); got != want {
				t.Errorf("ladder steps %v: distance %v is on rung %d, want %d", steps, f, got, want)
			}
		}
	}
}
