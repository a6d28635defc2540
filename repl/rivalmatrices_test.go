package repl_test

import (
	"strings"
	"testing"
)

// What the rivals refuse names the parameter, its value and the range.
func TestRivalMatrixErrors(t *testing.T) {
	for script, want := range map[string]string{
		`jl_rival(0, 1, 0.1)`:             "rows = 0, want 1 <= rows <= 1048576",
		`jl_rival(5)`:                     "want width, or both eps and delta",
		`jl_rival(5, 1, 0.1, width=3)`:    "width is given with eps or delta, want width alone, or eps and delta",
		`jl_rival(5, 1, 1)`:               "delta = 1, want 0 < delta < 1",
		`jl_rival(5, width=float("nan"))`: "width",
		`jl_rival(2, width=5, spectrum="threshold").simulate([[1, 2], [2, 4]])`: "the least singular value",
		`net_rival([1], 1, 1, 1)`:                                  "levels = 1, want 2 <= levels <= 1048576",
		`net_rival([1, 1], 1000000000, 1000, 1)`:                   "has 2e+12 values of entries",
		`net_rival([1, 1], 20, 3, 1).mechanism`:                    "want at most 512 to list its law",
		`net_rival([1], 2, 3, 1).simulate([[0, 2]])`:               "x[0][1] = 2, want it within the box, from -1 to 1",
		`net_rival([1], 2, 3, 1, 0.1)`:                             "delta is given, want it only with form \"exact\"",
		`ppca(1).simulate([[1, 1], [1, 0]])`:                       "record 0 of x has norm 1.41421, want at most row_norm = 1",
		`ppca(1, 0.1)`:                                             "delta is given, want it only with form \"exact\"",
		`ppca(1).witness(1, 5)`:                                    "d = 1, want 2 <= d <= 4096",
		`bingham([[1, 2], [3, 4]])`:                                "is not symmetric",
		`bingham([[1e7, 0], [0, 0]]).acceptance`:                   "want at most 50000",
		`laplace_rival(box_sensitivity(1, 1, 1), 1, form="tight")`: "delta is missing",
		`symmetric_gauss(2, 1, 0)`:                                 "delta = 0, want 0 < delta < 1",
		`symmetric_gauss(2, 1, 0.1, half_width=[1])`:               "half_width has 1 entries, want 2",
		`symmetric_gauss(2, 1, 0.1).simulate([[1]])`:               "x is 1×1, want 2×2",
	} {
		if _, err := run(t, "print("+script+")"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
}

// The same seed draws the same, another seed another matrix.
func TestRivalMatrixSeeds(t *testing.T) {
	got, err := run(t, `
x = [[0.5, -0.25], [0, 0.5]]
draws = [
    lambda seed: jl_rival(3, width=1).simulate(x, seed=seed),
    lambda seed: jl_rival(3, width=1).simulate_gram(x, seed=seed),
    lambda seed: net_rival([1, 1], 2, 50, 1).simulate(x, seed=seed),
    lambda seed: net_rival([1, 1], 2, 50, 1, quality="sum").simulate(x, seed=seed),
    lambda seed: ppca(1).simulate(x, seed=seed),
    lambda seed: laplace_rival(box_sensitivity(2, 2, 1), 1).simulate(x, seed=seed),
    lambda seed: symmetric_gauss(2, 1, 0.1).simulate([[1, 0], [0, 1]], seed=seed),
]
print(all([str(f(1)) == str(f(1)) and str(f(1)) != str(f(2)) for f in draws]))`)
	if err != nil || got != "True\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// Mechanisms that are made for the privacy that they have are as private as was asked, and hardly more: by the most
// that a loss within a range tells, and pure where no delta is given.
func TestRivalsAtEqualPrivacy(t *testing.T) {
	for script, want := range map[string]string{
		`net_rival([1], 2, 3, 1, form="exact").smallest_epsilon.hi`: "1.0", `net_rival([1], 2, 3, 1, quality="sum", form="exact").smallest_epsilon`: "1.0 (exact: 1)",
		`net_rival([1], 2, 3, 1, quality="sum", form="exact").parameter`: "2.0 (exact: 2)",
		`ppca(1, form="exact").smallest_epsilon.hi`:                      "1.0", `ppca(1, neighbors="unbounded", form="exact").parameter`: "2.0 (exact: 2)",
	} {
		if got, err := run(t, "print("+script+")"); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s prints %s, %v, want %s", script, got, err, want)
		}
	}
	for _, made := range []string{`net_rival([1], 2, 3, 1, 0.01, form="exact")`, `ppca(1, 0.01, form="exact")`, `net_rival([1], 2, 3, 1, 0.01, quality="sum", form="exact")`} {
		got, err := run(t, "r = "+made+"\nd = r.delta_at(1).hi\nprint(0.0099 < d and d <= 0.01, r.parameter > 1, r.epsilon_at(0.01).hi < 1 + 1e-6)")
		if err != nil || strings.TrimSpace(got) != "True True True" {
			t.Errorf("%s: %s, %v", made, got, err)
		}
	}
}
