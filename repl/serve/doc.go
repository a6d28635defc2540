// Package serve lets another program use a session over a pipe. The Python package and its notebook kernel are such
// programs. docs/protocol.md describes the protocol and its versions.
//
// frame.go reads and writes frames. pack.go encodes values and unpack.go decodes them. handles.go holds the values that
// the client refers to. server.go answers requests. A request is nested in another one if a function of the client
// (callback.go) makes it. notebook.go answers a notebook's kernel, rich.go displays the values of its cells, and
// trace.go their errors.
package serve
