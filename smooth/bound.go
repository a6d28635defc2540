package smooth

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// RationalStep says that the largest local sensitivity within distance t is Value from t = From up to the next
// step.
type RationalStep struct {
	From  int
	Value *big.Rat
}

// Bound is the β-smooth sensitivity of a dataset (Nissim, Raskhodnikova and Smith 2007,
// Definition 2.2): S = max over t of e^{−βt} LS_t. The zero value is S = 0.
type Bound struct {
	at     int
	value  *big.Rat // LS_at; nil for 0
	amount evidence.RatOrInterval
	number real
}

// NewBound returns the smooth sensitivity of a dataset whose local sensitivity at distance t has the given steps. The
// steps must be in ascending order, starting at 0. Otherwise, and if a value is negative, it returns an error wrapping
// evidence.ErrParameter.
func NewBound(steps []RationalStep, c *Calibration) (Bound, error) {
	for i, r := range steps {
		if r.Value == nil || r.Value.Sign() < 0 {
			return Bound{}, parameter.Errorf("steps[%d] = %s, want a local sensitivity of at least 0", i, written(r.Value))
		}
	}
	if err := checkDistances(len(steps), func(i int) int { return steps[i].From }); err != nil {
		return Bound{}, err
	}
	return largest(len(steps), func(i int) (int, float64) {
		v, _ := steps[i].Value.Float64()
		return steps[i].From, v
	}, func(i int) *big.Rat { return steps[i].Value }, c), nil
}

// NewBoundSteps is NewBound for values in integer steps of a unit, as Space.SensitivityAtDistance returns them. It
// returns an error wrapping evidence.ErrParameter if a value is NaN, infinite or negative, and for the distances that
// NewBound refuses.
func NewBoundSteps(steps []query.SensitivityStep, unit *big.Rat, c *Calibration) (Bound, error) {
	for i, r := range steps {
		if !(r.Value >= 0) || math.IsInf(r.Value, 1) {
			return Bound{}, parameter.Errorf("steps[%d] = %v, want a local sensitivity of at least 0", i, r.Value)
		}
	}
	if err := checkDistances(len(steps), func(i int) int { return steps[i].From }); err != nil {
		return Bound{}, err
	}
	return largest(len(steps), func(i int) (int, float64) { return steps[i].From, steps[i].Value }, func(i int) *big.Rat {
		v := new(big.Rat).SetFloat64(steps[i].Value)
		return v.Mul(v, unit)
	}, c), nil
}

// checkDistances returns an error unless the distances of n > 0 steps start at 0 and increase.
func checkDistances(n int, from func(i int) int) error {
	if n == 0 {
		return parameter.Errorf("steps is empty, want the local sensitivity at distance 0 and at each distance where it increases")
	}
	for i := range n {
		if i == 0 && from(i) != 0 || i > 0 && from(i) <= from(i-1) {
			return parameter.Errorf("steps[%d] is at distance %d, want distances that start at 0 and increase", i, from(i))
		}
	}
	return nil
}

// largest returns the bound for the largest of n values. It compares float64 logarithms, and encloses only those values
// that may be the largest.
func largest(n int, rough func(i int) (from int, value float64), exact func(i int) *big.Rat, c *Calibration) Bound {
	beta := c.beta.enclosure.Mid()
	log := func(i int) float64 {
		from, v := rough(i)
		return math.Log(v) - beta*float64(from)
	}
	best := math.Inf(-1)
	for i := range n {
		best = max(best, log(i))
	}
	if math.IsInf(best, -1) {
		return Bound{amount: evidence.ExactRat(new(big.Rat))}
	}
	var b Bound
	for i := range n {
		from, _ := rough(i)
		if log(i) < best-1e-9*(1+math.Abs(best)+beta*float64(from)) {
			continue
		}
		next := boundAt(from, exact(i), c)
		switch {
		case b.value == nil || b.amount.Enclosure.Less(next.amount.Enclosure):
			b = next
		case next.amount.Enclosure.Less(b.amount.Enclosure):
		default: // the enclosures overlap, so either value may be returned
			b.amount = evidence.RatOrInterval{Enclosure: interval.Max(b.amount.Enclosure, next.amount.Enclosure)}
		}
	}
	return b
}

func boundAt(from int, value *big.Rat, c *Calibration) Bound {
	if from == 0 {
		return Bound{value: value, amount: evidence.ExactRat(value), number: rational(value)}
	}
	t := rational(new(big.Rat).SetInt64(int64(from)))
	s := c.beta.mul(t).neg().exp().mul(rational(value))
	return Bound{at: from, value: value, amount: evidence.RatOrInterval{Enclosure: s.enclosure}, number: s}
}

// Constant returns the bound S = v ≥ 0 of noise that does not depend on the dataset.
func Constant(v *big.Rat) Bound {
	return Bound{value: v, amount: evidence.ExactRat(v), number: rational(v)}
}

// Amount returns S, which is rational if t = 0 attains the maximum.
func (b Bound) Amount() evidence.RatOrInterval {
	if b.value == nil {
		return evidence.ExactRat(new(big.Rat))
	}
	return b.amount
}

// At returns the distance t that attains S.
func (b Bound) At() int { return b.at }

// IsZero reports whether S = 0, which means no noise.
func (b Bound) IsZero() bool { return b.value == nil || b.value.Sign() == 0 }

// key identifies a bound within one calibration.
func (b Bound) key() string {
	if b.IsZero() {
		return ""
	}
	return b.value.RatString() + "@" + big.NewInt(int64(b.at)).String()
}
