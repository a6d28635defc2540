package audit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
)

// outcome reads a text, audits it at ε = 1, and returns the result as one line.
func outcome(read func(context.Context, io.Reader) (*audit.Input, error), text string) string {
	in, err := read(context.Background(), strings.NewReader(text))
	if err != nil {
		return "error: " + err.Error()
	}
	var r *audit.Result
	if in.Table != nil {
		r, err = in.Table.Audit(context.Background(), nil, floatClaim(1, "0"))
	} else {
		r, err = in.Samples.Audit(context.Background(), nil, floatClaim(1, "0"), audit.Sampling{}, rand.NewPCG(1, 1))
	}
	if err != nil {
		return "error: " + err.Error()
	}
	kind := "samples"
	if in.Table != nil {
		kind = "table"
	}
	draws := 0
	if e, ok := r.Epsilon.(evidence.Estimated); ok {
		draws = e.Draws
	}
	return fmt.Sprintf("%s, %d draws, %s, %.4f", kind, draws, r.Verdict, r.Epsilon.Float())
}

func TestReadCSV(t *testing.T) {
	for text, want := range map[string]string{
		"dataset,output,probability\nx,a,3/4\nx,b,1/4\ny,a,1/4\ny,b,3/4\n":           "table, 0 draws, refuted, 1.0986",
		"\xef\xbb\xbfprobability, output ,Dataset\r\n.5,a,x\r\n0.5,b,x\r\n1,\"a\",y": "table, 0 draws, refuted, +Inf",
		"dataset,output,count\nx,a,60\nx,b,40\ny,a,50\ny,b,50\n":                     "samples, 200 draws, undecided, 0.0000",
		"count,dataset,output\n60,x,a\n40,x,b\n50,y,a\n50,y,b\n":                     "samples, 200 draws, undecided, 0.0000",
		"output,dataset\n1,x\n2,x\n1,y\n":                                            "samples, 3 draws, undecided, 0.0000",
		"dataset,output\nx,1\nx,\"a, b\"\ny,1\n":                                     "samples, 3 draws, undecided, 0.0000",
		"":                                                                           `error: the file is empty, want a header "dataset,output,probability", "dataset,output,count" or "dataset,output"`,
		"dataset,output\n":                                                           "error: the file has a header and no rows",
		"x,a\nx,b\n":                                                                 `error: line 1, column 1 is "x", want a header "dataset,output,probability", "dataset,output,count" or "dataset,output"`,
		"dataset,output,output\n":                                                    `error: line 1, column 3 is "output", want a header "dataset,output,probability", "dataset,output,count" or "dataset,output"`,
		"output,count\na,1\n":                                                        `error: line 1 is "output,count", want a header "dataset,output,probability", "dataset,output,count" or "dataset,output"`,
		"dataset,output,count\nx,a,60\ny,b":                                          "error: line 3 has 2 cells, want 3 like the header (the file may be truncated)",
		"dataset,output,count\nx,a,60\ny":                                            "error: line 3 has 1 cell, want 3 like the header (the file may be truncated)",
		"dataset,output,count\nx,a,6.5\n":                                            `error: line 2: count = "6.5", want a whole number`,
		"dataset,output,count\n\"x\ny\",a,-1\n":                                      `error: line 2: dataset "x\ny", output "a": count = -1, want a whole number of draws, at most 2^40 in all`,
		"dataset,output,count\n\"x\ny\",a\n":                                         "error: line 2 has 2 cells, want 3 like the header (the file may be truncated)",
		"dataset,output,count\nx,a,-1\n":                                             `error: line 2: dataset "x", output "a": count = -1, want a whole number of draws, at most 2^40 in all`,
		"dataset,output,probability\nx,a,nan\n":                                      `error: line 2: probability = "nan", want a number in [0, 1] or a fraction like 1/3`,
		"dataset,output,probability\nx,a,-0.5\n":                                     `error: line 2: dataset "x", output "a": probability = -0.5, want a number in [0, 1]`,
		"dataset,output,probability\nx,a,0.5\ny,a,1\n":                               `error: dataset "x": the probabilities sum to 0.5, off by -0.5, want 1 to within rounding = 1e-09`,
		"dataset,output\nx,\"a":                                                      `error: line 2: extraneous or missing " in quoted-field (the file may be truncated)`,
		"dataset,output\nx,\n":                                                       "error: line 2: a cell is empty, want a dataset and an output",
		"dataset,output\nx,a\x00\n":                                                  "error: line 2: cell 2 has a NUL byte or is not valid UTF-8",
		"dataset,output,count\nx,a,60\nx,b,40\ny,a,0\n":                              `error: dataset "y" has no samples`,
		"dataset,output,count\nx,a,60\n":                                             "error: table_or_samples has 1 datasets, want at least 2",
	} {
		if got := outcome(audit.ReadCSV, text); got != want {
			t.Errorf("%q\n gives %s\n want  %s", text, got, want)
		}
	}
}

// Draws look like probabilities, and are rejected, if every dataset has at most a thousand draws, which are numbers in
// [0, 1], not all integers, and sum to 1.
func TestDrawsThatLookLikeLaws(t *testing.T) {
	for _, c := range []struct {
		draws map[string]int64
		law   bool
	}{
		{map[string]int64{"0.5": 2, "0": 998}, true}, {map[string]int64{"0.5": 2, "0": 999}, false}, {map[string]int64{"1": 1, "0": 5}, false},
		{map[string]int64{"0.5": 3}, false}, {map[string]int64{"-0.5": 1, "1.5": 1}, false}, {map[string]int64{"1/3": 3}, true}, {map[string]int64{"0.25": 4, "a": 1}, false},
	} {
		s := new(audit.Samples)
		for output, n := range c.draws {
			for _, x := range []string{"x", "y"} {
				if err := s.Add(x, output, n); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, err := s.Audit(context.Background(), nil, floatClaim(1, "0"), audit.Sampling{}, rand.NewPCG(1, 1))
		if got := err != nil && strings.Contains(err.Error(), "draws that look like probabilities"); got != c.law {
			t.Errorf("%v: %v", c.draws, err)
		}
	}
}

// Numbers are counts if all are integers and one exceeds 1. A fraction, or a number marked exact, makes them
// probabilities.
func TestNewInput(t *testing.T) {
	for _, c := range []struct {
		numbers []string
		exact   bool
		want    string
	}{
		{numbers: []string{"2", "0"}, want: "samples"}, {numbers: []string{"0", "3"}, want: "samples"}, {numbers: []string{"1", "0"}, want: "table"},
		{numbers: []string{"0.5", "0.5"}, want: "table"}, {numbers: []string{"0.5", "2"}, want: "probability = 2,"}, {numbers: []string{"2", "1/2"}, want: "probability = 2,"},
		{numbers: []string{"2", "0"}, exact: true, want: "probability = 2,"}, {numbers: []string{"x", "2"}, want: `probability = "x"`},
		{numbers: []string{"99999999999999999999", "2"}, want: "probability = 1e+20"}, {numbers: []string{"3", "-1"}, want: "count = -1"},
	} {
		var cells []audit.Cell
		for i, n := range c.numbers {
			cells = append(cells, audit.Cell{Dataset: "x", Output: fmt.Sprint(i), Number: n, Exact: c.exact})
		}
		in, err := audit.NewInput(cells)
		got := fmt.Sprint(err)
		if err == nil {
			got = map[bool]string{true: "samples", false: "table"}[in.Samples != nil]
			if (in.Samples == nil) == (in.Table == nil) {
				t.Errorf("%v: %+v", c.numbers, in)
			}
		} else if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v: %v", c.numbers, err)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%v: %s, want %s", c.numbers, got, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("dataset,output,probability\nx,a,3/4\nx,b,1/4\ny,a,1\n")
	f.Add("dataset,output\nx,-0.0\ny,1e5\n")
	f.Fuzz(func(t *testing.T, text string) {
		outcome(audit.ReadCSV, text)
	})
}
