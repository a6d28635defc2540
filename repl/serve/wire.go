package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// few is how many numbers of a list are written as text: fewer than that take no less room
// as bytes.
const few = 8

// maxDepth bounds lists in lists, as the other side's own bound does.
const maxDepth = 500

// packer writes values as JSON and the bytes that it refers to.
type packer struct {
	server *server
	text   []byte
	data   []byte
	held   []int64 // numbers of values, as often as they are in the text
}

// forget lets go of what is held for a frame that is not sent: nobody there will.
func (p *packer) forget() {
	for _, n := range p.held {
		p.server.handles.drop(n, 1)
	}
	p.held = nil
}

// frame returns what was packed.
func (p *packer) frame(k kind, number uint32) frame {
	return frame{kind: k, number: number, text: p.text, data: p.data}
}

// raw appends JSON as it stands.
func (p *packer) raw(text string) *packer {
	p.text = append(p.text, text...)
	return p
}

func (p *packer) quoted(text string) *packer {
	b, _ := json.Marshal(text) // of a string: never fails
	p.text = append(p.text, b...)
	return p
}

func (p *packer) int(n int64) *packer {
	p.text = strconv.AppendInt(p.text, n, 10)
	return p
}

// float writes a number that is read as a float again.
func (p *packer) float(x float64) *packer {
	switch {
	case math.IsNaN(x):
		return p.raw(`{"$x":"nan"}`)
	case math.IsInf(x, 0):
		return p.raw(map[bool]string{true: `{"$x":"inf"}`, false: `{"$x":"-inf"}`}[x > 0])
	}
	start := len(p.text)
	p.text = strconv.AppendFloat(p.text, x, 'g', -1, 64)
	if !bytes.ContainsAny(p.text[start:], ".e") {
		p.text = append(p.text, ".0"...)
	}
	return p
}

func (p *packer) whole(n starlark.Int) *packer {
	if v, ok := n.Int64(); ok {
		return p.int(v)
	}
	return p.raw(`{"$n":"`).raw(n.BigInt().Text(16)).raw(`"}`)
}

// at writes where bytes begin, and appends them.
func (p *packer) bytes(n int, put func(b []byte)) *packer {
	p.raw(`,"at":`).int(int64(len(p.data))).raw("}")
	start := len(p.data)
	p.data = slices.Grow(p.data, (n+7)/8*8)[:start+(n+7)/8*8]
	put(p.data[start : start+n])
	return p
}

// value writes a value; depth counts the collections around it.
func (p *packer) value(v starlark.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("values are nested more than %d deep", maxDepth)
	}
	switch v := v.(type) {
	case nil, starlark.NoneType:
		p.raw("null")
	case starlark.Bool:
		p.raw(strconv.FormatBool(bool(v)))
	case starlark.Int:
		p.whole(v)
	case starlark.Float:
		p.float(float64(v))
	case starlark.String:
		p.quoted(string(v))
	case starlark.Bytes:
		p.raw(`{"$y":`).int(int64(len(v))).bytes(len(v), func(b []byte) { copy(b, v) })
	case *script.Evidence:
		p.evidence(v)
	case *script.Matrix:
		return p.matrix(v)
	case *function:
		p.raw(`{"$p":`).int(int64(v.id)).raw("}")
	case *starlark.List:
		return p.list(v, depth)
	case starlark.Tuple:
		return p.items(`{"$t":`, v, depth, "}")
	case *starlark.Set:
		items, _ := script.Elements(v)
		return p.items(`{"$s":`, items, depth, "}")
	case *starlark.Dict:
		var flat []starlark.Value
		for _, item := range v.Items() {
			flat = append(flat, item[0], item[1])
		}
		return p.items(`{"$d":`, flat, depth, "}")
	case script.Inspectable:
		p.handle(v).raw("}")
	case starlark.Callable:
		p.handle(v).raw(`,"name":`).quoted(v.Name()).raw("}")
	case starlark.Iterable: // a range
		items, ok := script.Elements(v)
		if !ok {
			p.handle(v).raw("}")
			return nil
		}
		return p.list(starlark.NewList(items), depth)
	default:
		p.handle(v).raw("}")
	}
	return nil
}

// handle writes a reference to a value, without its end.
func (p *packer) handle(v starlark.Value) *packer {
	n := p.server.handles.hold(v)
	p.held = append(p.held, n)
	return p.raw(`{"$h":`).int(n).raw(`,"type":`).quoted(v.Type())
}

// evidence writes a number with what is asked of it most; its text and its fraction cost
// more than the rest.
func (p *packer) evidence(e *script.Evidence) {
	n := e.Number()
	lo, hi := n.Bounds()
	p.handle(e).raw(`,"value":`).float(e.Float()).raw(`,"lo":`).float(lo).raw(`,"hi":`).float(hi)
	p.raw(`,"kind":`).quoted(string(n.Kind())).raw(`,"source":`).quoted(n.Origin()).raw("}")
}

func (p *packer) matrix(m *script.Matrix) error {
	rows, names := m.Data()
	columns := 0
	if len(rows) > 0 {
		columns = len(rows[0])
	}
	if err := memory.Need("the matrix", 8*float64(len(rows))*float64(columns)); err != nil {
		return err
	}
	p.raw(`{"$m":[`).int(int64(len(rows))).raw(",").int(int64(columns)).raw("]")
	if names != nil {
		b, _ := json.Marshal(names) // of strings: never fails
		p.raw(`,"names":`).raw(string(b))
	}
	p.bytes(8*len(rows)*columns, func(b []byte) {
		for _, row := range rows {
			putFloats(b, row)
			b = b[8*len(row):]
		}
	})
	return nil
}

func putFloats(b []byte, xs []float64) {
	for i, x := range xs {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(x))
	}
}

// list writes a list, as bytes where it holds floats alone or small ints alone.
func (p *packer) list(l *starlark.List, depth int) error {
	n := l.Len()
	if n >= few {
		if each(l, func(v starlark.Value) bool { _, ok := v.(starlark.Float); return ok }) {
			p.raw(`{"$f":`).int(int64(n)).bytes(8*n, func(b []byte) {
				for i := range n {
					binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(float64(l.Index(i).(starlark.Float))))
				}
			})
			return nil
		}
		small := func(v starlark.Value) bool {
			i, ok := v.(starlark.Int)
			if ok {
				_, ok = i.Int64()
			}
			return ok
		}
		if each(l, small) {
			p.raw(`{"$i":`).int(int64(n)).bytes(8*n, func(b []byte) {
				for i := range n {
					x, _ := l.Index(i).(starlark.Int).Int64()
					binary.LittleEndian.PutUint64(b[8*i:], uint64(x))
				}
			})
			return nil
		}
	}
	items := make([]starlark.Value, n)
	for i := range items {
		items[i] = l.Index(i)
	}
	return p.items("", items, depth, "")
}

func each(l *starlark.List, is func(starlark.Value) bool) bool {
	for i := range l.Len() {
		if !is(l.Index(i)) {
			return false
		}
	}
	return true
}

func (p *packer) items(before string, items []starlark.Value, depth int, after string) error {
	p.raw(before).raw("[")
	for i, v := range items {
		if i > 0 {
			p.raw(",")
		}
		if err := p.value(v, depth+1); err != nil {
			return err
		}
	}
	p.raw("]").raw(after)
	return nil
}

// unpacker reads values.
type unpacker struct {
	server *server
	data   []byte
}

// parse reads the JSON of a frame. Numbers stay as they are written.
func parse(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf("a frame's text is no JSON object: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("a frame's text goes on behind its JSON object")
	}
	return out, nil
}

// value makes the script value of parsed JSON.
func (u *unpacker) value(v any) (starlark.Value, error) {
	switch v := v.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(v), nil
	case string:
		return starlark.String(v), nil
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			x, err := v.Float64()
			return starlark.Float(x), err
		}
		n, _ := new(big.Int).SetString(string(v), 10) // the grammar of JSON leaves nothing else
		return starlark.MakeBigInt(n), nil
	case []any:
		items, err := u.values(v)
		return starlark.NewList(items), err
	case map[string]any:
		for name := range v {
			if read := tags[name]; read != nil {
				return read(u, v[name], v)
			}
		}
	}
	return nil, fmt.Errorf("a value is written as no value is: %.60v", v)
}

func (u *unpacker) values(vs any) ([]starlark.Value, error) {
	list, _ := vs.([]any)
	out := make([]starlark.Value, len(list))
	for i, v := range list {
		var err error
		if out[i], err = u.value(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tags are the values that JSON has no word for.
var tags map[string]func(u *unpacker, v any, around map[string]any) (starlark.Value, error)

func init() {
	tags = map[string]func(u *unpacker, v any, around map[string]any) (starlark.Value, error){
		"$x": (*unpacker).special, "$n": (*unpacker).long, "$q": (*unpacker).fraction, "$t": (*unpacker).tuple, "$s": (*unpacker).set, "$d": (*unpacker).dict,
		"$h": (*unpacker).held, "$p": (*unpacker).function, "$y": (*unpacker).string, "$f": (*unpacker).floats, "$i": (*unpacker).ints, "$m": (*unpacker).matrix, "$r": (*unpacker).rows,
	}
}

func (u *unpacker) special(v any, _ map[string]any) (starlark.Value, error) {
	text, _ := v.(string)
	x, err := strconv.ParseFloat(text, 64)
	return starlark.Float(x), err
}

func hexadecimal(v any) (*big.Int, error) {
	text, _ := v.(string)
	n, ok := new(big.Int).SetString(text, 16)
	if !ok {
		return nil, fmt.Errorf("%.60q is no whole number in hexadecimal digits", text)
	}
	return n, nil
}

func (u *unpacker) long(v any, _ map[string]any) (starlark.Value, error) {
	n, err := hexadecimal(v)
	if err != nil {
		return nil, err
	}
	return starlark.MakeBigInt(n), nil
}

func (u *unpacker) fraction(v any, _ map[string]any) (starlark.Value, error) {
	parts, _ := v.([]any)
	if len(parts) != 2 {
		return nil, errors.New("a fraction has two parts")
	}
	a, err1 := hexadecimal(parts[0])
	b, err2 := hexadecimal(parts[1])
	if err := errors.Join(err1, err2); err != nil || b.Sign() == 0 {
		return nil, errors.Join(errors.New("a fraction has two whole numbers, the second not 0"), err)
	}
	return script.Known(evidence.Fraction(new(big.Rat).SetFrac(a, b))), nil
}

func (u *unpacker) tuple(v any, _ map[string]any) (starlark.Value, error) {
	items, err := u.values(v)
	return starlark.Tuple(items), err
}

func (u *unpacker) set(v any, _ map[string]any) (starlark.Value, error) {
	items, err := u.values(v)
	out := starlark.NewSet(len(items))
	for _, x := range items {
		err = errors.Join(err, out.Insert(x))
	}
	return out, err
}

func (u *unpacker) dict(v any, _ map[string]any) (starlark.Value, error) {
	items, err := u.values(v)
	if err != nil || len(items)%2 != 0 {
		return nil, errors.Join(errors.New("a dict holds pairs"), err)
	}
	out := starlark.NewDict(len(items) / 2)
	for i := 0; i < len(items); i += 2 {
		if err := out.SetKey(items[i], items[i+1]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (u *unpacker) held(v any, _ map[string]any) (starlark.Value, error) {
	n, err := count(v)
	if err != nil {
		return nil, err
	}
	return u.server.handles.get(n)
}

func (u *unpacker) function(v any, around map[string]any) (starlark.Value, error) {
	n, err := count(v)
	if err != nil { // a function that was made is told forgotten, by its number
		return nil, err
	}
	name, _ := around["name"].(string)
	params := -1
	if n, ok := around["parameters"]; ok {
		k, err := count(n)
		if err != nil {
			return nil, err
		}
		params = int(k)
	}
	return u.server.newFunction(n, name, params), nil
}

func (u *unpacker) string(v any, around map[string]any) (starlark.Value, error) {
	n, err := count(v)
	if err != nil {
		return nil, err
	}
	b, err := u.bytes(around, n)
	return starlark.Bytes(b), err
}

func count(v any) (int64, error) {
	number, _ := v.(json.Number)
	n, err := number.Int64()
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%v is no count", v)
	}
	return n, nil
}

// bytes returns n bytes of the frame's data.
func (u *unpacker) bytes(around map[string]any, n int64) ([]byte, error) {
	at, err := count(around["at"])
	if err != nil || at > int64(len(u.data)) || n > int64(len(u.data))-at {
		return nil, errors.Join(fmt.Errorf("%d bytes do not lie within the %d of the frame", n, len(u.data)), err)
	}
	return u.data[at : at+n], nil
}

// words returns n numbers of eight bytes.
func (u *unpacker) words(around map[string]any, n int64) ([]byte, error) {
	if n > int64(len(u.data))/8 {
		return nil, fmt.Errorf("%d numbers do not lie within the %d bytes of the frame", n, len(u.data))
	}
	return u.bytes(around, 8*n)
}

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

func (u *unpacker) floats(v any, around map[string]any) (starlark.Value, error) {
	return u.numbers(v, around, func(w uint64) starlark.Value { return starlark.Float(math.Float64frombits(w)) })
}

func (u *unpacker) ints(v any, around map[string]any) (starlark.Value, error) {
	return u.numbers(v, around, func(w uint64) starlark.Value { return starlark.MakeInt64(int64(w)) })
}

func (u *unpacker) numbers(v any, around map[string]any, of func(w uint64) starlark.Value) (starlark.Value, error) {
	n, err := count(v)
	if err != nil {
		return nil, err
	}
	b, err := u.words(around, n)
	if err != nil {
		return nil, err
	}
	out := make([]starlark.Value, n)
	for i := range out {
		out[i] = of(word(b, i))
	}
	return starlark.NewList(out), nil
}

// shape reads the numbers of a matrix.
func (u *unpacker) shape(v any, around map[string]any) (rows, columns int, b []byte, err error) {
	sides, _ := v.([]any)
	if len(sides) != 2 {
		return 0, 0, nil, errors.New("a matrix has two sides")
	}
	m, err1 := count(sides[0])
	n, err2 := count(sides[1])
	if err := errors.Join(err1, err2); err != nil {
		return 0, 0, nil, err
	}
	if n > 0 && m > math.MaxInt64/8/n || n == 0 && m > 1<<20 {
		return 0, 0, nil, fmt.Errorf("a matrix of %d × %d does not lie within the frame", m, n)
	}
	b, err = u.words(around, m*n)
	return int(m), int(n), b, err
}

// matrix reads a matrix of floats; one that holds nan, or nothing, is a list of rows.
func (u *unpacker) matrix(v any, around map[string]any) (starlark.Value, error) {
	m, n, b, err := u.shape(v, around)
	if err != nil {
		return nil, err
	}
	all, hole := make([]float64, m*n), m*n == 0
	for i := range all {
		all[i] = math.Float64frombits(word(b, i))
		hole = hole || all[i] != all[i]
	}
	rows := make([][]float64, m)
	for i := range rows {
		rows[i] = all[i*n : (i+1)*n : (i+1)*n]
	}
	if hole {
		return script.List(rows, func(row []float64) starlark.Value {
			return script.List(row, func(x float64) starlark.Value { return starlark.Float(x) })
		}), nil
	}
	out := script.NewMatrix(rows)
	if names, ok := around["names"].([]any); ok && len(names) == n {
		heads := make([]string, n)
		for i, name := range names {
			heads[i], _ = name.(string)
		}
		out.WithNames(heads)
	}
	return out, nil
}

// rows reads lists of ints.
func (u *unpacker) rows(v any, around map[string]any) (starlark.Value, error) {
	m, n, b, err := u.shape(v, around)
	if err != nil {
		return nil, err
	}
	rows := make([]starlark.Value, m)
	for i := range rows {
		row := make([]starlark.Value, n)
		for j := range row {
			row[j] = starlark.MakeInt64(int64(word(b, i*n+j)))
		}
		rows[i] = starlark.NewList(row)
	}
	return starlark.NewList(rows), nil
}
