package continuous

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/internal/draw"
	"dpworkbench/mechanism"
)

// layerSampler draws from the density z^{L(r)}/α. It draws a run of positions above one residue, a position of the run,
// a place within the gap, and a sign.
type layerSampler struct {
	decay, length float64
	counting      bool
	cells         []sampledCell
	law           draw.Law // of a cell
}

// sampledCell is a run of positions above one residue, which stands for its point or for its gap.
type sampledCell struct {
	at, width float64
	ladder    ladder
}

// cell is a sampledCell in integer grid units.
type cell struct {
	at, width *big.Int
	ladder    ladder
	share     *big.Int // the weight of a position and its mirror image; for a gap half of that weight
}

// laddersOver lists the runs above all residues with positive weight.
func (l *Sequence) laddersOver() (cells []cell) {
	none, one, two := new(big.Int), big.NewInt(1), big.NewInt(2)
	for i, n := range l.nodes {
		if !l.counting {
			width := new(big.Int).Sub(gapEnd(l.nodes, i, l.length), n.at)
			for _, s := range l.ladders[i][1] {
				cells = append(cells, cell{n.at, width, s, width})
			}
			continue
		}
		steps := l.ladders[i][0]
		if i == 0 { // 0 is its own mirror image
			cells = append(cells, cell{n.at, none, ladder{count: 1}, one})
			steps = withoutZero(steps)
		}
		for _, s := range steps {
			cells = append(cells, cell{n.at, none, s, two})
		}
	}
	return cells
}

func newLayerSampler(l *Sequence, decay float64) layerSampler {
	float := func(x, unit *big.Int) float64 {
		v, _ := new(big.Rat).SetFrac(x, unit).Float64()
		return v
	}
	s := layerSampler{decay: decay, length: float(l.length, l.denominator), counting: l.counting}
	for _, c := range l.laddersOver() {
		weight := float(c.share, big.NewInt(1))
		if !l.counting {
			weight = 2 * float(c.share, l.length)
		}
		s.cells = append(s.cells, sampledCell{float(c.at, l.denominator), float(c.width, l.denominator), c.ladder})
		s.law.Add(weight * laddersWeight(c.ladder, l.first, decay))
	}
	return s
}

// laddersWeight returns Σ z^{level−base} over the positions of a run.
func laddersWeight(c ladder, base int, decay float64) float64 {
	first := float64(c.level - base)
	switch {
	case c.slope == 0:
		return float64(c.count) * math.Exp(-decay*first)
	case c.count == 0:
		return math.Exp(-decay*first) / -math.Expm1(-decay)
	case c.slope < 0:
		first -= float64(c.count - 1) // the heaviest position is the last
	}
	return math.Exp(-decay*first) * math.Expm1(-decay*float64(c.count)) / math.Expm1(-decay)
}

func (s *layerSampler) draw(r *rand.Rand) float64 {
	c := s.cells[s.law.Draw(r)]
	var step float64
	switch {
	case c.ladder.slope == 0:
		step = float64(r.IntN(c.ladder.count))
	default: // geometric from the heaviest end, truncated at the end of the run
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

// Draw returns draw(n, src). It calls draw in parts, and returns the context's error if the context ends between them.
// The parts do not change the values, which depend on src alone. [mechanism.CheckDraws] bounds n.
func Draw[T any](ctx context.Context, n int, src rand.Source, draw func(n int, src rand.Source) ([]T, error)) ([]T, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	const most = 1 << 16
	out := make([]T, 0, n)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part, err := draw(min(n, most), src)
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
		if n -= most; n <= 0 {
			return out, nil
		}
	}
}
