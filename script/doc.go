// Package script is the script language of the workbench: Starlark, a dialect of
// Python, with sessions, live names, interrupts, bounds on memory, and numbers that
// carry their evidence. It knows no mathematics beyond them: what scripts may say of
// mechanisms is a [Vocabulary], which package repl brings.
//
// # Sessions
//
// A [Session] executes source chunk by chunk. Top-level names live in one table that
// every chunk and every function reads at the moment of use, so that a redefinition is
// seen by whatever was defined before (live.go says how). errors.go words what went
// wrong and where; sandbox.go, operators.go and nesting.go bound what a script may take.
//
// # Values
//
// [Evidence] wraps a number of package evidence and compares as far as that decides
// (compare.go); [Matrix] is a matrix; [Object] is a Go value with the face that its
// [Class] gives it.
//
// # Bindings
//
// [Func], [Get] and [Do] bind Go functions by a declaration, which one place parses (declare.go). [Kind] converts
// arguments (argument.go, args.go, reading.go), and results become script values (convert.go). Completion, help and
// the manual also come from the declaration (complete.go, help.go, reference.go). Package repl explains how to add
// one.
package script
