package repl_test

import (
	"strings"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/repl"
)

// The error for an unknown claim of a known paper lists the existing claims.
func TestUnknownClaimOfAPaper(t *testing.T) {
	_, err := run(t, `claim("mvg.x")`)
	if err == nil || !strings.Contains(err.Error(), `id = "mvg.x" is not a claim; the claims of mvg, without the prefix "mvg.", are algorithm1, `) || strings.Contains(err.Error(), "theorem3.proof") {
		t.Errorf("error %v", err)
	}
}

// Every function that a claim names as resting on it exists.
func TestServedFunctionsExist(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	for _, c := range claims.All() {
		for _, name := range c.Entry.Serves {
			if s.Builtin(name) == nil {
				t.Errorf("%s serves %s, which is not a built-in", c.ID, name)
			}
		}
	}
}
