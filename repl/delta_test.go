package repl_test

import (
	"strings"
	"testing"
)

// δ, rates and σ are decimals, fractions or evidence, whichever built-in takes them, and mean the same.
func TestDeltasAndDeviationsAsFractions(t *testing.T) {
	const third = `discrete_laplace(linear_query([1]), 1)`
	for _, calls := range [][2]string{
		{third + `.epsilon_at(%)`, "0.001"},
		{`compose(` + third + `, 3).epsilon_at(%)`, "0.001"},
		{`purest(finite_query([0, 1], edges=[(0, 1)]), 1).epsilon_at(%)`, "0.001"},
		{`gaussian_sigma(1, %)`, "0.001"},
		{`gaussian_epsilon(%, 3)`, "0.001"},
		{`classic_gaussian_sigma(0.5, %)`, "0.001"},
		{`mvg(l2_sensitivity(2, 2, 1, 1), 1, %).smallest_epsilon`, "0.001"},
		{`mvg_noise(l2_sensitivity(2, 2, 1, 1), [[4, 1], [1, 3]], delta=%).smallest_epsilon`, "0.001"},
		{`mvg_optimal(box_sensitivity(2, 3, 1), 1, %).optimum`, "0.001"},
		{`r1smg(10, 1, %).claimed_delta`, "0.001"},
		{`dp_rp(projection(4, 2), 1, %).sigma`, "0.001"},
		{`raw_gaussian(4, 1, %).public_epsilon`, "0.001"},
		{`dp_signrp(projection(4, 2), 1, noise="gaussian", delta=%).sigma`, "0.001"},
		{`n_plus(0.05, 512, %)`, "0.001"},
		{`symmetric_gauss(2, 1, %).sigma`, "0.001"},
		{`jl_rival(5, 1, %, form="published").width`, "0.001"},
		{`ppca(1, %, form="exact").smallest_epsilon`, "0.001"},
		{`smooth_sensitivity(finite_query([0, 1], edges=[(0, 1)]), 1, %, noise="laplace").claimed_delta`, "0.001"},
		{`optimal(finite_query([0, 1], edges=[(0, 1)]), ln(2), delta=%).distortion(0)`, "0.001"},
		{`audit_draws(0.5, 0.1, 1, delta=%)`, "0.001"},
		{`compose(subsample(known(1), %), 2).delta_at(1)`, "0.001"},
		{`gaussian_delta(1, %)`, "0.5"},
		{`gaussian_epsilon(0.001, %)`, "0.5"},
		{`discrete_gaussian(linear_query([1]), %).delta_at(1)`, "0.5"},
		{`inner_variance(None, [0.5], [0.25], %)`, "0.5"},
		{`cosine_moments(None, [0.5], [0.25], %)`, "0.5"},
		{`variance_ratio(10, 2, %)`, "0.5"},
	} {
		spellings := map[string][]string{"0.001": {`"1/1000"`, `"0.001"`, `known(ln(2), "1/1000").delta_at(ln(2))`}, "0.5": {`"1/2"`, `"0.5"`, `known(ln(2), "1/2").delta_at(ln(2))`}}[calls[1]]
		want, err := run(t, "print("+strings.ReplaceAll(calls[0], "%", calls[1])+")")
		if err != nil {
			t.Errorf("%s: %v", calls[0], err)
			continue
		}
		for _, s := range spellings {
			source := strings.ReplaceAll(calls[0], "%", s)
			if got, err := run(t, "print("+source+")"); err != nil || got != want {
				t.Errorf("%s gives %q, %v, want %q", source, got, err, want)
			}
		}
	}
}
