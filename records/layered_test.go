package records_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/query"
	"dpworkbench/records"
)

// At every dataset, the inverse sensitivity mechanism matches its definition over the universe of all datasets.
func TestInverseSensitivityAtOneDataset(t *testing.T) {
	values := []*big.Rat{rat(0, 1), rat(1, 1), rat(2, 1), rat(3, 1)}
	h := must.For(query.NewHistograms(ctx, len(values), 4, query.Replace))(t)
	whole := must.For(h.Median(values))(t)
	eps := must.For(evidence.LogEpsilon("eps", rat(4, 1)))(t)
	for _, rho := range []*big.Rat{new(big.Rat), rat(1, 1), rat(3, 2), nil} {
		table := must.For(mechanism.NewInverseSensitivity(ctx, whole, eps, rho))(t)
		for x := range h.Size() {
			var data []float64
			for v, n := range h.Dataset(x) {
				for range n {
					data = append(data, float64(v))
				}
			}
			r := must.For(records.New(data, records.Options{Lo: rat(0, 1), Hi: rat(3, 1), Grid: rat(1, 1), Neighbors: records.Replace}))(t)
			m := must.For(records.NewInverseSensitivity(must.For(r.Median())(t), eps, rho))(t)
			for at, v := range whole.Range() {
				got, want := must.For(m.Between(ctx, values[at], values[at]))(t).Mid(), table.Enclose(x, at).Mid()
				if d := got - want; fmt.Sprint(v) != fmt.Sprint(at) || d > 1e-15 || d < -1e-15 {
					t.Errorf("rho = %v, data %v, value %v: %v, want %v", rho, data, v, got, want)
				}
			}
			if claim := m.ClaimedEpsilon().(evidence.Claimed); claim.Epsilon.Text() != "ln(4)" || !strings.HasPrefix(m.Name(), "inverse_sensitivity(eps=ln(4), rho=") {
				t.Errorf("%s claims %v", m.Name(), claim)
			}
		}
	}
	median := must.For(small(records.Replace).Median())(t)
	v := must.For(records.Verify(ctx, median, func(q *records.Query) (records.Law, error) { return records.NewInverseSensitivity(q, eps, rat(1, 1)) }, records.VerifyOptions{Records: 3, Values: []float64{0, 1, 2}}))(t)
	if v.Keeps != evidence.Confirmed {
		t.Errorf("verification of the median: %v, want it confirmed", v)
	}
	if m := must.For(records.NewInverseSensitivity(must.For(small(records.AddRemove).Total())(t), eps, nil))(t); m.Name() != "inverse_sensitivity by bounds(eps=ln(4), rho=inf)" {
		t.Error(m.Name())
	}
	mode := modeOf(t, []int{1, 2}, records.Replace)
	alike := must.For(records.NewPurest(mode, eps.Ratio(1, 2)))(t)
	if m := must.For(records.NewInverseSensitivity(mode, eps, new(big.Rat)))(t); fmt.Sprint(must.For(m.Distortion(ctx))(t)) != fmt.Sprint(must.For(alike.Distortion(ctx))(t)) {
		t.Errorf("%v of a mode", m)
	}
	for want, err := range map[string]error{
		"eps = ": errorOf(records.NewInverseSensitivity(median, evidence.Epsilon{}, new(big.Rat))), "rho = -1, want": errorOf(records.NewInverseSensitivity(median, eps, rat(-1, 1))),
		"rho = 1, want 0 for": errorOf(records.NewInverseSensitivity(mode, eps, rat(1, 1))), "rho = inf, want 0 for": errorOf(records.NewInverseSensitivity(mode, eps, nil)),
		"radius = -1, want": errorOf(records.NewDeltaNeighborhood(median, eps, rat(-1, 1))), "radius = 1, want 0 for": errorOf(records.NewDeltaNeighborhood(mode, eps, rat(1, 1))),
	} {
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
