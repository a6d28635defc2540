// Package callall contains only a test: it calls every exported function and every method of the public packages with
// arguments of every kind. Nothing may panic, return half a result beside an error, or ignore an interrupt.
//
// source_test.go lists the packages' exports from their sources, and the test builds a binary with that table added to
// this package, so no list needs to be maintained. The binary makes the calls by reflection (calls_test.go). Arguments
// are numbers with their edge cases, slices and matrices of matching and of wrong shapes, and for the packages' own
// types the results of earlier calls (values_test.go, pool_test.go). A nil pointer, a nil interface and the zero value
// of a struct without exported fields are never passed, unless the type's comment says that its zero value is
// meaningful.
//
// An error must wrap an error that a public package exports, and come without a result. A call without an error is
// repeated once for each place that polls its context. The context then ends at that place, and the call must return
// the context's error.
//
// Returned evidence must be a number within its own bounds. A panic is allowed only if the comment of the function, of
// its type or of the interface that it implements says "panic": for a broken contract such as an index out of range,
// not for bad data.
package callall
