package audit_test

import (
	"testing"

	"dpworkbench/audit"
)

func TestParseNumberIsDecimal(t *testing.T) {
	for text, want := range map[string]string{"010/030": "1/3", "09/10": "9/10", "1/010": "1/10", "0.1": "1/10", "1e-2": "1/100"} {
		if p, _, err := audit.ParseNumber(text); err != nil || p.RatString() != want {
			t.Errorf("%s parses as %v, %v, want %s", text, p, err, want)
		}
	}
}

// ParseNumber trims spaces. A decimal of more than twelve digits is rounded.
func TestParseNumberLimits(t *testing.T) {
	for text, want := range map[string]struct {
		p       string
		rounded bool
	}{" 0.5 ": {"1/2", false}, "\t1/3\n": {"1/3", false}, "0.123456789012": {"30864197253/250000000000", false}, "0.1234567890123": {"1234567890123/10000000000000", true}, "0.1234567890120": {"30864197253/250000000000", false}, "1234567890123/9999999999999": {"1234567890123/9999999999999", false}, "0.0001234567890123e1": {"1234567890123/1000000000000000", true}, "00001e-5": {"1/100000", false}, "+1e-1": {"1/10", false}} {
		p, rounded, err := audit.ParseNumber(text)
		if err != nil || p.Cmp(rat(want.p)) != 0 || rounded != want.rounded {
			t.Errorf("%q parses as %v, rounded %t, %v", text, p, rounded, err)
		}
	}
}
