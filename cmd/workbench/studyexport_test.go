package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpworkbench/display"
	"dpworkbench/study"
)

// twelveTrials returns a study of twelve trials. One of them failed, and its name and reason contain markup.
func twelveTrials(t *testing.T) *study.Study {
	t.Helper()
	storage, err := study.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), study.StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = storage.Close() })
	s, err := study.New(t.Context(), storage, "a & <b>", study.Options{Sampler: "random"})
	if err != nil {
		t.Fatal(err)
	}
	runTwelve(t, s)
	return s
}

func runTwelve(t *testing.T, s *study.Study) {
	t.Helper()
	err := s.Optimize(context.Background(), func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
		x, err := tr.Float("x", 0, 1, false)
		if err != nil {
			return 0, err
		}
		if _, err := tr.Choice("rule", []string{"closure", "printed"}); err != nil {
			return 0, err
		}
		if tr.Number() == 3 {
			return 0, errors.New("<script>alert(1)</script>")
		}
		return x, nil
	}, study.Run{Trials: 12})
	if err != nil {
		t.Fatal(err)
	}
}

// Reading an exported study gives identical trials: states, values and parameters to the last bit, times and reasons. A
// missing value is an empty cell or null.
func TestExportReadsBack(t *testing.T) {
	s := twelveTrials(t)
	results, err := s.Results(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := exportStudy(t.Context(), &b, s, "csv"); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != len(results)+1 || strings.Join(rows[0], " ") != "number state value start complete lost reason rule x" {
		t.Fatalf("%d rows under %q (%v)", len(rows), rows[0], err)
	}
	b.Reset()
	if err := exportStudy(t.Context(), &b, s, "json"); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "[\n {\n  \"number\": 0") {
		t.Errorf("the JSON is not indented: %.40q", b.String())
	}
	var trials []map[string]any
	if err := json.Unmarshal(b.Bytes(), &trials); err != nil || len(trials) != len(results) {
		t.Fatalf("%d trials (%v)", len(trials), err)
	}
	for i, r := range results {
		row, trial := rows[i+1], trials[i]
		complete := r.State == "complete"
		value, err := strconv.ParseFloat(row[2], 64)
		if complete != (err == nil) || complete && value != r.Value || row[2] == "" == complete {
			t.Errorf("trial %d has the value %q, want %v", i, row[2], r.Value)
		}
		if v, ok := trial["value"].(float64); ok != complete || complete && v != r.Value {
			t.Errorf("trial %d has the value %v, want %v", i, trial["value"], r.Value)
		}
		x, err := strconv.ParseFloat(row[8], 64)
		params := trial["params"].(map[string]any)
		if err != nil || x != r.Params["x"] || params["x"] != x || row[7] != r.Params["rule"] || params["rule"] != row[7] {
			t.Errorf("trial %d has the parameters %q and %v, want %v", i, row[7:], params, r.Params)
		}
		for k, want := range map[int]any{0: strconv.Itoa(r.Number), 1: r.State, 5: strconv.FormatBool(r.Lost), 6: r.Reason} {
			if row[k] != want {
				t.Errorf("trial %d: column %s is %q, want %q", i, rows[0][k], row[k], want)
			}
		}
		if trial["number"] != float64(r.Number) || trial["state"] != r.State || trial["lost"] != r.Lost || trial["reason"] != r.Reason {
			t.Errorf("trial %d is %v", i, trial)
		}
		for k, want := range map[int]time.Time{3: r.Start, 4: r.Complete} {
			if at, err := time.Parse(time.RFC3339Nano, row[k]); err != nil || !at.Equal(want) || !strings.HasSuffix(row[k], "Z") || trial[rows[0][k]] != row[k] {
				t.Errorf("trial %d: %s is %s, want %v", i, rows[0][k], row[k], want)
			}
		}
	}
	for v, want := range map[any]string{nil: "", 0.1: "0.1", 1.0 / 3: "0.3333333333333333", 3: "3", "a,b": "a,b"} {
		if got := exact(v); got != want {
			t.Errorf("%v is written %q", v, got)
		}
	}
	if got := rfc3339(time.Time{}); got != "" {
		t.Errorf("a missing time is written %q", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // do not retry a closed storage
	_ = s.Storage().Close()
	for _, format := range []string{"csv", "json"} {
		b.Reset()
		if err := exportStudy(ended, &b, s, format); err == nil || b.Len() > 0 {
			t.Errorf("a closed storage gives %q as %s (%v)", b.String(), format, err)
		}
	}
	full := errors.New("full")
	if err := exportJSON(writerFunc(func([]byte) (int, error) { return 0, full }), results); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

// The list of studies has their counts and best trials. A single study is shown with its trials.
func TestStudiesAreShown(t *testing.T) {
	b := output(t)
	path := filepath.Join(t.TempDir(), "s.db")
	storage, err := study.Open(t.Context(), path, study.StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	s, err := study.New(t.Context(), storage, "twelve", study.Options{Sampler: "random", Maximize: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := study.New(t.Context(), storage, "empty", study.Options{}); err != nil {
		t.Fatal(err)
	}
	runTwelve(t, s)
	results, err := s.Results(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	best, at := math.Inf(-1), 0
	for _, r := range results {
		if r.State == "complete" && r.Value > best {
			best, at = r.Value, r.Number
		}
	}
	if err := invoke("study", "show", path); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	for _, want := range []string{"study direction complete failed lost unfinished best", "twelve maximize 11 1 0 0 " + display.Number(best, 6), "empty minimize 0 0 0 0"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q in\n%s", want, b)
		}
	}
	if !strings.Contains(lines[0], "Studies in ") {
		t.Errorf("the title is %q", lines[0])
	}
	b.Reset()
	if err := invoke("study", "show", path, "twelve"); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, r := range results {
		rule := "rule = " + r.Params["rule"].(string) + ", x =" // x is on the next line, in 80 columns
		want := strconv.Itoa(r.Number) + " failed " + rule + " " + r.Reason
		if r.State == "complete" {
			want = strconv.Itoa(r.Number) + " complete " + display.Number(r.Value, 8) + " " + rule
		}
		if !slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return strings.Join(strings.Fields(line), " ") == want }) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
	if want := "best " + display.Number(best, 10) + " at trial " + strconv.Itoa(at) + ": "; !strings.Contains(text, want) || !strings.HasPrefix(text, "Study twelve (maximize) in ") {
		t.Errorf("no %q in\n%s", want, text)
	}
	b.Reset()
	if err := printBests([]*study.Study{s, s}, nil); err != nil || strings.Count(b.String(), "twelve: best "+display.Number(best, 10)) != 2 {
		t.Errorf("%v, and two best trials are printed as\n%s", err, b)
	}
	for _, args := range [][]string{{"show", path, "nobody"}, {"export", path, "nobody"}} {
		var failed *failure
		if err := invoke(append([]string{"study"}, args...)...); !errors.As(err, &failed) || !errors.Is(err, study.ErrUnknown) {
			t.Errorf("%q: %v", args, err)
		}
	}
}
