package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dpworkbench/internal/looks"
)

// endless is so many bytes of one sort.
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

// A line of the sparse format is less than 64 MiB.
func TestLongLinesOfSparse(t *testing.T) {
	for n, fits := range map[int]bool{1<<26 - 1: true, 1 << 26: false} {
		_, y, err := ReadSVMLight(t.Context(), io.MultiReader(strings.NewReader("7 1:1\n#"), &endless{'x', n - 1}, strings.NewReader("\n8\n")), 0, 0, -1)
		if fits && (err != nil || !reflect.DeepEqual(y, []int{7, 8})) {
			t.Errorf("a comment of %d bytes: %v, %v", n, y, err)
		}
		if !fits && (err == nil || err.Error() != "a line is longer than 67108864 bytes" || y != nil) {
			t.Errorf("a comment of %d bytes: %v, %v", n, y, err)
		}
	}
}

// Of the sparse format each pair, label and index at the ends of its range.
func TestSparseAtTheEnds(t *testing.T) {
	read := func(text string, features, first, count int) string {
		x, y, err := ReadSVMLight(t.Context(), strings.NewReader(text), features, first, count)
		if err != nil {
			if x != nil || y != nil {
				t.Errorf("%q: rows beside an error", text)
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
		{"1 1:1\n2 3:4", 2, 0, 1, "[[1 0]] [1]"}, // what is not asked for is not read
		{"1 1:1\n2 3:4", 0, 1, -1, "[[0 0 4]] [2]"},
		{"1 1:1\n2 3:4", 0, 2, -1, "[] []"},
		{"1 1:1\n2 3:4", 0, 0, 0, "[] []"},
		{"1 1:1\n2 3:4", 0, 0, 2, "[[1 0 0] [0 0 4]] [1 2]"},
		{"1 1:1\n2 3:4", 0, 0, 3, "unexpected file format: rows 0 to 2 asked for, the file has 2"},
		{"1 1:1\n2 3:4", 0, 1, 2, "unexpected file format: rows 1 to 2 asked for, the file has 2"},
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
			t.Errorf("%q with %d features, %d from %d on: %s, want %s", c.text, c.features, c.count, c.first, got, c.want)
		}
	}
	if x, _, err := ReadSVMLight(t.Context(), strings.NewReader("1 1048576:2"), 0, 0, -1); err != nil || len(x[0]) != 1<<20 || x[0][1<<20-1] != 2 {
		t.Errorf("the last feature: %v", err)
	}
}

// Images and labels of files that are too short by any number of bytes, or asked for beyond their end.
func TestImagesAtTheEnds(t *testing.T) {
	images := []byte{0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 51, 0, 255, 102, 255}
	labels := []byte{0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 9}
	x := func(file []byte, first, count int) string {
		got, err := ReadImages(bytes.NewReader(file), first, count)
		if err != nil {
			if got != nil || !errors.Is(err, ErrFormat) {
				t.Errorf("%v beside %v", got, err)
			}
			return strings.TrimPrefix(err.Error(), "unexpected file format: ")
		}
		return fmt.Sprint(got)
	}
	y := func(file []byte, first, count int) string {
		got, err := ReadLabels(bytes.NewReader(file), first, count)
		if err != nil {
			if got != nil || !errors.Is(err, ErrFormat) {
				t.Errorf("%v beside %v", got, err)
			}
			return strings.TrimPrefix(err.Error(), "unexpected file format: ")
		}
		return fmt.Sprint(got)
	}
	for _, c := range [][2]string{
		{x(images, 0, 0), "[]"}, {x(images, 3, 0), "[]"}, {x(images, 3, -1), "[]"}, {x(images, 0, 3), "[[0 0.2] [0 1] [0.4 1]]"}, {x(images, 1, 1), "[[0 1]]"},
		{x(images, 0, 4), "images 0 to 3 asked for, the file has 3"}, {x(images, 3, 1), "images 3 to 3 asked for, the file has 3"}, {x(images, -1, 1), "images -1 to -1 asked for, the file has 3"},
		{x(images, 4, 0), "images 4 to 3 asked for, the file has 3"}, {x(images, 4, -1), "images 4 to 2 asked for, the file has 3"},
		{x(images[:16], 0, 0), "[]"}, {x(images[:16], 1, 0), "EOF"}, {x(images[:17], 1, 0), "EOF"}, {x(images[:18], 1, 0), "[]"}, {x(images[:18], 1, 1), "EOF"}, {x(images[:19], 1, 1), "unexpected EOF"},
		{x(images[:15], 0, 0), "unexpected EOF"}, {x(nil, 0, 0), "EOF"}, {x(append([]byte{0, 0, 8, 1}, images[4:]...), 0, 0), "no images of bytes"},
		{y(labels, 0, 0), "[]"}, {y(labels, 3, 0), "[]"}, {y(labels, 3, -1), "[]"}, {y(labels, 0, 3), "[7 0 9]"}, {y(labels, 0, -1), "[7 0 9]"},
		{y(labels, 0, 4), "labels 0 to 3 asked for, the file has 3"}, {y(labels, 4, -1), "labels 4 to 2 asked for, the file has 3"}, {y(labels, -1, 1), "labels -1 to -1 asked for, the file has 3"},
		{y(labels[:10], 0, 1), "unexpected EOF"}, {y(labels[:8], 0, 0), "EOF"}, {y(labels[:7], 0, 0), "unexpected EOF"}, {y(append([]byte{0, 0, 8, 3}, labels[4:]...), 0, 0), "no labels of bytes"},
		{y([]byte{0, 0, 8, 1, 1, 0, 0, 1}, 0, 0), "no labels of bytes"}, {y([]byte{0, 0, 8, 1, 1, 0, 0, 0}, 0, 0), "EOF"}, // 2²⁴ are believed
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
		x, y, err := ReadCIFAR(bytes.NewReader(append(record, record...)[:c.bytes]), c.first, c.count)
		if c.want == "" && (err != nil || len(x) != c.images || len(y) != c.images) || c.want != "" && (err == nil || err.Error() != "unexpected file format: "+c.want || x != nil || y != nil) {
			t.Errorf("%+v: %d images, %v", c, len(x), err)
		}
		if len(x) == 1 && (y[0] != 9 || x[0][6] != 0 || x[0][7] != (2990+11740+4560)/255000.0) {
			t.Errorf("%+v: label %d, %v", c, y[0], x[0][7])
		}
	}
	record[0] = 10
	if _, _, err := ReadCIFAR(bytes.NewReader(record), 0, 1); err == nil || err.Error() != "unexpected file format: image 0 has label 10, want 0 to 9" {
		t.Error(err)
	}
}

// Headers in quotes are told from rows by the second row, wherever their cells begin, and after lines that are skipped.
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
		{"\"1\",\n3,4\n", 0, "[[1 <nil>] [3 4]] int64"}, // and one at the line's end has none
	} {
		rows, err := ReadCSV(context.Background(), strings.NewReader(c.text), c.skip, ',')
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprintf("%v %T", rows, rows[0][0])
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	// Long files are read on once it is settled.
	long := "\"a\"\n1\n" + strings.Repeat("2\n", 5000)
	if rows, err := ReadCSV(t.Context(), strings.NewReader(long), 0, ','); err != nil || len(rows) != 5002 || rows[0][0] != "a" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for text, want := range map[string]string{"\"a\n": "true", "1,2\n3\n": "true", "a\x00\n": "true"} {
		if rows, err := ReadCells(t.Context(), strings.NewReader(text), ','); fmt.Sprint(err != nil) != want || rows != nil {
			t.Errorf("%q: %v, %v", text, rows, err)
		}
		if rows, err := ReadHeadedCSV(t.Context(), strings.NewReader(text), 0, ','); err == nil || rows != nil {
			t.Errorf("%q: %v, %v", text, rows, err)
		}
	}
	if rows, err := ReadCells(t.Context(), strings.NewReader(" a , b\n1,2 \n"), ','); err != nil || fmt.Sprintf("%q", rows) != `[["a" "b"] ["1" "2"]]` {
		t.Errorf("%q, %v", rows, err)
	}
}

// Numbers at the ends of what is read as one.
func TestCellsAtTheEnds(t *testing.T) {
	for text, want := range map[string]string{
		"9223372036854775807": "int64", "9223372036854775808": "*big.Int", "-9223372036854775808": "int64", "0123": "string", "010": "string", "-0": "float64", "1e3": "float64", "0b1": "string", "0o7": "string",
		strings.Repeat("1", mostDigits): "*big.Int", strings.Repeat("1", mostDigits+1): "string", "+" + strings.Repeat("9", 19): "*big.Int", "1_0": "string", "0x1p3": "string", "infinity": "float64", "1e999": "string", "": "<nil>", "  7 ": "int64", "−7": "string",
	} {
		if got := fmt.Sprintf("%T", cell(text)); got != want {
			t.Errorf("%.30q is a %s, want %s", text, got, want)
		}
	}
	if v := cell("010"); v != "010" { // an identifier
		t.Errorf("010 is %v", v)
	}
	if v := cell("0.1"); v != 0.1 {
		t.Errorf("0.1 is %v", v)
	}
	if n, ok := whole("12345678901234567890"); !ok || n.String() != "12345678901234567890" {
		t.Errorf("%v, %t", n, ok)
	}
	for _, text := range []string{"123456789012345678", "12345678901234567x", ""} {
		if _, ok := whole(text); ok {
			t.Errorf("%q is whole beyond int64", text)
		}
	}
	edges, err := ReadEdges(t.Context(), strings.NewReader("\uFEFF0 2147483647\n2147483647,0\n"))
	if err != nil || !reflect.DeepEqual(edges, [][2]int{{0, math.MaxInt32}, {math.MaxInt32, 0}}) {
		t.Errorf("%v, %v", edges, err)
	}
	for text, want := range map[string]string{
		"0 2147483648": `line 1 = "0 2147483648", want two whole numbers from 0 to 2147483647`, "\n0x1 2": `line 2 = "0x1 2", want two whole numbers from 0 to 2147483647`,
		"1\n":                             `line 1 = "1" has 1 fields, want two node numbers`,
		strings.Repeat("0", 1<<16) + "\n": "line 1 is longer than 65536 bytes", "1 2\n" + strings.Repeat("0", 1<<16): "line 2 is longer than 65536 bytes",
	} {
		if got, err := ReadEdges(t.Context(), strings.NewReader(text)); err == nil || err.Error() != want || got != nil {
			t.Errorf("%.20q: %v, %v", text, got, err)
		}
	}
	if got, err := ReadEdges(t.Context(), strings.NewReader("#"+strings.Repeat("0", 1<<16-2)+"\n1 2\n")); err != nil || len(got) != 1 {
		t.Errorf("a line of 65535 bytes: %v, %v", got, err)
	}
}

// Looks at the context come with every 1024 lines: so many rows and no more are read once it has ended.
func TestReadersLook(t *testing.T) {
	lines := strings.Repeat("1 2:2\n", 5000)
	for name, c := range map[string]struct {
		looks int
		do    func(ctx context.Context) error
	}{
		"csv": {5, func(ctx context.Context) error { _, err := ReadCSV(ctx, strings.NewReader(lines), 0, ','); return err }},
		"sparse": {4, func(ctx context.Context) error {
			_, _, err := ReadSVMLight(ctx, strings.NewReader(lines), 0, 0, -1)
			return err
		}},
		"edges": {4, func(ctx context.Context) error {
			_, err := ReadEdges(ctx, strings.NewReader(strings.Repeat("1 2\n", 5000)))
			return err
		}},
	} {
		all := looks.After(t.Context(), 100)
		if err := c.do(all); err != nil || all.Looks() != c.looks {
			t.Errorf("%s: %d looks, %v; want %d", name, all.Looks(), err, c.looks)
		}
		looks.Each(t, 1, c.do)
	}
}

// Three tables have a heading of one line; and a set that is not there is told of with where to look for it.
func TestHeaderLines(t *testing.T) {
	headed := map[string]int{}
	for _, s := range Sets() {
		if s.Header != 0 {
			headed[s.Name] = s.Header
		}
		if s.Kind != Table && s.Header != 0 {
			t.Errorf("%s is no table, and has %d lines before it", s.Name, s.Header)
		}
	}
	if fmt.Sprint(headed) != "map[bupa:1 ctg:1 movement_aal:1]" {
		t.Errorf("headers %v", headed)
	}
	// Where nothing is, what to do is said.
	s := Set{Name: "n", Path: "a/b.csv", Source: "where"}
	for what, want := range map[string]string{
		"":  "data set is not present: n (a/b.csv), no data folder is set (--data DIR or WORKBENCH_DATA); source: where",
		"x": "data set is not present: n (a/b.csv), looked in x, " + filepath.Join("y", "z") + "; source: where",
	} {
		var list []string
		if what != "" {
			list = []string{what, filepath.Join("y", "z")}
		}
		if _, err := s.Locate(list); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, s := range Sets() {
		if s.Way() != "" {
			if _, err := s.Locate(nil); err == nil || !strings.HasSuffix(err.Error(), "; "+s.Way()) {
				t.Errorf("%v, want how to come by %s", err, s.Name)
			}
		}
	}
	folder := t.TempDir() // a folder is no file
	if err := os.MkdirAll(filepath.Join(folder, "a", "b.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Locate([]string{folder}); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
}
