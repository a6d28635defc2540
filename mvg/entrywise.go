package mvg

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/wideint"

	"gonum.org/v1/gonum/mat"
)

// An entrywise release is f(X)_ij + c_ij z_ij with independent z, each rounded to a grid.
//
// The function decided computes nearly all entries from enclosures in 64-bit and 128-bit integers. If an enclosure
// contains a rounding boundary, the entry is computed as a sampling.Number instead. Both compute the same function
// ⌊(f(X)_ij + c_ij z_ij)/step + ½⌋ of the infinite digit sequence of z. So the law does not depend on which of them is
// used.
type entrywise struct {
	grid          grid
	square        func(i, j int) *big.Rat // c_ij²
	rows, columns []root                  // c_ij/step = rows[i]·columns[j]
	draw          func(dst []sampling.Real, src rand.Source)

	careful bool // compute every entry as a Number; for tests
}

// root holds the first 64 bits of a positive number, which lies between word·2^−exp and (word + 1)·2^−exp, 2⁶³ ≤
// word.
type root struct {
	word uint64
	exp  int
}

// leading returns the first 64 bits of √q, for a positive q.
func leading(q *big.Rat) root {
	exp := 63 - sampling.FloorLog2(q)>>1
	v := new(big.Int).Lsh(q.Num(), uint(max(0, 2*exp)))
	v.Quo(v, new(big.Int).Lsh(q.Denom(), uint(max(0, -2*exp))))
	return root{v.Sqrt(v).Uint64(), exp} // ⌊√⌊q·4^exp⌋⌋ = ⌊√q·2^exp⌋
}

// batch is the number of entries of a row that are drawn at once.
const batch = 1024

func (e entrywise) release(ctx context.Context, fx mat.Matrix, sources func(row uint64) rand.Source) (*mat.Dense, error) {
	m, n := fx.Dims()
	out := mat.NewDense(m, n, nil)
	done := parallel.Count(ctx, int64(m), "rows released")
	err := parallel.Workers(ctx, m, max(1, batch/n), func() func(first, last int) error {
		reals := make([]sampling.Real, min(n, batch))
		stream := streams(sources)
		return func(first, last int) error {
			for i := first; i < last; i++ {
				src := stream(i)
				for from := 0; from < n; from += batch {
					part := reals[:min(batch, n-from)]
					e.draw(part, src)
					if err := e.add(ctx, out, fx, i, from, part); err != nil {
						return err
					}
				}
			}
			done(int64(last - first))
			return nil
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// streams returns a function that returns the source of a row. If sources is nil, the rows of one worker share the
// operating system's generator.
func streams(sources func(row uint64) rand.Source) func(row int) rand.Source {
	if sources == nil {
		system := new(sampling.System)
		return func(int) rand.Source { return system }
	}
	return func(row int) rand.Source { return sources(uint64(row)) }
}

// add writes entries (i, from), (i, from + 1), … to out.
func (e entrywise) add(ctx context.Context, out *mat.Dense, fx mat.Matrix, i, from int, z []sampling.Real) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for at := range z {
		j := from + at
		x := fx.At(i, j)
		if p, ok := e.grid.place(x); ok && !e.careful {
			if k, ok := decided(p, e.rows[i], e.columns[j], &z[at]); ok {
				out.Set(i, j, e.grid.short(k))
				continue
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		k, err := e.ask(x, i, j, &z[at])
		if err != nil {
			return fmt.Errorf("entry (%d, %d): %w", i, j, err)
		}
		out.Set(i, j, e.grid.value(k))
	}
	return nil
}

// ask returns the rounded entry, computed with sampling.Numbers.
func (e entrywise) ask(x float64, i, j int, z *sampling.Real) (*big.Int, error) {
	noise := sampling.Rat(e.square(i, j)).Root(2).Mul(z.Number())
	return sampling.Round(sampling.Sum(sampling.Rat(rational(x)), noise), e.grid.step)
}

// decided returns ⌊y + abz⌋ for p ≤ 2⁶⁴y < p + 1. ok is false if the first 64 binary digits of z and of the factors a
// and b do not determine it.
//
// With words S, T and exponents s, t of the factors, the product ab is between ST and ST + S + T + 1 in units of
// 2^−(s+t). With C = ⌊ST·2⁻⁶⁴⌋ and e = s + t − 64, that is
//
//	C·2^−e ≤ ab < (C + 3)·2^−e.
//
// Let W be the integer part and F the first 64 fractional digits of |z|, and X = W·2⁶⁴ + F, so that X ≤ 2⁶⁴|z| ≤ X + 1.
// Then ab|z|·2⁶⁴ is at least V = ⌊CX·2^−e⌋, and below
//
//	CX·2^−e + (C + 3X + 3)·2^−e < V + 1 + (3W + 4)·2^{64−e},
//
// since C < 2⁶⁴ and X + 1 ≤ (W + 1)·2⁶⁴. Adding y widens this interval by one.
func decided(p wideint.Int128, a, b root, z *sampling.Real) (k int64, ok bool) {
	c, _ := bits.Mul64(a.word, b.word)
	e := a.exp + b.exp - 64
	const most = 1 << 32
	if z.Whole >= most || e < 0 {
		return 0, false
	}
	width := 3*z.Whole + 4
	switch {
	case e > 64:
		width = width>>(e-64) + 1
	case bits.Len64(width) > e-1: // (3W + 4)·2^{64−e} ≥ 2⁶³
		return 0, false
	default:
		width <<= 64 - e
	}
	width++
	p1, p0 := bits.Mul64(c, z.First())
	q2, q1 := bits.Mul64(c, z.Whole)
	p1, carry := bits.Add64(p1, q1, 0)
	v, ok := shifted(q2+carry, p1, p0, e)
	if !ok {
		return 0, false
	}
	lo, hi := p.Add(v), p.Add(v).Add(wideint.Int128{Lo: width}).Add(wideint.Int128{Hi: 0, Lo: 1})
	if z.Negative {
		lo, hi = p.Sub(v).Sub(wideint.Int128{Lo: width}), p.Sub(v).Add(wideint.Int128{Hi: 0, Lo: 1})
	}
	return lo.Hi, lo.Hi == hi.Hi
}

// shifted returns ⌊v·2^−by⌋ for a number of three words; ok is false unless it is below 2¹²⁵.
func shifted(v2, v1, v0 uint64, by int) (wideint.Int128, bool) {
	for ; by >= 64; by -= 64 {
		v2, v1, v0 = 0, v2, v1
		if v1|v0 == 0 {
			return wideint.Int128{}, true
		}
	}
	if by > 0 {
		v0 = v0>>by | v1<<(64-by)
		v1 = v1>>by | v2<<(64-by)
		v2 >>= by
	}
	return wideint.Int128{Hi: int64(v1), Lo: v0}, v2 == 0 && v1 < 1<<61
}
