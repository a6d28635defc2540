package repl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// fileBuiltins read data files.
func fileBuiltins() []builtin {
	const where = " A relative path is tried from the working folder, then from the script's, then from the data folders (--data, WORKBENCH_DATA). A file ending in .gz is unpacked."
	return []builtin{
		{
			name: "read_csv", params: `path, skip=0, delimiter=","`,
			help: "The rows of a file of comma-separated values, a list of lists. Whole numbers become ints, other numbers floats, an empty cell None, anything else a string. skip leaves out so many rows at the top, such as a header. Every row must have as many cells as the first." + where,
			example: `table([[1, 2.5], [2, "a"]], header=["n", "x"]).save("demo.csv")
print(read_csv("demo.csv", skip=1))`,
			run: func(c *call) (starlark.Value, error) {
				delimiter := c.string("delimiter")
				if utf8.RuneCountInString(delimiter) != 1 || strings.Contains("\"\r\n\uFFFD", delimiter) {
					c.fail("delimiter", c.value("delimiter"), "one character")
				}
				skip := c.count("skip")
				comma, _ := utf8.DecodeRuneInString(delimiter)
				return readWith(c, func(r io.Reader) (starlark.Value, error) { return parseCSV(c.ctx, r, skip, comma) })
			},
		},
		{
			name: "read_edges", params: "path",
			help: "The edges of a graph, a list of pairs of node numbers, from a file with two whole numbers ≥ 0 a line, parted by blanks, a tab or a comma. Lines that start with # or % are comments. Loops and repeated edges are kept as they stand." + where,
			example: `table([[0, 1], [1, 2]]).save("path.csv")
print(read_edges("path.csv"))`,
			run: func(c *call) (starlark.Value, error) {
				return readWith(c, func(r io.Reader) (starlark.Value, error) {
					edges, err := parseEdges(c.ctx, r)
					return pairList(edges), err
				})
			},
		},
	}
}

// findFile returns the place of a data file.
func (s *Session) findFile(path, script string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	places := append([]string{"", s.dirOf(script)}, s.DataDirs...)
	for _, dir := range places {
		if full := filepath.Join(dir, path); s.exists(full) {
			return full, nil
		}
	}
	where := ""
	if len(s.DataDirs) > 0 {
		where = ", nor in " + strings.Join(s.DataDirs, ", ")
	}
	return "", fmt.Errorf("path = %q: there is no such file%s", path, where)
}

// readWith parses the file that the parameter path names.
func readWith(c *call, parse func(io.Reader) (starlark.Value, error)) (starlark.Value, error) {
	f, err := c.file("path")
	if err != nil {
		return nil, err
	}
	return c.session.readFile(f, parse)
}

// dataFile is a data file: what the script calls it, and where it is.
type dataFile struct{ name, path string }

// file returns the data file that the named parameter names.
func (c *call) file(parameter string) (dataFile, error) {
	script := ""
	if c.thread != nil && c.thread.CallStackDepth() > 1 {
		script = c.thread.CallFrame(1).Pos.Filename()
	}
	name := c.string(parameter)
	path, err := c.session.findFile(name, script)
	return dataFile{c.session.inputName(name, script), path}, err
}

// readFile parses a data file, unpacked where it ends in .gz.
func (s *Session) readFile(file dataFile, parse func(io.Reader) (starlark.Value, error)) (starlark.Value, error) {
	path := file.path
	f, err := s.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, note := s.noted(f, file)
	if strings.HasSuffix(path, ".gz") {
		zipped, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, damaged(err))
		}
		defer zipped.Close()
		r = zipped
	}
	v, err := parse(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, damaged(err))
	}
	return v, note()
}

// damaged words an error of a file that ends too early.
func damaged(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the file ends too early: it is truncated")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("the file is damaged: %w", err)
	}
	if at := new(fs.PathError); errors.As(err, &at) {
		return at.Err // the path stands before it
	}
	return err
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
