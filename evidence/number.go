package evidence

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync/atomic"

	"dpworkbench/interval"
)

// Kind is a kind of evidence.
type Kind string

// The four kinds, from the weakest to the strongest.
const (
	KindClaimed   Kind = "claimed"
	KindEstimated Kind = "estimated"
	KindCertified Kind = "certified"
	KindExact     Kind = "exact"
)

// Number is a scalar answer with its evidence: Claimed, Estimated, Certified, Exact, ExactLog, LogMultiple or
// InputEpsilon.
type Number interface {
	Kind() Kind
	// Float returns the number to compute with. For an enclosure with a safe side, that is the bound on this side.
	Float() float64
	// Bounds returns the bounds that the evidence supports: Float twice for a claim, the value rounded outward for an
	// exact number.
	Bounds() (lo, hi float64)
	// Origin returns the source, the method and the caveat as text.
	Origin() string
	// Citation returns the provenance.
	Citation() Provenance
	// String returns the value, rounded to its safe side, and how it is known:
	// "0.5 (certified: in [0.4999, 0.5001])".
	fmt.Stringer
	// Format writes String for %v and %s. For a verb of floats, such as %.3g, it writes the value to that precision,
	// rounded to its safe side.
	fmt.Formatter
}

// Claimed is a number that a paper states, unchecked.
type Claimed struct {
	Value   float64
	Epsilon Epsilon // Value without rounding if it is a guaranteed ε; zero otherwise
	Side    Side    // the safe side of a result of arithmetic: Value and its digits are rounded to it
	Provenance
}

// Exact is a rational number computed without rounding, over all cases.
type Exact struct {
	Value *big.Rat
	Side  Side // the side to which its digits are rounded
	Cases uint64
	Provenance
}

// ExactLog is the natural logarithm of a rational number, computed without rounding, over all cases.
type ExactLog struct {
	Argument *big.Rat
	Side     Side // the side to which its digits are rounded
	Cases    uint64
	Provenance
}

// LogMultiple is an exact rational multiple, positive or negative, of the logarithm of a rational. It has the form of
// an ε without being one.
type LogMultiple struct {
	Epsilon
	Negative bool
	Side     Side // the side to which its digits are rounded
	Provenance
}

// Certified is an enclosure: Lo ≤ true value ≤ Hi, with every rounding outward. If a bound is NaN, or Lo > Hi, an
// earlier computation failed. Then Bounds returns −∞ and +∞, and Check returns an error.
type Certified struct {
	Lo, Hi float64
	Side   Side // the side of the bound that Float returns
	Provenance
}

// Estimated is computed from samples: Lo ≤ true value ≤ Hi with probability at least Confidence.
type Estimated struct {
	Value, Lo, Hi, Confidence float64
	Side                      Side // the side to which its digits are rounded
	Draws                     int
	Provenance
	parts *[]estimate // estimates from which this one was computed; nil for an original one before Identify
}

// estimate is an estimate from which a number was computed. Its failure probability counts once, however often the
// computation uses it.
type estimate struct {
	id      uint64
	failure float64
	draws   int
}

var lastEstimate atomic.Uint64

// Identify returns an estimate with an identity, by which arithmetic recognizes repeated uses. It returns other numbers
// unchanged.
func Identify(n Number) Number {
	if e, ok := n.(Estimated); ok && e.parts == nil {
		e.parts = &[]estimate{{lastEstimate.Add(1), 1 - e.Confidence, e.Draws}}
		return e
	}
	return n
}

// estimates returns the distinct estimates from which some numbers were computed.
func estimates(ns []Number) (out []estimate) {
	for _, n := range ns {
		e, ok := Identify(n).(Estimated)
		if !ok {
			continue
		}
		for _, p := range *e.parts {
			if !slices.ContainsFunc(out, func(q estimate) bool { return q.id == p.id }) {
				out = append(out, p)
			}
		}
	}
	return out
}

// Kind implements Number.
func (Claimed) Kind() Kind { return KindClaimed }

// Kind implements Number.
func (Exact) Kind() Kind { return KindExact }

// Kind implements Number.
func (ExactLog) Kind() Kind { return KindExact }

// Kind implements Number.
func (LogMultiple) Kind() Kind { return KindExact }

// Kind implements Number.
func (Certified) Kind() Kind { return KindCertified }

// Kind implements Number.
func (Estimated) Kind() Kind { return KindEstimated }

// Float returns the claimed value.
func (c Claimed) Float() float64 { return c.Value }

// Float returns the float64 nearest to the value.
func (e Exact) Float() float64 {
	v, _ := e.Value.Float64()
	return v
}

// Float returns the float64 nearest to the middle of the logarithm's enclosure.
func (e ExactLog) Float() float64 { return interval.RationalLog(e.Argument).Mid() }

// Float returns the float64 nearest to the middle of the multiple's enclosure.
func (m LogMultiple) Float() float64 { return exactly(m).enclosure().Mid() }

// Float returns the bound on the safe side, and the midpoint if there is no safe side. If the midpoint of unequal
// bounds would round to zero, it returns the least positive float64, or Hi if that is smaller.
func (c Certified) Float() float64 {
	lo, hi := c.Bounds()
	switch {
	case c.Side == Down:
		return lo
	case c.Side == Up, lo == hi, math.IsInf(lo, -1):
		return hi
	case lo == -hi:
		return 0
	}
	if mid := lo + (hi/2 - lo/2); mid != 0 { // hi − lo may overflow
		return mid
	}
	return min(hi, math.SmallestNonzeroFloat64)
}

// Float returns the estimate.
func (e Estimated) Float() float64 { return e.Value }

// Bounds returns the value twice.
func (c Claimed) Bounds() (lo, hi float64) { return c.Value, c.Value }

// Bounds returns the value rounded outward.
func (e Exact) Bounds() (lo, hi float64) { return interval.Rat(e.Value).Bounds() }

// Bounds returns the logarithm rounded outward.
func (e ExactLog) Bounds() (lo, hi float64) {
	if e.Argument.Cmp(big.NewRat(1, 1)) == 0 {
		return 0, 0
	}
	return interval.RationalLog(e.Argument).Bounds()
}

// Bounds returns the multiple rounded outward.
func (m LogMultiple) Bounds() (lo, hi float64) { return exactly(m).enclosure().Bounds() }

// Bounds returns Lo and Hi, or −∞ and +∞ unless Lo ≤ Hi.
func (c Certified) Bounds() (lo, hi float64) {
	if c.Lo <= c.Hi {
		return c.Lo, c.Hi
	}
	return math.Inf(-1), math.Inf(1)
}

// Bounds returns the confidence interval.
func (e Estimated) Bounds() (lo, hi float64) { return e.Lo, e.Hi }

// AsNumber returns n as a Number, or nil and the error of a function that failed. A failed function must not return a
// zero Certified, which is not nil as a Number.
func AsNumber[N Number](n N, err error) (Number, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}
