package signrp_test

import (
	"testing"

	"dpworkbench/claims/check/checktest"
	"dpworkbench/claims/signrp"
	"dpworkbench/internal/ctxtest"
)

func TestLedger(t *testing.T) {
	checktest.Ledger{Claims: signrp.Claims(), Sizes: sizes, Panels: experiments}.Run(t)
}

func TestInterrupted(t *testing.T) {
	checktest.Ledger{Claims: signrp.Claims()}.Interrupted(t, ctxtest.CancelOnce)
}
