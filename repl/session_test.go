package repl_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"dpworkbench/repl"
)

func ExampleSession() {
	s := repl.NewSession()
	ctx := context.Background()
	_, _ = s.Exec(ctx, "<prompt 1>", "x = 1\ndef f(): return x")
	_, _ = s.Exec(ctx, "<prompt 2>", "x = 2")
	v, _ := s.Exec(ctx, "<prompt 3>", "f()")
	fmt.Println(v)
	// Output: 2
}

// run executes chunks one by one and returns their output and the last error.
func run(t *testing.T, chunks ...string) (string, error) {
	t.Helper()
	s := repl.NewSession()
	var out strings.Builder
	s.Stdout = &out
	for i, chunk := range chunks {
		if _, err := s.Exec(t.Context(), fmt.Sprintf("<prompt %d>", i+1), chunk); err != nil {
			return out.String(), err
		}
	}
	return out.String(), nil
}
