package optimize

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// answers returns one value a dataset, constant over datasets that neighbors
// connect, that costs nothing; nil where there is none, which is where the
// optimum is positive: a value that any dataset outputs is output by all that
// neighbors connect to it.
func (p *program) answers() []int {
	n := p.q.Size()
	out := make([]int, n)
	for x := range out {
		out[x] = -1
	}
	for x := range out {
		if out[x] >= 0 {
			continue
		}
		seen := map[int32]bool{int32(x): true}
		component := []int32{int32(x)}
		for at := 0; at < len(component); at++ {
			for _, y := range p.q.Space().Neighbors(int(component[at])) {
				if !seen[y] {
					seen[y] = true
					component = append(component, y)
				}
			}
		}
		found := -1
		for k, r := range p.values {
			costly := false
			for _, y := range component {
				j := int(y)*len(p.values) + k
				if costly = p.Loss[j] > 0 && (p.Weight[y] > 0 || p.objective == Worst); costly {
					break
				}
			}
			if !costly {
				found = r
				break
			}
		}
		if found < 0 {
			return nil
		}
		for _, y := range component {
			out[y] = found
		}
	}
	return out
}

// free returns the mechanism that gives these answers, whose distortion is 0.
func (p *program) free(name string, claim evidence.Number, answers []int) (*Optimal, error) {
	rows := make([][]*big.Rat, len(answers))
	for x, r := range answers {
		rows[x] = make([]*big.Rat, len(p.q.Range()))
		for k := range rows[x] {
			rows[x][k] = new(big.Rat)
		}
		rows[x][r].SetInt64(1)
	}
	t, err := mechanism.NewRationalTable(mechanism.Heading{Name: name, Query: p.q, Claimed: claim}, rows, nil)
	if err != nil {
		return nil, err
	}
	nothing := func(int) *big.Rat { return new(big.Rat) }
	level := func(int) *big.Rat { return big.NewRat(1, int64(len(answers))) }
	return &Optimal{
		Table: t, eps: p.eps, delta: p.Delta,
		optimum:     evidence.Exact{Value: new(big.Rat), Cases: uint64(p.Size()), Source: "one answer for all datasets that neighbors connect costs nothing"},
		certificate: func() Certificate { return p.certificate(nothing, level) },
	}, nil
}
