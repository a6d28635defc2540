package query_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

func TestSpaceErrors(t *testing.T) {
	for name, c := range map[string]struct {
		f    func() error
		want string
	}{
		"empty":     {func() error { _, err := query.NewPathSpace(0, nil); return err }, "datasets = 0"},
		"outside":   {func() error { _, err := query.NewPathSpace(2, [][2]int{{0, 2}}); return err }, "edges[0] = (0, 2)"},
		"loop":      {func() error { _, err := query.NewPathSpace(2, [][2]int{{1, 1}}); return err }, "itself"},
		"no matrix": {func() error { _, err := query.NewMatrixSpace(nil); return err }, "empty"},
		"ragged":    {func() error { _, err := query.NewMatrixSpace([][]float64{{0}, {1, 0}}); return err }, "distances[0] has 1"},
		"diagonal":  {func() error { _, err := query.NewMatrixSpace([][]float64{{1}}); return err }, "distances[0][0] = 1"},
		"zero":      {func() error { _, err := query.NewMatrixSpace([][]float64{{0, 0}, {0, 0}}); return err }, "positive"},
		"NaN": {func() error {
			_, err := query.NewMatrixSpace([][]float64{{0, math.NaN()}, {math.NaN(), 0}})
			return err
		}, "positive"},
		"triangle": {func() error {
			_, err := query.NewMatrixSpace([][]float64{{0, 1, 5}, {1, 0, 1}, {5, 1, 0}})
			return err
		}, "distances[0][2] = 5 exceeds the path through 1"},
	} {
		if err := c.f(); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}
