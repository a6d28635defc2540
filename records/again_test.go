package records_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// A mechanism that is made again at another dataset is the one that is made there, under its name and with its claim.
func TestMadeAgain(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 0.6))(t)
	_, one := scattered(t, quarters[0], rat(1, 4), records.Replace)
	_, other := scattered(t, quarters[1], rat(1, 4), records.Replace)
	_, open := scattered(t, quarters[0], nil, records.Replace)
	same := func(name string, of func(q *records.Query, eps evidence.Epsilon) (records.Law, error), at, to *records.Query) {
		t.Helper()
		m := must.For(of(at, eps))(t)
		for _, have := range []records.Law{must.For(m.Remake(to))(t), must.For(must.For(m.Remake(at))(t).Remake(to))(t)} {
			want := must.For(of(to, eps))(t)
			tell := func(m records.Law) string {
				return fmt.Sprint(m.Name(), m.Query() == to, m.ClaimedEpsilon(), must.For(m.Distortion(ctx))(t), must.For(m.Between(ctx, rat(1, 1), rat(3, 1)))(t))
			}
			if tell(have) != tell(want) {
				t.Errorf("%s: %s, want %s", name, tell(have), tell(want))
			}
		}
	}
	for name, of := range mechanisms {
		same(name, of, must.For(one.Median())(t), must.For(other.Median())(t))
		same(name, of, must.For(one.Median())(t), must.For(open.Maximum())(t))
	}
	for name, of := range modal {
		same(name, of, modeOf(t, []int{1, 4, 2}, records.Replace), modeOf(t, []int{3, 2, 3}, records.Replace))
	}
}

// Names and claims are those that papers give.
func TestNamesAndClaims(t *testing.T) {
	eps := must.For(evidence.LogEpsilon("eps", rat(3, 1)))(t)
	median := must.For(small(records.Replace).Median())(t)
	bounded := must.For(small(records.AddRemove).Total())(t) // layers are bounds
	mode := modeOf(t, []int{1, 2}, records.Replace)
	for _, c := range []struct {
		m            records.Law
		name, source string
		times        int64
	}{
		{must.For(records.NewPurest(median, eps))(t), "purest(decay=ln(3))", "Wu et al., Proposition 3: 2·decay", 2},
		{must.For(records.NewPurest(bounded, eps))(t), "layered by bounds(decay=ln(3))", "Wu et al., Proposition 3: 2·decay", 2},
		{must.For(records.NewPurest(mode, eps))(t), "purest(decay=ln(3))", "Wu et al., Proposition 3: 2·decay", 2},
		{must.For(records.NewDeltaNeighborhood(median, eps, rat(1, 3)))(t), "delta_neighborhood, radius 1/3(decay=ln(3))", "Wu et al., Proposition 3: 2·decay", 2},
		{must.For(records.NewDeltaNeighborhood(median, eps, nil))(t), "delta_neighborhood, radius inf(decay=ln(3))", "Wu et al., Proposition 3: 2·decay", 2},
		{must.For(records.NewDeltaNeighborhood(bounded, eps, rat(1, 2)))(t), "delta_neighborhood, radius 0.5, by bounds(decay=ln(3))", "Wu et al., Proposition 3: 2·decay", 2},
		{must.For(records.NewLadder(median, eps))(t), "ladder(eps=ln(3))", "Zhang et al. 2015, Algorithm 1", 1},
		{must.For(records.NewLaplace(median, eps))(t), "laplace(eps=ln(3))", "Dwork et al. 2006", 1},
		{must.For(records.NewLaplace(median, eps))(t).(*records.Added).OnLine(), "laplace(eps=ln(3)) on the line", "Dwork et al. 2006", 1},
		{must.For(records.NewStaircase(median, eps, nil))(t), "staircase(eps=ln(3))", "Geng and Viswanath 2016, Theorem 1", 1},
		{must.For(records.NewExponential(median, eps))(t), "exponential(eps=ln(3))", "McSherry and Talwar 2007", 1},
		{must.For(records.NewExponential(mode, eps))(t), "exponential(eps=ln(3))", "McSherry and Talwar 2007", 1},
		{must.For(records.NewPermuteAndFlip(mode, eps))(t), "permute_and_flip(eps=ln(3))", "McKenna and Sheldon 2020, Theorem 1", 1},
		{must.For(records.NewNoisyMax(mode, eps, "laplace"))(t), "noisy_max, laplace(eps=ln(3))", "Dwork and Roth 2014, Claim 3.9", 1},
		{must.For(records.NewNoisyMax(mode, eps, "exponential"))(t), "noisy_max, exponential(eps=ln(3))", "Ding et al. 2021: noisy max with exponential noise is permute-and-flip", 1},
		{must.For(records.NewNoisyMax(mode, eps, "gumbel"))(t), "noisy_max, gumbel(eps=ln(3))", "noisy max with Gumbel noise is the exponential mechanism (McSherry and Talwar 2007)", 1},
	} {
		claim, ok := c.m.ClaimedEpsilon().(evidence.Claimed)
		if c.m.Name() != c.name || !ok || claim.Source != c.source || claim.Epsilon.Text() != eps.Times(c.times).Text() {
			t.Errorf("%s claims %v by %s, want %s, %v by %s", c.m.Name(), claim.Epsilon.Text(), claim.Source, c.name, eps.Times(c.times).Text(), c.source)
		}
	}
	if l := must.For(records.NewLadder(median, eps))(t).(*records.Layered); l.Decay().Text() != eps.Ratio(1, 2).Text() {
		t.Errorf("Ladder's layers cost %v", l.Decay())
	}
	// The best γ of a staircase is 1/(1 + e^{ε/2}) itself: rational where e^{ε/2} is, and elsewhere between two rationals.
	for _, base := range []int64{2, 3, 10, 1000} {
		log := must.For(evidence.LogEpsilon("eps", rat(base*base, 1)))(t)
		decimal := must.For(evidence.NewEpsilon("eps", 2*math.Log(float64(base))))(t)
		for _, q := range []*records.Query{median, must.For(small(records.Replace).Total())(t), must.For(must.Be(records.New([]float64{1, 2, 4}, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Neighbors: records.Replace})).Median())(t)} {
			best := must.For(records.NewStaircase(q, log, rat(1, 1+base)))(t)
			for _, eps := range []evidence.Epsilon{log, decimal} {
				a := must.For(records.NewStaircase(q, eps, nil))(t)
				x, y := must.For(a.Distortion(ctx))(t), must.For(best.Distortion(ctx))(t)
				lo, hi := x.Bounds()
				least, most := y.Bounds()
				if gap := 4e-16 * most; eps == log && (lo > most || hi < least) || math.Abs(lo-least) > gap || math.Abs(hi-most) > gap {
					t.Errorf("ε = %v: an error of %v, and of %v with γ = 1/%d", eps, x, y, 1+base)
				}
			}
		}
	}
	for _, v := range []float64{1e-9, 800, 1e5} {
		e := must.For(evidence.NewEpsilon("eps", v))(t)
		if lo, hi := must.For(must.For(records.NewStaircase(median, e, nil))(t).Distortion(ctx))(t).Bounds(); !(lo >= 0 && hi < 11) {
			t.Errorf("ε = %g: an error from %g to %g", v, lo, hi)
		}
	}
}

// What queries answer as evidence, and what they say of themselves.
func TestAnswers(t *testing.T) {
	r := small(records.Replace)
	median := must.For(r.Median())(t)
	exact := func(n evidence.Number, err error, v *big.Rat, source string) {
		t.Helper()
		if x, ok := n.(evidence.Exact); err != nil || !ok || x.Value.Cmp(v) != 0 || x.Source != source {
			t.Errorf("%v by %v, %v, want %v by %s", n, x.Source, err, v, source)
		}
	}
	exact(median.Answer(), nil, rat(2, 1), "computed from the records")
	n, err := median.LocalSensitivity(0)
	exact(n, err, rat(2, 1), "the local sensitivity within 0 changes (docs/records.md)")
	n, err = median.LocalSensitivity(2)
	exact(n, err, rat(4, 1), "the local sensitivity within 2 changes (docs/records.md)")
	n, err = median.GlobalSensitivity()
	exact(n, err, rat(4, 1), "the largest change between neighbors")
	atMost := func(n evidence.Number, err error, lo, hi float64) {
		t.Helper()
		if c, ok := n.(evidence.Certified); err != nil || !ok || c.Lo != lo || c.Hi != hi || c.Float() != hi || c.Method != "an upper bound" {
			t.Errorf("%v, %v, want at least %g and at most %g", n, err, lo, hi)
		}
	}
	triangles := must.For(triangle(records.Node).Triangles(ctx))(t)
	n, err = triangles.LocalSensitivity(0) // the fourth node can be joined to all three
	exact(n, err, rat(3, 1), "the local sensitivity within 0 changes (docs/records.md)")
	n, err = must.For(must.For(records.NewGraph(6, [][2]int{{0, 1}, {1, 2}, {2, 0}}, records.Node))(t).Triangles(ctx))(t).LocalSensitivity(1)
	atMost(n, err, 3, 7)
	extended := must.For(records.Extend(ctx, triangles, 2, rat(3, 1)))(t)
	n, err = extended.LocalSensitivity(5)
	atMost(n, err, 0, 3)
	n, err = extended.GlobalSensitivity()
	atMost(n, err, 0, 3)
	own := ownTotal(t, records.Range{Lo: rat(0, 1), Hi: rat(12, 1)})
	mode := modeOf(t, []int{1, 2}, records.Replace)
	far := new(big.Int).SetInt64(math.MaxInt / 4)
	refused(t, errorOf(own.GlobalSensitivity()), own.Name()+" has no finite global sensitivity that is known")
	refused(t, errorOf(own.LocalSensitivity(1)), own.Name()+" has no local sensitivity that is known at a distance")
	refused(t, errorOf(median.LocalSensitivity(-1)), "t = -1, want 0…"+far.String())
	refused(t, errorOf(median.Local(math.MaxInt/4+1)), fmt.Sprintf("t = %d, want 0…%v", math.MaxInt/4+1, far))
	if v, err := median.Local(math.MaxInt / 4); err != nil || v.Cmp(rat(4, 1)) != 0 {
		t.Errorf("%v, %v at the furthest", v, err)
	}
	moves := func(q *records.Query, t int) error { _, _, err := q.Moves(t); return err }
	refused(t, moves(mode, 1), "the layers of mode of 3 records of 2 categories are no intervals around its value")
	refused(t, moves(median, -1), "t = -1, want 0…"+far.String())
	refused(t, moves(median, math.MaxInt/4+1), fmt.Sprintf("t = %d, want 0…%v", math.MaxInt/4+1, far))
	if up, down, err := median.Moves(math.MaxInt / 4); err != nil || up.Cmp(rat(2, 1)) != 0 || down.Cmp(rat(2, 1)) != 0 {
		t.Errorf("%v, %v, %v at the furthest", up, down, err)
	}
	if up, down, err := median.Moves(0); err != nil || up.Sign() != 0 || down.Sign() != 0 {
		t.Errorf("%v, %v, %v without a change", up, down, err)
	}
	for place, want := range map[int]string{-1: "", 0: "c0", 1: "c1", 2: ""} {
		if name, ok := mode.Category(place); name != want || ok != (want != "") {
			t.Errorf("place %d is %q, %t", place, name, ok)
		}
	}
	if _, ok := median.Category(0); ok {
		t.Error("a number is a category")
	}
	if k, err := mode.Place("c1"); k != 1 || err != nil {
		t.Errorf("c1 at %d, %v", k, err)
	}
	refused(t, errorOf(mode.Place("c2")), `r = "c2", want one of the categories`)
	refused(t, errorOf(median.Place("c1")), `r = "c1", want one of the categories`)
	if own.IsBare() || median.IsBare() || !ownMedian(nil).Bare(records.Replace).IsBare() {
		t.Error("bare queries are those at no dataset")
	}
	if median.StandsFor() != nil || median.Neighbors() != records.Replace || mode.Neighbors() != records.Replace || !strings.HasPrefix(median.Ground(), "order statistics") {
		t.Errorf("%v, %s, %s", median.StandsFor(), median.Neighbors(), median.Ground())
	}
	// Layers that are found of a law.
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	layer := func(m records.Law, r *big.Rat, want int, has bool) {
		t.Helper()
		if have, ok, err := records.FindLayer(m, r); have != want || ok != has || err != nil {
			t.Errorf("%s: %v in layer %d, %t, %v, want %d, %t", m.Name(), r, have, ok, err, want, has)
		}
	}
	layer(must.For(records.NewPurest(median, eps))(t), rat(4, 1), 1, true)
	layer(must.For(records.NewPurest(median, eps))(t), rat(0, 1), 2, true)
	layer(must.For(records.NewDeltaNeighborhood(median, eps, rat(1, 1)))(t), rat(0, 1), 1, true)
	layer(must.For(records.NewDeltaNeighborhood(median, eps, nil))(t), rat(0, 1), 0, true)
	layer(must.For(records.NewLadder(median, eps))(t), rat(4, 1), 1, true)
	layer(must.For(records.NewLaplace(median, eps))(t), rat(4, 1), 0, false)
	layer(must.For(records.NewPurest(mode, eps))(t), rat(0, 1), 1, true)
	layer(must.For(records.NewExponential(mode, eps))(t), rat(0, 1), 0, false)
	for _, m := range []records.Law{must.For(records.NewPurest(median, eps))(t), must.For(records.NewDeltaNeighborhood(median, eps, rat(1, 1)))(t)} {
		_, has, err := records.FindLayer(m, rat(1, 2))
		if refused(t, err, "r = 1/2, want a value of [0, 4] in steps of 1"); !has {
			t.Error("no layers")
		}
	}
	_, _, err = records.FindLayer(must.For(records.NewPurest(mode, eps))(t), rat(2, 1))
	refused(t, err, "r = 2, want a value of [0, 1] in steps of 1")
	if all := must.For(records.NewPurest(mode, eps))(t).(*records.Choice); !all.IsLayered() {
		t.Error("the purest of a mode has no layers")
	}
	never := must.For(must.For(records.NewOwn(records.Own{
		Value:    func(records.Dataset) (*big.Rat, error) { return rat(0, 1), nil },
		Distance: func(_ records.Dataset, r *big.Rat) (int, error) { return int(-r.Num().Int64()), nil },
	}))(t).OnRecords(r, records.Range{Lo: rat(0, 1), Hi: rat(1, 1), Step: rat(1, 1)}))(t)
	if l, err := never.Layer(rat(1, 1)); l != -1 || err != nil {
		t.Errorf("what is never reached is in layer %d, %v", l, err)
	}
}
