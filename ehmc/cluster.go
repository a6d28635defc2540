package ehmc

import (
	"math"
	"math/rand/v2"

	"dpworkbench/internal/parameter"
)

// Cluster moves whole clusters of bits after Swendsen and Wang (1987). With
// spins s = 2b − 1 the law is exp(½ Σ_{i<j} Π_ij s_i s_j + Σ h_i s_i) with
// h_i = ½ Σ_j Π_ij. Two bits whose coupling is satisfied are bound with
// probability 1 − e^{−|Π_ij|}; each cluster then turns to the state or its
// complement, weighed by its fields. It leaves every quadratic law unchanged
// and shines where couplings are strong and balanced; a step costs O(d²).
type Cluster struct {
	state *State
	rng   *rand.Rand
	law   *Dense
	h     []float64
	root  []int32
	sum   []float64
	turn  []bool
}

// NewCluster returns the sampler started at a copy of the given bits. It keeps
// Π whole. It returns an error wrapping evidence.ErrParameter unless the number of bits
// is the law's, and Flatten's.
func NewCluster(q Quadratic, bits []bool, src rand.Source) (*Cluster, error) {
	if len(bits) != q.Dim() {
		return nil, parameter.Errorf("%d bits to start from, want %d", len(bits), q.Dim())
	}
	law, err := Flatten(q)
	if err != nil {
		return nil, err
	}
	d := law.d
	c := &Cluster{
		state: newState(law, bits), rng: rand.New(src), law: law,
		h: make([]float64, d), root: make([]int32, d), sum: make([]float64, d), turn: make([]bool, d),
	}
	for i := range d {
		c.h[i] = law.diag[i] / 2
		for _, v := range law.rows[i*d : (i+1)*d] {
			c.h[i] += v / 2
		}
	}
	return c, nil
}

// State implements Sampler.
func (c *Cluster) State() *State { return c.state }

// Step implements Sampler: bind, then turn every cluster.
func (c *Cluster) Step() Info {
	d, bits := c.law.d, c.state.Bits
	for i := range d {
		c.root[i], c.sum[i] = int32(i), 0
	}
	for i := range d {
		for j, v := range c.law.rows[i*d : i*d+i] {
			if (v > 0) == (bits[i] == bits[j]) && v != 0 && c.rng.Float64() < -math.Expm1(-math.Abs(v)) {
				c.root[c.find(int32(i))] = c.find(int32(j))
			}
		}
	}
	for i := range d {
		f := c.h[i]
		if !bits[i] {
			f = -f
		}
		c.sum[c.find(int32(i))] += f // what the cluster's present state weighs, in nats
	}
	for i := range d {
		if c.root[i] == int32(i) {
			c.turn[i] = c.rng.Float64() < sigmoid(-2*c.sum[i])
		}
	}
	info := Info{Tries: d}
	for i := range d {
		if c.turn[c.find(int32(i))] {
			info.Crosses++
			bits[i] = !bits[i]
		}
	}
	c.state.recompute()
	return info
}

func (c *Cluster) find(i int32) int32 {
	for c.root[i] != i {
		c.root[i] = c.root[c.root[i]]
		i = c.root[i]
	}
	return i
}
