package learn

import (
	"math"
	"math/bits"

	"dpworkbench/internal/parameter"
)

// Degrees returns the degree of every node of a graph in the form of [DescribeGraph]. Errors are those of
// DescribeGraph.
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

// DegreeLaw returns the fraction of nodes with each degree from 0 to the number of nodes less one. It returns an error
// wrapping parameter.Err for any other degree, and for an empty list.
func DegreeLaw(degrees []int) ([]float64, error) {
	if len(degrees) == 0 {
		return nil, parameter.Errorf("there are no degrees, want one for each node")
	}
	law := make([]float64, len(degrees))
	for v, d := range degrees {
		if d < 0 || d >= len(degrees) {
			return nil, parameter.Errorf("node %d has degree %d, want 0 to %d", v, d, len(degrees)-1)
		}
		law[d] += 1 / float64(len(degrees))
	}
	return law, nil
}

// DivergenceOptions are the conventions of a divergence of degrees. The zero value is the Kullback–Leibler divergence,
// which is +Inf if the first law has a degree that the second lacks.
type DivergenceOptions struct {
	Mix          float64 // the weight of a uniform law mixed into the second law
	Common       bool    // sum only over the common degrees; 0 if there are none
	Renormalised bool    // with Common: divide both laws by their mass on the common degrees
}

// DegreeDivergence returns the Kullback–Leibler divergence in nats of the degrees of one graph from those of another
// with as many nodes. Errors are those of DegreeLaw. It also returns an error wrapping parameter.Err for a mix outside
// [0, 1], graphs of different size, and renormalised laws without a common degree.
func DegreeDivergence(released, original []int, o DivergenceOptions) (float64, error) {
	p, q, err := twoLaws(released, original)
	if err != nil {
		return 0, err
	}
	return kullbackLeibler(p, q, o)
}

// kullbackLeibler returns the divergence of two laws on equally many values.
func kullbackLeibler(p, q []float64, o DivergenceOptions) (float64, error) {
	if err := parameter.Unit("mix", o.Mix); err != nil {
		return 0, err
	}
	inP, inQ := 1., 1.
	if o.Renormalised {
		if inP, inQ = commonShares(p, q); inP == 0 {
			return 0, parameter.Errorf("the graphs have no degree in common, want one to renormalise")
		}
	}
	var s float64
	for k, v := range p {
		if v > 0 && (!o.Common || q[k] > 0) {
			s += v / inP * math.Log(v/inP/((1-o.Mix)*q[k]/inQ+o.Mix/float64(len(q))))
		}
	}
	return s, nil
}

// CommonDegrees returns the fraction of nodes of each graph whose degree occurs in both graphs, and the number of such
// degrees. Errors are those of DegreeDivergence.
func CommonDegrees(released, original []int) (ofReleased, ofOriginal float64, count int, err error) {
	p, q, err := twoLaws(released, original)
	if err != nil {
		return 0, 0, 0, err
	}
	ofReleased, ofOriginal = commonShares(p, q)
	for k := range p {
		if p[k] > 0 && q[k] > 0 {
			count++
		}
	}
	return ofReleased, ofOriginal, count, nil
}

// twoLaws returns the laws of two lists of degrees of equal length.
func twoLaws(released, original []int) (p, q []float64, err error) {
	if len(released) != len(original) {
		return nil, nil, parameter.Errorf("released has %d nodes, original %d, want the same number", len(released), len(original))
	}
	if p, err = DegreeLaw(released); err != nil {
		return nil, nil, err
	}
	q, err = DegreeLaw(original)
	return p, q, err
}

// commonShares returns the mass of each law on the values that both have.
func commonShares(p, q []float64) (inP, inQ float64) {
	for k := range p {
		if p[k] > 0 && q[k] > 0 {
			inP, inQ = inP+p[k], inQ+q[k]
		}
	}
	return inP, inQ
}

// RandomLaw returns the law of a node's degree in an Erdős–Rényi graph with as many nodes and the same mean degree:
// Binomial(N−1, d̄/(N−1)). Errors are those of DegreeLaw.
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

// RandomDivergence returns the Kullback–Leibler divergence in nats of the degrees of a graph from [RandomLaw]. It uses
// logarithms, so it is finite even if the law's values underflow. Errors are those of DegreeLaw.
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

// logRandomLaw returns the logarithms of RandomLaw.
func logRandomLaw(degrees []int) []float64 {
	n, sum := len(degrees)-1, 0
	for _, d := range degrees {
		sum += d
	}
	out := make([]float64, n+1)
	if sum == 0 || sum == n*len(degrees) { // no edges or all of them: only one degree occurs
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
