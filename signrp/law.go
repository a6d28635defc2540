package signrp

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
)

// law is the law of the released signs at one u: independent bits.
type law struct {
	normal bool
	fixed  []bool // nil if every bit is random; fixed bit j always has the sign of level[j]

	level []int // signed level: Pr[+1] = e^{level ε'}/(e^{level ε'}+1)
	eps   evidence.Epsilon

	z, slack []float64 // normal: Pr[+1] = Φ(z), where z is known up to slack
	sigma    float64   // standard deviation of the noise; also set if normal
	kept     []bitLogs // logarithms of all bits, nil until keepLogs
}

// logs returns the logarithms of bit j's chances under a normal law.
func (l *law) logs(j int) bitLogs {
	if l.kept != nil {
		return l.kept[j]
	}
	return logsAt(l.z[j], l.slack[j])
}

// keepLogs computes all logs of a normal law, for many comparisons.
func (l *law) keepLogs() { l.kept = lists.Of(len(l.z), l.logs) }

// law returns the law of the signs at d = Wᵀu. norm is ‖u‖, on which only N₊ depends.
func (r *Release) law(ctx context.Context, d dotter, norm float64) (*law, error) {
	if r.rule == randomizedSigns || r.rule == smoothSigns {
		return r.flipped(d, norm), nil
	}
	k := r.w.k
	l := &law{level: make([]int, k)}
	largest := r.w.largests()
	for j := range k {
		l.level[j] = sign(d, j)
	}
	switch r.rule {
	case individualRR, individualNormal:
		l.fixed = make([]bool, k)
		n := 0
		for j := range k {
			l.fixed[j] = !within(d, j, r.beta, largest[j])
			if !l.fixed[j] {
				n++
			}
		}
		if r.rule == individualRR {
			l.eps = r.perSign(n)
			break
		}
		sigma, err := r.individualSigma(ctx, l.fixed, n)
		if err != nil {
			return nil, err
		}
		if sigma == 0 { // A is empty: no move changes a sign
			for j := range l.fixed {
				l.fixed[j] = true
			}
		}
		l.toNormal(d, r.w.scale(), sigma)
	case noisySigns:
		l.toNormal(d, r.w.scale(), r.sigma.Hi)
	}
	return l, nil
}

// flipped returns the law of a release that applies randomised response, with or without levels, to every sign.
func (r *Release) flipped(d dotter, norm float64) *law {
	l := &law{level: make([]int, r.w.k), eps: r.perSign(r.sharedBy(norm))}
	for j, largest := range r.w.largests() {
		if r.rule == smoothSigns {
			l.level[j] = level(d, j, r.beta, largest)
		} else {
			l.level[j] = sign(d, j)
		}
	}
	return l
}

// toNormal sets z = d/(scale·σ).
func (l *law) toNormal(d dotter, scale, sigma float64) {
	l.normal, l.sigma = true, sigma
	l.z, l.slack = make([]float64, len(l.level)), make([]float64, len(l.level))
	if sigma == 0 {
		return // every bit is fixed
	}
	for j := range l.z {
		v, bound := d.near(j)
		l.z[j] = v / (scale * sigma)
		l.slack[j] = bound/(scale*sigma)*(1+4*ulp) + 4*ulp*math.Abs(l.z[j])
	}
}

// sharedBy returns N₊, the number of signs that share ε, at ‖u‖ = norm. If β/‖u‖ overflows, all k signs are within
// reach; if it underflows, almost none.
func (r *Release) sharedBy(norm float64) int {
	switch {
	case r.w.kind == OPORP:
		return 1
	case r.rule == smoothSigns || r.delta.IsZero():
		return r.w.k
	}
	ratio := r.beta / norm
	probability := publishedRademacher(ratio)
	if r.w.kind != Rademacher {
		probability = publishedGaussian(ratio, r.p)
	}
	return chernoffCount(probability, r.w.k, r.delta)
}

// individualSigma returns the σ of Algorithm 6 for the set A of the n signs that are not fixed. This is the σ of the
// analytic Gaussian mechanism at sensitivity β·max_i ‖W_{i,A}‖/√k, which is β√(n/k) for a Rademacher W.
func (r *Release) individualSigma(ctx context.Context, fixed []bool, n int) (float64, error) {
	if n == 0 {
		return 0, nil
	}
	square := float64(n)
	if r.w.kind != Rademacher {
		square = 0
		if err := r.w.eachRow(ctx, func(_ int, row []float64) {
			sum := 0.0
			for j, v := range row {
				if !fixed[j] {
					sum += float64(v * v)
				}
			}
			square = math.Max(square, sum)
		}); err != nil {
			return 0, err
		}
	}
	return r.beta * math.Sqrt(square) / r.w.scale() / r.mu * (1 + float64(r.w.k+11)*ulp), nil
}

// norm returns ‖u‖, even if squares overflow or underflow.
func norm(u []float64) float64 {
	sum := 0.0
	for _, v := range u {
		sum += float64(v * v)
	}
	if sum > 0x1p-960 && sum < 0x1p960 {
		return math.Sqrt(sum)
	}
	most := largestOf(u)
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(most)
	sum = 0
	for _, v := range u {
		v = math.Ldexp(v, -e)
		sum += float64(v * v)
	}
	return math.Ldexp(math.Sqrt(sum), e)
}

// largestOf returns max |u_i|.
func largestOf(u []float64) float64 {
	most := 0.0
	for _, v := range u {
		most = math.Max(most, math.Abs(v))
	}
	return most
}
