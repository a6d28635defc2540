package check_test

import (
	"fmt"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

func ExampleListing() {
	fmt.Println(check.Listing([]check.Claim{
		{ID: "a.lemma1", Paper: "A paper", Place: "Lemma 1", Recorded: evidence.Confirmed},
		{ID: "a.lemma10", Paper: "A paper", Place: "Lemma 10", Recorded: evidence.Refuted, Remark: "misprint", Entry: check.Entry{Severity: check.Misprint}},
		{ID: "a.lemma11", Paper: "A paper", Place: "Lemma 11", Recorded: evidence.Confirmed, Remark: "loose", Entry: check.Entry{Severity: check.Slack}},
		{ID: "b.more", Paper: "Another", Place: "Section 2", Recorded: evidence.Undecided, Beyond: true},
	}))
	// Output:
	// A paper
	//   a.lemma1   confirmed  Lemma 1
	//   a.lemma10  misprint   Lemma 10
	//   a.lemma11  slack (loose)  Lemma 11
	// Another
	//   b.more     undecided  Section 2 (beyond the paper)
}
