package signrp

import (
	"testing"

	"dpworkbench/claims/check/checktest"
)

func TestLedger(t *testing.T) { checktest.Ledger{Claims: Claims(), Sizes: sizes}.Run(t) }
