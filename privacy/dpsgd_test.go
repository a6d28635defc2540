package privacy_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

func fraction(t *testing.T, text string) *big.Rat {
	t.Helper()
	q, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatal(text)
	}
	return q
}

func loop(t *testing.T, noise, rate string, steps int, kind privacy.Sampling) *privacy.DPSGD {
	t.Helper()
	return must.Be(privacy.NewDPSGD(ctx, fraction(t, noise), fraction(t, rate), steps, kind))
}

// Epsilon of DPSGD encloses the values of a 30-digit quadrature.
func TestDPSGDEpsilon(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		noise, rate string
		steps       int
		delta       float64
		want        float64
	}{
		{"0.8", "0.01", 1000, 1e-5, 3.14101413945477},
		{"1", "0.01", 1000, 1e-6, 2.12451517112012},
		{"1.1", "256/60000", 10000, 1e-5, 1.97790246320813},
	}[cases.Of(1, 0):] {
		e := must.Be(loop(t, c.noise, c.rate, c.steps, privacy.Poisson).Account().Epsilon(ctx, evidencetest.Delta(c.delta)))
		if lo, hi := e.Bounds(); lo > c.want || hi < c.want || hi-lo > 1e-4*hi {
			t.Errorf("σ = %s, rate %s × %d: ε is %v, want %.15g in it", c.noise, c.rate, c.steps, e, c.want)
		}
	}
}

// At rate 1 the steps equal one use of Gaussian noise with μ = √k/σ, whose ε has a closed form.
func TestCalibrateDPSGDAtRateOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	closed := func(noise float64, steps int) (lo, hi float64) {
		mu := interval.Int(int64(steps)).Sqrt().Quo(interval.Float(noise))
		return must.Be(gaussian.EpsilonAt(evidencetest.Delta(1e-6), mu)).Bounds()
	}
	for range 40 {
		at := math.Exp(rng.Float64()*8 - 4)
		noise, steps := math.Exp(rng.Float64()*6), 1+rng.IntN(5000)
		s, found, err := privacy.CalibrateDPSGD(ctx, &privacy.DPSGD{Rate: big.NewRat(1, 1), Steps: steps, Sampling: privacy.WithoutReplacement}, privacy.SGDNoiseMultiplier, evidencetest.Epsilon(at), evidencetest.Delta(1e-6))
		if err != nil {
			t.Fatal(err)
		}
		if _, hi := closed(found.Hi, steps); hi > at {
			t.Errorf("ε of noise multiplier %g × %d is up to %g, want %g", found.Hi, steps, hi, at)
		}
		if lo, _ := closed(found.Lo, steps); lo <= at || found.Hi > found.Lo*1.0011 {
			t.Errorf("%v for ε = %g, and at its lower end ε is %g", found, at, lo)
		}
		if v, _ := s.NoiseMultiplier.Float64(); math.Abs(v-found.Hi) > 1e-15*v || len(strconv.FormatFloat(v, 'e', -1, 64)) > len("1.234e+00") {
			t.Errorf("the loop has noise multiplier %v, found %v", s.NoiseMultiplier, found)
		}
		q := new(big.Rat).SetFloat64(noise)
		loop := &privacy.DPSGD{Rate: big.NewRat(1, 1), NoiseMultiplier: q, Sampling: privacy.Poisson}
		goal, delta := evidencetest.Epsilon(at), evidencetest.Delta(1e-6)
		s, found, err = privacy.CalibrateDPSGD(ctx, loop, privacy.SGDSteps, goal, delta)
		if lo, _ := closed(noise, 1); lo > at {
			if !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("one step has ε = %g: found %v for ε = %g, error %v", lo, found, at, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		_, hi := closed(noise, s.Steps)
		lo, _ := closed(noise, int(found.Hi))
		if hi > at || lo <= at || found.Lo != float64(s.Steps) || found.Hi > max(found.Lo+1, found.Lo*1.0011) {
			t.Errorf("σ = %g: %d steps, found %v for ε = %g, where ε is at most %g, and at the next step at least %g", noise, s.Steps, found, at, hi, lo)
		}
	}
}

func TestCalibrateDPSGD(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		noise, rate string
		steps       int
		kind        privacy.Sampling
		sought      privacy.DPSGDParameter
		lo, hi      float64
	}{
		{"2", "1/4", 0, privacy.Poisson, privacy.SGDSteps, 9, 10},
		{"1.1", "", 1000, privacy.Poisson, privacy.SGDRate, 0.01288, 0.01289},
		{"", "0.01", 1000, privacy.Poisson, privacy.SGDNoiseMultiplier, 0.9591, 0.9592},
		{"1.1", "256/60000", 0, privacy.Poisson, privacy.SGDSteps, 10200, 10210},
		{"", "0.01", 1000, privacy.WithoutReplacement, privacy.SGDNoiseMultiplier, 1.049, 1.05},
	} {
		if i > 0 && !cases.All() {
			continue
		}
		given := &privacy.DPSGD{Steps: c.steps, Sampling: c.kind}
		if c.noise != "" {
			given.NoiseMultiplier = fraction(t, c.noise)
		}
		if c.rate != "" {
			given.Rate = fraction(t, c.rate)
		}
		s, found, err := privacy.CalibrateDPSGD(ctx, given, c.sought, evidencetest.Epsilon(2), evidencetest.Delta(1e-5))
		if err != nil || math.Abs(found.Lo-c.lo) > 1e-12*c.lo || math.Abs(found.Hi-c.hi) > 1e-12*c.hi {
			t.Errorf("%s is %v, want [%g, %g]: %v", c.sought, found, c.lo, c.hi, err)
			continue
		}
		if want := map[bool]evidence.Side{true: evidence.Up, false: evidence.Down}[c.sought == privacy.SGDNoiseMultiplier]; found.Side != want {
			t.Errorf("%s is rounded %v, want %v", c.sought, found.Side, want)
		}
		if _, hi := must.Be(s.Account().Epsilon(ctx, evidencetest.Delta(1e-5))).Bounds(); hi > 2*(1+1e-4) {
			t.Errorf("%v has ε up to %g", s, hi)
		}
	}
}

func TestCalibrateDPSGDEndsOfRanges(t *testing.T) {
	given := &privacy.DPSGD{NoiseMultiplier: big.NewRat(1000, 1), Steps: 1, Sampling: privacy.Poisson}
	s, found, err := privacy.CalibrateDPSGD(ctx, given, privacy.SGDRate, evidencetest.Epsilon(10), evidencetest.Delta(1e-6))
	if err != nil || s.Rate.Cmp(big.NewRat(1, 1)) != 0 || found.Lo != 1 || found.Hi != 1 {
		t.Errorf("rate %v, found %v: %v", s, found, err)
	}
	little := &privacy.DPSGD{Rate: big.NewRat(1, 1<<20), Steps: 1, Sampling: privacy.Poisson}
	if s, found, err = privacy.CalibrateDPSGD(ctx, little, privacy.SGDNoiseMultiplier, evidencetest.Epsilon(10), evidencetest.Delta(1e-3)); err != nil || found.Lo != 0 || found.Hi != 0.01001 || found.Side != evidence.Up {
		t.Errorf("noise %v, found %v: %v", s, found, err)
	}
	given = &privacy.DPSGD{NoiseMultiplier: big.NewRat(1, 10), Steps: 1, Rate: big.NewRat(1, 1), Sampling: privacy.Poisson}
	if _, found, err = privacy.CalibrateDPSGD(ctx, given, privacy.SGDSteps, evidencetest.Epsilon(0.01), evidencetest.Delta(1e-6)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("steps: found %v, error %v", found, err)
	}
	for _, delta := range []float64{0} {
		if _, _, err := privacy.CalibrateDPSGD(ctx, given, privacy.SGDSteps, evidencetest.Epsilon(1), evidencetest.Delta(delta)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("δ = %g: error %v", delta, err)
		}
	}
}

// If the progress callback cancels the context, the search stops.
func TestCalibrateDPSGDStops(t *testing.T) {
	stopped, stop := context.WithCancel(ctx)
	heard := 0
	stopped = parallel.WithProgress(stopped, func(int64, int64, string) { heard++; stop() })
	given := &privacy.DPSGD{Rate: big.NewRat(1, 100), Steps: 1000, Sampling: privacy.Poisson}
	if _, _, err := privacy.CalibrateDPSGD(stopped, given, privacy.SGDNoiseMultiplier, evidencetest.Epsilon(2), evidencetest.Delta(1e-5)); !errors.Is(err, context.Canceled) || heard == 0 {
		t.Errorf("error %v after %d reports", err, heard)
	}
}

// Calibrations and comparisons stop at every poll of their context.
func TestDPSGDStops(t *testing.T) {
	for name, do := range map[string]func(ctx context.Context) error{
		"calibrate": func(ctx context.Context) error {
			given := &privacy.DPSGD{Rate: big.NewRat(1, 1), Steps: 4, Sampling: privacy.Poisson}
			_, _, err := privacy.CalibrateDPSGD(ctx, given, privacy.SGDNoiseMultiplier, evidencetest.Epsilon(2), evidencetest.Delta(1e-5))
			return err
		},
		"compare": func(ctx context.Context) error {
			s, err := privacy.NewDPSGD(ctx, big.NewRat(4, 1), big.NewRat(1, 1), 4, privacy.Poisson)
			if err != nil {
				return err
			}
			_, err = s.Compare(ctx, evidencetest.Delta(1e-6))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { ctxtest.EachPoll(t, 2, do) })
	}
	if _, err := loop(t, "4", "1", 4, privacy.Poisson).Compare(ctx, evidence.Delta{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("δ = 0: %v", err)
	}
}

func TestNewDPSGDRefuses(t *testing.T) {
	for _, c := range []struct {
		noise, rate string
		steps       int
		kind        privacy.Sampling
	}{{"0", "1/2", 1, privacy.Poisson}, {"1e9", "1/2", 1, privacy.Poisson}, {"1", "-1/2", 1, privacy.Poisson}, {"1", "2", 1, privacy.Poisson}, {"1", "1/2", 0, privacy.Poisson}, {"1", "1/2", 1<<30 + 1, privacy.Poisson}, {"1", "1/2", 1, "other"}} {
		if _, err := privacy.NewDPSGD(ctx, fraction(t, c.noise), fraction(t, c.rate), c.steps, c.kind); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := privacy.NewDPSGD(ctx, big.NewRat(1, 1), big.NewRat(1, 2), 1<<30, privacy.Poisson); err != nil {
		t.Errorf("2³⁰ steps: %v", err)
	}
	if _, hi := must.Be(loop(t, "1", "0", 10, privacy.Poisson).Account().Epsilon(ctx, evidencetest.Delta(1e-6))).Bounds(); hi != 0 {
		t.Errorf("ε at rate 0 is %v", hi)
	}
}

// Compare reproduces the published ε of other code: 2.1632 by RDP accountants and 2.5095 by the central limit theorem.
func TestDPSGDCompare(t *testing.T) {
	t.Parallel()
	rows := must.Be(loop(t, "0.8", "0.01", 1000, privacy.Poisson).Compare(ctx, evidencetest.Delta(1e-5)))
	if len(rows) != 4 || rows[3].Epsilon != nil || math.Abs(rows[3].Value-2.5095) > 5e-5 {
		t.Errorf("the row of the central limit theorem is %+v", rows[len(rows)-1])
	}
	least, _ := rows[0].Epsilon.Bounds()
	for _, r := range rows[1:3] {
		if _, hi := r.Epsilon.Bounds(); hi < least || hi > 4.4 {
			t.Errorf("%s reports ε = %g, below the true lower bound %g", r.Method, hi, least)
		}
	}
	if rows := must.Be(loop(t, "1/100", "1", 1, privacy.Poisson).Compare(ctx, evidencetest.Delta(1e-6))); !math.IsInf(rows[3].Value, 1) {
		t.Errorf("the limit for nearly no noise is %g", rows[3].Value)
	}
	for _, kind := range []privacy.Sampling{privacy.Poisson, privacy.WithoutReplacement} {
		rows := must.Be(loop(t, "4", "1", 10, kind).Compare(ctx, evidencetest.Delta(1e-6)))
		lo, _ := rows[0].Epsilon.Bounds()
		_, classical := rows[1].Epsilon.Bounds()
		_, tighter := rows[2].Epsilon.Bounds()
		if !(lo < tighter && tighter < classical && classical < 4.5) {
			t.Errorf("%s: %v", kind, rows)
		}
	}
}

// An answer has at most the relative width that Within asks for.
func TestEpsilonWithin(t *testing.T) {
	t.Parallel()
	for _, width := range []float64{1e-3, 1e-5, 1e-7} {
		a := must.For(loop(t, "0.8", "1/100", 200, privacy.Poisson).Account().Within(width))(t)
		lo, hi := must.For(a.Epsilon(t.Context(), evidencetest.Delta(1e-6)))(t).Bounds()
		if !(lo > 0 && hi-lo <= width*hi) {
			t.Errorf("ε in [%v, %v], want a relative width of %v", lo, hi, width)
		}
	}
}
