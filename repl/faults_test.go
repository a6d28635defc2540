package repl_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/data"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// A shard's row that is not JSON is an error that names its cell, and the shard is not done.
func TestShardRejectsInvalidJSON(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	s.Shard = &repl.Shard{Index: 1, Count: 2}
	_, err := s.ExecScript(t.Context(), "shard.star", "sweep([0, 1, 2], lambda c: len)")
	if err == nil || !strings.Contains(err.Error(), "cell 1: ") || s.Shard.Done {
		t.Errorf("%v, done %t", err, s.Shard.Done)
	}
}

// An unreachable storage is an error before any script runs. An empty storage name is not an error.
func TestUnreachableStorage(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	if err := s.Reach(t.Context()); err != nil {
		t.Error(err)
	}
	s.Study.Storage = t.TempDir() + "/none/s.db"
	if err := s.Reach(t.Context()); err == nil || !strings.Contains(err.Error(), "s.db") {
		t.Errorf("%v", err)
	}
}

// Each stops with its context, and with the error of its callback.
func TestCertificatesEachStops(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	s.Stdout = io.Discard
	k := s.Certify()
	if _, err := s.ExecScript(t.Context(), "c.star", "m = purest(graphs(3).count('edge'), ln(2))\nprint(m.smallest_epsilon)\nprint(m.delta_at(0))"); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.Each(ended, func(repl.Certificate) error { t.Error("the callback was called"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	full, taken := errors.New("the disk is full"), 0
	if err := k.Each(t.Context(), func(repl.Certificate) error { taken++; return full }); !errors.Is(err, full) || taken != 1 {
		t.Errorf("%v after %d certificates", err, taken)
	}
	taken = 0
	if err := k.Each(t.Context(), func(repl.Certificate) error { taken++; return nil }); err != nil || taken != 2 {
		t.Errorf("%v after %d certificates", err, taken)
	}
}

// A refutation whose witness line does not parse, fails, or rests on an estimate has no certificate.
func TestRefutationsWithoutCertificate(t *testing.T) {
	for line, want := range map[string]string{
		"print(":                         "got end of file",
		"fail('no'); print(1, 2, False)": "no",
		"e = ldpgen(1, groups=2).law(2).smallest_epsilon; print(e, e <= 1)":                                                              "certificates do not support laws of graphs",
		"n = network([(0, 1)]); print(1, len(n.degrees) == 3)":                                                                           "certificates do not support the result of network.degrees",
		"r = audit({0: {'y': 7500, 'n': 2500}, 1: {'y': 2500, 'n': 7500}}, 'all', 1, events=['y']); print(r.epsilon, 1, r.epsilon <= 1)": "",
	} {
		out := &check.Outcome{Claim: "c", Statement: "s", Verdict: evidence.Refuted, Witness: &check.Witness{Script: line}}
		if f, err := repl.Refutation(t.Context(), out); err == nil || f != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	for name, out := range map[string]*check.Outcome{
		"confirmed":  {Claim: "c", Verdict: evidence.Confirmed},
		"no witness": {Claim: "c", Verdict: evidence.Refuted},
		"no claim":   {Verdict: evidence.Refuted, Witness: &check.Witness{Script: "print(1, 2, False)"}},
		"a sum":      {Claim: "c", Verdict: evidence.Refuted, Witness: &check.Witness{Script: "print(1, 2, False)", Approximates: "an integral"}},
	} {
		if _, err := repl.Refutation(t.Context(), out); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rare calls return a number of the right kind: p_plus for uniform W, δ at an infinite ε, and the smallest ε of a
// numeric release at a vector.
func TestRareAnswers(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	for source, kind := range map[string]evidence.Kind{
		`p_plus([0.5, 0.25], kind="uniform", draws=1000)`:                evidence.KindEstimated,
		`purest(graphs(3).count("edge"), ln(2)).delta_at(float("inf"))`:  evidence.KindExact,
		`dp_rp(projection(20, 4), 1, 1e-6).smallest_epsilon([0.5] * 20)`: evidence.KindCertified,
	} {
		v, err := s.Exec(t.Context(), "rare.star", source)
		e, ok := v.(*script.Evidence)
		if err != nil || !ok || e.Number().Kind() != kind {
			t.Errorf("%s gives %v, %v, want %s", source, v, err, kind)
		}
	}
}

// Data sets of every kind are read from their folder. It is an error if a data set needs another reader, or if a folder
// is read as a file.
func TestDatasetsOfEveryKind(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	dir := t.TempDir()
	s.DataDirs, s.Dir = []string{dir}, dir
	seen := map[data.Kind]bool{}
	for _, set := range data.Sets() {
		if seen[set.Kind] {
			continue
		}
		seen[set.Kind] = true
		path := filepath.Join(dir, filepath.FromSlash(set.Path))
		text := map[data.Kind]string{data.Table: strings.Repeat("a,b\n", set.Header) + "1,2\n3,4\n", data.Edges: "# c\n0 1\n1 2\n", data.Text: "a 1\nb 2\n"}[set.Kind]
		content := []byte(text)
		if strings.HasSuffix(path, ".gz") {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(content)
			_ = w.Close()
			content = b.Bytes()
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			t.Fatal(err)
		}
		v, err := s.Exec(t.Context(), "a", fmt.Sprintf("dataset(%q)\n", set.Name))
		want := map[data.Kind]string{data.Table: "[[1, 2], [3, 4]]", data.Edges: "[(0, 1), (1, 2)]", data.Text: `[["a", 1], ["b", 2]]`}[set.Kind]
		if want == "" { // data sets of this kind have their own reader
			if err == nil || !strings.Contains(err.Error(), "has no rows") {
				t.Errorf("%s: %v, %v", set.Name, v, err)
			}
			continue
		}
		if err != nil || v.String() != want {
			t.Errorf("%s of kind %s is %v, %v, want %s", set.Name, set.Kind, v, err, want)
		}
	}
	if !seen[data.Table] || !seen[data.Edges] || !seen[data.Text] || len(seen) < 4 {
		t.Errorf("kinds %v", seen)
	}
	for source, want := range map[string]string{`read_json(".")`: "directory", `read_csv(".")`: "directory", `compose([bernoulli_uniform(1, 1, 2, 2)])`: "depends on parameters: write privacy(x, …)"} {
		if v, err := s.Exec(t.Context(), "a", source+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %v, %v", source, v, err)
		}
	}
}

// The worst event at a given ε has the δ of randomized response in closed form, for one use and for three.
func TestWorstAtEpsilon(t *testing.T) {
	const e = math.E
	p := e / (1 + e)
	for source, want := range map[string]float64{
		"known(1).worst(eps=0.5).loss":               (e - math.Sqrt(e)) / (1 + e),
		"compose([(known(1), 3)]).worst(eps=1).loss": p * p * p * (1 - 1/(e*e)),
	} {
		s := repl.NewSession()
		v, err := s.Exec(t.Context(), "a", source+"\n")
		n, ok := v.(*script.Evidence)
		if err != nil || !ok {
			t.Errorf("%s is %v, %v", source, v, err)
			continue
		}
		if lo, hi := n.Number().Bounds(); lo > want*(1+1e-14) || hi < want*(1-1e-14) || hi-lo > 1e-12 {
			t.Errorf("%s is %v, want %v", source, v, want)
		}
		s.Close()
	}
}

// At its end, sweep sets the rows of its shard and the number of all cells, and ends the script.
func TestShardIsDone(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	s.Shard = &repl.Shard{Index: 1, Count: 2}
	_, err := s.ExecScript(t.Context(), "shard.star", "sweep([3, 4, 5, 6], lambda c: [c, c * c])\nfail('not here')")
	exit := new(script.Exit)
	if !errors.As(err, &exit) || exit.Status != 0 || !s.Shard.Done || s.Shard.Cells != 4 || fmt.Sprintf("%s", s.Shard.Rows) != "[[4,16] [6,36]]" {
		t.Errorf("%v, %+v", err, s.Shard)
	}
}
