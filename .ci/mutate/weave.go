package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// switches is the package that the mutants ask whether they are on. A process that
// runs with WORKBENCH_REACH appends the numbers of the places that it comes by.
const switches = `package mutant

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var (
	active, _ = strconv.Atoi(os.Getenv("WORKBENCH_MUTANT"))
	reach     = os.Getenv("WORKBENCH_REACH")
	reached   [%d]atomic.Bool
)

func On(n int) bool {
	if reach != "" && !reached[n].Swap(true) {
		if f, err := os.OpenFile(reach, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666); err == nil {
			fmt.Fprintln(f, n)
			f.Close()
		}
	}
	return n == active
}
`

// tree is a copy of the repository with all mutants in it.
type tree struct {
	dir      string
	binaries []*binary
}

// weave copies the repository and puts the mutants in. Mutants that do not compile
// are left out, and their outcome says so.
func weave(ctx context.Context, mutants []*mutant, dir string) (*tree, error) {
	var err error
	if dir == "" {
		dir, err = os.MkdirTemp("", "mutate")
	} else {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	list, err := output("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Split(strings.TrimRight(string(list), "\x00"), "\x00") {
		if err := copyFile(name, filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	t := &tree{dir: dir}
	helper := filepath.Join(dir, "internal/mutant")
	if err := os.MkdirAll(helper, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(helper, "mutant.go"), fmt.Appendf(nil, switches, len(mutants)+1), 0o666); err != nil {
		return nil, err
	}
	check := []string{"build", "-trimpath", "-gcflags=-e"} // the rooms with mutants; what is not touched is found compiled
	for _, m := range mutants {
		if room := "./" + m.room; !slices.Contains(check, room) {
			check = append(check, room)
		}
	}
	for {
		if err := t.write(mutants); err != nil {
			return nil, err
		}
		build := exec.CommandContext(ctx, "go", check...)
		build.Dir = dir
		said, err := build.CombinedOutput()
		if err == nil {
			return t, nil
		}
		if !t.drop(mutants, said) {
			return nil, fmt.Errorf("the woven tree does not compile: %w\n%s", err, said)
		}
	}
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil || info.IsDir() {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

var packageClause = regexp.MustCompile(`(?m)^package [a-z0-9_]+`)

// write writes the files that hold mutants.
func (t *tree) write(mutants []*mutant) error {
	files := map[string][]edit{}
	for _, m := range mutants {
		files[m.file] = append(files[m.file], nil...)
		if m.outcome == uncompiled {
			continue
		}
		for _, e := range m.edits {
			e.text = fmt.Sprintf(e.text, m.id)
			if !strings.Contains(e.text, "mutant__") {
				return fmt.Errorf("%s: an edit without a switch", m.key)
			}
			files[m.file] = append(files[m.file], e)
		}
	}
	for name, edits := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
		for _, e := range edits {
			text = slices.Concat(text[:e.from], []byte(e.text), text[e.to:])
		}
		if len(edits) > 0 {
			at := packageClause.FindIndex(text)[1]
			text = slices.Concat(text[:at], []byte(`; import mutant__ "`+module+`/internal/mutant"`), text[at:])
		}
		if err := os.WriteFile(filepath.Join(t.dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

var (
	complaint = regexp.MustCompile(`(?m)^(?:\./)?([^:\s]+\.go):(\d+):`)
	number    = regexp.MustCompile(`mutant__\.On\((\d+)\)`)
)

// drop leaves out the mutants that the compiler complains of, and reports whether
// there was one.
func (t *tree) drop(mutants []*mutant, said []byte) bool {
	dropped := false
	for _, c := range complaint.FindAllSubmatch(said, -1) {
		text, err := os.ReadFile(filepath.Join(t.dir, string(c[1])))
		if err != nil {
			continue
		}
		line, _ := strconv.Atoi(string(c[2]))
		lines := bytes.Split(text, []byte("\n"))
		for back := 0; back < 12 && line-1-back >= 0 && line <= len(lines); back++ {
			found := number.FindAllSubmatch(lines[line-1-back], -1)
			for _, n := range found {
				id, _ := strconv.Atoi(string(n[1]))
				if mutants[id-1].outcome != uncompiled {
					mutants[id-1].outcome, dropped = uncompiled, true
				}
			}
			if len(found) > 0 {
				break
			}
		}
	}
	return dropped
}

// needs lists, for every package of the module, the packages that its tests are
// built from, below the module.
func (t *tree) needs() (map[string][]string, error) {
	list := exec.Command("go", "list", "-test", "-deps", "-json=ImportPath,ForTest,Deps", "./...")
	list.Dir = t.dir
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	needs := map[string][]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Deps       []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return needs, nil
		} else if err != nil {
			return nil, err
		}
		own, ok := strings.CutSuffix(p.ImportPath, ".test")
		if own, below := strings.CutPrefix(own, module+"/"); ok && below {
			for _, d := range p.Deps {
				d, _, _ = strings.Cut(d, " ")
				needs[own] = append(needs[own], strings.TrimPrefix(d, module+"/"))
			}
		}
	}
}
