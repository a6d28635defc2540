package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"

	starlarkjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// jsonModule returns Starlark's module json, with an encode that accepts the workbench's values.
func jsonModule(s *Session) *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: "json", Members: make(starlark.StringDict)}
	for _, b := range []Builtin{
		Func(`json.encode(x: value, indent: int[0..16]=0) -> string`,
			`The value as JSON text, on one line or indented by so many blanks. Evidence becomes an object {"kind", "value", "lo", "hi", "source"} with "rational" where it is exact; number and tuple keys become strings ("1", "1,2"); infinity becomes "inf", NaN "nan"; sets, tuples and matrices become arrays.`,
			`json.encode({"eps": ln(3), 1: [2.5, None]})`,
			func(c *Call) (any, error) { return EncodeJSON(c.Value("x"), c.Int("indent")) }),
		Func(`json.decode(text: string) -> value`,
			"The value that JSON text spells: objects become dicts, arrays lists.",
			`json.decode('{"a": [1, 2.5, null]}')["a"][1]`,
			func(c *Call) (any, error) { return DecodeJSON(c, c.Text("text")) }),
		Func(`json.indent(text: string, prefix: string="", indent: string="  ") -> string`,
			"JSON text laid out with one element a line.",
			`json.indent("[1,2]")`,
			func(c *Call) (any, error) {
				return indentJSON([]byte(c.Text("text")), c.Text("prefix"), c.Text("indent"))
			}),
	} {
		m.Members[b.doc.Name[len("json."):]] = NewFunction(s, b)
	}
	return m
}

// DecodeJSON returns the value that JSON text spells.
func DecodeJSON(c *Call, text string) (starlark.Value, error) {
	if err := checkJSON(text); err != nil {
		return nil, err
	}
	return starlarkjson.Module.Members["decode"].(*starlark.Builtin).CallInternal(c.Thread, starlark.Tuple{starlark.String(text)}, nil)
}

// Bytes of memory for a list, and for a dict with its first entries.
const (
	listSize = 80
	dictSize = 640
)

// checkJSON returns an error for text whose values are nested too deeply, contain a number with too many digits, or
// need too much memory.
func checkJSON(text string) error {
	most := float64(len(text))
	depth, digits := 0, 0
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth, most = depth+1, most+listSize
		case c == '{':
			depth, most = depth+1, most+dictSize
		case c == ']' || c == '}':
			depth--
		case c == ',':
			most += pairSize
		}
		if digits++; quoted || c < '0' || c > '9' {
			digits = 0
		}
		switch {
		case depth > MaxNesting:
			return errNested("text")
		case digits > maxDigits:
			return fmt.Errorf("text has a number of more than %d digits", maxDigits)
		}
	}
	return memory.Need("the value of text", most)
}

// indentJSON lays out JSON text with one element per line.
func indentJSON(text []byte, prefix, indent string) (string, error) {
	lines, levels, depth := 0.0, 0.0, 0.0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
		default:
			continue
		}
		lines, levels = lines+1, levels+max(depth, 0)
	}
	if err := memory.Need("the text", 2*(float64(len(text))+lines*float64(len(prefix)+1)+levels*float64(len(indent)))); err != nil {
		return "", err
	}
	var out bytes.Buffer
	err := json.Indent(&out, text, prefix, indent)
	return out.String(), err
}

// EncodeJSON returns a value as JSON text, as json.encode does.
func EncodeJSON(v starlark.Value, indent int) (string, error) { return encodeJSON(v, indent, false) }

// Data returns the JSON form of a value as a script value; nil if there is none.
func Data(v starlark.Value) starlark.Value {
	if o, ok := v.(interface{ jsonValue() starlark.Value }); ok {
		return o.jsonValue()
	}
	return nil
}

// DescribeJSON is like EncodeJSON but accepts every value. A value without a JSON form becomes an object {"type",
// "call", "text"}, or its text if it is a key of a dict.
func DescribeJSON(v starlark.Value, indent int) (string, error) { return encodeJSON(v, indent, true) }

func encodeJSON(v starlark.Value, indent int, describe bool) (string, error) {
	e := jsonEncoder{root: v, describe: describe, open: make(map[starlark.Value]bool)}
	if err := e.value(v, 0); err != nil {
		return "", err
	}
	if indent == 0 {
		return e.out.String(), nil
	}
	return indentJSON(e.out.Bytes(), "", strings.Repeat(" ", indent))
}

type jsonEncoder struct {
	out      bytes.Buffer
	root     starlark.Value
	describe bool                    // describe values without a JSON form
	count    int                     // values written
	open     map[starlark.Value]bool // containers being written, to notice a cycle
}

func (e *jsonEncoder) value(v starlark.Value, depth int) error {
	if depth > MaxNesting {
		return errNested("x")
	}
	if e.count++; e.count%4096 == 0 {
		if err := memory.Need("the text of x", 2*float64(e.out.Cap())); err != nil {
			return err
		}
	}
	if e.count == manyValues {
		if err := needsText(e.root); err != nil {
			return err
		}
	}
	switch v := v.(type) {
	case starlark.NoneType:
		e.out.WriteString("null")
	case starlark.Bool:
		e.out.WriteString(strconv.FormatBool(bool(v)))
	case starlark.Int:
		text, err := digitsOf(v)
		e.out.WriteString(text)
		return err
	case starlark.Float:
		e.float(float64(v))
	case starlark.String:
		e.text(string(v))
	case starlark.Bytes:
		e.text(string(v))
	case *Evidence:
		return e.dict(v.record(), 0)
	case *starlark.Dict:
		return e.dict(v, depth)
	case starlark.Iterable:
		return e.array(v, depth)
	case jsonable:
		if stand := v.jsonValue(); stand != nil {
			return e.value(stand, depth+1)
		}
		if e.describe {
			return e.described(v)
		}
		return fmt.Errorf("a %s cannot be written as JSON, want its numbers", v.Type())
	default:
		if e.describe {
			return e.described(v)
		}
		return fmt.Errorf("a %s cannot be written as JSON", v.Type())
	}
	return nil
}

// described writes an object in place of a value without a JSON form: its type, its text, and the call that makes it
// again if that is known.
func (e *jsonEncoder) described(v starlark.Value) error {
	d := starlark.NewDict(3)
	add := func(name, text string) { _ = d.SetKey(starlark.String(name), starlark.String(text)) } // not frozen
	add("type", v.Type())
	if m, ok := v.(interface{ expression() string }); ok && m.expression() != "" {
		add("call", m.expression())
	}
	text, cut := startOf(v, maxText)
	if cut {
		text += "…"
	}
	add("text", text)
	return e.dict(d, 0)
}

// jsonable is a value that may have a JSON form. jsonValue returns nil if it has none.
type jsonable interface {
	starlark.Value
	jsonValue() starlark.Value
}

func (e *jsonEncoder) float(f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		e.text(evidence.FormatFloat(f, 17))
	} else {
		e.out.WriteString(starlark.Float(f).String())
	}
}

func (e *jsonEncoder) text(s string) {
	quoted := json.NewEncoder(&e.out)
	quoted.SetEscapeHTML(false)
	_ = quoted.Encode(s)            // encoding a string does not fail
	e.out.Truncate(e.out.Len() - 1) // the newline
}

// record returns the dict that is written in JSON for evidence.
func (e *Evidence) record() *starlark.Dict {
	e.Shown()
	lo, hi := e.number.Bounds()
	out := starlark.NewDict(8)
	add := func(name string, v starlark.Value) { _ = out.SetKey(starlark.String(name), v) } // not frozen
	add("kind", starlark.String(e.number.Kind()))
	add("value", starlark.Float(e.Float()))
	add("lo", starlark.Float(lo))
	add("hi", starlark.Float(hi))
	add("source", starlark.String(e.number.Origin()))
	if r := e.rational(); r != "" {
		add("rational", starlark.String(r))
	}
	if n, ok := e.number.(evidence.Estimated); ok {
		add("confidence", starlark.Float(n.Confidence))
		add("draws", starlark.MakeInt(n.Draws))
	}
	return out
}

// enter notes that a container is being written, until the returned function is called.
func (e *jsonEncoder) enter(v starlark.Value) (leave func(), err error) {
	if e.open[v] {
		return nil, errors.New("x contains itself")
	}
	e.open[v] = true
	return func() { delete(e.open, v) }, nil
}

func (e *jsonEncoder) array(items starlark.Iterable, depth int) error {
	switch items.(type) {
	case *starlark.List, *starlark.Set: // there is no cycle through tuples, ranges and matrices alone
		leave, err := e.enter(items)
		if err != nil {
			return err
		}
		defer leave()
	}
	separator := "["
	for v := range starlark.Elements(items) {
		e.out.WriteString(separator)
		separator = ","
		if err := e.value(v, depth+1); err != nil {
			return err
		}
	}
	if separator == "[" {
		e.out.WriteString(separator)
	}
	e.out.WriteByte(']')
	return nil
}

func (e *jsonEncoder) dict(d *starlark.Dict, depth int) error {
	leave, err := e.enter(d)
	if err != nil {
		return err
	}
	defer leave()
	e.out.WriteByte('{')
	seen := make(map[string]bool)
	for i, item := range d.Items() {
		key, err := jsonKey(item[0])
		if err != nil && e.describe {
			key, err = columnName(item[0]), nil
		}
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("two keys of a dict become %q in JSON, want distinct keys", key)
		}
		seen[key] = true
		if i > 0 {
			e.out.WriteByte(',')
		}
		e.text(key)
		e.out.WriteByte(':')
		if err := e.value(item[1], depth+1); err != nil {
			return err
		}
	}
	e.out.WriteByte('}')
	return nil
}

// jsonKey returns a dict's key as a key in JSON: a number as it is printed, and a tuple as its parts separated by
// commas.
func jsonKey(k starlark.Value) (string, error) {
	switch k := k.(type) {
	case starlark.String:
		return string(k), nil
	case starlark.Int, starlark.Bool, starlark.NoneType:
		return k.String(), nil
	case starlark.Float, *Evidence:
		f, _ := NearestFloat(k)
		return evidence.FormatFloat(f, -1), nil
	case starlark.Tuple:
		parts := make([]string, len(k))
		for i, part := range k {
			var err error
			if parts[i], err = jsonKey(part); err != nil {
				return "", err
			}
		}
		return strings.Join(parts, ","), nil
	}
	return "", fmt.Errorf("a key of type %s cannot be written as JSON", k.Type())
}

// JSON returns the value of a name as JSON text on one line.
func (s *Session) JSON(name string) (string, error) {
	v := s.Get(name)
	if v == nil {
		return "", fmt.Errorf("the script defines no %s", name)
	}
	text, err := EncodeJSON(v, 0)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return text, err
}
