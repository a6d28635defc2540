package mechanism

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
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
	// ClaimedEpsilon returns the guarantee that theory promises.
	ClaimedEpsilon() evidence.Number
	// Distortion returns E|noise|, in units of f.
	Distortion() evidence.Number
	// Layers returns the layers R_0 … R_upTo of Definition 13, or the context's
	// error where it ends first.
	Layers(ctx context.Context, upTo int) ([]query.LineSet, error)
	// Density returns the density at a distance r from f(x), or the probability
	// of that point where the law is discrete.
	Density(r *big.Rat) (evidence.Number, error)
	// Noise draws n independent values of the noise alone, without f(x).
	Noise(n int, src rand.Source) ([]float64, error)
	// Privacy returns the privacy for the neighboring set of the query.
	Privacy() privacy.Curve
}

// maxLineEpsilon bounds ε on the line: beyond it e^{−ε} is no float64.
const maxLineEpsilon = 700

// maxLineLayers bounds the layers listed at once.
const maxLineLayers = 1 << 20

func checkLine(eps evidence.Epsilon) error {
	if err := eps.Positive("eps"); err != nil {
		return err
	}
	if !(eps.Value() <= maxLineEpsilon) {
		return parameter.Bad("eps", eps, "at most %d", maxLineEpsilon)
	}
	return nil
}

func checkUpTo(upTo int) error {
	if upTo < 0 || upTo > maxLineLayers {
		return parameter.Bad("up_to", upTo, "0…%d", maxLineLayers)
	}
	return nil
}

// mostDraws bounds the draws of one call: 2 GiB.
const mostDraws = 1 << 28

// CheckDraws returns an error wrapping evidence.ErrParameter unless n draws can be asked
// for at once.
func CheckDraws(n int) error {
	if n < 0 || n > mostDraws {
		return parameter.Bad("n", n, "0…%d", mostDraws)
	}
	return nil
}

// closedForm is the method of a certified amount.
const closedForm = "closed form, rounded outward"

func whole(n int64) evidence.Amount { return evidence.RationalAmount(big.NewRat(n, 1)) }

func fraction(a, b int64) evidence.Amount { return evidence.RationalAmount(big.NewRat(a, b)) }

// sum returns a + b + ….
func sum(a evidence.Amount, more ...evidence.Amount) evidence.Amount {
	for _, b := range more {
		a = a.Add(b)
	}
	return a
}

// product returns a·b·….
func product(a evidence.Amount, more ...evidence.Amount) evidence.Amount {
	for _, b := range more {
		a = a.Mul(b)
	}
	return a
}

// shiftedLoss returns ε as the smallest ε of a law on the line whose log-ratio
// under a shift by V is at most ε, and is ε for the shift Δf. proof says why.
func shiftedLoss(eps evidence.Epsilon, proof, source string) evidence.Number {
	if base, ok := eps.Exp(); ok {
		return evidence.ExactLog{Argument: base, Source: "by proof: " + proof + "; " + source}
	}
	return evidence.EnclosedLoss(eps.Enclosure(), "by proof: "+proof, source)
}

// end returns a as a rational, rounded to the precision of a float64 where it is
// not one.
func end(a evidence.Amount) *big.Rat {
	if a.Rational != nil {
		return a.Rational
	}
	v, _ := a.Enclosure.MidFloat(53).Rat(nil)
	return v
}

// finite returns draws of noise of the given scale, or an error wrapping
// evidence.ErrParameter where float64 has no room for them.
func finite(draws []float64, scale evidence.Amount) ([]float64, error) {
	for _, v := range draws {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, parameter.Errorf("draws of noise of scale %v are no float64s: scale the query or raise eps", scale.Enclosure)
		}
	}
	return draws, nil
}
