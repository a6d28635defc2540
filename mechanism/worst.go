package mechanism

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// WorstDistortion returns max_x P^x: exact where the distortions are rational,
// certified elsewhere.
func WorstDistortion(ctx context.Context, m Mechanism) (evidence.Number, error) {
	const source = "Wu et al., (4), largest over all datasets"
	each, _ := representatives(m)
	enclosed := make([]interval.Interval, len(each))
	worst := interval.Int(0)
	for i, x := range each {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		enclosed[i] = enclosedDistortion(m, x)
		worst = interval.Max(worst, enclosed[i])
	}
	largest := new(big.Rat)
	for i, x := range each { // in rational numbers, among those that enclosures do not tell from it
		if enclosed[i].Less(worst.Lower()) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, ok := Distortion(m, x).(evidence.Exact)
		if !ok {
			return evidence.Enclosed(worst, "256-bit intervals", source), nil
		}
		if e.Value.Cmp(largest) > 0 {
			largest = e.Value
		}
	}
	return evidence.Exact{Value: largest, Cases: uint64(m.Query().Size()), Source: source}, nil
}

// distinctLaws returns one dataset of each kind that shares law and value, and the
// kind of every dataset.
func representatives(m Mechanism) (each []int, kind []int) {
	index := make(map[[2]int]int)
	kind = make([]int, m.Query().Size())
	for x := range kind {
		key := [2]int{m.Class(x), m.Query().ValueIndex(x)}
		if l, ok := m.(interface{ profileOf(int) int }); ok {
			key = [2]int{l.profileOf(x), 0}
		}
		k, ok := index[key]
		if !ok {
			k = len(each)
			index[key] = k
			each = append(each, x)
		}
		kind[x] = k
	}
	return each, kind
}
