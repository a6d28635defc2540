package verify

import (
	"context"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"fmt"
	"math"
)

// privacy recomputes the smallest ε and δ at half of it.
func (r *Report) privacy(ctx context.Context, m mechanism.Mechanism, d [][]float64, logs [][]float64) error {
	worst := 0.0
	pairs := func(visit func(x, y int)) {
		for x := range d {
			for y := range d {
				if d[x][y] > 0 && d[x][y] <= 1 {
					visit(x, y)
				}
			}
		}
	}
	pairs(func(x, y int) { worst = max(worst, largestLoss(logs[x], logs[y])) })
	account, err := privacy.Of(ctx, m)
	if err != nil {
		return err
	}
	epsilon, profile := r.part("smallest ε"), r.part("δ")
	for _, route := range []privacy.Profile{mechanism.Privacy(m), account} {
		printed, err := route.Epsilon(ctx, evidence.Delta{})
		if err != nil {
			return err
		}
		epsilon.number(printed, worst, ".smallest_epsilon")
	}
	pairs(func(x, _ int) { epsilon.Cases += int64(len(logs[x])) })
	if claimed, ok := m.ClaimedEpsilon().(evidence.Claimed); ok {
		r.part("guarantee").is(worst <= claimed.Value*(1+tolerance), ".smallest_epsilon  # above the claim %g", claimed.Value)
	}
	if !(worst > 0 && worst < math.Inf(1)) {
		return nil
	}
	eps, err := evidence.NewEpsilon("eps", worst/2)
	if err != nil {
		return err
	}
	delta := 0.0
	pairs(func(x, y int) { delta = max(delta, hockeyStick(logs[x], logs[y], worst/2)) })
	printed, err := account.Delta(ctx, eps)
	if err != nil {
		return err
	}
	profile.number(printed, delta, ".delta_at(%v)", worst/2)
	return nil
}

// largestLoss returns the largest ln p/q over the outputs of p.
func largestLoss(p, q []float64) (worst float64) {
	for v := range p {
		if !math.IsInf(p[v], -1) {
			worst = max(worst, p[v]-q[v])
		}
	}
	return worst
}

// hockeyStick returns Σ max(0, p − e^ε q).
func hockeyStick(p, q []float64, eps float64) (sum float64) {
	for v := range p {
		if p[v] > q[v]+eps {
			sum += math.Exp(p[v]) - math.Exp(eps+q[v])
		}
	}
	return sum
}

// Laws recomputes the smallest ε and δ of an account from the laws of its outputs at every dataset, as lists of probabilities, and
// neighboring pairs. It returns an error where the account has no ε.
func Laws(ctx context.Context, a *privacy.Account, laws [][]float64, neighbors [][2]int) (*Report, error) {
	r := new(Report)
	law := r.part("probabilities")
	logs := make([][]float64, len(laws))
	for x, p := range laws {
		sum := 0.0
		for _, v := range p {
			sum += v
			logs[x] = append(logs[x], math.Log(v))
		}
		law.is(close(sum, 1), "  # the law at dataset %d sums to %.12g", x, sum)
	}
	worst := 0.0
	for _, e := range neighbors {
		worst = max(worst, largestLoss(logs[e[0]], logs[e[1]]), largestLoss(logs[e[1]], logs[e[0]]))
	}
	printed, err := a.Epsilon(ctx, evidence.Delta{})
	if err != nil {
		return nil, err
	}
	found := r.part("smallest ε")
	if lo, _ := printed.Bounds(); a.IsBound() && lo > worst*(1+tolerance) {
		found.Verdict, found.Cases = evidence.Undecided, 1
	} else {
		found.number(printed, worst, ".smallest_epsilon")
		found.Cases = int64(len(neighbors) * len(laws[0]))
	}
	for _, share := range []float64{0, 0.5} {
		eps, err := evidence.NewEpsilon("eps", max(worst*share, 1e-3))
		if err != nil || math.IsInf(worst, 1) {
			return r, err
		}
		delta := 0.0
		for _, e := range neighbors {
			delta = max(delta, hockeyStick(logs[e[0]], logs[e[1]], eps.Value()), hockeyStick(logs[e[1]], logs[e[0]], eps.Value()))
		}
		printed, err := a.Delta(ctx, eps)
		if err != nil {
			return nil, err
		}
		if part := r.part(fmt.Sprintf("δ at ε = %.4g", eps.Value())); a.IsBound() {
			_, hi := printed.Bounds()
			part.is(delta <= hi*(1+tolerance), ".delta_at(%v)  # enumeration gives %.12g", eps, delta)
		} else {
			part.number(printed, delta, ".delta_at(%v)", eps)
		}
	}
	return r, nil
}

// MaxUses is how many uses a composition has at most that is recomputed.
const MaxUses = 24

// Composition recomputes an account of mechanisms on one universe, one for each use: a product of laws, output by output.
func Composition(ctx context.Context, a *privacy.Account, uses []mechanism.Mechanism) (*Report, error) {
	space := uses[0].Query().Space()
	cells := space.Size()
	for _, m := range uses {
		if cells *= len(m.Query().Range()); cells > maxCells || len(uses) > MaxUses {
			return nil, parameter.Errorf("the product has more than %d probabilities, or more than %d uses", maxCells, MaxUses)
		}
		if m.Query().Size() != space.Size() {
			return nil, parameter.Errorf("the uses are of universes of %d and %d datasets, want one universe", space.Size(), m.Query().Size())
		}
	}
	laws := make([][]float64, space.Size())
	for x := range laws {
		laws[x] = []float64{1}
		for _, m := range uses {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var longer []float64
			for _, p := range laws[x] {
				for v := range m.Query().Range() {
					longer = append(longer, p*math.Exp(m.LogProb(x, v)))
				}
			}
			laws[x] = longer
		}
	}
	return Laws(ctx, a, laws, Neighbors(space))
}
