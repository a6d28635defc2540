package serve

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

func ints(xs ...int64) (out []starlark.Value) {
	for _, x := range xs {
		out = append(out, starlark.MakeInt64(x))
	}
	return out
}

func floats(xs ...float64) (out []starlark.Value) {
	for _, x := range xs {
		out = append(out, starlark.Float(x))
	}
	return out
}

func eightByteValues(xs ...any) (b []byte) {
	for _, x := range xs {
		switch x := x.(type) {
		case int:
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		case float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

// Every value is written as docs/protocol.md specifies, byte for byte.
func TestPackValues(t *testing.T) {
	set, dict := starlark.NewSet(0), starlark.NewDict(0)
	for i, name := range []string{"a", "b"} {
		_ = set.Insert(starlark.String(name))
		_ = dict.SetKey(starlark.String(name), starlark.MakeInt(i))
	}
	list := func(xs []starlark.Value) starlark.Value { return starlark.NewList(xs) }
	great := starlark.MakeBigInt(new(big.Int).Lsh(big.NewInt(1), 63))
	for _, c := range []struct {
		value starlark.Value
		text  string
		data  []byte
	}{
		{nil, "null", nil}, {starlark.None, "null", nil}, {starlark.True, "true", nil}, {starlark.False, "false", nil},
		{starlark.MakeInt64(math.MaxInt64), "9223372036854775807", nil}, {starlark.MakeInt64(math.MinInt64), "-9223372036854775808", nil}, {great, `{"$n":"8000000000000000"}`, nil},
		{starlark.Float(1), "1.0", nil}, {starlark.Float(-2.5), "-2.5", nil}, {starlark.Float(1e300), "1e+300", nil}, {starlark.Float(0.1), "0.1", nil}, {starlark.Float(1.0 / 3), "0.3333333333333333", nil}, {starlark.Float(math.Copysign(0, -1)), "-0.0", nil},
		{starlark.Float(math.NaN()), `{"$x":"nan"}`, nil}, {starlark.Float(math.Inf(1)), `{"$x":"inf"}`, nil}, {starlark.Float(math.Inf(-1)), `{"$x":"-inf"}`, nil},
		{starlark.String("a\"\n"), `"a\"\n"`, nil},
		{starlark.Bytes(""), `{"$y":0,"at":0}`, nil}, {starlark.Bytes("a"), `{"$y":1,"at":0}`, []byte("a\x00\x00\x00\x00\x00\x00\x00")}, {starlark.Bytes("12345678"), `{"$y":8,"at":0}`, []byte("12345678")}, {starlark.Bytes("123456789"), `{"$y":9,"at":0}`, []byte("123456789\x00\x00\x00\x00\x00\x00\x00")},
		{starlark.Tuple{starlark.Bytes("a"), starlark.Bytes("b")}, `{"$t":[{"$y":1,"at":0},{"$y":1,"at":8}]}`, []byte("a\x00\x00\x00\x00\x00\x00\x00b\x00\x00\x00\x00\x00\x00\x00")},
		{list(nil), "[]", nil}, {list(ints(1, 2)), "[1,2]", nil}, {list(floats(1, 2, 3, 4, 5, 6, 7)), "[1.0,2.0,3.0,4.0,5.0,6.0,7.0]", nil}, {list(ints(1, 2, 3, 4, 5, 6, 7)), "[1,2,3,4,5,6,7]", nil},
		{list(floats(1, 2, 3, 4, 5, 6, 7, 8)), `{"$f":8,"at":0}`, eightByteValues(1., 2., 3., 4., 5., 6., 7., 8.)}, {list(ints(1, 2, 3, 4, 5, 6, 7, -8)), `{"$i":8,"at":0}`, eightByteValues(1, 2, 3, 4, 5, 6, 7, -8)},
		{list(append(ints(1, 2, 3, 4, 5, 6, 7), starlark.Float(8))), "[1,2,3,4,5,6,7,8.0]", nil}, {list(append(floats(1, 2, 3, 4, 5, 6, 7), starlark.MakeInt(8))), "[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8]", nil}, {list(append(ints(1, 2, 3, 4, 5, 6, 7), great)), `[1,2,3,4,5,6,7,{"$n":"8000000000000000"}]`, nil},
		{list([]starlark.Value{list(ints(1, 2, 3, 4, 5, 6, 7, 8)), list(floats(1, 2, 3, 4, 5, 6, 7, 8))}), `[{"$i":8,"at":0},{"$f":8,"at":64}]`, eightByteValues(1, 2, 3, 4, 5, 6, 7, 8, 1., 2., 3., 4., 5., 6., 7., 8.)},
		{starlark.Tuple{}, `{"$t":[]}`, nil}, {set, `{"$s":["a","b"]}`, nil}, {dict, `{"$d":["a",0,"b",1]}`, nil},
		{script.NewMatrix([][]float64{{1, 2, 3}, {4, 5, 6}}), `{"$m":[2,3],"at":0}`, eightByteValues(1., 2., 3., 4., 5., 6.)}, {script.NewMatrix([][]float64{{1}, {2}}).WithNames([]string{"é"}), `{"$m":[2,1],"names":["é"],"at":0}`, eightByteValues(1., 2.)}, {script.NewMatrix(nil), `{"$m":[0,0],"at":0}`, nil},
		{script.Known(evidence.Certified{Lo: 1, Hi: 2, Provenance: evidence.From("a sum")}), `{"$h":1,"type":"evidence","value":1.5,"lo":1.0,"hi":2.0,"kind":"certified","source":"a sum"}`, nil},
		{starlark.NewBuiltin("kept", nil), `{"$h":1,"type":"builtin_function_or_method","name":"kept"}`, nil}, {&function{id: 12, name: "f"}, `{"$p":12}`, nil},
	} {
		p := &packer{server: &server{handles: newHandles()}}
		if err := p.value(c.value, 0); err != nil || string(p.text) != c.text || !bytes.Equal(p.data, c.data) {
			t.Errorf("%v is written as\n%s with % x, %v, want\n%s with % x", c.value, p.text, p.data, err, c.text, c.data)
		}
	}
}

// A matrix takes eight bytes per number, and writing it fails if there is not enough memory.
func TestMemoryOfMatrices(t *testing.T) {
	rows := make([][]float64, 300)
	for i := range rows {
		rows[i] = make([]float64, 700)
	}
	m := script.NewMatrix(rows)
	before := memory.SetLimit(1)
	defer memory.SetLimit(before)
	var needs *memory.Error
	if err := new(packer).value(m, 0); !errors.As(err, &needs) || needs.Bytes != 8*300*700 || needs.What != "the matrix" {
		t.Errorf("300 rows of 700 numbers: %v", err)
	}
	memory.SetLimit(memory.Unlimited)
	if err := new(packer).value(m, 0); err != nil {
		t.Error(err)
	}
}

// The limit of nesting is the same for a result, a figure, and a positional or named argument of a callback.
func TestNestingLimit(t *testing.T) {
	nested := func(n int) starlark.Value {
		x := starlark.Value(starlark.MakeInt(1))
		for range n {
			x = starlark.NewList([]starlark.Value{x})
		}
		return x
	}
	v := &server{session: script.New(script.Vocabulary{}), handles: newHandles(), out: sender{w: io.Discard}}
	f, q := &function{server: v, id: 1, name: "f"}, &request{server: v, ctx: t.Context()}
	for name, write := range map[string]func(x starlark.Value) error{
		"a result": func(x starlark.Value) error { return v.pack(&packer{server: v}, x) },
		"a figure": v.display,
		"an argument": func(x starlark.Value) error {
			return f.ask(q, 1, starlark.Tuple{x.(*starlark.List).Index(0)}, nil)
		},
		"an argument by its name": func(x starlark.Value) error {
			return f.ask(q, 1, nil, []starlark.Tuple{{starlark.String("x"), x.(*starlark.List).Index(0)}})
		},
	} {
		if err := write(nested(500)); err != nil {
			t.Errorf("%s of 500 lists: %v", name, err)
		}
		if err := write(nested(501)); err == nil || err.Error() != "values are nested more than 500 deep" {
			t.Errorf("%s of 501 lists: %v", name, err)
		}
	}
}

// Every encoding of a value is read.
func TestUnpackValues(t *testing.T) {
	v := &server{handles: newHandles()}
	kept := starlark.NewBuiltin("kept", nil)
	n := v.handles.hold(kept)
	data := eightByteValues(1., 2., 3., 4., 5., 6.)
	read := func(text string, data []byte) (starlark.Value, error) {
		in, err := parse([]byte(`{"value":` + text + "}"))
		if err != nil {
			return nil, err
		}
		return (&unpacker{v, data}).value(in["value"])
	}
	for text, want := range map[string]string{
		"null": "None", "true": "True", `"é"`: `"é"`, "12": "12", "-123456789012345678901234567890": "-123456789012345678901234567890", "1.0": "1.0", "1e2": "100.0", "1E2": "100.0", "[1,[2]]": "[1, [2]]",
		`{"$x":"nan"}`: "nan", `{"$x":"-inf"}`: "-inf", `{"$x":"0x1p-1074"}`: "5e-324", `{"$n":"-ff"}`: "-255", `{"$q":["-1","a"]}`: "-0.1 (exact: -1/10)", `{"$t":[1]}`: "(1,)", `{"$s":[1,1,2]}`: "set([1, 2])", `{"$d":[1,2,3,4]}`: "{1: 2, 3: 4}", `{"$d":[]}`: "{}",
		fmt.Sprintf(`{"$h":%d}`, n): kept.String(), `{"$p":0,"name":"f"}`: "<function f>", `{"$y":0,"at":48}`: `b""`, `{"$y":3,"at":0}`: `b"\x00\x00\x00"`,
		`{"$f":6,"at":0}`: "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", `{"$f":2,"at":32}`: "[5.0, 6.0]", `{"$f":0,"at":48}`: "[]", `{"$i":1,"at":8}`: "[4611686018427387904]",
		`{"$m":[0,3],"at":0}`: "[]", `{"$m":[2,0],"at":0}`: "[[], []]", `{"$r":[2,1],"at":8}`: "[[4611686018427387904], [4613937818241073152]]", `{"$r":[0,5],"at":0}`: "[]", `{"$r":[2,0],"at":0}`: "[[], []]",
	} {
		if got, err := read(text, data); err != nil || got.String() != want {
			t.Errorf("%s is read as %v, %v, want %s", text, got, err, want)
		}
	}
	if got, err := read(`{"$r":[2,2],"at":0}`, eightByteValues(1, 2, 3, 4)); err != nil || got.String() != "[[1, 2], [3, 4]]" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := read(`{"$m":[2,2],"at":0}`, eightByteValues(1., math.NaN(), 3., 4.)); err != nil || got.String() != "[[1.0, nan], [3.0, 4.0]]" {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string][][]float64{`{"$m":[2,3],"at":0}`: {{1, 2, 3}, {4, 5, 6}}, `{"$m":[3,1],"at":24}`: {{4}, {5}, {6}}, `{"$m":[1,2],"at":16}`: {{3, 4}}} {
		got, err := read(text, data)
		if m, ok := got.(*script.Matrix); err != nil || !ok {
			t.Errorf("%s is read as %v, %v", text, got, err)
		} else if rows, _ := m.Data(); !reflect.DeepEqual(rows, want) {
			t.Errorf("%s is read as %v, want %v", text, rows, want)
		}
	}
	for names, want := range map[string]string{`["a","b","c"]`: "[a b c]", `["a","b"]`: "[]", `[1,"b","c"]`: "[ b c]", `"abc"`: "[]"} {
		got, err := read(`{"$m":[2,3],"names":`+names+`,"at":0}`, data)
		if m, ok := got.(*script.Matrix); err != nil || !ok {
			t.Errorf("%v, %v", got, err)
		} else if _, heads := m.Data(); fmt.Sprint(heads) != want {
			t.Errorf("the names %s are read as %v", names, heads)
		}
	}
	if got, err := read(`{"$p":4,"name":"f"}`, nil); err != nil || got.(*function).params != -1 || got.(*function).id != 4 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := read(`{"$p":4,"name":"f","parameters":2}`, nil); err != nil || got.(*function).NumParams() != 2 {
		t.Errorf("%v, %v", got, err)
	}
	const most = math.MaxInt64 / 8
	for text, want := range map[string]string{
		`{"$y":49,"at":0}`: "a value takes 49 bytes at offset 0, but the frame has 48 bytes of data", `{"$y":1,"at":48}`: "1 bytes at offset ", `{"$y":0,"at":49}`: "0 bytes at offset ", `{"$y":0}`: "0 bytes at offset ", `{"$y":0,"at":-1}`: "-1 is not a count", `{"$y":9223372036854775807,"at":9}`: "bytes at ",
		`{"$f":7,"at":0}`: "a value takes 7 numbers of 8 bytes, but the frame has 48 bytes of data", `{"$f":6,"at":8}`: "48 bytes at offset ", `{"$i":7,"at":0}`: "7 numbers of 8 bytes, but the frame", `{"$f":2305843009213693952,"at":0}`: "2305843009213693952 numbers of 8 bytes, but the frame", `{"$f":-1,"at":0}`: "-1 is not a count",
		fmt.Sprintf(`{"$m":[%d,1],"at":0}`, most): fmt.Sprintf("%d numbers of 8 bytes, but the frame", most), fmt.Sprintf(`{"$m":[%d,1],"at":0}`, most+1): fmt.Sprintf("a matrix of %d × 1 does not fit into its frame", most+1),
		fmt.Sprintf(`{"$m":[1,%d],"at":0}`, most): fmt.Sprintf("%d numbers of 8 bytes, but the frame", most), fmt.Sprintf(`{"$m":[1,%d],"at":0}`, most+1): "a matrix of 1 ×", fmt.Sprintf(`{"$r":[%d,8],"at":0}`, most/8): fmt.Sprintf("%d numbers of 8 bytes, but the frame", most/8*8), fmt.Sprintf(`{"$r":[%d,8],"at":0}`, most/8+1): "does not fit into its frame",
		`{"$m":[1048577,0],"at":0}`: "a matrix of 1048577 × 0 does not fit into its frame", `{"$r":[1,2],"at":40}`: "16 bytes at offset ", `{"$m":[],"at":0}`: "numbers of rows and columns", `{"$m":[1,2,3],"at":0}`: "numbers of rows and columns", `{"$m":[-1,2],"at":0}`: "-1 is not a count", `{"$m":["a","b"],"at":0}`: "b is not a count",
		`{"$q":["1"]}`: "a fraction is malformed, want a numerator and a denominator", `{"$q":["1","2","3"]}`: "a fraction is malformed, want a numerator and a denominator", `{"$q":["1","0"]}`: "the second not 0", `{"$q":["x","1"]}`: "hexadecimal digits", `{"$q":["1","x"]}`: "hexadecimal digits", `{"$n":"1g"}`: `"1g" is not a whole number in hexadecimal digits`, `{"$x":"1x"}`: "invalid syntax", `{"$x":1}`: "invalid syntax",
		`{"$d":[1]}`: "a dict is malformed, want a list of pairs", `{"$d":[1,2,3]}`: "a dict is malformed, want a list of pairs", `{"$d":[[],1]}`: "unhashable", `{"$d":[1,{}]}`: "has an unknown encoding", `{"$s":[[]]}`: "unhashable", `{"$s":[{}]}`: "has an unknown encoding", `{"$t":[{}]}`: "has an unknown encoding", `[{}]`: "has an unknown encoding", `{"$z":1}`: "a value has an unknown encoding: map[$z:1]",
		`{"$h":99}`: "no value has the number 99", `{"$h":1.5}`: "1.5 is not a count", `{"$p":-1}`: "-1 is not a count", `{"$p":1,"parameters":-1}`: "-1 is not a count", `{"$p":1,"parameters":"a"}`: "a is not a count", `{"$y":"a","at":0}`: "a is not a count", "1e999": "value out of range",
	} {
		if got, err := read(text, data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is read as %v, %v, want %s", text, got, err, want)
		}
	}
	if got, err := read(`{"$m":[1048576,0],"at":0}`, nil); err != nil || got.(*starlark.List).Len() != 1<<20 {
		t.Errorf("a matrix of 2^20 empty rows: %v", err)
	}
	for text, want := range map[string]string{"{": "a frame's text is not a JSON object", "[]": "a frame's text is not a JSON object", "{} x": "text after its JSON object", "{}": ""} {
		if _, err := parse([]byte(text)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// twice fails at the second write.
type twice struct {
	bytes.Buffer
	writes int
}

func (w *twice) Write(p []byte) (int, error) {
	if w.writes++; w.writes == 2 {
		return 0, errGone
	}
	return w.Buffer.Write(p)
}

// A frame is written as docs/protocol.md specifies and read back unchanged, with data of any length. A frame that is
// too long is not written.
func TestFramesRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 2, 300} {
		var b bytes.Buffer
		f := frame{kind: 'C', number: 0x01020304, text: []byte(`{"a":1}`), data: bytes.Repeat([]byte{7}, n)}
		s := sender{w: &b}
		if err := s.send(f); err != nil {
			t.Fatal(err)
		}
		want := binary.LittleEndian.AppendUint32(nil, uint32(9+7+n))
		want = append(append(append(want, 'C', 4, 3, 2, 1, 7, 0, 0, 0), f.text...), f.data...)
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("with %d bytes: % x, want % x", n, b.Bytes(), want)
		}
		got, err := readFrame(&b)
		if err != nil || got.kind != f.kind || got.number != f.number || !bytes.Equal(got.text, f.text) || !bytes.Equal(got.data, f.data) {
			t.Errorf("read is %+v, %v", got, err)
		}
		if _, err := readFrame(&b); err != io.EOF {
			t.Errorf("the next frame: %v", err)
		}
	}
	s := sender{w: &twice{}}
	if err := s.send(frame{kind: 'C', data: []byte{1}}); !errors.Is(err, errGone) {
		t.Errorf("data that cannot be written: %v", err)
	}
	for sizes, want := range map[[2]int]uint32{{0, 0}: 9, {5, 7}: 21, {1<<32 - 10, 0}: 1<<32 - 1, {0, 1<<32 - 10}: 1<<32 - 1} {
		if got, err := frameSize(sizes[0], sizes[1]); err != nil || got != want {
			t.Errorf("a frame of %v bytes has the size %d, %v, want %d", sizes, got, err, want)
		}
	}
	for _, sizes := range [][2]int{{1<<32 - 9, 0}, {0, 1<<32 - 9}, {1 << 31, 1 << 31}} {
		if got, err := frameSize(sizes[0], sizes[1]); err == nil || got != 0 || !strings.Contains(err.Error(), fmt.Sprintf("a value has %d bytes", sizes[0]+sizes[1]+9)) {
			t.Errorf("a frame of %v bytes has the size %d, %v, want an error", sizes, got, err)
		}
	}
}

// counting is a reader whose bytes depend on their offset.
type counting struct{ n int64 }

func (c *counting) Read(p []byte) (int, error) {
	n := min(len(p), 1<<20)
	for i := range n {
		p[i] = byte(c.n>>20 + c.n)
		c.n++
	}
	return n, nil
}

// Data longer than one read arrives complete. Shorter data is not copied. A stream that ends within a frame is an
// error.
func TestLongReads(t *testing.T) {
	const n = 2<<26 + 12345
	b, err := readBytes(&counting{}, n)
	if err != nil || len(b) != n {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	for _, i := range []int64{0, 1, 1<<26 - 1, 1 << 26, 1<<26 + 1, 2<<26 - 1, 2 << 26, n - 1} {
		if b[i] != byte(i>>20+i) {
			t.Errorf("byte %d is %d", i, b[i])
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if b, err := readBytes(&counting{}, 1<<22); err != nil || len(b) != 1<<22 {
		t.Error(len(b), err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 7<<20 {
		t.Errorf("%d bytes are allocated for %d", took, 1<<22)
	}
	for _, end := range []error{io.EOF, errGone} {
		want := end
		if end == io.EOF {
			want = io.ErrUnexpectedEOF
		}
		if _, err := readBytes(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(end)), 4); err != want {
			t.Errorf("an end by %v is reported as %v", end, err)
		}
	}
	if b, err := readBytes(iotest.ErrReader(errGone), 0); err != nil || len(b) != 0 {
		t.Errorf("reading nothing returns %d bytes, %v", len(b), err)
	}
}

// A handle counts how often its value was sent. A value that is not a pointer gets a new number each time.
func TestHandlesCountReferences(t *testing.T) {
	h := newHandles()
	kept, copied := starlark.NewBuiltin("kept", nil), starlark.Tuple{}
	for range 3 {
		if n := h.hold(kept); n != 1 {
			t.Errorf("a value has the number %d", n)
		}
	}
	for want := int64(2); want <= 3; want++ {
		if n := h.hold(copied); n != want {
			t.Errorf("a copy has the number %d, want %d", n, want)
		}
	}
	var pairs []byte
	for _, n := range []int64{1, 2, 2, 1, 99, 1} {
		pairs = binary.LittleEndian.AppendUint64(pairs, uint64(n))
	}
	h.release(append(pairs, 1, 0, 0, 0, 0, 0, 0, 0)) // the last pair is incomplete
	if v, err := h.get(1); v != kept || err != nil {
		t.Errorf("a value sent three times and released twice is %v, %v", v, err)
	}
	if _, err := h.get(2); err == nil || err.Error() != "no value has the number 2" {
		t.Error(err)
	}
	if v, err := h.get(3); err != nil || v.String() != "()" {
		t.Errorf("another copy is %v, %v", v, err)
	}
	h.drop(1, 1)
	if n := h.hold(kept); n != 4 {
		t.Errorf("a value sent again after its release has the number %d, want 4", n)
	}
	h.drop(4, 5)
	h.drop(3, 1)
	if len(h.held) != 0 || len(h.number) != 0 {
		t.Errorf("%d values and %d numbers are kept", len(h.held), len(h.number))
	}
}
