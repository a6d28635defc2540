package continuous

import (
	"math"
	"math/big"
	"slices"
)

// shifting compares the layers of a ring with the same layers after a shift.
type shifting[T scale[T]] struct {
	m            *Layered
	zero         T
	length       T
	at           []T
	progressions [][]progression // by node if layers count points, by gap otherwise
	share        func(T) float64
	rest         float64 // 1 − z
	visits       int
}

// cells calls tell for every run of positions that a shift v, 0 ≤ v ≤ Δ, moves up by one layer. width is the width of
// the stretch of residues below the run. cells returns the distances to the next and to the previous breakpoint.
func (s *shifting[T]) cells(v T, tell func(width T, r run)) (ahead, back T) {
	turn, y := v.circle(s.length)
	k, found := slices.BinarySearchFunc(s.at, y, T.cmp)
	if !found {
		k--
	}
	ahead, back = s.length, s.length
	x := s.zero
	for i := 0; i < len(s.at); {
		s.visits++
		next := func(n int) T {
			if n+1 < len(s.at) {
				return s.at[n+1]
			}
			return s.length
		}
		toA, toB := next(i).minus(x), next(k).minus(y)
		if x.cmp(s.at[i]) == 0 && toB.cmp(ahead) < 0 {
			ahead = toB
		}
		if y.cmp(s.at[k]) == 0 && toA.cmp(back) < 0 {
			back = toA
		}
		order := toA.cmp(toB)
		width := toA
		if order > 0 {
			width = toB
		}
		if tell != nil && (!s.m.counting || x.cmp(s.at[i]) == 0 && y.cmp(s.at[k]) == 0) {
			up(s.progressions[i], s.progressions[k], turn, func(r run) {
				if r, ok := s.known(r); ok {
					tell(width, r)
				}
			})
		}
		x, y = x.plus(width), y.plus(width)
		if order <= 0 {
			i++
		}
		if order >= 0 {
			if k++; k == len(s.at) {
				k, y = 0, s.zero
				turn++
			}
		}
	}
	return ahead, back
}

// known removes from a run the last known layer and all later ones, unless all layers are known. It returns false if
// nothing is left.
func (s *shifting[T]) known(r run) (run, bool) {
	if s.m.closed {
		return r, true
	}
	left := s.m.known - r.level
	if !r.even && (r.count == 0 || r.count > left) {
		r.count = left
	}
	return r, left > 0
}

// sum returns (1−z) Σ z^{i − first} over the layers of a run.
func (s *shifting[T]) sum(r run) float64 {
	head := math.Exp(-s.m.decay.Value() * float64(r.level-s.m.first))
	switch {
	case r.even:
		return head * s.rest * float64(r.count)
	case r.count == 0:
		return head
	}
	return head * -math.Expm1(-s.m.decay.Value()*float64(r.count))
}

// growth returns (1−z) Σ z^{i − first} D_i(v) in float64. Unless layers count points, it divides the sum by the length
// of all residues. ahead is the distance to the next breakpoint.
func (s *shifting[T]) growth(v T) (g float64, ahead T) {
	ahead, _ = s.cells(v, func(width T, r run) {
		w := 1.0
		if !s.m.counting {
			w = s.share(width)
		}
		g += w * s.sum(r)
	})
	return g, ahead
}

// series returns the sequence D_i(v).
func (s *shifting[T]) series(v T) (d series) {
	zero := new(big.Int)
	s.cells(v, func(width T, r run) {
		w := one
		if !s.m.counting {
			w = width.whole()
		}
		if r.even {
			d.spike(r.level, new(big.Int).Mul(w, big.NewInt(int64(r.count))))
			return
		}
		d.ramp(r.level, r.count, w, zero)
	})
	d.trim()
	return d
}

// slope returns a bound on the change of growth per change of the shift, the latter as a fraction of the length of all
// residues.
func (s *shifting[T]) slope() float64 {
	if s.m.counting {
		return 0
	}
	total := 0.0
	for i := range s.at {
		before, turn := i-1, 0
		if i == 0 { // the gap before the residue 0 is the last one, a turn earlier
			before, turn = len(s.at)-1, 1
		}
		total += steps(s.progressions[before], s.progressions[i], turn, s.m.decay.Value(), s.sum)
	}
	return total / (2 * s.rest) * (1 + slack)
}

// reachable returns the total length, in grid units, of the residues that lie in some layer.
func (l *Sequence) reachable() *big.Int {
	sum := new(big.Int)
	for i, n := range l.nodes {
		if len(n.gap) > 0 {
			sum.Add(sum, gapEnd(l.nodes, i, l.length))
			sum.Sub(sum, n.at)
		}
	}
	return sum
}
