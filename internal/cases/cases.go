// Package cases selects the number of cases of a test: few by default, and all if WORKBENCH_FULL is set, as
// .ci/full does.
package cases

import (
	"os"
	"runtime/debug"
)

// Tests allocate many numbers that they drop at once. Less frequent garbage collection shortens them by a tenth.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
}

// All reports whether tests run all their cases.
func All() bool { return os.Getenv("WORKBENCH_FULL") != "" }

// Every reports whether a test runs its case number i: one case in k, or every case if tests run all their cases.
func Every(k, i int) bool { return All() || i%k == 0 }

// Of returns few, or all if tests run all their cases.
func Of[T any](few, all T) T {
	if All() {
		return all
	}
	return few
}
