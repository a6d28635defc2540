package audit

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
)

// DefaultRounding is the default relative error of rounded probabilities.
const DefaultRounding = 1e-9

// mostRounding is the largest allowed Rounding, and mostRounded the largest allowed rounded probability.
const mostRounding = 0.01

var mostRounded = new(big.Rat).SetFloat64(1 + mostRounding)

// Table holds the law of the outputs at each dataset. The zero value is an
// empty table. Outputs that are not listed have probability zero.
type Table struct {
	// Rounding is the largest relative error of a probability in a table with rounded numbers; zero means
	// DefaultRounding. It has no effect if all numbers are exact and sum to 1.
	Rounding float64

	datasets, outputs names
	laws              [][]mass
	rounded           bool
	sorted            bool
}

// mass is the positive probability of one output.
type mass struct {
	output int
	p      *big.Rat
	f      float64 // float64 nearest to p; 0 if p is subnormal
}

// Add sets the probability of an output of a dataset. It returns an error wrapping ErrParameter unless p lies in [0,
// 1].
func (t *Table) Add(dataset, output string, p *big.Rat) error {
	return t.add(dataset, output, p, false)
}

// AddRounded is Add for a rounded p (see ParseNumber). A rounded p may exceed 1 by at most 0.01, the largest Rounding.
func (t *Table) AddRounded(dataset, output string, p *big.Rat) error {
	return t.add(dataset, output, p, true)
}

func (t *Table) add(dataset, output string, p *big.Rat, rounded bool) error {
	if p.Sign() < 0 || p.Cmp(one) > 0 && !(rounded && p.Cmp(mostRounded) <= 0) {
		v, _ := p.Float64()
		return parameter.Errorf("dataset %s, output %s: probability = %v, want a number in [0, 1]", clip(dataset), clip(output), v)
	}
	x := t.datasets.id(dataset)
	if x == len(t.laws) {
		t.laws = append(t.laws, nil)
	}
	f, _ := p.Float64()
	if f < 1e-290 {
		f = 0
	}
	t.laws[x] = append(t.laws[x], mass{t.outputs.id(output), p, f})
	t.rounded, t.sorted = t.rounded || rounded, false
	return nil
}

// Datasets returns the names of the datasets in the order of their first appearance.
func (t *Table) Datasets() []string { return slices.Clone(t.datasets.labels) }

// check sorts the laws by output and returns the relative error of the probabilities: 0 if all are exact and each
// law sums to 1. It returns an error wrapping ErrParameter if an output is given twice, or a sum differs from 1 by
// more than Rounding.
func (t *Table) check(ctx context.Context) (rounding *big.Rat, err error) {
	if len(t.laws) == 0 {
		return nil, parameter.Errorf("table_or_samples is empty")
	}
	u := t.Rounding
	if u == 0 {
		u = DefaultRounding
	}
	if !(u > 0 && u <= mostRounding) {
		return nil, parameter.Bad("rounding", u, "a number in (0, %g]", mostRounding)
	}
	most := new(big.Rat).SetFloat64(u)
	exact := !t.rounded
	for x, law := range t.laws {
		if !t.sorted {
			slices.SortStableFunc(law, func(a, b mass) int { return cmp.Compare(a.output, b.output) })
			for i := 1; i < len(law); i++ {
				if law[i].output == law[i-1].output {
					return nil, parameter.Errorf("dataset %s gives output %s twice", clip(t.datasets.labels[x]), clip(t.outputs.labels[law[i].output]))
				}
			}
			law = slices.DeleteFunc(law, func(m mass) bool { return m.p.Sign() == 0 })
			t.laws[x] = law
		}
		total, err := sum(ctx, law)
		if err != nil {
			return nil, err
		}
		gap := new(big.Rat).Sub(total, one)
		if gap.Sign() == 0 {
			continue
		}
		exact = false
		if new(big.Rat).Abs(gap).Cmp(most) > 0 {
			v, _ := total.Float64()
			off, _ := gap.Float64()
			return nil, parameter.Errorf("dataset %s: the probabilities sum to %.12g, off by %.3g, want 1 to within rounding = %g", clip(t.datasets.labels[x]), v, off, u)
		}
	}
	if !t.sorted { // avoid a write when several goroutines read
		t.sorted = true
	}
	if exact {
		return new(big.Rat), nil
	}
	return most, nil
}

// sum adds the probabilities of a law pairwise, so that fractions with different denominators are combined late.
func sum(ctx context.Context, law []mass) (*big.Rat, error) {
	switch len(law) {
	case 0:
		return new(big.Rat), nil
	case 1:
		return law[0].p, nil
	}
	if len(law) > 1<<10 && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a, err := sum(ctx, law[:len(law)/2])
	if err != nil {
		return nil, err
	}
	b, err := sum(ctx, law[len(law)/2:])
	if err != nil {
		return nil, err
	}
	return new(big.Rat).Add(a, b), nil
}

// cell is one output with its probabilities p and q under a directed pair of laws.
type cell struct {
	output int
	p, q   *big.Rat // nil for zero
	f, g   float64  // the float64s nearest to them
}

// ratio returns p/q as a float64: infinite if q is zero, and NaN if float64s do not decide.
func (c cell) ratio() float64 {
	switch {
	case c.q == nil:
		return math.Inf(1)
	case c.p == nil:
		return 0
	case c.f == 0 || c.g == 0:
		return math.NaN()
	}
	return c.f / c.g
}

// join appends the cells of laws x and y with p > 0 to into.
func (t *Table) join(x, y int, into []cell) []cell {
	b := t.laws[y]
	for _, m := range t.laws[x] {
		for len(b) > 0 && b[0].output < m.output {
			b = b[1:]
		}
		c := cell{output: m.output, p: m.p, f: m.f}
		if len(b) > 0 && b[0].output == m.output {
			c.q, c.g = b[0].p, b[0].f
		}
		into = append(into, c)
	}
	return into
}
