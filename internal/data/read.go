package data

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dpworkbench/internal/memory"
)

// pollEvery is the number of lines between polls of the context.
const pollEvery = 1024

// Bytes of memory per row, per cell and per edge.
const (
	rowSize  = 128
	cellSize = 32
	edgeSize = 96
)

// unpacked accounts for the memory of a file's uncompressed content.
func unpacked() memory.Growth { return memory.Growth{What: "what the file holds"} }

// ReadText returns the whole text without its byte order mark.
func ReadText(ctx context.Context, r io.Reader) (string, error) {
	var out strings.Builder
	room, piece := unpacked(), make([]byte, 1<<16)
	for {
		n, err := r.Read(piece)
		out.Write(piece[:n])
		if err == io.EOF {
			return strings.TrimPrefix(out.String(), "\uFEFF"), nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = room.To(1.5 * float64(out.Len())) // a growing builder holds the old and the new text
		}
		if err != nil {
			return "", err
		}
	}
}

// ReadCSV returns the rows of comma-separated values after the first skip lines. An empty cell is nil, an integer an
// int64 or a *big.Int, another number a float64, and anything else a string. The first row is a header of strings if
// all its cells are quoted, and not all of the second row's. A byte order mark is dropped. Rows of different lengths
// and cells that are not valid text are errors that name their line.
func ReadCSV(ctx context.Context, r io.Reader, skip int, comma rune) ([][]any, error) {
	rows, header, err := readRows(ctx, r, skip, comma, cell, cellSize)
	for j, name := range header {
		rows[0][j] = name
	}
	return rows, err
}

// ReadHeadedCSV is ReadCSV for a file whose first row after the skipped lines is a header: all its cells are read as
// strings.
func ReadHeadedCSV(ctx context.Context, r io.Reader, skip int, comma rune) ([][]any, error) {
	texts, _, err := readRows(ctx, r, skip, comma, strings.TrimSpace, 2*cellSize)
	if err != nil {
		return nil, err
	}
	rows := make([][]any, len(texts))
	for i, row := range texts {
		rows[i] = make([]any, len(row))
		for j, text := range row {
			if rows[i][j] = cell(text); i == 0 {
				rows[i][j] = text
			}
		}
	}
	return rows, nil
}

// ReadCells is ReadCSV for cells that stay text, without the blanks around them.
func ReadCells(ctx context.Context, r io.Reader, comma rune) ([][]string, error) {
	rows, _, err := readRows(ctx, r, 0, comma, strings.TrimSpace, cellSize)
	return rows, err
}

// quoteReader is a CSV reader that records which cells are quoted, until the header is decided.
type quoteReader struct {
	*csv.Reader
	from    io.Reader
	text    []byte // the text read so far
	settled bool
	record  int // bytes read since a record began
	room    memory.Growth
}

func newQuoteReader(from io.Reader) *quoteReader {
	q := &quoteReader{from: from, room: unpacked()}
	q.Reader = csv.NewReader(source{q})
	return q
}

// source is the input of a quoteReader's CSV reader.
type source struct{ *quoteReader }

func (s source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if s.settled {
		s.text = nil
	} else {
		s.text = append(s.text, p[:n]...)
	}
	if s.record += n; err == nil { // a record is held as bytes, as text and as cells
		err = s.room.To(2*float64(len(s.text)) + 4*float64(s.record))
	}
	return n, err
}

// quotes reports which cells of the last record are quoted.
func (q *quoteReader) quotes(record []string) []bool {
	lines := bytes.SplitAfter(q.text, []byte("\n"))
	out := make([]bool, len(record))
	for i := range out {
		line, column := q.FieldPos(i)
		at := lines[line-1]
		out[i] = column <= len(at) && at[column-1] == '"'
	}
	return out
}

// readRows returns the rows, and the texts of the first row if it is a header: all its cells are quoted, and not all of
// the second row's. later is the size of a converted cell in bytes.
func readRows[T any](ctx context.Context, r io.Reader, skip int, comma rune, cell func(text string) T, later float64) (rows [][]T, header []string, err error) {
	buffered := bufio.NewReader(r)
	if mark, _ := buffered.Peek(3); bytes.Equal(mark, []byte("\uFEFF")) {
		_, _ = buffered.Discard(3)
	}
	in := newQuoteReader(buffered)
	in.Comma, in.FieldsPerRecord, in.TrimLeadingSpace, in.ReuseRecord = comma, -1, true, true
	doubt := true // whether the first row is a header
	room := unpacked()
	for n := 0; ; n++ {
		if n%pollEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		record, err := in.Read()
		in.record = 0
		if err == io.EOF {
			if doubt {
				header = nil
			}
			return rows, header, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if n < skip {
			continue
		}
		line, _ := in.FieldPos(0)
		if len(rows) > 0 && len(record) != len(rows[0]) {
			return nil, nil, fmt.Errorf("line %d has %d cells, want %d like the rows before", line, len(record), len(rows[0]))
		}
		switch {
		case len(rows) == 0 && len(record) == 1 && record[0] == "": // one empty cell is no header
		case len(rows) == 0 && !slices.ContainsFunc(in.quotes(record), func(q bool) bool { return !q }):
			for _, text := range record {
				header = append(header, strings.TrimSpace(text))
			}
		case len(rows) == 1 && header != nil:
			doubt = true
			for i, q := range in.quotes(record) {
				doubt = doubt && (q || strings.TrimSpace(record[i]) == "")
			}
		}
		if len(rows) == 1 || header == nil {
			in.settled = true
		}
		row := make([]T, len(record))
		for i, text := range record {
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				return nil, nil, fmt.Errorf("line %d, cell %d is not text", line, i+1)
			}
			if strings.ContainsRune(text, '\r') {
				return nil, nil, fmt.Errorf("line %d, cell %d holds a carriage return without a line feed: lines end with \\n or \\r\\n", line, i+1)
			}
			if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); errors.Is(err, strconv.ErrRange) {
				if _, ok := whole(strings.TrimSpace(text)); !ok {
					return nil, nil, fmt.Errorf("line %d, cell %d = %s exceeds the largest float", line, i+1, clip(text))
				}
			}
			row[i] = cell(text)
		}
		rows = append(rows, row)
		if err := room.To(float64(len(rows)) * (rowSize + later*float64(len(row)))); err != nil {
			return nil, nil, err
		}
	}
}

// ReadWords returns the blank-separated cells of every line that is neither empty nor a comment starting with #.
func ReadWords(r io.Reader) ([][]any, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	var rows [][]any
	cells, room := 0, unpacked()
	for in.Scan() {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		var row []any
		for _, w := range strings.Fields(line) {
			row = append(row, cell(w))
		}
		rows = append(rows, row)
		cells += len(row)
		if err := room.To(rowSize*float64(len(rows)) + cellSize*float64(cells)); err != nil {
			return nil, err
		}
	}
	return rows, in.Err()
}

// cell returns the value of a table's cell.
func cell(text string) any {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	if digits := strings.TrimLeft(text, "+-"); len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789") == "" {
		return text // 007 is an identifier
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && (n != 0 || text[0] != '-') { // −0 is a float
		return n
	}
	if n, ok := whole(text); ok {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "_xXpP") { // not Go's spellings
		return f
	}
	return text
}

// mostDigits bounds the digits of a cell that is read as an integer.
const mostDigits = 4096

// whole parses an integer of 19 to mostDigits digits.
func whole(text string) (*big.Int, bool) {
	digits := strings.TrimLeft(text, "+-")
	if len(digits) < 19 || len(digits) > mostDigits || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

// ReadEdges returns the pairs of node numbers, at most 2³¹ − 1, of a file with one pair per line, separated by
// blanks, tabs or a comma. Empty lines and those that start with # or % are skipped; loops and repeated edges are
// not. Anything else is an error that names its line.
func ReadEdges(ctx context.Context, r io.Reader) ([][2]int, error) {
	edges, _, err := EdgeFormat{Columns: [2]int{0, 1}, Weights: -1, Comments: "#%"}.Read(ctx, r)
	return edges, err
}

// EdgeFormat says how a file lists edges.
type EdgeFormat struct {
	Columns  [2]int // the columns of the two nodes, from 0
	Weights  int    // the column of the weights; −1 for none
	Comments string // a line that begins with one of these characters is skipped
	Header   bool   // the first line that is no comment is skipped
	Any      bool   // further columns are ignored; if false, a line has exactly two fields
}

// Read returns the edges of a file, and their weights if it has any. Errors name the line.
func (f EdgeFormat) Read(ctx context.Context, r io.Reader) ([][2]int, []float64, error) {
	var weights []float64
	header := f.Header
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4096), 1<<16)
	var edges [][2]int
	n, room := 0, unpacked()
	for in.Scan() {
		if n++; n%pollEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		line := strings.TrimSpace(strings.TrimPrefix(in.Text(), "\uFEFF"))
		if line == "" || strings.ContainsRune(f.Comments, rune(line[0])) {
			continue
		}
		if header {
			header = false
			continue
		}
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
		if !f.Any && len(fields) != 2 {
			return nil, nil, fmt.Errorf("line %d = %s has %d fields, want two node numbers", n, clip(line), len(fields))
		}
		if most := max(f.Columns[0], f.Columns[1], f.Weights); most >= len(fields) {
			return nil, nil, fmt.Errorf("line %d = %s has %d fields, want at least %d", n, clip(line), len(fields), most+1)
		}
		if f.Weights >= 0 {
			w, err := strconv.ParseFloat(fields[f.Weights], 64)
			if err != nil || math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, nil, fmt.Errorf("line %d = %s, want a finite number as weight in field %d", n, clip(line), f.Weights+1)
			}
			weights = append(weights, w)
		}
		var edge [2]int
		for i, column := range f.Columns {
			field := fields[column]
			v, err := strconv.ParseInt(field, 10, 64)
			if err != nil || v < 0 || v > math.MaxInt32 {
				return nil, nil, fmt.Errorf("line %d = %s, want two whole numbers from 0 to %d", n, clip(line), math.MaxInt32)
			}
			edge[i] = int(v)
		}
		edges = append(edges, edge)
		if err := room.To(edgeSize * float64(len(edges))); err != nil {
			return nil, nil, err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, nil, fmt.Errorf("line %d is longer than %d bytes", n+1, 1<<16)
	}
	return edges, weights, in.Err()
}

// clip quotes a line of input for a message.
func clip(line string) string {
	if len(line) > 40 {
		line = line[:40] + "…"
	}
	return strconv.Quote(line)
}
