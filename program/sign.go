package program

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/internal/roots"
	"dpworkbench/interval"
)

// Limits bounds the enumeration of a program.
type Limits struct {
	Paths int // number of paths at one dataset
	Cells int // number of distinct output cells
}

func (l Limits) tooMany() error {
	return parameter.Errorf("the program has more than %d paths at one dataset, want fewer, or a larger limit", l.Paths)
}

// polynomial returns the numerator of a as a polynomial in the one unit, divided by a power of it. It has the sign
// of a on (0, 1).
func polynomial(a fraction) roots.Polynomial {
	if len(a.num) == 0 {
		return nil
	}
	first, last := a.num[0].e[0], a.num[len(a.num)-1].e[0]
	out := make(roots.Polynomial, last-first+1)
	for i := range out {
		out[i] = new(big.Int)
	}
	for _, m := range a.num {
		out[m.e[0]-first].Set(m.c)
	}
	return out
}

// notNegative reports whether a ≥ 0: for every ε if the program is symbolic, and otherwise at the units' values. It
// returns false if an enclosure does not decide.
func (r *rates) notNegative(a fraction) bool {
	if r.symbol {
		at, err := polynomial(a).Negative(context.Background(), big.NewRat(1, 2))
		return err == nil && len(at) == 0
	}
	if len(r.units) == 0 {
		return len(a.num) == 0 || a.num[0].c.Sign() >= 0
	}
	sign, _ := r.enclose(a).Sign()
	return len(a.num) == 0 || sign > 0
}

// isPositive reports whether a > 0: for every ε if the program is symbolic, and otherwise at the units' values.
func (r *rates) isPositive(a fraction) bool {
	if a.isZero() || !r.notNegative(a) {
		return false
	}
	if r.symbol {
		at, err := polynomial(a).Roots(context.Background())
		return err == nil && len(at) == 0
	}
	return true
}

// enclose encloses a at the units' values.
func (r *rates) enclose(a fraction) interval.Interval {
	num := r.sumOf(a.num)
	den := interval.Rat(new(big.Rat).SetInt(a.bottom()))
	for _, t := range a.below {
		den = den.Mul(r.sumOf(r.field.factors[t.number]).Pow(t.times))
	}
	return num.Quo(den)
}

func (r *rates) sumOf(p laurent) interval.Interval {
	sum := interval.Int(0)
	for _, m := range p {
		c := interval.Rat(new(big.Rat).SetInt(m.c))
		if !m.e.isZero() {
			c = c.Mul(r.logarithm(m.e).Neg().Exp())
		}
		sum = sum.Add(c)
	}
	return sum
}

// between encloses the numbers from a to a + extra.
func (r *rates) between(a, extra fraction) interval.Interval {
	low, high := interval.Int(0), interval.Int(0)
	if !a.isZero() {
		low = r.enclose(a)
		high = low
	}
	if !extra.isZero() {
		high = high.Add(r.enclose(extra))
	}
	return interval.Hull(low, high)
}

// Span is an open interval of z throughout which the claim fails. Its cover proves that.
type Span struct {
	From, To roots.Root
	Cover    []Cover // consecutive intervals that cover the range from From.Hi to To.Lo
}

// Cover is a closed interval of z throughout which the output's probability at X is too large compared with that at Y.
// It is open at 0 and at 1.
type Cover struct {
	X, Y     int
	Cells    []int // index of the output's cell in each table
	From, To *big.Rat
}

// failure is an open interval in which an inequality fails.
type failure struct {
	of       inequality
	from, to roots.Known
}

func (f failure) size() *big.Rat { return new(big.Rat).Sub(f.to.Lo, f.from.Hi) }

// union returns the union of open intervals, ascending. Two that touch in a point stay separate, because the claim
// may hold at that point. It returns the context's error.
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
