package signrp

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
)

// numbersNeighbor is NeighborEpsilon for released numbers: the longest move.
func (r *Release) numbersNeighbor(ctx context.Context, u []float64, source string) (Worst, error) {
	type longest struct {
		square float64
		i      int
		to     float64
	}
	best := longest{i: -1}
	visit := func(i int, rowSquare float64) {
		up, down := moves(u[i], r.beta)
		length, to := up.hi, u[i]+up.hi
		if -down.hi > length {
			length, to = -down.hi, u[i]+down.hi
		}
		if s := length * length * rowSquare; s > best.square {
			best = longest{s, i, to}
		}
	}
	switch {
	case r.w == nil || r.w.kind == OPORP || r.w.kind == Rademacher:
		for i := range u {
			visit(i, 1)
		}
	default:
		for b := 0; b*blockRows < r.p; b++ {
			if err := ctx.Err(); err != nil {
				return Worst{}, err
			}
			rows := r.w.block(b)
			for i := 0; len(rows) > 0; i, rows = i+1, rows[r.w.k:] {
				sum := 0.0
				for _, v := range rows[:r.w.k] {
					sum += float64(v * v)
				}
				visit(b*blockRows+i, sum/float64(r.w.k))
			}
		}
	}
	if best.i < 0 {
		return Worst{Epsilon: evidence.Exact{Value: zeroRat(), Source: source}, Coordinate: -1}, nil
	}
	d := math.Sqrt(best.square)
	slack := d * float64(r.K()+16) * ulp
	eps, err := r.numbersEpsilon(interval.Between(d-slack, d+slack), source)
	return Worst{Epsilon: eps, Coordinate: best.i, To: best.to}, err
}

// BallEpsilon encloses the largest PairEpsilon between u and the vectors of
// [−1, 1]^p within ℓ1 distance β of it: from the worst β-neighbor below, which is
// one of them; above, every sign by itself as far as β·max_i|W_ij| takes it.
// Errors as NeighborEpsilon.
func (r *Release) BallEpsilon(ctx context.Context, u []float64) (evidence.Certified, error) {
	inner, err := r.NeighborEpsilon(ctx, u)
	if err != nil {
		return evidence.Certified{}, err
	}
	source := r.origin(r.name + ", reading (i), individual: W and u given, ℓ1 ball of radius β around u")
	out := evidence.Certified{Loss: true, Method: "the worst β-neighbor below; every sign by itself above", Source: source}
	out.Lo, _ = inner.Epsilon.Bounds()
	switch {
	case r.rule == numbers: // a convex function of the move is largest at a corner
		out.Hi = upper(inner.Epsilon)
		if r.beta > 1 { // the ball's corners may lie outside the domain, its edges inside
			eps, err := r.PublicEpsilon()
			if err != nil {
				return out, err
			}
			out.Hi = upper(eps)
		}
		return out, nil
	case math.IsInf(out.Lo, 1):
		out.Hi = out.Lo
		return out, nil
	case r.DataDependent() && !r.Individual():
		out.Hi = math.Inf(1)
		return out, nil
	}
	at := r.w.at(u)
	own, err := r.law(at, norm(u))
	if err != nil {
		return out, err
	}
	apart, err := r.law(at, norm(u))
	if err != nil {
		return out, err
	}
	most := 0.0
	largest := r.w.largests()
	if own.fixed != nil {
		// A sign of A may leave it where its own reach allows: not bounded here.
		for j, fixed := range own.fixed {
			row := make([]float64, r.w.k)
			row[j] = largest[j]
			for _, m := range []move{{hi: r.beta}, {hi: -r.beta}} {
				if fixed == within(&shifted{point: at, row: row, m: m}, j, r.beta, largest[j]) {
					out.Hi = math.Inf(1)
					return out, nil
				}
			}
		}
	}
	for j := range own.level {
		row := make([]float64, r.w.k)
		row[j] = largest[j]
		worst := 0.0
		for _, m := range []move{{hi: r.beta}, {hi: -r.beta}} {
			d := &shifted{point: at, row: row, m: m}
			switch {
			case own.isFixed(j):
				continue
			case own.normal:
				v, bound := d.near(j)
				unit := r.w.scale() * own.sigma
				f, g, e := normalBitLoss(own.z[j], own.slack[j], v/unit, bound/unit+4*ulp*math.Abs(v/unit))
				worst = math.Max(worst, math.Max(f, g)+e)
				continue
			case r.rule == smoothSigns:
				apart.level[j] = level(d, j, r.beta, largest[j])
			default:
				apart.level[j] = sign(d, j)
			}
			pair := levelPair{own.level[j], apart.level[j]}
			_, a := bitLoss(pair, own.eps, own.eps).Bounds()
			_, b := bitLoss(levelPair{pair.b, pair.a}, own.eps, own.eps).Bounds()
			worst = math.Max(worst, math.Max(a, b))
		}
		most += worst
	}
	out.Hi = math.Max(out.Lo, most*(1+float64(r.w.k+4)*ulp))
	return out, nil
}
