package certificate

import (
	"context"
	"dpworkbench/internal/must"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
)

// judged are certificates with what check.py is to say of them, collected for one run of it.
type judged struct {
	t     *testing.T
	kept  []*File // those to be accepted, where nothing is to be judged
	dir   string
	paths []string
	what  []string // of each, why it must be rejected; "" where it must be accepted
}

func newJudged(t *testing.T) *judged {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	return &judged{t: t, dir: t.TempDir()}
}

// judge has what a generator makes judged, beside other tests.
func judge(t *testing.T, of func(j *judged)) {
	t.Helper()
	t.Parallel()
	j := newJudged(t)
	of(j)
	j.run()
}

// rounds is how often a generator goes round: less where nothing is judged, or tests take few cases.
func (j *judged) rounds(n int) int {
	if j.dir == "" || !cases.All() {
		return (n + 2) / 3
	}
	return n
}

// add puts a file among those to be judged.
func (j *judged) add(f *File, forged string) {
	j.t.Helper()
	if j.dir == "" {
		if forged == "" {
			j.kept = append(j.kept, f)
		}
		return
	}
	path := filepath.Join(j.dir, fmt.Sprintf("%04d.json", len(j.paths)))
	text := must.For(f.Encode(path))(j.t)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		j.t.Fatal(err)
	}
	j.paths, j.what = append(j.paths, path), append(j.what, forged)
}

// accepted puts the certificate of a number among them.
func (j *judged) accepted(n evidence.Number, err error) *File {
	j.t.Helper()
	if err != nil {
		j.t.Fatal(err)
	}
	f := must.For(Of(context.Background(), n))(j.t)
	j.add(f, "")
	return f
}

// number puts the certificate of a number among them, and copies of it whose ends are moved to the wrong side of the truth:
// each beyond the other by a unit in the last place.
func (j *judged) number(n evidence.Number, err error) *File {
	j.t.Helper()
	f := j.accepted(n, err)
	lo, hi := n.Bounds()
	if width := hi - lo; width > 0 && !math.IsInf(hi, 1) {
		if below := lo - width; below < lo && below >= 0 {
			j.add(f.with(object{"lo": float(below), "hi": float(math.Nextafter(lo, math.Inf(-1)))}), "the ends moved down")
		}
		if above := hi + width; above > hi && !math.IsInf(above, 1) {
			j.add(f.with(object{"lo": float(math.Nextafter(hi, above)), "hi": float(above)}), "the ends moved up")
		}
	}
	return f
}

// with returns the certificate with another number.
func (f *File) with(is object) *File {
	return f.saying("is", is)
}

// saying returns the certificate with something else in its statement.
func (f *File) saying(key string, value any) *File {
	out := *f
	out.statement = object{}
	for k, v := range f.statement {
		out.statement[k] = v
	}
	out.statement[key] = value
	return &out
}

// proving returns the certificate with something else in its proof, without the key where value is nil.
func (f *File) proving(key string, value any) *File {
	out := *f
	out.proof = object{}
	for k, v := range f.proof {
		out.proof[k] = v
	}
	if out.proof[key] = value; value == nil {
		delete(out.proof, key)
	}
	return &out
}

// run has all of them judged.
func (j *judged) run() {
	j.t.Helper()
	said := Checker(j.t, j.paths)
	for i, path := range j.paths {
		says := said[path]
		accepted := strings.HasPrefix(says, "accepted: ")
		switch {
		case accepted != (j.what[i] == ""), strings.Contains(says, "cannot be checked"):
			text, _ := os.ReadFile(path)
			j.t.Errorf("%s; forged: %q\n%.1500s", says, j.what[i], text)
		}
	}
}
