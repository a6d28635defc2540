package repl

import "slices"

// room is a part of the vocabulary under one heading of help().
type room struct {
	title   string
	entries []builtin
}

// vocabulary lists every built-in of the workbench, room by room.
func vocabulary() []room {
	return []room{
		{"Numbers and evidence", slices.Concat(lnBuiltins(), numberBuiltins(), matrixBuiltins())},
		{"Universes and queries", queryBuiltins()},
		{"Finite mechanisms", slices.Concat(layersBuiltins(), mechanismBuiltins())},
		{"Claims", claimsBuiltins()},
		{"Tables and pictures", figureBuiltins()},
		{"Files", fileBuiltins()},
		{"The session", sessionBuiltins()},
	}
}
