package query

import (
	"fmt"
	"strconv"
	"strings"
)

// Dataset is a dataset of a universe.
type Dataset struct {
	// Index is its number, from 0.
	Index int
	// Name is what the universe calls it: the graph6 string of a graph, the counts of a histogram
	// as []int, what Named gave; nil where there are numbers alone.
	Name any
}

// Dataset returns dataset x with its name.
func (s *Space) Dataset(x int) Dataset {
	d := Dataset{Index: x}
	if s.name != nil {
		d.Name = s.name(x)
	}
	return d
}

// String is the name, or the number where there is none.
func (d Dataset) String() string {
	switch name := d.Name.(type) {
	case nil:
		return strconv.Itoa(d.Index)
	case []int:
		return strings.Join(strings.Fields(fmt.Sprint(name)), ", ")
	}
	return fmt.Sprint(d.Name)
}

// Records returns how many records dataset x has, false where datasets are no collections of records.
func (s *Space) Records(x int) (int, bool) {
	if s.recordCount == nil {
		return 0, false
	}
	return s.recordCount(x), true
}
