package optimize

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// RadiusStep is one step of the greedy search: dataset x extended its ball to Radius, moving the values of a ring
// into R_0^x.
type RadiusStep struct {
	Dataset int
	Radius  float64
	// Predicted is the change of the objective according to Theorem 5's mediant, summed over the values moved one
	// at a time. Actual is the measured change. Both are gains: positive if the objective decreased.
	Predicted, Actual float64
}

// Radii is a choice of δ^x for every dataset of a δ-neighborhood mechanism.
type Radii struct {
	Radius    []float64
	Mechanism *layers.Mechanism
	Value     evidence.Number // of the objective
	Steps     []RadiusStep    // of the greedy search; nil for the exhaustive one
	Cases     uint64          // mechanisms that were evaluated
}

// radiusSearch evaluates radii, given as ranks among the distances that occur.
type radiusSearch struct {
	q         *query.Query
	decay     evidence.Epsilon
	prior     []*big.Rat // nil is uniform
	weights   []float64
	exact     []*big.Rat // the weights; nil for Worst
	objective Objective
	rings     [][]*big.Rat // by dataset: the distances to the range, 0 first
	cases     uint64
}

func newRadiusSearch(q *query.Query, decay evidence.Epsilon, objective Objective, prior []*big.Rat) (*radiusSearch, error) {
	s := &radiusSearch{q: q, decay: decay, objective: objective, prior: prior, weights: make([]float64, q.Size())}
	switch objective {
	case Mean:
		var err error
		if s.exact, err = mechanism.PriorWeights(q.Size(), prior); err != nil {
			return nil, err
		}
		for x, w := range s.exact {
			s.weights[x], _ = w.Float64()
		}
	case Worst:
		if prior != nil {
			return nil, parameter.Errorf(`prior is given with objective "worst", which uses no prior`)
		}
	default:
		return nil, parameter.Bad("objective", string(objective), `"mean" or "worst"`)
	}
	byValue := make(map[int][]*big.Rat)
	for x := range q.Size() {
		ring, ok := byValue[q.ValueIndex(x)]
		if !ok {
			ring = query.Distinct(lists.Of(len(q.Range()), func(r int) *big.Rat { return q.Metric().Rational(q.ValueIndex(x), r) }))
			byValue[q.ValueIndex(x)] = ring
		}
		s.rings = append(s.rings, ring)
	}
	return s, nil
}

// build returns the mechanism with dataset x's ball out to its rank-th ring, and its
// distortions.
func (s *radiusSearch) build(ctx context.Context, rank []int) (*layers.Mechanism, []float64, error) {
	radii := lists.Of(len(rank), func(x int) *big.Rat { return s.rings[x][rank[x]] })
	s.cases++
	m, err := layers.NewBalls(ctx, s.q, s.decay, radii)
	if err != nil {
		return nil, nil, err
	}
	distortions, err := mechanism.Distortions(ctx, m)
	return m, distortions, err
}

// score returns the objective in float64.
func (s *radiusSearch) score(distortions []float64) float64 {
	if s.objective == Worst {
		return slices.Max(distortions)
	}
	sum := 0.0
	for x, p := range distortions {
		sum += s.weights[x] * p
	}
	return sum
}

// value returns the objective with its evidence.
func (s *radiusSearch) value(ctx context.Context, m *layers.Mechanism) (evidence.Number, error) {
	if s.objective == Mean {
		return mechanism.ExpectedDistortion(ctx, m, s.prior)
	}
	return mechanism.WorstDistortion(ctx, m)
}

// less reports whether the objective at a is certainly below that at b. It compares enclosures of the logarithm,
// which does not underflow, and rational numbers if these overlap.
func (s *radiusSearch) less(ctx context.Context, a, b *layers.Mechanism) (bool, error) {
	if s.sameProfiles(a, b) {
		return false, nil
	}
	v, positive := s.logValue(a)
	w, other := s.logValue(b)
	if !positive || !other {
		return !positive && other, nil
	}
	if sign, _ := v.Sub(w).Sign(); sign < 0 {
		return true, nil
	}
	p, err := s.value(ctx, a)
	if err != nil {
		return false, err
	}
	q, err := s.value(ctx, b)
	if err != nil {
		return false, err
	}
	x, ok := p.(evidence.Exact)
	y, too := q.(evidence.Exact)
	return ok && too && x.Value.Cmp(y.Value) < 0, nil
}

// sameProfiles reports whether both mechanisms have the same objective because equally many values, with the same
// total distance, are in each layer. The match is by dataset, or in any order if datasets have equal weights.
func (s *radiusSearch) sameProfiles(a, b *layers.Mechanism) bool {
	p, q := make([]string, s.q.Size()), make([]string, s.q.Size())
	for x := range p {
		p[x], q[x] = a.ProfileKey(x), b.ProfileKey(x)
	}
	if s.prior == nil {
		slices.Sort(p)
		slices.Sort(q)
	}
	return slices.Equal(p, q)
}

// logValue encloses the logarithm of the objective; ok is false if the objective is 0.
func (s *radiusSearch) logValue(m *layers.Mechanism) (interval.Interval, bool) {
	var logs, weights []interval.Interval
	for x := range s.q.Size() {
		log, positive := mechanism.LogDistortion(m, x)
		if !positive || s.exact != nil && s.exact[x].Sign() == 0 {
			continue
		}
		if logs = append(logs, log); s.exact != nil {
			weights = append(weights, interval.Rat(s.exact[x]))
		}
	}
	if len(logs) == 0 {
		return interval.Interval{}, false
	}
	if s.objective == Mean {
		return interval.LogSum(logs, weights), true
	}
	worst := logs[0]
	for _, log := range logs {
		worst = interval.Max(worst, log)
	}
	return worst, true
}

// GreedyRadii starts from the purest mechanism and extends one ball by one ring at a time. It takes the ring of
// largest gain among those whose gain Theorem 5 predicts to be positive, until no step helps. Each step records its
// predicted and its actual gain.
//
// It returns an error wrapping evidence.ErrParameter for an unknown objective or a prior that does not fit.
func GreedyRadii(ctx context.Context, q *query.Query, decay evidence.Epsilon, objective Objective, prior []*big.Rat) (Radii, error) {
	s, err := newRadiusSearch(q, decay, objective, prior)
	if err != nil {
		return Radii{}, err
	}
	rank := make([]int, q.Size())
	m, now, err := s.build(ctx, rank)
	if err != nil {
		return Radii{}, err
	}
	var steps []RadiusStep
	for {
		parallel.Report(ctx, int64(len(steps)), 0, "steps")
		type candidate struct {
			x         int
			predicted float64
		}
		var best candidate
		var bestM *layers.Mechanism
		var bestP []float64
		bestGain := 0.0
		for x := range rank {
			if err := ctx.Err(); err != nil {
				return Radii{}, err
			}
			if rank[x]+1 >= len(s.rings[x]) {
				continue
			}
			predicted, err := s.predict(m, now, x, s.rings[x][rank[x]+1])
			if err != nil {
				return Radii{}, err
			}
			if !(predicted > 0) {
				continue
			}
			rank[x]++
			grown, after, err := s.build(ctx, rank)
			rank[x]--
			if err != nil {
				return Radii{}, err
			}
			if gain := s.score(now) - s.score(after); gain > bestGain+1e-12*s.score(now) {
				best, bestGain, bestM, bestP = candidate{x, predicted}, gain, grown, after
			}
		}
		if bestM == nil {
			break
		}
		rank[best.x]++
		radius, _ := s.rings[best.x][rank[best.x]].Float64()
		steps = append(steps, RadiusStep{best.x, radius, best.predicted, bestGain})
		m, now = bestM, bestP
	}
	return s.result(ctx, m, rank, steps)
}

// predict returns Theorem 5's gain of the objective for moving the values at distance radius of f(x) into R_0^x,
// one at a time.
func (s *radiusSearch) predict(m *layers.Mechanism, now []float64, x int, radius *big.Rat) (float64, error) {
	after := slices.Clone(now)
	for r := range s.q.Range() {
		if s.q.Metric().Rational(s.q.ValueIndex(x), r).Cmp(radius) != 0 {
			continue
		}
		move, err := m.PredictMigration(layers.Move{Dataset: x, Value: r, Layer: 0})
		if err != nil {
			return 0, err
		}
		for y, gain := range move.Gains {
			after[y] -= gain
		}
	}
	return s.score(now) - s.score(after), nil
}

func (s *radiusSearch) result(ctx context.Context, m *layers.Mechanism, rank []int, steps []RadiusStep) (Radii, error) {
	out := Radii{Radius: make([]float64, len(rank)), Mechanism: m, Steps: steps, Cases: s.cases}
	for x, k := range rank {
		out.Radius[x], _ = s.rings[x][k].Float64()
	}
	var err error
	out.Value, err = s.value(ctx, m)
	return out, err
}

// maxRadiusCases bounds the mechanisms that ExhaustiveRadii builds.
const maxRadiusCases = 1 << 22

// ExhaustiveRadii tries all choices of radii that give different balls. It returns an error wrapping
// evidence.ErrParameter if there are more than 2^22.
func ExhaustiveRadii(ctx context.Context, q *query.Query, decay evidence.Epsilon, objective Objective, prior []*big.Rat) (Radii, error) {
	s, err := newRadiusSearch(q, decay, objective, prior)
	if err != nil {
		return Radii{}, err
	}
	total := 1.0
	for _, ring := range s.rings {
		total *= float64(len(ring))
	}
	if total > maxRadiusCases {
		return Radii{}, parameter.Errorf("there are %.3g choices of radii, want at most 2^22, or the greedy search", total)
	}
	rank := make([]int, q.Size())
	var best []int
	var bestM *layers.Mechanism
	var least float64
	for {
		parallel.Report(ctx, int64(s.cases), int64(total), "choices of radii")
		m, p, err := s.build(ctx, rank)
		if err != nil {
			return Radii{}, err
		}
		// Use float64 if it decides clearly. A weight e^{−t} that does not underflow has at most 750 roundings.
		v := s.score(p)
		better := bestM == nil || v < least
		if bestM != nil && !(least > 1e-280 && math.Abs(v-least) > 1e-9*v) {
			if better, err = s.less(ctx, m, bestM); err != nil {
				return Radii{}, err
			}
		}
		if better {
			best, bestM, least = slices.Clone(rank), m, v
		}
		x := 0
		for ; x < len(rank); x++ { // increment the choice like an odometer
			if rank[x]++; rank[x] < len(s.rings[x]) {
				break
			}
			rank[x] = 0
		}
		if x == len(rank) {
			return s.result(ctx, bestM, best, nil)
		}
	}
}
