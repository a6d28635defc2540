package program

import (
	"encoding/binary"
	"math/big"
	"slices"
)

// fraction is a rational function of the units: num/(under·Π factor^times). Its factors are Laurent polynomials that
// are positive for all units in (0, 1), mostly 1 − z^e. It is immutable; the zero value is 0.
type fraction struct {
	num   laurent
	under *big.Int // positive; nil is 1
	below []factor // by ascending number
}

// factor is a Laurent polynomial, by its index in field.factors, with its multiplicity.
type factor struct{ number, times int }

// field stores the factors of the denominators of its fractions.
type field struct {
	factors []laurent
	steps   []exponent // e if a factor is 1 − z^e, else 0
	number  map[string]int

	// Caches of the sums of trees by their keys, because the same trees occur on many paths.
	sums     map[string]fraction
	messages map[string]piecewise
}

// mostSums bounds the number of entries of each cache of a field.
const mostSums = 1 << 16

func newField() *field {
	return &field{number: make(map[string]int), sums: make(map[string]fraction), messages: make(map[string]piecewise)}
}

// remembered returns the cached value of a key, computing it if necessary.
func remembered[V any](known map[string]V, key string, compute func() V) V {
	v, ok := known[key]
	if !ok {
		if v = compute(); len(known) < mostSums {
			known[key] = v
		}
	}
	return v
}

// factor returns the index of p in f.factors, and adds p if it is new. p must be positive for all units in (0, 1).
func (f *field) factor(p laurent, step exponent) int {
	key := p.key()
	n, ok := f.number[key]
	if !ok {
		n = len(f.factors)
		f.factors, f.steps, f.number[key] = append(f.factors, p), append(f.steps, step), n
	}
	return n
}

var intOne = big.NewInt(1)

func (f *field) one() fraction { return fraction{num: whole(big.NewInt(1))} }

func (f *field) rational(q *big.Rat) fraction {
	return fraction{num: whole(new(big.Int).Set(q.Num())), under: denominator(q)}
}

func denominator(q *big.Rat) *big.Int {
	if q.IsInt() {
		return nil
	}
	return new(big.Int).Set(q.Denom())
}

func (f *field) power(e exponent) fraction { return fraction{num: power(e)} }

func (a fraction) isZero() bool { return len(a.num) == 0 }

func (a fraction) isOne() bool {
	return len(a.num) == 1 && a.num[0].e.isZero() && a.num[0].c.Cmp(intOne) == 0 && a.under == nil && len(a.below) == 0
}

func (a fraction) bottom() *big.Int {
	if a.under == nil {
		return intOne
	}
	return a.under
}

func (a fraction) neg() fraction { return fraction{a.num.neg(), a.under, a.below} }

func (f *field) add(a, b fraction) fraction {
	switch {
	case a.isZero():
		return b
	case b.isZero():
		return a
	}
	below := both(a.below, b.below, func(x, y int) int { return max(x, y) })
	x, y := f.over(a, below), f.over(b, below)
	under := a.under
	if (a.under != nil || b.under != nil) && a.bottom().Cmp(b.bottom()) != 0 {
		g := new(big.Int).GCD(nil, nil, a.bottom(), b.bottom())
		up, down := new(big.Int).Quo(b.bottom(), g), new(big.Int).Quo(a.bottom(), g)
		x, y, under = x.scale(up), y.scale(down), new(big.Int).Mul(a.bottom(), up)
	}
	num := x.add(y)
	if len(num) == 0 {
		return fraction{}
	}
	return fraction{num, under, below}
}

// total returns the sum of many fractions. It first adds those with the same denominator factors, and then adds the
// sums in pairs, so that both summands have similar size.
func (f *field) total(terms []fraction) fraction {
	var sums []fraction
	place := make(map[string]int)
	var key []byte
	for _, t := range terms {
		key = key[:0]
		for _, b := range t.below {
			key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(b.number)), uint64(b.times))
		}
		if i, ok := place[string(key)]; ok {
			sums[i] = f.add(sums[i], t)
		} else {
			place[string(key)] = len(sums)
			sums = append(sums, t)
		}
	}
	for len(sums) > 1 {
		for i := range len(sums) / 2 {
			sums[i] = f.add(sums[2*i], sums[2*i+1])
		}
		if half := len(sums) / 2; len(sums)%2 == 1 {
			sums[half], sums = sums[len(sums)-1], sums[:half+1]
		} else {
			sums = sums[:half]
		}
	}
	if len(sums) == 0 {
		return fraction{}
	}
	return sums[0]
}

func (f *field) sub(a, b fraction) fraction { return f.add(a, b.neg()) }

// over returns the numerator of a when its denominator is expanded to the given factors, which must include a's
// factors.
func (f *field) over(a fraction, below []factor) laurent {
	num := a.num
	i := 0
	for _, t := range below {
		has := 0
		if i < len(a.below) && a.below[i].number == t.number {
			has = a.below[i].times
			i++
		}
		for range t.times - has {
			num = num.mul(f.factors[t.number])
		}
	}
	return num
}

// both merges two ascending lists of factors. The rule combines the multiplicities of a factor that both lists have.
func both(a, b []factor, rule func(x, y int) int) []factor {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make([]factor, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].number < b[0].number:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || b[0].number < a[0].number:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, factor{a[0].number, rule(a[0].times, b[0].times)})
			a, b = a[1:], b[1:]
		}
	}
	return out
}

func (f *field) mul(a, b fraction) fraction {
	if a.isZero() || b.isZero() {
		return fraction{}
	}
	under := a.under
	switch {
	case under == nil:
		under = b.under
	case b.under != nil:
		under = new(big.Int).Mul(a.under, b.under)
	}
	return fraction{a.num.mul(b.num), under, both(a.below, b.below, func(x, y int) int { return x + y })}
}

// shift returns a·z^e.
func (a fraction) shift(e exponent) fraction { return fraction{a.num.shift(e), a.under, a.below} }

// scale returns a·c.
func (f *field) scale(a fraction, c *big.Rat) fraction { return f.mul(a, f.rational(c)) }

// overOneMinus returns a/(1 − z^e) for e ≠ 0. If grows is set, z^e > 1; the factor is then inverted so that the
// denominator stays positive.
func (f *field) overOneMinus(a fraction, e exponent, grows bool) fraction {
	if a.isZero() {
		return a
	}
	if grows { // 1/(1 − z^e) = −z^{−e}/(1 − z^{−e})
		a, e = a.neg().shift(e.times(-1)), e.times(-1)
	}
	n := f.factor(oneMinus(e), e)
	return fraction{a.num, a.under, both(a.below, []factor{{n, 1}}, func(x, y int) int { return x + y })}
}

// quo returns a/b for a b that is positive for all units in (0, 1).
func (f *field) quo(a, b fraction) fraction {
	num, under := a.num, a.bottom()
	for _, t := range b.below {
		for range t.times {
			num = num.mul(f.factors[t.number])
		}
	}
	num = num.scale(b.bottom())
	c := b.num.content()
	p := b.num.divide(c)
	first := p[0].e
	p, num = p.shift(first.times(-1)), num.shift(first.times(-1))
	under = new(big.Int).Mul(under, c)
	below := a.below
	if len(p) > 1 {
		below = both(below, []factor{{f.factor(p, exponent{}), 1}}, func(x, y int) int { return x + y })
	}
	return f.reduced(fraction{num, under, below})
}

// reduced cancels the common divisor of under and the numerator's coefficients, and the factors 1 − z^e that divide the
// numerator.
func (f *field) reduced(a fraction) fraction {
	if a.isZero() {
		return fraction{}
	}
	if a.under != nil {
		g := new(big.Int).GCD(nil, nil, a.num.content(), a.under)
		if g.Cmp(big.NewInt(1)) > 0 {
			a.num, a.under = a.num.divide(g), new(big.Int).Quo(a.under, g)
		}
	}
	below := slices.Clone(a.below)
	for i, t := range below {
		step := f.steps[t.number]
		if step.isZero() {
			continue
		}
		for below[i].times > 0 {
			q, ok := a.num.quotient(step)
			if !ok {
				break
			}
			a.num = q
			below[i].times--
		}
	}
	a.below = slices.DeleteFunc(below, func(t factor) bool { return t.times == 0 })
	return a
}
