// Package draw makes generators from seeds, and draws from laws given by lists of weights.
package draw

import (
	"math/rand/v2"
	"sort"
)

// Law is a law of finitely many outcomes 0, 1, …, given by the running sums of their weights: outcome i has probability
// (l[i] − l[i−1])/l[n−1]. The sums do not fall, and the last is positive and a normal float64.
//
// A draw is the inverse of the distribution function at 53 random bits, computed in float64. Its law is within n·2⁻⁵¹
// of the law of the weights in total variation. A sum has a relative error of 2⁻⁵³ for each weight added. The draw
// falls below l[i] if k·2⁻⁵³ is below l[i]/l[n−1] for an integer k < 2⁵³, up to the rounding of one product: 2⁻⁵² for
// each of n − 1 sums. An outcome of weight 0 is never drawn. That suffices for research and simulations. A release
// needs an exact law: package ehmc has the inverse at 128 bits, which compares integers only.
type Law []float64

// Add appends an outcome with the given weight, which must be finite and at least 0.
func (l *Law) Add(weight float64) {
	sum := weight
	if n := len(*l); n > 0 {
		sum += (*l)[n-1]
	}
	*l = append(*l, sum)
}

// Draw returns an outcome. It takes one word from r, and Float64 uses the low 53 bits of the word.
func (l Law) Draw(r *rand.Rand) int { return l.At(r.Float64()) }

// At returns the first outcome whose sum is above u times the last sum, 0 ≤ u < 1. For a uniform u it is a draw. It
// panics if there are no outcomes.
func (l Law) At(u float64) int {
	last := len(l) - 1
	u *= l[last]
	return sort.Search(last, func(i int) bool { return l[i] > u })
}
