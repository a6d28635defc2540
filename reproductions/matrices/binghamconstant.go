package matrices

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// The constant of a Bingham law is E exp(vᵀAv) for a uniform unit vector v. With κ_i the
// eigenvalues minus the least one, and y a standard normal vector, y = ‖y‖v, the powers
//
//	E(Σ κ_i v_i²)^k/k! = e_k/(q/2)_k,    Σ e_k t^k = Π (1 − κ_i t)^{−1/2},
//
// are positive, and so is every term of k e_k = ½ Σ_{j≤k} (Σ_i κ_i^j) e_{k−j}. The e_k are summed in float64 with κ
// scaled by its largest value. The relative error is j units for a j-th power, and less than (k + 4)² units for e_k.
type binghamSeries struct {
	sum, first interval.Interval // Σ of the terms, and Σ k·term
	least      float64
}

const constantSource = "series of the Bingham law's constant"

// series sums the constant for eigenvalues that differ by at most 5e4.
func (l *Bingham) series(ctx context.Context) (binghamSeries, error) {
	q := len(l.values)
	least := l.values[q-1]
	largest := l.values[0] - least
	one, zero := interval.Int(1), interval.Int(0)
	if largest == 0 {
		return binghamSeries{one, zero, least}, nil
	}
	if largest > mostSpread {
		return binghamSeries{}, parameter.Errorf("the eigenvalues of a differ by %.6g, want at most %g: the series of the normalizing constant is too long", largest, mostSpread)
	}
	ratios := make([]float64, q)
	for i, v := range l.values {
		ratios[i] = (v - least) / largest
	}
	kappa := interval.Float(l.values[0]).Sub(interval.Float(least))
	powers := []float64{0}
	row := append([]float64(nil), ratios...)
	coefficients := []float64{1}
	sum, first, weight := one, zero, one // weight: κ^k/(q/2)_k
	for k := 1; ; k++ {
		if k&255 == 0 {
			if err := ctx.Err(); err != nil {
				return binghamSeries{}, err
			}
		}
		power := 0.0
		for i := range row {
			power += row[i]
			row[i] *= ratios[i]
		}
		powers = append(powers, power)
		e := 0.0
		for j := 1; j <= k; j++ {
			e += powers[j] * coefficients[k-j]
		}
		if e /= float64(2 * k); math.IsInf(e, 1) {
			return binghamSeries{}, parameter.Errorf("a is %d×%d with eigenvalues %.3g apart: the series of the normalizing constant overflows float64", q, q, largest)
		}
		coefficients = append(coefficients, e)
		// The ratios have an error of 2 units, their powers of 3j, and sums over i of q.
		off := float64(k+4) * float64(k+4+q) * 4 * interval.Unit
		weight = weight.Mul(kappa).Quo(interval.Int(int64(q + 2*k - 2)).Quo(interval.Int(2)))
		term := weight.Mul(interval.Between(e*(1-off), e*(1+off)))
		sum, first = sum.Add(term), first.Add(term.Mul(interval.Int(int64(k))))
		// e_k/(q/2)_k ≤ κ^k/k! because ‖v‖ = 1. From here on the bound of each term, and of k·term, is less than half
		// of the previous one.
		if float64(k) < 3*largest+8 {
			continue
		}
		bound := logFactorialBound(kappa, k)
		if rest := bound.Quo(sum); float64(k)*rest.Mid() < 0x1p-60 {
			over := interval.Hull(zero, bound.Mul(interval.Int(2)))
			return binghamSeries{sum.Add(over), first.Add(over.Mul(interval.Int(int64(2 * k)))), least}, nil
		}
	}
}

// logFactorialBound bounds κ^k/k! by (κe/k)^k.
func logFactorialBound(kappa interval.Interval, k int) interval.Interval {
	n := interval.Int(int64(k))
	return kappa.Log().Add(interval.Int(1)).Sub(n.Log()).Mul(n).Exp()
}

// LogConstant encloses ln E exp(vᵀAv) for a uniform v. It returns an error wrapping evidence.ErrParameter if the
// eigenvalues differ by more than 5e4, and the context's error.
func (l *Bingham) LogConstant(ctx context.Context) (evidence.Certified, error) {
	s, err := l.series(ctx)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.Enclosed(s.sum.Log().Add(interval.Float(s.least)), "positive terms, summed with their rounding", constantSource), nil
}

// Moment encloses E vᵀAv. Errors are those of LogConstant.
func (l *Bingham) Moment(ctx context.Context) (evidence.Certified, error) {
	s, err := l.series(ctx)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.Enclosed(s.first.Quo(s.sum).Add(interval.Float(s.least)), "positive terms, summed with their rounding", constantSource), nil
}

// Acceptance encloses the probability of accepting a proposal: the constant of the law, with the largest eigenvalue
// shifted to 0, times (b/q)^{q/2} e^{(q−b)/2} Π (1 + 2a_i/b)^{1/2}. Errors are those of LogConstant.
func (l *Bingham) Acceptance(ctx context.Context) (evidence.Certified, error) {
	s, err := l.series(ctx)
	if err != nil {
		return evidence.Certified{}, err
	}
	one, two := interval.Int(1), interval.Int(2)
	b, q := interval.Float(l.b), interval.Int(int64(len(l.values)))
	top := interval.Float(l.values[0])
	log := s.sum.Log().Add(interval.Float(s.least)).Sub(top)
	log = log.Add(q.Sub(b).Quo(two)).Add(q.Quo(two).Mul(b.Quo(q).Log()))
	for _, v := range l.values {
		log = log.Add(one.Add(two.Mul(top.Sub(interval.Float(v))).Quo(b)).Log().Quo(two))
	}
	rate := log.Exp()
	if !(rate.Mid() >= math.SmallestNonzeroFloat64) {
		return evidence.Certified{Lo: 0, Hi: 1, Provenance: evidence.From(constantSource).By("nothing is left of it")}, nil
	}
	return evidence.Enclosed(clamp(rate), "positive terms, summed with their rounding", constantSource), nil
}
