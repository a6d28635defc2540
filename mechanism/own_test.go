package mechanism_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// own is a mechanism on two datasets by a function of the dataset.
type own struct {
	q   *query.Query
	law func(x int) []evidence.Amount
}

func (own) Name() string                           { return "own" }
func (m own) Query() *query.Query                  { return m.q }
func (m own) Law(x int) ([]evidence.Amount, error) { return m.law(x), nil }

// Laws from outside are exact where they are rational, certified where they are enclosures, and refused where they are none.
func TestMechanismByItsLaws(t *testing.T) {
	space, err := query.NewPathSpace(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("q", space, []float64{0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pair := func(p *big.Rat) []evidence.Amount {
		return []evidence.Amount{evidence.RationalAmount(p), evidence.RationalAmount(new(big.Rat).Sub(big.NewRat(1, 1), p))}
	}
	exact := func(x int) []evidence.Amount { return pair(big.NewRat(int64(1+x), 3)) }
	rough := func(x int) []evidence.Amount {
		law := exact(x)
		for r := range law {
			lo, hi := law[r].Enclosure.Bounds()
			law[r] = evidence.Amount{Enclosure: interval.Between(lo*(1-1e-9), hi*(1+1e-9))}
		}
		return law
	}
	for kind, law := range map[string]func(x int) []evidence.Amount{"exact": exact, "certified": rough} {
		m, err := mechanism.New(t.Context(), own{q, law})
		if err != nil {
			t.Fatal(err)
		}
		e, err := mechanism.Privacy(m).Epsilon(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := e.Bounds()
		if ln2 := 0.6931471805599453; string(e.Kind()) != kind || lo > ln2+1e-15 || hi < ln2-1e-15 || hi-lo > 1e-8 || m.ClaimedEpsilon().Float() != e.Float() {
			t.Errorf("%s: ε = %v of kind %s, claimed %v", kind, e, e.Kind(), m.ClaimedEpsilon())
		}
	}
	for want, law := range map[string]func(x int) []evidence.Amount{
		"has 1 probabilities, want 2": func(x int) []evidence.Amount { return exact(x)[:1] },
		"want 1":                      func(x int) []evidence.Amount { return append(exact(x)[:1], exact(x)[0]) },
		"-1/3":                        func(x int) []evidence.Amount { return pair(big.NewRat(-1, 3)) },
	} {
		if _, err := mechanism.New(t.Context(), own{q, law}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// A table of one's own, as a type with three methods, used fifty times.
func ExampleNew() {
	ctx := context.Background()
	space, _ := query.NewPathSpace(2, [][2]int{{0, 1}})
	q, _ := query.NewNumeric("answer", space, []float64{0, 1}, nil)
	m, _ := mechanism.New(ctx, own{q, func(x int) []evidence.Amount { // the truth with chance 2/3
		law := []evidence.Amount{evidence.RationalAmount(big.NewRat(1, 3)), evidence.RationalAmount(big.NewRat(1, 3))}
		law[x] = evidence.RationalAmount(big.NewRat(2, 3))
		return law
	}})
	once, _ := privacy.Of(ctx, m)
	fifty, _ := once.Compose(50)
	one, _ := once.Epsilon(ctx, 0)
	all, _ := fifty.Epsilon(ctx, 1e-6)
	fmt.Println(one)
	fmt.Println(evidence.FormatNumber(all, 8))
	// Output:
	// 0.693147180559946 (exact: ln(2))
	// 30.333959
}
