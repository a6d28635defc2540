package data

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// mostFeatures bounds the index of a feature.
const mostFeatures = 1 << 20

// ReadSVMLight reads count rows, starting at row first, from a file in the sparse format of SVMlight and LIBSVM. A row
// has an integer label, then blank-separated pairs index:value with increasing indices from 1; # starts a comment.
// Missing features are 0. Every row has the given number of features; 0 means the largest index. A negative count means
// all remaining rows. The error for a malformed line names it.
func ReadSVMLight(ctx context.Context, r io.Reader, features, first, count int) (x [][]float64, y []int, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), 1<<26)
	widest, most, room := features, features, unpacked()
	if most == 0 {
		most = mostFeatures
	}
	for line, row := 1, 0; (count < 0 || row < first+count) && in.Scan(); line++ {
		if line%pollEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		text, _, _ := strings.Cut(in.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		if row++; row <= first {
			continue
		}
		label, err := strconv.ParseInt(fields[0], 10, 32)
		if err != nil {
			return nil, nil, fmt.Errorf("line %d has the label %s, want a whole number", line, clip(fields[0]))
		}
		var values []float64
		for _, field := range fields[1:] {
			name, number, ok := strings.Cut(field, ":")
			index, err := strconv.Atoi(name)
			v, err2 := strconv.ParseFloat(number, 64)
			if !ok || err != nil || err2 != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, nil, fmt.Errorf("line %d has %s, want index:value with a finite number", line, clip(field))
			}
			if index <= len(values) || index > most {
				return nil, nil, fmt.Errorf("line %d has the index %d, want one above %d and at most %d", line, index, len(values), most)
			}
			for len(values) < index-1 {
				values = append(values, 0)
			}
			values = append(values, v)
		}
		widest = max(widest, len(values))
		x, y = append(x, values), append(y, int(label))
		if err := room.To(2 * float64(len(x)) * (8*float64(widest) + rowSize)); err != nil { // also a matrix
			return nil, nil, err
		}
	}
	switch {
	case errors.Is(in.Err(), bufio.ErrTooLong):
		return nil, nil, fmt.Errorf("a line is longer than %d bytes", 1<<26)
	case in.Err() != nil:
		return nil, nil, in.Err()
	case count >= 0 && len(x) < count:
		return nil, nil, fmt.Errorf("%w: rows %d to %d are requested, the file has %d", ErrFormat, first, first+count-1, first+len(x))
	}
	for i, row := range x {
		x[i] = append(row, make([]float64, widest-len(row))...)
	}
	return x, y, nil
}
