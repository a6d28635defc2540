package evidence

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/interval"
)

// Kind names a sort of evidence.
type Kind string

// The four kinds, from the weakest ground to the strongest that numbers have.
const (
	KindClaimed   Kind = "claimed"
	KindEstimated Kind = "estimated"
	KindCertified Kind = "certified"
	KindExact     Kind = "exact"
)

// Number is a scalar answer with its evidence: Claimed, Estimated, Certified,
// Exact or ExactLog.
type Number interface {
	Kind() Kind
	// Float returns the number to compute with: the safe end of an enclosure that has one.
	Float() float64
	// Bounds returns ends that the evidence supports: equal to Float for a
	// claim, outward-rounded neighbors of the value for an exact number.
	Bounds() (lo, hi float64)
	// Origin returns where the number comes from: paper and equation, or method,
	// with the caveat that it carries.
	Origin() string
	// Citation returns what a text that cites the number has to say.
	Citation() Provenance
	// String returns the value, rounded to its safe side, and how it is known:
	// "0.5 (certified: in [0.4999, 0.5001])".
	fmt.Stringer
	// Format writes that for %v and %s; for a verb of floats, such as %.3g, it
	// writes what Digits does to that precision.
	fmt.Formatter
}

// Claimed is what a paper says, unchecked.
type Claimed struct {
	Value   float64
	Epsilon Epsilon // the same number exactly, where it is a guarantee; zero elsewhere
	Provenance
}

// Exact is a rational number reached without rounding, every case visited.
type Exact struct {
	Value *big.Rat
	Side  Side // to which its digits are rounded
	Cases uint64
	Provenance
}

// ExactLog is the natural logarithm of a rational number, reached without
// rounding, every case visited.
type ExactLog struct {
	Argument *big.Rat
	Side     Side // to which its digits are rounded
	Cases    uint64
	Provenance
}

// Certified is an enclosure: Lo ≤ true value ≤ Hi, every rounding outward. Where
// an end is NaN, or Lo > Hi, something went wrong before, and the ends enclose
// nothing: then Bounds are those of a number of which nothing is known, so that
// no reader takes it for an enclosure, and Check says so.
type Certified struct {
	Lo, Hi float64
	Side   Side // of the end that is its value
	Provenance
}

// Estimated is drawn: Lo ≤ true value ≤ Hi with probability at least Confidence.
type Estimated struct {
	Value, Lo, Hi, Confidence float64
	Side                      Side // to which its digits are rounded
	Draws                     int
	Provenance
}

// Kind implements Number.
func (Claimed) Kind() Kind { return KindClaimed }

// Kind implements Number.
func (Exact) Kind() Kind { return KindExact }

// Kind implements Number.
func (ExactLog) Kind() Kind { return KindExact }

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

// Float returns the float64 nearest to the logarithm, as far as its enclosure
// tells.
func (e ExactLog) Float() float64 { return interval.RationalLog(e.Argument).Mid() }

// Float returns the end on the safe side. Without one it is the midpoint, of two
// float64s as near to it the one that is not zero.
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

// Bounds returns the ends of the enclosure, or those of all numbers where it is
// none.
func (c Certified) Bounds() (lo, hi float64) {
	if c.Lo <= c.Hi {
		return c.Lo, c.Hi
	}
	return math.Inf(-1), math.Inf(1)
}

// Bounds returns the ends of the confidence interval.
func (e Estimated) Bounds() (lo, hi float64) { return e.Lo, e.Hi }
