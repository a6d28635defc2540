package mvg_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/mvg"
)

// The ends of an optimum agree to 1e-6, or the method says that they are apart: at widths so
// different in rotated axes, float64 finds no better.
func TestMethodSaysApart(t *testing.T) {
	eps := must[evidence.Epsilon](t)(evidence.NewEpsilon("eps", 0.3))
	rng := rand.New(rand.NewPCG(31, 37))
	said := 0
	for k := range 12 {
		widths, signal := make([]float64, 4), make([]float64, 4)
		for i := range widths {
			widths[i] = math.Exp(6 * rng.NormFloat64())
			signal[i] = 1e10 * math.Exp(4*rng.NormFloat64())
		}
		box := must[mvg.Box](t)(mvg.NewBox(2, widths))
		goal := mvg.Goal{Objective: mvg.MostInformation, Weights: signal}
		if k%2 == 1 {
			goal = mvg.Goal{Objective: mvg.LeastError}
		}
		o, err := mvg.Optimal(ctx, box, goal, mvg.Recipe{Epsilon: eps, Delta: evidencetest.Delta(1e-5), Directions: rotation(4, uint64(k)), FreeAxes: true})
		if err != nil {
			continue // beyond what float64 factors
		}
		apart := o.Value.Hi-o.Value.Lo > 1e-6*o.Value.Hi
		if says := strings.Contains(o.Method, "apart"); says != apart || o.Method != o.Value.Method {
			t.Errorf("widths %v, signal %v: optimum in [%v, %v], method %q", widths, signal, o.Value.Lo, o.Value.Hi, o.Method)
		}
		if apart {
			said++
		}
	}
	if said == 0 {
		t.Error("no optimum is apart, which tests nothing")
	}
}
