package workload_test

import (
	"math"
	"testing"

	"dpworkbench/workload"

	"gonum.org/v1/gonum/mat"
)

func TestDenseEntries(t *testing.T) {
	toeplitz, err := workload.NewToeplitz("w", []float64{1, .5, .25})
	if err != nil {
		t.Fatal(err)
	}
	sums, err := workload.PrefixSums(2)
	if err != nil {
		t.Fatal(err)
	}
	product, err := workload.NewKronecker(sums, toeplitz)
	if err != nil {
		t.Fatal(err)
	}
	got, err := product.Dense()
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(6, 6, []float64{
		1, 0, 0, 0, 0, 0,
		.5, 1, 0, 0, 0, 0,
		.25, .5, 1, 0, 0, 0,
		1, 0, 0, 1, 0, 0,
		.5, 1, 0, .5, 1, 0,
		.25, .5, 1, .25, .5, 1,
	})
	if !mat.Equal(got, want) {
		t.Errorf("got\n%v", mat.Formatted(got))
	}
}

func TestWorkloadsAreRefused(t *testing.T) {
	for name, m := range map[string]*mat.Dense{
		"nil":  nil,
		"zero": mat.NewDense(2, 2, nil),
		"NaN":  mat.NewDense(1, 2, []float64{1, math.NaN()}),
	} {
		if _, err := workload.NewMatrix("w", m); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := workload.NewToeplitz("w", []float64{0, 1}); err == nil {
		t.Error("a Toeplitz workload with a zero diagonal: no error")
	}
	for _, p := range []workload.Participation{
		{Kind: workload.Fixed, Epochs: 3, Separation: 4},
		{Kind: workload.MinSeparation, Epochs: 0, Separation: 1},
		{Kind: workload.Fixed, Epochs: 1},
		{Kind: 7},
	} {
		if p.Check(8) == nil {
			t.Errorf("%v in 8 steps: no error", p)
		}
	}
	if err := (workload.Participation{Kind: workload.Fixed, Epochs: 3, Separation: 4}).Check(9); err != nil {
		t.Error(err)
	}
}
