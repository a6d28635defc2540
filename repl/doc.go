// Package repl is the vocabulary of the workbench: the functions and classes that scripts, the prompt and notebooks
// use. Package script is their language. A binding does no arithmetic and makes no evidence.
//
// # Adding a built-in
//
// Each subject has a file (query.go, layers.go, …) with a function that returns a table of built-ins. builtins.go lists
// these functions; nothing registers itself. radii.go is a complete example.
//
//	func queryBuiltins() []script.Builtin {
//		return []script.Builtin{script.Func("graphs(n: int[1..10]) -> graphs",
//			"Unlabeled simple graphs on n nodes; neighbors differ by one edge.", "graphs(4).size",
//			func(c *script.Call) (any, error) { return query.NewGraphs(c.Context, c.Int("n")) })}
//	}
//
// The declaration says everything about a parameter: its name, its kind and its default.
//
//   - script/argument.go lists the kinds: number, int[1..10], epsilon, delta, numbers, matrix, seed, "uni"|"equi",
//     the name of a class, and more. mvg.go adds dense and symmetric matrices.
//   - The default is a Starlark literal. A parameter whose default is None may be None:
//     c.Given reports whether it has another value.
//   - "*xs: list" collects the remaining positional arguments. What follows a lone "*" is passed by name only.
//
// Every argument is read and checked before the function runs. The error names the built-in, the parameter, its value
// and the allowed range. 1 stands for 1.0, and evidence for its value. The getters (Int, Float, Epsilon, Delta,
// Floats, Rows, Text, Source, …) return what was read.
//
// The type of the result follows the arrow: alternatives are separated by bars, and "?" says that None may be
// returned. Go's numbers, strings, lists, maps, matrices and evidence become script values, and a value that a class
// describes becomes one of that class (script/convert.go). Return an error from the mathematics as it is: the session
// adds the name of the built-in and the script's line. must(f(…)) ends the call with f's error. Long work takes
// c.Context, which ends when the user interrupts, and reports its progress by [parallel.Report].
//
// # Adding a type
//
// A [script.Class] describes a Go type to scripts: its name, help, attributes, methods and printed form. Get reads an
// attribute from a value. Do computes one, or is a method if the declaration has parentheses. The example "" prints the
// attribute of the value that the class's Setup makes; one that begins with "(" prints a call with these arguments.
//
//	var radiiClass = &script.Class[*optimize.Radii]{
//		Name: "radii", Help: "Radii per dataset that a search found.", Setup: "b = best_radii(…)\n",
//		Attrs: []script.Attr[*optimize.Radii]{
//			script.Get("radius -> list", "The radius of every dataset.", "", func(r *optimize.Radii) any { return r.Radius }),
//		},
//	}
//
// radiiClass.Arg(c, "b") returns an argument declared as "b: radii". An attribute with .If(…) exists only where the
// test holds. Values of immutable attributes are cached, so a costly one is computed once; .Varying() turns that off.
// List a new class in builtins.go (types).
//
// Every built-in, attribute and method has help with an example. Tests run each example, compare its output and check
// the declarations.
package repl

//go:generate go run ../cmd/workbench reference --pages ../docs/reference --python ../python/dpworkbench
//go:generate bash ../.ci/ledger
