// Package repl is the script language: Starlark with the workbench's
// vocabulary, shared by the prompt, by scripts and by notebooks. It does no
// arithmetic of its own beyond the float rules of evidence.
//
// # Sessions
//
// A [Session] executes source chunk by chunk. Top-level names live in one
// table that every chunk and every function reads at the moment of use, so a
// redefinition is seen by whatever was defined before (live.go says how).
//
// # Adding a binding
//
// One file per room of the mathematics, named for it (query.go, layers.go, …),
// holds a function that returns a table of built-ins; builtins.go lists these
// functions. Nothing registers itself. ln.go is a worked example.
//
//	func queryBuiltins() []builtin {
//		return []builtin{{
//			name:    "graphs",
//			params:  "n",
//			help:    "Unlabeled simple graphs on n nodes; neighbors differ by one edge.",
//			example: `graphs(4).size`,
//			run: func(c *call) (starlark.Value, error) {
//				g, err := query.NewGraphs(c.ctx, c.int("n", 1, 10), nil)
//				if err != nil {
//					return nil, err
//				}
//				return universeClass.of(c, g), nil
//			},
//		}}
//	}
//
// params is the signature as help prints it. Each parameter is required unless
// it has a default ("seed=0", a Starlark literal); "*xs" collects the rest.
// The getters of [call] (int, float, epsilon, floats, matrix, pairs, string,
// choice, callable, source, …) read a parameter by name, take 1 for 1.0 and
// evidence for its value, and stop the call with an error that names built-in,
// parameter, value and allowed range: no error is returned for the binding to
// check. A parameter that may be None is asked for with given.
//
// An error that comes back from the mathematics is returned as it is: the
// session adds the built-in's name and the script's line. Long work takes c.ctx,
// and reports to c.progress.
//
// # Adding a type
//
// A [class] gives a Go type its script face: a name, help, a table of
// attributes (get) and methods (params and run), and how it prints.
//
//	var universeClass = &class[*query.Graphs]{
//		name: "universe",
//		help: "A dataset metric space.",
//		show: func(u *query.Graphs) string { return fmt.Sprintf("<universe of %d datasets>", u.Size()) },
//		attrs: []attr[*query.Graphs]{
//			{name: "size", help: "Number of datasets.", example: "graphs(4).size",
//				get: func(c *call, u *query.Graphs) (starlark.Value, error) { return starlark.MakeInt(u.Size()), nil }},
//			{name: "distance", params: "i, j", help: "…", example: "graphs(4).distance(0, 3)",
//				run: func(c *call, u *query.Graphs) (starlark.Value, error) { … c.index("i", u.Size()) … }},
//		},
//	}
//
// class.of(c, v) makes the script value, argument(c, "u", universeClass) reads
// one back. An attribute with only set exists just where only says so.
// Immutable attribute values are remembered, so a costly get runs once; varies
// says that one may change.
//
// A new class is listed in builtins.go (types), so that help finds it by name.
//
// Answers go back through convert.go: known(number) for evidence, floatList,
// intList, pairList, listOf, fieldsOf, matrixOf. Every built-in, attribute and
// method has help with an example, and a test runs every example.
package repl
