package continuous

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
)

// Mechanism is a mechanism of a linear query on the real line. Laws at different datasets differ only by a shift, so
// the noise describes it.
type Mechanism interface {
	// Name returns the mechanism's name with its parameters.
	Name() string
	// ClaimedEpsilon returns the guarantee that theory promises.
	ClaimedEpsilon() evidence.Number
	// Distortion returns E|noise|, in units of f.
	Distortion() evidence.Number
	// Layers returns the layers R_0 … R_upTo of Definition 13, or the context's error.
	Layers(ctx context.Context, upTo int) ([]Set, error)
	// Density returns the density at f(x) + r, or the probability of that point if the law is discrete.
	Density(r *big.Rat) (evidence.Number, error)
	// Noise draws n independent values of the noise alone, without f(x).
	Noise(n int, src rand.Source) ([]float64, error)
	// Privacy returns the privacy for the neighboring set of the query.
	Privacy() privacy.Profile
	// Private returns the pairs of output laws for the neighboring set. A mechanism that knows only its Privacy returns
	// the upper bound privacy.PureDP.
	privacy.Private
}

// maxRate bounds ε and the decay: for larger rates e^{−ε} underflows.
const maxRate = 700

// maxListed bounds the number of layers in a list.
const maxListed = 1 << 20

// checkRate returns an error wrapping evidence.ErrParameter unless 0 < rate ≤ maxRate.
func checkRate(name string, rate evidence.Epsilon) error {
	if err := rate.Positive(name); err != nil {
		return err
	}
	if !(rate.Value() <= maxRate) {
		return parameter.Bad(name, rate, "at most %d", maxRate)
	}
	return nil
}

func checkUpTo(upTo int) error {
	if upTo < 0 || upTo > maxListed {
		return parameter.Bad("up_to", upTo, "0…%d", maxListed)
	}
	return nil
}

// finite returns the draws. If a draw overflows float64, it returns an error wrapping evidence.ErrParameter that names
// the scale of the noise.
func finite(draws []float64, scale evidence.RatOrInterval) ([]float64, error) {
	for _, v := range draws {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, parameter.Errorf("draws of noise of scale %v are outside the range of float64: rescale the query or raise eps", scale.Enclosure)
		}
	}
	return draws, nil
}
