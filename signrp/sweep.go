package signrp

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/parallel"
)

// quickLoss bounds the loss between u and a neighbor at an end of a coordinate's range. It is computed in float64 and
// includes the error bounds. It is infinite if A differs.
type quickLoss struct{ low, high float64 }

// sweep visits both ends of every coordinate's range.
type sweep struct {
	r     *Release
	u     []float64
	at    *point
	own   *law
	quick [][2]quickLoss
}

func (s *sweep) run(ctx context.Context) error {
	w := s.r.w
	largest := w.largests()
	var soft func(level int) float64 // ln(1 + e^{level ε'})
	if s.own.normal {
		s.own.keepLogs()
	}
	if s.r.rule == smoothSigns {
		soft = softplus(s.own.eps.Value())
	}
	for b := 0; b*blockRows < w.p; b++ {
		rows := w.block(b)
		parallel.Report(ctx, int64(b)*blockRows, int64(w.p), "entries of the vector")
		err := parallel.Each(ctx, len(rows)/w.k, func(i int) error {
			up, down := moves(s.u[b*blockRows+i], s.r.beta)
			row := rows[i*w.k : (i+1)*w.k]
			for side, m := range [2]move{up, down} {
				if m.isZero() {
					continue
				}
				d := &shifted{point: s.at, i: b*blockRows + i, row: row, m: m}
				s.quick[b*blockRows+i][side] = s.loss(d, largest, soft)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// loss returns bounds on the loss between u and the neighbor of d.
func (s *sweep) loss(d *shifted, largest []float64, soft func(int) float64) quickLoss {
	if s.own.fixed != nil {
		for j, fixed := range s.own.fixed {
			if d.row[j] != 0 && fixed == within(d, j, s.r.beta, largest[j]) {
				return quickLoss{math.Inf(1), math.Inf(1)}
			}
		}
	}
	switch {
	case s.own.normal:
		return s.normalLoss(d)
	case s.r.rule == smoothSigns:
		return s.levelLoss(d, largest, soft)
	}
	flips := 0
	for j, own := range s.own.level {
		if d.row[j] != 0 && sign(d, j) != own {
			flips++
		}
	}
	return quickLoss{float64(flips), float64(flips)} // in units of ε'
}

func (s *sweep) levelLoss(d *shifted, largest []float64, soft func(int) float64) quickLoss {
	eps := s.own.eps.Value()
	forward, backward, size := 0.0, 0.0, 0.0
	for j, own := range s.own.level {
		if d.row[j] == 0 {
			continue
		}
		other := level(d, j, s.r.beta, largest[j])
		if other == own {
			continue
		}
		minus := soft(other) - soft(own)
		plus := minus + float64(own-other)*eps
		forward += math.Max(minus, plus)
		backward += math.Max(-minus, -plus)
		size += math.Abs(minus) + math.Abs(plus) + soft(own) + soft(other)
	}
	slack := size * float64(s.r.w.k+16) * ulp
	v := math.Max(forward, backward)
	return quickLoss{v - slack, v + slack}
}

// softplus returns ln(1 + e^{level ε}) by level, cached for small levels.
func softplus(eps float64) func(level int) float64 {
	direct := func(level int) float64 {
		x := float64(level) * eps
		return math.Max(x, 0) + elementary.Log1p(elementary.Exp(-math.Abs(x))) // to 8u
	}
	const most = 256
	var known [2*most + 1]float64
	for n := range known {
		known[n] = direct(n - most)
	}
	return func(level int) float64 {
		if level < -most || level > most {
			return direct(level)
		}
		return known[level+most]
	}
}

func (s *sweep) normalLoss(d *shifted) quickLoss {
	scale := s.r.w.scale()
	sigma := s.own.sigma
	forward, backward, slack := 0.0, 0.0, 0.0
	for j := range s.own.z {
		if s.own.isFixed(j) || d.row[j] == 0 {
			continue
		}
		v, bound := d.near(j)
		z := v / (scale * sigma)
		f, g, e := normalBitLoss(s.own.logs(j), logsAt(z, bound/(scale*sigma)*(1+4*ulp)+4*ulp*math.Abs(z)))
		forward, backward, slack = forward+f, backward+g, slack+e
	}
	v := math.Max(forward, backward)
	slack += v * float64(s.r.w.k+2) * ulp
	return quickLoss{math.Max(0, v-slack), v + slack}
}

// worst turns the float64 losses into evidence.
func (s *sweep) worst(ctx context.Context, source string) (*swept, error) {
	low, high, at, side := 0.0, 0.0, -1, 0
	for i, ends := range s.quick {
		for n, q := range ends {
			if q.low > low {
				low, at, side = q.low, i, n
			}
			high = math.Max(high, q.high)
		}
	}
	found := &swept{worst: Worst{Coordinate: at}, own: s.own}
	out := &found.worst
	if at >= 0 {
		out.To = s.end(at, side)
		if !s.r.shared() { // u's own ε' applies to the neighbor as well
			var err error
			if found.other, err = s.r.law(ctx, s.neighbor(at, side), 0); err != nil {
				return nil, err
			}
		}
	}
	cases := 2 * s.r.p * s.r.w.k
	switch {
	case math.IsInf(low, 1):
		out.Epsilon = infinite(source)
	case s.own.normal:
		out.Epsilon = evidence.Certified{Lo: low, Hi: high, Side: evidence.Up, Provenance: evidence.From(source).By("both ends of every coordinate, float64 with its error bound")}
	case s.r.rule == smoothSigns:
		out.Epsilon = s.exactly(low, high, source)
	case s.r.shared():
		n, err := s.sharedByData(ctx, int(high), at, side, source)
		if err != nil {
			return nil, err
		}
		out.Epsilon = n
	default:
		out.Epsilon = exactMultiple(s.own.eps, int(high), cases, source)
	}
	return found, nil
}

// end returns the value of coordinate i at one end of its range, which makes u a neighbor.
func (s *sweep) end(i, side int) float64 {
	up, down := moves(s.u[i], s.r.beta)
	return short([2]move{up, down}[side].after(s.u[i], s.r.beta), s.u[i])
}

// neighbor returns Wᵀv for the neighbor v whose coordinate i is at this end.
func (s *sweep) neighbor(i, side int) *shifted {
	up, down := moves(s.u[i], s.r.beta)
	return &shifted{point: s.at, i: i, row: s.r.w.row(i), m: [2]move{up, down}[side]}
}

// exactly returns the largest loss exactly, by comparing the ends of ranges that float64 cannot distinguish from the
// worst. It returns the enclosure [low, high] if there are too many of them.
func (s *sweep) exactly(low, high float64, source string) evidence.Number {
	const most = 32 // distinct counts of levels
	if high <= 0 {
		return exactMultiple(s.own.eps, 0, 0, source)
	}
	low = math.Max(low, 0)
	seen := make(map[string]bool)
	var best evidence.Number
	for i, ends := range s.quick {
		up, down := moves(s.u[i], s.r.beta)
		for side, m := range [2]move{up, down} {
			if ends[side].high < low || ends[side].high <= 0 || m.isZero() {
				continue
			}
			l := s.r.flipped(s.neighbor(i, side), 0)
			key := fmt.Sprint(pairCounts(s.own, l)) // fmt prints maps in the order of their keys
			if seen[key] {
				continue
			}
			if seen[key] = true; len(seen) > most {
				return evidence.Certified{Lo: low, Hi: high, Side: evidence.Up, Provenance: evidence.From(source).By("both ends of every coordinate, float64 with its error bound")}
			}
			best = larger(best, smallestEpsilon(s.own, l, source))
		}
	}
	return best
}

// larger returns the larger of two losses. It is exact if both losses are, or if the enclosures decide which is larger.
// Otherwise it is an enclosure of the maximum.
func larger(a, b evidence.Number) evidence.Number {
	if a == nil {
		return b
	}
	x, okX := a.(evidence.ExactLog)
	y, okY := b.(evidence.ExactLog)
	if okX && okY {
		if x.Argument.Cmp(y.Argument) < 0 {
			return b
		}
		return a
	}
	loA, hiA := a.Bounds()
	loB, hiB := b.Bounds()
	switch {
	case loA >= hiB:
		return a
	case loB >= hiA:
		return b
	}
	out, ok := a.(evidence.Certified)
	if !ok {
		out, _ = b.(evidence.Certified)
	}
	out.Lo, out.Hi = math.Max(loA, loB), math.Max(hiA, hiB)
	return out
}

// sharedByData encloses the loss if N₊ depends on ‖u‖ and at most flips signs differ. The lower end comes from the
// neighbor with most flips and the neighbors with the smallest and the largest norm. The upper end comes from the worst
// N₊ of the neighbors.
func (s *sweep) sharedByData(ctx context.Context, flips, coordinate, side int, source string) (evidence.Number, error) {
	type end struct{ i, side int }
	ends := []end{{coordinate, side}, {-1, 0}, {-1, 0}}
	square := 0.0
	for _, v := range s.u {
		square += v * v
	}
	least, most := math.Inf(1), 0.0
	for i, v := range s.u {
		up, down := moves(v, s.r.beta)
		a, b := v+up.hi, v+down.hi
		smallest := math.Max(0, math.Max(b, -a)) // the least |coordinate| along the move
		if l := square - v*v + smallest*smallest; l < least {
			least, ends[1] = l, end{i, 0}
			if v > 0 {
				ends[1].side = 1
			}
		}
		if m := square - v*v + math.Max(a*a, b*b); m > most {
			most, ends[2] = m, end{i, 0}
			if v < 0 {
				ends[2].side = 1
			}
		}
	}
	worst, nLeast, nMost := s.r.lossAtShares(s.own, flips, math.Sqrt(math.Max(0, least))*(1-1e-12), math.Sqrt(most)*(1+1e-12))
	if nLeast == nMost {
		return exactMultiple(s.own.eps, flips, 2*s.r.p*s.r.w.k, source), nil
	}
	out := evidence.Certified{Side: evidence.Up, Provenance: evidence.From(source).By(fmt.Sprintf("ends of coordinates below, N₊ between %d and %d among the neighbors above", nLeast, nMost))}
	_, out.Hi = worst.Bounds()
	for _, e := range ends {
		if e.i < 0 {
			continue
		}
		v := append([]float64(nil), s.u...)
		v[e.i] = s.end(e.i, e.side)
		pair, err := s.r.Pair(s.u, v).Epsilon(ctx, evidence.Delta{})
		if err != nil {
			return nil, err
		}
		lo, _ := pair.Bounds()
		out.Lo = math.Max(out.Lo, math.Min(lo, out.Hi))
	}
	return out, nil
}
