// Package cases says how many cases a test takes: few by default, and all where WORKBENCH_FULL is set, as .ci/full
// does.
package cases

import "os"

// All says whether tests take all their cases.
func All() bool { return os.Getenv("WORKBENCH_FULL") != "" }

// Of returns few, or all where tests take all their cases.
func Of[T any](few, all T) T {
	if All() {
		return all
	}
	return few
}
