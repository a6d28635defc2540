package repl

import "slices"

// vocabulary lists every built-in of the workbench, room by room.
func vocabulary() []builtin {
	return slices.Concat(
		lnBuiltins(),
		matrixBuiltins(),
		queryBuiltins(),
		layersBuiltins(),
		mechanismBuiltins(),
		claimsBuiltins(),
	)
}
