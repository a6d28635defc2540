package ehmc_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// What does not fit gives an error, or the answer that is documented, and never a panic.
func TestStatesThatDoNotFit(t *testing.T) {
	law := must.Be(ehmc.NewDense([][]float64{{1, .5}, {.5, 0}}))
	for what, err := range map[string]error{
		"the exponent of three bits":  second(ehmc.Exponent(law, make([]bool, 3))),
		"the number of 33 bits":       second(ehmc.Index(make([]bool, 33))),
		"an endless published travel": second(ehmc.NewPublished(law, math.Inf(1), rand.NewPCG(1, 1))),
		"a distance above 1":          second(ehmc.DeltaOf(evidence.Epsilon{}, 1.5)),
		"a distance that is none":     second(ehmc.DeltaOf(evidence.Epsilon{}, math.NaN())),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, err)
		}
	}
	state := must.Be(ehmc.NewRandomState(law, rand.NewPCG(1, 1)))
	row := []float64{7}
	law.AddRow(0, 1, row)
	law.AddRow(2, 1, make([]float64, 2))
	if state.Logit(2) != 0 || state.Logit(-1) != 0 || law.Diagonal(2) != 0 || law.Diagonal(-1) != 0 || row[0] != 7 {
		t.Error("there is a third bit")
	}
}

func second[T any](_ T, err error) error { return err }
