package repl_test

import (
	"strings"
	"testing"
)

// Functions that take a matrix share its memory and never change it.
func TestMatrixArgumentsAreNotChanged(t *testing.T) {
	out, err := run(t, `
x = matrix([[0.5, -0.25, 0.125], [0.75, 0.5, -1]]) * 0.5
k = matrix([[2, 0.5], [0.5, 1]])
w = matrix([[0.6, 0.8], [0.8, -0.6]])
lent = (x, k, w)
before = [str(m) for m in lent]
d = mvg(l2_sensitivity(2, 3, 1, 1), 1, 1e-5, theta=[0.5, 0.5], directions=w)
p = ppca(1)
used = [d.simulate(x, seed=1), d.simulate(x, seed=1, sampler="vectorised"), d.release(x, seed=1), d.pnr(k), d.log_pnr(k), d.mutual_information(k),
    gram(x), components(k), lost_variance(k, w), residual_sum(k, k), nearest_kronecker(k, 1, 2), laplace_release(x, "1", "1", seed=1), r1smg(6, 1, 1e-5).simulate(x, seed=1),
    r1smg(6, 1, 1e-5).release(x, seed=1), bingham(k), p.law(x), p.captured(x), p.simulate(x, seed=1), x + x, x * 2, -x, x[0]]
print([str(m) for m in lent] == before, len(used))
`)
	if err != nil || strings.TrimSpace(out) != "True 22" {
		t.Errorf("%s%v", out, err)
	}
}
