package optimize

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"time"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize/lp"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Objective says what an optimal mechanism minimises.
type Objective string

// Mean is the expected distortion under a prior (Wu et al., (8)); Worst the
// largest distortion of a dataset; Pareto the sum of the distortions among the
// mechanisms that distort no dataset more than a given one (Wu et al., (7)).
const (
	Mean   Objective = "mean"
	Worst  Objective = "worst"
	Pareto Objective = "pareto"
)

// Rationality says whether to look for the exact optimum, which takes a
// rational e^ε, prior and value metric.
type Rationality int

// WhereSmall looks for it where the program has at most 1,000 variables, and
// certifies an interval where it is not found; Required returns an error
// wrapping ErrUnidentified instead; Never does not look.
const (
	WhereSmall Rationality = iota
	Required
	Never
)

// smallProgram bounds the variables of WhereSmall, fewFaces its attempts and
// manyFaces those of Required.
const (
	smallProgram = 1000
	fewFaces     = 20
	manyFaces    = 400
)

// Errors of a solve.
var (
	// ErrInfeasible is wrapped where no mechanism meets the constraints.
	ErrInfeasible = errors.New("infeasible")
	// ErrPrecision is wrapped where float64 ends before the certified width that
	// was asked for.
	ErrPrecision = lp.ErrPrecision
	// ErrUnidentified is wrapped where an exact optimum was asked for but not
	// found.
	ErrUnidentified = lp.ErrUnidentified
)

// Options chooses the objective of NewOptimal. The zero value is the mean
// distortion under a uniform prior.
type Options struct {
	Objective Objective           // Mean where empty
	Prior     []*big.Rat          // Mean only; one probability a dataset, nil is uniform
	Than      mechanism.Mechanism // Pareto only: the mechanism to improve
	Delta     evidence.Delta
	// Rational says whether the optimum is to be a rational number.
	Rational Rationality
	// Width is the relative width to certify: 0 means 1e-6 up to 1,000
	// variables and 1e-5 beyond.
	Width float64
	// Limit, where positive, bounds the time of the search proper: the best mechanism
	// found by then comes with a *Stopped error.
	Limit time.Duration
}

// Optimal is the optimal mechanism of a finite query, or the best found so far.
type Optimal struct {
	*mechanism.Table
	optimum     evidence.Number
	certificate func() Certificate // tens of thousands of rationals: made when asked for
	steps       int
	eps         evidence.Epsilon
	delta       evidence.Delta
	objective   Objective
}

// Pairs implements privacy.Private.
func (o *Optimal) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return mechanism.Pairs(o), nil
}

// Guarantee returns the ε and the δ whose constraints the mechanism satisfies.
func (o *Optimal) Guarantee() (eps evidence.Epsilon, delta evidence.Delta) { return o.eps, o.delta }

// GuaranteedDelta returns the δ of Guarantee as a number to compare with.
func (o *Optimal) GuaranteedDelta() evidence.Number {
	return evidence.Exact{Value: o.delta.Rat(), Side: evidence.Up, Provenance: evidence.From("given")}
}

// Optimum returns the certified value of the objective: the mean distortion
// under the prior, the largest distortion, or for Pareto the sum of the
// distortions. Its upper end is what the mechanism attains.
func (o *Optimal) Optimum() evidence.Number { return evidence.WithStatement(o.optimum, o) }

// Says implements evidence.Statement: the optimum is what the mechanism answers with its distortion.
func (o *Optimal) Says() string { return "the optimum of " + o.Name() }

// Objective returns what the mechanism minimises.
func (o *Optimal) Objective() Objective { return o.objective }

// Certificate returns what proves the lower end of the optimum.
func (o *Optimal) Certificate() Certificate { return o.certificate() }

// Certificate is a feasible point of the dual program: with w = e^ε and any
// prices Up, Bound ≥ 0,
//
//	optimum ≥ Unit·(Σ_x min_r ((Weight_x + Bound_x) d(f(x), r)/Unit − a_xr) − Σ_x Bound_x b_x/Unit
//	                − Delta Σ_xy max_r Up[{x, y, r}])
//
// where a_xr = Σ over neighbors y of (w Up[{y, x, r}] − Up[{x, y, r}]), r runs
// through Values, Σ_xy through neighbors in both orders, and b_x is Than's
// distortion for Pareto and 0 otherwise; the prices Bound sum to 1 for Worst.
// Up[{x, y, r}] prices p^x(r) ≤ w p^y(r), which Delta may be exceeded by. All
// numbers are exact: Weight is the prior itself (1 for Pareto, 0 for Worst), not
// what the solver rounds it to.
type Certificate struct {
	Up     map[[3]int]*big.Rat
	Weight []*big.Rat
	Bound  []*big.Rat // nil for Mean
	Unit   *big.Rat   // in which distances count
	Delta  *big.Rat   // the δ of (ε, δ)-differential privacy
	// Values are the places in the range that may be output. Any other is
	// dominated: a kept value is at most as far from every f(x).
	Values []int
}

// Keys returns the keys of Up in ascending order.
func (c Certificate) Keys() [][3]int {
	return slices.SortedFunc(maps.Keys(c.Up), func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
}

// Stopped is the error of a solve that its context ended.
type Stopped = lp.Stopped

// NewOptimal returns the ε-differentially private mechanism on q, or with a Delta
// the (ε, δ)-differentially private one, that minimises the objective, with a certified value: the mechanism's own distortion from
// above, a dual bound from below.
//
// With an error wrapping ErrPrecision or a *Stopped error it also returns the
// best mechanism found, whose Optimum is certified all the same. Otherwise a
// mechanism comes without an error. An error wraps evidence.ErrParameter where
// the options do not fit the query, and ErrInfeasible where no such private
// mechanism stays within Than's distortions.
func NewOptimal(ctx context.Context, q *query.Query, eps evidence.Epsilon, o Options) (*Optimal, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	p, err := newProgram(ctx, q, eps, o)
	if err != nil {
		return nil, err
	}
	outer := ctx
	if o.Limit > 0 {
		limited, cancel := context.WithTimeout(ctx, o.Limit)
		defer cancel()
		ctx = limited
	}
	name, claim := p.heading()
	if p.objective != Pareto {
		if answers := p.answers(); answers != nil {
			return p.free(name, claim, answers)
		}
	}
	if o.Rational == WhereSmall && p.Size() <= smallProgram && p.mayBeExact(eps) == nil {
		if m, err := p.exact(ctx, name, claim, fewFaces); err == nil {
			return m, nil
		}
	}
	if o.Rational == Required {
		if err := p.mayBeExact(eps); err != nil {
			return nil, err
		}
	}
	if p.objective == Pareto {
		return p.improve(ctx, outer, name, claim, o)
	}
	x, err := lp.Solve(ctx, &p.Program, p.options(outer, o))
	if x == nil {
		return nil, explain(err, nil, p.spent())
	}
	if m := p.nothing(ctx, name, claim, x); m != nil {
		return m, nil
	}
	m, failure := p.mechanism(name, claim, x)
	if failure != nil {
		return nil, failure
	}
	if o.Rational == Required {
		exact, err := p.exact(ctx, name, claim, manyFaces)
		switch {
		case err == nil:
			return exact, nil
		case ctx.Err() != nil:
			return m, explain(ctx.Err(), m, p.spent())
		}
		lo, hi := m.optimum.Bounds()
		return nil, fmt.Errorf("%w: the optimum is only known to lie in %s", ErrUnidentified, evidence.FormatBounds(lo, hi, 10))
	}
	return m, explain(err, m, p.spent())
}

// options returns those of the solver; outer is its context without the limit.
func (p *program) options(outer context.Context, o Options) lp.Options {
	unit, _ := p.scale.Float64()
	return lp.Options{Width: o.Width, Outer: outer, Unit: unit}
}

// heading returns the mechanism's name and the ε that it promises: none but infinity
// where it takes a δ beside it.
func (p *program) heading() (name string, claim evidence.Number) {
	name = fmt.Sprintf("optimal(%s", p.eps)
	if p.objective != Mean {
		name += fmt.Sprintf(", %q", string(p.objective))
	}
	const source = "the constraints of the linear program"
	if p.Delta == nil {
		return name + ")", evidence.Claimed{Value: p.eps.Value(), Epsilon: p.eps, Provenance: evidence.From(source)}
	}
	return fmt.Sprintf("%s, delta=%s)", name, Brief(p.delta)), evidence.Claimed{
		Value: math.Inf(1), Provenance: evidence.From(fmt.Sprintf("%s, of (%s, %s)-differential privacy: no ε at δ = 0", source, p.eps, Brief(p.delta))),
	}
}

// Brief writes a δ as names have it: as a fraction where that is short, else as a decimal,
// after "≈" where that is rounded.
func Brief(delta evidence.Delta) string {
	q := delta.Rat()
	text := q.RatString()
	if len(text) <= 24 {
		return text
	}
	text = new(big.Float).SetPrec(64).SetRat(q).Text('g', 6)
	if v, ok := new(big.Rat).SetString(text); ok && v.Cmp(q) == 0 {
		return text
	}
	return "≈" + text
}

// spent writes the constraints' ε and δ as messages have them.
func (p *program) spent() string {
	if p.Delta == nil {
		return "eps = " + p.eps.String()
	}
	return fmt.Sprintf("eps = %s, delta = %s", p.eps, Brief(p.delta))
}

// private writes what a mechanism of the program is.
func (p *program) private() string {
	if p.Delta == nil {
		return p.eps.String() + "-differentially private"
	}
	return fmt.Sprintf("(%s, %s)-differentially private", p.eps, Brief(p.delta))
}

// explain turns the solver's error into this package's; spent says at which privacy.
func explain(err error, m *Optimal, spent string) error {
	if m == nil {
		return lp.Explain(err, nil, 0, spent)
	}
	return lp.Explain(err, m.optimum, m.steps, spent)
}

// mechanism turns a solution into a table over the whole range.
func (p *program) mechanism(name string, claim evidence.Number, x *lp.Solution) (*Optimal, error) {
	rows := make([][]float64, p.q.Size())
	for i := range rows {
		rows[i] = make([]float64, len(p.q.Range()))
		for k, r := range p.values {
			rows[i][r] = x.P[i*len(p.values)+k]
		}
	}
	t, err := mechanism.NewTable(mechanism.Info{Name: name, Query: p.q, Claimed: claim}, rows, nil)
	if err != nil {
		return nil, err
	}
	return &Optimal{Table: t, optimum: p.enclose(x.Lo, x.Hi), steps: x.Iterations, certificate: p.prices(x), eps: p.eps, delta: p.delta, objective: p.objective}, nil
}

func (p *program) prices(x *lp.Solution) func() Certificate {
	return func() Certificate {
		return p.certificate(func(k int) *big.Rat { return finite(x.Z[k]) }, func(i int) *big.Rat { return finite(x.V[i]) })
	}
}

func finite(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// enclose returns the objective that lies between two values of the program.
func (p *program) enclose(lo, hi float64) evidence.Number {
	const source = "linear program of the optimal mechanism"
	method := fmt.Sprintf("interior point method, %d variables; primal and dual points checked in 256-bit intervals", p.Size())
	below, _ := interval.Float(lo).Mul(interval.Rat(p.scale)).Bounds()
	_, above := interval.Float(hi).Mul(interval.Rat(p.scale)).Bounds()
	return evidence.Certified{Lo: max(0, below), Hi: above, Provenance: evidence.From(source).By(method)}
}
