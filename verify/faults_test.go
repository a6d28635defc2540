package verify_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/mvg"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/signrp"
	"dpworkbench/verify"
	"dpworkbench/xor"
)

// wrong is a layered mechanism with one injected fault. Nil fields change nothing.
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

// misnamed is a table that reports the definition of another mechanism.
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

// Finite confirms correct mechanisms of every kind, and finds a change of one digit in a law, a layer, a claim or an ε.
func TestFiniteFindsFaults(t *testing.T) {
	ctx := t.Context()
	g := must.For(query.NewGraphs(ctx, 4))(t)
	q := must.For(g.Count("triangle"))(t)
	h := must.For(query.NewHistograms(ctx, 3, 3, query.Replace))(t)
	median := must.For(h.Median([]*big.Rat{big.NewRat(0, 1), big.NewRat(1, 1), big.NewRat(5, 1)}))(t)
	u := must.For(query.NewHistograms(ctx, 2, 3, query.AddRemove))(t)
	counting := must.For(u.Counting([]int{0}))(t)
	e := evidencetest.Epsilon(0.7)
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
	digit := evidencetest.Epsilon(0.70001)
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
		"claim":       wrong{Mechanism: p, claim: mechanism.Claim(evidencetest.Epsilon(1.40001), "planted")},
		"decay":       wrong{Mechanism: p, decay: digit},
		"ε":           wrong{Mechanism: p, pairs: must.For(layers.NewPurest(ctx, q, digit))(t).Pairs},
		"laplace's ε": misnamed{must.For(mechanism.NewLaplace(ctx, q, e))(t), mechanism.Definition{Name: "laplace", Eps: digit}},
		"other's law": misnamed{must.For(mechanism.NewLaplace(ctx, q, e))(t), mechanism.Definition{Name: "geometric", Eps: e}},
	} {
		r, err := verify.Finite(ctx, m)
		verdict(t, name, r, err, evidence.Refuted)
	}
}

// noise is XOR noise with an injected fault.
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
		"unchanged": {noise{Bernoulli: b}, evidence.Confirmed},
		"law":       {noise{Bernoulli: b, pi: func(rows [][]float64) { rows[2][5] += 1e-5 }}, evidence.Refuted},
		"privacy":   {noise{Bernoulli: b, pairs: near}, evidence.Refuted},
		"rate":      {noise{Bernoulli: b, rate: 1e-6}, evidence.Refuted},
	} {
		r, err := verify.XOR(ctx, c.noise)
		verdict(t, name, r, err, c.want)
	}
	r, err := verify.OptimalXOR(ctx, must.For(xor.NewOptimalNoise(ctx, 2, 2, evidencetest.Epsilon(1), xor.FlipRows(1)))(t))
	verdict(t, "optimal", r, err, evidence.Confirmed)
}

// design is an MVG design that reports the sensitivity set of another design.
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
		d := must.For(mvg.NewTight(ctx, c[0], mvg.Params{Epsilon: evidencetest.Epsilon(1), Delta: delta, Theta: []float64{0.8, 0.2}}))(t)
		r, at, err := verify.MVG(ctx, d)
		verdict(t, c[0].Describe(), r, err, evidence.Confirmed)
		if at == nil {
			t.Errorf("%s: no attaining difference", c[0].Describe())
		}
		r, _, err = verify.MVG(ctx, design{d, c[1]})
		verdict(t, c[1].Describe(), r, err, evidence.Refuted)
	}
}

// Account confirms correct compositions of everything that has a finite case, and finds a change of one digit in a
// part.
func TestAccountFindsFaults(t *testing.T) {
	ctx := t.Context()
	q := must.For(must.For(query.NewGraphs(ctx, 3))(t).Count("edge"))(t)
	h := must.For(must.For(query.NewHistograms(ctx, 2, 2, query.AddRemove))(t).Counting([]int{0}))(t)
	one, digit := evidencetest.Epsilon(1), evidencetest.Epsilon(1.00001)
	of := func(p privacy.Private) *privacy.Account { return must.For(privacy.Of(ctx, p))(t) }
	all := func(times []int, parts ...*privacy.Account) *privacy.Account {
		return must.For(privacy.Compose(ctx, parts, times))(t)
	}
	product := func(uses ...*verify.Case) *verify.Case { return must.For(verify.Product(uses))(t) }
	ladder := func(q *query.Query, e evidence.Epsilon) *mechanism.Layered {
		return must.For(mechanism.NewLadder(ctx, q, e))(t)
	}
	coin := func(e evidence.Epsilon) mechanism.Mechanism {
		return must.For(mechanism.NewRandomizedResponse(ctx, 3, e))(t)
	}
	bits := func(theta float64) *xor.Bernoulli { return must.For(xor.NewUniform(2, 2, theta, 0.1))(t) }
	row := func(b *xor.Bernoulli) *verify.Case { return must.For(verify.Noise(b, "row", 1))(t) }
	p, r := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 4), big.NewRat(1, 4), new(big.Rat)}, []*big.Rat{new(big.Rat), big.NewRat(1, 2), big.NewRat(1, 4), big.NewRat(1, 4)}
	two := privacy.New(privacy.PairAndReverse("two_laws", "given", must.For(privacy.NewRationalPair(p, r))(t)))
	laws := func(off float64) *verify.Case {
		return verify.TwoLaws([]float64{0.5 - off, 0.25 + off, 0.25, 0}, []float64{0, 0.5, 0.25, 0.25})
	}
	sample := func(a *privacy.Account, kind privacy.Sampling) *privacy.Account {
		return must.For(privacy.Subsample(ctx, a, big.NewRat(1, 4), kind))(t)
	}
	pure := must.For(privacy.ApproxDP(one, new(big.Rat)))(t)
	promise := must.For(privacy.ApproxDP(one, big.NewRat(1, 100)))(t)
	rows := privacy.New(must.For(bits(-1).PairsUnder(xor.FlipRows(1)))(t))
	log, off := evidencetest.Epsilon(2), evidencetest.Epsilon(2.00001)
	signs := func(e evidence.Epsilon) *signrp.Release {
		w := must.For(signrp.NewProjection(signrp.Gaussian, 2, 2, signrp.ProjectionOptions{Seed: 1}))(t)
		return must.For(signrp.NewSignRP(ctx, w, e, signrp.SignOptions{Noise: "rr", Beta: 0.5, Smoothing: true}))(t)
	}
	u, v := []float64{0.3, 0.1}, []float64{-0.2, 0.1}
	between := must.For(signs(log).PairsBetween(ctx, u, v))(t)
	patterns := make(map[evidence.Epsilon]*verify.Case)
	pattern := func(e evidence.Epsilon) *verify.Case {
		if patterns[e] == nil {
			patterns[e] = must.For(verify.Signs(signs(e), u, v))(t)
		}
		return patterns[e]
	}
	twice, same := laws(0), row(bits(-1))
	drawn := func(eps float64) *verify.Case { return verify.Known(eps, 0.01).Sample(0.25, privacy.Poisson) }
	for name, c := range map[string]struct {
		account      *privacy.Account
		right, wrong *verify.Case
	}{
		"the same universe":           {all([]int{2, 1}, of(ladder(q, one)), of(ladder(q, evidencetest.Epsilon(0.5)))), product(verify.Mechanism(ladder(q, one)), verify.Mechanism(ladder(q, one)), verify.Mechanism(ladder(q, evidencetest.Epsilon(0.5)))), product(verify.Mechanism(ladder(q, one)), verify.Mechanism(ladder(q, one)), verify.Mechanism(ladder(q, evidencetest.Epsilon(0.50001))))},
		"two universes":               {all([]int{1, 1}, of(ladder(q, one)), privacy.New(pure)), product(verify.Mechanism(ladder(q, one)), verify.Known(1, 0)), product(verify.Mechanism(ladder(q, digit)), verify.Known(1, 0))},
		"krr":                         {all([]int{3}, of(coin(one))), product(verify.Mechanism(coin(one)), verify.Mechanism(coin(one)), verify.Mechanism(coin(one))), product(verify.Mechanism(coin(one)), verify.Mechanism(coin(one)), verify.Mechanism(coin(digit)))},
		"XOR":                         {all([]int{2}, rows), product(same, same), product(same, row(bits(-1.00001)))},
		"signs":                       {all([]int{2}, privacy.New(between)), product(pattern(log), pattern(log)), product(pattern(log), pattern(off))},
		"two laws":                    {all([]int{2}, two), product(twice, twice), product(twice, laws(1e-6))},
		"known":                       {privacy.New(promise), verify.Known(1, 0.01), verify.Known(1, 0.01001)},
		"sampled records":             {sample(all([]int{2}, of(ladder(h, one))), privacy.Poisson), product(verify.Mechanism(ladder(h, one)), verify.Mechanism(ladder(h, one))).Sample(0.25, privacy.Poisson), product(verify.Mechanism(ladder(h, one)), verify.Mechanism(ladder(h, one))).Sample(0.25001, privacy.Poisson)},
		"sampled twice":               {all([]int{2}, sample(privacy.New(promise), privacy.Poisson)), product(drawn(1), drawn(1)), product(drawn(1), drawn(1.00001))},
		"sampled without replacement": {sample(privacy.New(promise), privacy.WithoutReplacement), verify.Known(1, 0.01).Sample(0.25, privacy.WithoutReplacement), verify.Known(1, 0.01).Sample(0.25001, privacy.WithoutReplacement)},
	} {
		report, err := verify.Account(ctx, c.account, c.right)
		verdict(t, name, report, err, evidence.Confirmed)
		report, err = verify.Account(ctx, c.account, c.wrong)
		verdict(t, name+", off", report, err, evidence.Refuted)
	}
	share := verify.Known(1, 0.01).Sample(0.25, privacy.WithoutReplacement)
	if _, err := verify.Product([]*verify.Case{share, share}); err == nil {
		t.Error("two samples without replacement are composed")
	}
}

// line is discrete noise with injected faults.
type line struct {
	continuous.Mechanism
	eps   evidence.Epsilon
	sigma float64
	layer int
}

func (l line) Epsilon() evidence.Epsilon { return l.eps }
func (l line) Sigma() evidence.Number    { return evidence.Claimed{Value: l.sigma} }
func (l line) Layers(ctx context.Context, upTo int) ([]continuous.Set, error) {
	sets, err := l.Mechanism.Layers(ctx, upTo+l.layer)
	return sets[l.layer:], err
}

func TestLineFindsFaults(t *testing.T) {
	ctx := t.Context()
	rat := func(s string) *big.Rat { q, _ := new(big.Rat).SetString(s); return q }
	q := must.For(continuous.NewLinear([][2]*big.Rat{{rat("1/2"), rat("1/2")}, {rat("3/2"), rat("3/2")}}))(t)
	eps, digit := evidencetest.Epsilon(1), evidencetest.Epsilon(1.00001)
	g, d := must.For(continuous.NewGeometric(q, eps))(t), must.For(continuous.NewDiscreteGaussian(q, rat("2")))(t)
	for name, c := range map[string]struct {
		m    continuous.Mechanism
		want evidence.Verdict
	}{
		"geometric": {g, evidence.Confirmed}, "discrete Gaussian": {d, evidence.Confirmed},
		"ε": {line{Mechanism: g, eps: digit}, evidence.Refuted}, "layer": {line{Mechanism: g, eps: eps, layer: 1}, evidence.Refuted}, "sigma": {line{Mechanism: d, sigma: 2.00001}, evidence.Refuted},
	} {
		r, err := verify.Line(ctx, c.m, q)
		verdict(t, name, r, err, c.want)
	}
	twice := must.For(privacy.Compose(ctx, []*privacy.Account{must.For(privacy.Of(ctx, g))(t)}, []int{2}))(t)
	use := must.For(verify.OnLattice(g, q))(t)
	r, err := verify.Account(ctx, twice, must.For(verify.Product([]*verify.Case{use, use}))(t))
	verdict(t, "composition", r, err, evidence.Confirmed)
	if _, err := verify.Line(ctx, must.For(continuous.NewLaplace(q, eps))(t), q); err == nil {
		t.Error("Laplace noise is not rejected")
	}
}
