package program

import (
	"context"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
)

// Branch is an execution path at a dataset: its decisions, its result and its probability.
type Branch struct {
	Told        []string
	Output      string
	Probability Value
}

// Value is a probability of a program: a number, or a function of the symbol ε.
type Value struct {
	of, extra fraction // the probability lies in [of, of + extra]
	rates     *rates
}

// Number returns the probability, exact if it is rational and certified otherwise; ok is false if it is a function
// of ε.
func (v Value) Number() (evidence.Number, bool) {
	if v.rates.symbol {
		return nil, false
	}
	if !v.extra.isZero() {
		return evidence.Enclosed(v.rates.between(v.of, v.extra), "sum over the likely values of some draws", "the others' probability"), true
	}
	if v.of.isZero() {
		return evidence.FromInt(new(big.Int)), true
	}
	a := evidence.RatOrInterval{}
	if q, ok := v.rates.rational(v.of, make(map[exponent]*big.Rat)); ok {
		a = evidence.ExactRat(q)
	} else {
		a.Enclosure = v.rates.enclose(v.of)
	}
	return a.Number("closed form in intervals", "summed over all draws"), true
}

// String returns the probability as a function of z = e^{−ε/D}.
func (v Value) String() string { return v.rates.text(v.of) }

func (r *rates) text(a fraction) string {
	a = r.field.cancelled(r.field.reduced(a))
	top := polynomialText(a.num)
	var under []string
	if a.under != nil && a.under.Cmp(big.NewInt(1)) != 0 {
		under = append(under, a.under.String())
	}
	for _, t := range a.below {
		s := "(" + polynomialText(r.field.factors[t.number]) + ")"
		if t.times > 1 {
			s += "^" + strconv.Itoa(t.times)
		}
		under = append(under, s)
	}
	if len(under) == 0 {
		return top
	}
	if len(a.num) > 1 {
		top = "(" + top + ")"
	}
	if len(under) == 1 {
		return top + "/" + under[0]
	}
	return top + "/(" + strings.Join(under, "·") + ")"
}

// cancelled cancels the factors of the denominator that divide the numerator, for fractions in one unit of moderate
// degree.
func (f *field) cancelled(a fraction) fraction {
	if a.isZero() || a.num.degree() > largestDegree || slices.ContainsFunc(a.below, func(t factor) bool { return f.factors[t.number].degree() > largestDegree }) {
		return a
	}
	first := a.num[0].e[0]
	num := polynomial(a)
	var below []factor
	for _, t := range a.below {
		p := polynomial(fraction{num: f.factors[t.number]})
		for t.times > 0 {
			q, ok := num.Quotient(p)
			if !ok {
				break
			}
			num = q
			t.times--
		}
		if t.times > 0 {
			below = append(below, t)
		}
	}
	a.below, a.num = below, nil
	for i, c := range num {
		if c.Sign() != 0 {
			a.num = append(a.num, monomial{exponent{int64(i) + first}, c})
		}
	}
	return a
}

// polynomialText formats p.
func polynomialText(p laurent) string {
	if len(p) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, m := range p {
		c := new(big.Int).Abs(m.c)
		switch {
		case m.c.Sign() < 0 && i > 0:
			b.WriteString(" − ")
		case m.c.Sign() < 0:
			b.WriteString("−")
		case i > 0:
			b.WriteString(" + ")
		}
		var factors []string
		if c.Cmp(big.NewInt(1)) != 0 || m.e.isZero() {
			factors = append(factors, c.String())
		}
		for j, k := range m.e {
			if k == 0 {
				continue
			}
			name := "z"
			if j > 0 {
				name += strconv.Itoa(j + 1)
			}
			if k != 1 {
				name += "^" + strings.ReplaceAll(strconv.FormatInt(k, 10), "-", "−")
			}
			factors = append(factors, name)
		}
		b.WriteString(strings.Join(factors, "·"))
	}
	return b.String()
}

// Denominator returns D if the law is a function of z = e^{−ε/D}, and 0 if the program is not symbolic.
func (p *Program) Denominator() int64 {
	if !p.IsSymbolic() {
		return 0
	}
	return p.rates.denom[0]
}

// Branches returns the paths of the program at dataset x, in the order of execution. It executes the program again. If
// run is not nil, it is called instead of the program's own function; it must make the same draws and comparisons. It
// returns the context's error.
func (p *Program) Branches(ctx context.Context, x int, run Run) ([]Branch, error) {
	if run == nil {
		run = p.run
	}
	var out []Branch
	r := p.rates.fresh()
	_, err := lawOf(ctx, r, run, x, p.limits, func(n *Noise, o Output, q, extra fraction) {
		if q.isZero() && extra.isZero() {
			return
		}
		b := Branch{Probability: Value{r.field.reduced(q), extra, r}}
		for _, d := range n.stack {
			b.Told = append(b.Told, d.told())
		}
		numbers := lists.Of(len(o.Numbers), func(i int) string { return o.Numbers[i].String() })
		b.Output = o.text(numbers)
		out = append(out, b)
	})
	return out, err
}

// told formats a decision with its outcome.
func (d *decision) told() string {
	way := d.ways[d.taken]
	if d.weights != nil {
		return d.from.String() + " = " + d.from.way(way)
	}
	if way == 0 {
		return d.cut.String()
	}
	return "not " + d.cut.String()
}

func (s source) way(i int) string {
	if s.kind == "flip" {
		return [...]string{"False", "True"}[i]
	}
	return strconv.Itoa(i)
}

// Probability returns the probability of the named output at dataset x. It returns an error wrapping
// evidence.ErrParameter if no dataset has such an output, or if the outputs consist of independent numbers, for which
// Law gives the probabilities.
func (p *Program) Probability(x int, output string) (Value, error) {
	if len(p.tables) > 1 {
		return Value{}, parameter.Errorf("outputs have %d independent numbers, want at most one number", len(p.tables))
	}
	for i, c := range p.tables[0].cells {
		if c == output {
			return p.value(p.tables[0], x, i), nil
		}
	}
	return Value{}, parameter.Bad("output", output, "an output of some dataset")
}

// Law returns the probabilities of the outputs at dataset x in the order of Outputs. If the outputs consist of
// independent numbers, it returns the law of each number.
func (p *Program) Law(x int) [][]Value {
	out := make([][]Value, len(p.tables))
	for i, t := range p.tables {
		out[i] = make([]Value, len(t.cells))
		for j := range t.cells {
			out[i][j] = p.value(t, x, j)
		}
	}
	return out
}

// value returns the probability of a cell at a dataset.
func (p *Program) value(t *table, x, i int) Value {
	v := Value{of: t.rows[x][i], rates: p.rates}
	if t.extra != nil {
		v.extra = t.extra[x][i]
	}
	return v
}
