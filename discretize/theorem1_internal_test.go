package discretize

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Theorem 1 holds for every discretized mechanism, so only a wrong one shows that its check can fail. Here the layers
// are not those of p. The ratio lies on either side of ε, closer than any enclosure resolves, or is known only by
// enclosures.
func TestTheorem1OfWrongLayers(t *testing.T) {
	ctx := context.Background()
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 0, 0}, []float64{0, 1}))(t)
	two := must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t)
	small := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300))
	up, down := new(big.Rat).Add(big.NewRat(1, 1), small), new(big.Rat).Sub(big.NewRat(1, 1), small)
	times := func(a, b int64, r *big.Rat) *big.Rat { return new(big.Rat).Mul(big.NewRat(a, b), r) }
	third, one := big.NewRat(1, 3), big.NewRat(1, 1) // layers 0 and 1 at e^ε = 2 have probabilities 2/3 and 1/3
	for i, c := range []struct {
		cost    [3]*big.Rat // E_p at each dataset, where E_q is 1/3
		exact   bool
		utility evidence.Verdict
		dataset int
	}{
		{[3]*big.Rat{third, third, third}, true, evidence.Confirmed, 0},
		{[3]*big.Rat{third, big.NewRat(1, 4), big.NewRat(1, 2)}, true, evidence.Confirmed, 2},
		{[3]*big.Rat{third, big.NewRat(2, 5), big.NewRat(1, 5)}, true, evidence.Confirmed, 2},
		{[3]*big.Rat{third, times(2, 3, one), third}, true, evidence.Confirmed, 1},
		{[3]*big.Rat{third, times(1, 6, one), third}, true, evidence.Confirmed, 1},
		{[3]*big.Rat{third, times(2, 3, down), third}, true, evidence.Confirmed, 1},
		{[3]*big.Rat{third, times(1, 6, up), third}, true, evidence.Confirmed, 1},
		{[3]*big.Rat{times(2, 3, up), third, third}, true, evidence.Refuted, 0},
		{[3]*big.Rat{third, third, times(1, 6, down)}, true, evidence.Refuted, 2},
		{[3]*big.Rat{third, big.NewRat(3, 4), third}, true, evidence.Refuted, 1},
		{[3]*big.Rat{third, big.NewRat(1, 7), third}, true, evidence.Refuted, 1},
		{[3]*big.Rat{third, big.NewRat(2, 5), third}, false, evidence.Confirmed, 1},
		{[3]*big.Rat{third, times(2, 3, one), third}, false, evidence.Undecided, 1},
		{[3]*big.Rat{times(2, 3, one), big.NewRat(3, 4), third}, false, evidence.Refuted, 1},
		{[3]*big.Rat{big.NewRat(3, 4), times(2, 3, one), third}, false, evidence.Refuted, 0},
	} {
		rows, enclosed := make([][]*big.Rat, 3), make([][]interval.Interval, 3)
		for x, p := range c.cost {
			rows[x] = []*big.Rat{new(big.Rat).Sub(one, p), p}
			enclosed[x] = []interval.Interval{interval.Rat(rows[x][0]), interval.Rat(p)}
		}
		heading := mechanism.Info{Name: "p", Query: q, Claimed: evidence.Claimed{Value: 1}}
		source := must.For(mechanism.NewRationalTable(heading, rows, nil))(t)
		if !c.exact {
			source = must.For(mechanism.NewEnclosedTable(heading, enclosed, nil, nil))(t)
		}
		wrong := must.For(layers.NewGiven(ctx, heading, two, []int32{0, 1, 0, 1, 0, 1}))(t)
		th := must.For((&Discretization{Mechanism: wrong, source: source}).Theorem1(ctx))(t)
		if th.Utility != c.utility || th.Dataset != c.dataset || th.Privacy != evidence.Confirmed {
			t.Errorf("case %d: utility %s at dataset %d, want %s at %d", i, th.Utility, th.Dataset, c.utility, c.dataset)
		}
	}
}

// The same check on the line, where the layers may also be less private than promised. A mechanism that returns an
// error fails the check with that error.
func TestTheorem1OfWrongLines(t *testing.T) {
	ctx := context.Background()
	q := must.For(continuous.NewLinear([][2]*big.Rat{{new(big.Rat), big.NewRat(1, 1)}}))(t)
	log := func(n, d int64) evidence.Epsilon {
		return must.For(evidence.LogEpsilon("eps", big.NewRat(4, 1)))(t).Ratio(n, d)
	}
	laplace := func(eps evidence.Epsilon) *continuous.Laplace { return must.For(continuous.NewLaplace(q, eps))(t) }
	for _, c := range []struct { // E is 1/ε for Laplace noise, so within e^ε = 4 of that of p up to 4ε
		q                evidence.Epsilon
		privacy, utility evidence.Verdict
	}{
		{log(1, 1), evidence.Confirmed, evidence.Confirmed},
		{log(2, 1), evidence.Confirmed, evidence.Confirmed},
		{log(5, 2), evidence.Refuted, evidence.Confirmed},
		{log(4, 1), evidence.Refuted, evidence.Confirmed},
		{log(9, 2), evidence.Refuted, evidence.Refuted},
		{log(1, 4), evidence.Confirmed, evidence.Confirmed},
		{log(2, 9), evidence.Confirmed, evidence.Refuted},
	} {
		th := must.For((&Line{laplace(c.q), laplace(log(1, 1)), log(1, 1), true}).Theorem1(ctx))(t)
		if th.Privacy != c.privacy || th.Utility != c.utility {
			t.Errorf("q of ε = %v: privacy %s, utility %s, want %s, %s", c.q, th.Privacy, th.Utility, c.privacy, c.utility)
		}
	}
	mute := silent{laplace(log(1, 1))}
	for _, l := range []*Line{{mute, laplace(log(1, 1)), log(1, 1), true}, {laplace(log(1, 1)), mute, log(1, 1), true}} {
		if th, err := l.Theorem1(ctx); !errors.Is(err, errSilent) {
			t.Errorf("%+v, %v: want errSilent", th, err)
		}
	}
}

var errSilent = errors.New("no answer")

// silent returns an error instead of its smallest ε.
type silent struct{ continuous.Mechanism }

func (silent) Privacy() privacy.Profile {
	return privacy.ProfileFunc{Pure: func(context.Context) (evidence.Number, error) { return nil, errSilent }}
}
