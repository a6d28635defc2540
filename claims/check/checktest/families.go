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

// families is the table testdata/families.tsv of the families of a folder's statements. A row has the number of
// instances, the smallest numbers of non-vacuous instances in the family and among the random ones, digests of the
// instances and of the decisions, and the description.
type families struct {
	recorded map[string]family
	table    strings.Builder
	sizes    map[string]int
	repeated map[string]int
}

type family struct {
	size, nonVacuous, drawn int
	digest, words           string
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
		if _, err := fmt.Sscan(strings.Join(fields[1:4], " "), &of.size, &of.nonVacuous, &of.drawn); err != nil {
			t.Fatal(err)
		}
		f.recorded[fields[0]] = of
	}
	return f
}

// survey collects what a claim's check visits.
type survey struct {
	statements int
	family     hash.Hash // the instances of the family, in order
	seen       map[[sha256.Size]byte]bool
	repeated   int       // number of repeated instances of the family
	visited    hash.Hash // hash of the random instances and of all decisions
}

// surveyor returns callbacks that compare what the check of a claim visits with the table. Each statement
// must have the recorded description and number of instances, and at least the recorded numbers of
// non-vacuous ones. From the first seed, the instances and decisions must be identical to the recorded ones.
// A family must have a description exactly if it has instances. Neither its instances nor the random ones may
// all be vacuous. The number of its instances must equal the statement's Size or, if that is 0, the folder's
// own count.
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
			nonVacuous, drawn := s.NonVacuous, s.DrawnNonVacuous*3/4 // other seeds have other non-vacuous instances
			if s.Refuted {
				nonVacuous, drawn = min(nonVacuous, 1), 0 // a refutation stops early, at an instance that depends on the seed
			}
			fmt.Fprintf(&f.table, "%s\t%d\t%d\t%d\t%s\t%s\n", key, s.Size, nonVacuous, drawn, digest, s.Family)
		} else {
			digest = want.digest
		}
		for _, what := range faults(s, digest, want, ok) {
			t.Errorf("%s: %s", key, what)
		}
		if seed == 0 && of.repeated != f.repeated[key] {
			t.Errorf("%s: %d of %d instances of %q are repeated, want %d", key, of.repeated, s.Size, s.Family, f.repeated[key])
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
			t.Errorf("%s: no count for %q", key, s.Family)
		} else if s.Size != size {
			t.Errorf("%s: %d instances of %q, counted %d", key, s.Size, s.Family, size)
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

// counted returns the folder's own count of the instances of a statement's family. It looks up the
// statement's key, then the family's description.
func (f *families) counted(key, words string) (size int, ok bool) {
	for _, by := range []string{key, words} {
		if size, ok = f.sizes[by]; ok {
			return size, true
		}
	}
	return 0, false
}

// faults lists the errors in the survey of a family. If recorded is true, differences from the record count as errors.
func faults(s check.Survey, digest string, want family, recorded bool) (out []string) {
	add := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	switch {
	case (s.Family != "") != (s.Size > 0):
		add("a family of %d instances has the description %q", s.Size, s.Family)
	case s.Size > 0 && s.NonVacuous == 0, s.Drawn > 0 && s.DrawnNonVacuous == 0:
		add("%d instances of the family and %d random ones, of which %d and %d could fail", s.Size, s.Drawn, s.NonVacuous, s.DrawnNonVacuous)
	}
	switch {
	case *update:
	case !recorded:
		add("not in %s: go test -update in its folder", familyTable)
	case s.Size != want.size || s.Family != want.words:
		add("%d instances of %q, recorded are %d of %q", s.Size, s.Family, want.size, want.words)
	case s.NonVacuous < want.nonVacuous || s.DrawnNonVacuous < want.drawn:
		add("could fail at %d instances of its family and %d at random, want at least %d and %d", s.NonVacuous, s.DrawnNonVacuous, want.nonVacuous, want.drawn)
	case digest != want.digest:
		add("other instances or other decisions: %s, recorded %s", digest, want.digest)
	}
	return out
}
