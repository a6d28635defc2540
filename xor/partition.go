package xor

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Tile is one block of a partition and its noise.
type Tile struct {
	Row, Column int // of its first entry
	Law         *Bernoulli
}

// Partition is noise drawn block by block (section 5.2): an N × P matrix is divided into tiles. Each tile has a
// share of the budget proportional to its size, and noise of its own by Algorithm 1.
type Partition struct {
	n, p  int
	Tiles []Tile
	kinds []kind
}

// kind is the set of tiles of one shape; there are at most four.
type kind struct {
	law   *Bernoulli
	count int
}

// maxTiles bounds the memory of a partition.
const maxTiles = 1 << 24

// Shape returns N and P.
func (q *Partition) Shape() (n, p int) { return q.n, q.p }

// Divide divides u.N × u.P into tiles of at most rows × columns. A tile of size m gets ε·m/NP. It returns an error
// wrapping evidence.ErrParameter as Allocate does, and unless rows and columns are positive and there are at most
// 2²⁴ tiles.
func Divide(u Budget, rows, columns int) (*Partition, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	if rows < 1 || columns < 1 {
		return nil, parameter.Errorf("tiles of %d × %d, want at least 1 × 1", rows, columns)
	}
	tiles := math.Ceil(float64(u.N)/float64(rows)) * math.Ceil(float64(u.P)/float64(columns))
	if tiles > maxTiles {
		return nil, parameter.Errorf("tiles of %d × %d cut %d × %d bits into %.3g, want at most %d tiles", rows, columns, u.N, u.P, tiles, maxTiles)
	}
	out := &Partition{n: u.N, p: u.P}
	laws := map[[2]int]int{} // the place in kinds
	for i := 0; i < u.N; i += rows {
		for j := 0; j < u.P; j += columns {
			shape := [2]int{min(rows, u.N-i), min(columns, u.P-j)}
			at, ok := laws[shape]
			if !ok {
				alpha := u.Alpha
				if shape[0] == 1 {
					alpha = 1 // no pairs to spend the rest on
				}
				bits, all := int64(shape[0])*int64(shape[1]), int64(u.N)*int64(u.P)
				if share := u.Epsilon.Ratio(bits, all).Value(); share < 0x1p-1022 {
					return nil, parameter.Errorf("eps = %s leaves a tile of %d × %d bits %g, want at least 2.3e-308", u.Epsilon, shape[0], shape[1], share)
				}
				law, err := u.allocate(shape[0], shape[1], alpha, bits, all)
				if err != nil {
					return nil, err
				}
				at = len(out.kinds)
				laws[shape] = at
				out.kinds = append(out.kinds, kind{law: law})
			}
			out.kinds[at].count++
			out.Tiles = append(out.Tiles, Tile{i, j, out.kinds[at].law})
		}
	}
	return out, nil
}

// ClaimedEpsilon returns the sum of the bounds of Theorem 1 for the tiles at sensitivity s each: basic composition.
func (q *Partition) ClaimedEpsilon(s int) evidence.Claimed {
	var sum float64
	for _, k := range q.kinds {
		sum += float64(k.count) * k.law.ClaimedEpsilon(s).Value
	}
	return evidence.Claimed{Value: sum, Provenance: evidence.From("Theorem 1, composed over blocks")}
}

// smallest returns the smallest ε for at most s bits anywhere.
func (q *Partition) smallest(s int) evidence.Certified {
	type bits struct {
		cost, off float64
		count     int
	}
	var all []bits
	for _, k := range q.kinds {
		c := k.law.cols
		for t := 1; t <= min(c.n, s); t++ {
			all = append(all, bits{c.theta + c.lambda*float64(2*(c.n-t)), c.offTheta + 2*float64(c.n-1)*c.offLambda, c.p * k.count})
		}
	}
	slices.SortFunc(all, func(a, b bits) int { return cmp.Compare(b.cost+b.off, a.cost+a.off) }) // by the largest possible exact cost
	var sum, off interval.DoubleDouble
	for _, b := range all {
		n := min(s, b.count)
		sum.Accumulate(float64(n) * b.cost)
		off.Accumulate(float64(n) * b.off)
		if s -= n; s == 0 {
			break
		}
	}
	v, slack := sum.Float(), off.Float()*(1+4*unit) // four roundings a term, and one of the sum
	return evidence.Certified{
		Lo: math.Max(0, interval.Down(v*(1-8*unit)-slack)), Hi: interval.Up(v*(1+8*unit) + slack),
		Side: evidence.Up, Provenance: evidence.Provenance{Method: "closed form of independent tiles"},
	}
}

// FlipRate returns the chance that a bit is flipped, the mean over all bits; of
// the complement 1 − B for Complement. It returns ctx's error.
func (q *Partition) FlipRate(ctx context.Context, complement Variant) (evidence.Certified, error) {
	var sum evidence.Certified
	for _, k := range q.kinds {
		part, err := k.law.cols.MeanOnes(ctx, complement, float64(q.n)*float64(q.p))
		if err != nil {
			return evidence.Certified{}, err
		}
		accumulate(&sum, part, k.count)
	}
	return atMost(1, sum), nil
}

// Noise returns a draw of the noise. It returns ctx's error.
func (q *Partition) Noise(ctx context.Context, src rand.Source) (*Bits, error) {
	out := newBits(q.n, q.p)
	for _, t := range q.Tiles {
		noise, err := t.Law.cols.Noise(ctx, src)
		if err != nil {
			return nil, err
		}
		n, p := noise.Shape()
		for i := range n {
			for j := range p {
				if noise.At(i, j) {
					out.Set(t.Row+i, t.Column+j, true)
				}
			}
		}
	}
	return out, nil
}
