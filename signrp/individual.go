package signrp

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// Sources of the readings, as evidence names them.
const (
	readingPair     = "reading (i), individual: W, u and v given"
	readingNeighbor = "reading (i), individual: W and u given, all neighbors of u"
	readingPublic   = "reading (ii), differential privacy with public W: all pairs of neighbors"
)

func (r *Release) checkPair(u, v []float64) error {
	if err := CheckVector("u", u, r.p); err != nil {
		return err
	}
	return CheckVector("v", v, r.p)
}

// PairEpsilon returns the privacy of r between the vectors u and v, whether
// neighbors or not, for the W at hand. Where signs are released it is the
// smallest ε with δ = 0: exact for randomised response wherever ε allows it,
// with or without smoothing, certified otherwise, and infinite where one vector
// makes patterns that the other cannot. Where numbers are released it is the
// smallest ε at the release's δ, certified.
//
// It returns an error wrapping evidence.ErrParameter unless u and v have p
// entries in [−1, 1].
func (r *Release) PairEpsilon(u, v []float64) (e evidence.Number, err error) {
	defer func() { e = evidence.Warned(e, r.caveat()) }()
	if err := r.checkPair(u, v); err != nil {
		return nil, err
	}
	source := r.name + ", " + readingPair
	if r.rule == numbers {
		d, err := r.distance(u, v)
		if err != nil {
			return nil, err
		}
		return r.numbersEpsilon(d, source)
	}
	a, b, err := r.laws(u, v)
	if err != nil {
		return nil, err
	}
	return smallestEpsilon(a, b, source), nil
}

// PairDelta returns the least δ with which r is (ε, δ)-private between u and v
// for the W at hand, in both directions: exact for randomised response where
// e^ε and e^{ε'} are rational, certified otherwise. Errors as PairEpsilon.
func (r *Release) PairDelta(eps evidence.Epsilon, u, v []float64) (d evidence.Number, err error) {
	defer func() { d = evidence.Warned(d, r.caveat()) }()
	if err := r.checkPair(u, v); err != nil {
		return nil, err
	}
	source := r.name + ", " + readingPair
	if r.rule == numbers {
		d, err := r.distance(u, v)
		if err != nil {
			return nil, err
		}
		if _, hi := d.Bounds(); hi == 0 {
			return evidence.Exact{Value: zeroRat(), Source: source}, nil
		}
		out := gaussian.DeltaAt(eps, r.ratio(d))
		out.Source = source
		return out, nil
	}
	a, b, err := r.laws(u, v)
	if err != nil {
		return nil, err
	}
	return smallestDelta(r.context(), a, b, eps, source)
}

// PairEpsilonAt encloses the smallest ε ≥ 0 at which r is (ε, δ)-private between
// u and v for the W at hand, to a width of about 1e-5 where δ(ε) is known well
// enough. It returns an error wrapping evidence.ErrParameter unless 0 < δ < 1,
// and errors as PairEpsilon.
func (r *Release) PairEpsilonAt(delta float64, u, v []float64) (e evidence.Certified, err error) {
	defer func() { e = evidence.Warned(e, r.caveat()) }()
	if err := checkDelta(delta); err != nil {
		return evidence.Certified{}, err
	}
	if err := r.checkPair(u, v); err != nil {
		return evidence.Certified{}, err
	}
	source := r.name + ", " + readingPair
	if r.rule == numbers {
		d, err := r.distance(u, v)
		if err != nil {
			return evidence.Certified{}, err
		}
		if _, hi := d.Bounds(); hi == 0 {
			return evidence.Certified{Loss: true, Source: source}, nil
		}
		out, err := gaussian.EpsilonAt(delta, r.ratio(d))
		out.Source = source
		return out, err
	}
	a, b, err := r.laws(u, v)
	if err != nil {
		return evidence.Certified{}, err
	}
	var failed error
	lo, hi := epsilonAt(delta, upper(smallestEpsilon(a, b, source)), func(eps evidence.Epsilon) (lo, hi float64) {
		d, err := smallestDelta(r.context(), a, b, eps, source)
		if err != nil {
			failed = err
			return 0, 0 // ends the search
		}
		return d.Bounds()
	})
	return evidence.Certified{Lo: lo, Hi: hi, Loss: true, Method: "bisection of an enclosure of δ(ε)", Source: source}, failed
}

// epsilonAt bisects a falling δ(ε), known between bounds: below the lower end
// δ(ε) > delta, from the upper end on δ(ε) ≤ delta, which pure bounds.
func epsilonAt(delta, pure float64, curve func(evidence.Epsilon) (lo, hi float64)) (lo, hi float64) {
	const most = 1e300
	known := make(map[float64][2]float64)
	at := func(v float64) (float64, float64) {
		eps, err := evidence.NewEpsilon("eps", math.Max(v, 1e-12))
		if err != nil {
			return 1, 1
		}
		if d, ok := known[eps.Value()]; ok {
			return d[0], d[1]
		}
		lo, hi := curve(eps)
		known[eps.Value()] = [2]float64{lo, hi}
		return lo, hi
	}
	top := pure
	if pure > most { // infinite, most likely
		top = 1
		for _, d := at(top); d > delta; _, d = at(top) {
			if top *= 16; top > most {
				if d, _ := at(most); d > delta {
					return most, math.Inf(1)
				}
				return 0, math.Inf(1)
			}
		}
	}
	search := func(below func(v float64) bool) (left, right float64) {
		left, right = 0, top
		for right-left > 1e-5*(1+right) {
			if mid := (left + right) / 2; below(mid) {
				left = mid
			} else {
				right = mid
			}
		}
		return left, right
	}
	lo, _ = search(func(v float64) bool { d, _ := at(v); return d > delta })
	_, hi = search(func(v float64) bool { _, d := at(v); return d > delta })
	if _, d := at(0); d <= delta {
		hi = math.Min(hi, 1e-12)
	}
	return lo, hi
}

func (r *Release) laws(u, v []float64) (a, b *law, err error) {
	if a, err = r.lawAt(u); err != nil {
		return nil, nil, err
	}
	b, err = r.lawAt(v)
	return a, b, err
}

func (r *Release) lawAt(u []float64) (*law, error) {
	at, err := r.w.at(r.context(), u, r.beta)
	if err != nil {
		return nil, err
	}
	return r.law(at, norm(u))
}

// distance encloses ‖x(u) − x(v)‖.
func (r *Release) distance(u, v []float64) (interval.Interval, error) {
	sum := interval.Int(0)
	difference := make([]float64, len(u))
	norm1, rounding := 0.0, 0.0
	for i := range u {
		if u[i] == v[i] {
			continue
		}
		difference[i] = u[i] - v[i]
		if size := math.Abs(u[i]) + math.Abs(v[i]); r.w != nil && math.Abs(difference[i]) > size/1024 {
			rounding += ulp * size // readings
		} else { // next to nothing may be left of the float64s
			d := new(big.Rat).Sub(exactDecimal(u[i]), exactDecimal(v[i]))
			difference[i], _ = d.Float64()
			sum = sum.Add(interval.Rat(d.Mul(d, d))) // of raw data
		}
		norm1 += math.Abs(difference[i])
		rounding += ulp*math.Abs(difference[i]) + 2*math.SmallestNonzeroFloat64
	}
	if r.w == nil || norm1 == 0 {
		return sum.Sqrt(), nil
	}
	sum = interval.Int(0)
	if err := r.w.Prepare(r.context()); err != nil {
		return sum, err
	}
	d := make([]float64, r.w.k)
	if err := r.w.dots(r.context(), d, difference, new(tables)); err != nil {
		return sum, err
	}
	for j, c := range d {
		bound := r.w.dotsError(norm1, j) + 2*rounding*r.w.largests()[j]
		c = math.Abs(c)
		term := interval.Between(math.Max(0, c-bound), c+bound)
		sum = sum.Add(term.Mul(term))
	}
	if r.w.kind != OPORP {
		sum = sum.Quo(interval.Int(int64(r.w.k)))
	}
	return sum.Sqrt(), nil
}

// ratio encloses distance/σ, kept positive.
func (r *Release) ratio(distance interval.Interval) interval.Interval {
	lo, _ := distance.Bounds()
	if lo <= 0 {
		distance = interval.Hull(distance.Upper(), distance.Upper().Mul(interval.Float(1e-9)))
	}
	return distance.Quo(interval.Float(r.sigma.Hi))
}

func (r *Release) numbersEpsilon(distance interval.Interval, source string) (evidence.Number, error) {
	if _, hi := distance.Bounds(); hi == 0 {
		return evidence.Exact{Value: zeroRat(), Source: source}, nil
	}
	out, err := gaussian.EpsilonAt(r.delta, r.ratio(distance))
	if err != nil {
		return nil, fmt.Errorf("signrp: %w", err)
	}
	out.Source = source
	return out, nil
}
