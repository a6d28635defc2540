package optimize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize/lp"
)

// limit bounds every dataset's distortion by that of than.
func (p *program) limit(ctx context.Context, than mechanism.Mechanism) error {
	if than.Query().Size() != p.q.Size() {
		return parameter.Errorf("than answers a query on %d datasets, want %d", than.Query().Size(), p.q.Size())
	}
	unit := interval.Rat(p.scale)
	p.Bound = make([]interval.Interval, p.q.Size())
	for x := range p.Bound {
		if err := ctx.Err(); err != nil {
			return err
		}
		d := mechanism.Distortion(than, x)
		if e, ok := d.(evidence.Exact); ok { // divided before it is rounded
			p.Bound[x] = interval.Rat(new(big.Rat).Quo(e.Value, p.scale))
		} else {
			p.Bound[x] = evidence.Enclosure(d).Quo(unit)
		}
	}
	return nil
}

// improve solves the Pareto program. It first finds the mechanism whose distortions are as far as possible below
// than's. If even this mechanism exceeds them, the program is infeasible. If it stays below them, it serves as the
// interior point of the certified solution. Otherwise than itself, if it is private, gives the upper bound of the
// optimum.
func (p *program) improve(ctx, outer context.Context, name string, claim evidence.Number, o Options) (*Optimal, error) {
	inside := p.Program
	inside.Level, inside.Weight = true, make([]float64, p.Rows)
	options := p.options(outer, o)
	options.Bracketed = nil // the objective of inside is not the sum
	first, err := lp.Solve(ctx, &inside, options)
	switch known := new(Stopped); {
	case ctx.Err() != nil && first != nil: // the sum itself is still unknown
		return nil, &Stopped{Hi: math.Inf(1), Steps: first.Iterations, Cause: ctx.Err()}
	case errors.As(err, &known):
		return nil, &Stopped{Hi: math.Inf(1), Steps: known.Steps, Cause: ctx.Err()}
	case first == nil:
		return nil, p.stopped(explain(err, nil, p.spent()))
	}
	if first.Lo > 0 {
		unit, _ := p.scale.Float64()
		return nil, fmt.Errorf("%w: every %s mechanism distorts some dataset by at least %s more than %s", ErrInfeasible, p.private(), evidence.FormatDown(unit*first.Lo, 6), o.Than.Name())
	}
	options = p.options(outer, o)
	if first.Hi < 0 {
		options.Interior = first.P
	}
	x, err := lp.Solve(ctx, &p.Program, options)
	if x == nil {
		return nil, p.stopped(explain(err, nil, p.spent()))
	}
	if m := p.keep(ctx, name, claim, o.Than, x); m != nil {
		err := ctx.Err()
		if err == nil && !p.narrow(m, o) {
			err = ErrPrecision
		}
		return m, explain(err, m, p.spent())
	}
	m, failure := p.mechanism(name, claim, x)
	if failure != nil {
		return nil, failure
	}
	return m, explain(err, m, p.spent())
}

func (p *program) narrow(m *Optimal, o Options) bool {
	lo, hi := m.optimum.Bounds()
	return hi-lo <= cmp.Or(o.Width, lp.DefaultWidth(p.Size()))*hi
}

// keep returns than's own laws as the answer if they have the same universe and range, are private, and are no
// worse than the solution's certified point. Otherwise it returns nil.
func (p *program) keep(ctx context.Context, name string, claim evidence.Number, than mechanism.Mechanism, x *lp.Solution) *Optimal {
	total := interval.Int(0)
	for _, b := range p.Bound {
		total = total.Add(b)
	}
	_, sum := total.Bounds()
	if x.Hi <= sum || !than.Query().SharesOutputs(p.q) {
		return nil
	}
	if ok, _ := p.admits(context.WithoutCancel(ctx), than); !ok { // even an interrupted solve completes this check
		return nil
	}
	rows := make([][]interval.Interval, p.q.Size())
	for i := range rows {
		rows[i] = make([]interval.Interval, len(p.q.Range()))
		for r := range rows[i] {
			rows[i][r] = than.Enclose(i, r)
		}
	}
	t, err := mechanism.NewEnclosedTable(mechanism.Info{Name: name, Query: p.q, Claimed: claim}, rows, than.EncloseLog, nil)
	if err != nil {
		return nil
	}
	return &Optimal{Table: t, optimum: p.enclose(x.Lo, sum), steps: x.Iterations, certificate: p.prices(x), eps: p.eps, delta: p.delta, objective: p.objective}
}

// admits reports whether m's laws certainly satisfy the constraints.
func (p *program) admits(ctx context.Context, m mechanism.Mechanism) (bool, error) {
	if p.Delta != nil {
		spent, err := mechanism.Privacy(m).Delta(ctx, p.eps)
		if err != nil {
			return false, err
		}
		if e, ok := spent.(evidence.Exact); ok {
			return e.Value.Cmp(p.Delta) <= 0, nil
		}
		_, hi := spent.Bounds()
		return finite(hi).Cmp(p.Delta) <= 0, nil
	}
	loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		return false, err
	}
	_, hi := loss.Bounds()
	lo, _ := p.eps.Enclosure().Bounds()
	return hi <= lo, nil
}
