package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Value is a point of a value metric space: a Number, a Name or Counts.
type Value interface {
	// String returns the value as it is printed.
	String() string
	key() string
}

// Number is a real value. It means its shortest decimal: 0.1 is 1/10.
type Number float64

// Name is a value that is not a number.
type Name string

// Counts is a histogram, the value of an identity query.
type Counts []int

// String returns the shortest decimal.
func (v Number) String() string { return strconv.FormatFloat(float64(v), 'g', -1, 64) }

// String returns the name itself.
func (v Name) String() string { return string(v) }

// String returns "[2, 0, 1]".
func (v Counts) String() string { return strings.ReplaceAll(fmt.Sprint([]int(v)), " ", ", ") }

func (v Number) key() string {
	if v == 0 {
		return "n0" // +0 and −0 are one value
	}
	return "n" + v.String()
}
func (v Name) key() string   { return "s" + string(v) }
func (v Counts) key() string { return "c" + v.String() }

// distinct returns the different values: ascending where all are numbers, in
// order of appearance otherwise.
func distinct(values []Value) []Value {
	seen := make(map[string]bool, len(values))
	var out []Value
	numbers := true
	for _, v := range values {
		if k := v.key(); !seen[k] {
			seen[k] = true
			out = append(out, v)
		}
		if _, ok := v.(Number); !ok {
			numbers = false
		}
	}
	if numbers {
		slices.SortFunc(out, func(a, b Value) int { return cmp.Compare(a.(Number), b.(Number)) })
	}
	return out
}
