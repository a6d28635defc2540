package program

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/internal/roots"
)

// Span is an open interval of z whose every number breaks a promise, by the inequalities that cover it.
type Span struct {
	From, To roots.Root
	Cover    []Cover // the first begins at From.Hi, each where the last one goes on, and the last ends at To.Lo
}

// Cover is a closed interval of z in which an output is too likely at X, compared with Y; open at 0 and at 1.
type Cover struct {
	X, Y     int
	Cells    []int // of the output, table by table
	From, To *big.Rat
}

// failure is an open interval in which an inequality does not hold.
type failure struct {
	of       inequality
	from, to roots.Known
}

func (f failure) size() *big.Rat { return new(big.Rat).Sub(f.to.Lo, f.from.Hi) }

// union returns the union of open intervals, ascending. Two that touch in a point are two: the point may keep the promise. It
// returns the context's error where that ends first.
func union(ctx context.Context, failing []failure) ([]Span, error) {
	slices.SortFunc(failing, func(f, g failure) int {
		c, _, _ := roots.Compare(f.from, g.from)
		return c
	})
	var out [][]failure
	for _, f := range failing {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(out) > 0 {
			cover := out[len(out)-1]
			last := &cover[len(cover)-1]
			if c, from, to := roots.Compare(f.from, last.to); c < 0 {
				if c, _, _ := roots.Compare(f.to, last.to); c > 0 {
					f.from, last.to = from, to
					out[len(out)-1] = append(cover, f)
				}
				continue
			}
		}
		out = append(out, []failure{f})
	}
	spans := make([]Span, len(out))
	for i, cover := range out {
		spans[i] = Span{From: cover[0].from.Root, To: cover[len(cover)-1].to.Root}
		for _, f := range cover {
			spans[i].Cover = append(spans[i].Cover, Cover{f.of.x, f.of.y, f.of.cells, f.from.Hi, f.to.Lo})
		}
	}
	return spans, nil
}
