package claims

import (
	"slices"
	"testing"

	"dpworkbench/claims/check"
)

func TestComparePlaces(t *testing.T) {
	sorted := []string{"(10)", "(16)", "Lemma 2", "Lemma 10", "Theorem 2 (1), (2)", "Theorem 2 (3)", "Theorem 10", "Theorem A.1"}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := comparePlaces(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("comparePlaces(%q, %q) = %d", a, b, got)
			}
		}
	}
}

// The parser follows the format described in the file's first lines, and rejects errors.
func TestReadCoverage(t *testing.T) {
	got, err := readCoverage("# a comment\n\na: A text\nSection 1 | all are even | one, two.part\n" +
		"Section 2 | even is fine | = too vague to test; \"fine\"\n")
	if err != nil || len(got) != 1 || got[0].Name != "A text" || !slices.Equal(got[0].Places[0].Rows,
		[]string{"a.one", "a.two.part"}) {
		t.Fatalf("%+v, %v", got, err)
	}
	if left := got[0].Places[1].LeftOut; left.Reason != check.Vague || left.More != `"fine"` ||
		left.Says != "even is fine" {
		t.Errorf("left out: %+v", left)
	}
	if judged, leftOut := got[0].Counts(); judged != 1 || leftOut[check.Vague] != 1 {
		t.Errorf("%d judged, left out %v", judged, leftOut)
	}
	for _, text := range []string{"no text\n", "Section 1 | says | one\n", "a: A\nSection 1 | says\n",
		"a: A\nSection 1 | says | = no reason\n"} {
		if _, err := readCoverage(text); err == nil {
			t.Errorf("%q gave no error", text)
		}
	}
}
