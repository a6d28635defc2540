package learn_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/reproductions/learn"

	"gonum.org/v1/gonum/mat"
)

// Results of scikit-learn's KernelRidge and SciPy's eigh for the same data: testdata/peers.py.
func TestPeers(t *testing.T) {
	text := must.Be(os.ReadFile(filepath.Join("testdata", "peers.json")))
	var peers struct {
		Ridge []struct {
			X, Test        [][]float64
			Y              []float64
			TestY          []float64 `json:"test_y"`
			Penalty, Width float64
			Predicted      []float64
			RMSE           float64
			Shifted        []float64 `json:"predicted_intercept"`
			ShiftedRMSE    float64   `json:"rmse_intercept"`
		}
		Spectra []struct {
			X, Noise       [][]float64
			Values         []float64
			Lost, Residual float64
		}
	}
	if err := json.Unmarshal(text, &peers); err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for _, c := range peers.Ridge {
		fit := func(kernel learn.Kernel, predicted []float64, rmse float64) {
			t.Helper()
			r := must.Be(learn.FitRidge(kernel, c.Penalty, c.X, c.Y))
			for i, want := range predicted {
				near("prediction", r.Predict(c.Test[i]), want)
			}
			off := must.Be(r.RMSE(c.Test, c.TestY))
			near("RMSE", off, rmse)
		}
		if c.Width > 0 {
			fit(learn.RBF(c.Width), c.Predicted, c.RMSE)
			continue
		}
		fit(learn.Inner, c.Predicted, c.RMSE)
		fit(learn.Linear, c.Shifted, c.ShiftedRMSE)
	}
	for _, c := range peers.Spectra {
		s := must.Be(learn.Gram(rows(c.X)))
		values, _, err := learn.Components(s)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.Values {
			near("eigenvalue", values[i], want)
		}
		estimate := rows(c.Noise)
		estimate.Add(estimate, s)
		lost := must.Be(learn.LostVariance(s, estimate))
		near("Δρ", lost, c.Lost)
		residual := must.Be(learn.ResidualSum(s, estimate))
		near("RSS", residual, c.Residual)
	}
	if len(peers.Ridge) < 7 || len(peers.Spectra) < 3 {
		t.Errorf("only %d regressions and %d spectra", len(peers.Ridge), len(peers.Spectra))
	}
}

func rows(x [][]float64) *mat.Dense {
	d := mat.NewDense(len(x), len(x[0]), nil)
	for i, row := range x {
		d.SetRow(i, row)
	}
	return d
}
