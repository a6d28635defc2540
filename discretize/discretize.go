package discretize

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Discretization is the discretized mechanism q of a mechanism p. It is a
// layered mechanism with decay ε, claimed 2ε-differentially private (Theorem 1).
type Discretization struct {
	*layers.Mechanism
	source     mechanism.Mechanism
	boundaries int
}

// Pairs implements privacy.Private.
func (d *Discretization) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return mechanism.Pairs(d), nil
}

// maxLayers bounds the number of layers.
const maxLayers = 1 << 24

// New discretizes m at ε. It returns an error wrapping mechanism.ErrUndecided if a boundary cannot be decided, and
// one wrapping evidence.ErrParameter if ε is so small that there are more than 2^24 layers.
func New(ctx context.Context, m mechanism.Mechanism, eps evidence.Epsilon) (*Discretization, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	q := m.Query()
	size := len(q.Range())
	b, err := newBoundary(ctx, m, eps)
	if err != nil {
		return nil, err
	}
	table := make([]int32, q.Size()*size)
	known := make([][]int32, m.Classes()) // rows of the table
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parallel.Report(ctx, int64(x), int64(q.Size()), "datasets")
		row := table[x*size:][:size]
		if same := known[m.Class(x)]; same != nil {
			copy(row, same)
			continue
		}
		for r := range row {
			if row[r], err = b.layer(x, r); err != nil {
				return nil, fmt.Errorf("value %v of dataset %v: %w", q.Range()[r], q.Space().Dataset(x), err)
			}
		}
		known[m.Class(x)] = row
	}
	l, err := layers.NewGiven(ctx, mechanism.Info{
		Name: "discretize(" + m.Name() + ", eps=" + eps.String() + ")", Query: q, Claimed: theorem1Claim(eps),
	}, eps, table)
	if err != nil {
		return nil, err
	}
	return &Discretization{Mechanism: l, source: m, boundaries: b.decided}, nil
}

// theorem1Claim is Theorem 1's ε for a mechanism discretized at ε.
func theorem1Claim(eps evidence.Epsilon) evidence.Claimed {
	return mechanism.Claim(eps.Times(2), "Wu et al., Theorem 1: 2ε")
}

// Guarantee returns the ε that m claims, exactly if it is known exactly. It is the default ε for discretizing. It
// returns an error wrapping evidence.ErrParameter unless m claims a positive and finite ε.
func Guarantee(m mechanism.Mechanism) (evidence.Epsilon, error) {
	claim := m.ClaimedEpsilon()
	if c, ok := claim.(evidence.Claimed); ok && !c.Epsilon.IsZero() {
		return c.Epsilon, nil
	}
	if l, ok := claim.(evidence.ExactLog); ok {
		return evidence.LogEpsilon("eps", l.Argument)
	}
	return evidence.NewEpsilon("eps", claim.Float())
}

// Source returns p.
func (d *Discretization) Source() mechanism.Mechanism { return d.source }

// Boundaries returns the number of probabilities that were too close to a boundary for float64 and were decided
// exactly or by enclosure.
func (d *Discretization) Boundaries() int { return d.boundaries }

// boundary decides the layers of one mechanism.
type boundary struct {
	m       mechanism.Mechanism
	eps     evidence.Epsilon
	largest []mechanism.Outcome // all candidates for M; several if they cannot be distinguished
	logM    float64
	decided int
}

func newBoundary(ctx context.Context, m mechanism.Mechanism, eps evidence.Epsilon) (*boundary, error) {
	q := m.Query()
	b := &boundary{m: m, eps: eps, logM: math.Inf(-1)}
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for r := range q.Range() {
			b.logM = max(b.logM, m.LogProb(x, r))
		}
	}
	seen := make(map[[2]int]bool)
	for x := range q.Size() {
		for r := range q.Range() {
			key := [2]int{m.Class(x), r}
			log := m.LogProb(x, r)
			if math.IsInf(log, -1) || log < b.logM-miss(m) || seen[key] {
				continue
			}
			seen[key] = true
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b.challenge(mechanism.Outcome{X: x, R: r})
		}
	}
	return b, nil
}

// challenge adds p to the candidates for M and drops those that p exceeds. It does nothing if a candidate is known to
// be at least p.
func (b *boundary) challenge(p mechanism.Outcome) {
	var kept []mechanism.Outcome
	for _, c := range b.largest {
		sign, err := mechanism.CompareProbabilities(b.m, p, c, 0, b.eps)
		if err == nil && sign <= 0 {
			return
		}
		if err != nil {
			kept = append(kept, c)
		}
	}
	b.largest = append(kept, p)
}

// layer returns the layer of a value, query.Unreached if it has probability 0.
func (b *boundary) layer(x, r int) (int32, error) {
	if math.IsInf(b.m.LogProb(x, r), -1) {
		return query.Unreached, nil
	}
	least, most := b.between(x, r)
	if !(most < maxLayers) {
		return query.Unreached, parameter.Errorf("eps = %v puts the value into layer %.3g, want at most 2^24", b.eps, least)
	}
	lo, hi := int(math.Floor(least)), int(math.Floor(most))
	for ; hi > lo && hi > 0; hi-- { // is p/M ≤ e^{−hi·ε}?
		b.decided++
		within, err := b.reaches(mechanism.Outcome{X: x, R: r}, hi)
		if err != nil || within {
			return int32(hi), err
		}
	}
	return int32(max(hi, 0)), nil // p ≤ M by the definition of M
}

// between bounds (ln M − ln p)/ε, in float64 if the error is below a quarter of a layer, and with 256 bits otherwise.
func (b *boundary) between(x, r int) (lo, hi float64) {
	log, unit := b.m.LogProb(x, r), b.eps.Value()
	at := (b.logM - log) / unit
	if slack := miss(b.m) / unit; slack < 0.25 {
		return at - slack, at + slack
	}
	top := b.m.EncloseLog(b.largest[0].X, b.largest[0].R)
	for _, c := range b.largest[1:] {
		top = interval.Max(top, b.m.EncloseLog(c.X, c.R))
	}
	return top.Sub(b.m.EncloseLog(x, r)).Quo(b.eps.Enclosure()).Bounds()
}

// miss bounds the error of ln p − ln p' in float64, with the rounding of a division by ε. Each logarithm is off by at
// most LogError, which is no less than its own rounding.
func miss(m mechanism.Mechanism) float64 { return 8 * m.LogError() }

// reaches decides whether p ≤ M e^{−iε}, by comparing p with the candidates for M.
func (b *boundary) reaches(p mechanism.Outcome, i int) (bool, error) {
	var undecided error
	for _, c := range b.largest {
		sign, err := mechanism.CompareProbabilities(b.m, p, c, i, b.eps)
		if err == nil && sign <= 0 {
			return true, nil
		}
		if err != nil {
			undecided = fmt.Errorf("%w: is the probability at most e^(−%d·%v) of the largest one? An ε with rational e^ε may make both rational and decide it", mechanism.ErrUndecided, i, b.eps)
		}
	}
	return false, undecided
}
