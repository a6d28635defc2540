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
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/yield"
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

// Rationality tells whether to search for the exact optimum, which requires a rational e^ε, prior and value metric.
type Rationality int

// WhereSmall searches if the program has at most 1,000 variables. For larger programs, or if the search fails, it
// certifies an interval. Required returns an error wrapping ErrUnidentified if the search fails. Never does not search.
const (
	WhereSmall Rationality = iota
	Required
	Never
)

// smallProgram is the largest number of variables for WhereSmall. fewFaces is the number of attempts for WhereSmall,
// and manyFaces that for Required.
const (
	smallProgram = 1000
	fewFaces     = 20
	manyFaces    = 400
)

// NewOptimal and NewTight wrap these errors.
var (
	// ErrInfeasible is wrapped if no mechanism satisfies the constraints.
	ErrInfeasible = errors.New("infeasible")
	// ErrPrecision is wrapped if float64 cannot reach the requested certified width.
	ErrPrecision = lp.ErrPrecision
	// ErrUnidentified is wrapped if an exact optimum was required but not found.
	ErrUnidentified = lp.ErrUnidentified
)

// Options chooses the objective of NewOptimal. The zero value is the mean
// distortion under a uniform prior.
type Options struct {
	Objective Objective           // Mean if empty
	Prior     []*big.Rat          // Mean only; one probability per dataset, nil is uniform
	Than      mechanism.Mechanism // Pareto only: the mechanism to improve
	Delta     evidence.Delta
	// Rational tells whether the optimum should be a rational number.
	Rational Rationality
	// Width is the relative width to certify: 0 means 1e-6 up to 1,000
	// variables and 1e-5 beyond.
	Width float64
	// Limit, if positive, bounds the time of the search. The best mechanism found by then is returned with a
	// *Stopped error.
	Limit time.Duration
}

// Optimal is the optimal mechanism of a finite query, or the best found so far.
type Optimal struct {
	*mechanism.Table
	optimum     evidence.Number
	certificate func() Certificate // computed on demand: it has tens of thousands of rationals
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

// GuaranteedDelta returns the δ of Guarantee as a number.
func (o *Optimal) GuaranteedDelta() evidence.Number {
	return evidence.Exact{Value: o.delta.Rat(), Side: evidence.Up, Provenance: evidence.From("given")}
}

// Optimum returns the certified value of the objective: the mean distortion under the prior, the largest
// distortion, or for Pareto the sum of the distortions. The mechanism attains its upper end.
func (o *Optimal) Optimum() evidence.Number { return evidence.WithStatement(o.optimum, o) }

// Says implements evidence.Statement: the optimum is the distortion of this mechanism.
func (o *Optimal) Says() string { return "the optimum of " + o.Name() }

// Objective returns what the mechanism minimises.
func (o *Optimal) Objective() Objective { return o.objective }

// Certificate returns the dual point that proves the lower end of the optimum.
func (o *Optimal) Certificate() Certificate { return o.certificate() }

// Certificate is a feasible point of the dual program. With w = e^ε and any prices Up, Bound ≥ 0,
//
//	optimum ≥ Unit·(Σ_x min_r ((Weight_x + Bound_x) d(f(x), r)/Unit − a_xr) − Σ_x Bound_x b_x/Unit − Delta Σ_xy max_r Up[{x, y, r}])
//
// where a_xr = Σ over neighbors y of (w Up[{y, x, r}] − Up[{x, y, r}]). r runs through Values, and Σ_xy through
// neighbors in both orders. b_x is Than's distortion for Pareto and 0 otherwise. The prices Bound sum to 1 for
// Worst. Up[{x, y, r}] is the price of p^x(r) ≤ w p^y(r). The violations of these constraints, summed over r, are at
// most Delta. All numbers are exact: Weight is the prior itself (1 for Pareto, 0 for Worst), not rounded.
type Certificate struct {
	Up     map[[3]int]*big.Rat
	Weight []*big.Rat
	Bound  []*big.Rat // nil for Mean
	Unit   *big.Rat   // unit of distances
	Delta  *big.Rat   // the δ of (ε, δ)-differential privacy
	// Values are the indices of values that may be output. All others are dominated: some value of the list is at
	// most as far from every f(x).
	Values []int
}

// Keys returns the keys of Up in ascending order.
func (c Certificate) Keys() [][3]int {
	return slices.SortedFunc(maps.Keys(c.Up), func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
}

// Stopped is the error of a solve whose context ended.
type Stopped = lp.Stopped

// NewOptimal returns the ε-differentially private mechanism on q, or with a Delta the (ε, δ)-differentially private
// one, that minimises the objective. Its value is certified: the upper end is the mechanism's own distortion, the
// lower end a dual bound.
//
// With an error wrapping ErrPrecision or a *Stopped error it also returns the best mechanism found, whose Optimum
// is still certified. Other errors come without a mechanism. They wrap evidence.ErrParameter if the options do not
// fit the query, and ErrInfeasible if no such private mechanism stays within Than's distortions.
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
		ctx = yield.Context(limited)
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
	parallel.ReportPartial(outer, p.stopped(context.Canceled))
	x, err := lp.Solve(ctx, &p.Program, p.options(outer, o))
	if x == nil {
		return nil, p.stopped(explain(err, nil, p.spent()))
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
			return m, p.atMostConstant(explain(ctx.Err(), m, p.spent()))
		}
		lo, hi := m.optimum.Bounds()
		return nil, fmt.Errorf("%w: the optimum is only known to lie in %s", ErrUnidentified, evidence.FormatBounds(lo, hi, 10))
	}
	return m, p.atMostConstant(explain(err, m, p.spent()))
}

// options returns the solver's options; outer is its context without the time limit.
func (p *program) options(outer context.Context, o Options) lp.Options {
	unit, _ := p.scale.Float64()
	bracketed := func(known Stopped) { parallel.ReportPartial(outer, p.stopped(&known)) }
	return lp.Options{Width: o.Width, Outer: outer, Unit: unit, Bracketed: bracketed}
}

// heading returns the mechanism's name and its claimed ε, which is infinite if there is a δ.
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

// Brief formats a δ for names: as a fraction if that is short, otherwise as a decimal, preceded by "≈" if rounded.
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

// spent formats the constraints' ε and δ for messages.
func (p *program) spent() string {
	if p.Delta == nil {
		return "eps = " + p.eps.String()
	}
	return fmt.Sprintf("eps = %s, delta = %s", p.eps, Brief(p.delta))
}

// private describes the privacy of the program's mechanisms.
func (p *program) private() string {
	if p.Delta == nil {
		return p.eps.String() + "-differentially private"
	}
	return fmt.Sprintf("(%s, %s)-differentially private", p.eps, Brief(p.delta))
}

// explain converts the solver's error to this package's.
func explain(err error, m *Optimal, spent string) error {
	if m == nil {
		return lp.Explain(err, nil, 0, spent)
	}
	return lp.Explain(err, m.optimum, m.steps, spent)
}

// mechanism converts a solution to a table over the whole range.
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

// enclose returns the objective between two values of the program.
func (p *program) enclose(lo, hi float64) evidence.Number {
	const source = "linear program of the optimal mechanism"
	method := fmt.Sprintf("interior point method, %d variables; primal and dual points checked in 256-bit intervals", p.Size())
	below, _ := interval.Float(lo).Mul(interval.Rat(p.scale)).Bounds()
	_, above := interval.Float(hi).Mul(interval.Rat(p.scale)).Bounds()
	return evidence.Certified{Lo: max(0, below), Hi: above, Provenance: evidence.From(source).By(method)}
}
