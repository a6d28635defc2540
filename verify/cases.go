package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/xor"
)

// Case is a mechanism with finitely many cases: the laws of its output at neighboring datasets, as lists of
// probabilities.
type Case struct {
	size, outputs int
	pair          func(i int) (p, q []float64)
	removes       func(i int) bool // whether the first dataset has one more record; nil if pairs occur in both orders
	tight         bool             // the pairs include the account's worst pair, even if the account calls itself an upper bound
	unbounded     bool             // the mechanism's losses are unbounded, although those of the listed outputs are bounded
	universe      any
}

// sampled is the universe of uses on subsampled records.
type sampled privacy.Sampling

// Laws returns the case with the given laws, one for each dataset of a universe.
func Laws(laws [][]float64, space *query.Space) *Case {
	near := Neighbors(space)
	c := &Case{size: len(near), outputs: len(laws[0]), universe: space, pair: func(i int) (p, q []float64) { return laws[near[i][0]], laws[near[i][1]] }}
	if _, ok := space.Records(0); ok {
		c.removes = func(i int) bool {
			x, _ := space.Records(near[i][0])
			y, _ := space.Records(near[i][1])
			return x > y
		}
	}
	return c
}

// Mechanism returns the case of a mechanism on a finite query.
func Mechanism(m mechanism.Mechanism) *Case {
	laws := make([][]float64, m.Query().Size())
	for x := range laws {
		for v := range m.Query().Range() {
			laws[x] = append(laws[x], math.Exp(m.LogProb(x, v)))
		}
	}
	return Laws(laws, m.Query().Space())
}

// TwoLaws returns the case of the pair (p, q) and its reverse. It shares its datasets with no other case.
func TwoLaws(p, q []float64) *Case {
	return &Case{size: 2, outputs: len(p), universe: new(int), pair: func(i int) ([]float64, []float64) {
		if i == 1 {
			return q, p
		}
		return p, q
	}}
}

// Known returns the case of the (ε, δ)-private mechanism that reveals most.
func Known(eps, delta float64) *Case {
	more, less := (1-delta)/(1+math.Exp(-eps)), (1-delta)/(1+math.Exp(eps))
	return TwoLaws([]float64{delta, more, less, 0}, []float64{0, less, more, delta})
}

// Noise returns the case of noise on bits. Neighbors differ in at most times bits, or in a "row" or an "edge". It
// returns errors as XOR does.
func Noise(b xor.Noise, neighbors string, times int) (*Case, error) {
	var law []float64
	var n, p int
	switch b := b.(type) {
	case *xor.OptimalNoise:
		n, p = b.Rows, b.Columns
		for state := range b.States() {
			law = append(law, b.Prob(state))
		}
	case Bits:
		n, p = b.Shape()
		logs, _, err := bitLaw(b)
		if err != nil {
			return nil, err
		}
		for _, log := range logs {
			law = append(law, math.Exp(log))
		}
	}
	relation, ok := map[string]xor.Neighbors{"bits": xor.FlipBits(times), "row": xor.FlipRows(1), "edge": xor.FlipEdges(1)}[neighbors]
	if law == nil || !ok {
		return nil, parameter.Errorf("neighbors = %q of a %T, want \"bits\", \"row\" or \"edge\" of a law of at most %d bits", neighbors, b, maxBits)
	}
	f, err := b.PairsUnder(relation)
	if err != nil {
		return nil, err
	}
	var masks []int
	for mask := 1; mask < len(law); mask++ {
		if differ(n, p, neighbors, times)(mask) {
			masks = append(masks, mask)
		}
	}
	return &Case{size: len(masks), outputs: len(law), universe: f.Universe, pair: func(i int) (p, q []float64) {
		for state := range law {
			q = append(q, law[state^masks[i]])
		}
		return law, q
	}}, nil
}

// Signs returns the case of a release of signs at two vectors. It returns an error for a release of numbers, because
// its noise is continuous. It returns other errors as Projection does.
func Signs(r Release, u, v []float64) (*Case, error) {
	if !r.Signs() {
		return nil, parameter.Errorf("%s adds continuous noise to numbers, which has no finite case", r.Name())
	}
	p, err := newProjection(r)
	if err != nil {
		return nil, err
	}
	law := func(u []float64) []float64 {
		return lists.Each(p.at(u).patterns, func(chance *big.Float) float64 { f, _ := chance.Float64(); return f })
	}
	return TwoLaws(law(u), law(v)), nil
}

// shares reports whether two cases have the same pairs of datasets.
func (c *Case) shares(o *Case) bool {
	if a, ok := c.universe.(*query.Space); ok {
		b, ok := o.universe.(*query.Space)
		return ok && a.SameNeighbors(b)
	}
	if a, ok := c.universe.(*continuous.Linear); ok {
		b, ok := o.universe.(*continuous.Linear)
		return ok && a.NeighboringSet().Equal(b.NeighboringSet())
	}
	if a, ok := c.universe.(privacy.Universe); ok {
		b, ok := o.universe.(privacy.Universe)
		return ok && a.Same(b)
	}
	return c.universe == o.universe
}

// Product returns the case of a composition. Uses on the same datasets are composed at the same neighbors. Uses on
// different datasets are composed at every combination of their neighbors. It returns an error wrapping
// evidence.ErrParameter if there are more than 2²⁶ probabilities.
func Product(uses []*Case) (*Case, error) {
	var groups []*Case
	for _, use := range uses {
		at := 0
		for at < len(groups) && !groups[at].shares(use) {
			at++
		}
		if at == len(groups) {
			groups = append(groups, use)
			continue
		}
		var err error
		meet := func(i, j int) bool { return i == j }
		switch use.universe {
		case sampled(privacy.WithoutReplacement):
			return nil, parameter.Errorf("the composition samples without replacement and has no finite case, want one use")
		case sampled(privacy.Poisson):
			meet = func(i, j int) bool { return groups[at].removes(i) == use.removes(j) }
		}
		if groups[at], err = groups[at].times(use, meet); err != nil {
			return nil, err
		}
	}
	out := groups[0]
	for _, group := range groups[1:] {
		var err error
		if out, err = out.times(group, func(int, int) bool { return true }); err != nil {
			return nil, err
		}
		out.universe, out.removes = new(int), nil
	}
	return out, nil
}

// times returns the products of the laws of pair i of c and pair j of o, for all i and j that meet reports.
func (c *Case) times(o *Case, meet func(i, j int) bool) (*Case, error) {
	var of [][2]int
	for i := range c.size {
		for j := range o.size {
			if meet(i, j) {
				of = append(of, [2]int{i, j})
			}
		}
		if n := max(1, len(of)); n > maxCells/c.outputs/o.outputs {
			return nil, parameter.Errorf("the product has more than %d probabilities", maxCells)
		}
	}
	outer := func(a, b []float64) (out []float64) {
		for _, v := range a {
			for _, w := range b {
				out = append(out, v*w)
			}
		}
		return out
	}
	out := &Case{size: len(of), outputs: c.outputs * o.outputs, unbounded: c.unbounded || o.unbounded, universe: c.universe, pair: func(k int) (p, q []float64) {
		a, b := c.pair(of[k][0])
		r, s := o.pair(of[k][1])
		return outer(a, r), outer(b, s)
	}}
	if removes := c.removes; removes != nil {
		out.removes = func(k int) bool { return removes(of[k][0]) }
	}
	return out, nil
}

// Sample returns the case of a use on records subsampled at a rate. For Poisson sampling, the laws with a record are
// mixed with those without the record, in both directions. For sampling without replacement, they are mixed with those
// in which the record is replaced (Zhu, Dong and Wang 2022, Theorem 11).
func (c *Case) Sample(rate float64, kind privacy.Sampling) *Case {
	var of []int
	for i := range c.size {
		if kind == privacy.WithoutReplacement || c.removes == nil || c.removes(i) {
			of = append(of, i)
		}
	}
	out := &Case{size: 2 * len(of), outputs: c.outputs, tight: true, unbounded: c.unbounded, universe: sampled(kind), removes: func(k int) bool { return k%2 == 0 }}
	out.pair = func(k int) (p, q []float64) {
		p, q = c.pair(of[k/2])
		var mixed []float64
		for v := range p {
			mixed = append(mixed, rate*p[v]+(1-rate)*q[v])
		}
		if kind == privacy.WithoutReplacement && k%2 == 1 { // at ε ≥ 0, one order determines δ
			return q, q
		}
		if k%2 == 1 {
			return q, mixed
		}
		return mixed, q
	}
	return out
}

// Account recomputes the smallest ε of an account and δ at two ε, from every output at every two neighbors. If the
// account claims only upper bounds, they are refuted if a recomputed number is larger. It returns the account's errors,
// and the context's.
func Account(ctx context.Context, a *privacy.Account, c *Case) (*Report, error) {
	r := new(Report)
	law := r.part("probabilities")
	visit := func(see func(p, q []float64)) error {
		for i := range c.size {
			if err := ctx.Err(); err != nil {
				return err
			}
			see(c.pair(i))
		}
		return nil
	}
	logs := func(p []float64) (out []float64) {
		for _, v := range p {
			out = append(out, math.Log(v))
		}
		return out
	}
	worst := 0.0
	if err := visit(func(p, q []float64) {
		sum := 0.0
		for _, v := range p {
			sum += v
		}
		law.is(close(sum, 1), "  # the law at a dataset sums to %.12g", sum)
		worst = max(worst, largestLoss(logs(p), logs(q)))
	}); err != nil {
		return nil, err
	}
	compare := func(name string, printed evidence.Number, found float64, line string) {
		part := r.part(name)
		if lo, hi := printed.Bounds(); a.IsBound() && !c.tight && found < lo {
			part.is(found <= hi, "")
		} else {
			part.number(printed, found, "%s", line)
		}
		part.Cases = int64(c.size) * int64(c.outputs)
	}
	printed, err := a.Epsilon(ctx, evidence.Delta{})
	if err != nil {
		return nil, err
	}
	finite := worst
	if c.unbounded {
		worst = math.Inf(1)
	}
	compare("smallest ε", printed, worst, ".smallest_epsilon")
	for _, at := range []float64{1e-3, finite / 2} {
		if c.unbounded || math.IsInf(at, 1) {
			at = min(at, 1)
		}
		eps, err := evidence.NewEpsilon("eps", max(at, 1e-3))
		if err != nil {
			return nil, err
		}
		delta := 0.0
		if err := visit(func(p, q []float64) { delta = max(delta, hockeyStick(logs(p), logs(q), eps.Value())) }); err != nil {
			return nil, err
		}
		if printed, err = a.Delta(ctx, eps); err != nil {
			return nil, err
		}
		compare(fmt.Sprintf("δ at ε = %.4g", eps.Value()), printed, delta, fmt.Sprintf(".delta_at(%v)", eps))
	}
	return r, nil
}
