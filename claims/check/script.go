package check

import (
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"dpworkbench/internal/lists"
)

// Code is a piece of script, which [Script] inserts without quotes.
type Code string

// Vars maps the names in a script to their values.
type Vars map[string]any

var placeholder = regexp.MustCompile(`\{[a-zA-Z_]\w*\}`)

// Script joins statements to one line and replaces each {name} by the [Literal] of that name's value. It panics if a
// name has no value.
func Script(vars Vars, statements ...string) string {
	return placeholder.ReplaceAllStringFunc(strings.Join(statements, "; "), func(name string) string {
		value, ok := vars[name[1:len(name)-1]]
		if !ok {
			panic("check: a script's name has no value")
		}
		return Literal(value)
	})
}

// Literal writes a number, a truth value, a string, a slice (as a list) or an array (as a tuple) as a literal that a
// script reads back exactly. A rational number becomes a quotient. [Code] stays as it is.
func Literal(value any) string {
	switch v := value.(type) {
	case Code:
		return string(v)
	case string:
		return strconv.Quote(v)
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case *big.Rat:
		return v.RatString()
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return fmt.Sprint(value)
	}
	parts := lists.Of(v.Len(), func(i int) string { return Literal(v.Index(i).Interface()) })
	if v.Kind() == reflect.Array {
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// The functions below write Go values in the fields of witnesses as literals of the script language.

func List[T any](xs []T) string {
	parts := lists.Of(len(xs), func(i int) string { return fmt.Sprint(xs[i]) })
	return "[" + strings.Join(parts, ", ") + "]"
}

func Lists[T any](rows [][]T) string {
	parts := lists.Of(len(rows), func(i int) string { return List(rows[i]) })
	return "[" + strings.Join(parts, ", ") + "]"
}

func Pairs(edges [][2]int) string {
	parts := lists.Of(len(edges), func(i int) string { return fmt.Sprintf("(%d, %d)", edges[i][0], edges[i][1]) })
	return "[" + strings.Join(parts, ", ") + "]"
}

func Counting(n int) []int {
	return lists.Of(n, func(i int) int { return i })
}

// Quoted writes quoted strings, separated by commas, without the brackets of a list.
func Quoted(xs []string) string {
	parts := lists.Of(len(xs), func(i int) string { return fmt.Sprintf("%q", xs[i]) })
	return strings.Join(parts, ", ")
}

// Halves writes the matrix of v/2 as a list of rows, for the given integers v.
func Halves(rows [][]int) string {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			out[i] = append(out[i], float64(v)/2)
		}
	}
	return Lists(out)
}
