// Package repl is the vocabulary of the workbench: what scripts, the prompt and
// notebooks may say of the mathematics. The language they say it in is package
// script. A binding does no arithmetic and makes no evidence.
//
// # Adding a built-in
//
// One file per room of the mathematics, named for it (query.go, layers.go, …),
// holds a function that returns a table of built-ins; builtins.go lists these
// functions. Nothing registers itself. radii.go is a worked example.
//
//	func queryBuiltins() []script.Builtin {
//		return []script.Builtin{script.Func("graphs(n: int[1..10]) -> graphs",
//			"Unlabeled simple graphs on n nodes; neighbors differ by one edge.", "graphs(4).size",
//			func(c *script.Call) (any, error) { return query.NewGraphs(c.Context, c.Int("n"), nil) })}
//	}
//
// The declaration is all that is said of a parameter: its name, what it takes
// (script/argument.go lists the kinds: number, int[1..10], epsilon, numbers, matrix,
// seed, "uni"|"equi", the name of a class, …; mvg.go has dense and symmetric, for
// the mathematics' own matrices), and a default, a Starlark literal; "*xs: list" collects
// the rest, and what follows a "*" alone is reached by its name only. A parameter whose default is None may be None, and Given asks. Every argument is read and checked before the function runs, with an
// error that names built-in, parameter, value and allowed range; 1 counts for 1.0 and
// evidence for its value. The getters (Int, Float, Epsilon, Floats, Rows, Text, Source,
// …) hand out what was read.
//
// After the arrow stands the type of the result, several between bars, with "?" behind
// where None may come. Go's numbers, strings, lists of them, maps, matrices and
// evidence become script values on their own, and what belongs to a class becomes a
// value of it (see script/convert.go). An error from the mathematics is returned as it
// is: the session adds the built-in's name and the script's line; must(f(…)) ends the call
// with it where more is to be done with what f returns. Long work takes c.Context, which
// ends where the user interrupts, and carries the progress that is reported
// ([parallel.Report]) to the session.
//
// # Adding a type
//
// A [script.Class] gives a Go type its script face: a name, help, attributes and
// methods, and how it prints. Get reads an attribute off a value; Do computes one, or
// is a method where the declaration has parentheses. An example "" prints the attribute
// of what the class's Setup makes, one that begins with "(" prints a call with these
// arguments.
//
//	var radiiClass = &script.Class[*optimize.Radii]{
//		Name: "radii", Help: "Radii per dataset that a search found.", Setup: "b = best_radii(…)\n",
//		Attrs: []script.Attr[*optimize.Radii]{
//			script.Get("radius -> list", "The radius of every dataset.", "", func(r *optimize.Radii) any { return r.Radius }),
//		},
//	}
//
// radiiClass.Arg(c, "b") reads an argument that is declared as "b: radii". An attribute
// with .If(…) exists just where the test says so. Immutable attribute values are
// remembered, so a costly one is computed once; .Varying() says that one may change.
// A new class is listed in builtins.go (types).
//
// Every built-in, attribute and method has help with an example; tests run every
// example, compare what it prints, and look at the declarations.
package repl

//go:generate go run ../cmd/workbench reference --pages ../docs/reference --python ../python/dpworkbench
//go:generate go run ../cmd/workbench claims --page ../docs/claims.md --errata ../docs/errata
