package certificate_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/mvg"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/program"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// stopped is a function that writes a file, and the least number of times that it must poll its context.
type stopped struct {
	least int
	write func(ctx context.Context) error
}

// Writing a file stops at each poll of the context.
func TestStops(t *testing.T) {
	for name, c := range stops(t) {
		t.Run(name, func(t *testing.T) { ctxtest.EachPoll(t, c.least, c.write) })
	}
}

// stops lists every kind of certificate and Coq file whose writer polls a context.
func stops(t *testing.T) map[string]stopped {
	s, ctx := newSmallCase(t), context.Background()
	two := s.ln(2, 1)
	purest, table, exponential := s.purest(two), s.rational(), s.exponential(s.eps(1))
	distances, err := query.NewMatrixSpace([][]float64{{0, 1, 1.5}, {1, 0, 0.5}, {1.5, 0.5, 0}})
	s.fail(err)
	apart, err := query.NewNumeric("f", distances, []float64{0, 1, 3}, nil)
	s.fail(err)
	far, err := layers.NewPurest(ctx, apart, two)
	s.fail(err)
	out := map[string]stopped{}
	of := func(name string, least int, n evidence.Number, err error) {
		t.Helper()
		s.fail(err)
		out[name] = stopped{least, func(ctx context.Context) error { _, err := certificate.Of(ctx, n); return err }}
	}
	file := func(name string, least int, n evidence.Number, err error) {
		t.Helper()
		s.fail(err)
		out["coq of "+name] = stopped{least, func(ctx context.Context) error { _, err := certificate.Coq(ctx, n); return err }}
	}
	about := func(name string, least int, x any, err error) {
		t.Helper()
		s.fail(err)
		out["about "+name] = stopped{least, func(ctx context.Context) error { _, err := certificate.About(ctx, x); return err }}
	}
	for name, m := range map[string]mechanism.Mechanism{"purest": purest, "table": table, "exponential": exponential, "far": far} {
		p := mechanism.Privacy(m)
		n, err := p.Epsilon(ctx, evidence.Delta{})
		of(name+" ε", 3, n, err)
		if name == "purest" || name == "table" {
			file(name+" ε", 3, n, err)
		}
		n, err = p.Delta(ctx, two)
		of(name+" δ", 3, n, err)
		if name == "purest" || name == "table" {
			file(name+" δ", 3, n, err)
		}
		n, err = p.Epsilon(ctx, evidencetest.Delta(0.125))
		of(name+" ε at δ", 3, n, err)
		n = mechanism.Distortion(m, 1)
		of(name+" distortion", 2, n, nil)
		if name == "purest" {
			file(name+" distortion", 2, n, nil)
		}
	}
	tradeoff, err := privacy.New(mechanism.Pairs(table)).Tradeoff(ctx)
	s.fail(err)
	of("corner", 3, tradeoff.Corners[len(tradeoff.Corners)/2].Beta, nil)
	for name, m := range map[string]mechanism.Mechanism{"purest": purest, "table": table} {
		// An account caches its results, so each method gets a new one.
		for what, number := range map[string]func(c *privacy.Account) (evidence.Number, error){
			"δ": func(c *privacy.Account) (evidence.Number, error) { return c.Delta(ctx, two) }, "ε at δ": func(c *privacy.Account) (evidence.Number, error) { return c.Epsilon(ctx, evidencetest.Delta(0.01)) },
		} {
			out["composition of "+name+": "+what] = stopped{4, func(ctx context.Context) error {
				c, err := privacy.Compose(context.Background(), []*privacy.Account{privacy.New(mechanism.Pairs(m))}, []int{2})
				s.fail(err)
				n, err := number(c)
				s.fail(err)
				_, err = certificate.Of(ctx, n)
				return err
			}}
		}
	}
	for name, o := range map[string]optimize.Options{"mean": {}, "worst": {Objective: optimize.Worst}} {
		m, err := optimize.NewOptimal(ctx, s.q, two, o)
		s.fail(err)
		of("optimum "+name, 3, m.Optimum(), nil)
		file("optimum "+name, 2, m.Optimum(), nil)
	}
	list, err := mvg.NewDifferences([]*mat.Dense{mat.NewDense(1, 2, []float64{1, 2}), mat.NewDense(1, 2, []float64{2, 1})})
	s.fail(err)
	one, err := mvg.NewIsotropic(1, 1)
	s.fail(err)
	both, err := mvg.NewIsotropic(2, 1)
	s.fail(err)
	design, err := mvg.NewDesign(ctx, list, one, both)
	s.fail(err)
	of("mvg", 1, design.WhitenedSensitivity(), nil)

	g, err := query.NewGraphs(ctx, 3)
	about("universe", 1, g, err)
	about("layers", 2, purest, nil)
	moved, err := purest.Migrate(ctx, layers.Move{Dataset: 1, Value: 0, Layer: 0})
	about("migration", 2, moved, err)
	d, err := discretize.New(ctx, table, two)
	about("discretization", 2, d, err)
	c, err := mechanism.Compare(ctx, purest, exponential)
	about("comparison", 5, c, err)
	about("decision", 2, flipped(t), nil)

	for name, m := range map[string]mechanism.Mechanism{"purest": purest, "table": table} {
		out["claim of "+name] = stopped{3, func(ctx context.Context) error {
			_, _, err := certificate.CoqClaim(ctx, m, two, evidencetest.Delta(0.01))
			return err
		}}
	}
	n, err := mechanism.Privacy(table).Epsilon(ctx, evidence.Delta{})
	s.fail(err)
	out["refutation"] = stopped{3, func(ctx context.Context) error {
		_, err := certificate.Refutation(ctx, "some.claim", "it says", "1 < 0", []certificate.Fact{{"f()", n}})
		return err
	}}
	return out
}

// flipped returns the decision about a program: depending on a coin, it answers by a second coin or by a noisy
// threshold.
func flipped(t *testing.T) *program.Decision {
	t.Helper()
	s := generator{t: t}
	space, err := query.NewPathSpace(2, [][2]int{{0, 1}})
	s.fail(err)
	rate, err := program.Symbol(big.NewRat(2, 1))
	s.fail(err)
	number := func(x int64) program.SymbolicDraw { return program.Constant(big.NewRat(x, 1)) }
	chance := func(n *program.Noise, a, b int64) bool { return n.Flip(program.RationalProbability(big.NewRat(a, b))) }
	p, err := program.New(context.Background(), "flip", space, func(x int, n *program.Noise) program.Output {
		yes := false
		if chance(n, 1, 2) {
			yes = chance(n, int64(1+2*x), 5)
		} else {
			yes = n.Less(number(0), number(int64(x)).Add(n.Geometric(rate, big.NewRat(1, 1))))
		}
		if yes {
			return program.Output{Shape: "yes"}
		}
		return program.Output{Shape: "no"}
	}, program.Default)
	s.fail(err)
	d, err := p.Private(context.Background(), big.NewRat(1, 1))
	s.fail(err)
	if len(d.Spans) == 0 {
		t.Fatal("the program is private at every ε")
	}
	return d
}
