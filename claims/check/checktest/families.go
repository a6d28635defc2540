package checktest

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dpworkbench/claims/check"
)

// families is the table of the families of a folder's statements, testdata/families.tsv:
// the instances of each, at how many of them and of the random ones it could fail at least,
// a digest of the instances and of what was decided at each, and its words.
type families struct {
	recorded map[string]family
	table    strings.Builder
	sizes    map[string]int
	repeated map[string]int
}

type family struct {
	size, bites, drawn int
	digest, words      string
}

var familyTable = filepath.Join("testdata", "families.tsv")

func readFamilies(t *testing.T, l Ledger) *families {
	t.Helper()
	f := &families{recorded: make(map[string]family), sizes: l.Sizes, repeated: l.Repeated}
	content, err := os.ReadFile(familyTable)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 6 {
			t.Fatalf("%s: a line %q", familyTable, line)
		}
		of := family{digest: fields[4], words: fields[5]}
		if _, err := fmt.Sscan(strings.Join(fields[1:4], " "), &of.size, &of.bites, &of.drawn); err != nil {
			t.Fatal(err)
		}
		f.recorded[fields[0]] = of
	}
	return f
}

// survey is what a claim's check tells of its statements, and how many it has had.
type survey struct {
	statements int
	family     hash.Hash // the instances of the family, in order
	seen       map[[sha256.Size]byte]bool
	repeated   int       // instances of the family that it has had before
	visited    hash.Hash // what was drawn, and what was decided
}

// surveyor holds the check of a claim from a seed against the table: each statement has the
// family that is recorded, as many instances in the same words, and could fail at no fewer
// of those that are visited; from the first seed the instances are the same and so is
// what is decided at each. None is empty where it is said to cover something, and none
// holds where nothing could have failed. Its size is what the folder's own count has, by
// its words or, where those are of several families, by the statement.
func (f *families) surveyor(t *testing.T, id string, seed uint64) (check.Surveyor, *survey) {
	of := &survey{family: sha256.New(), visited: sha256.New(), seen: make(map[[sha256.Size]byte]bool)}
	to := check.Surveyor{Survey: func(s check.Survey) {
		of.statements++
		key := fmt.Sprintf("%s/%d", id, of.statements)
		digest := fmt.Sprintf("%.6x-%.6x", of.family.Sum(nil), of.visited.Sum(nil))
		of.family.Reset()
		of.visited.Reset()
		want, ok := f.recorded[key]
		if seed == 0 {
			bites, drawn := s.Bites, s.DrawnBites*3/4 // other draws bite elsewhere
			if s.Refuted {
				bites, drawn = min(bites, 1), 0 // the sooner the better
			}
			fmt.Fprintf(&f.table, "%s\t%d\t%d\t%d\t%s\t%s\n", key, s.Size, bites, drawn, digest, s.Family)
		} else {
			digest = want.digest
		}
		for _, what := range faults(s, digest, want, ok) {
			t.Errorf("%s: %s", key, what)
		}
		if seed == 0 && of.repeated != f.repeated[key] {
			t.Errorf("%s: %d of %d instances of %q are there twice, want %d", key, of.repeated, s.Size, s.Family, f.repeated[key])
		}
		clear(of.seen)
		of.repeated = 0
		if s.Size == 0 {
			return
		}
		size, ok := f.counted(key, s.Family)
		if s.Stated > 0 {
			size, ok = s.Stated, true
		}
		if !ok {
			t.Errorf("%s: nothing counts %q", key, s.Family)
		} else if s.Size != size {
			t.Errorf("%s: %d instances of %q, which are %d", key, s.Size, s.Family, size)
		}
	}}
	if seed == 0 {
		to.Family = func(i any) {
			one := sha256.New()
			digest(one, reflect.ValueOf(i))
			sum := [sha256.Size]byte(one.Sum(nil))
			if of.seen[sum] {
				of.repeated++
			}
			of.seen[sum] = true
			of.family.Write(sum[:])
		}
		to.Drawn = func(i any) { digest(of.visited, reflect.ValueOf(i)) }
		to.Decided = func(holds, counts bool) { fmt.Fprint(of.visited, holds, counts) }
	}
	return to, of
}

// counted is the size of a statement's family by the folder's own count.
func (f *families) counted(key, words string) (size int, ok bool) {
	for _, by := range []string{key, words} {
		if size, ok = f.sizes[by]; ok {
			return size, true
		}
	}
	return 0, false
}

// faults are what is wrong with a family: by itself, and against what is recorded of it, if anything is.
func faults(s check.Survey, digest string, want family, recorded bool) (out []string) {
	add := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	switch {
	case (s.Family != "") != (s.Size > 0):
		add("a family of %d instances is called %q", s.Size, s.Family)
	case s.Size > 0 && s.Bites == 0, s.Drawn > 0 && s.DrawnBites == 0:
		add("of %d instances of the family and %d at random, %d and %d could fail", s.Size, s.Drawn, s.Bites, s.DrawnBites)
	}
	switch {
	case *update:
	case !recorded:
		add("not in %s: go test -update in its folder", familyTable)
	case s.Size != want.size || s.Family != want.words:
		add("%d instances of %q, recorded are %d of %q", s.Size, s.Family, want.size, want.words)
	case s.Bites < want.bites || s.DrawnBites < want.drawn:
		add("could fail at %d instances of its family and %d at random, want at least %d and %d", s.Bites, s.DrawnBites, want.bites, want.drawn)
	case digest != want.digest:
		add("other instances, or decided otherwise: %s, recorded is %s", digest, want.digest)
	}
	return out
}
