package signrp

import (
	"testing"

	"dpworkbench/claims/check/checktest"
	"dpworkbench/internal/ctxtest"
)

func TestLedger(t *testing.T) {
	checktest.Ledger{Claims: Claims(), Sizes: sizes, Panels: experiments}.Run(t)
}

func TestInterrupted(t *testing.T) {
	checktest.Ledger{Claims: Claims()}.Interrupted(t, ctxtest.CancelOnce)
}
