// Package callall holds a test alone: it calls every exported function and every
// method of the public rooms with arguments of every kind, and nothing may panic.
//
// The rooms' sources are read for what they export (source_test.go) and a table of
// it is laid over this package, so that nobody keeps a list: what is exported is
// called. The test binary made with that table does the calls by reflection
// (calls_test.go). Arguments are numbers with their edges, slices and matrices of
// fitting and of wrong shapes, and for the rooms' own types what earlier calls
// returned (values_test.go, pool_test.go). A nil pointer, a nil interface and the
// zero value of a struct without exported fields are never passed, unless the type's
// comment says that its zero value means something.
//
// Evidence that comes out must be a number within its own bounds. A panic is let
// through only where the comment of the function, of its type or of the interface
// that it implements says "panic": such are broken contracts, as an index beyond the
// end is, and no data.
package callall
