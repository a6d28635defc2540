package optimize

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/optimize/lp"
	"dpworkbench/query"
)

// answers returns one value per dataset, constant on each connected component, with total loss 0. It is nil if there
// are no such values. Then the optimum is positive, because a value that any dataset outputs is output by its whole
// component.
func (p *program) answers() []int {
	out, n := make([]int, p.q.Size()), len(p.values)
	for _, component := range components(p.q.Space()) {
		k := 0
		for ; k < n && slices.ContainsFunc(component, func(y int) bool {
			return p.Loss[y*n+k] > 0 && (p.Weight[y] > 0 || p.objective == Worst)
		}); k++ {
		}
		if k == n {
			return nil
		}
		for _, y := range component {
			out[y] = p.values[k]
		}
	}
	return out
}

// components lists the connected components of the neighbor relation.
func components(s *query.Space) (out [][]int) {
	seen := make([]bool, s.Size())
	for x := range seen {
		if seen[x] {
			continue
		}
		seen[x] = true
		members := []int{x}
		for at := 0; at < len(members); at++ {
			for _, y := range s.Neighbors(members[at]) {
				if !seen[y] {
					seen[y] = true
					members = append(members, int(y))
				}
			}
		}
		slices.Sort(members)
		out = append(out, members)
	}
	return out
}

// free returns the mechanism with these answers, whose distortion is 0.
func (p *program) free(name string, claim evidence.Number, answers []int) (*Optimal, error) {
	rows := make([][]*big.Rat, len(answers))
	for x, r := range answers {
		rows[x] = lp.Zeros(len(p.q.Range()))
		rows[x][r].SetInt64(1)
	}
	t, err := mechanism.NewRationalTable(mechanism.Info{Name: name, Query: p.q, Claimed: claim}, rows, nil)
	if err != nil {
		return nil, err
	}
	return p.costless(t, "one answer for all datasets that neighbors connect costs nothing"), nil
}

// costless returns the table as an optimal mechanism with optimum 0.
func (p *program) costless(t *mechanism.Table, source string) *Optimal {
	nothing := func(int) *big.Rat { return new(big.Rat) }
	level := func(int) *big.Rat { return big.NewRat(1, int64(p.Rows)) }
	return &Optimal{
		Table: t, eps: p.eps, delta: p.delta, objective: p.objective,
		optimum:     evidence.Exact{Value: new(big.Rat), Cases: uint64(p.Size()), Provenance: evidence.From(source)},
		certificate: func() Certificate { return p.certificate(nothing, level) },
	}
}

// nothing returns a mechanism of distortion 0 if the solution reveals one, and nil otherwise. With a δ, datasets of
// weight 0 may connect others with different answers. It removes the values with a loss, rounds the rest, and checks
// the result.
func (p *program) nothing(ctx context.Context, name string, claim evidence.Number, x *lp.Solution) *Optimal {
	if p.Delta == nil || p.objective != Mean || x.Lo > 0 {
		return nil
	}
	const digits = 0x1p30
	n := len(p.values)
	rows := make([][]float64, p.Rows)
	for i := range rows {
		rows[i] = make([]float64, len(p.q.Range()))
		sum, kept := 0.0, 0.0
		for _, v := range x.P[i*n : (i+1)*n] {
			sum += v
		}
		for k, r := range p.values {
			if j := i*n + k; p.Weight[i] == 0 || p.Loss[j] == 0 {
				rows[i][r] = math.Round(x.P[j]/sum*digits) / digits
				kept += rows[i][r]
			}
		}
		if kept == 0 {
			return nil
		}
	}
	t, err := mechanism.NewTable(mechanism.Info{Name: name, Query: p.q, Claimed: claim}, rows, nil)
	if err != nil {
		return nil
	}
	if ok, _ := p.admits(ctx, t); !ok { // if ctx has ended, the solution itself is still valid
		return nil
	}
	return p.costless(t, "datasets of weight 0 between the others let these answer at no cost")
}

// constant returns the least objective, rounded up, of the mechanisms that give one answer for all datasets. They are
// private at every ε, so the optimum is no larger. It is +Inf for Pareto, because constant answers may exceed the
// bounds of Pareto.
func (p *program) constant() float64 {
	if p.objective == Pareto {
		return math.Inf(1)
	}
	metric, weight := p.q.Metric(), func(x int) *big.Rat { return p.prior[x] }
	if p.objective == Worst {
		weight = func(int) *big.Rat { return big.NewRat(1, 1) }
	}
	best, least := 0, math.Inf(1)
	for r := range p.q.Range() {
		loss := 0.0
		for x := 0; x < p.Rows && loss < least; x++ {
			if d := metric.Steps(p.q.ValueIndex(x), r); p.objective == Worst {
				loss = max(loss, d)
			} else {
				loss += p.Weight[x] * d
			}
		}
		if loss < least {
			best, least = r, loss
		}
	}
	of := new(big.Rat)
	for x := range p.Rows {
		d := metric.Rational(p.q.ValueIndex(x), best)
		if d.Mul(d, weight(x)); p.objective != Worst {
			of.Add(of, d)
		} else if d.Cmp(of) > 0 {
			of = d
		}
	}
	_, hi := evidence.Exact{Value: of}.Bounds()
	return hi
}

// stopped adds the known bounds of the optimum, in the unit of distances, to the error of an interrupted search
// without a solution.
func (p *program) stopped(err error) error {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	known := &Stopped{Hi: math.Inf(1), Cause: err}
	out := &Stopped{Hi: math.Inf(1)}
	if errors.As(err, &known) && !math.IsInf(known.Hi, 1) {
		out.Lo, out.Hi = p.enclose(known.Lo, known.Hi).Bounds()
	}
	out.Steps, out.Cause = known.Steps, known.Cause
	return p.atMostConstant(out)
}

// atMostConstant lowers the upper end of the error of an interrupted search to the objective of a constant answer.
func (p *program) atMostConstant(err error) error {
	if known := new(Stopped); errors.As(err, &known) {
		known.Hi = min(known.Hi, p.constant())
	}
	return err
}
