// Package must unwraps results in tests, for calls that should not fail.
package must

import "testing"

// Be returns v, and panics if there is an error.
func Be[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// For returns a function that returns v to a test, or ends the test if there is an error: must.For(f())(t).
func For[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
