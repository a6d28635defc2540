package lists_test

import (
	"fmt"
	"testing"

	"dpworkbench/internal/lists"
)

func TestLists(t *testing.T) {
	words := []string{"three", "a", "be", "to"}
	length := func(s string) int { return len(s) }
	if got := fmt.Sprint(lists.Each(words, length), lists.Each(nil, length), lists.Of(3, func(i int) int { return i * i })); got != "[5 1 2 2] [] [0 1 4]" {
		t.Error(got)
	}
	if got := fmt.Sprint(lists.Order(4, func(a, b int) int { return len(words[a]) - len(words[b]) })); got != "[1 2 3 0]" {
		t.Error(got)
	}
}
