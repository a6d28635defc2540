package data

import (
	"bytes"
	"context"
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
		"\"1\", \"\"\r\n\r\n3,4\n":   [][]any{{"1", ""}, {int64(3), int64(4)}}, // a header
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
		rows, err := ReadCSV(context.Background(), strings.NewReader(text), 0, ',')
		compare(t, text, rows, err, want)
		if want, ok := want.([][]any); ok && len(want) > 0 {
			if zero, ok := want[0][0].(float64); ok && zero == 0 && !math.Signbit(rows[0][0].(float64)) {
				t.Errorf("%q loses its sign", text)
			}
		}
	}
	rows, err := ReadHeadedCSV(context.Background(), strings.NewReader("note\n2019, x,\n1,2,3\n"), 1, ',')
	compare(t, "a header", rows, err, [][]any{{"2019", "x", ""}, {int64(1), int64(2), int64(3)}})
}

func TestReadWords(t *testing.T) {
	rows, err := ReadWords(strings.NewReader("# who\n\n 0\tcircle  1.5\nx\r\n"))
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
		edges, err := ReadEdges(context.Background(), strings.NewReader(text))
		compare(t, text, edges, err, want)
	}
}

// compare checks what was read, or the text of the error.
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
		rows, err := ReadCSV(context.Background(), strings.NewReader(text), skip&3, ',')
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
		edges, err := ReadEdges(context.Background(), strings.NewReader(text))
		if err != nil {
			return
		}
		// What was read reads back the same.
		var b strings.Builder
		for _, e := range edges {
			if e[0] < 0 || e[1] < 0 {
				t.Errorf("%q: edge %v", text, e)
			}
			fmt.Fprintf(&b, "%d, %d\n", e[0], e[1])
		}
		again, err := ReadEdges(context.Background(), strings.NewReader(b.String()))
		if err != nil || !reflect.DeepEqual(again, edges) {
			t.Errorf("%q: %v, %v", text, again, err)
		}
	})
}

// again gives a text again and again.
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

// Whatever a file unpacks to, no reader takes more than the memory there is, and what it has read is to fit once more as a script's value.
func TestReadersKeepToTheMemory(t *testing.T) {
	const bound = 16 << 20
	ctx := t.Context()
	images := append(binary.BigEndian.AppendUint32([]byte{0, 0, 8, 3}, 1<<24), 0, 0, 0, 28, 0, 0, 0, 28)
	for name, c := range map[string]struct {
		text string
		read func(r io.Reader) error
	}{
		"text":     {"[1,", func(r io.Reader) error { _, err := ReadText(ctx, r); return err }},
		"CSV":      {"1,22,x\n", func(r io.Reader) error { _, err := ReadCSV(ctx, r, 0, ','); return err }},
		"headed":   {"1,22,x\n", func(r io.Reader) error { _, err := ReadHeadedCSV(ctx, r, 0, ','); return err }},
		"skipped":  {"\"a\"\n", func(r io.Reader) error { _, err := ReadCSV(ctx, r, 1<<40, ','); return err }},
		"one cell": {"12", func(r io.Reader) error { _, err := ReadCells(ctx, r, ','); return err }},
		"a quote": {"\n", func(r io.Reader) error {
			_, err := ReadCSV(ctx, io.MultiReader(strings.NewReader(`"`), r), 0, ',')
			return err
		}},
		"words":    {"a b\n", func(r io.Reader) error { _, err := ReadWords(r); return err }},
		"edges":    {"1 2\n", func(r io.Reader) error { _, err := ReadEdges(ctx, r); return err }},
		"svmlight": {"1 100000:1\n", func(r io.Reader) error { _, _, err := ReadSVMLight(ctx, r, 0, 0, -1); return err }},
		"images": {"x", func(r io.Reader) error {
			_, err := ReadImages(io.MultiReader(bytes.NewReader(images), r), 0, -1)
			return err
		}},
		"CIFAR": {"\x00", func(r io.Reader) error { _, _, err := ReadCIFAR(r, 0, -1); return err }},
	} {
		memory.Collect()
		previous := memory.SetLimit(memory.InUse() + bound)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := c.read(&again{text: c.text})
		runtime.ReadMemStats(&after)
		memory.SetLimit(previous)
		if !errors.Is(err, memory.Err) {
			t.Errorf("%s without an end: %v", name, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*bound { // in all, what slices outgrow included
			t.Errorf("%s takes %d bytes of %d", name, taken, bound)
		}
	}
}
