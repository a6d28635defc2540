package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// coq compiles the development in a folder of the test's own and returns what checks a file there: coqc's answer,
// and whether it accepts.
func coq(t *testing.T) func(t *testing.T, text string) (string, bool) {
	t.Helper()
	if _, err := exec.LookPath("coqc"); err != nil {
		t.Skip("skipped: needs coqc")
	}
	room := t.TempDir()
	run := func(dir, file string) (string, bool) {
		command := exec.Command("coqc", "-q", "-Q", room, "Workbench", file)
		command.Dir = dir
		out, err := command.CombinedOutput()
		return string(out), err == nil
	}
	for _, name := range []string{"Mechanism.v", "Checks.v", "Layers.v"} {
		text, err := os.ReadFile(filepath.Join("coq", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(room, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, ok := run(room, name); !ok {
			t.Fatalf("%s: %s", name, out)
		}
	}
	return func(t *testing.T, text string) (string, bool) {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "file.v"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return run(dir, "file.v")
	}
}

func triangles(t *testing.T, n int) *query.Query {
	t.Helper()
	g, err := query.NewGraphs(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	q, err := g.Count("triangle")
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func ln(t *testing.T, base string) evidence.Epsilon {
	t.Helper()
	q, ok := new(big.Rat).SetString(base)
	if !ok {
		t.Fatal(base)
	}
	e, err := evidence.LogEpsilon("eps", q)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func sure[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestCoqX(t *testing.T) {
	ctx := context.Background()
	check := coq(t)
	for _, n := range []int{4, 5, 6} {
		q := triangles(t, n)
		for _, o := range []optimize.Options{{}, {Objective: optimize.Worst}, {Delta: big.NewRat(1, 100)}, {Delta: big.NewRat(1, 100), Objective: optimize.Worst}} {
			if n == 6 {
				if o.Delta != nil {
					continue
				}
				o.Rational = optimize.Required
			}
			t.Run(fmt.Sprintf("optimum/%d/%s/%v", n, o.Objective, o.Delta), func(t *testing.T) {
				m, err := optimize.NewOptimal(ctx, q, ln(t, "2"), o)
				if err != nil {
					t.Skip(err)
				}
				f, err := certificate.Coq(ctx, m.Optimum())
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				f.Write(&b)
				os.WriteFile(fmt.Sprintf("/tmp/coqx/t/opt%d%s.v", n, o.Objective), b.Bytes(), 0o644)
				out, ok := check(t, b.String())
				t.Log(out, ok, b.Len())
			})
		}
		for name, m := range map[string]mechanism.Mechanism{
			"purest": sure(layers.NewPurest(ctx, q, ln(t, "2"))),
			"ladder": sure(mechanism.NewLadder(ctx, q, ln(t, "4"))),
			"ball":   sure(layers.NewDeltaNeighborhood(ctx, q, ln(t, "2"), func() []float64 { r := make([]float64, q.Size()); for i := range r { r[i] = 1 }; return r }())),
			"laplace": sure(mechanism.NewLaplace(ctx, q, ln(t, "4"))),
			"geometric": sure(mechanism.NewGeometric(ctx, q, ln(t, "16"))),
		} {
			t.Run(fmt.Sprintf("least/%d/%s", n, name), func(t *testing.T) {
				f, err := certificate.Coq(ctx, sure(mechanism.Privacy(m).Epsilon(ctx, 0)))
				if err != nil {
					t.Skip(err)
				}
				var b bytes.Buffer
				f.Write(&b)
				os.WriteFile(fmt.Sprintf("/tmp/coqx/t/%s%d.v", name, n), b.Bytes(), 0o644)
				out, ok := check(t, b.String())
				t.Log(out, ok, b.Len())
			})
		}
	}
	_ = errors.Is
	_ = strings.Contains
}
