package query

import (
	"fmt"
	"strings"

	"dpworkbench/internal/nearest"
	"dpworkbench/internal/parameter"
)

// Named returns the space with names for its datasets, in their order: strings, whole
// numbers (int), or tuples of whole numbers ([]int). It returns an error wrapping
// evidence.ErrParameter where there is not one name for each, a name is none of these,
// or two datasets have the same.
func (s *Space) Named(names []any) (*Space, error) {
	if len(names) != s.Size() {
		return nil, parameter.Errorf("names has %d entries, want %d, one per dataset", len(names), s.Size())
	}
	places := make(map[string]int, len(names))
	for x, name := range names {
		key, ok := nameKey(name)
		if !ok {
			return nil, parameter.Errorf("names[%d] = %v, want a string, a whole number or several", x, name)
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
		return 0, parameter.Errorf("%s is no dataset, want one of %s", formatName(name), listNames(name, names))
	}
	return named, nil
}

// Names returns the names that Named gave, nil where there are none. The slice is the
// space's own and must not be changed.
func (s *Space) Names() []any { return s.names }

// Find returns the dataset of a name: one that Named gave, a graph6 string in any
// labelling, or the counts of a histogram as []int. It returns an error wrapping
// evidence.ErrParameter where there is none of that name.
func (s *Space) Find(name any) (int, error) {
	if s.find == nil {
		return 0, parameter.Errorf("%s is no dataset: these have no names, want a number in 0…%d", formatName(name), s.Size()-1)
	}
	return s.find(name)
}

// nameKey tells names apart.
func nameKey(name any) (string, bool) {
	switch name.(type) {
	case string, int, []int:
		return formatName(name), true
	}
	return "", false
}

// nameText writes a name as a script does.
func formatName(name any) string {
	switch name := name.(type) {
	case string:
		return fmt.Sprintf("%q", name)
	case []int:
		return "(" + strings.ReplaceAll(strings.Trim(fmt.Sprint(name), "[]"), " ", ", ") + ")"
	}
	return fmt.Sprint(name)
}

// someNames lists names, the first of them where they are many, and the one that was
// meant, where it is near.
func listNames(meant any, names []any) string {
	const most = 8
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = formatName(name)
	}
	list, hint := strings.Join(texts[:min(most, len(texts))], ", "), ""
	if len(texts) > most {
		list += fmt.Sprintf(", … (%d datasets)", len(texts))
		hint = nearest.Hint(formatName(meant), texts)
	}
	return list + hint
}
