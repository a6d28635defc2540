package networks

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/sampling"
)

// entry is an integer that is measured: it is released with noise k of weight e^{−ε·num·|k|/den}, then clipped to 0 …
// most.
type entry struct {
	value, most int
	num, den    int64
}

// measurement is what a mechanism measures of a graph: independent noisy entries, and a text without noise. Graphs with
// different texts can be distinguished with certainty. Graphs with the same text have equally many entries.
type measurement struct {
	open    string
	entries []entry
}

// noisy draws the entries exactly. If free is true, they are not clipped to 0 … most, but only to the range of
// farthest.
func noisy(eps evidence.Epsilon, entries []entry, free bool, src rand.Source) ([]int, error) {
	scales := map[[2]int64]sampling.Number{}
	out := make([]int, len(entries))
	for i, e := range entries {
		key := [2]int64{e.num, e.den}
		scale, ok := scales[key]
		if !ok {
			scale = sampling.Epsilon(eps).Mul(sampling.Rat(big.NewRat(e.num, e.den))).Inverse().Known()
			scales[key] = scale
		}
		up, err := sampling.GeometricOver(scale, src)
		if err != nil {
			return nil, err
		}
		down, err := sampling.GeometricOver(scale, src)
		if err != nil {
			return nil, err
		}
		at := up.Sub(up, down).Add(up, big.NewInt(int64(e.value)))
		switch {
		case free && at.IsInt64():
			out[i] = int(min(max(at.Int64(), -farthest), farthest))
		case at.Sign() < 0:
		case at.Cmp(big.NewInt(int64(e.most))) > 0:
			out[i] = e.most
		default:
			out[i] = int(at.Int64())
		}
	}
	return out, nil
}

// farthest is the largest size of an entry that is not clipped. Smoothing multiplies such entries.
const farthest = 1 << 30

// law returns the probabilities of 0 … most. Let z = e^{−ε·num/den}. Inside the range, value + k has probability (1 −
// z)/(1 + z)·z^{|k|}. Each end of the range includes everything beyond it: it has probability z^{distance}/(1 + z), or
// 1/(1 + z) if the end is the value.
func (e entry) law(eps evidence.Epsilon) []evidence.RatOrInterval {
	one := evidence.ExactRat(big.NewRat(1, 1))
	z := eps.DecayAt(big.NewRat(e.num, e.den), 1<<12)
	if e.most == 0 {
		return []evidence.RatOrInterval{one}
	}
	end := one.Quo(one.Add(z))
	inside := one.Sub(z).Mul(end)
	powers := []evidence.RatOrInterval{one}
	for len(powers) <= e.most {
		powers = append(powers, powers[len(powers)-1].Mul(z))
	}
	out := make([]evidence.RatOrInterval, e.most+1)
	for k := range out {
		far := powers[max(k-e.value, e.value-k)]
		if k == 0 || k == e.most {
			out[k] = end.Mul(far)
		} else {
			out[k] = inside.Mul(far)
		}
	}
	return out
}

// key returns a text that two entries share only if they have the same law.
func (e entry) key() string { return fmt.Sprintf("%d/%d·%d/%d", e.value, e.most, e.num, e.den) }
