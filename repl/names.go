package repl

import (
	"fmt"
	"io"
	"math/big"

	"dpworkbench/internal/data"
	"dpworkbench/internal/lists"
	"dpworkbench/query"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// datasetKind is a dataset of a universe: its number, or its name.
var datasetKind = script.KindOf("dataset", func(c *script.Call, name string, v starlark.Value) starlark.Value {
	if _, ok := nameOf(v); !ok {
		if _, whole := script.ToInt(v); !whole {
			c.Fail(name, v, "the number of a dataset, or its name"+script.Inexact(v))
		}
	}
	return v
})

// nameOf reads the name of a dataset: a string, an integer or a list of integers.
func nameOf(v starlark.Value) (any, bool) {
	if text, ok := starlark.AsString(v); ok {
		return text, true
	}
	if _, ok := v.(starlark.Int); ok {
		return script.ToInt(v)
	}
	return countsOf(v)
}

// countsOf reads a list of integers.
func countsOf(v starlark.Value) ([]int, bool) {
	parts, ok := script.Elements(v)
	if !ok {
		return nil, false
	}
	counts := make([]int, len(parts))
	for i, p := range parts {
		if counts[i], ok = script.ToInt(p); !ok {
			return nil, false
		}
	}
	return counts, true
}

// scriptName returns a dataset's name as scripts see it, as in worst().x.
func scriptName(name any) any {
	if counts, ok := name.([]int); ok {
		return script.Ints(counts)
	}
	return name
}

// numbered reports whether a number means the index of a dataset. It does not if names are numbers.
func numbered(s *query.Space) bool {
	for _, name := range s.Names() {
		if _, ok := name.(int); ok {
			return false
		}
	}
	return true
}

// datasetOf returns the dataset that a value names or numbers.
func datasetOf(c *script.Call, where string, v starlark.Value, s *query.Space) int {
	name, named := nameOf(v)
	if _, whole := script.ToInt(v); !named || whole && numbered(s) {
		return c.IndexOf(where, v, s.Size())
	}
	x, err := s.Find(name)
	if err != nil {
		c.Stop("%s: %w", where, err)
	}
	return x
}

// datasetAt returns the dataset of a parameter.
func datasetAt(c *script.Call, name string, s *query.Space) int {
	return datasetOf(c, name, c.Value(name), s)
}

// called returns dataset x as scripts write it: its name if it has one, else its number.
func called(s *query.Space, x int) any {
	if names := s.Names(); names != nil {
		return scriptName(names[x])
	}
	return x
}

// perDataset reads one entry for each dataset: a list in order, or a dict by name or number.
func perDataset[T any](c *script.Call, name, want string, s *query.Space, v starlark.Value, read func(where string, v starlark.Value) T) []T {
	d, ok := v.(*starlark.Dict)
	if !ok {
		if list, ok := script.Elements(v); ok && len(list) != s.Size() {
			c.Stop("%s has %d entries, want %d, one %s per dataset", name, len(list), s.Size(), want)
		}
		return script.ListOf(c, name, v, read)
	}
	out, seen := make([]T, s.Size()), make([]bool, s.Size())
	for _, item := range d.Items() {
		where := fmt.Sprintf("%s[%s]", name, script.Brief(item[0]))
		x := datasetOf(c, where, item[0], s)
		if seen[x] {
			c.Stop("%s has dataset %v twice", name, s.Dataset(x))
		}
		out[x], seen[x] = read(where, item[1]), true
	}
	for x, ok := range seen {
		if !ok {
			c.Stop("%s has no entry for dataset %v, want one %s per dataset", name, s.Dataset(x), want)
		}
	}
	return out
}

// ownNames reads the names of a dict's keys, or returns nil if values is a list.
func ownNames(c *script.Call, values starlark.Value) (names []any) {
	d, ok := values.(*starlark.Dict)
	if !ok {
		return nil
	}
	for _, key := range d.Keys() {
		name, ok := nameOf(key)
		if !ok {
			c.Fail("values", key, "names of datasets that are strings, whole numbers or tuples of whole numbers")
		}
		names = append(names, name)
	}
	return names
}

// onPairs returns a function that calls the parameter's function with the names of two datasets.
func onPairs(c *script.Call, name string, called []starlark.Value) func(x, y int) starlark.Value {
	f := c.Callable(name)
	return func(x, y int) starlark.Value { return must(f(called[x], called[y])) }
}

// edgesOf reads the pairs of neighbors in a parameter: a list of pairs, or a function of two datasets.
func edgesOf(c *script.Call, name string, plain *query.Space, keys []starlark.Value) (edges [][2]int) {
	if _, ok := c.Arg(name).(starlark.Callable); ok {
		f := onPairs(c, name, keys)
		truth := func(x, y int) bool {
			v := f(x, y)
			b, ok := v.(starlark.Bool)
			if !ok {
				c.Fail(fmt.Sprintf("%s(%s, %s)", name, script.Brief(keys[x]), script.Brief(keys[y])), v, "True or False")
			}
			return bool(b)
		}
		for x := range keys {
			for y := range x {
				forth, back := truth(y, x), truth(x, y)
				if forth != back {
					c.Stop("%s(%s, %s) = %s and %[1]s(%[3]s, %[2]s) = %[5]s, want the same: neighbors are neighbors of each other", name, script.Brief(keys[y]), script.Brief(keys[x]), starlark.Bool(forth), starlark.Bool(back))
				}
				if forth {
					edges = append(edges, [2]int{y, x})
				}
			}
		}
		return edges
	}
	return script.ListOf(c, name, c.Value(name), func(where string, v starlark.Value) (pair [2]int) {
		ends, ok := script.Elements(v)
		if !ok || len(ends) != 2 {
			c.Fail(where, v, "a pair of datasets")
		}
		for j, end := range ends {
			pair[j] = datasetOf(c, fmt.Sprintf("%s[%d]", where, j), end, plain)
		}
		return pair
	})
}

// readQuery reads a query from two files.
func readQuery(c *script.Call) (any, error) {
	comma := delimiter(c)
	read := func(name string) [][]string {
		file := must(c.File(c.Text(name)))
		return must(c.Session.ReadFile(file, func(r io.Reader) (any, error) { return data.ReadCells(c.Context, r, comma) })).([][]string)
	}
	var metric query.ValueMetric
	metric.Discrete = c.Text("value_metric") == "discrete"
	return query.FromTables(c.Text("values"), read("values"), read("edges"), metric)
}

// priorKind is a probability for each dataset: a list, or a dict by name.
var priorKind = script.KindOf("prior", func(c *script.Call, name string, v starlark.Value) starlark.Value {
	if d, ok := v.(*starlark.Dict); ok {
		for _, item := range d.Items() {
			c.RationalOf(fmt.Sprintf("%s[%s]", name, script.Brief(item[0])), item[1])
		}
		return v
	}
	script.ListOf(c, name, v, c.RationalOf)
	return v
})

// priorOf returns the parameter prior, or nil for None.
func priorOf(c *script.Call, q *query.Query) []*big.Rat {
	switch v := c.Value("prior").(type) {
	case starlark.NoneType:
		return nil
	case *starlark.Dict:
		return perDataset(c, "prior", "probability", q.Space(), v, c.RationalOf)
	default: // the mathematics checks the number of entries
		return script.ListOf(c, "prior", v, c.RationalOf)
	}
}

// dictKind is a dict.
var dictKind = script.KindOf("dict", func(c *script.Call, name string, v starlark.Value) *starlark.Dict {
	d, ok := v.(*starlark.Dict)
	if !ok {
		c.Fail(name, v, "a dict")
	}
	return d
})

// lawTable reads the probabilities of a mechanism: rows, a dict of rows, or a function of a dataset and a value.
func lawTable(c *script.Call, q *query.Query) [][]*big.Rat {
	switch v := c.Arg("table").(type) {
	case [][]*big.Rat:
		return v
	case *starlark.Dict:
		return perDataset(c, "table", "row of probabilities", q.Space(), v, func(where string, v starlark.Value) []*big.Rat {
			d, ok := v.(*starlark.Dict)
			if !ok {
				return script.ListOf(c, where, v, c.RationalOf)
			}
			row := lists.Of(len(q.Range()), func(int) *big.Rat { return new(big.Rat) })
			for _, item := range d.Items() {
				row[placeOf(c, where, item[0], q)] = c.RationalOf(fmt.Sprintf("%s[%s]", where, script.Brief(item[0])), item[1])
			}
			return row
		})
	}
	f, rows := c.Callable("table"), make([][]*big.Rat, q.Size())
	for x := range rows {
		key := script.ToValue(scriptPlace(q.Space().Dataset(x)))
		for _, value := range q.Range() {
			r := scriptValue(value)
			rows[x] = append(rows[x], c.RationalOf(fmt.Sprintf("table(%s, %s)", script.Brief(key), script.Brief(r)), must(f(key, r))))
		}
	}
	return rows
}
