package query

import (
	"strconv"

	"dpworkbench/internal/decimal"
	"dpworkbench/internal/parameter"
)

// FromTables returns the query given by two tables of text. values has a row for each dataset x: its name and
// f(x). edges has a row for each pair of neighbors: their names. Under |a − b| a value is a number such as "12",
// "0.1" or "1/3", read without rounding; under other metrics it is a number if it parses as one, and a name
// otherwise. A dataset's name is an integer if it is written as one, and a string otherwise.
//
// If the first row of values has a word instead of a number, it is a header. Then the first row of edges is a
// header if it names no dataset. FromTables returns an error wrapping evidence.ErrParameter that names the row.
func FromTables(name string, values, edges [][]string, metric ValueMetric) (*Query, error) {
	numbers := !metric.Discrete && metric.Matrix == nil && metric.Rational == nil
	header := false
	var names []any
	var f []Value
	for i, row := range values {
		if len(row) != 2 {
			return nil, parameter.Errorf("values, row %d has %d cells, want 2: the name of a dataset and its value", i+1, len(row))
		}
		v, isNumber := readValue(row[1])
		switch {
		case numbers && !isNumber && i == 0 && len(values) > 1:
			header = true
			continue
		case row[0] == "":
			return nil, parameter.Errorf("values, row %d has no name", i+1)
		case row[1] == "":
			return nil, parameter.Errorf("values, row %d: dataset %s has no value", i+1, formatName(readName(row[0])))
		case numbers && !isNumber:
			return nil, parameter.Errorf(`values, row %d: dataset %s has the value %q, want a number such as 12, 0.1 or 1/3`, i+1, formatName(readName(row[0])), row[1])
		}
		names, f = append(names, readName(row[0])), append(f, v)
	}
	if len(names) == 0 {
		return nil, parameter.Errorf("values has no rows, want one per dataset")
	}
	places := make(map[string]int, len(names))
	for x, name := range names {
		key, _ := nameKey(name)
		if _, twice := places[key]; twice {
			return nil, parameter.Errorf("values has dataset %s twice", formatName(name))
		}
		places[key] = x
	}
	var pairs [][2]int
	for i, row := range edges {
		if len(row) != 2 {
			return nil, parameter.Errorf("edges, row %d has %d cells, want 2: the names of two neighbors", i+1, len(row))
		}
		var pair [2]int
		known := 0
		var stranger any
		for j, text := range row {
			key, _ := nameKey(readName(text))
			if x, ok := places[key]; ok {
				pair[j] = x
				known++
			} else if stranger == nil {
				stranger = readName(text)
			}
		}
		switch {
		case known == 0 && i == 0 && header:
			continue
		case known < 2:
			return nil, parameter.Errorf("edges, row %d: %s is not a dataset of values, want one of %s", i+1, formatName(stranger), listNames(stranger, names))
		case pair[0] == pair[1]:
			return nil, parameter.Errorf("edges, row %d joins dataset %s to itself", i+1, formatName(names[pair[0]]))
		}
		pairs = append(pairs, pair)
	}
	if len(pairs) == 0 {
		return nil, parameter.Errorf("edges has no pairs of neighbors, want one or more")
	}
	space, err := NewPathSpace(len(names), pairs)
	if err != nil {
		return nil, err
	}
	if space, err = space.Named(names); err != nil {
		return nil, err
	}
	return New(name, space, f, nil, metric)
}

// readName parses the name of a dataset: "7" is a number, "07" is a string.
func readName(text string) any {
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return n
	}
	return text
}

// readValue parses a value, and reports whether it is a number.
func readValue(text string) (Value, bool) {
	if q, ok := decimal.Rational(text); ok {
		return RationalValue(q), true
	}
	return Name(text), false
}
