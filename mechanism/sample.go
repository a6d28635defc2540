package mechanism

import (
	"math"
	"math/rand/v2"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/parameter"
)

// maxDraws bounds the draws of one call, to 2 GiB.
const maxDraws = 1 << 28

// CheckDraws returns an error wrapping evidence.ErrParameter unless n draws are allowed in one call.
func CheckDraws(n int) error {
	if n < 0 || n > maxDraws {
		return parameter.Bad("n", n, "0…%d", maxDraws)
	}
	return nil
}

// checkDataset returns an error wrapping evidence.ErrParameter unless x is a dataset and n draws are allowed.
func checkDataset(m Mechanism, x, n int) error {
	if x < 0 || x >= m.Query().Size() {
		return parameter.Bad("x", x, "a dataset, 0…%d", m.Query().Size()-1)
	}
	return CheckDraws(n)
}

// Sample simulates n outputs at dataset x, as indices in the range. It inverts the float64 distribution function,
// with the error of [draw.Law]. It is for research; [Release] draws values to publish.
//
// It returns an error wrapping evidence.ErrParameter if x is no dataset or n is out of range.
func Sample(m Mechanism, x, n int, src rand.Source) ([]int, error) {
	if err := checkDataset(m, x, n); err != nil {
		return nil, err
	}
	size := len(m.Query().Range())
	law := make(draw.Law, 0, size)
	for r := range size {
		law.Add(math.Exp(m.LogProb(x, r)))
	}
	rng := rand.New(src)
	out := make([]int, n)
	for i := range out {
		out[i] = law.Draw(rng)
	}
	return out, nil
}
