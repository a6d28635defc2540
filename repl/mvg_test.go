package repl_test

import (
	"strings"
	"testing"

	"dpworkbench/repl"
)

const mvgScript = `
s = l2_sensitivity(6, 248, 2 * math.sqrt(6), math.sqrt(6 * 248))
d = mvg(s, 1, 1 / 248)
`

// The names, keywords and attributes that scripts rely on.
func TestMVGScripts(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`print(fmt(gaussian_sigma(1, 1e-5), 15), fmt(gaussian_sigma(10, 1e-6, s2=2), 15))`, "3.73063163481595 1.08217366363674"},
		{`print(fmt(gaussian_epsilon(1e-5, gaussian_sigma(1, 1e-5).value), 12), fmt(gaussian_delta(1, gaussian_sigma(1, 1e-5).value), 12))`, "1 1.00000000001e-5"},
		{mvgScript + `print(fmt(d.element_sd, 6), d.claimed_epsilon.kind, d.smallest_epsilon.kind, d.smallest_epsilon.value < 1e-6)`, "18988.2 claimed certified True"},
		{mvgScript + `print(fmt(d.precision_budget, 6), fmt(6 / (d.row_variances[0] * d.row_variances[0]), 6), len(d.sigma), len(d.psi))`, "4.61551e-17 4.61551e-17 6 248"},
		{mvgScript + `print(fmt(d.zeta * d.zeta, 8), fmt(mvg(s, 1, 1 / 248, zeta="printed").zeta, 8))`, "1680.1785 1680.1785"},
		{`s = l2_sensitivity(2, 2, 1, 1, psd=True)
t = mvg(s, 1, 1e-5, theta=[0.5, 0.5], modal="equi", condition="tight")
print(fmt(t.element_sd, 8), fmt(t.smallest_epsilon, 8), fmt(mvg(s, 1, 1e-5, modal="equi", condition="theorem3").omega, 8))`, "3.7306316 1 6"},
		{`s = box_sensitivity(2, 3, [1, 10])
t = mvg(s, 1, 1e-5, theta=[0.5, 0.5], directions=[[0.6, -0.8], [0.8, 0.6]], condition="tight")
print(fmt(t.delta_at(1), 6), fmt(t.element_sd, 6), fmt(gaussian_sigma(1, 1e-5, s.s2.value), 6))`, "1e-5 74.9848 74.9848"},
		{`w = waterfill([1, 1e-6], 1)
print(w.precisions, w.active, fmt(w.level, 6), fmt(w.log_pnr, 6), w.residual.value)`, "[1.0, 0.0] [0] 2 0.693147 0.0"},
		{`w = waterfill([1, 1], 2, norm="l2")
print([fmt(p, 6) for p in w.precisions], fmt(w.level, 6))`, `["1", "1"] 0.25`},
		{`d = mvg_noise(l2_sensitivity(1, 1, 1, 1), [[4]])
print(fmt(d.pnr([[12]]), 6), fmt(d.mutual_information([[12]]), 6), fmt(d.whitened_sensitivity, 6))`, "4 0.693147 0.5"},
		{`g = gram_sensitivity(4, 200, "bounded", 1 / 10176)
print(fmt(g.s2, 6), fmt(g.gamma, 6), difference_sensitivity([[[3, 4]]]).s2.value, difference_sensitivity([[[3, 4]]]).gamma)`, "5.55902 40000 5.0 None"},
		{`d = mvg(l2_sensitivity(2, 3, 1, 2), 1, 0.1)
a, b = d.sample([[0, 0, 0], [0, 0, 0]], seed=4), d.sample([[1, 0, 0], [0, 0, 0]], seed=4)
print(fmt(b[0][0] - a[0][0], 6), b[1] == a[1])`, "1 True"},
		{`d = mvg_noise(gram_sensitivity(3, 1, "bounded"), [[1, 0, 0], [0, 2, 0], [0, 0, 5]], psi=[[3, 0.5, 0], [0.5, 1, 0], [0, 0, 0.7]], delta=1e-5)
print(fmt(d.whitened_sensitivity, 11), fmt(d.smallest_epsilon, 11), fmt(d.smallest_epsilon.lo, 11))`, "1.4126169684 6.5641415838 5.5526789347"},
		{`o = mvg_optimal(difference_sensitivity([[[8, 0], [0, 1]]]), 1, 1e-5, modal="both")
mu = 1 / gaussian_sigma(1, 1e-5).value
print(fmt(o.optimum, 10) == fmt(125 / (mu * mu), 10), o.everywhere, o.design.psi != None, len(o.directions))`, "True True True 2"},
		{`print(fmt(mvg_optimal(box_sensitivity(2, 1, [0.5, 1]), 1, 1e-5, directions=[[0.6, -0.8], [0.8, 0.6]], axes="free").optimum, 9) == fmt(mvg_optimal(box_sensitivity(2, 1, [0.5, 1]), 1, 1e-5).optimum, 9))`, "True"},
		{`print(kronecker_waterfill([1, 3], [1, 2], 2), kronecker_waterfill([1, 3], [1, 2], 2, starts=0))`,
			"<kronecker waterfilling, local: ln PNR 3.542, at most 3.58352; reached from 9 of 9 starts: the uniform one and 8 drawn> <kronecker waterfilling, local: ln PNR 3.542, at most 3.58352; from the uniform start alone>"},
		{`o = mvg_optimal(difference_sensitivity([[[8, 0], [0, 1]], [[0, 1], [2, 0]]]), 1, 1e-5, objective="information", weights=[300, 1], axes="free")
print(o.design, str(o).endswith("; 1 of 2 directions are withheld, so there is no design>"))`, "None True"},
		{`d = mvg_noise(l2_sensitivity(1, 1, 1, 1), [[4]])
print(gaussian_delta(0, 2), d.delta_at(0).value == gaussian_delta(0, 2).value, d.epsilon_at(0), gaussian_epsilon(0, 2))`, // erf(1/(4√2)) = 0.19741265136584744848…
			"0.197412651365848 (certified: in [0.19741265136584743, 0.19741265136584746]) True inf (certified) inf (certified)"},
		{`r = r1smg(4, 1, 1e-5)
z = r.delta_at(0)
print(z.lo < z.hi, z.hi - z.lo < 0.001, z.lo > r.delta_at(ln(3)).hi)`, "True True True"},
		{`s = l2_sensitivity(2, 2, 1, 1)
e = mvg(s, ln(3), 1e-5, condition="tight").smallest_epsilon
print(e.lo < ln(3).value and e.hi < ln(3).value * (1 + 1e-14), mvg(s, ln(3), 1e-5).claimed_epsilon)`, "True 1.09861228866811 (claimed)"},
		{`print(mvg_optimal(box_sensitivity(2, 1, [0.5, 1.5]), 1, 1e-5).everywhere, r1smg(4, 1, 1e-5).delta_at(1).lo > 1e-5)`, "True True"},
	} {
		got, err := run(t, c.script)
		if err != nil || strings.TrimSpace(got) != c.want {
			t.Errorf("%s\n gives %q, %v\n want  %q", c.script, got, err, c.want)
		}
	}
}

func TestMVGErrors(t *testing.T) {
	for source, want := range map[string]string{
		"l2_sensitivity(2, 2, 1, 0.4)":                                                                                "gamma = 0.4, want at least s2/2",
		"l2_sensitivity(2, 3000000, 1, 1)":                                                                            "query is 2×3000000",
		"mvg(l2_sensitivity(2, 2, 1, 1), 1, 1)":                                                                       "delta = 1, want 0 < delta < 1",
		"mvg(l2_sensitivity(2, 2, 1, 1), 1, 0.1, theta=[0.5, 0.6])":                                                   "theta sums to 1.1, want 1",
		"mvg(l2_sensitivity(2, 2, 1, 1), 1, 0.1, directions=[[1, 1], [0, 1]])":                                        "not orthonormal: ‖WᵀW − I‖ = 1.73",
		"mvg_noise(l2_sensitivity(2, 2, 1, 1), [[1, 2], [2, 1]])":                                                     "mvg_noise: sigma: not positive definite: the smallest eigenvalue is -1 (the largest 3), want",
		"mvg_noise(l2_sensitivity(2, 2, 1, 1), [[1, 0], [0, 0]])":                                                     "mvg_noise: sigma: not positive definite: the smallest eigenvalue is 0 (the largest 1)",
		"mvg_noise(l2_sensitivity(2, 2, 1, 1), [[1, 2], [0, 1]])":                                                     "not symmetric",
		"mvg_noise(l2_sensitivity(2, 2, 1, 1), [[1]])":                                                                "sigma is of order 1",
		"mvg(l2_sensitivity(2, 2, 1, 1), 1, 0.1).sample([[1]])":                                                       "f(X) is 1×1, want 2×2",
		"mvg(l2_sensitivity(2, 2, 1, 1), 1, 0.1).pnr([[1]])":                                                          "is 1×1, want order 2 or 4",
		"mvg(difference_sensitivity([[[1]]]), 1, 0.1)":                                                                "need γ",
		"mvg(l2_sensitivity(2, 2, 1, 1), 1, 0.1, condition=\"theorem3\")":                                             "equi-modal",
		"mvg(l2_sensitivity(2, 2, 1, 1), 1, 0.1, condition=\"tight\").alpha":                                          "alpha",
		"waterfill([1e308, 1e308, 1e-308], 1e308)":                                                                    "eigenvalues[0] = 1e+308, want 0 or a number between 1e-100 and 1e100",
		"components([[1, 2], [3, 4]])":                                                                                "s is not symmetric: s[0][1] = 2 and s[1][0] = 3 differ by 1",
		"lost_variance([[1, 2], [3, 4]], [[1, 0], [0, 1]])":                                                           "s is not symmetric",
		"residual_sum([[1, 0], [0, 1]], [[1]])":                                                                       "the estimate is of order 1, want 2",
		"nearest_kronecker([[1, 2], [3, 4]], 2, 1)":                                                                   "k is not symmetric: k[0][1] = 2 and k[1][0] = 3 differ by 1",
		"mvg(l2_sensitivity(2, 2, 1, 1), 1, 0.1).pnr([[1, 2], [0, 1]])":                                               "k[0][1] = 2 and k[1][0] = 0 differ by 2",
		"mvg(l2_sensitivity(2, 3, 1, 1), 1, 0.1).sample([[1, 2, 3], [1, 2, float(\"inf\")]])":                         "x[1][2] = +inf, want a finite number",
		"r1smg(4, 1, 1e-5).sample([[1, 2], [3, float(\"-inf\")]])":                                                    "x[1][1] = -inf, want a finite number",
		"laplace_noise([[float(\"inf\")]], 2)":                                                                        "x[0][0] = +inf, want a finite number",
		"mvg_noise(box_sensitivity(2, 2, 1), [[1e-320, 0], [0, 1]], delta=1e-5)":                                      "the largest whitened difference is between",
		"gaussian_sigma(1e300, 1e-5)":                                                                                 "eps = 1e+300, want a number between 1e-300 and 1e+20",
		"gaussian_sigma(1, 1e-320)":                                                                                   "delta = 1e-320, want a number from 1e-307 to below 1",
		"mvg_noise(l2_sensitivity(2, 2, 1, 1), [[1, 0], [0, 1]]).smallest_epsilon":                                    "has no .smallest_epsilon: give delta= to mvg_noise",
		"difference_sensitivity([[[1, 0], [0, 9007199254740993]]])":                                                   "differences[0][1][1] = 9007199254740993, want a number that a float64 can hold: 9007199254740992 is the nearest",
		"difference_sensitivity([3])":                                                                                 "differences[0] = 3, want a list",
		"difference_sensitivity([[[1, 0], [0]]])":                                                                     "differences[0][1] has 1 entries, want 2",
		"mvg_optimal(box_sensitivity(2, 3, 1), 1, 0.1, objective=\"information\", weights=[1e-150, 1])":               "weights[0] = 1e-150, want 0 or",
		"mvg_optimal(box_sensitivity(2, 3, 1e-60), 1, 0.1, objective=\"information\", weights=[1, 1])":                "2·half_width[0] = 2e-60, want",
		"mvg_optimal(gram_sensitivity(2, 1), 1, 0.1, objective=\"information\", weights=[1e-150, 1], modal=\"both\")": "weights[0] = 1e-150, want 0 or",
		"gaussian_delta(-1, 1)":                                                                                       "eps = -1, want a number of at least 0",
		"waterfill([], 1)":                                                                                            "eigenvalues is an empty list",
		"waterfill([-1], 1)":                                                                                          "eigenvalues[0] = -1",
		"gaussian_sigma(0, 1e-5)":                                                                                     "eps = 0",
		"difference_sensitivity([[[1, 2]], [[1], [2]]])":                                                              "difference 1 is 2×1, the first is 1×2",
		"box_sensitivity(2, 3, [1, 2, 3])":                                                                            "half_width has 3 entries, want 2",
		"gram_sensitivity(2, 1, \"replaced\")":                                                                        `want "unbounded", "bounded", "add_remove" or "replace"`,
		"mvg(l2_sensitivity(2, 2, 1, 1), 1, 0.1, modal=\"both\")":                                                     `want "uni" or "equi"`,
		"mvg(l2_sensitivity(2, 9000, 1, 1), 1, 0.1, condition=\"tight\").psi":                                         "of order 9000",
		"mvg_optimal(l2_sensitivity(2, 2, 1, 1), 1, 0.1, modal=\"any\")":                                              `want "uni", "equi" or "both"`,
		"mvg_optimal(difference_sensitivity([[[1, 0], [0, 0]]]), 1, 0.1)":                                             "all differences are zero in some direction of the rows",
		"mvg_optimal(box_sensitivity(2, 3, 1), 1, 0.1, objective=\"information\")":                                    "eigenvalues",
	} {
		_, err := repl.NewSession().ExecScript(t.Context(), "a", source)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n gives %v\n want  %s", source, err, want)
		}
	}
}
