package verify

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// maxCells bounds datasets squared times values, and the probabilities of a composition.
const maxCells = 1 << 26

// Finite recomputes a mechanism on a finite query: distances, neighbors and sensitivities of its universe, layers,
// probabilities, distortions, the smallest ε in two ways, δ, and the claim. It returns an error wrapping
// evidence.ErrParameter if the universe is too large, and the context's error.
func Finite(ctx context.Context, m mechanism.Mechanism) (*Report, error) {
	q := m.Query()
	n, size := q.Size(), len(q.Range())
	if n > maxCells/n/size {
		return nil, parameter.Errorf("%s has %d datasets and %d values, want datasets² × values of at most %d", q.Name(), n, size, maxCells)
	}
	r := new(Report)
	d, err := r.universe(ctx, q)
	if err != nil {
		return nil, err
	}
	logs, err := r.laws(ctx, m, d)
	if err != nil {
		return nil, err
	}
	r.distortions(m, logs)
	return r, r.privacy(ctx, m, d, logs)
}

// Query recomputes the metric, the neighbors and the sensitivities of a finite query.
func Query(ctx context.Context, q *query.Query) (*Report, error) {
	if n := q.Size(); n > maxCells/n {
		return nil, parameter.Errorf("%s has %d datasets, want datasets² of at most %d", q.Name(), n, maxCells)
	}
	r := new(Report)
	_, err := r.universe(ctx, q)
	return r, err
}

// laws recomputes ln p^x(r), and compares the printed layers and probabilities.
func (r *Report) laws(ctx context.Context, m mechanism.Mechanism, d [][]float64) ([][]float64, error) {
	q := m.Query()
	weights, err := r.weights(ctx, m, d)
	if err != nil {
		return nil, err
	}
	given := weights == nil // the mechanism is defined only by its table
	law := r.part("probabilities")
	out := make([][]float64, q.Size())
	for x := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[x] = make([]float64, len(q.Range()))
		sum := 0.0
		for v := range out[x] {
			if out[x][v] = m.LogProb(x, v); given {
				if p, ok := m.Rational(x, v); ok {
					f, _ := p.Float64()
					out[x][v] = math.Log(f)
				}
			} else {
				out[x][v] = weights[x][v]
			}
			sum += math.Exp(out[x][v])
		}
		law.is(close(sum, 1), ".prob(%d)  # sums to %.12g", x, sum)
		for v := range out[x] {
			p := math.Exp(out[x][v])
			lo, hi := m.Enclose(x, v).Bounds()
			says, rational := m.Rational(x, v)
			f := p
			if rational {
				f, _ = says.Float64()
			}
			ok := close(math.Exp(m.LogProb(x, v)), p) && lo <= p*(1+tolerance) && p*(1-tolerance) <= hi && close(f, p)
			law.is(ok, ".prob(%d)  # %v has probability %.12g by enumeration, printed %.12g", x, q.Range()[v], p, math.Exp(m.LogProb(x, v)))
		}
	}
	return out, nil
}

// distortions recomputes P^x and its mean. For an optimal mechanism it also recomputes the objective and the bound of
// the dual program.
func (r *Report) distortions(m mechanism.Mechanism, logs [][]float64) {
	q := m.Query()
	part := r.part("distortions")
	mean, most := 0.0, 0.0
	each := make([]float64, len(logs))
	for x := range logs {
		for v, log := range logs[x] {
			if far := valueDistance(q, q.ValueIndex(x), v); far > 0 {
				each[x] += math.Exp(log) * far
			}
		}
		part.number(mechanism.Distortion(m, x), each[x], ".distortion(%d)", x)
		mean += each[x] / float64(len(logs))
		most = max(most, each[x])
	}
	if all, err := mechanism.ExpectedDistortion(context.Background(), m, nil); err == nil {
		part.number(all, mean, ".expected_distortion()")
	}
	o, ok := m.(*optimize.Optimal)
	if !ok {
		return
	}
	k, best := o.Certificate(), most
	float := func(x *big.Rat) float64 { f, _ := x.Float64(); return f }
	eps, delta := o.Guarantee()
	dual := 0.0
	for x := range logs {
		weight := float(k.Weight[x])
		if k.Bound != nil {
			weight += float(k.Bound[x])
		}
		least := math.Inf(1)
		for _, v := range k.Values {
			reduced := weight * valueDistance(q, q.ValueIndex(x), v) / float(k.Unit)
			for at, price := range k.Up {
				if at[2] == v && at[0] == x {
					reduced += float(price)
				}
				if at[2] == v && at[1] == x {
					reduced -= math.Exp(eps.Value()) * float(price)
				}
			}
			least = min(least, reduced)
		}
		dual += float(k.Unit) * least
	}
	switch o.Objective() {
	case optimize.Mean:
		best = 0
		for x := range logs {
			best += float(k.Weight[x]) * each[x]
		}
	case optimize.Pareto:
		best = mean * float64(len(logs))
	}
	optimum := r.part("optimum")
	lo, hi := o.Optimum().Bounds()
	optimum.is(best <= hi+tolerance*best, ".optimum  # the law attains %.12g", best)
	if o.Objective() == optimize.Mean && delta.IsZero() {
		optimum.is(dual >= lo-tolerance*best, ".certificate  # the dual program gives %.12g alone", dual)
	}
}
