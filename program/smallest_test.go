package program_test

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/program"
	"dpworkbench/query"
)

// counting returns the query x ↦ x on a path of n datasets.
func counting(t *testing.T, n int) *query.Query {
	t.Helper()
	values := make([]query.Value, n)
	for x := range values {
		values[x] = query.RationalValue(big.NewRat(int64(x), 1))
	}
	return must.For(query.New("count", line(t, n), values, nil, query.ValueMetric{}))(t)
}

// cutTo returns x + noise, clamped to lo … hi, plus by.
func cutTo(lo, hi int64, by *big.Rat) program.Run {
	return func(x int, n *program.Noise) program.Output {
		u := n.Geometric(log2(1), big.NewRat(1, 1)).Plus(big.NewRat(int64(x), 1))
		switch {
		case n.Less(u, wholeDraw(lo)):
			u = wholeDraw(lo)
		case n.Less(wholeDraw(hi), u):
			u = wholeDraw(hi)
		}
		return oneNumber(u.Plus(by))
	}
}

// The smallest ε is the logarithm of the largest ratio in the law, exact if rational.
func TestSmallestEpsilons(t *testing.T) {
	one, y := z(big.NewRat(1, 1), new(big.Rat)), z(big.NewRat(1, 1), big.NewRat(1, 1))
	response := must.For(program.New(t.Context(), "response", line(t, 2), response(), program.Default))(t)
	for name, c := range map[string]struct {
		p    *program.Program
		want string // e^ε
		kind evidence.Kind
	}{
		"clamped":       {must.For(program.New(t.Context(), "clamped", line(t, 3), cutTo(0, 2, new(big.Rat)), program.Default))(t), "2", evidence.KindExact},
		"coins":         {must.For(program.New(t.Context(), "coins", line(t, 2), coins(program.RationalProbability(big.NewRat(1, 3)), program.RationalProbability(big.NewRat(3, 7))), program.Default))(t), "9/7", evidence.KindExact},
		"equal laws":    {must.For(program.New(t.Context(), "same", line(t, 2), coins(program.RationalProbability(big.NewRat(1, 3)), program.RationalProbability(big.NewRat(1, 3))), program.Default))(t), "1", evidence.KindExact},
		"symbolic":      {response.At(must.For(evidence.LogEpsilon("eps", big.NewRat(5, 2)))(t)), "5/2", evidence.KindExact},
		"seven numbers": {must.For(program.New(t.Context(), "vector", line(t, 2), vector(7, log2(1)), program.Default))(t), "16", evidence.KindExact},
	} {
		n := must.For(c.p.SmallestEpsilon(t.Context()))(t)
		q, _ := new(big.Rat).SetString(c.want)
		wantLog(t, name, n, q)
		if n.Kind() != c.kind {
			t.Errorf("%s: %v, want another kind of evidence", name, n)
		}
		again := must.For(c.p.SmallestEpsilon(t.Context()))(t)
		if again.Float() != n.Float() {
			t.Errorf("%s: %v, but %v the second time", name, n, again)
		}
		a := must.For(c.p.Account(t.Context()))(t)
		m := must.For(a.Epsilon(t.Context(), evidence.Delta{}))(t)
		if lo, hi := m.Bounds(); lo > n.Float()+1e-15 || hi < n.Float()-1e-15 {
			t.Errorf("%s: %v from the account, want %v", name, m, n)
		}
	}
	// At an ε with irrational powers, the smallest ε is certified and rounded up. Here it is exactly 1/2.
	n := must.For(response.At(must.For(evidence.NewEpsilon("eps", .5))(t)).SmallestEpsilon(t.Context()))(t)
	if lo, hi := n.Bounds(); n.Kind() != evidence.KindCertified || lo > .5 || hi < .5 || hi-lo > 1e-15 || n.Float() != hi {
		t.Errorf("smallest ε at 1/2: %v in [%.17g, %.17g] of value %.17g, want it rounded up", n, lo, hi, n.Float())
	}
	// Rational and symbolic coins mix, in either order.
	for _, first := range []bool{true, false} {
		p := must.For(program.New(t.Context(), "mixed", line(t, 2), func(x int, n *program.Noise) program.Output {
			tossed := [2]bool{}
			for i, c := range []bool{first, !first} {
				if c {
					tossed[i] = n.Flip([]program.Probability{program.RationalProbability(big.NewRat(1, 2)), program.RationalProbability(big.NewRat(1, 50))}[x])
				} else if tossed[0] || i == 0 {
					tossed[i] = n.Flip([]program.Probability{program.SymbolProbability(one, one.Add(y)), program.SymbolProbability(y, one.Add(y))}[x])
				}
			}
			return program.Output{Shape: map[bool]string{true: "t", false: "f"}[tossed[0]] + map[bool]string{true: "t", false: "f"}[tossed[1]]}
		}, program.Default))(t).At(must.For(evidence.NewEpsilon("eps", .125))(t))
		want := 1.0
		for _, pair := range [][2]int{{0, 1}, {1, 0}} {
			for i := range p.Outputs()[0] {
				a, _ := p.Law(pair[0])[0][i].Number()
				b, _ := p.Law(pair[1])[0][i].Number()
				want = max(want, a.Float()/b.Float())
			}
		}
		lo, hi := must.For(p.SmallestEpsilon(t.Context()))(t).Bounds()
		if math.Abs(lo-math.Log(want)) > 1e-14 || math.Abs(hi-math.Log(want)) > 1e-14 {
			t.Errorf("a coin and a function of ε: smallest ε in [%.17g, %.17g], want %.17g", lo, hi, math.Log(want))
		}
	}
}

// If only one neighbor has an output, the smallest ε is infinite, whatever the other ratios.
func TestSmallestEpsilonInfinite(t *testing.T) {
	p := must.For(program.New(t.Context(), "once", line(t, 3), coins(program.RationalProbability(big.NewRat(1, 2)), program.RationalProbability(big.NewRat(1, 3)), program.RationalProbability(new(big.Rat))), program.Default))(t)
	n := must.For(p.SmallestEpsilon(t.Context()))(t)
	lo, hi := n.Bounds()
	if !math.IsInf(lo, 1) || !math.IsInf(hi, 1) || !math.IsInf(n.Float(), 1) {
		t.Errorf("smallest ε %v in [%g, %g], want it infinite", n, lo, hi)
	}
}

// A program that answers a query is a mechanism for it, with the program's law, and errors in the query's metric.
func TestMechanismsOfPrograms(t *testing.T) {
	q := counting(t, 3)
	p := must.For(program.New(t.Context(), "clamped", q.Space(), cutTo(0, 2, new(big.Rat)), program.Default))(t).Answering(q)
	if p.Query() != q || p.Name() != "clamped" || p.Space() != q.Space() || p.Runs(1) != 3 {
		t.Errorf("query %v, name %v, space %v, runs %d", p.Query(), p.Name(), p.Space(), p.Runs(1))
	}
	m := must.For(p.Mechanism(t.Context()))(t)
	if m.Query() != q || m.Name() != "clamped" {
		t.Errorf("the mechanism %s answers %v, want the query itself", m.Name(), m.Query())
	}
	wantLog(t, "claimed ε", m.ClaimedEpsilon(), big.NewRat(2, 1))
	laws := [][]string{{"2/3", "1/6", "1/6"}, {"1/3", "1/3", "1/3"}, {"1/6", "1/6", "2/3"}}
	for x, law := range laws {
		for r, want := range law {
			if got, ok := m.Rational(x, r); !ok || got.RatString() != want {
				t.Errorf("%d of %v has the probability %v, want %s", r, x, got, want)
			}
		}
	}
	// Outputs outside the range of a numeric query extend it, here by halves.
	p = must.For(program.New(t.Context(), "halves", q.Space(), cutTo(0, 1, big.NewRat(1, 2)), program.Default))(t).Answering(q)
	m = must.For(p.Mechanism(t.Context()))(t)
	var names []string
	for _, v := range m.Query().Range() {
		names = append(names, v.String())
	}
	if got := strings.Join(names, " "); got != "0 1/2 1 3/2 2" && got != "0 0.5 1 1.5 2" {
		t.Fatalf("the range %s, want 0 1/2 1 3/2 2", got)
	}
	for x, law := range [][]string{{"0", "2/3", "0", "1/3", "0"}, {"0", "1/3", "0", "2/3", "0"}, {"0", "1/6", "0", "5/6", "0"}} {
		for r, want := range law {
			if got, ok := m.Rational(x, r); !ok || got.RatString() != want {
				t.Errorf("%s at %d has the probability %v, want %s", names[r], x, got, want)
			}
		}
		if m.Query().Value(x).String() != q.Value(x).String() {
			t.Errorf("the widened query is %v at %d", m.Query().Value(x), x)
		}
	}
	if d := m.Query().Metric().Rational(1, 3); d.RatString() != "1" {
		t.Errorf("1/2 and 3/2 have distance %v, want 1", d)
	}
}

// For queries of names, outputs are the query's values, on the program's space or another.
func TestMechanismsOfNames(t *testing.T) {
	space := line(t, 3)
	values := []query.Value{query.Name("low"), query.Name("high"), query.Name("low")}
	far := func(n int64) *big.Rat { return big.NewRat(n, 1) }
	q := must.For(query.New("level", space, values, []query.Value{query.Name("low"), query.Name("high")}, query.ValueMetric{Rational: [][]*big.Rat{{far(0), far(5)}, {far(5), far(0)}}}))(t)
	run := func(x int, n *program.Noise) program.Output {
		if n.Flip(program.RationalProbability(big.NewRat(int64(x+1), 5))) {
			return program.Output{Shape: "high"}
		}
		return program.Output{Shape: "low"}
	}
	for name, s := range map[string]*query.Space{"its own space": space, "another space": line(t, 3)} {
		p := must.For(program.New(t.Context(), "levels", s, run, program.Default))(t).Answering(q)
		m := must.For(p.Mechanism(t.Context()))(t)
		if (m.Query() == q) != (s == space) || m.Query().Space() != s || len(m.Query().Range()) != 2 || m.Query().Metric().Rational(0, 1).RatString() != "5" || m.Query().Name() != "level" {
			t.Errorf("on %s the mechanism answers %v", name, m.Query())
		}
		for x := range 3 {
			r, _ := m.Query().Find(query.Name("high"))
			if got, _ := m.Rational(x, r); got.RatString() != big.NewRat(int64(x+1), 5).RatString() || m.Query().Value(x) != q.Value(x) {
				t.Errorf("on %s high has the probability %v at %d", name, got, x)
			}
		}
	}
	for text, c := range map[string]struct {
		run program.Run
		q   *query.Query
	}{
		"program p answers no query, so it has no distortion: build it with program(query, …), or ask the program for its law and its privacy": {run, nil},
		"the outputs of program p have 7 independent numbers, want one value of the query":                                                     {vector(7, log2(1)), counting(t, 3)},
		"program p has the unbounded outputs ≤ -1, want values clamped to a range, as by max(0, min(n, value))": {func(x int, n *program.Noise) program.Output {
			return oneNumber(n.Geometric(log2(1), big.NewRat(1, 1)))
		}, counting(t, 3)},
		"program p has the output middle, want values of the query level": {func(x int, n *program.Noise) program.Output { return program.Output{Shape: "middle"} }, q},
		"program p has the output low, want values of the query count":    {run, counting(t, 3)},
		"program p has the output 1, want values of the query level":      {func(x int, n *program.Noise) program.Output { return oneNumber(wholeDraw(1)) }, q},
	} {
		_, err := must.For(program.New(t.Context(), "p", line(t, 3), c.run, program.Default))(t).Answering(c.q).Mechanism(t.Context())
		wantError(t, err, text)
	}
}

// Every function returns the error of its context at each poll.
func TestProgramsObeyContexts(t *testing.T) {
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := program.New(ctx, "tosses", line(t, 2), func(x int, n *program.Noise) program.Output {
			return program.Output{Shape: string(rune('a' + n.Integer(600)))}
		}, program.Default)
		return err
	})
	tangled := must.For(program.New(t.Context(), "tangle", line(t, 2), tangle{forms: [][4]int64{{1, 1, 1, 0}}}.run, program.Default))(t)
	respond := func() *program.Program { // a new program has no cached ratios
		return must.For(program.New(t.Context(), "response", line(t, 2), response(), program.Default))(t)
	}
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	several := must.For(program.New(t.Context(), "vector", line(t, 2), vector(7, times(t, 1, 1)), program.Default))(t).At(eps)
	q := counting(t, 3)
	at := respond().At(eps)
	for name, do := range map[string]func(ctx context.Context) error{
		"a decision":                           func(ctx context.Context) error { _, err := respond().Private(ctx, big.NewRat(1, 2)); return err },
		"a smallest ε":                         func(ctx context.Context) error { _, err := respond().At(eps).SmallestEpsilon(ctx); return err },
		"a smallest ε with cyclic comparisons": func(ctx context.Context) error { _, err := tangled.SmallestEpsilon(ctx); return err },
		"an account":                           func(ctx context.Context) error { _, err := at.Account(ctx); return err },
		"an account of seven numbers":          func(ctx context.Context) error { _, err := several.Account(ctx); return err },
		"a mechanism": func(ctx context.Context) error {
			_, err := must.For(program.New(t.Context(), "clamped", q.Space(), cutTo(0, 2, new(big.Rat)), program.Default))(t).Answering(q).Mechanism(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { ctxtest.EachPoll(t, 1, do) })
	}
}
