package mechanism_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// pathQuery returns f(x) = x on a path of n datasets.
func pathQuery(t testing.TB, n int) *query.Query {
	t.Helper()
	values := make([]float64, n)
	var edges [][2]int
	for x := range values {
		values[x] = float64(x)
		if x > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
	}
	space := must.For(query.NewPathSpace(n, edges))(t)
	q := must.For(query.NewNumeric("f", space, values, nil))(t)
	return q
}

// NewFinite normalizes rows whose sums are within the tolerance of 1. It rejects larger errors, negative entries and
// wrong shapes.
func TestNewFiniteErrors(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 2)
	rat := func(s string) *big.Rat {
		v, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q is not a number", s)
		}
		return v
	}
	row := func(a, b string) []*big.Rat { return []*big.Rat{rat(a), rat(b)} }
	m := must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{row("0.3333333333", "0.6666666666"), row("1/3", "2/3")}, nil))(t)
	if p, _ := m.Rational(0, 0); p.Cmp(big.NewRat(1, 3)) != 0 {
		t.Errorf("p = %v, want 1/3", p)
	}
	for _, c := range []struct {
		table [][]*big.Rat
		want  string
	}{
		{[][]*big.Rat{row("1/2", "1/2")}, "table has 1 rows, want 2"},
		{[][]*big.Rat{row("1/2", "1/2"), {rat("1")}}, "table[1] has 1 probabilities, want 2"},
		{[][]*big.Rat{row("1/2", "1/2"), row("3/2", "-1/2")}, "table[1][1] = -0.5, want a probability"},
		{[][]*big.Rat{row("1/2", "0.4"), row("1", "0")}, "table[0] sums to 0.9, want 1"},
		{[][]*big.Rat{row("0", "0"), row("1", "0")}, "table[0] sums to 0, want 1"},
	} {
		if _, err := mechanism.NewFinite(ctx, q, c.table, nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	claim := evidence.Claimed{Value: 1, Provenance: evidence.From("test")}
	if m, err := mechanism.NewFinite(ctx, q, [][]*big.Rat{row("1", "0"), row("1", "0")}, claim); err != nil || m.ClaimedEpsilon() != evidence.Number(claim) {
		t.Errorf("claims %v, %v, want the given claim", m.ClaimedEpsilon(), err)
	}
}

// An entry of a law in float64 is 0 if and only if the value is never output.
func TestLawOfRareValues(t *testing.T) {
	rare := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 2000))
	rows := [][]*big.Rat{{new(big.Rat), big.NewRat(1, 1)}, {rare, new(big.Rat).Sub(big.NewRat(1, 1), rare)}}
	m := must.For(mechanism.NewFinite(context.Background(), pathQuery(t, 2), rows, nil))(t)
	for x, want := range []float64{0, math.SmallestNonzeroFloat64} {
		if law := must.For(mechanism.Law(m, x))(t); law[0] != want || law[1] != 1 {
			t.Errorf("dataset %d: %v, want %g and 1", x, law, want)
		}
	}
}

// own is a Finite on two datasets whose law is a function.
type own struct {
	q   *query.Query
	law func(x int) []evidence.RatOrInterval
}

func (own) Name() string { return "own" }

func (m own) Query() *query.Query { return m.q }

func (m own) Law(x int) ([]evidence.RatOrInterval, error) { return m.law(x), nil }

// New gives exact results for rational laws, certified results for enclosures, and rejects other laws.
func TestNew(t *testing.T) {
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("q", space, []float64{0, 1}, nil))(t)
	pair := func(p *big.Rat) []evidence.RatOrInterval {
		return []evidence.RatOrInterval{evidence.ExactRat(p), evidence.ExactRat(new(big.Rat).Sub(big.NewRat(1, 1), p))}
	}
	exact := func(x int) []evidence.RatOrInterval { return pair(big.NewRat(int64(1+x), 3)) }
	rough := func(x int) []evidence.RatOrInterval {
		law := exact(x)
		for r := range law {
			lo, hi := law[r].Enclosure.Bounds()
			law[r] = evidence.RatOrInterval{Enclosure: interval.Between(lo*(1-1e-9), hi*(1+1e-9))}
		}
		return law
	}
	for kind, law := range map[string]func(x int) []evidence.RatOrInterval{"exact": exact, "certified": rough} {
		m := must.For(mechanism.New(t.Context(), own{q, law}))(t)
		e := must.For(mechanism.Privacy(m).Epsilon(t.Context(), evidence.Delta{}))(t)
		lo, hi := e.Bounds()
		if ln2 := 0.6931471805599453; string(e.Kind()) != kind || lo > ln2+1e-15 || hi < ln2-1e-15 || hi-lo > 1e-8 || m.ClaimedEpsilon().Float() != e.Float() {
			t.Errorf("%s: ε = %v of kind %s, claimed %v", kind, e, e.Kind(), m.ClaimedEpsilon())
		}
	}
	for want, law := range map[string]func(x int) []evidence.RatOrInterval{
		"has 1 probabilities, want 2": func(x int) []evidence.RatOrInterval { return exact(x)[:1] },
		"want 1":                      func(x int) []evidence.RatOrInterval { return append(exact(x)[:1], exact(x)[0]) },
		"-1/3":                        func(x int) []evidence.RatOrInterval { return pair(big.NewRat(-1, 3)) },
	} {
		if _, err := mechanism.New(t.Context(), own{q, law}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// The caller's own type implements Finite with three methods, and its mechanism is composed fifty times.
func ExampleNew() {
	ctx := context.Background()
	space, _ := query.NewPathSpace(2, [][2]int{{0, 1}})
	q, _ := query.NewNumeric("answer", space, []float64{0, 1}, nil)
	m, _ := mechanism.New(ctx, own{q, func(x int) []evidence.RatOrInterval { // tells the truth with probability 2/3
		law := []evidence.RatOrInterval{evidence.ExactRat(big.NewRat(1, 3)), evidence.ExactRat(big.NewRat(1, 3))}
		law[x] = evidence.ExactRat(big.NewRat(2, 3))
		return law
	}})
	once, _ := privacy.Of(ctx, m)
	fifty, _ := once.Compose(50)
	one, _ := once.Epsilon(ctx, evidence.Delta{})
	all, _ := fifty.Epsilon(ctx, evidencetest.Delta(1e-6))
	fmt.Println(one)
	fmt.Println(evidence.FormatNumber(all, 8))
	// Output:
	// 0.693147180559946 (exact: ln(2))
	// 30.333959
}
