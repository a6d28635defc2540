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
	"strconv"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// unpacker decodes values.
type unpacker struct {
	server *server
	data   []byte
}

// parse parses the JSON of a frame. Numbers keep their text.
func parse(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf("a frame's text is not a JSON object: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("a frame has text after its JSON object")
	}
	return out, nil
}

// value returns the script value of parsed JSON.
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
		n, _ := new(big.Int).SetString(string(v), 10) // JSON's grammar allows no other integers
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
	return nil, fmt.Errorf("a value has an unknown encoding: %.60v", v)
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

// tags decode the kinds of values that JSON lacks, by their JSON key.
var tags map[string]func(u *unpacker, v any, around map[string]any) (starlark.Value, error)

func init() {
	tags = map[string]func(u *unpacker, v any, around map[string]any) (starlark.Value, error){
		"$x": (*unpacker).special, "$n": (*unpacker).long, "$q": (*unpacker).fraction, "$t": (*unpacker).tuple, "$s": (*unpacker).set, "$d": (*unpacker).dict,
		"$h": (*unpacker).held, "$p": (*unpacker).function, "$y": (*unpacker).string, "$f": (*unpacker).floats, "$i": (*unpacker).ints, "$m": (*unpacker).matrix, "$r": (*unpacker).rows, "$e": (*unpacker).stored,
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
		return nil, fmt.Errorf("%.60q is not a whole number in hexadecimal digits", text)
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
		return nil, errors.New("a fraction is malformed, want a numerator and a denominator")
	}
	a, err1 := hexadecimal(parts[0])
	b, err2 := hexadecimal(parts[1])
	if err := errors.Join(err1, err2); err != nil || b.Sign() == 0 {
		return nil, errors.Join(errors.New("a fraction is malformed, want two whole numbers, the second not 0"), err)
	}
	return script.Known(evidence.FromRat(new(big.Rat).SetFrac(a, b))), nil
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
		return nil, errors.Join(errors.New("a dict is malformed, want a list of pairs"), err)
	}
	out := starlark.NewDict(len(items) / 2)
	for i := 0; i < len(items); i += 2 {
		if err := out.SetKey(items[i], items[i+1]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (u *unpacker) stored(v any, _ map[string]any) (starlark.Value, error) {
	d, err := u.value(v)
	if err != nil {
		return nil, err
	}
	return script.Restored(d)
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
	if err != nil { // the client is told later that the functions made so far are unused
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
		return 0, fmt.Errorf("%v is not a count, want a whole number of at least 0", v)
	}
	return n, nil
}

// bytes returns n bytes of the frame's data.
func (u *unpacker) bytes(around map[string]any, n int64) ([]byte, error) {
	at, err := count(around["at"])
	if err != nil || at > int64(len(u.data)) || n > int64(len(u.data))-at {
		return nil, errors.Join(fmt.Errorf("a value takes %d bytes at offset %v, but the frame has %d bytes of data", n, around["at"], len(u.data)), err)
	}
	return u.data[at : at+n], nil
}

// words returns the bytes of n numbers of eight bytes each.
func (u *unpacker) words(around map[string]any, n int64) ([]byte, error) {
	if n > int64(len(u.data))/8 {
		return nil, fmt.Errorf("a value takes %d numbers of 8 bytes, but the frame has %d bytes of data", n, len(u.data))
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

// shape reads the numbers of rows and columns of a matrix, and its data.
func (u *unpacker) shape(v any, around map[string]any) (rows, columns int, b []byte, err error) {
	sides, _ := v.([]any)
	if len(sides) != 2 {
		return 0, 0, nil, errors.New("a matrix is malformed, want numbers of rows and columns")
	}
	m, err1 := count(sides[0])
	n, err2 := count(sides[1])
	if err := errors.Join(err1, err2); err != nil {
		return 0, 0, nil, err
	}
	if n > 0 && m > math.MaxInt64/8/n || n == 0 && m > 1<<20 {
		return 0, 0, nil, fmt.Errorf("a matrix of %d × %d does not fit into its frame", m, n)
	}
	b, err = u.words(around, m*n)
	return int(m), int(n), b, err
}

// matrix reads a matrix of floats. A matrix that is empty or contains nan becomes a list of rows.
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

// rows reads rows of ints as a list of lists.
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
