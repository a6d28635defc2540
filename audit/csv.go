package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dpworkbench/internal/parameter"
)

// pollEvery is the number of rows between polls of the context.
const pollEvery = 1024

// ReadCSV reads a table or samples from comma-separated values. A header names the columns, in any order: dataset
// and output, and one of probability (a table: a decimal or a fraction such as 1/3), count (a number of draws), or
// neither (each row is a draw). It stores the counts of distinct outputs, not the rows.
//
// It returns an error that names the line if a row has another number of cells than the header, or a cell cannot be
// read.
func ReadCSV(ctx context.Context, r io.Reader) (*Input, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := buffered.Peek(3); bytes.Equal(mark, []byte("\uFEFF")) {
		_, _ = buffered.Discard(3)
	}
	in := csv.NewReader(buffered)
	in.FieldsPerRecord, in.TrimLeadingSpace, in.ReuseRecord = -1, true, true
	header, err := in.Read()
	switch {
	case err == io.EOF:
		return nil, parameter.Errorf("the file is empty, want %s", wantColumns)
	case err != nil:
		return nil, csvError(err)
	}
	columns, err := csvColumns(header)
	if err != nil {
		return nil, err
	}
	out := &Input{Samples: new(Samples)}
	if columns.probability >= 0 {
		out = &Input{Table: new(Table)}
	}
	width := len(header)
	for n := 0; ; n++ {
		if n%pollEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, csvError(err)
		}
		if len(row) != width {
			line, _ := in.FieldPos(0)
			return nil, parameter.Errorf("line %d has %s, want %d like the header (the file may be truncated)", line, count(len(row), "cell"), width)
		}
		if err := columns.take(out, row); err != nil {
			line, _ := in.FieldPos(0)
			return nil, parameter.Errorf("line %d: %s", line, err)
		}
	}
	if out.Table != nil && len(out.Table.laws) == 0 || out.Samples != nil && len(out.Samples.counts) == 0 {
		return nil, parameter.Errorf("the file has a header and no rows")
	}
	return out, nil
}

// columns are the indices of the columns, −1 for a missing one.
type columns struct{ dataset, output, probability, count int }

func csvColumns(header []string) (columns, error) {
	c := columns{-1, -1, -1, -1}
	for i, name := range header {
		var at *int
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "dataset":
			at = &c.dataset
		case "output":
			at = &c.output
		case "probability":
			at = &c.probability
		case "count":
			at = &c.count
		}
		if at == nil || *at >= 0 {
			return c, parameter.Errorf("line 1, column %d is %s, want %s", i+1, clip(name), wantColumns)
		}
		*at = i
	}
	if c.dataset < 0 || c.output < 0 || c.probability >= 0 && c.count >= 0 {
		return c, parameter.Errorf("line 1 is %s, want %s", clip(strings.Join(header, ",")), wantColumns)
	}
	return c, nil
}

// take adds one row to the input.
func (c columns) take(into *Input, row []string) error {
	dataset, output := strings.TrimSpace(row[c.dataset]), strings.TrimSpace(row[c.output])
	if dataset == "" || output == "" {
		return parameter.Errorf("a cell is empty, want a dataset and an output")
	}
	if bad := slices.IndexFunc(row, func(cell string) bool { return !utf8.ValidString(cell) || strings.IndexByte(cell, 0) >= 0 }); bad >= 0 {
		return parameter.Errorf("cell %d has a NUL byte or is not valid UTF-8", bad+1)
	}
	switch {
	case c.probability >= 0:
		p, rounded, err := ParseNumber(row[c.probability])
		if err != nil {
			return err
		}
		return into.Table.add(dataset, output, p, rounded)
	case c.count >= 0:
		n, err := strconv.ParseInt(strings.TrimSpace(row[c.count]), 10, 64)
		if err != nil {
			return parameter.Errorf("count = %s, want a whole number", clip(row[c.count]))
		}
		return into.Samples.Add(dataset, output, n)
	}
	return into.Samples.Add(dataset, output, 1)
}

// csvError rewords syntax errors, and returns the reader's other errors unchanged.
func csvError(err error) error {
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return parameter.Errorf("line %d: %w (the file may be truncated)", syntax.Line, syntax.Err)
	}
	return err
}
