package learn

import (
	"context"
	"math"
	"slices"

	"dpworkbench/internal/parameter"
)

// PowerLaw is a discrete power law fitted to a tail: p(k) ∝ k^{−Exponent} for the integers k from Min to Max.
type PowerLaw struct {
	Exponent      float64
	StandardError float64 // of the exponent, from the curvature of the likelihood
	Min, Max      int     // Max is 0 for an unbounded law
	Distance      float64 // the Kolmogorov–Smirnov distance between tail and fit
	Tail, Count   int     // the number of values within the range, and of values of at least 1
	LogLikelihood float64 // the log-likelihood of the tail
}

// PowerLawOptions are the range of a fit. If Min is 0, the fit chooses the minimum. If Max is 0, there is no maximum.
type PowerLawOptions struct{ Min, Max int }

// FitPowerLaw fits a discrete power law to values by maximum likelihood. Without a given minimum it tries every value
// except the largest, and takes the one whose fit has the least Kolmogorov–Smirnov distance, or the smallest of several
// such values (Clauset, Shalizi and Newman 2009, Sections 3.1 and 3.3). Values below 1 are ignored. It returns an error
// wrapping parameter.Err if a value is negative, the range is empty or exceeds 2²⁴, or a value exceeds 2²⁴. Fewer than
// two different values in the range are such an error too, since then no exponent is the likeliest. It returns ctx's
// error if it ends.
func FitPowerLaw(ctx context.Context, values []int, opts PowerLawOptions) (*PowerLaw, error) {
	if opts.Min < 0 {
		return nil, parameter.Bad("x_min", opts.Min, "at least 1")
	}
	if opts.Max != 0 && opts.Max <= max(opts.Min, 1) {
		return nil, parameter.Bad("x_max", opts.Max, "more than %d", max(opts.Min, 1))
	}
	if opts.Max > mostTail {
		return nil, parameter.Bad("x_max", opts.Max, "at most %d", mostTail)
	}
	var sorted []int
	for i, v := range values {
		if v < 0 {
			return nil, parameter.Errorf("values[%d] = %d, want at least 0", i, v)
		}
		if v > 0 {
			sorted = append(sorted, v)
		}
	}
	slices.Sort(sorted)
	count := len(sorted)
	if opts.Max > 0 {
		at, _ := slices.BinarySearch(sorted, opts.Max+1)
		sorted = sorted[:at]
	}
	starts := slices.Compact(slices.Clone(sorted))
	if opts.Min > 0 {
		at, _ := slices.BinarySearch(sorted, opts.Min)
		sorted = sorted[at:]
		at, _ = slices.BinarySearch(starts, opts.Min)
		starts = starts[at:]
	}
	if len(starts) < 2 {
		return nil, parameter.Errorf("the range of the fit contains %d distinct values, want at least 2", len(starts))
	}
	if opts.Min > 0 {
		starts = []int{opts.Min, starts[len(starts)-1]}
	}
	if span := sorted[len(sorted)-1]; span > mostTail {
		return nil, parameter.Errorf("the largest value is %d, want at most %d", span, mostTail)
	}
	var best *PowerLaw
	for _, start := range starts[:len(starts)-1] {
		at, _ := slices.BinarySearch(sorted, start)
		fit, err := fitTail(ctx, sorted[at:], start, opts.Max)
		if err != nil {
			return nil, err
		}
		fit.Count = count
		if best == nil || fit.Distance < best.Distance {
			best = fit
		}
	}
	return best, nil
}

// mostTail bounds the number of terms that are summed one by one.
const mostTail = 1 << 24

// fitTail fits the exponent to an ascending tail of at least two different values.
func fitTail(ctx context.Context, tail []int, least, most int) (*PowerLaw, error) {
	fit := &PowerLaw{Min: least, Max: most, Tail: len(tail)}
	mean := 0.0
	for _, v := range tail {
		mean += math.Log(float64(v) / float64(least))
	}
	mean /= float64(len(tail))
	law := zeta{float64(least), float64(most)}
	// The mean of ln k under the law decreases with the exponent. The likelihood is largest at the exponent where this
	// mean equals the mean of ln k over the tail.
	over := func(s float64) float64 { return law.moments(s).mean - mean }
	lo, hi := 1+0x1p-20, 2.0
	if most > 0 { // a law on finitely many values may have any exponent
		for lo = 1; over(lo) < 0 && ctx.Err() == nil; {
			lo = 2*lo - 2
		}
	}
	for over(hi) > 0 && ctx.Err() == nil {
		lo, hi = hi, 2*hi
	}
	narrow := func(s, over float64) {
		if over > 0 {
			lo = s
		} else {
			hi = s
		}
	}
	for { // bisection, with Newton steps that stay inside the bracket
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, half := (lo+hi)/2, (hi-lo)/2
		if fit.Exponent = s; half < 5e-14*math.Max(1, math.Abs(s)) {
			break
		}
		m := law.moments(s)
		narrow(s, m.mean-mean)
		if step := (m.mean - mean) / m.variance; math.Abs(step) < half {
			narrow(s+step, over(s+step))
		}
	}
	at := law.moments(fit.Exponent)
	n := float64(len(tail))
	fit.StandardError = 1 / math.Sqrt(n*at.variance)
	fit.LogLikelihood = -n * (fit.Exponent*(mean+math.Log(float64(least))) + at.logSum - fit.Exponent*math.Log(float64(least)))
	var below float64 // the mass of the law below
	for i, k := 0, least; i < len(tail); k++ {
		below += math.Exp(-fit.Exponent*math.Log(float64(k)/float64(least)) - at.logSum)
		for i < len(tail) && tail[i] == k {
			i++
		}
		fit.Distance = math.Max(fit.Distance, math.Abs(below-float64(i)/n))
	}
	return fit, nil
}

// zeta is the sum of (k/q)^{−s} over the integers k from q to most, or to infinity if most is 0.
type zeta struct{ q, most float64 }

// moments are the logarithm of the sum, and the mean and variance of ln(k/q) with these weights.
type moments struct{ logSum, mean, variance float64 }

// moments adds terms one by one up to a, and the others by the Euler–Maclaurin formula. In that formula each pair of
// derivatives of k^{−s} ln^j k is smaller by a factor (s/2πa)².
func (z zeta) moments(s float64) moments {
	end := math.Max(z.q, math.Ceil(s)) + 30
	if z.most > 0 {
		end = z.most + 1
	}
	var sum, first, second float64
	k := z.q
	for ; k < end; k++ {
		x := math.Log(k / z.q)
		w := math.Exp(-s * x)
		sum, first, second = sum+w, first+w*x, second+w*x*x
		if z.most == 0 && w < 1e-18*sum && k > z.q+1 && s > 2 && w*k/(s-1) < 1e-18*sum {
			break // the remainder is below w·k/(s−1)
		}
	}
	if z.most == 0 && k >= end {
		tail := restOf(s, k, z.q)
		sum, first, second = sum+tail[0], first+tail[1], second+tail[2]
	}
	mean := first / sum
	return moments{math.Log(sum), mean, math.Max(second/sum-mean*mean, math.SmallestNonzeroFloat64)}
}

// restOf returns the sums over k ≥ a of (k/q)^{−s} x^j with x = ln(k/q), j = 0, 1, 2: the integral, half the first term
// and the Bernoulli terms of f′, f‴ and f⁽⁵⁾.
func restOf(s, a, q float64) (out [3]float64) {
	l := math.Log(a / q)
	w := math.Exp(-s * l)
	c := s - 1
	// The integrals are ∫ (k/q)^{−s} x^j dk from a on.
	out[0] = w * a / c
	out[1] = w * a * (l/c + 1/(c*c))
	out[2] = w * a * (l*l/c + 2*l/(c*c) + 2/(c*c*c))
	for j := range 3 {
		out[j] += w * math.Pow(l, float64(j)) / 2
	}
	// The derivative of k^{−t}·p(x) is k^{−t−1}(p′(x) − t p(x)).
	bernoulli := []float64{1. / 12, 0, -1. / 720, 0, 1. / 30240, 0, -1. / 1209600}
	for j := range 3 {
		p := [3]float64{}
		p[j] = 1
		scale := w
		for n, b := range bernoulli {
			t := s + float64(n)
			p = [3]float64{p[1] - t*p[0], 2*p[2] - t*p[1], -t * p[2]}
			scale /= a
			out[j] -= b * scale * (p[0] + p[1]*l + p[2]*l*l)
		}
	}
	return out
}
