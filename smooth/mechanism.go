package smooth

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Mechanism answers a query on a finite universe with center(x) + scale·S(x)·Z on the whole line. The center is f(x),
// or the value of a query that approximates f. It is immutable. As with a slice, a dataset out of range panics.
type Mechanism struct {
	*Calibration
	name   string
	q      *query.Query // errors are measured from its values
	center []*big.Rat
	bound  []Bound
}

// New returns the smooth sensitivity mechanism (Nissim, Raskhodnikova and Smith 2007) of a query: the noise is scaled
// with S(x) = max over y of e^{−β⌈d̄(x,y)⌉} LS(y). It returns an error wrapping evidence.ErrParameter unless the
// values are numbers with the metric |a − b|, and the context's error.
func New(ctx context.Context, q *query.Query, c *Calibration) (*Mechanism, error) {
	center, err := numbers(q, "smooth_sensitivity")
	if err != nil {
		return nil, err
	}
	m := &Mechanism{Calibration: c, q: q, center: center, bound: make([]Bound, q.Size())}
	m.name = "smooth_sensitivity(eps=" + c.Epsilon.String() + ", " + c.Noise.Name() + ")"
	if !c.Delta.IsZero() {
		m.name = "smooth_sensitivity(eps=" + c.Epsilon.String() + ", delta=" + short(c.Delta.Rat()) + ", " + c.Noise.Name() + ")"
	}
	local, unit, exact, err := localSteps(ctx, q)
	if err != nil {
		return nil, err
	}
	growing, err := q.Space().SensitivityAtDistance(ctx, local)
	if err != nil {
		return nil, err
	}
	known := make(map[string]Bound) // few bounds differ
	for x, steps := range growing {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var b Bound
		if exact == nil {
			if b, err = NewBoundSteps(steps, unit, c); err != nil {
				return nil, err
			}
		} else {
			each := func(r query.SensitivityStep) RationalStep { return RationalStep{r.From, exact[int(r.Value)]} }
			if b, err = NewBound(lists.Each(steps, each), c); err != nil {
				return nil, err
			}
		}
		if same, ok := known[b.key()]; ok {
			b = same
		}
		known[b.key()] = b
		m.bound[x] = b
	}
	return m, nil
}

// localSteps returns the local sensitivities as integer multiples of a unit. If there is no such unit, local holds
// ranks, and exact the sensitivity of each rank.
func localSteps(ctx context.Context, q *query.Query) (local []float64, unit *big.Rat, exact []*big.Rat, err error) {
	if q.Metric().IsExact() {
		return lists.Of(q.Size(), q.LocalSteps), q.Metric().Unit(), nil, nil
	}
	rank := make(map[string]int)
	each := make([]*big.Rat, q.Size())
	for x := range each {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		each[x] = q.LocalSensitivity(x).(evidence.Exact).Value
	}
	exact = query.Distinct(each)
	for i, v := range exact {
		rank[v.RatString()] = i
	}
	return lists.Each(each, func(v *big.Rat) float64 { return float64(rank[v.RatString()]) }), nil, exact, nil
}

// NewGlobal returns the mechanism that adds Laplace noise of scale Δ/ε to the query's values, without rounding to the
// range (Dwork, McSherry, Nissim and Smith 2006). It is ε-differentially private. The parameter of is the query that q
// approximates, or nil for q itself; errors are measured from its values. It returns errors as New does.
func NewGlobal(q *query.Query, eps evidence.Epsilon, of *query.Query) (*Mechanism, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	center, err := numbers(q, "laplace")
	if err != nil {
		return nil, err
	}
	if of == nil {
		of = q
	}
	if _, err := numbers(of, "laplace"); err != nil {
		return nil, err
	}
	if of.Size() != q.Size() {
		return nil, parameter.Errorf("query has %d datasets and the query that it approximates %d, want the same universe", q.Size(), of.Size())
	}
	c := &Calibration{Noise: Laplace(), Epsilon: eps, beta: rational(new(big.Rat)),
		scale: rational(big.NewRat(1, 1)).over(epsilon(eps)), source: "Dwork et al. 2006"}
	all := slices.Repeat([]Bound{Constant(q.RationalSensitivity())}, q.Size())
	return &Mechanism{Calibration: c, name: "laplace(eps=" + eps.String() + ", line=True)", q: of, center: center, bound: all}, nil
}

// numbers returns the values of a query, which must be numbers with the metric |a − b|.
func numbers(q *query.Query, word string) ([]*big.Rat, error) {
	if err := q.CheckMetric(word); err != nil {
		return nil, err
	}
	out := make([]*big.Rat, q.Size())
	for x := range out {
		v, ok := query.RationalOf(q.Value(x))
		if !ok {
			return nil, parameter.Errorf("%s needs a query with numbers as values, but f(%v) = %v", word, q.Space().Dataset(x), q.Value(x))
		}
		out[x] = v
	}
	return out, checkAbsolute(q, word)
}

// checkAbsolute returns an error unless the value metric is |a − b| for neighbors.
func checkAbsolute(q *query.Query, word string) error {
	for x := range q.Size() {
		a, _ := query.RationalOf(q.Value(x))
		for _, y := range q.Space().Neighbors(x) {
			if int(y) < x {
				continue
			}
			b, _ := query.RationalOf(q.Value(int(y)))
			d := new(big.Rat).Sub(a, b)
			if d.Abs(d).Cmp(q.Metric().Rational(q.ValueIndex(x), q.ValueIndex(int(y)))) != 0 {
				return parameter.Errorf("%s adds noise to a number and needs the value metric |a − b|, but the distance of %v and %v differs from it", word, q.Value(x), q.Value(int(y)))
			}
		}
	}
	return nil
}

// Name returns the mechanism's name with its parameters.
func (m *Mechanism) Name() string { return m.name }

// Query returns the query that m answers.
func (m *Mechanism) Query() *query.Query { return m.q }

// ClaimedEpsilon returns the ε of the theorem.
func (m *Mechanism) ClaimedEpsilon() evidence.Number { return m.Claim() }

// ClaimedDelta returns the δ of the theorem, which is 0 if the theorem claims pure privacy.
func (m *Mechanism) ClaimedDelta() evidence.Number {
	return evidence.Claimed{Value: m.Delta.Value(), Provenance: evidence.From(m.source)}
}

// SmoothBound returns S(x), and the distance at which it is attained.
func (m *Mechanism) SmoothBound(x int) (s evidence.Number, at int) {
	return evidence.WithSide(m.bound[x].Amount().Number("e^{−βt} enclosed", m.source), evidence.Up), m.bound[x].At()
}

// NoiseScale returns the factor of Z at dataset x.
func (m *Mechanism) NoiseScale(x int) evidence.Number {
	return evidence.Enclosed(m.sigma(x), "closed form, rounded outward", m.source)
}

func (m *Mechanism) sigma(x int) interval.Interval {
	return m.bound[x].Amount().Enclosure.Mul(m.scale.enclosure)
}

// offset returns |center(x) − f(x)|.
func (m *Mechanism) offset(x int) *big.Rat {
	v, _ := query.RationalOf(m.q.Value(x))
	d := new(big.Rat).Sub(m.center[x], v)
	return d.Abs(d)
}

// Distortion returns E|answer − f(x)|, certified, and +Inf if the noise has no first moment.
func (m *Mechanism) Distortion(x int) evidence.Number {
	b := m.offset(x)
	if b.Sign() == 0 {
		return m.AbsError(m.bound[x].Amount())
	}
	if m.bound[x].IsZero() {
		return evidence.Exact{Value: b, Provenance: evidence.From(m.source)}
	}
	if _, ok := m.Noise.AbsMoment(); !ok {
		return infinite(m.Noise, 1)
	}
	sigma := m.sigma(x)
	return evidence.Enclosed(sigma.Mul(m.Noise.AbsAround(interval.Rat(b).Quo(sigma))), "closed form, rounded outward", m.source)
}

// SquaredError returns E(answer − f(x))², certified, and +Inf if the noise has no second moment.
func (m *Mechanism) SquaredError(x int) evidence.Number {
	e, b := m.SquareError(m.bound[x].Amount()), m.offset(x)
	if b.Sign() == 0 || math.IsInf(e.Float(), 1) {
		return e
	}
	b.Mul(b, b)
	if m.bound[x].IsZero() {
		return evidence.Exact{Value: b, Provenance: evidence.From(m.source)}
	}
	return evidence.Enclosed(evidence.Enclosure(e).Add(interval.Rat(b)), "moment of the noise, rounded outward", m.source)
}

// ErrorQuantile returns the p-quantile of |answer − f(x)|, 0 < p < 1.
func (m *Mechanism) ErrorQuantile(x int, p *big.Rat) (evidence.Number, error) {
	if m.offset(x).Sign() != 0 {
		return nil, parameter.Errorf("no quantile of the error: the noise is not centered at f(x)")
	}
	return m.Quantile(m.bound[x].Amount(), p)
}

// DensityAt returns the density of the answer at r.
func (m *Mechanism) DensityAt(x int, r *big.Rat) (evidence.Number, error) {
	if m.bound[x].IsZero() {
		return nil, parameter.Errorf("dataset %v has no density: its answer is %s, without noise", m.q.Space().Dataset(x), short(m.center[x]))
	}
	d := new(big.Rat).Sub(r, m.center[x])
	sigma := m.sigma(x)
	return evidence.Enclosed(m.Noise.Density(interval.Rat(d.Abs(d)).Quo(sigma)).Quo(sigma), "closed form, rounded outward", m.source), nil
}

// Distortions returns the distortion of every dataset in float64.
func (m *Mechanism) Distortions(ctx context.Context) ([]float64, error) {
	out, known := make([]float64, len(m.bound)), make(map[string]float64)
	for x := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		key := m.bound[x].key() + "#" + m.offset(x).RatString()
		v, ok := known[key]
		if !ok {
			v = m.Distortion(x).Float()
			known[key] = v
		}
		out[x] = v
	}
	return out, nil
}

// ExpectedDistortion returns the mean distortion under a prior. A nil prior is uniform. It returns errors as
// mechanism.PriorWeights does.
func (m *Mechanism) ExpectedDistortion(ctx context.Context, prior []*big.Rat) (evidence.Number, error) {
	weights, err := mechanism.PriorWeights(len(m.bound), prior)
	if err != nil {
		return nil, err
	}
	known := make(map[string]evidence.Number)
	sum := interval.Int(0)
	for x, w := range weights {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w.Sign() == 0 {
			continue
		}
		key := m.bound[x].key() + "#" + m.offset(x).RatString()
		e, ok := known[key]
		if !ok {
			e = m.Distortion(x)
			known[key] = e
		}
		if math.IsInf(e.Float(), 1) {
			return e, nil
		}
		sum = sum.Add(evidence.Enclosure(e).Mul(interval.Rat(w)))
	}
	return evidence.Enclosed(sum, "closed form, rounded outward", m.source), nil
}
