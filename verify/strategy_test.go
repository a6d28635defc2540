package verify_test

import (
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/verify"
	"dpworkbench/workload"

	"gonum.org/v1/gonum/mat"
)

// Strategy confirms strategies under every participation, and refutes a strategy of which any number is changed.
func TestStrategy(t *testing.T) {
	w, err := workload.PrefixSums(7)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []workload.Participation{
		{}, {Kind: workload.Fixed, Epochs: 3, Separation: 2}, {Kind: workload.MinSeparation, Epochs: 3, Separation: 2},
		{Kind: workload.Fixed, Epochs: 3, Separation: 2, Scalar: true},
	} {
		for _, name := range []string{"square_root", "tree", "optimal"} {
			s, err := workload.NewStrategy(t.Context(), w, name, workload.StrategyParams{Participation: p})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := verify.Strategy(t.Context(), s); err != nil || r.Verdict() != evidence.Confirmed {
				t.Errorf("%s, %v: witness %v, %v", name, p, r.Witness("s"), err)
			}
			for i := range 4 {
				wrong := *s
				of := []*evidence.Certified{&wrong.Sensitivity, &wrong.Sensitivity, &wrong.MaxError, &wrong.RMSError}[i]
				of.Lo, of.Hi = of.Lo*1.001, of.Hi*1.001
				if i == 0 {
					of.Lo, of.Hi = of.Lo*.99, of.Hi*.99
				}
				if r, err := verify.Strategy(t.Context(), &wrong); err != nil || r.Verdict() != evidence.Refuted || r.Witness("s") == "" {
					t.Errorf("%s, %v: a change of number %d is not refuted: %v", name, p, i, err)
				}
			}
		}
	}
	// Three unit columns at 120°, for which vectors have a larger sensitivity than numbers.
	three, err := workload.PrefixSums(3)
	if err != nil {
		t.Fatal(err)
	}
	h := math.Sqrt(3) / 2
	c := mat.NewDense(3, 3, []float64{1, -.5, -.5, 0, h, -h, 0, 0, .001})
	for _, scalar := range []bool{false, true} {
		p := workload.Participation{Kind: workload.Fixed, Epochs: 3, Separation: 1, Scalar: scalar}
		s, err := workload.FromEncoder(t.Context(), three, c, workload.StrategyParams{Participation: p})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := verify.Strategy(t.Context(), s); err != nil || r.Verdict() != evidence.Confirmed {
			t.Errorf("columns at 120°, %v: %v, %v", p, r.Witness("s"), err)
		}
	}
	long, err := workload.PrefixSums(11)
	if err != nil {
		t.Fatal(err)
	}
	s, err := workload.NewStrategy(t.Context(), long, "identity", workload.StrategyParams{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Strategy(t.Context(), s); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("11 steps: %v", err)
	}
}
