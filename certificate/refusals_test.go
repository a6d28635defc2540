package certificate_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/xor"
)

// novel is an unknown statement.
type novel struct{}

func (novel) Says() string { return "something new" }

// refused fails unless err says that there is no certificate, and gives the reason why.
func refused(t *testing.T, err error, why string) {
	t.Helper()
	if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), why) {
		t.Errorf("%v, want an error that says %q", err, why)
	}
}

// The error for a number without a certificate gives the reason.
func TestRefusals(t *testing.T) {
	s, ctx := newSmallCase(t), context.Background()
	two, exact := s.ln(2, 1), evidence.Exact{Value: big.NewRat(1, 2), Provenance: evidence.From("a test")}
	of := func(s evidence.Statement) error {
		_, err := certificate.Of(ctx, evidence.WithStatement(exact, s))
		return err
	}
	about := func(x any) error { _, err := certificate.About(ctx, x); return err }
	refused(t, of(novel{}), "something new is not supported")
	_, err := certificate.Coq(ctx, evidence.WithStatement(exact, evidence.Statement(novel{})))
	refused(t, err, "something new has no Coq file")
	refused(t, about(3), "no certificate of a int")
	_, err = certificate.Refutation(ctx, "some.claim", "it says", "1 < 0", []certificate.Fact{{"f()", evidence.WithStatement(exact, evidence.Statement(novel{}))}})
	refused(t, err, "something new is not supported")

	// A table with enclosed probabilities.
	enclosed := s.enclosed()
	for _, st := range []evidence.Statement{
		&mechanism.EpsilonStatement{Of: enclosed}, &mechanism.DeltaStatement{Of: enclosed, At: two}, &mechanism.EpsilonAtStatement{Of: enclosed, Delta: evidencetest.Delta(0.1)},
		&mechanism.DistortionStatement{Of: enclosed}, &privacy.CornerStatement{Of: enclosed, Alpha: big.NewRat(1, 2), Slope: big.NewRat(1, 1)},
	} {
		refused(t, of(st), "enclosed has no certificate")
	}
	for _, pair := range [][2]mechanism.Mechanism{{enclosed, s.rational()}, {s.rational(), enclosed}} {
		c, err := mechanism.Compare(ctx, pair[0], pair[1])
		s.fail(err)
		refused(t, about(c), "enclosed has no certificate")
	}
	c, err := privacy.Compose(ctx, []*privacy.Account{privacy.New(mechanism.Pairs(enclosed))}, []int{2})
	s.fail(err)
	n, err := c.Delta(ctx, two)
	s.fail(err)
	_, err = certificate.Of(ctx, n)
	refused(t, err, "enclosed has no certificate")

	// Trade-off corners and composed uses need mechanisms on a finite query, and corners need rational probabilities.
	refused(t, of(&privacy.CornerStatement{Of: "a stone", Alpha: big.NewRat(1, 2), Slope: big.NewRat(1, 1)}), "it does not describe a mechanism on a finite query")
	refused(t, of(&privacy.CornerStatement{Of: s.purest(s.eps(1)), Alpha: big.NewRat(1, 2), Slope: big.NewRat(1, 1)}), "its probabilities are not rational")
	refused(t, certify(&privacy.CornerStatement{Of: s.rational(), Alpha: big.NewRat(1, 2), Slope: big.NewRat(1, 1)}), "its probabilities are not rational")
	law, err := mechanism.Pairs(s.rational()).Pair(ctx, 0)
	s.fail(err)
	stone := privacy.PairAndReverse("a stone", "a test", law)
	stone.Mechanism = "a stone"
	c, err = privacy.Compose(ctx, []*privacy.Account{privacy.New(stone)}, []int{2})
	s.fail(err)
	n, err = c.Delta(ctx, two)
	s.fail(err)
	_, err = certificate.Of(ctx, n)
	refused(t, err, "a stone is not a mechanism on a finite query")

	pareto, err := optimize.NewOptimal(ctx, s.q, s.ln(4, 1), optimize.Options{Objective: optimize.Pareto, Than: s.purest(two)})
	s.fail(err)
	refused(t, of(pareto), `objective "pareto" is not supported`)
	g, err := query.NewGraphs(ctx, 7)
	s.fail(err)
	if err := about(g); err != nil {
		t.Errorf("graphs on 7 nodes: %v", err)
	}
	g, err = query.NewGraphs(ctx, 8)
	s.fail(err)
	refused(t, about(g), "no certificate of graphs on 8 nodes")
}

// blocks returns a law on independent parts with the given numbers of bits.
func blocks(sizes ...int) *xor.Bernoulli {
	total := 0
	for _, n := range sizes {
		total += n
	}
	theta := make([][]float64, total)
	for i := range theta {
		theta[i] = make([]float64, total)
	}
	at := 0
	for _, n := range sizes {
		for i := range n - 1 { // connected as a chain
			theta[at+i][at+i+1], theta[at+i+1][at+i] = 0.5, 0.5
		}
		at += n
	}
	return must.Be(xor.NewBernoulli(theta, nil, 1))
}

// columns returns a law on p columns of n objects.
func columns(n, p int, lambda float64) *xor.Bernoulli {
	return must.Be(xor.NewUniform(n, p, -1, lambda))
}

// certify requests a certificate that a number between 1 and 2 answers s, and returns the error.
func certify(s evidence.Statement) error {
	_, err := certificate.Of(context.Background(), evidence.WithStatement(evidence.Certified{Lo: 1, Hi: 2}, s))
	return err
}

// A law on bits has a certificate if a checker can visit its states. There are limits on the counts of a column, on
// each independent part, and on all parts together.
func TestStateLimits(t *testing.T) {
	for _, c := range []struct {
		of  *xor.Bernoulli
		why string
	}{
		{columns(1<<16, 2, 0.001), ""},
		{columns(1<<16+1, 2, 0.001), "columns of 65537 objects"},
		{columns(1<<16+1, 2, 0), ""}, // independent bits
		{blocks(16), ""},
		{blocks(17), "an independent part of 17 bits"},
		{blocks(1, 17), "an independent part of 17 bits"},
		{blocks(16, 16, 16, 16), ""},
		{blocks(16, 16, 16, 15, 15), ""},
		{blocks(16, 16, 16, 16, 1), "more than 262144 states"},
	} {
		for _, st := range []evidence.Statement{&xor.NormalizerStatement{Of: c.of}, &xor.FlipsStatement{Of: c.of, Per: big.NewInt(1)}} {
			if err := certify(st); c.why != "" {
				refused(t, err, c.why)
			} else if err != nil {
				t.Errorf("%v, for parts of %d bits", err, c.of.Parts())
			}
		}
	}
}

// A smallest ε has a certificate if the checker adds at most 2^24 numbers. The limit also holds where the count
// overflows an integer.
func TestWorkLimits(t *testing.T) {
	rows := func(n, p int) *xor.Bernoulli { // distinct bits, independent unless p is 1
		theta, lambda := make([][]float64, p), map[xor.Pair][][]float64{}
		for i := range theta {
			theta[i] = make([]float64, p)
			theta[i][i] = float64(i + 1)
		}
		if p == 1 {
			lambda[xor.Pair{I: 0, J: 1}] = [][]float64{{0.5}}
		}
		return must.Be(xor.NewBernoulli(theta, lambda, n))
	}
	long := blocks(100)
	for _, length := range []int{61, 62, 63, 70, 100} {
		pattern := must.For(xor.NewBits(1, 100))(t)
		for i := range length {
			pattern.Set(0, i, true)
		}
		err := certify(&xor.LossStatement{Of: long, Neighbors: xor.FlipPatterns(pattern)})
		refused(t, err, "a checker would add")
		var numbers float64
		if _, after, _ := strings.Cut(err.Error(), "would add "); must.For(fmt.Sscan(after, &numbers))(t) != 1 || !(numbers >= 0x1p62 && numbers <= 0x1p70) {
			t.Errorf("a pattern of %d bits: %v, want 2^62 numbers or more", length, err)
		}
	}
	for _, c := range []struct {
		of      *xor.Bernoulli
		nb      xor.Neighbors
		allowed bool
	}{
		{columns(1<<22, 2, 0.001), xor.FlipBits(1 << 21), true},
		{columns(1<<22, 2, 0.001), xor.FlipBits(1<<21 + 1), false},
		{columns(1<<24, 2, 0.001), xor.FlipRows(1 << 24), true},
		{columns(1<<25, 2, 0.001), xor.FlipRows(1<<24 + 1), false},
		{rows(2, 7), xor.FlipRows(2), true},   // 3^14 − 1 differences in independent bits
		{rows(2, 8), xor.FlipRows(2), false},  // 3^16 − 1 differences
		{rows(1, 17), xor.FlipRows(2), false}, // 17 bits are too many to list
		{rows(17, 1), xor.FlipRows(2), false},
		{rows(5, 4), xor.FlipRows(2), false},
		{columns(5, 5, 0.001), xor.FlipEdges(2), false},
	} {
		err := certify(&xor.LossStatement{Of: c.of, Neighbors: c.nb})
		if c.allowed && err != nil {
			t.Errorf("%v: %v", fmt.Sprint(c.of.Shape()), err)
		} else if !c.allowed {
			refused(t, err, "a checker would add")
		}
	}
}
