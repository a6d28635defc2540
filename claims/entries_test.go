package claims_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// unfinished lists what is missing or wrong in a claim's entry.
func unfinished(c check.Claim, ids, causes, sections []string) (out []string) {
	e := c.Entry
	need := func(what string, ok bool) {
		if !ok {
			out = append(out, what)
		}
	}
	refuted := c.Recorded == evidence.Refuted
	need("the paper's words and their place", c.Beyond || e.Quote.Words != "" && e.Quote.At != "")
	need("severity, cause and erratum of a refutation", !refuted || e.Severity != "" && e.Cause != "" && e.Erratum != check.Erratum{})
	need("no cause and no erratum where nothing is refuted", refuted || e.Cause == "" && e.Erratum == check.Erratum{} && e.Holds == "" && e.Telling == nil)
	need("at most slack where nothing is refuted", refuted || e.Severity == "" || e.Severity == check.Slack && c.Recorded == evidence.Confirmed)
	need("a cause of its paper", e.Cause == "" || slices.Contains(causes, e.Cause+" of "+c.Paper))
	need("slack where the remark is loose, and conversely", refuted || (c.Remark == "loose") == (e.Severity == check.Slack))
	isFalse := e.Severity == check.False || e.Severity == check.Unsafe
	need("the readings that were tried of a false statement", c.Beyond || !isFalse || e.Readings != "")
	need("an open verdict where a stored study stands for a check", e.Study == "" || c.Recorded == evidence.Undecided)
	need("a misprint where the remark says so", c.Remark != "misprint" || e.Severity == check.Misprint)
	switch e.Proof.Kind {
	case check.Valid, check.Repaired, check.Gap, check.Ours:
		need("a section of docs/proofs: "+e.Proof.At, slices.Contains(sections, e.Proof.At))
	case check.Known, check.None:
		need("no link where no proof is given", e.Proof.At == "")
	}
	need("no gap behind a confirmation", c.Recorded != evidence.Confirmed || e.Proof.Kind != check.Gap)
	for _, id := range e.RestsOn {
		need("a claim named "+id, slices.Contains(ids, id) && id != c.ID)
	}
	if e.Telling != nil {
		need("a telling witness with a script", e.Telling.Script != "" && len(e.Telling.Fields) > 0)
	}
	return out
}

// proofSections lists the sections of docs/proofs by their link names.
func proofSections(t *testing.T) (out []string) {
	t.Helper()
	files, err := filepath.Glob("../docs/proofs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("docs/proofs has no page: ", err)
	}
	notWord := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
			out = append(out, filepath.Base(f)+"#"+strings.ReplaceAll(notWord.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
		}
	}
	return out
}

// Every entry is complete and agrees with its claim. Every cause has a claim, and the dependencies have no cycle.
func TestEntries(t *testing.T) {
	all := claims.All()
	var ids, causes []string
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	used := make(map[string]bool)
	for _, k := range claims.Causes() {
		causes = append(causes, k.ID+" of "+k.Paper)
	}
	sections := proofSections(t)
	for _, c := range all {
		used[c.Entry.Cause] = true
		for _, what := range unfinished(c, ids, causes, sections) {
			t.Errorf("%s lacks %s", c.ID, what)
		}
	}
	for _, k := range claims.Causes() {
		if !used[k.ID] {
			t.Errorf("%s is a cause without claims", k.ID)
		}
	}
	if circle := cycleAmong(all); circle != nil {
		t.Errorf("a cycle of dependencies: %v", circle)
	}
}

// unfinished finds each missing part of an entry.
func TestUnfinishedEntries(t *testing.T) {
	good := check.Claim{
		ID: "a.b", Paper: "A", Statement: "s", Recorded: evidence.Refuted,
		Entry: check.Entry{
			Quote: check.Quote{Words: "w", At: "(1)"}, Severity: check.Unsafe, Readings: "r", Cause: "a.c",
			Proof: check.Proof{Kind: check.Gap, At: "a.md#b"}, RestsOn: []string{"a.a"}, Erratum: check.Erratum{By: "x"},
		},
	}
	find := func(c check.Claim) []string {
		return unfinished(c, []string{"a.a", "a.b"}, []string{"a.c of A"}, []string{"a.md#b"})
	}
	if out := find(good); out != nil {
		t.Errorf("a good entry lacks %v", out)
	}
	confirmed := check.Claim{
		ID: "a.b", Paper: "A", Statement: "s", Recorded: evidence.Confirmed,
		Entry: check.Entry{Quote: good.Entry.Quote, Proof: check.Proof{Kind: check.None}},
	}
	if out := find(confirmed); out != nil {
		t.Errorf("a good confirmation lacks %v", out)
	}
	for name, change := range map[string]func(c *check.Claim){
		"no quote":           func(c *check.Claim) { c.Entry.Quote.Words = "" },
		"no place":           func(c *check.Claim) { c.Entry.Quote.At = "" },
		"no severity":        func(c *check.Claim) { c.Entry.Severity = "" },
		"no cause":           func(c *check.Claim) { c.Entry.Cause = "" },
		"an unknown cause":   func(c *check.Claim) { c.Entry.Cause = "a.d" },
		"no readings":        func(c *check.Claim) { c.Entry.Readings = "" },
		"no erratum":         func(c *check.Claim) { c.Entry.Erratum = check.Erratum{} },
		"loose, not slack":   func(c *check.Claim) { *c = confirmed; c.Remark = "loose" },
		"slack, not loose":   func(c *check.Claim) { *c = confirmed; c.Entry.Severity = check.Slack },
		"a gap confirmed":    func(c *check.Claim) { *c = confirmed; c.Entry.Proof = good.Entry.Proof },
		"a cause of nothing": func(c *check.Claim) { *c = confirmed; c.Entry.Cause = "a.c" },
		"a study refutes":    func(c *check.Claim) { c.Entry.Study = "run x" },
		"no misprint":        func(c *check.Claim) { c.Remark = "misprint" },
		"no such section":    func(c *check.Claim) { c.Entry.Proof.At = "a.md#c" },
		"a link to nothing":  func(c *check.Claim) { c.Entry.Proof.Kind = check.None },
		"rests on nothing":   func(c *check.Claim) { c.Entry.RestsOn = []string{"a.x"} },
		"rests on itself":    func(c *check.Claim) { c.Entry.RestsOn = []string{"a.b"} },
		"no script":          func(c *check.Claim) { c.Entry.Telling = &check.Witness{Fields: check.Named("a", "b")} },
	} {
		c := good
		change(&c)
		if len(find(c)) != 1 {
			t.Errorf("%s: %v", name, find(c))
		}
	}
	a, b, c := good, good, good
	a.ID, a.Entry.RestsOn = "a.a", []string{"a.b"}
	if circle := cycleAmong([]check.Claim{a, b}); len(circle) != 2 {
		t.Errorf("a cycle of two is %v", circle)
	}
	c.Entry.RestsOn = nil
	if circle := cycleAmong([]check.Claim{a, c}); circle != nil {
		t.Errorf("without a cycle: %v", circle)
	}
}

// If WORKBENCH_PAPERS names a folder with the papers' texts (analytic.txt, mvg.txt, xor.txt, signrp.txt), every
// quotation must occur in its paper.
func TestQuotes(t *testing.T) {
	folder := os.Getenv("WORKBENCH_PAPERS")
	if folder == "" {
		t.Skip("WORKBENCH_PAPERS does not name a folder with the papers' texts")
	}
	plain := func(s string) string {
		return regexp.MustCompile(`[^a-z0-9]`).ReplaceAllString(strings.ToLower(s), "")
	}
	texts := make(map[string]string)
	for _, c := range claims.All() {
		if c.Entry.Quote.Words == "" {
			continue
		}
		if texts[c.Key()] == "" {
			data, err := os.ReadFile(filepath.Join(folder, c.Key()+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			// Compare with and without the formulas between dollar signs, and without line numbers.
			lines := regexp.MustCompile(`\d{3}\n`).ReplaceAllString(string(data), "\n")
			texts[c.Key()] = plain(string(data)) + "|" + plain(regexp.MustCompile(`\$[^$]*\$`).ReplaceAllString(string(data), "")) + "|" + plain(lines)
		}
		for part := range strings.SplitSeq(c.Entry.Quote.Words, "…") {
			if !strings.Contains(texts[c.Key()], plain(part)) {
				t.Errorf("%s: %q is not in the paper", c.ID, part)
			}
		}
	}
}

// cycleAmong returns ids that each depend on the next, and the last on the first. It returns nil if there are none.
func cycleAmong(all []check.Claim) []string {
	on := make(map[string][]string)
	for _, c := range all {
		on[c.ID] = c.Entry.RestsOn
	}
	const open, done = 1, 2
	state := make(map[string]int)
	var path, found []string
	var visit func(id string)
	visit = func(id string) {
		if found != nil || state[id] == done {
			return
		}
		if state[id] == open {
			found = slices.Clone(path[slices.Index(path, id):])
			return
		}
		state[id], path = open, append(path, id)
		for _, next := range on[id] {
			visit(next)
		}
		state[id], path = done, path[:len(path)-1]
	}
	for _, c := range all {
		visit(c.ID)
	}
	return found
}
