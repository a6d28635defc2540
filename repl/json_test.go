package repl_test

import (
	"context"
	"testing"

	"dpworkbench/repl"
)

func TestJSONRoundTrip(t *testing.T) {
	s := repl.NewSession()
	v, err := s.Exec(context.Background(), "test", `x = {"a": [1, 2.5, None, True, "é"], "b": {"c": []}}
json.decode(json.encode(x)) == x and json.decode(json.encode(x, indent=2)) == x and json.decode(json.indent(json.encode(x))) == x`)
	if err != nil || v.String() != "True" {
		t.Errorf("%v, %v", v, err)
	}
}
