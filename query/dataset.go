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
	// Name is the graph6 string of a graph, the counts of a histogram as []int, or the name given to Named. It is
	// nil if datasets have only numbers.
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

// String returns the name, or the number if there is no name.
func (d Dataset) String() string {
	switch name := d.Name.(type) {
	case nil:
		return strconv.Itoa(d.Index)
	case []int:
		return strings.Join(strings.Fields(fmt.Sprint(name)), ", ")
	}
	return fmt.Sprint(d.Name)
}

// Records returns the number of records of dataset x. It returns false if datasets are not multisets of records.
func (s *Space) Records(x int) (int, bool) {
	if s.recordCount == nil {
		return 0, false
	}
	return s.recordCount(x), true
}
