package certificate

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/mechanism"
	"dpworkbench/mvg"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/signrp"
	"dpworkbench/xor"

	"gonum.org/v1/gonum/mat"
)

// novel is a statement that nothing proves.
type novel struct{}

func (novel) Says() string { return "something new" }

// refuses fails unless an error says that there is no certificate, and why.
func refuses(t *testing.T, err error, why string) {
	t.Helper()
	if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), why) {
		t.Errorf("%v, want an error that says %q", err, why)
	}
}

// What has no certificate is refused by an error that says why, whatever asks for it.
func TestRefusals(t *testing.T) {
	s, ctx := few(t), context.Background()
	two, exact := s.ln(2, 1), evidence.Exact{Value: big.NewRat(1, 2), Provenance: evidence.From("a test")}
	of := func(s evidence.Statement) error {
		_, err := Of(ctx, evidence.WithStatement(exact, s))
		return err
	}
	about := func(x any) error { _, err := About(ctx, x); return err }
	refuses(t, of(novel{}), "something new has none yet")
	_, err := Coq(ctx, evidence.WithStatement(exact, evidence.Statement(novel{})))
	refuses(t, err, "something new has no Coq file")
	refuses(t, about(3), "no certificate of a int")
	_, err = Refutation(ctx, "some.claim", "it says", "1 < 0", []Fact{{"f()", evidence.WithStatement(exact, evidence.Statement(novel{}))}})
	refuses(t, err, "something new has none yet")

	// A law that is enclosed, and that no rule makes.
	enclosed := s.enclosed()
	for _, st := range []evidence.Statement{
		&mechanism.EpsilonStatement{Of: enclosed}, &mechanism.DeltaStatement{Of: enclosed, At: two}, &mechanism.EpsilonAtStatement{Of: enclosed, Delta: evidencetest.Delta(0.1)},
		&mechanism.DistortionStatement{Of: enclosed}, &privacy.CornerStatement{Of: enclosed, Alpha: big.NewRat(1, 2), Slope: big.NewRat(1, 1)},
	} {
		refuses(t, of(st), "enclosed has no certificate")
	}
	for _, pair := range [][2]mechanism.Mechanism{{enclosed, s.rational()}, {s.rational(), enclosed}} {
		c, err := mechanism.Compare(ctx, pair[0], pair[1])
		s.fail(err)
		refuses(t, about(c), "enclosed has no certificate")
	}
	c, err := privacy.Compose(ctx, []*privacy.Account{privacy.New(mechanism.Pairs(enclosed))}, []int{2})
	s.fail(err)
	n, err := c.Delta(ctx, two)
	s.fail(err)
	_, err = Of(ctx, n)
	refuses(t, err, "enclosed has no certificate")

	// Corners and uses of what is no mechanism on a finite query, and corners that are not rational.
	refuses(t, of(&privacy.CornerStatement{Of: "a stone", Alpha: big.NewRat(1, 2), Slope: big.NewRat(1, 1)}), "no mechanism on a finite query")
	refuses(t, of(&privacy.CornerStatement{Of: s.purest(s.eps(1)), Alpha: big.NewRat(1, 2), Slope: big.NewRat(1, 1)}), "the law is not rational")
	_, err = Of(ctx, evidence.WithStatement(evidence.Certified{Lo: 0.25, Hi: 0.5}, evidence.Statement(&privacy.CornerStatement{Of: s.rational(), Alpha: big.NewRat(1, 2), Slope: big.NewRat(1, 1)})))
	refuses(t, err, "the law is not rational")
	law, err := mechanism.Pairs(s.rational()).Pair(ctx, 0)
	s.fail(err)
	stone := privacy.PairAndReverse("a stone", "a test", law)
	stone.Mechanism = "a stone"
	c, err = privacy.Compose(ctx, []*privacy.Account{privacy.New(stone)}, []int{2})
	s.fail(err)
	n, err = c.Delta(ctx, two)
	s.fail(err)
	_, err = Of(ctx, n)
	refuses(t, err, "a stone is not a mechanism on a finite query")

	pareto, err := optimize.NewOptimal(ctx, s.q, s.ln(4, 1), optimize.Options{Objective: optimize.Pareto, Than: s.purest(two)})
	s.fail(err)
	refuses(t, of(pareto), `objective "pareto" has none yet`)
	g, err := query.NewGraphs(ctx, mostNodes)
	s.fail(err)
	if err := about(g); err != nil {
		t.Errorf("graphs on %d nodes: %v", mostNodes, err)
	}
	g, err = query.NewGraphs(ctx, mostNodes+1)
	s.fail(err)
	refuses(t, about(g), "no certificate of graphs on 8 nodes")
}

// An end of a least ε is taken as it is, and no ε where nothing is looked for there: 0, and infinity.
func TestEpsilonOfAnEnd(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, -1: 0, math.Inf(1): 0, math.Inf(-1): 0, 0.25: 0.25, math.SmallestNonzeroFloat64: math.SmallestNonzeroFloat64, math.MaxFloat64: math.MaxFloat64} {
		if e := epsilonOf(v); e.Value() != want {
			t.Errorf("%g: %v, want %g", v, e, want)
		}
	}
}

// Uses are listed up to each limit and refused beyond it: so many uses, so many rungs, so many multisets of outcomes.
func TestUsesThatAreListed(t *testing.T) {
	s := few(t)
	space, err := query.NewPathSpace(2, [][2]int{{0, 1}})
	s.fail(err)
	s.q, err = query.NewNumeric("f", space, []float64{0, 1}, nil)
	s.fail(err)
	flat := s.of([][]*big.Rat{parts(1, 2), parts(2, 1)})
	purest := s.purest(s.ln(2, 1)) // its losses are −ln 2 and ln 2: n uses take 2n + 1 rungs
	s.q, err = query.NewNumeric("f", space, []float64{1, 1}, []float64{0, 1})
	s.fail(err)
	blind := s.purest(s.ln(2, 1)) // all losses are 0
	for _, c := range []struct {
		what  string
		of    []mechanism.Mechanism
		times []int
		why   string
	}{
		{"65536 uses", []mechanism.Mechanism{blind}, []int{1 << 16}, ""},
		{"65536 uses of two", []mechanism.Mechanism{blind, blind}, []int{1, 1<<16 - 1}, ""},
		{"65537 uses", []mechanism.Mechanism{blind}, []int{1<<16 + 1}, "more than 65536 uses"},
		{"65537 uses of two", []mechanism.Mechanism{blind, blind}, []int{1 << 16, 1}, "more than 65536 uses"},
		{"8191 rungs", []mechanism.Mechanism{purest}, []int{4095}, ""},
		{"8193 rungs", []mechanism.Mechanism{purest}, []int{4096}, "on 8193 rungs"},
		{"2047 multisets", []mechanism.Mechanism{flat}, []int{2046}, ""}, // of two outcomes, of which n uses give n + 1
		{"2049 multisets", []mechanism.Mechanism{flat}, []int{2048}, "2.05e+03 sums"},
		{"enclosed", []mechanism.Mechanism{few(t).enclosed()}, []int{1}, "its law is not rational"},
	} {
		switch err := listable(c.of, c.times); {
		case c.why != "":
			refuses(t, err, c.why)
		case err != nil:
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// Designs are written up to each limit and refused beyond it: so large a covariance on either side, so many products.
func TestDesignsThatAreWritten(t *testing.T) {
	s, ctx := some{t: t}, context.Background()
	// I + c in the first two places alone is dense, and cheap to make.
	dense := func(n int) mvg.Covariance {
		a := mat.NewDiagDense(n, nil)
		for i := range n {
			a.SetDiag(i, 1)
		}
		m := mat.DenseCopyOf(a)
		m.Set(0, 1, 0.25)
		m.Set(1, 0, 0.25)
		c, err := mvg.NewDense(m)
		s.fail(err)
		return c
	}
	one, err := mvg.NewIsotropic(1, 1)
	s.fail(err)
	write := func(set mvg.Sensitivity, sigma, psi mvg.Covariance) error {
		d, err := mvg.NewDesign(ctx, set, sigma, psi)
		s.fail(err)
		_, err = Of(ctx, d.WhitenedSensitivity())
		return err
	}
	for _, n := range []int{mostOrder, mostOrder + 1} {
		c := dense(n)
		if _, err := covarianceOf("sigma", c); n <= mostOrder && err != nil {
			t.Errorf("order %d: %v", n, err)
		}
		if n <= mostOrder {
			continue
		}
		left, err := mvg.NewBall(n, 1, mvg.BallOptions{S2: 1, Gamma: 1})
		s.fail(err)
		refuses(t, write(left, c, one), "sigma is of order 257")
		right, err := mvg.NewBall(1, n, mvg.BallOptions{S2: 1, Gamma: 1})
		s.fail(err)
		refuses(t, write(right, one, c), "psi is of order 257")
	}
	// A difference of 200 × 1 takes 200·(2 + 199) products where σ is dense: 497 of them 19979400, 498 more than 20 million.
	sigma := dense(200)
	for _, count := range []int{497, 498} {
		differences := make([]*mat.Dense, count)
		for i := range differences {
			differences[i] = mat.NewDense(200, 1, nil)
			differences[i].Set(0, 0, 1)
		}
		set, err := mvg.NewDifferences(differences)
		s.fail(err)
		err = write(set, sigma, one)
		if count == 497 {
			s.fail(err)
		} else {
			refuses(t, err, "498 differences of size 200×1: to whiten them takes 20019600 products")
		}
	}
}

// Projections are written up to 2^20 entries and refused beyond.
func TestProjectionsThatAreWritten(t *testing.T) {
	s := some{t: t}
	for _, p := range []int{1 << 10, 1<<10 + 1} {
		w, err := signrp.NewProjection(signrp.Rademacher, p, 1<<10, signrp.ProjectionOptions{Seed: 1})
		s.fail(err)
		r, err := signrp.NewIndividual(w, s.eps(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 0.5})
		s.fail(err)
		_, _, err = signsEpsilon(&signrp.EpsilonStatement{Of: r})(t.Context(), evidence.Certified{Lo: 1, Hi: 2})
		if p == 1<<10 {
			s.fail(err)
		} else {
			refuses(t, err, "a projection of 1025×1024 entries")
		}
	}
}

// A law on bits is written where a checker can visit its states: of a column's counts, of each part, of all of them.
func TestStatesThatAreVisited(t *testing.T) {
	s := some{t: t}
	blocks := func(sizes ...int) *xor.Bernoulli { // independent parts of so many bits of one object
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
			for i := range n - 1 { // a chain
				theta[at+i][at+i+1], theta[at+i+1][at+i] = 0.5, 0.5
			}
			at += n
		}
		b, err := xor.NewBernoulli(theta, nil, 1)
		s.fail(err)
		return b
	}
	columns := func(n int, lambda float64) *xor.Bernoulli {
		b, err := xor.NewUniform(n, 2, -1, lambda)
		s.fail(err)
		return b
	}
	for _, c := range []struct {
		of  *xor.Bernoulli
		why string
	}{
		{columns(1<<16, 0.001), ""},
		{columns(1<<16+1, 0.001), "columns of 65537 objects"},
		{columns(1<<16+1, 0), ""}, // each bit alone
		{blocks(16), ""},
		{blocks(17), "an independent part of 17 bits"},
		{blocks(1, 17), "an independent part of 17 bits"},
		{blocks(16, 16, 16, 16), ""},
		{blocks(16, 16, 16, 15, 15), ""},
		{blocks(16, 16, 16, 16, 1), "more than 262144 states"},
	} {
		for _, write := range []prover{bitsNormalizer(&xor.NormalizerStatement{Of: c.of}), bitsFlips(&xor.FlipsStatement{Of: c.of, Per: big.NewInt(1)})} {
			_, _, err := write(t.Context(), evidence.Certified{Lo: 1, Hi: 2})
			if c.why != "" {
				refuses(t, err, c.why)
			} else if err != nil {
				t.Errorf("%v, of parts of %d bits", err, c.of.Parts())
			}
		}
	}
}
