package signrp

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/interval"
)

// longestMove is the neighbor that changes x most.
type longestMove struct {
	distance   interval.Interval // encloses the largest ‖x(u) − x(v)‖
	coordinate int               // the coordinate that moves, −1 for none
	to         float64
}

// longest returns the longest move from u to a neighbor.
func (n *Neighbors) longest(ctx context.Context) (longestMove, error) {
	r, u := n.r, n.u
	none := longestMove{distance: interval.Int(0), coordinate: -1}
	if err := checkVector("u", u, r.p); err != nil {
		return none, err
	}
	var (
		worst   = -1
		length  = 0.0 // the longest so far, times a power of two that avoids overflow for any β
		by      move
		rowNorm = 1.0
	)
	visit := func(i int, norm float64) { // the longest move of u_i is at least min(β, 1), known to 3 ulp
		longest, down := moves(u[i], r.beta)
		if -down.hi > longest.hi {
			longest = down
		}
		if l := math.Ldexp(math.Abs(longest.hi), 500) * norm; l > length {
			worst, length, by, rowNorm = i, l, longest, norm
		}
	}
	switch {
	case r.w == nil || r.w.kind == OPORP || r.w.kind == Rademacher:
		for i := range u {
			visit(i, 1)
		}
	default:
		if err := r.w.eachRow(ctx, func(i int, row []float64) {
			sum := 0.0
			for _, v := range row {
				sum += float64(v * v)
			}
			visit(i, math.Sqrt(sum))
		}); err != nil {
			return none, err
		}
	}
	if worst < 0 {
		return none, nil
	}
	to := by.after(u[worst], r.beta)
	size := new(big.Rat).Sub(to, exactDecimal(u[worst]))
	distance := interval.Rat(size.Abs(size))
	if r.w != nil {
		distance = distance.Mul(r.w.rowNorm(rowNorm))
	}
	// A move that compares as shorter may be longer by the rounding error of the comparison.
	slack := interval.Float(1 + float64(r.K()+16)*ulp)
	return longestMove{interval.Hull(distance, distance.Mul(slack)), worst, short(to, u[worst])}, nil
}
