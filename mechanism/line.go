package mechanism

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/query"
)

// ErrUndecided is wrapped where an enclosure cannot tell on which side of a
// boundary a number lies.
var ErrUndecided = errors.New("undecided")

// LineMechanism is a mechanism of a linear query on the real line. Its law is
// the same for every dataset up to a shift, so it is described about f(x) = 0:
// by the noise it adds.
type LineMechanism interface {
	// Name says which mechanism it is, with its parameters.
	Name() string
	// Distortion returns E|noise|, in units of f.
	Distortion() evidence.Number
	// Layers returns the layers R_0 … R_upTo of Definition 13.
	Layers(upTo int) ([]query.LineSet, error)
	// Density returns the density at a distance r from f(x), or the probability
	// of that point where the law is discrete.
	Density(r *big.Rat) (evidence.Number, error)
	// Sample draws n independent values of the noise.
	Sample(n int, src rand.Source) ([]float64, error)
	// SmallestEpsilon returns the least ε at which the mechanism is private.
	SmallestEpsilon(ctx context.Context) (evidence.Number, error)
}

// maxLineEpsilon bounds ε on the line: beyond it e^{−ε} is no float64.
const maxLineEpsilon = 700

// maxLineLayers bounds the layers listed at once.
const maxLineLayers = 1 << 20

func checkLine(eps evidence.Epsilon) error {
	if !(eps.Value() <= maxLineEpsilon) {
		return fmt.Errorf("%w: eps = %v, want at most %d", evidence.ErrParameter, eps, maxLineEpsilon)
	}
	return nil
}

func checkUpTo(upTo int) error {
	if upTo < 0 || upTo > maxLineLayers {
		return fmt.Errorf("%w: up_to = %d, want 0…%d", evidence.ErrParameter, upTo, maxLineLayers)
	}
	return nil
}

func checkDraws(n int) error {
	if n < 0 {
		return fmt.Errorf("%w: n = %d, want at least 0", evidence.ErrParameter, n)
	}
	return nil
}

// number returns an amount as evidence.
func (a amount) number(source string) evidence.Number {
	if a.rational != nil {
		return evidence.Exact{Value: new(big.Rat).Set(a.rational), Source: source}
	}
	return evidence.Enclosed(a.enclosure, "closed form, rounded outward", source)
}

func whole(n int64) amount { return rational(big.NewRat(n, 1)) }

func fraction(a, b int64) amount { return rational(big.NewRat(a, b)) }

// sum returns a + b + ….
func sum(a amount, more ...amount) amount {
	for _, b := range more {
		a = a.add(b)
	}
	return a
}

// product returns a·b·….
func product(a amount, more ...amount) amount {
	for _, b := range more {
		a = a.mul(b)
	}
	return a
}

// power returns aⁿ, n ≥ 0.
func (a amount) power(n int) amount {
	out := whole(1)
	for base := a; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = out.mul(base)
		}
		base = base.mul(base)
	}
	return out
}

// floor returns ⌊a⌋ for a ≥ 0. It returns an error wrapping ErrUndecided where
// the enclosure holds a whole number that it cannot be told from.
func (a amount) floor() (int64, error) {
	if a.rational != nil {
		return floor(a.rational).Int64(), nil
	}
	lo, hi := a.enclosure.Bounds()
	if n := math.Floor(lo); n == math.Floor(hi) {
		return int64(n), nil
	}
	n := int64(math.Floor(hi))
	switch sign, _ := a.enclosure.Sub(interval.Int(n)).Sign(); {
	case sign > 0:
		return n, nil
	case sign < 0:
		return n - 1, nil
	}
	return 0, fmt.Errorf("%w: %v is too close to %d", ErrUndecided, a.enclosure, n)
}

// shiftedLoss returns ε as the smallest ε of a law on the line whose log-ratio
// under a shift by V is at most ε, and is ε for the shift Δf.
func shiftedLoss(eps evidence.Epsilon, source string) evidence.Number {
	if base, ok := eps.Exp(); ok {
		return evidence.ExactLog{Argument: base, Source: source}
	}
	return evidence.EnclosedLoss(eps.Enclosure(), "attained by the shift Δf", source)
}

// end returns a as a rational, rounded to float64 where it is not one.
func (a amount) end() *big.Rat {
	if a.rational != nil {
		return a.rational
	}
	return new(big.Rat).SetFloat64(a.enclosure.Mid())
}
