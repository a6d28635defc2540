package study

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/c-bata/goptuna"
)

// TPE is the tree-structured Parzen estimator of Bergstra, Bardenet, Bengio and Kégl (NIPS 2011, section 4), for each
// parameter separately. It draws candidates from the density l of the good trials and proposes the candidate with the
// largest ratio l/g to the density g of the other trials.
//
// The densities are on the coordinate in [0, 1]. They are mixtures of the prior (nearly uniform: centre 1/2, deviation
// 1) and, for every trial, of a normal law truncated to [0, 1] whose deviation is the larger distance to its neighbors.
// The probability of a discrete value is the mass of its part of [0, 1].
type TPE struct {
	seed uint64

	// The trials that determine all parameters of one trial. Trials that end meanwhile count only for the next trial.
	trial  int
	trials []goptuna.FrozenTrial
}

const (
	tpeStartup    = 10 // trials drawn at random first
	tpeCandidates = 24
	tpeGood       = 25 // most trials that count as good

	negligible = -80.0 // log of a ratio so small that a million such terms do not change a sum
)

// Sample proposes a parameter.
func (s *TPE) Sample(study *Study, trial goptuna.FrozenTrial, name string, distribution any) (float64, error) {
	if s.trials == nil || s.trial != trial.ID {
		trials, err := study.storage.GetAllTrials(study.id)
		if err != nil {
			return 0, err
		}
		s.trial, s.trials = trial.ID, trials
	}
	r := source(s.seed, trial.Number, name)
	var losses, us []float64
	for i := range s.trials {
		t := &s.trials[i]
		if t.State != goptuna.TrialStateComplete {
			continue
		}
		if v, ok := t.InternalParams[name]; ok {
			losses, us = append(losses, loss(study, t.Value)), append(us, toUnit(distribution, v))
		}
	}
	if len(us) < tpeStartup {
		return fromUnit(distribution, r.Float64()), nil
	}
	good := toFront(min(int(math.Ceil(0.1*float64(len(us)))), tpeGood), losses, us)
	if n := width(distribution); n > 0 && !scaled(distribution) {
		return categorical(us[:good], us[good:], int(n), r), nil
	}
	l, g := newParzen(us[:good]), newParzen(us[good:])
	best, bestScore := 0.0, math.Inf(-1)
	for range tpeCandidates {
		u := l.draw(r)
		lo, hi := share(distribution, u)
		if score := l.logMass(lo, hi) - g.logMass(lo, hi); score > bestScore {
			best, bestScore = u, score
		}
	}
	return fromUnit(distribution, best), nil
}

// toFront moves the k ≥ 1 points of least loss to the front, and returns k. Of points with equal loss, the first are
// taken.
func toFront(k int, losses, us []float64) int {
	for i := range losses { // the first min(i, k) entries are sorted, and are the least of the first i
		l, u := losses[i], us[i]
		j := min(i, k)
		if j == k && l >= losses[k-1] {
			continue
		}
		if i >= k {
			j, losses[i], us[i] = k-1, losses[k-1], us[k-1]
		}
		for ; j > 0 && l < losses[j-1]; j-- {
			losses[j], us[j] = losses[j-1], us[j-1]
		}
		losses[j], us[j] = l, u
	}
	return k
}

// share returns the part of [0, 1] whose coordinates give the same value as u. It is a point if the parameter is real
// or has more than 2³⁰ values.
func share(distribution any, u float64) (lo, hi float64) {
	n := width(distribution)
	if n == 0 || n > 1<<30 {
		return u, u
	}
	k := min(math.Floor(u*n), n-1)
	return k / n, (k + 1) / n
}

// categorical proposes a choice. Candidates are drawn from the smoothed frequencies of the good trials, and the one
// with the largest ratio to the frequencies of the bad trials is returned.
func categorical(good, bad []float64, n int, r *rand.Rand) float64 {
	frequencies := func(us []float64) []float64 {
		p := make([]float64, n)
		for i := range p {
			p[i] = 1 / float64(n) // the prior has the weight of one trial
		}
		for _, u := range us {
			p[min(int(u*float64(n)), n-1)]++
		}
		for i := range p {
			p[i] /= float64(len(us) + 1)
		}
		return p
	}
	l, g := frequencies(good), frequencies(bad)
	best := -1
	for range tpeCandidates {
		k, x := 0, r.Float64()
		for ; k < n-1 && x >= l[k]; k++ {
			x -= l[k]
		}
		if best < 0 || l[k]*g[best] > l[best]*g[k] {
			best = k
		}
	}
	return float64(best)
}

// parzen is a mixture, with equal weights, of normal laws truncated to [0, 1].
type parzen struct {
	mu, sigma []float64
	inside    []float64 // mass in [0, 1] of the laws before truncation
	scale     []float64 // ln of σ √(2π)·inside
	terms     []float64 // of one sum
}

// newParzen returns the mixture of the prior and one law for every point.
func newParzen(us []float64) parzen {
	mu := append([]float64{0.5}, us...)
	slices.Sort(mu)
	prior, _ := slices.BinarySearch(mu, 0.5)
	n := len(mu)
	p := parzen{mu, make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	narrowest := 1 / min(100, float64(len(mu)+1))
	for i := range mu {
		left, right := mu[i], 1-mu[i]
		if i > 0 {
			left = mu[i] - mu[i-1]
		}
		if i < len(mu)-1 {
			right = mu[i+1] - mu[i]
		}
		p.sigma[i] = min(max(left, right, narrowest), 1)
	}
	p.sigma[prior] = 1
	for i, sigma := range p.sigma {
		if min(mu[i], 1-mu[i]) > 9*sigma {
			p.inside[i] = 1 // exact in float64: the mass beyond nine deviations is below 1e-18
		} else {
			p.inside[i] = phi((1-mu[i])/sigma) - phi(-mu[i]/sigma)
		}
		if i > 0 && sigma == p.sigma[i-1] && p.inside[i] == p.inside[i-1] { // most laws have the least width
			p.scale[i] = p.scale[i-1]
		} else {
			p.scale[i] = math.Log(sigma * math.Sqrt(2*math.Pi) * p.inside[i])
		}
	}
	return p
}

// draw returns a random point of the mixture.
func (p parzen) draw(r *rand.Rand) float64 {
	i := r.IntN(len(p.mu))
	for {
		if u := p.mu[i] + p.sigma[i]*r.NormFloat64(); u >= 0 && u <= 1 {
			return u // accepted with probability above 1/3: mu lies in [0, 1] and sigma ≤ 1
		}
	}
}

// logMass returns the logarithm of the mass of [lo, hi], or of the density at lo if hi = lo.
func (p parzen) logMass(lo, hi float64) float64 {
	terms := p.terms
	top := math.Inf(-1)
	for i, mu := range p.mu {
		sigma := p.sigma[i]
		if lo == hi {
			z := (lo - mu) / sigma
			terms[i] = -z*z/2 - p.scale[i]
		} else {
			terms[i] = math.Log(max(phi((hi-mu)/sigma)-phi((lo-mu)/sigma), 0) / p.inside[i])
		}
		top = max(top, terms[i])
	}
	sum := 0.0 // the prior makes at least one term positive
	for _, t := range terms {
		if t-top > negligible {
			sum += math.Exp(t - top)
		}
	}
	return top + math.Log(sum/float64(len(terms)))
}

// phi returns the distribution function of the standard normal law at z.
func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
