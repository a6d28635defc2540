package claims

import (
	"fmt"
	"strings"
)

// These write Go values as literals of the script language.

func list[T any](xs []T) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = fmt.Sprint(x)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func lists[T any](rows [][]T) string {
	parts := make([]string, len(rows))
	for i, row := range rows {
		parts[i] = list(row)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func pairs(edges [][2]int) string {
	parts := make([]string, len(edges))
	for i, e := range edges {
		parts[i] = fmt.Sprintf("(%d, %d)", e[0], e[1])
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func counting(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// quoted writes strings as elements of a list.
func quoted(xs []string) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = fmt.Sprintf("%q", x)
	}
	return strings.Join(parts, ", ")
}

// halves writes a matrix of halves as numbers.
func halves(rows [][]int) string {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			out[i] = append(out[i], float64(v)/2)
		}
	}
	return lists(out)
}
