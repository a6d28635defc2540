package repl_test

import (
	"strings"
	"testing"
)

// An unknown claim of a known paper names those that there are.
func TestUnknownClaimOfAPaper(t *testing.T) {
	_, err := run(t, `claim("mvg.x")`)
	if err == nil || !strings.Contains(err.Error(), `id = "mvg.x" is no claim; of mvg there are mvg.`) || strings.Contains(err.Error(), "theorem3.proof") {
		t.Errorf("error %v", err)
	}
}
