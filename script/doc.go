// Package script is the script language of the workbench: Starlark, a dialect of Python, with sessions, live names,
// interrupts, bounds on memory, and numbers that carry their evidence. It contains no other mathematics. The built-ins
// for mechanisms form a [Vocabulary], which package repl provides.
//
// # Sessions
//
// A [Session] executes source chunk by chunk. Top-level names live in one table. Every chunk and every function reads a
// name from it at the moment of use, so functions defined before a redefinition see the new value (see live.go).
// errors.go formats errors and their places. sandbox.go, operators.go and nesting.go bound the resources that a script
// may use.
//
// # Values
//
// [Evidence] wraps a number of package evidence. Comparisons of evidence succeed if its bounds decide them
// (compare.go). [Matrix] is a matrix. [Object] is a Go value with the attributes, operators and texts that its [Class]
// defines.
//
// # Bindings
//
// [Func], [Get] and [Do] bind Go functions to declarations, which declare.go parses. [Kind] converts arguments
// (argument.go, args.go, reading.go), and results become script values (convert.go). Completion, help and the manual
// also use the declaration (complete.go, help.go, reference.go). Package repl explains how to add a built-in.
package script
