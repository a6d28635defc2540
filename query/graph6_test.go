package query_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

func TestParseGraph6(t *testing.T) {
	for _, c := range []struct {
		graph6 string
		nodes  int
		edges  [][2]int
	}{
		{"?", 0, [][2]int{}},
		{"@", 1, [][2]int{}},
		{"A_", 2, [][2]int{{0, 1}}},
		{"Bw", 3, [][2]int{{0, 1}, {0, 2}, {1, 2}}},
		{"DQc", 5, [][2]int{{0, 2}, {1, 3}, {0, 4}, {3, 4}}}, // the example in the format's description
	} {
		a, err := query.ParseGraph6(c.graph6)
		if err != nil {
			t.Errorf("%q: %v", c.graph6, err)
			continue
		}
		if len(a) != c.nodes || !slices.Equal(a.Edges(), c.edges) {
			t.Errorf("%q: %d nodes, edges %v, want %d, %v", c.graph6, len(a), a.Edges(), c.nodes, c.edges)
		}
		if s := formatGraph6(a); s != c.graph6 {
			t.Errorf("%q: formats as %q", c.graph6, s)
		}
	}
}

func TestParseGraph6Rejects(t *testing.T) {
	for graph6, want := range map[string]string{
		"":                       "empty",
		"A":                      "2 for 2 nodes",
		"A__":                    "3 bytes",
		"A`":                     "padding",
		"A ":                     "' '",
		"~??":                    "0 to 62 nodes",
		"é":                      "byte",
		strings.Repeat("~", 999): "…",
	} {
		_, err := query.ParseGraph6(graph6)
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line that says %q", graph6, err, want)
		}
	}
}

func FuzzParseGraph6(f *testing.F) {
	for _, s := range []string{"", "?", "@", "A_", "A`", "Bw", "DQc", "F?zPw", "IsP@OkWHG", "~??", "}", "F\n???"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := query.ParseGraph6(s)
		if err != nil {
			if !errors.Is(err, evidence.ErrParameter) {
				t.Fatalf("%q: error %v does not wrap ErrParameter", s, err)
			}
			return
		}
		if back := formatGraph6(a); back != s {
			t.Fatalf("%q round-trips to %q", s, back)
		}
		b := make(query.Adjacency, len(a))
		for _, e := range a.Edges() {
			b[e[0]] |= 1 << e[1]
			b[e[1]] |= 1 << e[0]
		}
		if !slices.Equal(a, b) {
			t.Fatalf("%q: edges %v do not give the graph", s, a.Edges())
		}
	})
}

// formatGraph6 formats a in the graph6 format.
func formatGraph6(a query.Adjacency) string {
	n := len(a)
	size := n * (n - 1) / 2
	s := make([]byte, 1+(size+5)/6)
	for k := range s {
		s[k] = 63
	}
	s[0] += byte(n)
	p := 0
	for j := range n {
		for i := range j {
			s[1+p/6] += byte(a[j]>>i&1) << (5 - p%6)
			p++
		}
	}
	return string(s)
}
