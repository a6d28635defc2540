package xor

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// block is a number of columns, each with the same number of flipped bits.
type block struct{ flips, count int }

// pattern is a difference pattern of independent columns, up to the order of columns and of rows within a column.
type pattern []block

// patterns holds the difference patterns of some neighbors.
type patterns struct {
	law    *Columns
	list   []pattern
	where  func(p pattern) Entries
	output func(tag int) any

	guard sync.Mutex
	made  map[int]privacy.Pair // by flips
}

const (
	// mostPatterns bounds the number of patterns, and mostAtoms the number of states of one column. All columns
	// together may have twice as many.
	mostPatterns = 1 << 12
	mostAtoms    = 1 << 16
	mostTried    = 1 << 22
)

// fill sets the patterns' pairs on a family. It returns false if there are too many patterns or states.
func (s *patterns) fill(f *privacy.DominatingPairs) bool {
	total, seen, c := 0.0, map[int]bool{}, s.law
	for _, p := range s.list {
		for _, b := range p {
			if seen[b.flips] {
				continue
			}
			seen[b.flips] = true
			n := float64(b.flips+1) * float64(c.n-b.flips+1)
			far := math.Abs(c.theta)*float64(c.n) + math.Abs(c.lambda)*float64(c.n)*float64(c.n)
			if total += n; total > 2*mostAtoms || n > mostAtoms || !(far < 1e6) || !(c.off() < 0x1p-30) {
				return false
			}
		}
	}
	s.made = map[int]privacy.Pair{}
	f.Size, f.Source = len(s.list), "law of the ones of a column, among the flipped bits and the others"
	f.Pair = func(ctx context.Context, i int) (privacy.Pair, error) { return s.pair(ctx, s.list[i]) }
	f.Key = func(i int) string { return fmt.Sprint(s.list[i]) }
	f.Datasets = func(i int) (x, y any) { return Entries(nil), s.where(s.list[i]) }
	f.Output = s.output
	return true
}

// pair returns the pair of a pattern, the product of the pairs of its independent columns.
func (s *patterns) pair(ctx context.Context, p pattern) (privacy.Pair, error) {
	s.guard.Lock()
	defer s.guard.Unlock()
	var pairs []privacy.Pair
	var times []int
	for _, b := range p {
		if s.made[b.flips] == nil {
			one, err := s.law.pair(ctx, b.flips)
			if err != nil {
				return nil, err
			}
			s.made[b.flips] = one
		}
		pairs, times = append(pairs, s.made[b.flips]), append(times, b.count)
	}
	if len(pairs) == 0 {
		return nothing(), nil
	}
	return privacy.Independent(pairs, times), nil
}

// nothing returns the pair of two equal laws.
func nothing() privacy.Pair {
	one := big.NewRat(1, 1)
	none := evidence.ExactRat(new(big.Rat))
	return privacy.NewDiscretePair([]privacy.Atom{privacy.RationalAtom(one, one, 0)}, none, none, evidence.Epsilon{}, privacy.Hooks{})
}

// patterns returns the patterns for neighbors that Under accepts. ok is false if there are too many.
func (c *Columns) patterns(nb Neighbors) (*patterns, bool) {
	bit := c.bit()
	first := func(p pattern) Entries { // positions of the pattern in the first columns
		var out Entries
		at := 0
		for _, b := range p {
			for range b.count {
				out = append(out, bit.entries(at, b.flips, c)...)
				at++
			}
		}
		return out
	}
	output := func(tag int) any { return bit.outcome(tag, c) }
	alone := func(p pattern, where Entries) *patterns {
		return &patterns{law: bit, list: []pattern{p}, where: func(pattern) Entries { return where }}
	}
	switch {
	case nb.kind == anyBits:
		s, ok := bit.patternsOfAtMost(nb.times)
		if ok {
			s.where, s.output = first, output
		}
		return s, ok
	case nb.kind == wholeRows && nb.times == 1: // flipping fewer columns of the row loses less
		row := make(Entries, 0, c.p)
		for j := range c.p {
			row = append(row, [2]int{0, j})
		}
		return alone(pattern{{1, c.p}}, row), true
	case nb.kind == edges && nb.times == 1:
		return alone(pattern{{1, 2}}, Entries{{0, 1}, {1, 0}}), true
	}
	var all []Entries
	if nb.kind == listed {
		for _, m := range nb.patterns {
			all = append(all, m.entries())
		}
	} else {
		for _, s := range nb.differences(c.n, c.p) {
			all = append(all, entriesOf(s, c.p))
		}
	}
	out, where := &patterns{law: bit}, map[string]Entries{}
	for _, e := range all {
		p := bit.flipped(e)
		if key := fmt.Sprint(p); where[key] == nil {
			where[key] = slices.Clone(e)
			if e == nil {
				where[key] = Entries{}
			}
			out.list = append(out.list, p)
		}
	}
	out.where = func(p pattern) Entries { return where[fmt.Sprint(p)] }
	return out, len(out.list) <= mostPatterns
}

// flipped returns the pattern of entries that are flipped.
func (c *Columns) flipped(e Entries) pattern {
	if c.n == 1 { // this includes columns that were split into bits
		if len(e) == 0 {
			return nil
		}
		return pattern{{1, len(e)}}
	}
	column := map[int]int{}
	for _, at := range e {
		column[at[1]]++
	}
	count := map[int]int{}
	for _, a := range column {
		count[a]++
	}
	var p pattern
	for a := c.n; a > 0; a-- {
		if count[a] > 0 {
			p = append(p, block{a, count[a]})
		}
	}
	return p
}

// entries returns the first bits of column j of c. c is whole, or its columns split into bits; then the result is bit
// j.
func (c *Columns) entries(j, bits int, whole *Columns) Entries {
	if c.n != whole.n {
		return Entries{{j / whole.p, j % whole.p}}
	}
	var out Entries
	for i := range bits {
		out = append(out, [2]int{i, j})
	}
	return out
}

// patternsOfAtMost returns the patterns of at most s bits. Flipping bits in one more column makes a pattern less
// private: an observer of the other columns can add an uninformative one. So it lists only patterns with exactly s
// bits, or with some flipped bits in every column.
func (c *Columns) patternsOfAtMost(s int) (*patterns, bool) {
	out := &patterns{law: c}
	tried := 0
	var p pattern
	// visit chooses how many of the remaining columns get `largest` flips, and calls itself with fewer flips per
	// column.
	var visit func(largest, columns, left int) bool
	visit = func(largest, columns, left int) bool {
		if tried++; tried > mostTried || len(out.list) > mostPatterns {
			return false
		}
		if largest == 0 || columns == 0 || left == 0 {
			if left == 0 || columns == 0 {
				out.list = append(out.list, slices.Clone(p))
			}
			return true
		}
		for n := min(columns, left/largest); n >= 0; n-- {
			if n > 0 {
				p = append(p, block{largest, n})
			}
			ok := visit(largest-1, columns-n, left-n*largest)
			if n > 0 {
				p = p[:len(p)-1]
			}
			if !ok {
				return false
			}
			if largest == 1 {
				break // the remaining bits would fit
			}
		}
		return true
	}
	return out, visit(min(c.n, s), c.p, s)
}

// pair returns the pair of one column with a flipped bits. With j ones among the flipped bits and m among the others
// there are C(a, j)·C(N − a, m) states. Their weight is w(j + m), and w(a − j + m) after the flip. The loss is (2j −
// a)(θ + λ(a + 2m − 1)), which is 0 if half of the flipped bits are ones.
func (c *Columns) pair(ctx context.Context, a int) (privacy.Pair, error) {
	around := func(v, off float64) interval.Interval { return interval.Float(v).Add(interval.Between(-off, off)) }
	theta, lambda := around(c.theta, c.offTheta), around(c.lambda, c.offLambda)
	if c.theta == 0 && c.lambda == 0 && c.offTheta == 0 && c.offLambda == 0 {
		return nothing(), nil
	}
	weight := make([]interval.Interval, c.n+1)
	grow, step := lambda.Mul(interval.Int(2)).Exp(), theta.Exp()
	weight[0] = interval.Int(1)
	for m := range c.n {
		if m%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		weight[m+1], step = weight[m].Mul(step), step.Mul(grow)
	}
	sum := interval.Int(0)
	for m, ways := range choose(c.n) {
		sum = sum.Add(ways.Mul(weight[m]))
	}
	on := latticeOf(c.theta, c.lambda)
	var atoms []atom
	among, others := choose(a), choose(c.n-a)
	for j := range among {
		twice := int64(2*j - a)
		for m := range others {
			if m%4096 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			ways := among[j].Mul(others[m]).Quo(sum)
			at := atom{
				p: ways.Mul(weight[j+m]), q: ways.Mul(weight[a-j+m]), tag: c.tag(a, j, m),
				loss: theta.Add(lambda.Mul(interval.Int(int64(a + 2*m - 1)))).Mul(interval.Int(twice)),
			}
			if on.unit > 0 {
				at.steps = twice * (on.count[0] + on.count[1]*int64(a+2*m-1))
			}
			atoms = append(atoms, at)
		}
	}
	return lossesOf(atoms, on), nil
}

// tag returns the number of the class of states with j ones among a flipped bits and m ones among the others.
func (c *Columns) tag(a, j, m int) int { return (a*(c.n+1)+j)*(c.n+1) + m }

// outcome returns a state that has the tag.
func (c *Columns) outcome(tag int, whole *Columns) Entries {
	m, j, a := tag%(c.n+1), tag/(c.n+1)%(c.n+1), tag/(c.n+1)/(c.n+1)
	out := c.entries(0, j, whole)
	if c.n != whole.n && j == 0 {
		out = nil
	}
	for i := range m {
		out = append(out, [2]int{a + i, 0})
	}
	return out
}

// choose returns C(n, m) for every m.
func choose(n int) []interval.Interval {
	out := make([]interval.Interval, n+1)
	out[0] = interval.Int(1)
	for m := range n {
		out[m+1] = out[m].Mul(interval.Int(int64(n - m))).Quo(interval.Int(int64(m + 1)))
	}
	return out
}
