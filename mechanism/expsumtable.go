package mechanism

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// expSumTable holds laws in powers of e^{−ε}: the probability of value r at a row is weight[row][r]/total[row].
type expSumTable struct {
	weight [][]ExpSum
	total  []ExpSum
}

func (s *expSumTable) add(weight []ExpSum, total ExpSum) {
	s.weight, s.total = append(s.weight, weight), append(s.total, total)
}

// logs returns a function that encloses the logarithms of positive probabilities, however small. NewEnclosedTable
// calls it for all rows in order; later calls only read the cache.
func (s *expSumTable) logs(eps evidence.Epsilon) LogProbs {
	var scale []interval.Interval // ln total of each row
	logTotal := func(row int) interval.Interval {
		for len(scale) <= row {
			scale = append(scale, s.total[len(scale)].EncloseLog(eps))
		}
		return scale[row]
	}
	return func(row, r int) interval.Interval {
		return s.weight[row][r].EncloseLog(eps).Sub(logTotal(row))
	}
}

// loss returns an enclosure of ln p/q for the probabilities of value r at rows i and j, for a loss near 0. It
// computes ln(1 + (p − q)/q), where the difference is exact in rational arithmetic.
func (s *expSumTable) loss(i, j, r int, eps evidence.Epsilon) interval.Interval {
	p, q := s.weight[i][r], s.weight[j][r]
	if &s.total[i].terms[0] != &s.total[j].terms[0] { // all rows of noise share a total
		p, q = p.Mul(s.total[j]), q.Mul(s.total[i])
	}
	gap := p.Sub(q)
	if len(gap.terms) == 0 {
		return interval.Int(0)
	}
	// Each sum is scaled by its own least exponent.
	shift := new(big.Rat).Sub(q.terms[0].t, gap.terms[0].t)
	scale := eps.Enclosure().Mul(interval.Rat(shift)).Exp()
	return gap.scaled(eps).Mul(scale).Quo(q.scaled(eps)).Log1p()
}

// lossInUnits returns the loss as k·ε + rest, and false if an enclosure of a probability contains 0.
func (s *expSumTable) lossInUnits(i, j, r int, eps evidence.Epsilon) (k *big.Rat, rest interval.Interval, ok bool) {
	k, rest = new(big.Rat), interval.Int(0)
	for _, v := range []struct {
		sum ExpSum
		add bool
	}{{s.weight[i][r], true}, {s.total[j], true}, {s.weight[j][r], false}, {s.total[i], false}} {
		at := v.sum.scaled(eps)
		if sign, _ := at.Sign(); sign <= 0 {
			return nil, interval.Interval{}, false
		}
		if v.add {
			k, rest = k.Sub(k, v.sum.terms[0].t), rest.Add(at.Log())
		} else {
			k, rest = k.Add(k, v.sum.terms[0].t), rest.Sub(at.Log())
		}
	}
	return k, rest, true
}
