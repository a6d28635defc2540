package check

import (
	"fmt"
	"strings"
)

// These write Go values as literals of the script language.

func List[T any](xs []T) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = fmt.Sprint(x)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func Lists[T any](rows [][]T) string {
	parts := make([]string, len(rows))
	for i, row := range rows {
		parts[i] = List(row)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func Pairs(edges [][2]int) string {
	parts := make([]string, len(edges))
	for i, e := range edges {
		parts[i] = fmt.Sprintf("(%d, %d)", e[0], e[1])
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func Counting(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Quoted writes strings as elements of a list.
func Quoted(xs []string) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = fmt.Sprintf("%q", x)
	}
	return strings.Join(parts, ", ")
}

// Halves writes a matrix of halves as numbers.
func Halves(rows [][]int) string {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			out[i] = append(out[i], float64(v)/2)
		}
	}
	return Lists(out)
}
