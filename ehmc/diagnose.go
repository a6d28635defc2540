package ehmc

import (
	"math"

	"dpworkbench/internal/parameter"
)

// Diagnosis summarises chains by one scalar per step, such as the number of ones.
type Diagnosis struct {
	Mean float64
	// Tau is the integrated autocorrelation time in steps: the variance of the mean is Tau times that of as many
	// independent draws.
	Tau float64
	// EffectiveSize is the number of kept steps divided by Tau.
	EffectiveSize float64
	// RHat compares the halves of all chains with each other (split R̂, Gelman et al., Bayesian Data Analysis, 3rd
	// ed., section 11.4). A value near 1 is necessary for convergence, not sufficient.
	RHat float64
}

// Diagnose summarises chains of equal length. Autocovariances are averaged over chains and summed until Geyer's
// initial positive sequence ends (Geyer 1992, section 3.3), with pairs made monotone. A constant scalar has RHat =
// 1 if all chains agree and +Inf otherwise, and the effective size of a single step. It returns an error wrapping
// evidence.ErrParameter unless there is a chain, and all have the same length of at least 4.
func Diagnose(chains [][]float64) (Diagnosis, error) {
	if len(chains) == 0 || len(chains[0]) < 4 {
		return Diagnosis{}, parameter.Errorf("chains too short, want at least one chain of at least 4 steps")
	}
	n := len(chains[0]) / 2
	var halves [][]float64
	for c, x := range chains {
		if len(x) != len(chains[0]) {
			return Diagnosis{}, parameter.Errorf("chain %d has %d steps, want %d as chain 0 has", c, len(x), len(chains[0]))
		}
		halves = append(halves, x[:n], x[len(x)-n:])
	}

	m := float64(len(halves))
	means := make([]float64, len(halves))
	var grand, within, between float64
	for h, x := range halves {
		means[h] = mean(x)
		grand += means[h] / m
	}
	for h, x := range halves {
		within += autocovariance(x, means[h], 0) * float64(n) / float64(n-1) / m
		between += (means[h] - grand) * (means[h] - grand) / (m - 1)
	}
	total := within*float64(n-1)/float64(n) + between
	d := Diagnosis{Mean: grand}
	switch {
	case total == 0:
		d.RHat, d.Tau, d.EffectiveSize = 1, m*float64(n), 1
		return d, nil
	case within == 0:
		d.RHat, d.Tau, d.EffectiveSize = math.Inf(1), m*float64(n), 1
		return d, nil
	}
	d.RHat = math.Sqrt(total / within)

	correlation := func(lag int) float64 {
		var c float64
		for h, x := range halves {
			c += autocovariance(x, means[h], lag) / m
		}
		return 1 - (within-c*float64(n)/float64(n-1))/total
	}
	sum, last, even := 0.0, math.Inf(1), 1.0
	for lag := 1; lag < n; lag += 2 {
		pair := even + correlation(lag)
		if !(pair > 0) {
			break
		}
		last = math.Min(last, pair)
		sum += last
		even = correlation(lag + 1)
	}
	d.Tau = math.Max(2*sum-1, 1/math.Log10(m*float64(n)+10)) // a lower bound, for antithetic chains
	d.EffectiveSize = m * float64(n) / d.Tau
	return d, nil
}

func mean(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

// autocovariance returns Σ (x_t − mean)(x_{t+lag} − mean)/len(x).
func autocovariance(x []float64, mean float64, lag int) float64 {
	var s float64
	for t := 0; t+lag < len(x); t++ {
		s += (x[t] - mean) * (x[t+lag] - mean)
	}
	return s / float64(len(x))
}
