package certificate_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

func TestEpsilonAtDelta(t *testing.T) { checkAll(t, epsilonsAtDelta) }

// epsilonsAtDelta adds certificates for the smallest ε at some δ.
func epsilonsAtDelta(j *checkerCases) {
	t := j.t
	s := generator{t, rand.New(rand.NewPCG(26, 11))}
	ctx := context.Background()
	var last *document
	for range j.rounds(6) {
		q, eps := s.query(), s.anyEps()
		for _, m := range s.mechanisms(q, eps) {
			p := mechanism.Privacy(m)
			for _, delta := range []float64{1e-9, 0.01, 0.125, 0.6} {
				n, err := p.Epsilon(ctx, evidencetest.Delta(delta))
				f := j.number(n, err)
				if lo, hi := n.Bounds(); lo > 1e-6 && hi < 100 {
					last = f
					j.add(f.proving("witness", nil), "no witness")
					j.add(f.saying("delta", exact(delta*0.99)), "a smaller δ")
				}
			}
		}
	}
	j.add(last.saying("delta", "1"), "δ = 1")
	j.add(last.saying("delta", "0"), "δ = 0")
	j.add(last.proving("witness", object{"x": 0, "y": 0}), "a witness of no neighbors")
	j.add(last.with(object{"lo": "inf", "hi": "inf"}), "an infinite ε")
}

func TestComposition(t *testing.T) { checkAll(t, compositions) }

// compositions adds certificates for the privacy of many uses.
func compositions(j *checkerCases) {
	t := j.t
	s := generator{t, rand.New(rand.NewPCG(26, 12))}
	ctx := context.Background()
	use := func(n evidence.Number, err error) { // some numbers have no certificate
		t.Helper()
		s.fail(err)
		if _, err := certificate.Of(ctx, n); err != nil {
			t.Logf("no certificate: %v", err)
			return
		}
		f := j.number(n, nil)
		if lo, _ := n.Bounds(); lo > 0 {
			j.add(f.proving("witness", nil), "no witness")
		}
	}
	all := func(parts []*privacy.Account, times []int, delta float64) {
		t.Helper()
		c, err := privacy.Compose(ctx, parts, times)
		s.fail(err)
		for _, eps := range []evidence.Epsilon{{}, s.ln(2, 1), s.eps(0.7)} {
			use(c.Delta(ctx, eps))
		}
		use(c.Epsilon(ctx, evidence.Delta{}))
		use(c.Epsilon(ctx, evidencetest.Delta(delta)))
	}
	of := func(m mechanism.Mechanism) *privacy.Account { return privacy.New(mechanism.Pairs(m)) }
	for range j.rounds(3) {
		q, eps := s.query(), s.anyEps()
		m := s.mechanisms(q, eps)
		for i, one := range m {
			if cases.Every(2, i) {
				all([]*privacy.Account{of(one)}, []int{2}, 0.01)
			}
		}
		all([]*privacy.Account{of(m[0]), of(m[1])}, []int{7, 4}, 1e-4)
		all([]*privacy.Account{of(m[2]), of(m[0])}, []int{3, 11}, 0.3)
		all([]*privacy.Account{of(m[4]), of(s.table(q))}, []int{2, 1}, 0.3)
	}
	q := triangles(t, 4)
	m := s.mechanisms(q, s.eps(0.1))
	c, err := privacy.Compose(ctx, []*privacy.Account{of(m[0])}, []int{300})
	s.fail(err)
	n, err := c.Delta(ctx, s.eps(6))
	f := j.number(n, err)
	orders := f.proof["orders"].(list)
	if len(orders) == 0 {
		t.Error("no pair is bounded by a moment")
	}
	j.add(f.proving("orders", append(list{list{0, 0, "1"}}, orders...)), "an order of no neighbors")
	j.add(f.proving("orders", append(append(list{}, orders...), orders[0])), "an order twice")
	part := f.statement["parts"].(list)[0].(object)
	j.add(f.saying("parts", list{object{"mechanism": part["mechanism"], "times": 301}}), "a use more")
	j.add(f.saying("parts", list{object{"mechanism": part["mechanism"], "times": 299}}), "a use less")
	j.add(f.saying("parts", list{}), "no uses")
	j.add(f.saying("eps", object{"rational": "61/10"}), "another ε")
	j.add(f.saying("delta", "1/2"), "ε and δ")
	j.add(f.proving("orders", nil), "") // valid without orders, only slower to check
}

func TestTradeoff(t *testing.T) { checkAll(t, tradeoffs) }

// tradeoffs adds certificates for corners of trade-off functions.
func tradeoffs(j *checkerCases) {
	t := j.t
	s := generator{t, rand.New(rand.NewPCG(26, 16))}
	corners := func(m mechanism.Mechanism) {
		t.Helper()
		of, err := privacy.New(mechanism.Pairs(m)).Tradeoff(context.Background())
		s.fail(err)
		if !of.Exact {
			t.Fatalf("%s: no exact corners", m.Name())
		}
		for _, c := range of.Corners {
			f := j.accepted(c.Beta, nil)
			beta := c.Beta.(evidence.Exact).Value
			up, down := new(big.Rat).Add(beta, big.NewRat(1, 1<<40)), new(big.Rat).Sub(beta, big.NewRat(1, 1<<40))
			j.add(f.with(object{"equal": up.RatString()}), "β above")
			j.add(f.with(object{"equal": down.RatString()}), "β below")
			if beta.Sign() > 0 && c.Alpha.Float() > 0 { // at 0, steeper lines are also valid
				j.add(f.proving("slope", "100000"), "a steep line")
			}
		}
	}
	for range j.rounds(12) {
		q := s.query()
		corners(s.table(q))
		corners(s.mechanisms(q, s.ln(9, 1))[s.rng.IntN(2)])
	}
	corners(s.mechanisms(triangles(t, 4), s.ln(4, 1))[0])
}
