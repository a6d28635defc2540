// Package serve lets another program use a session over a pipe: the Python package does, and its notebook kernel.
// docs/protocol.md says what is written; version is counted there.
//
// frame.go reads and writes frames, pack.go puts values into them and unpack.go takes them out, handles.go keeps the
// values that the other side refers to. server.go answers requests, one inside another
// where a function of the other side (callback.go) asks for something itself. notebook.go answers a notebook's kernel:
// rich.go displays what its cells give, trace.go what fails in them.
package serve
