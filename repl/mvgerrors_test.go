package repl_test

import (
	"strings"
	"testing"

	"dpworkbench/repl"
)

// A design that cannot be is an error of the call that asks for it.
func TestMVGDesignErrors(t *testing.T) {
	const s = "s = l2_sensitivity(2, 3, 1, 2)\n"
	for _, source := range []string{
		`mvg(s, 1, 0.1, theta=[1, 1], condition="tight")`,
		`mvg(s, 1, 0.1, theta=[1, 1], condition="theorem2")`,
		`mvg(s, 1, 0.1, condition="theorem3")`, // of positive semidefinite queries
		`mvg(s, 1, 0.1, directions=[[1, 0]], condition="tight")`,
		`mvg(s, 1, 0.1, directions=[[1, 1], [1, 1]], condition="tight")`,
		`mvg_noise(s, [[1]])`,
		`mvg_noise(s, [[1]], delta=0.1)`,
		`mvg_noise(s, [[1, 0], [0, -1]])`,
		`mvg_noise(s, [[1, 2], [2, 1]], delta=0.1)`,
		`mvg_noise(s, [[1, 0], [0, 1]], psi=[[1]])`,
		`mvg_noise(s, [[1, 0], [0, 1]], psi=[[1]], delta=0.1)`,
	} {
		session := repl.NewSession()
		_, err := session.ExecScript(t.Context(), "mvg.star", s+"d = "+source+"\n")
		if err == nil || !strings.Contains(err.Error(), "mvg") {
			t.Errorf("%s: %v", source, err)
		}
		if _, err := session.ExecScript(t.Context(), "after.star", "d\n"); err == nil {
			t.Errorf("%s leaves a design behind", source)
		}
	}
}
