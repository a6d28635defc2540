package continuous_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
)

// drawers returns mechanisms of every kind that can draw.
func drawers(t testing.TB) map[string]continuous.Mechanism {
	t.Helper()
	line, lattice, e := queryOf(t, "0", "3/2"), queryOf(t, "1", "1", "3", "3"), evidencetest.Epsilon(1.1)
	out := map[string]continuous.Mechanism{}
	add := func(name string, m continuous.Mechanism, err error) {
		if err != nil {
			t.Fatal(err)
		}
		out[name] = m
	}
	m, err := continuous.NewLaplace(line, e)
	add("laplace", m, err)
	g, err := continuous.NewGeometric(lattice, e)
	add("geometric", g, err)
	s, err := continuous.NewStaircase(line, e, big.NewRat(1, 5))
	add("staircase", s, err)
	p, err := continuous.NewPurest(context.Background(), queryOf(t, "1", "5/4", "3", "7/2"), e)
	add("purest", p, err)
	p, err = continuous.NewPurest(context.Background(), lattice, e)
	add("purest of points", p, err)
	p, err = continuous.NewDeltaNeighborhood(context.Background(), queryOf(t, "1", "5/4", "3", "7/2"), e, big.NewRat(2, 3))
	add("neighborhood", p, err)
	d, err := continuous.NewDiscreteGaussian(lattice, big.NewRat(9, 4))
	add("discrete gaussian", d, err)
	n, err := continuous.NewGaussian(line, big.NewRat(9, 4))
	add("gaussian", n, err)
	return out
}

// Draws with a fixed seed never change.
func TestDrawsOfASeed(t *testing.T) {
	want := map[string]string{
		"laplace":           "[0.580314007538 1.61701667579 1.43988925346 0.650963979915 2.26349125686 3.11430850665]",
		"geometric":         "[-3 2 -10 -5 -1 2]",
		"staircase":         "[1.30611011178 0.297263175009 2.82675570628 1.14192700126 -0.145256911353 -0.0419853067726]",
		"integer staircase": "[0 3 -1 5 6 1]",
		"purest":            "[8.17362551389 6.18979464515 3.44905320463 2.417619161 -4.79348283433 -6.06050043646]",
		"purest of points":  "[-6 3 9 10 6 -3]",
		"discrete gaussian": "[0 1 -3 0 0 0]",
		"gaussian":          "[-0.794954747764 -1.2668634571 3.29339058828 2.43190768025 1.01576724248 1.47664594224]",
		"neighborhood":      "[7.46300137037 1.70986309677 2.78238653796 1.44603193499 -3.61595422488 -1.62366695764]",
		"line":              "[[3.12363358881 0] [5.89534829148 0] [6.27583849794 0]]",
		"plane":             "[[-1.57237735532 -3.36853330808] [-2.77222437299 0.166574707395] [4.76082814413 -1.32809069081]]",
	}
	for name, m := range drawers(t) {
		draws := must.For(m.Noise(6, rand.NewPCG(7, 11)))(t)
		if got := fmt.Sprintf("%.12g", draws); got != want[name] {
			t.Errorf("%s draws %s, want %s", name, got, want[name])
		}
	}
	line := must.For(continuous.NewKNormLine([]*big.Rat{big.NewRat(2, 1), big.NewRat(-5, 2)}, evidencetest.Epsilon(0.7)))(t)
	for name, k := range map[string]*continuous.KNorm{"line": line, "plane": plane(t, evidencetest.Epsilon(0.7), [2]int64{3, 1}, [2]int64{1, 2})} {
		draws := must.For(k.Noise(3, rand.NewPCG(7, 11)))(t)
		if got := fmt.Sprintf("%.12g", draws); got != want[name] {
			t.Errorf("%s draws %s, want %s", name, got, want[name])
		}
	}
}

// Draws and releases have the frequencies of the density, in each signed cell of width 1/20, or at each point. A law
// with weights to the power 1.1 is rejected. False alarms and misses have probability 1e-9 each.
func TestDrawsFollowTheirDensity(t *testing.T) {
	for name, m := range drawers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulated := must.For(m.Noise(cases.Of(1<<15, 1<<17), rand.NewPCG(3, 9)))(t)
			fine := must.For(continuous.Release(context.Background(), m, new(big.Rat), stattest.Draws(t, 1<<15), nil, rand.NewPCG(5, 12)))(t)
			followsDensity(t, m, simulated, fine)
		})
	}
}

func followsDensity(t *testing.T, m continuous.Mechanism, samples ...[]float64) {
	t.Helper()
	const reach, cells = 8, 2 * 8 * 20
	points := continuous.IsDiscrete(m)
	law := make([]float64, cells+1)
	rest := 1.0
	for i := range cells { // densities change at multiples of 1/20, or of 1/12, which the average over parts covers
		sum := 0.0
		const parts = 3
		for k := range int64(parts) {
			at := big.NewRat(int64(i*2*parts)-cells*parts+2*k+1, 2*20*parts/2)
			at.Mul(at, big.NewRat(1, 2))
			if points {
				at = big.NewRat(int64(i-cells/2), 20)
			}
			d := must.For(m.Density(at))(t)
			sum += d.Float() / parts
		}
		if !points {
			sum /= 20
		}
		law[i] = sum
		rest -= sum
	}
	law[cells] = max(rest, 0)
	for _, draws := range samples {
		counts := make([]int, cells+1)
		for _, v := range draws {
			if i := int(math.Floor(v*20 + cells/2)); v >= -reach && v < reach {
				counts[i]++
			} else {
				counts[cells]++
			}
		}
		stattest.Follows(t, m.Name(), counts, law)
	}
}

// Draws that overflow float64 are an error, for every mechanism.
func TestDrawsBeyondFloats(t *testing.T) {
	huge, tiny := queryOf(t, "1e308", "1e308"), evidencetest.Epsilon(1e-3)
	for name, f := range map[string]func() (continuous.Mechanism, error){
		"laplace":   func() (continuous.Mechanism, error) { return continuous.NewLaplace(huge, tiny) },
		"geometric": func() (continuous.Mechanism, error) { return continuous.NewGeometric(huge, tiny) },
		"staircase": func() (continuous.Mechanism, error) { return continuous.NewStaircase(huge, tiny, nil) },
		"purest":    func() (continuous.Mechanism, error) { return continuous.NewPurest(context.Background(), huge, tiny) },
	} {
		m := must.For(f())(t)
		if _, err := m.Noise(200, rand.NewPCG(1, 1)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
		for _, n := range []int{-1, 1<<28 + 1} {
			if _, err := m.Noise(n, rand.NewPCG(1, 1)); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s: %d draws: %v, want ErrParameter", name, n, err)
			}
		}
	}
	k := must.For(continuous.NewKNormLine([]*big.Rat{fractionOf(t, "1e308")}, tiny))(t)
	for _, n := range []int{200, -1} {
		if _, err := k.Noise(n, rand.NewPCG(1, 1)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%d draws of a norm: %v, want ErrParameter", n, err)
		}
	}
}

// Draw splits large requests into parts, and returns the draws of the parts in order.
func TestDrawsInParts(t *testing.T) {
	for _, n := range []int{0, 1, 1<<16 - 1, 1 << 16, 1<<16 + 1, 2 << 16, 2<<16 + 1} {
		drawn := 0
		got, err := continuous.Draw(t.Context(), n, nil, func(n int, _ rand.Source) ([]int, error) {
			if n > 1<<16 {
				t.Errorf("a part has %d draws", n)
			}
			out := make([]int, n)
			for i := range out {
				out[i] = drawn
				drawn++
			}
			return out, nil
		})
		if err != nil || len(got) != n || n > 0 && got[n-1] != n-1 {
			t.Errorf("%d draws are %d (%v)", n, len(got), err)
		}
	}
}
