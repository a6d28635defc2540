// Package cases says how many cases a test takes: few by default, and all where WORKBENCH_FULL is set, as .ci/full
// does.
package cases

import "os"

// All says whether tests take all their cases.
func All() bool { return os.Getenv("WORKBENCH_FULL") != "" }

// Every says whether a test takes its case number i: one in k, or all where tests take all their cases.
func Every(k, i int) bool { return All() || i%k == 0 }

// Of returns few, or all where tests take all their cases.
func Of[T any](few, all T) T {
	if All() {
		return all
	}
	return few
}
