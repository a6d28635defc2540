package repl

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"dpworkbench/internal/parallel"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// Shard is the part of a sweep that a session computes, and its results. Cell c belongs to shard c mod Count.
type Shard struct {
	Index, Count int

	Done  bool // the sweep has run and the fields below are set
	Cells int  // the number of cells of the whole sweep
	Sum   string
	Rows  []json.RawMessage // the rows of this shard's cells, in order
}

// sweepBuiltins returns the built-ins that compute many cells, in one or several processes.
func sweepBuiltins() []script.Builtin {
	return []script.Builtin{script.Func("sweep(cells: list, f: function) -> list",
		`The list [f(c) for c in cells], which may be computed in parts: "workbench run FILE --shard i/n --out DIR" computes the cells i, i + n, i + 2n, … (i from 0 to n-1), writes them to one file in DIR atomically, and ends the script there; "workbench merge DIR" merges the parts and writes the same bytes that "workbench run FILE --json" writes for a script with result = sweep(…). cells is a list of numbers, strings, lists or dicts, and f returns what json.encode can write. A script has one sweep.`,
		`cells = [(e, name) for e in [0.5, 1] for name in ["edge", "triangle"]]
def worst(cell):
    return purest(graphs(4).count(cell[1]), cell[0]).smallest_epsilon.value
print(sweep(cells, worst))`, runSweep)}
}

func runSweep(c *script.Call) (any, error) {
	cells, f, session := c.List("cells"), c.Callable("f"), own(c)
	if session.swept && !session.ManySweeps {
		return nil, fmt.Errorf("the script calls sweep a second time, want one call")
	}
	session.swept = true
	// All processes must have the same cells. Their JSON text is hashed, so that a merge can compare them.
	text, err := script.EncodeJSON(starlark.NewList(slices.Clone(cells)), 0)
	if err != nil {
		return nil, fmt.Errorf("cells: %w", err)
	}
	index, count := 0, 1
	shard := session.Shard
	if shard != nil {
		index, count = shard.Index, shard.Count
	}
	total := int64((len(cells) - index + count - 1) / count)
	parallel.Report(c.Context, 0, total, "")
	var rows []starlark.Value
	for k := index; k < len(cells); k += count {
		v, err := f(cells[k])
		if err != nil {
			return nil, err
		}
		if shard != nil { // encode it before f can change what it returned
			row, err := script.EncodeJSON(v, 0)
			if err != nil {
				return nil, fmt.Errorf("cell %d: %w", k, err)
			}
			shard.Rows = append(shard.Rows, json.RawMessage(row))
		}
		rows = append(rows, v)
		parallel.Report(c.Context, int64(len(rows)), total, "")
	}
	if shard == nil {
		return starlark.NewList(rows), nil
	}
	sum := sha256.Sum256([]byte(text))
	shard.Done, shard.Cells, shard.Sum = true, len(cells), hex.EncodeToString(sum[:])
	return nil, &script.Exit{}
}
