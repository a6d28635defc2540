package learn

import (
	"math"
	"math/bits"

	"dpworkbench/internal/parameter"
)

// Degrees returns the degree of every node of a graph given as [DescribeGraph] has it,
// and errs as it does.
func Degrees(rows [][]uint64) ([]int, error) {
	if err := checkRows(rows); err != nil {
		return nil, err
	}
	out := make([]int, len(rows))
	for v, row := range rows {
		for _, w := range row {
			out[v] += bits.OnesCount64(w)
		}
	}
	return out, nil
}

// DegreeLaw returns the share of nodes with each degree, 0 to the number of
// nodes less one. It returns an error wrapping parameter.Err for another degree, and
// where there is none.
func DegreeLaw(degrees []int) ([]float64, error) {
	if len(degrees) == 0 {
		return nil, parameter.Errorf("there are no degrees, want one for each node")
	}
	law := make([]float64, len(degrees))
	for v, d := range degrees {
		if d < 0 || d >= len(degrees) {
			return nil, parameter.Errorf("node %d of %d has degree %d", v, len(degrees), d)
		}
		law[d] += 1 / float64(len(degrees))
	}
	return law, nil
}

// DegreeDivergence returns the Kullback–Leibler divergence of the degrees of one graph
// from those of another with as many nodes. Errors as those of DegreeLaw and
// kullbackLeibler.
func DegreeDivergence(released, original []int, mix float64) (float64, error) {
	p, err := DegreeLaw(released)
	if err != nil {
		return 0, err
	}
	q, err := DegreeLaw(original)
	if err != nil {
		return 0, err
	}
	return kullbackLeibler(p, q, mix)
}

// kullbackLeibler returns Σ p ln(p/q) in nats with q mixed with the uniform law
// by the share mix, so that it is finite for mix > 0; at 0 it is +Inf where p
// has a value that q lacks. It returns an error wrapping parameter.Err where lengths
// differ or mix is not in [0, 1].
func kullbackLeibler(p, q []float64, mix float64) (float64, error) {
	if len(p) != len(q) {
		return 0, parameter.Errorf("laws on %d and %d values, want as many", len(p), len(q))
	}
	if err := parameter.Unit("mix", mix); err != nil {
		return 0, err
	}
	var s float64
	for k, v := range p {
		if v > 0 {
			s += v * math.Log(v/((1-mix)*q[k]+mix/float64(len(q))))
		}
	}
	return s, nil
}

// RandomLaw returns the law of a node's degree in an Erdős–Rényi graph with as many
// nodes and the same mean degree: Binomial(N−1, d̄/(N−1)). Errors as those of DegreeLaw.
func RandomLaw(degrees []int) ([]float64, error) {
	if _, err := DegreeLaw(degrees); err != nil {
		return nil, err
	}
	law := logRandomLaw(degrees)
	for k, v := range law {
		law[k] = math.Exp(v)
	}
	return law, nil
}

// RandomDivergence returns the Kullback–Leibler divergence in nats of the degrees of a
// graph from [RandomLaw]. Logarithms are compared, so that it is finite where the law's
// values are too small for a float64. Errors as those of DegreeLaw.
func RandomDivergence(degrees []int) (float64, error) {
	p, err := DegreeLaw(degrees)
	if err != nil {
		return 0, err
	}
	q := logRandomLaw(degrees)
	var s float64
	for k, v := range p {
		if v > 0 {
			s += v * (math.Log(v) - q[k])
		}
	}
	return math.Max(s, 0), nil
}

// logRandomLaw returns the logarithms of RandomLaw, of degrees that have a law.
func logRandomLaw(degrees []int) []float64 {
	n, sum := len(degrees)-1, 0
	for _, d := range degrees {
		sum += d
	}
	out := make([]float64, n+1)
	if sum == 0 || sum == n*len(degrees) { // no edges, or all: one degree
		for k := range out {
			out[k] = math.Inf(-1)
		}
		out[sum/len(degrees)] = 0
		return out
	}
	p := float64(sum) / float64(len(degrees)) / float64(n)
	whole, _ := math.Lgamma(float64(n + 1))
	for k := range out {
		in, _ := math.Lgamma(float64(k + 1))
		rest, _ := math.Lgamma(float64(n - k + 1))
		out[k] = whole - in - rest + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
	}
	return out
}
