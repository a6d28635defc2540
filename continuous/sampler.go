package continuous

import (
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/internal/draw"
)

// layerSampler draws from the density z^{L(r)}/α: first a residue and a ladder
// of positions over it, then a position, a place within the gap, and a sign.
type layerSampler struct {
	decay, length float64
	counting      bool
	cells         []sampledCell
	law           draw.Law // of a cell
}

// sampledCell is one ladder over one residue: its point, or its gap.
type sampledCell struct {
	at, width float64
	ladder    ladder
}

func newLayerSampler(l *Sequence, decay float64) layerSampler {
	unit := new(big.Rat).SetInt(l.denominator)
	float := func(x *big.Int) float64 {
		r := new(big.Rat).SetInt(x)
		v, _ := r.Quo(r, unit).Float64()
		return v
	}
	share := func(x *big.Int) float64 { // of Δ
		v, _ := new(big.Rat).SetFrac(x, l.length).Float64()
		return v
	}
	s := layerSampler{decay: decay, length: float(l.length), counting: l.counting}
	add := func(c sampledCell, weight float64) {
		s.cells = append(s.cells, c)
		s.law.Add(weight * laddersWeight(c.ladder, l.first, decay))
	}
	for i, n := range l.nodes {
		next := l.length
		if i+1 < len(l.nodes) {
			next = l.nodes[i+1].at
		}
		if l.counting {
			steps := l.ladders[i][0]
			if i == 0 { // 0 is its own mirror image
				add(sampledCell{ladder: ladder{count: 1}}, 1)
				steps = withoutZero(steps)
			}
			for _, c := range steps {
				add(sampledCell{at: float(n.at), ladder: c}, 2)
			}
			continue
		}
		width := new(big.Int).Sub(next, n.at)
		for _, c := range l.ladders[i][1] {
			add(sampledCell{float(n.at), float(width), c}, 2*share(width))
		}
	}
	return s
}

// laddersWeight returns Σ z^{level−base} over the positions of a ladder.
func laddersWeight(c ladder, base int, decay float64) float64 {
	first := float64(c.level - base)
	switch {
	case c.slope == 0:
		return float64(c.count) * math.Exp(-decay*first)
	case c.count == 0:
		return math.Exp(-decay*first) / -math.Expm1(-decay)
	case c.slope < 0:
		first -= float64(c.count - 1) // the heaviest position, last
	}
	return math.Exp(-decay*first) * math.Expm1(-decay*float64(c.count)) / math.Expm1(-decay)
}

func (s *layerSampler) draw(r *rand.Rand) float64 {
	c := s.cells[s.law.Draw(r)]
	var step float64
	switch {
	case c.ladder.slope == 0:
		step = float64(r.IntN(c.ladder.count))
	default: // geometric from the heaviest end, cut off where the ladder ends
		reach := 1.0
		if c.ladder.count > 0 {
			reach = -math.Expm1(-s.decay * float64(c.ladder.count))
		}
		step = math.Floor(-math.Log1p(-r.Float64()*reach) / s.decay)
		if c.ladder.count > 0 {
			step = min(step, float64(c.ladder.count-1))
			if c.ladder.slope < 0 {
				step = float64(c.ladder.count-1) - step
			}
		}
	}
	v := (float64(c.ladder.j)+step)*s.length + c.at
	if !s.counting {
		v += r.Float64() * c.width
	}
	if v > 0 && r.Uint64()&1 == 0 {
		return -v
	}
	return v
}
