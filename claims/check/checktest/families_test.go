package checktest

import (
	"crypto/sha256"
	"math/big"
	"reflect"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Families without non-vacuous instances, or with counts other than the recorded ones, are reported.
func TestFaultsOfFamilies(t *testing.T) {
	good, want := check.Survey{Family: "pairs", Size: 6, NonVacuous: 4, Drawn: 9, DrawnNonVacuous: 5}, family{6, 4, 5, "a-b", "pairs"}
	if out := faults(good, "a-b", want, true); out != nil {
		t.Errorf("a good family: %v", out)
	}
	for name, change := range map[string]func(s *check.Survey, w *family) bool{
		"no instance":                   func(s *check.Survey, w *family) bool { s.Size, w.size = 0, 0; return true },
		"no words":                      func(s *check.Survey, w *family) bool { s.Family, w.words = "", ""; return true },
		"none could fail":               func(s *check.Survey, w *family) bool { s.NonVacuous, w.nonVacuous = 0, 0; return true },
		"no random instance could fail": func(s *check.Survey, w *family) bool { s.DrawnNonVacuous, w.drawn = 0, 0; return true },
		"not recorded":                  func(s *check.Survey, w *family) bool { return false },
		"another size":                  func(s *check.Survey, w *family) bool { s.Size = 7; return true },
		"other words":                   func(s *check.Survey, w *family) bool { s.Family = "triples"; return true },
		"fewer that could fail":         func(s *check.Survey, w *family) bool { s.NonVacuous = 3; return true },
		"fewer drawn":                   func(s *check.Survey, w *family) bool { s.DrawnNonVacuous = 4; return true },
		"other instances":               func(s *check.Survey, w *family) bool { w.digest = "a-c"; return true },
	} {
		s, w := good, want
		if recorded := change(&s, &w); len(faults(s, "a-b", w, recorded)) != 1 {
			t.Errorf("%s: %v", name, faults(s, "a-b", w, recorded))
		}
	}
}

// counted looks up a family by its statement, then by its description, and reports whether it found a count.
func TestCounts(t *testing.T) {
	f := families{sizes: map[string]int{"a/1": 2, "pairs": 3}}
	for _, c := range []struct {
		key  string
		size int
		ok   bool
	}{{"a/1", 2, true}, {"a/2", 3, true}} {
		if size, ok := f.counted(c.key, "pairs"); size != c.size || ok != c.ok {
			t.Errorf("%s: %d, %v", c.key, size, ok)
		}
	}
	if _, ok := f.counted("a/3", "triples"); ok {
		t.Error("a family without a count is counted")
	}
}

// Errors in an outcome are reported.
func TestWrongOutcomes(t *testing.T) {
	claim := check.Claim{Recorded: evidence.Refuted, Remark: "misprint", Corrected: "c"}
	good := func() check.Outcome {
		return check.Outcome{
			Verdict: evidence.Refuted, Remark: "misprint", Instances: 1, Witness: &check.Witness{Script: "print(False)"},
			Evidence:  []check.Item{{Label: "n", Number: evidence.Exact{Value: big.NewRat(1, 2), Provenance: evidence.From("counted")}}},
			Corrected: &check.Outcome{Verdict: evidence.Confirmed},
		}
	}
	if wrong := against(claim, good()); wrong != nil {
		t.Errorf("a good outcome: %v", wrong)
	}
	for name, change := range map[string]func(*check.Outcome){
		"another verdict":            func(o *check.Outcome) { o.Verdict, o.Witness = evidence.Confirmed, nil },
		"another remark":             func(o *check.Outcome) { o.Remark = "" },
		"no witness":                 func(o *check.Outcome) { o.Witness = nil },
		"a witness without a script": func(o *check.Outcome) { o.Witness.Script = "" },
		"no corrected statement":     func(o *check.Outcome) { o.Corrected = nil },
		"an undecided correction":    func(o *check.Outcome) { o.Corrected.Verdict = evidence.Undecided },
		"no instance":                func(o *check.Outcome) { o.Instances = 0 },
		"swapped ends": func(o *check.Outcome) {
			o.Evidence[0].Number = evidence.Certified{Lo: 2, Hi: 1, Provenance: evidence.From("s").By("m")}
		},
		"no source": func(o *check.Outcome) { o.Evidence[0].Number = evidence.Claimed{Value: 1} },
		"no source in the corrections": func(o *check.Outcome) {
			o.Corrected.Evidence, o.Evidence = []check.Item{{Label: "n", Number: evidence.Claimed{Value: 1}}}, nil
		},
	} {
		out := good()
		change(&out)
		if wrong := against(claim, out); len(wrong) != 1 {
			t.Errorf("%s: %v", name, wrong)
		}
	}
}

// Different values have different digests, and equal values have equal ones.
func TestDigests(t *testing.T) {
	type inner struct{ r *big.Rat }
	type instance struct {
		n      int
		x      []float64
		names  map[int][]string
		inner  inner
		next   *inner
		any    any
		yes    bool
		u      uint8
		pair   [2]int
		do     func()
		number evidence.Certified
		span   interval.Interval
	}
	build := func() instance {
		return instance{
			n: 1, x: []float64{0.5, 2}, names: map[int][]string{3: {"a"}, 1: {"b", "c"}}, inner: inner{big.NewRat(1, 3)}, next: &inner{big.NewRat(2, 3)},
			any: "x", u: 7, pair: [2]int{4, 5}, do: func() {}, number: evidence.Certified{Lo: 1, Hi: 2}, span: interval.Int(3),
		}
	}
	of := func(i instance) string {
		h := sha256.New()
		digest(h, reflect.ValueOf(i))
		return string(h.Sum(nil))
	}
	if first, second := of(build()), of(build()); first != second {
		t.Error("the same values have different digests")
	}
	for name, change := range map[string]func(*instance){
		"a number": func(i *instance) { i.n = 2 }, "a slice's last": func(i *instance) { i.x[1] = 2.000001 }, "a slice's length": func(i *instance) { i.x = i.x[:1] },
		"a map's value": func(i *instance) { i.names[1][1] = "d" }, "a map's key": func(i *instance) { i.names[2] = i.names[3]; delete(i.names, 3) },
		"a rational": func(i *instance) { i.inner.r = big.NewRat(1, 4) }, "its sign": func(i *instance) { i.inner.r = big.NewRat(-1, 3) }, "behind a pointer": func(i *instance) { i.next.r = big.NewRat(1, 3) },
		"no pointer": func(i *instance) { i.next = nil }, "an interface": func(i *instance) { i.any = 1 }, "a truth": func(i *instance) { i.yes = true }, "unsigned": func(i *instance) { i.u = 8 },
		"an array": func(i *instance) { i.pair[0] = 5 }, "a number's end": func(i *instance) { i.number.Hi = 3 }, "an enclosure": func(i *instance) { i.span = interval.Int(4) },
	} {
		i := build()
		if change(&i); of(i) == of(build()) {
			t.Errorf("%s is not in the digest", name)
		}
	}
}
