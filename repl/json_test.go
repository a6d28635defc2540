package repl

import (
	"context"
	"encoding/json"
	"testing"

	"dpworkbench/script"

	"go.starlark.net/starlark"
)

func TestJSON(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"None", "null"},
		{"[True, 1, 1 << 70, 2.0, 1e-7, 'é\\n<\"']", `[true,1,1180591620717411303424,2.0,1e-07,"é\n<\""]`},
		{"float('inf')", `"inf"`},
		{"[float('-inf'), float('nan')]", `["-inf","nan"]`},
		{"(1, (2,), set([3]), range(2), matrix([[1, 2.5]]))", `[1,[2],[3],[0,1],[[1.0,2.5]]]`},
		{"{1: 'a', 0.5: 'b', (1, 'x', 2.5): 'c', None: 'd', 'k': {}, True: []}", `{"1":"a","0.5":"b","1,x,2.5":"c","None":"d","k":{},"True":[]}`},
		{"third", `{"kind":"exact","value":0.3333333333333333,"lo":0.3333333333333333,"hi":0.33333333333333337,"source":"enumeration","rational":"1/3"}`},
		{"[claimed]", `[{"kind":"claimed","value":0.25,"lo":0.25,"hi":0.25,"source":"Theorem 1"}]`},
		{"estimated", `{"kind":"estimated","value":0.5,"lo":0.49,"hi":0.51,"source":"","confidence":0.99,"draws":1000}`},
		{"{claimed: 1}", `{"0.25":1}`},
		{"table([[1, ln(3)]], header=['a', 'b']).save", "error: json.encode: a method cannot be written as JSON (a method is called first, with brackets: x.name())"},
		{"table([[1, 2.5]], header=['a', 'b'], title='t')", `{"header":["a","b"],"rows":[[1,2.5]],"title":"t"}`},
		{"len", "error: json.encode: a builtin_function_or_method cannot be written as JSON"},
		{"graphs(2)", "error: json.encode: a graphs cannot be written as JSON, want its numbers"},
		{"{1: 2, '1': 3}", `error: json.encode: two keys of a dict become "1" in JSON, want distinct keys`},
		{"{len: 1}", "error: json.encode: a key of type builtin_function_or_method cannot be written as JSON"},
	} {
		s := NewSession()
		for name, n := range samples() {
			s.Set(name, script.Known(n))
		}
		got := ""
		if _, err := s.Exec(context.Background(), "test", "result = json.encode("+c.expression+")"); err != nil {
			got = "error: " + err.(*script.ScriptError).Msg
		} else {
			got = string(s.Get("result").(starlark.String))
			if !json.Valid([]byte(got)) {
				t.Errorf("%s gives what is no JSON: %s", c.expression, got)
			}
		}
		if got != c.want {
			t.Errorf("%s\n gives %s\n want  %s", c.expression, got, c.want)
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	s := NewSession()
	v, err := s.Exec(context.Background(), "test", `x = {"a": [1, 2.5, None, True, "é"], "b": {"c": []}}
json.decode(json.encode(x)) == x and json.decode(json.encode(x, indent=2)) == x and json.decode(json.indent(json.encode(x))) == x`)
	if err != nil || v.String() != "True" {
		t.Errorf("%v, %v", v, err)
	}
}
