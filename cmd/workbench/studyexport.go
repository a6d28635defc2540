package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"dpworkbench/study"
)

// exportStudy writes every trial: in CSV as a row with a column for every parameter, in JSON as an array of objects. A
// missing value is an empty cell or null.
func exportStudy(ctx context.Context, w io.Writer, s *study.Study, format string) error {
	results, err := s.Results(ctx)
	if err != nil {
		return err
	}
	if format == "json" {
		return exportJSON(w, results)
	}
	names := parameterNames(results)
	out := csv.NewWriter(w)
	_ = out.Write(append([]string{"number", "state", "value", "start", "complete", "lost", "reason"}, names...))
	for _, r := range results {
		value := ""
		if r.State == "complete" {
			value = strconv.FormatFloat(r.Value, 'g', -1, 64)
		}
		row := []string{strconv.Itoa(r.Number), r.State, value, rfc3339(r.Start), rfc3339(r.Complete), strconv.FormatBool(r.Lost), r.Reason}
		for _, name := range names {
			row = append(row, exact(r.Params[name]))
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

func exportJSON(w io.Writer, results []study.Result) error {
	type trial struct {
		Number   int            `json:"number"`
		State    string         `json:"state"`
		Value    *float64       `json:"value"`
		Start    string         `json:"start"`
		Complete string         `json:"complete"`
		Lost     bool           `json:"lost"`
		Reason   string         `json:"reason"`
		Params   map[string]any `json:"params"`
	}
	trials := make([]trial, len(results))
	for i, r := range results {
		trials[i] = trial{r.Number, r.State, nil, rfc3339(r.Start), rfc3339(r.Complete), r.Lost, r.Reason, r.Params}
		if r.State == "complete" {
			trials[i].Value = &r.Value
		}
	}
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	return out.Encode(trials)
}

// parameterNames returns the names of all parameters, sorted.
func parameterNames(results []study.Result) []string {
	var names []string
	for _, r := range results {
		for name := range r.Params {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// exact formats a parameter so that parsing gives exactly the same value.
func exact(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

func rfc3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
