package certificate_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/signrp"
)

// wholeRows returns rows of numbers as whole numbers, times a scale.
func wholeRows(rows [][]*big.Rat) (whole [][]*big.Int, scale *big.Int) {
	scale = big.NewInt(1)
	for _, row := range rows {
		for _, q := range row {
			scale.Mul(scale, new(big.Int).Quo(q.Denom(), new(big.Int).GCD(nil, nil, scale, q.Denom())))
		}
	}
	whole = make([][]*big.Int, len(rows))
	for i, row := range rows {
		for _, q := range row {
			v := new(big.Int).Quo(scale, q.Denom())
			whole[i] = append(whole[i], v.Mul(v, q.Num()))
		}
	}
	return whole, scale
}

type statedChance struct {
	U    []string
	Beta string
	Is   statedNumber
}

// counted is a sum of signs with how many of them give it.
type counted struct{ sum, count *big.Int }

// mostSums is how many sums of half of the signs are told apart here.
const mostSums = 1 << 14

// sumsOf returns the sums of all signs of some numbers, ascending, and false where they are too many.
func sumsOf(of []*big.Int) ([]counted, bool) {
	out := []counted{{new(big.Int), big.NewInt(1)}}
	for _, v := range of {
		if len(out) > mostSums/2 {
			return nil, false
		}
		more := make([]counted, 0, 2*len(out))
		for _, c := range out {
			more = append(more, counted{new(big.Int).Sub(c.sum, v), c.count}, counted{new(big.Int).Add(c.sum, v), c.count})
		}
		slices.SortFunc(more, func(a, b counted) int { return a.sum.Cmp(b.sum) })
		out = out[:0]
		for i, c := range more {
			if i > 0 && c.sum.Cmp(more[i-1].sum) == 0 {
				out[len(out)-1].count = new(big.Int).Add(out[len(out)-1].count, c.count)
			} else {
				out = append(out, c)
			}
		}
	}
	return out, true
}

// chanceHolds counts the sums of both halves of the signs, and looks up those that go together; where they are too
// many it asks the workbench, which reads decimals.
func chanceHolds(s statedChance) error {
	u, beta := rats(s.U), rat(s.Beta)
	all, _ := wholeRows([][]*big.Rat{append(u, beta)})
	limit, rest := all[0][len(u)], slices.DeleteFunc(all[0][:len(u)], func(v *big.Int) bool { return v.Sign() == 0 })
	first, few := sumsOf(rest[:len(rest)/2])
	second, fewer := sumsOf(rest[len(rest)/2:])
	if !few || !fewer {
		values, decimals, _ := exactFloats(append(u, beta))
		if !decimals {
			return errors.New("there are too many sums to tell")
		}
		return s.Is.allows(must.Be(signrp.RademacherPPlus(context.Background(), values[:len(u)], values[len(u)])))
	}
	below := []*big.Int{new(big.Int)} // how many of the second half are before each
	for _, c := range second {
		below = append(below, new(big.Int).Add(below[len(below)-1], c.count))
	}
	inside := new(big.Int)
	for _, a := range first { // |a + b| ≤ limit
		end, top := new(big.Int).Neg(new(big.Int).Add(limit, a.sum)), new(big.Int).Sub(limit, a.sum)
		from := sort.Search(len(second), func(i int) bool { return second[i].sum.Cmp(end) >= 0 })
		to := sort.Search(len(second), func(i int) bool { return second[i].sum.Cmp(top) > 0 })
		ways := new(big.Int).Sub(below[to], below[from])
		inside.Add(inside, ways.Mul(ways, a.count))
	}
	return s.Is.allows(evidence.Exact{Value: new(big.Rat).SetFrac(inside, new(big.Int).Lsh(big.NewInt(1), uint(len(rest))))})
}

type statedSigns struct {
	Projection struct {
		Signs []string
		Rows  [][]string
	}
	Rule, Beta string
	Eps        statedEpsilon
	Shared     int
	U, V       []string
	Is         statedNumber
}

// flippedSigns are signs of projections, by columns of the projection and how far each moves by at most.
type flippedSigns struct {
	statedSigns
	columns [][]*big.Rat
	reach   []*big.Rat
	eps     interval.Interval
}

// signsHold computes ε from the chances of the signs, at two vectors: at all ends of the moves of a coordinate where
// one is given, and where none is, by the formula for all vectors, which two opposite ones attain and no others
// exceed.
func signsHold(s statedSigns) error {
	f := flippedSigns{statedSigns: s, eps: s.Eps.epsilon().Enclosure()}
	var rows [][]*big.Rat
	for _, row := range s.Projection.Signs {
		var out []*big.Rat
		for _, c := range row {
			out = append(out, big.NewRat(map[rune]int64{'+': 1, '-': -1, '0': 0}[c], 1))
		}
		rows = append(rows, out)
	}
	for _, row := range s.Projection.Rows {
		rows = append(rows, rats(row))
	}
	for j := range rows[0] {
		reach := new(big.Rat)
		var column []*big.Rat
		for _, row := range rows {
			column = append(column, row[j])
			if size := new(big.Rat).Abs(row[j]); size.Cmp(reach) > 0 {
				reach = size
			}
		}
		f.columns, f.reach = append(f.columns, column), append(f.reach, new(big.Rat).Mul(reach, rat(s.Beta)))
	}
	zero := make([]*big.Rat, len(rows))
	for i := range zero {
		zero[i] = new(big.Rat)
	}
	var known interval.Interval
	switch {
	case s.V != nil:
		known = f.loss(rats(s.U), rats(s.V))
	case s.U != nil:
		known = f.worst(rats(s.U))
	default:
		known = f.public(rows)
		for i := range rows { // what is attained
			at, half := append([]*big.Rat{}, zero...), new(big.Rat).Quo(rat(s.Beta), big.NewRat(2, 1))
			if half.Cmp(big.NewRat(1, 1)) > 0 {
				half.SetInt64(1)
			}
			at[i] = half
			if found := f.loss(at, f.moved(at, i, new(big.Rat).Neg(half))); known.Less(found) {
				return fmt.Errorf("the formula gives %v, and ±%v e_%d %v", known, half, i, found)
			}
		}
	}
	return s.Is.meets(known)
}

// moved returns a vector with another coordinate.
func (f flippedSigns) moved(u []*big.Rat, i int, to *big.Rat) []*big.Rat {
	out := append([]*big.Rat{}, u...)
	out[i] = to
	return out
}

// worst returns the largest loss of a vector and its neighbors, at the ends of each move and halfway.
func (f flippedSigns) worst(u []*big.Rat) interval.Interval {
	beta, one, worst := rat(f.Beta), big.NewRat(1, 1), interval.Int(0)
	for i, v := range u {
		for _, up := range []int64{-1, 1} {
			end := new(big.Rat).Add(v, new(big.Rat).Mul(beta, big.NewRat(up, 1)))
			if limit := big.NewRat(up, 1); new(big.Rat).Abs(end).Cmp(one) > 0 {
				end = limit
			}
			half := new(big.Rat).Add(v, end)
			for _, to := range []*big.Rat{end, half.Quo(half, big.NewRat(2, 1))} {
				worst = interval.Max(worst, f.loss(u, f.moved(u, i, to)))
			}
		}
	}
	return worst
}

// public returns the loss of all vectors.
func (f flippedSigns) public(rows [][]*big.Rat) interval.Interval {
	most := 0
	for _, row := range rows {
		touched := 0
		for _, w := range row {
			if w.Sign() != 0 {
				touched++
			}
		}
		most = max(most, touched)
	}
	shared := f.Shared
	if f.Rule == "within" {
		shared = len(f.columns)
		for j, column := range f.columns {
			sum := new(big.Rat)
			for _, w := range column {
				sum.Add(sum, new(big.Rat).Abs(w))
			}
			if sum.Cmp(f.reach[j]) > 0 {
				return infinite()
			}
		}
	}
	return f.eps.Mul(interval.Rat(big.NewRat(int64(most), int64(shared))))
}

func infinite() interval.Interval { return interval.Float(positiveInfinity) }

// loss returns the smallest ε of the signs at two vectors.
func (f flippedSigns) loss(u, v []*big.Rat) interval.Interval {
	a, shared, sure := f.levels(u)
	b, others, certain := f.levels(v)
	for j := range a {
		if sure[j] != certain[j] || sure[j] && a[j].Sign() != b[j].Sign() {
			return infinite()
		}
	}
	if shared != others {
		panic(failed{errors.New("more signs are drawn at one vector")})
	}
	there, back := interval.Int(0), interval.Int(0)
	for j := range a {
		if !sure[j] {
			step := f.eps.Quo(interval.Int(int64(shared)))
			there = there.Add(costs(a[j], b[j], step))
			back = back.Add(costs(b[j], a[j], step))
		}
	}
	return interval.Max(there, back)
}

// levels returns the exponent of each sign's chance, in units of what shared signs share; sure are the signs that are
// as they are.
func (f flippedSigns) levels(u []*big.Rat) (levels []*big.Int, shared int, sure []bool) {
	shared = f.Shared
	if f.Rule == "within" {
		shared = 0
	}
	for j, column := range f.columns {
		d := new(big.Rat)
		for i, w := range column {
			d.Add(d, new(big.Rat).Mul(w, u[i]))
		}
		level, certain := big.NewInt(1), false
		switch {
		case f.Rule == "levels" && d.Sign() == 0:
			level = new(big.Int)
		case f.Rule == "levels":
			steps := new(big.Rat).Quo(new(big.Rat).Abs(d), f.reach[j])
			level = new(big.Int).Neg(steps.Num())
			level.Div(level, steps.Denom()).Neg(level) // rounded up
		case f.Rule == "within":
			if certain = new(big.Rat).Abs(d).Cmp(f.reach[j]) > 0; !certain {
				shared++
			}
		}
		if d.Sign() < 0 {
			level.Neg(level)
		}
		levels, sure = append(levels, level), append(sure, certain)
	}
	return levels, shared, sure
}

// costs returns max ln(P/Q) over both values of a sign that is + with chances 1/(1 + e^(−a·step)) and 1/(1 +
// e^(−b·step)).
func costs(a, b *big.Int, step interval.Interval) interval.Interval {
	rises := func(n *big.Int) interval.Interval { // ln(1 + e^(n·step))
		x := interval.Rat(new(big.Rat).SetInt(n)).Mul(step)
		if n.Sign() <= 0 {
			return x.Exp().Log1p()
		}
		return x.Add(x.Neg().Exp().Log1p())
	}
	negative := func(n *big.Int) *big.Int { return new(big.Int).Neg(n) }
	return interval.Max(rises(negative(b)).Sub(rises(negative(a))), rises(b).Sub(rises(a)))
}
