package optimize_test

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
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
	"dpworkbench/xor"
)

func TestParetoProgram(t *testing.T) {
	ctx := context.Background()
	q := graphs(t, 5, "triangle")
	than, err := optimize.Calibrate(ctx, purestFamily(q), evidencetest.Epsilon(1))
	if err != nil {
		t.Fatal(err)
	}
	m := solve(t, q, evidencetest.Epsilon(1), optimize.Options{Objective: optimize.Pareto, Than: than})
	checkMechanism(t, m, 1)
	limits := make([]*big.Rat, q.Size())
	sum := 0.0
	for x := range limits {
		before, after := mechanism.Distortion(than, x), mechanism.Distortion(m, x)
		lo, hi := bounds(before)
		if _, now := bounds(after); now > hi {
			t.Errorf("dataset %d is worse off: %v > %v", x, now, hi)
		}
		limits[x] = new(big.Rat).SetFloat64(hi)
		sum += lo
	}
	checkCertificate(t, q, m, new(big.Rat), limits...)
	lo, hi := bounds(m.Optimum())
	if got, _ := objectiveOf(t, m, optimize.Pareto).Float64(); got > hi || got < lo || !((hi-lo)/hi <= 1e-6) || hi > 0.7*sum {
		t.Errorf("Pareto [%v, %v], attained %v, the purest mechanism's sum is %v", lo, hi, got, sum)
	}

	// A Pareto-optimal mechanism cannot be improved, so the sum does not change.
	best := solve(t, q, evidencetest.Epsilon(1), optimize.Options{})
	again, err := optimize.NewOptimal(ctx, q, evidencetest.Epsilon(1), optimize.Options{Objective: optimize.Pareto, Than: best})
	if err != nil {
		t.Fatal(err)
	}
	checkMechanismEnclosed(t, again, 1)
	lo, hi = bounds(again.Optimum())
	total := best.Optimum().Float() * float64(q.Size())
	if math.Abs(lo-total) > 1e-5*total || math.Abs(hi-total) > 1e-5*total {
		t.Errorf("improving the optimum gives [%v, %v], want %v", lo, hi, total)
	}

	// The distortions cannot be attained at a smaller ε.
	if _, err := optimize.NewOptimal(ctx, q, evidencetest.Epsilon(0.9), optimize.Options{Objective: optimize.Pareto, Than: best}); !errors.Is(err, optimize.ErrInfeasible) {
		t.Errorf("at ε = 0.9: %v, want ErrInfeasible", err)
	}
}

// Option Than accepts a mechanism whose range has another order or more values. Its distortions are the bounds.
func TestParetoThanAnotherRange(t *testing.T) {
	ctx := context.Background()
	q, half := counts(t, 1), evidencetest.Epsilon(0.5)
	for _, rng := range [][]float64{{1, 0}, {-1, 0, 1}, {0, 1, 2}} {
		other, err := query.NewNumeric("bit", q.Space(), []float64{0, 1}, rng)
		if err != nil {
			t.Fatal(err)
		}
		than, err := layers.NewPurest(ctx, other, half) // no other randomised response is better
		if err != nil {
			t.Fatal(err)
		}
		m, err := optimize.NewOptimal(ctx, q, half, optimize.Options{Objective: optimize.Pareto, Than: than})
		if m == nil {
			if !errors.Is(err, optimize.ErrPrecision) {
				t.Errorf("range %v: %v", rng, err)
			}
			continue
		}
		checkMechanismEnclosed(t, m, 0.5)
		for x := range q.Size() {
			lo, _ := bounds(mechanism.Distortion(m, x))
			if _, hi := bounds(mechanism.Distortion(than, x)); lo > hi*(1+1e-6) {
				t.Errorf("range %v: distortion %v at %d, want at most %v", rng, lo, x, hi)
			}
		}
	}
}

func checkMechanismEnclosed(t *testing.T, m *optimize.Optimal, eps float64) {
	t.Helper()
	loss := must.For(mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{}))(t)
	if _, hi := bounds(loss); !(hi <= eps) {
		t.Errorf("%s: smallest ε up to %v, want at most %v", m.Name(), hi, eps)
	}
}

func TestRatioToOptimum(t *testing.T) {
	ctx := context.Background()
	q := graphs(t, 5, "triangle")
	ratio := func(m mechanism.Mechanism) (lo, hi float64) {
		r := must.For(optimize.RatioToOptimum(ctx, m))(t)
		return bounds(r)
	}
	best := solve(t, q, evidencetest.Epsilon(1), optimize.Options{})
	if lo, hi := ratio(best); lo > 1 || hi < 1 || hi > 1+1e-6 {
		t.Errorf("the optimum over itself is in [%v, %v]", lo, hi)
	}
	purest, err := layers.NewPurest(ctx, q, evidencetest.Epsilon(0.5))
	if err != nil {
		t.Fatal(err)
	}
	loss, err := mechanism.Privacy(purest).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		t.Fatal(err)
	}
	mean, err := mechanism.ExpectedDistortion(ctx, purest, nil)
	if err != nil {
		t.Fatal(err)
	}
	same := solve(t, q, evidencetest.Epsilon(loss.Float()), optimize.Options{})
	want := mean.Float() / same.Optimum().Float()
	if lo, hi := ratio(purest); lo > want*(1+1e-7) || hi < want*(1-1e-7) || hi-lo > 2e-6 {
		t.Errorf("purest: [%v, %v], want %v", lo, hi, want)
	}

	row := func(p ...float64) []float64 { return p }
	line := counts(t, 2)
	constant, err := mechanism.NewTable(mechanism.Info{Name: "constant", Query: line, Claimed: evidence.Claimed{}}, [][]float64{row(1, 0, 0), row(1, 0, 0), row(1, 0, 0)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := ratio(constant); lo != 1.5 || hi != 1.5 { // (0+1+2)/3 against (1+0+1)/3
		t.Errorf("a constant: [%v, %v], want 3/2", lo, hi)
	}
	bare, err := mechanism.NewTable(mechanism.Info{Name: "bare", Query: line, Claimed: evidence.Claimed{}}, [][]float64{row(1, 0, 0), row(0, 1, 0), row(0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := ratio(bare); lo != 1 || hi != 1 {
		t.Errorf("f itself: [%v, %v], want 1", lo, hi)
	}
	leaky, err := mechanism.NewTable(mechanism.Info{Name: "leaky", Query: line, Claimed: evidence.Claimed{}}, [][]float64{row(1, 1, 0), row(0, 1, 0), row(0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lo, _ := ratio(leaky); !math.IsInf(lo, 1) {
		t.Errorf("no finite ε: lower bound %v, want +Inf", lo)
	}
}

// A mechanism that is optimal at its own ε is returned unchanged. Noise for one node, which has no edges, has a single
// cell and flips nothing.
func TestParetoOfTheOptimum(t *testing.T) {
	ctx := context.Background()
	q, half := counts(t, 1), evidencetest.Epsilon(0.5)
	than := must.Be(layers.NewPurest(ctx, q, half)) // randomised response
	if loss, ok := must.Be(mechanism.Privacy(than).Epsilon(ctx, evidence.Delta{})).(evidence.Certified); !ok || loss.Float() != 0.5 {
		t.Fatalf("randomised response at ½ loses %v", loss)
	}
	m := solve(t, q, half, optimize.Options{Objective: optimize.Pareto, Than: than})
	want := 2 / (1 + math.Exp(0.5))
	if lo, hi := bounds(m.Optimum()); lo > want || hi < want || hi > want*(1+1e-15) {
		t.Errorf("[%v, %v], want %v", lo, hi, want)
	}
	still := must.Be(xor.NewOptimalNoise(ctx, 1, 1, half, xor.FlipEdges(1)))
	if still.Cells() != 1 || still.FlipRate().Float() != 0 {
		t.Errorf("edges of one node: %d cells, rate %v", still.Cells(), still.FlipRate())
	}
	// With 65 leaves at ε = ln 64 the middle's constant is exactly 0, and its enclosure cannot decide the sign.
	var edges [][2]int
	values := make([]float64, 66)
	for x := 1; x < 66; x++ {
		edges = append(edges, [2]int{0, x})
		values[x] = 1
	}
	star := must.Be(query.NewNumeric("star", must.Be(query.NewPathSpace(66, edges)), values, nil))
	var from, to float64
	_, err := optimize.NewTight(ctx, star, evidencetest.LogEpsilon(64, 1))
	text := strings.NewReplacer(",", "", "]", "").Replace(fmt.Sprint(err))
	if at := strings.Index(text, "lies in ["); !errors.Is(err, optimize.ErrPrecision) || at < 0 {
		t.Errorf("a constant of 0 by enclosure: %v, want ErrPrecision", err)
	} else if _, bad := fmt.Sscanf(text[at:], "lies in [%g %g", &from, &to); bad != nil || !(from < 0 && to > 0) {
		t.Errorf("a constant of 0 by enclosure: %v, %v", err, bad)
	}
	tries := 0 // first ¼, then ½
	must.Be(optimize.Calibrate(ctx, func(e evidence.Epsilon) (mechanism.Mechanism, error) {
		tries++
		return layers.NewPurest(ctx, q, e)
	}, half))
	if tries != 2 {
		t.Errorf("an ε that is attained exactly takes %d tries, want 2", tries)
	}
	for _, eps := range []float64{1e-10, 1e-300} {
		c := must.Be(optimize.Calibrate(ctx, func(e evidence.Epsilon) (mechanism.Mechanism, error) {
			return layers.NewPurest(ctx, q, e.Ratio(1, 100))
		}, evidencetest.Epsilon(eps)))
		if lo, hi := bounds(must.Be(mechanism.Privacy(c).Epsilon(ctx, evidence.Delta{}))); lo < eps/2 || hi > eps {
			t.Errorf("calibrated to %g: [%v, %v]", eps, lo, hi)
		}
	}
}
