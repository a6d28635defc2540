package audit

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// split moves each draw, independently, to one of three parts: half of the draws test events, a quarter ranks outputs,
// and a quarter compares events. Draws of one dataset are exchangeable, so splitting counts is equivalent to splitting
// draws.
func (d *drawn) split(ctx context.Context, datasets []string, src rand.Source) error {
	order := make([]int, len(datasets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(datasets[a], datasets[b]) })
	for _, x := range order {
		for i := range d.tallies[x] {
			if i%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			t := &d.tallies[x][i]
			all := t.order + t.score + t.confirm
			var err error
			if t.confirm, err = half(ctx, all, src); err != nil {
				return err
			}
			if t.order, err = half(ctx, all-t.confirm, src); err != nil {
				return err
			}
			t.score = all - t.confirm - t.order
		}
	}
	return nil
}

// half draws from Bin(n, 1/2): the number of ones among n fair bits.
func half(ctx context.Context, n int64, src rand.Source) (int64, error) {
	ones := 0
	for i := 0; n >= 64; i++ {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		ones += bits.OnesCount64(src.Uint64())
		n -= 64
	}
	if n > 0 {
		ones += bits.OnesCount64(src.Uint64() >> (64 - n))
	}
	return int64(ones), nil
}

// sums returns the draws of a dataset in each part.
func (d *drawn) sums(x int) tally {
	var t tally
	for _, c := range d.tallies[x] {
		t.order += c.order
		t.score += c.score
		t.confirm += c.confirm
	}
	return t
}
