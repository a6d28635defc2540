package repl_test

import (
	"strings"
	"testing"
)

// The error for an unknown claim of a known paper lists the existing claims.
func TestUnknownClaimOfAPaper(t *testing.T) {
	_, err := run(t, `claim("mvg.x")`)
	if err == nil || !strings.Contains(err.Error(), `id = "mvg.x" is not a claim; the claims of mvg are mvg.`) || strings.Contains(err.Error(), "theorem3.proof") {
		t.Errorf("error %v", err)
	}
}
