package query

import (
	"fmt"
	"strings"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/nearest"
	"dpworkbench/internal/parameter"
)

// Named returns the space with names for its datasets, in order: strings, integers (int) or lists of integers
// ([]int). It returns an error wrapping evidence.ErrParameter unless there is one name per dataset, each of these
// types, and all are distinct.
func (s *Space) Named(names []any) (*Space, error) {
	if len(names) != s.Size() {
		return nil, parameter.Errorf("names has %d entries, want %d, one per dataset", len(names), s.Size())
	}
	places := make(map[string]int, len(names))
	for x, name := range names {
		key, ok := nameKey(name)
		if !ok {
			return nil, parameter.Errorf("names[%d] = %v, want a string, an integer or a list of integers", x, name)
		}
		if first, twice := places[key]; twice {
			return nil, parameter.Errorf("names[%d] = %s repeats names[%d]", x, formatName(name), first)
		}
		places[key] = x
	}
	named := &Space{offsets: s.offsets, neighbors: s.neighbors, graphs: s.graphs, levels: s.levels, matrix: s.matrix, closedForm: s.closedForm, recordCount: s.recordCount, names: names}
	named.name = func(x int) any { return names[x] }
	named.find = func(name any) (int, error) {
		if key, ok := nameKey(name); ok {
			if x, ok := places[key]; ok {
				return x, nil
			}
		}
		return 0, parameter.Errorf("%s is not a dataset, want one of %s", formatName(name), listNames(name, names))
	}
	return named, nil
}

// Names returns the names given to Named, or nil. The caller must not change the slice.
func (s *Space) Names() []any { return s.names }

// Find returns the dataset with the given name: a name given to Named, a graph6 string in any labelling, or the
// counts of a histogram as []int. It returns an error wrapping evidence.ErrParameter if there is none.
func (s *Space) Find(name any) (int, error) {
	if s.find == nil {
		return 0, parameter.Errorf("%s is not a dataset: datasets have no names, want a number in 0…%d", formatName(name), s.Size()-1)
	}
	return s.find(name)
}

// nameKey returns a key of the name, and false if its type is not allowed.
func nameKey(name any) (string, bool) {
	switch name.(type) {
	case string, int, []int:
		return formatName(name), true
	}
	return "", false
}

// formatName formats a name as in a script.
func formatName(name any) string {
	switch name := name.(type) {
	case string:
		return fmt.Sprintf("%q", name)
	case []int:
		return "(" + strings.ReplaceAll(strings.Trim(fmt.Sprint(name), "[]"), " ", ", ") + ")"
	}
	return fmt.Sprint(name)
}

// listNames lists the first few names for an error message, and suggests the name most like meant.
func listNames(meant any, names []any) string {
	const most = 8
	texts := lists.Of(len(names), func(i int) string { return formatName(names[i]) })
	list, hint := strings.Join(texts[:min(most, len(texts))], ", "), ""
	if len(texts) > most {
		list += fmt.Sprintf(", … (%d datasets)", len(texts))
		hint = nearest.Hint(formatName(meant), texts)
	}
	return list + hint
}
