package ehmc

import (
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Distance is the total variation distance between draws and a law.
type Distance struct {
	// Plain is the distance between the observed frequencies and the law. It is about Noise even for a correct
	// sampler.
	Plain float64
	// Noise bounds the mean of Plain for a correct sampler: ½ Σ √(p(1−p)/n), from the variance of each frequency.
	Noise float64
	// Sampler encloses the distance between the sampler's law and the law.
	Sampler evidence.Estimated
}

// TotalVariation compares n independent draws, counted by state, with the law p. The distance between the
// frequencies and their own law has mean at most ½√((K−1)/n) for K states, and changes by at most 1/n with each
// draw. So it exceeds its mean by √(ln(1/α)/2n) with probability at most α (McDiarmid 1989), and the enclosure has
// confidence 1 − alpha at every n. Draws of one chain are not independent. Count only draws that are spaced well
// beyond its integrated autocorrelation time, or take one from each of many chains.
//
// It returns an error wrapping evidence.ErrParameter unless the lengths agree, a draw was made, and alpha is in (0,
// 1).
func TotalVariation(p []float64, counts []int, alpha float64) (Distance, error) {
	if len(p) != len(counts) {
		return Distance{}, parameter.Errorf("%d counts for %d states, want one for each", len(counts), len(p))
	}
	if err := parameter.OpenUnit("alpha", alpha); err != nil {
		return Distance{}, err
	}
	draws := 0
	for s, c := range counts {
		if c < 0 || draws > math.MaxInt-c {
			return Distance{}, parameter.Bad(fmt.Sprintf("counts[%d]", s), c, "at least 0")
		}
		draws += c
	}
	total := 0.0
	for s, v := range p {
		if err := parameter.Unit(fmt.Sprintf("p[%d]", s), v); err != nil {
			return Distance{}, err
		}
		total += v
	}
	if !(math.Abs(total-1) <= 1e-9) {
		return Distance{}, parameter.Errorf("p sums to %.12g, want 1", total)
	}
	if draws < 1 {
		return Distance{}, parameter.Errorf("no draws, want at least one")
	}
	n := float64(draws)
	var d Distance
	for s, v := range p {
		d.Plain += math.Abs(float64(counts[s])/n-v) / 2
		d.Noise += math.Sqrt(v*(1-v)/n) / 2
	}
	radius := math.Sqrt(float64(len(p)-1)/n)/2 + math.Sqrt(-math.Log(alpha)/(2*n))
	radius += 1e-12 // exceeds the roundings of p and of the sums
	d.Sampler = evidence.Estimated{
		Value: math.Max(0, d.Plain-d.Noise), Lo: math.Max(0, d.Plain-radius), Hi: math.Min(1, d.Plain+radius),
		Confidence: math.Nextafter(1-alpha, 0), Draws: draws, Provenance: evidence.From("frequencies against the enumerated law"),
	}
	return d, nil
}

// DeltaOf returns the δ that results from a sampler at total variation distance tv from a law. If noise of that law
// is ε-differentially private, noise of the sampler is (ε, (1 + e^ε)·tv)-differentially private. Indeed Pr[M̃(x) ∈
// S] ≤ Pr[M(x) ∈ S] + tv ≤ e^ε Pr[M(x') ∈ S] + tv ≤ e^ε (Pr[M̃(x') ∈ S] + tv) + tv. So this argument never shows
// that a Markov chain before convergence is ε-private. The result is an upper bound, at most 1. It returns an error
// wrapping evidence.ErrParameter unless 0 ≤ tv ≤ 1.
func DeltaOf(eps evidence.Epsilon, tv float64) (float64, error) {
	if err := parameter.Unit("tv", tv); err != nil {
		return 0, err
	}
	switch {
	case tv == 0:
		return 0, nil
	case eps.Value() > 800: // e^−800 underflows float64
		return 1, nil
	}
	odds := eps.Enclosure().Exp()
	if w, ok := eps.Exp(); ok {
		odds = interval.Rat(w)
	}
	_, grow := odds.Add(interval.Int(1)).Mul(interval.Float(tv)).Bounds()
	return math.Min(1, grow), nil
}

// MaxTable is the largest dimension that [Probabilities] accepts.
const MaxTable = 20

// Probabilities returns all 2^d probabilities in float64, each with a relative error of about 1e-16 times the
// largest exponent, for inspection and for testing draws. State s has the bits b_k = s>>k & 1. It returns an error
// wrapping evidence.ErrParameter if d exceeds MaxTable or exponents overflow.
func Probabilities(q Quadratic) ([]float64, error) {
	d := q.Dim()
	if d > MaxTable {
		return nil, parameter.Errorf("a table of %d bits has 2^%d states, want at most %d bits", d, d, MaxTable)
	}
	size := 1 << d
	e, pull := make([]float64, size), make([]float64, size)
	row := make([]float64, d)
	top := 0.0
	for k := range d {
		clear(row)
		q.AddRow(k, 2, row)
		pull[0] = q.Diagonal(k) // pull[s]: the logit of bit k given s in the bits below, and zeros above
		for j := range k {
			for s := range 1 << j {
				pull[s|1<<j] = pull[s] + row[j]
			}
		}
		for s := range 1 << k {
			e[s|1<<k] = e[s] + pull[s]
			top = math.Max(top, e[s|1<<k])
		}
	}
	if math.IsInf(top, 1) || math.IsNaN(top) {
		return nil, parameter.Errorf("exponents bᵀΠb overflow float64")
	}
	sum := 0.0
	for s, v := range e {
		e[s] = math.Exp(v - top)
		sum += e[s]
	}
	for s := range e {
		e[s] /= sum
	}
	return e, nil
}
