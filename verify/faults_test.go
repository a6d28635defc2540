package verify_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/mvg"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/verify"
	"dpworkbench/xor"
)

func epsilon(t *testing.T, v float64) evidence.Epsilon {
	return must.For(evidence.NewEpsilon("eps", v))(t)
}

// wrong is a layered mechanism with one planted fault; Nil fields leave it as it is.
type wrong struct {
	*layers.Mechanism
	layer func(x, r, layer int) int
	log   func(x, r int, p float64) float64
	claim evidence.Number
	pairs func(ctx context.Context) (*privacy.DominatingPairs, error)
	decay evidence.Epsilon
}

func (w wrong) Layer(x, r int) int {
	if w.layer != nil {
		return w.layer(x, r, w.Mechanism.Layer(x, r))
	}
	return w.Mechanism.Layer(x, r)
}

func (w wrong) LogProb(x, r int) float64 {
	if w.log != nil {
		return w.log(x, r, w.Mechanism.LogProb(x, r))
	}
	return w.Mechanism.LogProb(x, r)
}

func (w wrong) Rational(x, r int) (*big.Rat, bool) { return nil, false }

func (w wrong) Enclose(x, r int) interval.Interval {
	if w.log != nil {
		return interval.Float(w.LogProb(x, r)).Exp()
	}
	return w.Mechanism.Enclose(x, r)
}

func (w wrong) ClaimedEpsilon() evidence.Number {
	if w.claim != nil {
		return w.claim
	}
	return w.Mechanism.ClaimedEpsilon()
}

func (w wrong) Decay() evidence.Epsilon {
	if !w.decay.IsZero() {
		return w.decay
	}
	return w.Mechanism.Decay()
}

func (w wrong) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) {
	if w.pairs != nil {
		return w.pairs(ctx)
	}
	return w.Mechanism.Pairs(ctx)
}

// misnamed is a table that says to be of another definition.
type misnamed struct {
	*mechanism.Table
	of mechanism.Definition
}

func (m misnamed) Definition() mechanism.Definition { return m.of }

func verdict(t *testing.T, name string, r *verify.Report, err error, want evidence.Verdict) {
	t.Helper()
	if err != nil || r.Verdict() != want || r.Cases() == 0 || (r.Witness("m") != "") != (want == evidence.Refuted) {
		t.Errorf("%s: %v, error %v, want %s", name, r, err, want)
		if err == nil {
			t.Logf("%d cases, %s", r.Cases(), r.Witness("m"))
		}
	}
}

// Right mechanisms of every kind are confirmed; one digit off in a law, a layer, a claim or an ε is found.
func TestFiniteFindsFaults(t *testing.T) {
	ctx := t.Context()
	g := must.For(query.NewGraphs(ctx, 4))(t)
	q := must.For(g.Count("triangle"))(t)
	h := must.For(query.NewHistograms(ctx, 3, 3, query.Replace))(t)
	median := must.For(h.Median([]*big.Rat{big.NewRat(0, 1), big.NewRat(1, 1), big.NewRat(5, 1)}))(t)
	u := must.For(query.NewHistograms(ctx, 2, 3, query.AddRemove))(t)
	counting := must.For(u.Counting([]int{0}))(t)
	e := epsilon(t, 0.7)
	for _, q := range []*query.Query{q, median, counting} {
		r, err := verify.Query(ctx, q)
		verdict(t, q.Name(), r, err, evidence.Confirmed)
		for _, m := range []mechanism.Mechanism{
			must.For(layers.NewPurest(ctx, q, e))(t),
			must.For(mechanism.NewLadder(ctx, q, e))(t),
			must.For(mechanism.NewLaplace(ctx, q, e))(t),
			must.For(mechanism.NewGeometric(ctx, q, e))(t),
			must.For(mechanism.NewExponential(ctx, q, e))(t),
			must.For(optimize.NewOptimal(ctx, q, e, optimize.Options{}))(t),
		} {
			r, err := verify.Finite(ctx, m)
			verdict(t, m.Name(), r, err, evidence.Confirmed)
		}
	}
	p := must.For(layers.NewPurest(ctx, q, e))(t)
	digit := epsilon(t, 0.70001)
	for name, m := range map[string]mechanism.Mechanism{
		"layer": wrong{Mechanism: p, layer: func(x, r, layer int) int {
			if x == 3 && r == 2 {
				layer++
			}
			return layer
		}},
		"law": wrong{Mechanism: p, log: func(x, r int, p float64) float64 {
			if x == 3 && r == 2 {
				p += 1e-6
			}
			return p
		}},
		"claim":       wrong{Mechanism: p, claim: mechanism.Claim(epsilon(t, 1.40001), "planted")},
		"decay":       wrong{Mechanism: p, decay: digit},
		"ε":           wrong{Mechanism: p, pairs: must.For(layers.NewPurest(ctx, q, digit))(t).Pairs},
		"laplace's ε": misnamed{must.For(mechanism.NewLaplace(ctx, q, e))(t), mechanism.Definition{Name: "laplace", Eps: digit}},
		"other's law": misnamed{must.For(mechanism.NewLaplace(ctx, q, e))(t), mechanism.Definition{Name: "geometric", Eps: e}},
	} {
		r, err := verify.Finite(ctx, m)
		verdict(t, name, r, err, evidence.Refuted)
	}
}

// noise is XOR noise with a planted fault.
type noise struct {
	*xor.Bernoulli
	pi    func(rows [][]float64)
	pairs *xor.Bernoulli
	rate  float64
}

func (n noise) Pi() ([][]float64, error) {
	rows, err := n.Bernoulli.Pi()
	if n.pi != nil {
		n.pi(rows)
	}
	return rows, err
}

func (n noise) PairsUnder(nb xor.Neighbors) (*privacy.DominatingPairs, error) {
	if n.pairs != nil {
		return n.pairs.PairsUnder(nb)
	}
	return n.Bernoulli.PairsUnder(nb)
}

func (n noise) ErrorRate(ctx context.Context, ones int, c xor.Variant) (evidence.Certified, error) {
	e, err := n.Bernoulli.ErrorRate(ctx, ones, c)
	e.Lo, e.Hi = e.Lo*(1+n.rate), e.Hi*(1+n.rate)
	return e, err
}

func TestXORFindsFaults(t *testing.T) {
	ctx := t.Context()
	b := must.For(xor.NewUniform(3, 3, -1, 0.1))(t)
	near := must.For(xor.NewUniform(3, 3, -1, 0.10001))(t)
	for name, c := range map[string]struct {
		noise noise
		want  evidence.Verdict
	}{
		"as it is": {noise{Bernoulli: b}, evidence.Confirmed},
		"law":      {noise{Bernoulli: b, pi: func(rows [][]float64) { rows[2][5] += 1e-5 }}, evidence.Refuted},
		"privacy":  {noise{Bernoulli: b, pairs: near}, evidence.Refuted},
		"rate":     {noise{Bernoulli: b, rate: 1e-6}, evidence.Refuted},
	} {
		r, err := verify.XOR(ctx, c.noise)
		verdict(t, name, r, err, c.want)
	}
	r, err := verify.OptimalXOR(ctx, must.For(xor.NewOptimalNoise(ctx, 2, 2, epsilon(t, 1), xor.FlipRows(1)))(t))
	verdict(t, "optimal", r, err, evidence.Confirmed)
}

// design is an MVG design with another's sensitivity set.
type design struct {
	*mvg.Design
	set mvg.Sensitivity
}

func (d design) Sensitivity() mvg.Sensitivity { return d.set }

func TestMVGFindsFaults(t *testing.T) {
	ctx := t.Context()
	delta := must.For(evidence.NewDelta("delta", 1e-5))(t)
	for _, c := range [][2]mvg.Sensitivity{
		{must.For(mvg.NewBall(2, 3, mvg.BallOptions{S2: 1, Gamma: 2}))(t), must.For(mvg.NewBall(2, 3, mvg.BallOptions{S2: 1.00001, Gamma: 2}))(t)},
		{must.For(mvg.NewBox(3, []float64{1, 10}))(t), must.For(mvg.NewBox(3, []float64{1, 10.0001}))(t)},
		{must.For(mvg.NewGram(2, 1, query.AddRemove, 1))(t), must.For(mvg.NewGram(2, 1.0001, query.AddRemove, 1))(t)},
	} {
		d := must.For(mvg.NewTight(ctx, c[0], mvg.Recipe{Epsilon: epsilon(t, 1), Delta: delta, Theta: []float64{0.8, 0.2}}))(t)
		r, at, err := verify.MVG(ctx, d)
		verdict(t, c[0].Describe(), r, err, evidence.Confirmed)
		if at == nil {
			t.Errorf("%s: no attaining difference", c[0].Describe())
		}
		r, _, err = verify.MVG(ctx, design{d, c[1]})
		verdict(t, c[1].Describe(), r, err, evidence.Refuted)
	}
}

func TestCompositionFindsFaults(t *testing.T) {
	ctx := t.Context()
	q := must.For(must.For(query.NewGraphs(ctx, 3))(t).Count("edge"))(t)
	a, b := must.For(mechanism.NewLadder(ctx, q, epsilon(t, 1)))(t), must.For(layers.NewPurest(ctx, q, epsilon(t, 0.5)))(t)
	off := must.For(layers.NewPurest(ctx, q, epsilon(t, 0.50001)))(t)
	all := must.For(privacy.Compose(ctx, []*privacy.Account{must.For(privacy.Of(ctx, a))(t), must.For(privacy.Of(ctx, b))(t)}, []int{2, 1}))(t)
	r, err := verify.Composition(ctx, all, []mechanism.Mechanism{a, a, b})
	verdict(t, "composition", r, err, evidence.Confirmed)
	r, err = verify.Composition(ctx, all, []mechanism.Mechanism{a, a, off})
	verdict(t, "another part", r, err, evidence.Refuted)
}
