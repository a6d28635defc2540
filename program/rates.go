package program

import (
	"errors"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Limits of a program's exponents. Larger ones are refused, because a law would have as many terms.
const (
	largestDenominator = 10_000
	largestCut         = 1 << 20 // of a comparison, in absolute value
	largestDegree      = 1 << 20 // of a polynomial in one unit, stored densely
)

// Rate is the privacy parameter of a draw: a number, or a rational multiple of the symbol ε, which stands for every ε >
// 0.
type Rate struct {
	known evidence.Epsilon
	times *big.Rat // multiple of the symbol; nil if the rate is a number
}

// Known returns the rate ε.
func Known(eps evidence.Epsilon) Rate { return Rate{known: eps} }

// Symbol returns the rate times·ε. It returns an error wrapping evidence.ErrParameter unless times is positive.
func Symbol(times *big.Rat) (Rate, error) {
	if times.Sign() <= 0 {
		return Rate{}, parameter.Bad("eps", times.RatString()+"·ε", "a positive multiple of ε")
	}
	return Rate{times: times}, nil
}

func (r Rate) same(o Rate) bool {
	if r.times == nil || o.times == nil {
		return r.times == nil && o.times == nil && r.known.Text() == o.known.Text()
	}
	return sameRational(r.times, o.times)
}

// IsSymbol reports whether the rate is a multiple of the symbol.
func (r Rate) IsSymbol() bool { return r.times != nil }

// String formats the rate.
func (r Rate) String() string {
	switch {
	case r.times == nil:
		return r.known.String()
	case r.times.IsInt() && r.times.Num().IsInt64() && r.times.Num().Int64() == 1:
		return "ε"
	}
	return r.times.RatString() + "·ε"
}

// errFiner is returned if the units were refined, so that laws must be computed again.
var errFiner = errors.New("finer units")

// rates holds the units z_i = e^{−ε_i/D_i} in whose powers a program's laws are written, and the field of their
// fractions. The D_i are final once every path was executed.
type rates struct {
	symbol bool
	units  []evidence.Epsilon // ε_i; empty for a symbolic program
	denom  []int64            // D_i
	field  *field
}

func newRates() *rates { return &rates{field: newField()} }

// fresh returns a copy with the same units and an empty field.
func (r *rates) fresh() *rates {
	return &rates{symbol: r.symbol, units: r.units, denom: slices.Clone(r.denom), field: newField()}
}

// again drops the fractions and keeps the units.
func (r *rates) again() { r.field = newField() }

// exponent returns the exponents of the units in e^{−t·rate}. If they are not integers, it refines the unit and returns
// errFiner.
func (r *rates) exponent(rate Rate, t *big.Rat) (exponent, error) {
	unit, times, err := r.unit(rate)
	if err != nil {
		return exponent{}, err
	}
	k := new(big.Rat).Mul(times, t)
	k.Mul(k, new(big.Rat).SetInt64(r.denom[unit]))
	if !k.IsInt() {
		d := new(big.Int).Mul(k.Denom(), big.NewInt(r.denom[unit]))
		if !d.IsInt64() || d.Int64() > largestDenominator {
			return exponent{}, parameter.Errorf("the rates of the noise have the common denominator %v, want at most %d", d, largestDenominator)
		}
		r.denom[unit] = d.Int64()
		return exponent{}, errFiner
	}
	if n := k.Num(); !n.IsInt64() || n.Int64() >= largestCut || n.Int64() <= -largestCut {
		return exponent{}, parameter.Errorf("a weight is the power %v of e^{−ε/%d}, want an exponent below %d in absolute value", n, r.denom[unit], largestCut)
	}
	var e exponent
	e[unit] = k.Num().Int64()
	return e, nil
}

// unit returns the index of the rate's unit, and the rate as a multiple of the unit's ε.
func (r *rates) unit(rate Rate) (int, *big.Rat, error) {
	if len(r.denom) == 0 {
		r.symbol = rate.IsSymbol()
	}
	if r.symbol != rate.IsSymbol() {
		return 0, nil, parameter.Errorf("a program mixes a symbolic rate with a number, one of them %v: want all rates to be multiples of one symbol, or all to be numbers", rate)
	}
	if r.symbol {
		if len(r.denom) == 0 {
			r.denom = []int64{1}
		}
		return 0, rate.times, nil
	}
	for i, u := range r.units {
		if q, ok := rate.known.Quotient(u); ok && q.Denom().IsInt64() && q.Denom().Int64() <= largestDenominator {
			return i, q, nil
		}
	}
	if len(r.units) == most {
		return 0, nil, parameter.Errorf("the rate %v of the noise is not a rational multiple of an earlier one, want at most %d such rates", rate, most)
	}
	r.units, r.denom = append(r.units, rate.known), append(r.denom, 1)
	return len(r.units) - 1, big.NewRat(1, 1), nil
}

// grows reports whether z^e > 1, for e ≠ 0.
func (r *rates) grows(e exponent) bool {
	if r.symbol || len(r.units) <= 1 {
		return e[0] < 0
	}
	sign, _ := r.logarithm(e).Sign()
	return sign < 0
}

// logarithm encloses −ln z^e.
func (r *rates) logarithm(e exponent) interval.Interval {
	sum := interval.Int(0)
	for i, u := range r.units {
		if e[i] != 0 {
			sum = sum.Add(u.Enclosure().Mul(interval.Rat(big.NewRat(e[i], r.denom[i]))))
		}
	}
	return sum
}

// Probability is the probability of a side of a coin: a rational number, or a quotient of sums of powers of e^{−ε},
// where ε is a symbol.
type Probability struct {
	rational *big.Rat // nil if it contains powers of e^{−ε}
	num, den mechanism.ExpSum
}

// RationalProbability returns q.
func RationalProbability(q *big.Rat) Probability { return Probability{rational: q} }

// SymbolProbability returns num/den, sums of powers of e^{−ε}.
func SymbolProbability(num, den mechanism.ExpSum) Probability { return Probability{num: num, den: den} }

func (p Probability) same(q Probability) bool {
	if p.rational != nil && q.rational != nil {
		return sameRational(p.rational, q.rational)
	}
	return p.rational == nil && q.rational == nil && p.String() == q.String()
}

func sameRational(a, b *big.Rat) bool { return a == b || a.Cmp(b) == 0 }

// String formats p with z for e^{−ε}.
func (p Probability) String() string {
	switch {
	case p.rational != nil:
		return p.rational.RatString()
	case p.den.String() == "1":
		return p.num.String()
	}
	return bracketed(p.num.String()) + "/" + bracketed(p.den.String())
}

func bracketed(sum string) string {
	if strings.Contains(sum, " ") {
		return "(" + sum + ")"
	}
	return sum
}

// fraction returns p as a fraction of the field.
func (r *rates) fraction(p Probability) (fraction, error) {
	if p.rational != nil {
		return r.field.rational(p.rational), nil
	}
	num, err := r.sum(p.num)
	if err != nil {
		return fraction{}, err
	}
	den, err := r.sum(p.den)
	if err != nil {
		return fraction{}, err
	}
	if r.isPositive(den) {
		return r.field.quo(num, den), nil
	}
	if r.isPositive(den.neg()) {
		return r.field.quo(num.neg(), den.neg()), nil
	}
	return fraction{}, parameter.Errorf("the probability %v has a denominator that is 0 for some ε, want one that is never 0", p)
}

// sum returns a sum of powers of e^{−ε} in the field.
func (r *rates) sum(s mechanism.ExpSum) (fraction, error) {
	var sum fraction
	for t, c := range s.Terms() {
		e, err := r.exponent(Rate{times: big.NewRat(1, 1)}, t)
		if err != nil {
			return fraction{}, err
		}
		sum = r.field.add(sum, r.field.rational(c).shift(e))
	}
	return sum, nil
}
