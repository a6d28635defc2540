package audit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"dpworkbench/internal/parameter"
)

// ReadJSON reads a table or samples from a JSON object with one member per dataset. Its value is an array of
// outputs, one for each draw, or an object that maps outputs to probabilities (a number, or a string such as "1/3")
// or counts. Numbers are counts if all of them are integers and one exceeds 1. An output is a string, a number, or
// an array of these.
//
// It returns an error that names the dataset if a value has another form, and one that wraps io.ErrUnexpectedEOF if
// the file is truncated.
func ReadJSON(ctx context.Context, r io.Reader) (*Input, error) {
	j := &jsonReader{ctx: ctx, in: json.NewDecoder(bufio.NewReaderSize(r, 1<<16))}
	j.in.UseNumber()
	t, err := j.token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, parameter.Errorf("the file starts with %v, want an object from datasets to samples or laws", t)
	}
	for j.in.More() {
		name, err := j.token()
		if err != nil {
			return nil, err
		}
		j.name = name.(string) // a member's name is a string, or the decoder objects
		if err := j.dataset(); err != nil {
			return nil, err
		}
	}
	if _, err := j.token(); err != nil { // the closing brace
		return nil, err
	}
	if _, err := j.in.Token(); err != io.EOF {
		return nil, parameter.Errorf("the file goes on after the closing brace")
	}
	return j.input()
}

type jsonReader struct {
	ctx     context.Context
	in      *json.Decoder
	tokens  int
	name    string // of the dataset being read
	samples *Samples
	cells   []Cell
}

// token returns the next token; the end of the file is an error.
func (j *jsonReader) token() (json.Token, error) {
	if j.tokens++; j.tokens%pollEvery == 0 && j.ctx.Err() != nil {
		return nil, j.ctx.Err()
	}
	t, err := j.in.Token()
	var syntax *json.SyntaxError
	switch {
	case err == io.EOF:
		return nil, io.ErrUnexpectedEOF
	case errors.As(err, &syntax):
		return nil, parameter.Errorf("byte %d: %s", syntax.Offset, syntax.Error())
	}
	return t, err
}

// dataset reads the value of one member.
func (j *jsonReader) dataset() error {
	t, err := j.token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('['):
		if j.samples == nil {
			j.samples = new(Samples)
		}
		j.samples.Declare(j.name)
		for j.in.More() {
			output, err := j.output()
			if err != nil {
				return err
			}
			if err := j.samples.Add(j.name, output, 1); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		if !j.in.More() {
			if _, err := j.token(); err != nil { // the file breaks off
				return err
			}
			return parameter.Errorf("dataset %s has no outputs", clip(j.name))
		}
		for j.in.More() {
			name, err := j.token()
			if err != nil {
				return err
			}
			value, err := j.token()
			if err != nil {
				return err
			}
			cell := Cell{Dataset: j.name, Output: name.(string)}
			switch v := value.(type) {
			case json.Number:
				cell.Number = v.String()
			case string:
				cell.Number, cell.Exact = v, true
			default:
				return parameter.Errorf("dataset %s, output %s: %v, want a probability or a count", clip(j.name), clip(cell.Output), value)
			}
			j.cells = append(j.cells, cell)
		}
	default:
		return parameter.Errorf("dataset %s is %v, want an array of outputs, or an object from outputs to probabilities or counts", clip(j.name), t)
	}
	_, err = j.token() // the closing bracket
	return err
}

// output reads one drawn output.
func (j *jsonReader) output() (string, error) {
	t, err := j.token()
	if err != nil {
		return "", err
	}
	switch v := t.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case json.Delim:
		if v != '[' {
			break
		}
		var parts []string
		for j.in.More() {
			part, err := j.token()
			if err != nil {
				return "", err
			}
			switch v := part.(type) {
			case string:
				parts = append(parts, strconv.Quote(v))
			case json.Number:
				parts = append(parts, v.String())
			default:
				return "", parameter.Errorf("dataset %s: an output within an output", clip(j.name))
			}
		}
		_, err := j.token()
		return Tuple(parts), err
	}
	return "", parameter.Errorf("dataset %s: output %v, want a string, a number or an array of these", clip(j.name), t)
}

// input returns what was read.
func (j *jsonReader) input() (*Input, error) {
	switch {
	case j.samples == nil && len(j.cells) == 0:
		return nil, parameter.Errorf("the file holds no datasets")
	case j.samples != nil && len(j.cells) > 0:
		return nil, parameter.Errorf("some datasets hold draws and some probabilities or counts, want one of them throughout")
	case j.samples != nil:
		return &Input{Samples: j.samples}, nil
	}
	return NewInput(j.cells)
}
