package mechanism

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/query"
)

// rung counts up to MaxLayer and returns MaxLayer + 1 beyond.
func TestRungUpToMaxLayer(t *testing.T) {
	values := []*big.Rat{new(big.Rat), big.NewRat(1, 3), big.NewRat(1, 1)}
	for _, c := range []struct {
		growth []query.SensitivityStep
		d      *big.Rat
		want   int32
	}{
		{[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(query.MaxLayer, 1), query.MaxLayer}, {[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(query.MaxLayer+1, 1), query.MaxLayer + 1},
		{[]query.SensitivityStep{{From: 5, Value: 1}}, big.NewRat(query.MaxLayer-5, 3), query.MaxLayer}, {[]query.SensitivityStep{{From: 5, Value: 1}}, big.NewRat(query.MaxLayer-4, 3), query.MaxLayer + 1},
		{[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(1<<31+7, 1), query.MaxLayer + 1}, {[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(1<<32+7, 1), query.MaxLayer + 1}, {[]query.SensitivityStep{{From: 0, Value: 2}}, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 80)), query.MaxLayer + 1},
		{[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(7, 2), 4}, {[]query.SensitivityStep{{From: 0, Value: 1}, {From: 2, Value: 2}}, big.NewRat(2, 3), 2}, {[]query.SensitivityStep{{From: 0, Value: 1}, {From: 2, Value: 2}}, big.NewRat(3, 4), 3},
		{[]query.SensitivityStep{{From: 0, Value: 0}}, big.NewRat(1, 2), query.Unreached}, {[]query.SensitivityStep{{From: 0, Value: 0}, {From: 9, Value: 2}}, big.NewRat(1, 2), 10}, {[]query.SensitivityStep{{From: 0, Value: 0}}, new(big.Rat), 0},
	} {
		if got := rationalRung(c.growth, values, c.d); got != c.want {
			t.Errorf("%v: distance %v is on rung %d, want %d", c.growth, c.d, got, c.want)
		}
	}
}

// The rung is the first t with I_0 + … + I_{t−1} ≥ d, for integer and for rational steps.
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
			t.Errorf("rises %v of %v: distance %v is on rung %d, want %d", ranks, values, d, got, want)
		}
		if f, _ := d.Float64(); whole {
			if got := rung(steps, f); got != want {
				t.Errorf("rises %v: distance %v is on rung %d, want %d", steps, f, got, want)
			}
		}
	}
}
