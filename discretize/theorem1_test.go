package discretize_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Randomised response with ratio 8 is discretized at ln 2, ln 8 and others. The verdicts and the layers agree with
// rational arithmetic.
func TestVerdictsOfRandomisedResponse(t *testing.T) {
	q := path(t, 2, 1)
	most, least := big.NewRat(8, 9), big.NewRat(1, 9)
	m := must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{{most, least}, {least, most}}, nil))(t)
	for base, want := range map[int64]struct {
		hypothesis, privacy evidence.Verdict
		layer, boundaries   int
	}{
		2: {evidence.Refuted, evidence.Refuted, 3, 2}, // a loss of 3ε
		3: {evidence.Refuted, evidence.Confirmed, 1, 0},
		7: {evidence.Refuted, evidence.Confirmed, 1, 0},
		8: {evidence.Confirmed, evidence.Confirmed, 1, 2},
		9: {evidence.Confirmed, evidence.Confirmed, 0, 0},
	} {
		d := must.For(discretize.New(ctx, m, evidencetest.LogEpsilon(base, 1)))(t)
		th := must.For(d.Theorem1(ctx))(t)
		if th.Hypothesis != want.hypothesis || th.Privacy != want.privacy || th.Utility != evidence.Confirmed || d.Layer(0, 1) != want.layer || d.Layer(0, 0) != 0 || d.Boundaries() != want.boundaries {
			t.Errorf("at ln %d: %+v, layers %v", base, th, d.Layers(0))
		}
		if th.Epsilon.Value() != evidencetest.LogEpsilon(base, 1).Value() || d.Source() != mechanism.Mechanism(m) || d.ClaimedEpsilon().Float() != evidencetest.LogEpsilon(base, 1).Times(2).Value() {
			t.Errorf("at ln %d: ε = %v, claim %v", base, th.Epsilon, d.ClaimedEpsilon())
		}
		if loss := th.Source.(evidence.ExactLog); loss.Argument.Cmp(big.NewRat(8, 1)) != 0 {
			t.Errorf("at ln %d: the loss of p is %v, want ln 8", base, loss)
		}
	}
}

// Theorem1 reports the dataset with the largest ratio of distortions, and both distortions, whether E_p or E_q is
// larger.
func TestTheorem1FarthestDataset(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 2))
	larger := [2]int{}
	for range 20 {
		n := 3 + r.IntN(3)
		q := path(t, n, 1)
		rows := make([][]*big.Rat, n)
		for x := range rows {
			w, sum := make([]int64, n), int64(0)
			for v := range w {
				w[v] = 1 + r.Int64N(40)
				sum += w[v]
			}
			for _, v := range w {
				rows[x] = append(rows[x], big.NewRat(v, sum))
			}
		}
		m := must.For(mechanism.NewFinite(ctx, q, rows, evidence.Claimed{Value: 1}))(t)
		d := must.For(discretize.New(ctx, m, evidencetest.LogEpsilon(5, 1)))(t)
		th := must.For(d.Theorem1(ctx))(t)
		far := func(x int) float64 {
			return math.Log(mechanism.Distortion(m, x).Float() / mechanism.Distortion(d, x).Float())
		}
		for x := range n {
			if math.Abs(far(x)) > math.Abs(far(th.Dataset))+1e-12 {
				t.Errorf("dataset %d has a larger ratio than dataset %d: %v, %v", x, th.Dataset, far(x), far(th.Dataset))
			}
		}
		if far(th.Dataset) > 0 {
			larger[0]++
		} else {
			larger[1]++
		}
		before, after := mechanism.Distortion(m, th.Dataset).(evidence.Exact), mechanism.Distortion(d, th.Dataset).(evidence.Exact)
		if th.Before.(evidence.Exact).Value.Cmp(before.Value) != 0 || th.After.(evidence.Exact).Value.Cmp(after.Value) != 0 {
			t.Errorf("E_p = %v, E_q = %v at dataset %d, want %v, %v", th.Before, th.After, th.Dataset, before, after)
		}
	}
	if larger[0] < 2 || larger[1] < 2 {
		t.Errorf("E_p is larger %d times and E_q %d times, want both", larger[0], larger[1])
	}
}

// Guarantee returns a claimed ε that is a logarithm or a float64, and an error if no positive and finite ε is claimed.
func TestGuarantee(t *testing.T) {
	q := path(t, 2, 1)
	half := big.NewRat(1, 2)
	with := func(claim evidence.Number) mechanism.Mechanism {
		return must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{{half, half}, {half, half}}, claim))(t)
	}
	for _, c := range []struct {
		claim evidence.Number
		want  float64
	}{{evidence.Claimed{Value: 0.25}, 0.25}, {evidence.ExactLog{Argument: big.NewRat(3, 1)}, math.Log(3)}, {mechanism.Claim(evidencetest.Epsilon(2), ""), 2}} {
		if got := must.For(discretize.Guarantee(with(c.claim)))(t); math.Abs(got.Value()-c.want) > 1e-15 {
			t.Errorf("claim %v: Guarantee = %v", c.claim, got)
		}
	}
	for _, claim := range []evidence.Number{evidence.Claimed{}, evidence.Claimed{Value: math.Inf(1)}, evidence.ExactLog{Argument: big.NewRat(1, 1)}} {
		if got, err := discretize.Guarantee(with(claim)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("claim %v: Guarantee = %v, error %v", claim, got, err)
		}
	}
	if _, err := discretize.New(ctx, with(nil), evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("at ε = 0: %v", err)
	}
}

// changing is a mechanism whose law a test changes.
type changing struct{ *mechanism.Table }

// Theorem 1 holds for every discretized mechanism, so only a wrong discretization shows that the check can fail. Here
// the law of p changes after its discretization. In some cases ln E_p/E_q is closer to ±ε than any enclosure resolves;
// in others the distortions are known only by enclosures.
func TestTheorem1OfWrongLayers(t *testing.T) {
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 0, 0}, []float64{0, 1}))(t)
	small := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300))
	up, down := new(big.Rat).Add(big.NewRat(1, 1), small), new(big.Rat).Sub(big.NewRat(1, 1), small)
	times := func(a, b int64, r *big.Rat) *big.Rat { return new(big.Rat).Mul(big.NewRat(a, b), r) }
	third, one := big.NewRat(1, 3), big.NewRat(1, 1)
	law := []*big.Rat{big.NewRat(2, 3), third} // layers 0 and 1 at e^ε = 2
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
		p := &changing{must.For(mechanism.NewRationalTable(heading, [][]*big.Rat{law, law, law}, nil))(t)}
		d := must.For(discretize.New(ctx, p, evidencetest.LogEpsilon(2, 1)))(t)
		if p.Table = must.For(mechanism.NewRationalTable(heading, rows, nil))(t); !c.exact {
			p.Table = must.For(mechanism.NewEnclosedTable(heading, enclosed, nil, nil))(t)
		}
		th := must.For(d.Theorem1(ctx))(t)
		if th.Utility != c.utility || th.Dataset != c.dataset || th.Privacy != evidence.Confirmed {
			t.Errorf("case %d: utility %s at dataset %d, want %s at %d", i, th.Utility, th.Dataset, c.utility, c.dataset)
		}
	}
}
