package xor

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
)

// Tile is one block of a partition and its noise.
type Tile struct {
	Row, Column int // of its first entry
	Law         *Bernoulli
}

// Partition is noise drawn block by block (section 5.2): an N × P matrix cut
// into tiles, each with a share of the budget proportional to its size and noise
// of its own by Algorithm 1.
type Partition struct {
	n, p  int
	Tiles []Tile
}

// maxTiles bounds the memory of a partition.
const maxTiles = 1 << 24

// Shape returns N and P.
func (q *Partition) Shape() (n, p int) { return q.n, q.p }

// Divide cuts u.N × u.P into tiles of at most rows × columns. The tile of size
// m gets ε·m/NP. It returns an error wrapping ErrParameter as Allocate does,
// and unless rows and columns are positive and there are at most 2²⁴ tiles.
func Divide(u Budget, rows, columns int) (*Partition, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	if rows < 1 || columns < 1 {
		return nil, fmt.Errorf("%w: tiles of %d × %d, want at least 1 × 1", ErrParameter, rows, columns)
	}
	tiles := math.Ceil(float64(u.N)/float64(rows)) * math.Ceil(float64(u.P)/float64(columns))
	if tiles > maxTiles {
		return nil, fmt.Errorf("%w: tiles of %d × %d cut %d × %d bits into %.3g, want at most %d tiles", ErrParameter, rows, columns, u.N, u.P, tiles, maxTiles)
	}
	out := &Partition{n: u.N, p: u.P}
	laws := map[[2]int]*Bernoulli{}
	for i := 0; i < u.N; i += rows {
		for j := 0; j < u.P; j += columns {
			shape := [2]int{min(rows, u.N-i), min(columns, u.P-j)}
			law := laws[shape]
			if law == nil {
				part := u
				part.N, part.P = shape[0], shape[1]
				if part.N == 1 {
					part.Alpha = 1 // no pairs to spend the rest on
				}
				part.Epsilon *= float64(part.N) * float64(part.P) / (float64(u.N) * float64(u.P))
				var err error
				if law, err = Allocate(part); err != nil {
					return nil, err
				}
				laws[shape] = law
			}
			out.Tiles = append(out.Tiles, Tile{i, j, law})
		}
	}
	return out, nil
}

// ClaimedEpsilon returns the sum of what Theorem 1 promises of the tiles at
// sensitivity s each: basic composition.
func (q *Partition) ClaimedEpsilon(s int) evidence.Claimed {
	var sum float64
	for _, t := range q.Tiles {
		sum += t.Law.ClaimedEpsilon(s).Value
	}
	return evidence.Claimed{Value: sum, Source: "Theorem 1, composed over blocks"}
}

// SmallestEpsilon returns the smallest ε for at most s bits anywhere: tiles are
// independent, so that it is the best way of spending s bits on them, not the
// sum of what each could lose alone. It takes O(tiles · s²).
func (q *Partition) SmallestEpsilon(s int) (evidence.Certified, error) {
	if s < 1 {
		return evidence.Certified{}, fmt.Errorf("%w: sensitivity = %d bits, want at least 1", ErrParameter, s)
	}
	s = min(s, q.n*q.p)
	lo, hi := make([]float64, s+1), make([]float64, s+1)
	curves := map[*Bernoulli][]evidence.Certified{}
	for _, t := range q.Tiles {
		curve := curves[t.Law]
		if curve == nil {
			curve = append(curve, evidence.Certified{})
			for k := 1; k <= min(s, t.Law.Dim()); k++ {
				curve = append(curve, t.Law.cols.LossAnywhere(k))
			}
			curves[t.Law] = curve
		}
		for have := s; have >= 0; have-- { // downward: each tile is spent on once
			for k := 1; k < len(curve) && k <= have; k++ {
				lo[have] = math.Max(lo[have], down(lo[have-k]+curve[k].Lo))
				hi[have] = math.Max(hi[have], up(hi[have-k]+curve[k].Hi))
			}
		}
	}
	return evidence.Certified{
		Lo: math.Max(0, lo[s]), Hi: hi[s], Loss: true, Method: "closed form of independent tiles",
	}, nil
}

// FlipRate returns the chance that a bit is flipped, the mean over all bits; of
// the complement where complement is true.
func (q *Partition) FlipRate(complement bool) evidence.Certified {
	var sum evidence.Certified
	size := float64(q.n) * float64(q.p)
	for _, t := range q.Tiles {
		rate, share := t.Law.cols.FlipRate(complement), float64(t.Law.Dim())/size
		sum.Lo, sum.Hi = sum.Lo+rate.Lo*share, sum.Hi+rate.Hi*share
	}
	slack := float64(2*len(q.Tiles)+4) * unit
	sum.Lo, sum.Hi, sum.Method, sum.Source = sum.Lo*(1-slack), sum.Hi*(1+slack), columnMethod, "Theorem 2"
	return sum
}

// Sample returns a draw of the noise.
func (q *Partition) Sample(src rand.Source) *Bits {
	out := NewBits(q.n, q.p)
	for _, t := range q.Tiles {
		noise := t.Law.cols.Sample(src)
		n, p := noise.Shape()
		for i := range n {
			for j := range p {
				if noise.At(i, j) {
					out.Set(t.Row+i, t.Column+j, true)
				}
			}
		}
	}
	return out
}
