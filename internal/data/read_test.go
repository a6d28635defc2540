package data_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"dpworkbench/internal/data"
	"dpworkbench/internal/memory"
)

func TestReadCSV(t *testing.T) {
	for text, want := range map[string]any{
		"1,2.5,a\n-3,,\"x, y\"\n":    [][]any{{int64(1), 2.5, "a"}, {int64(-3), nil, "x, y"}},
		"\xef\xbb\xbfa,b\r\n1,2\r\n": [][]any{{"a", "b"}, {int64(1), int64(2)}},
		"":                           [][]any(nil),
		"\n\n":                       [][]any(nil),
		"1e3, inf ,0x10,1_000,+5":    [][]any{{1000.0, math.Inf(1), "0x10", "1_000", int64(5)}},
		"?,y\n":                      [][]any{{"?", "y"}},
		"\"1\", \"\"\r\n\r\n3,4\n":   [][]any{{"1", ""}, {int64(3), int64(4)}}, // a quoted header
		"\"1\",\"2\"\n\"3\",4\n":     [][]any{{"1", "2"}, {int64(3), int64(4)}},
		"\"1\",\"2\"\n\"3\",\"4\"\n": [][]any{{int64(1), int64(2)}, {int64(3), int64(4)}},
		"\"1\",2\n3,4\n":             [][]any{{int64(1), int64(2)}, {int64(3), int64(4)}},
		"\"1\",\"2\"\n":              [][]any{{int64(1), int64(2)}},
		"1,2\n\"3\",4\n":             [][]any{{int64(1), int64(2)}, {int64(3), int64(4)}},
		"1,2\n3\n":                   "line 2 has 1 cells, want 2 like the rows before",
		"a,\"b\nc":                   "record on line 1; parse error on line 2, column 2: extraneous or missing \" in quoted-field",
		"a\x00b":                     "line 1, cell 1 is not text",
		"\xff\xfe1":                  "line 1, cell 1 is not text",
		"99999999999999999999":       [][]any{{new(big.Int).SetUint64(0).Sub(new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil), big.NewInt(1))}},
		"-9223372036854775809,-9223372036854775808":    [][]any{{new(big.Int).Sub(big.NewInt(math.MinInt64), big.NewInt(1)), int64(math.MinInt64)}},
		"1-9999999999999999999,+-99999999999999999999": [][]any{{"1-9999999999999999999", "+-99999999999999999999"}},
		"-0,+0,0":                [][]any{{math.Copysign(0, -1), int64(0), int64(0)}},
		strings.Repeat("1", 309): [][]any{{new(big.Int).Quo(new(big.Int).Exp(big.NewInt(10), big.NewInt(309), nil), big.NewInt(9))}},
	} {
		rows, err := data.ReadCSV(context.Background(), strings.NewReader(text), 0, ',')
		compare(t, text, rows, err, want)
		if want, ok := want.([][]any); ok && len(want) > 0 {
			if zero, ok := want[0][0].(float64); ok && zero == 0 && !math.Signbit(rows[0][0].(float64)) {
				t.Errorf("%q loses its sign", text)
			}
		}
	}
	rows, err := data.ReadHeadedCSV(context.Background(), strings.NewReader("note\n2019, x,\n1,2,3\n"), 1, ',')
	compare(t, "a header", rows, err, [][]any{{"2019", "x", ""}, {int64(1), int64(2), int64(3)}})
}

func TestReadWords(t *testing.T) {
	rows, err := data.ReadWords(strings.NewReader("# who\n\n 0\tcircle  1.5\nx\r\n"))
	compare(t, "words", rows, err, [][]any{{int64(0), "circle", 1.5}, {"x"}})
}

func TestReadEdges(t *testing.T) {
	for text, want := range map[string]any{
		"# nodes\n0 1\n2\t3\n4,5\n\n% x\n 6  7 \r\n": [][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}},
		"":                         [][2]int(nil),
		"0 0":                      [][2]int{{0, 0}},
		"0 1\n2\n":                 `line 2 = "2" has 1 fields, want two node numbers`,
		"0 1 0.5":                  `line 1 = "0 1 0.5" has 3 fields, want two node numbers`,
		"a b":                      `line 1 = "a b", want two whole numbers from 0 to 2147483647`,
		"0 -1":                     `line 1 = "0 -1", want two whole numbers from 0 to 2147483647`,
		"0 99999999999":            `line 1 = "0 99999999999", want two whole numbers from 0 to 2147483647`,
		strings.Repeat("0", 1<<17): "line 1 is longer than 65536 bytes",
	} {
		edges, err := data.ReadEdges(context.Background(), strings.NewReader(text))
		compare(t, text, edges, err, want)
	}
}

// compare fails the test unless got, or the text of err if there is an error, equals want.
func compare(t *testing.T, text string, got any, err error, want any) {
	t.Helper()
	if err != nil {
		got = err.Error()
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%.40q\n gives %v\n want  %v", text, got, want)
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"1,2.5,a\n-3,,\"x, y\"\n", "\xef\xbb\xbfa;b\r\n", "\"", "a,\"b\nc", "1e999\n", ",\n,,\n", "\x00", "'1', 2"} {
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, text string, skip int) {
		rows, err := data.ReadCSV(context.Background(), strings.NewReader(text), skip&3, ',')
		for i := range rows {
			if err == nil && len(rows[i]) != len(rows[0]) {
				t.Errorf("%q: row %d has another length", text, i)
			}
		}
	})
}

func FuzzEdges(f *testing.F) {
	for _, s := range []string{"0 1\n", "# x\n0,1\n", "0\t1\r\n% y\n", "-1 0", "0 1 2", "99999999999 0", "\xff 1", "1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		edges, err := data.ReadEdges(context.Background(), strings.NewReader(text))
		if err != nil {
			return
		}
		// Edges are unchanged if they are written and read again.
		var b strings.Builder
		for _, e := range edges {
			if e[0] < 0 || e[1] < 0 {
				t.Errorf("%q: edge %v", text, e)
			}
			fmt.Fprintf(&b, "%d, %d\n", e[0], e[1])
		}
		again, err := data.ReadEdges(context.Background(), strings.NewReader(b.String()))
		if err != nil || !reflect.DeepEqual(again, edges) {
			t.Errorf("%q: %v, %v", text, again, err)
		}
	})
}

// again is a reader that repeats a text forever.
type again struct {
	text  string
	given int
}

func (e *again) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[e.given%len(e.text)]
		e.given++
	}
	return len(p), nil
}

// No reader takes much more memory than the limit, however long its input is.
func TestReadersRespectMemoryLimit(t *testing.T) {
	const bound = 16 << 20
	ctx := t.Context()
	images := append(binary.BigEndian.AppendUint32([]byte{0, 0, 8, 3}, 1<<24), 0, 0, 0, 28, 0, 0, 0, 28)
	for name, c := range map[string]struct {
		text string
		read func(r io.Reader) error
	}{
		"text":     {"[1,", func(r io.Reader) error { _, err := data.ReadText(ctx, r); return err }},
		"CSV":      {"1,22,x\n", func(r io.Reader) error { _, err := data.ReadCSV(ctx, r, 0, ','); return err }},
		"headed":   {"1,22,x\n", func(r io.Reader) error { _, err := data.ReadHeadedCSV(ctx, r, 0, ','); return err }},
		"skipped":  {"\"a\"\n", func(r io.Reader) error { _, err := data.ReadCSV(ctx, r, 1<<40, ','); return err }},
		"one cell": {"12", func(r io.Reader) error { _, err := data.ReadCells(ctx, r, ','); return err }},
		"a quote": {"\n", func(r io.Reader) error {
			_, err := data.ReadCSV(ctx, io.MultiReader(strings.NewReader(`"`), r), 0, ',')
			return err
		}},
		"words":    {"a b\n", func(r io.Reader) error { _, err := data.ReadWords(r); return err }},
		"edges":    {"1 2\n", func(r io.Reader) error { _, err := data.ReadEdges(ctx, r); return err }},
		"svmlight": {"1 100000:1\n", func(r io.Reader) error { _, _, err := data.ReadSVMLight(ctx, r, 0, 0, -1); return err }},
		"images": {"x", func(r io.Reader) error {
			_, err := data.ReadImages(io.MultiReader(bytes.NewReader(images), r), 0, -1)
			return err
		}},
		"CIFAR": {"\x00", func(r io.Reader) error { _, _, err := data.ReadCIFAR(r, 0, -1); return err }},
	} {
		memory.Collect()
		previous := memory.SetLimit(memory.InUse() + bound)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := c.read(&again{text: c.text})
		runtime.ReadMemStats(&after)
		memory.SetLimit(previous)
		if !errors.Is(err, memory.Err) {
			t.Errorf("%s of unlimited length: %v", name, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*bound { // total allocations, including outgrown slices
			t.Errorf("%s allocates %d bytes with a limit of %d", name, taken, bound)
		}
	}
}

// endless is a reader of left bytes b.
type endless struct {
	b    byte
	left int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = e.b
	}
	e.left -= n
	return n, nil
}

// ReadSVMLight returns an error for a line of 64 MiB or more.
func TestSVMLightLineLimit(t *testing.T) {
	for n, fits := range map[int]bool{1<<26 - 1: true, 1 << 26: false} {
		_, y, err := data.ReadSVMLight(t.Context(), io.MultiReader(strings.NewReader("7 1:1\n#"), &endless{'x', n - 1}, strings.NewReader("\n8\n")), 0, 0, -1)
		if fits && (err != nil || !reflect.DeepEqual(y, []int{7, 8})) {
			t.Errorf("a comment of %d bytes: %v, %v", n, y, err)
		}
		if !fits && (err == nil || err.Error() != "a line is longer than 67108864 bytes" || y != nil) {
			t.Errorf("a comment of %d bytes: %v, %v", n, y, err)
		}
	}
}

// ReadSVMLight checks labels, indices and values at the ends of their ranges.
func TestSVMLightLimits(t *testing.T) {
	read := func(text string, features, first, count int) string {
		x, y, err := data.ReadSVMLight(t.Context(), strings.NewReader(text), features, first, count)
		if err != nil {
			if x != nil || y != nil {
				t.Errorf("%q: rows together with an error", text)
			}
			return err.Error()
		}
		return fmt.Sprint(x, y)
	}
	for _, c := range []struct {
		text                   string
		features, first, count int
		want                   string
	}{
		{"1 1:1\n2 3:4", 0, 0, -1, "[[1 0 0] [0 0 4]] [1 2]"},
		{"1 1:1\n2 3:4", 3, 0, -1, "[[1 0 0] [0 0 4]] [1 2]"},
		{"1 1:1\n2 3:4", 5, 0, -1, "[[1 0 0 0 0] [0 0 4 0 0]] [1 2]"},
		{"1 1:1\n2 3:4", 2, 0, -1, "line 2 has the index 3, want one above 0 and at most 2"},
		{"1 1:1\n2 3:4", 2, 0, 1, "[[1 0]] [1]"}, // rows that are not requested are not checked
		{"1 1:1\n2 3:4", 0, 1, -1, "[[0 0 4]] [2]"},
		{"1 1:1\n2 3:4", 0, 2, -1, "[] []"},
		{"1 1:1\n2 3:4", 0, 0, 0, "[] []"},
		{"1 1:1\n2 3:4", 0, 0, 2, "[[1 0 0] [0 0 4]] [1 2]"},
		{"1 1:1\n2 3:4", 0, 0, 3, "unexpected file format: rows 0 to 2 are requested, the file has 2"},
		{"1 1:1\n2 3:4", 0, 1, 2, "unexpected file format: rows 1 to 2 are requested, the file has 2"},
		{"2147483647\n-2147483648", 0, 0, -1, "[[] []] [2147483647 -2147483648]"},
		{"2147483648", 0, 0, -1, `line 1 has the label "2147483648", want a whole number`},
		{"0x1", 0, 0, -1, `line 1 has the label "0x1", want a whole number`},
		{"\n1.5 1:1", 0, 0, -1, `line 2 has the label "1.5", want a whole number`},
		{"1 1:2 1:3", 0, 0, -1, "line 1 has the index 1, want one above 1 and at most 1048576"},
		{"1 3:2 2:3", 0, 0, -1, "line 1 has the index 2, want one above 3 and at most 1048576"},
		{"1 0:2", 0, 0, -1, "line 1 has the index 0, want one above 0 and at most 1048576"},
		{"1 1048577:2", 0, 0, -1, "line 1 has the index 1048577, want one above 0 and at most 1048576"},
		{"1 1:nan", 0, 0, -1, `line 1 has "1:nan", want index:value with a finite number`},
		{"1 1:1e400", 0, 0, -1, `line 1 has "1:1e400", want index:value with a finite number`},
		{"1 :1", 0, 0, -1, `line 1 has ":1", want index:value with a finite number`},
		{"1 1:", 0, 0, -1, `line 1 has "1:", want index:value with a finite number`},
		{"1 1", 0, 0, -1, `line 1 has "1", want index:value with a finite number`},
		{"1 1:0.1 2:1.7976931348623157e308", 0, 0, -1, "[[0.1 1.7976931348623157e+308]] [1]"},
	} {
		if got := read(c.text, c.features, c.first, c.count); got != c.want {
			t.Errorf("%q with %d features, %d rows from %d on: %s, want %s", c.text, c.features, c.count, c.first, got, c.want)
		}
	}
	if x, _, err := data.ReadSVMLight(t.Context(), strings.NewReader("1 1048576:2"), 0, 0, -1); err != nil || len(x[0]) != 1<<20 || x[0][1<<20-1] != 2 {
		t.Errorf("the last feature: %v", err)
	}
}

// The readers of images and labels return an error for a file truncated at any byte, and for requests past its end.
func TestTruncatedImages(t *testing.T) {
	images := []byte{0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 51, 0, 255, 102, 255}
	labels := []byte{0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 9}
	x := func(file []byte, first, count int) string {
		got, err := data.ReadImages(bytes.NewReader(file), first, count)
		if err != nil {
			if got != nil || !errors.Is(err, data.ErrFormat) {
				t.Errorf("%v together with error %v", got, err)
			}
			return strings.TrimPrefix(err.Error(), "unexpected file format: ")
		}
		return fmt.Sprint(got)
	}
	y := func(file []byte, first, count int) string {
		got, err := data.ReadLabels(bytes.NewReader(file), first, count)
		if err != nil {
			if got != nil || !errors.Is(err, data.ErrFormat) {
				t.Errorf("%v together with error %v", got, err)
			}
			return strings.TrimPrefix(err.Error(), "unexpected file format: ")
		}
		return fmt.Sprint(got)
	}
	for _, c := range [][2]string{
		{x(images, 0, 0), "[]"}, {x(images, 3, 0), "[]"}, {x(images, 3, -1), "[]"}, {x(images, 0, 3), "[[0 0.2] [0 1] [0.4 1]]"}, {x(images, 1, 1), "[[0 1]]"},
		{x(images, 0, 4), "images 0 to 3 are requested, the file has 3"}, {x(images, 3, 1), "images 3 to 3 are requested, the file has 3"}, {x(images, -1, 1), "images -1 to -1 are requested, the file has 3"},
		{x(images, 4, 0), "images 4 to 3 are requested, the file has 3"}, {x(images, 4, -1), "images 4 to 2 are requested, the file has 3"},
		{x(images[:16], 0, 0), "[]"}, {x(images[:16], 1, 0), "EOF"}, {x(images[:17], 1, 0), "EOF"}, {x(images[:18], 1, 0), "[]"}, {x(images[:18], 1, 1), "EOF"}, {x(images[:19], 1, 1), "unexpected EOF"},
		{x(images[:15], 0, 0), "unexpected EOF"}, {x(nil, 0, 0), "EOF"}, {x(append([]byte{0, 0, 8, 1}, images[4:]...), 0, 0), "it holds no images with one byte a pixel"},
		{y(labels, 0, 0), "[]"}, {y(labels, 3, 0), "[]"}, {y(labels, 3, -1), "[]"}, {y(labels, 0, 3), "[7 0 9]"}, {y(labels, 0, -1), "[7 0 9]"},
		{y(labels, 0, 4), "labels 0 to 3 are requested, the file has 3"}, {y(labels, 4, -1), "labels 4 to 2 are requested, the file has 3"}, {y(labels, -1, 1), "labels -1 to -1 are requested, the file has 3"},
		{y(labels[:10], 0, 1), "unexpected EOF"}, {y(labels[:8], 0, 0), "EOF"}, {y(labels[:7], 0, 0), "unexpected EOF"}, {y(append([]byte{0, 0, 8, 3}, labels[4:]...), 0, 0), "it holds no labels of one byte each"},
		{y([]byte{0, 0, 8, 1, 1, 0, 0, 1}, 0, 0), "it holds no labels of one byte each"}, {y([]byte{0, 0, 8, 1, 1, 0, 0, 0}, 0, 0), "EOF"}, // a count of 2²⁴ is accepted
	} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
	record := append([]byte{9}, make([]byte, 3072)...)
	record[1+7], record[1+1024+7], record[1+2048+7] = 10, 20, 40
	for _, c := range []struct {
		bytes, first, count, images int
		want                        string
	}{
		{3073, 0, 1, 1, ""}, {3073, 0, -1, 1, ""}, {3073, 1, -1, 0, ""}, {3073, 0, 0, 0, ""}, {0, 0, -1, 0, ""}, {6146, 1, 1, 1, ""}, {6146, 1, -1, 1, ""},
		{3073, 0, 2, 0, "image 1: EOF"}, {3073, 2, -1, 0, "image 1: EOF"}, {3072, 0, -1, 0, "image 0: unexpected EOF"}, {3074, 0, -1, 0, "image 1: unexpected EOF"},
	} {
		x, y, err := data.ReadCIFAR(bytes.NewReader(append(record, record...)[:c.bytes]), c.first, c.count)
		if c.want == "" && (err != nil || len(x) != c.images || len(y) != c.images) || c.want != "" && (err == nil || err.Error() != "unexpected file format: "+c.want || x != nil || y != nil) {
			t.Errorf("%+v: %d images, %v", c, len(x), err)
		}
		if len(x) == 1 && (y[0] != 9 || x[0][6] != 0 || x[0][7] != (2990+11740+4560)/255000.0) {
			t.Errorf("%+v: label %d, %v", c, y[0], x[0][7])
		}
	}
	record[0] = 10
	if _, _, err := data.ReadCIFAR(bytes.NewReader(record), 0, 1); err == nil || err.Error() != "unexpected file format: image 0 has label 10, want 0 to 9" {
		t.Error(err)
	}
}

// A quoted first row is a header if the second row is not quoted, also with leading spaces and after skipped lines.
func TestQuotedHeaders(t *testing.T) {
	for _, c := range []struct {
		text string
		skip int
		want string
	}{
		{"x\n\"1\",\"2\"\n3,4\n", 1, "[[1 2] [3 4]] string"},
		{"\"1\",\"2\"\n3,4\n", 0, "[[1 2] [3 4]] string"},
		{"\"1\" ,\"2\"\n3,4\n", 0, `parse error on line 1, column 3: extraneous or missing " in quoted-field`},
		{"\"1\",\"2\"\n\"3\",\"4\"\n5,6\n", 0, "[[1 2] [3 4] [5 6]] int64"},
		{"\"1\",\"2\"\n\"3\",\n5,6\n", 0, "[[1 2] [3 <nil>] [5 6]] int64"}, // an empty cell needs no quotes
		{"\"1\",\"2\"\n3,4\n\"5\",\"6\"\n", 0, "[[1 2] [3 4] [5 6]] string"},
		{"1,\"2\"\n3,4\n", 0, "[[1 2] [3 4]] int64"},
		{"\"1\",2\n3,4\n", 0, "[[1 2] [3 4]] int64"},
		{"\"1\"\n2\n", 0, "[[1] [2]] string"},
		{"\"\"\n2\n", 0, "[[<nil>] [2]] <nil>"},
		{"\"1\n1\",\"2\"\n3,4\n", 0, "[[1\n1 2] [3 4]] string"},
		{"  \"1\",  \"2\"\n3,4\n", 0, "[[1 2] [3 4]] string"},
		{"\"1\",\n3,4\n", 0, "[[1 <nil>] [3 4]] int64"}, // nor does one at the end of the line
	} {
		rows, err := data.ReadCSV(context.Background(), strings.NewReader(c.text), c.skip, ',')
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprintf("%v %T", rows, rows[0][0])
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	// A long file is read to its end after the header is recognized.
	long := "\"a\"\n1\n" + strings.Repeat("2\n", 5000)
	if rows, err := data.ReadCSV(t.Context(), strings.NewReader(long), 0, ','); err != nil || len(rows) != 5002 || rows[0][0] != "a" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for text, want := range map[string]string{"\"a\n": "true", "1,2\n3\n": "true", "a\x00\n": "true"} {
		if rows, err := data.ReadCells(t.Context(), strings.NewReader(text), ','); fmt.Sprint(err != nil) != want || rows != nil {
			t.Errorf("%q: %v, %v", text, rows, err)
		}
		if rows, err := data.ReadHeadedCSV(t.Context(), strings.NewReader(text), 0, ','); err == nil || rows != nil {
			t.Errorf("%q: %v, %v", text, rows, err)
		}
	}
	if rows, err := data.ReadCells(t.Context(), strings.NewReader(" a , b\n1,2 \n"), ','); err != nil || fmt.Sprintf("%q", rows) != `[["a" "b"] ["1" "2"]]` {
		t.Errorf("cells with spaces: %q, %v", rows, err)
	}
}

// cell returns the value that a reader gives a cell of the given text.
func cell(t *testing.T, text string) any {
	rows, err := data.ReadWords(strings.NewReader("x " + text))
	if strings.TrimSpace(text) != text || text == "" {
		rows, err = data.ReadCSV(t.Context(), strings.NewReader("x,"+text), 0, ',')
	}
	if err != nil || len(rows) != 1 || len(rows[0]) != 2 {
		t.Fatalf("%q: %v, %v", text, rows, err)
	}
	return rows[0][1]
}

// A cell at the limits of a number type is read as the right type.
func TestCellLimits(t *testing.T) {
	for text, want := range map[string]string{
		"9223372036854775807": "int64", "9223372036854775808": "*big.Int", "-9223372036854775808": "int64", "0123": "string", "010": "string", "-0": "float64", "1e3": "float64", "0b1": "string", "0o7": "string",
		"123456789012345678": "int64", "12345678901234567x": "string", strings.Repeat("1", 4096): "*big.Int", strings.Repeat("1", 4097): "string", "+" + strings.Repeat("9", 19): "*big.Int", "1_0": "string", "0x1p3": "string", "infinity": "float64", "1e999": "string", "": "<nil>", "  7 ": "int64", "−7": "string",
	} {
		if got := fmt.Sprintf("%T", cell(t, text)); got != want {
			t.Errorf("%.30q is a %s, want %s", text, got, want)
		}
	}
	if v := cell(t, "010"); v != "010" { // 010 is an identifier
		t.Errorf("010 is %v", v)
	}
	if v := cell(t, "0.1"); v != 0.1 {
		t.Errorf("0.1 is %v", v)
	}
	if v := cell(t, "12345678901234567890"); fmt.Sprintf("%T %v", v, v) != "*big.Int 12345678901234567890" {
		t.Errorf("20 digits: %v", v)
	}
	edges, err := data.ReadEdges(t.Context(), strings.NewReader("\uFEFF0 2147483647\n2147483647,0\n"))
	if err != nil || !reflect.DeepEqual(edges, [][2]int{{0, math.MaxInt32}, {math.MaxInt32, 0}}) {
		t.Errorf("edges with a byte order mark: %v, %v", edges, err)
	}
	for text, want := range map[string]string{
		"0 2147483648": `line 1 = "0 2147483648", want two whole numbers from 0 to 2147483647`, "\n0x1 2": `line 2 = "0x1 2", want two whole numbers from 0 to 2147483647`,
		"1\n":                             `line 1 = "1" has 1 fields, want two node numbers`,
		strings.Repeat("0", 1<<16) + "\n": "line 1 is longer than 65536 bytes", "1 2\n" + strings.Repeat("0", 1<<16): "line 2 is longer than 65536 bytes",
	} {
		if got, err := data.ReadEdges(t.Context(), strings.NewReader(text)); err == nil || err.Error() != want || got != nil {
			t.Errorf("%.20q: %v, %v", text, got, err)
		}
	}
	if got, err := data.ReadEdges(t.Context(), strings.NewReader("#"+strings.Repeat("0", 1<<16-2)+"\n1 2\n")); err != nil || len(got) != 1 {
		t.Errorf("a line of 65535 bytes: %v, %v", got, err)
	}
}

// If the underlying reader fails, every function returns an error, however much was read before.
func TestReadersFail(t *testing.T) {
	gone := errors.New("gone")
	var images bytes.Buffer
	if err := binary.Write(&images, binary.BigEndian, []uint32{0x803, 2, 2, 2}); err != nil {
		t.Fatal(err)
	}
	images.WriteString("abcdefgh")
	for name, c := range map[string]struct {
		content string
		read    func(r io.Reader) error
	}{
		"csv":    {"1,2\n3,4\n", func(r io.Reader) error { _, err := data.ReadCSV(t.Context(), r, 0, ','); return err }},
		"headed": {"a,b\n1,2\n3,4\n", func(r io.Reader) error { _, err := data.ReadHeadedCSV(t.Context(), r, 0, ','); return err }},
		"cells":  {"1,2\n3,4\n", func(r io.Reader) error { _, err := data.ReadCells(t.Context(), r, ','); return err }},
		"words":  {"1 2\n3 4\n", func(r io.Reader) error { _, err := data.ReadWords(r); return err }},
		"sparse": {"1 1:2\n3 1:4\n", func(r io.Reader) error { _, _, err := data.ReadSVMLight(t.Context(), r, 0, 0, -1); return err }},
		"labels": {"\x00\x00\x08\x01\x00\x00\x00\x02ab", func(r io.Reader) error { _, err := data.ReadLabels(r, 0, 2); return err }},
		"edges":  {"1 2\n3 4\n", func(r io.Reader) error { _, err := data.ReadEdges(t.Context(), r); return err }},
		"images": {images.String(), func(r io.Reader) error { _, err := data.ReadImages(r, 1, 1); return err }},
	} {
		if err := c.read(strings.NewReader(c.content)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range len(c.content) {
			if err := c.read(io.MultiReader(strings.NewReader(c.content[:n]), iotest.ErrReader(gone))); err == nil || name != "edges" && name != "sparse" && !errors.Is(err, gone) { // truncated line
				t.Errorf("%s after %d bytes: %v", name, n, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := data.ReadCSV(ctx, strings.NewReader("1\n"), 0, ','); !errors.Is(err, context.Canceled) {
		t.Errorf("csv with an ended context: %v", err)
	}
	if _, err := data.ReadEdges(ctx, strings.NewReader(strings.Repeat("1 2\n", 1024))); !errors.Is(err, context.Canceled) {
		t.Errorf("edges with an ended context: %v", err)
	}
	if rows, err := data.ReadCSV(t.Context(), strings.NewReader("head,of,three\n1;2\n"), 1, ';'); err != nil || len(rows) != 1 || len(rows[0]) != 2 {
		t.Errorf("below a header: %v, %v", rows, err)
	}
}

// Open finds a data set in a folder, and names the folder if it is absent. Verify checks its checksum.
func TestSetOpenAndVerify(t *testing.T) {
	folder, content := t.TempDir(), []byte("x")
	s := data.Set{Name: "n", Path: "sub/x.csv", Source: "where", SHA256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"} // SHA-256 of "x"
	if _, err := s.Open([]string{folder}); !errors.Is(err, data.ErrAbsent) || !strings.Contains(err.Error(), folder) {
		t.Errorf("an absent set: %v", err)
	}
	if _, err := s.Open(nil); !errors.Is(err, data.ErrAbsent) || !strings.Contains(err.Error(), "no data folder") {
		t.Errorf("no folders: %v", err)
	}
	path := filepath.Join(folder, "sub", "x.csv")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := s.Open([]string{t.TempDir(), folder})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the set holds %q, %v", got, err)
	}
	if ok, err := s.Verify(path); err != nil || !ok {
		t.Errorf("Verify rejects the file: %v", err)
	}
	if ok, err := (data.Set{}).Verify(path); err != nil || ok {
		t.Errorf("Verify accepts the file without a checksum: %v", err)
	}
	for _, broken := range []string{folder, filepath.Join(folder, "none")} {
		if ok, err := s.Verify(broken); err == nil || ok {
			t.Errorf("%s: %t, %v", broken, ok, err)
		}
	}
}

// A message quotes the beginning of a long line. The error for an unknown name lists the known ones.
func TestErrorMessages(t *testing.T) {
	_, err := data.ReadEdges(t.Context(), strings.NewReader(strings.Repeat("x", 41)))
	if want := `line 1 = "` + strings.Repeat("x", 40) + `…" has 1 fields, want two node numbers`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = data.ReadEdges(t.Context(), strings.NewReader(strings.Repeat("x", 40)))
	if want := `line 1 = "` + strings.Repeat("x", 40) + `" has 1 fields, want two node numbers`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = data.Find("nothing of the kind")
	for _, s := range data.Sets() {
		if !errors.Is(err, data.ErrUnknown) || !strings.Contains(err.Error(), s.Name) {
			t.Errorf("%v does not name %s", err, s.Name)
		}
	}
}

// ReadWords returns an error for a line of 1 MiB or more.
func TestReadWordsLineLimit(t *testing.T) {
	for n, fits := range map[int]bool{1<<20 - 1: true, 1 << 20: false, 3 << 19: false} {
		rows, err := data.ReadWords(strings.NewReader(strings.Repeat("x", n) + "\n"))
		if fits != (err == nil && len(rows) == 1) || !fits && !errors.Is(err, bufio.ErrTooLong) {
			t.Errorf("a line of %d bytes: %d rows, %v", n, len(rows), err)
		}
	}
}
