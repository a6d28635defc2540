package repl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// fileBuiltins read data files.
func fileBuiltins() []script.Builtin {
	const where = " A relative path is tried from the working folder, then from the script's, then from the data folders (--data, WORKBENCH_DATA). A file ending in .gz is unpacked."
	return []script.Builtin{
		{
			Name: "read_csv", Params: `path, skip=0, delimiter=","`,
			Help: "The rows of a file of comma-separated values, a list of lists. Whole numbers become ints, other numbers floats, an empty cell None, anything else a string. skip leaves out so many rows at the top, such as a header. Every row must have as many cells as the first." + where,
			Example: `table([[1, 2.5], [2, "a"]], header=["n", "x"]).save("demo.csv")
print(read_csv("demo.csv", skip=1))`,
			Run: func(c *script.Call) (any, error) {
				delimiter := c.Text("delimiter")
				if utf8.RuneCountInString(delimiter) != 1 || strings.Contains("\"\r\n\uFFFD", delimiter) {
					c.Fail("delimiter", c.Value("delimiter"), "one character")
				}
				skip := c.Count("skip")
				comma, _ := utf8.DecodeRuneInString(delimiter)
				return readWith(c, func(r io.Reader) (starlark.Value, error) { return parseCSV(c.Context, r, skip, comma) })
			},
		},
		{
			Name: "read_edges", Params: "path",
			Help: "The edges of a graph, a list of pairs of node numbers, from a file with two whole numbers ≥ 0 a line, parted by blanks, a tab or a comma. Lines that start with # or % are comments. Loops and repeated edges are kept as they stand." + where,
			Example: `table([[0, 1], [1, 2]]).save("path.csv")
print(read_edges("path.csv"))`,
			Run: func(c *script.Call) (any, error) {
				return readWith(c, func(r io.Reader) (starlark.Value, error) {
					edges, err := parseEdges(c.Context, r)
					return script.Pairs(edges), err
				})
			},
		},
	}
}

// readWith parses the file that the parameter path names.
func readWith(c *script.Call, parse func(io.Reader) (starlark.Value, error)) (starlark.Value, error) {
	f, err := c.File("path")
	if err != nil {
		return nil, err
	}
	return c.Session.ReadFile(f, parse)
}

// pollEvery is the number of lines between two looks at the context.
const pollEvery = 1024

// parseCSV reads rows of cells; see read_csv.
func parseCSV(ctx context.Context, r io.Reader, skip int, comma rune) (*starlark.List, error) {
	buffered := bufio.NewReader(r)
	if mark, _ := buffered.Peek(3); bytes.Equal(mark, []byte("\uFEFF")) {
		_, _ = buffered.Discard(3)
	}
	in := csv.NewReader(buffered)
	in.Comma, in.FieldsPerRecord, in.TrimLeadingSpace, in.ReuseRecord = comma, -1, true, true
	rows, width := starlark.NewList(nil), -1
	for n := 0; ; n++ {
		if n%pollEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		record, err := in.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if n < skip {
			continue
		}
		line, _ := in.FieldPos(0)
		if width < 0 {
			width = len(record)
		}
		if len(record) != width {
			return nil, fmt.Errorf("line %d has %d cells, want %d like the rows before", line, len(record), width)
		}
		row := make([]starlark.Value, len(record))
		for i, text := range record {
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				return nil, fmt.Errorf("line %d, cell %d is not text", line, i+1)
			}
			row[i] = cell(text)
		}
		if err := rows.Append(starlark.NewList(row)); err != nil {
			return nil, err
		}
	}
}

// cell reads one cell of a table.
func cell(text string) starlark.Value {
	text = strings.TrimSpace(text)
	if text == "" {
		return starlark.None
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return starlark.MakeInt64(n)
	}
	if strings.ContainsAny(text, "_xXpP") { // Go's own number spellings
		return starlark.String(text)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return starlark.Float(f)
	}
	return starlark.String(text)
}

// parseEdges reads pairs of node numbers; see read_edges.
func parseEdges(ctx context.Context, r io.Reader) ([][2]int, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4096), 1<<16)
	var edges [][2]int
	n := 0
	for in.Scan() {
		if n++; n%pollEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line := strings.TrimSpace(strings.TrimPrefix(in.Text(), "\uFEFF"))
		if line == "" || line[0] == '#' || line[0] == '%' {
			continue
		}
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d = %s has %d fields, want two node numbers", n, clip(line), len(fields))
		}
		var edge [2]int
		for i, field := range fields {
			v, err := strconv.ParseInt(field, 10, 64)
			if err != nil || v < 0 || v > math.MaxInt32 {
				return nil, fmt.Errorf("line %d = %s, want two whole numbers from 0 to %d", n, clip(line), math.MaxInt32)
			}
			edge[i] = int(v)
		}
		edges = append(edges, edge)
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is longer than %d bytes", n+1, 1<<16)
	}
	return edges, in.Err()
}

// clip quotes a line of input for a message.
func clip(line string) string {
	if len(line) > 40 {
		line = line[:40] + "…"
	}
	return strconv.Quote(line)
}
