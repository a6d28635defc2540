package signrp_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
)

// experiments describes the evidence of the figures drawn by notebooks: six ε for each curve.
var experiments = map[string]checktest.Panel{
	"signrp.figure5":  panelOf(retrieved, "iDP-SignRP-G", "iDP-SignRP-RR"),
	"signrp.figure13": panelOf(retrieved, "Raw-data-G-OPT", "DP-RP-G-OPT-B", "DP-OPORP"),
	"signrp.figure16": panelOf([]string{"recall@100 MNIST 64", "recall@100 MNIST 512"}, "Raw-data-G-OPT", "DP-OPORP",
		"DP-SignOPORP-RR", "DP-SignOPORP-RR-s"),
	"signrp.figure6":  panelOf(learned, "iDP-SignRP-G", "iDP-SignRP-RR"),
	"signrp.figure15": panelOf(learned, "Raw-data-G-OPT", "DP-RP-G-OPT-B", "DP-OPORP"),
	"signrp.figure17": panelOf(learned, "Raw-data-G-OPT", "DP-OPORP", "DP-SignOPORP-RR", "DP-SignOPORP-RR-s"),
}

var (
	retrieved = []string{"precision@10 MNIST 64", "precision@10 MNIST 512"}
	learned   = []string{"accuracy MNIST 512", "accuracy votes 16", "accuracy cancers 30"}
)

func panelOf(settings []string, methods ...string) checktest.Panel {
	var family []string
	for _, setting := range settings {
		for _, method := range methods {
			family = append(family, setting+" "+method)
		}
	}
	return checktest.Panel{Each: 6, Family: family, NonVacuous: len(family), Check: asPrinted}
}

// asPrinted compares a curve's numbers with the table in the notebook's stored output.
func asPrinted(t *testing.T, instance string, items []check.Item) bool {
	words := strings.Fields(instance)
	measure, data, k, method := words[0], words[1], words[2], words[3]
	file, titles := "signrp", []string{fmt.Sprintf("%s: %s against ε, k = %s", data, measure, k)}
	if measure == "accuracy" {
		names := map[string]string{"MNIST": "MNIST", "votes": "the votes of 1984", "cancers": "breast cancers"}
		file, titles = "signrp_features", []string{names[data] + ": accuracy against ε", "k = " + k + " "}
	}
	text, err := os.ReadFile("../../notebooks/" + file + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	at := slices.IndexFunc(check.Counting(len(lines)), func(i int) bool {
		return lines[i] == titles[0] && (len(titles) == 1 || strings.HasPrefix(lines[i+2], titles[1]))
	})
	row := slices.IndexFunc(lines[max(at, 0):], func(line string) bool { return strings.HasPrefix(line, method+" ") })
	if at < 0 || row < 0 {
		t.Fatalf("%s.txt has no %s", file, instance)
	}
	got := []string{method}
	for _, item := range items {
		got = append(got, fmt.Sprint(item.Number.Float()))
	}
	if printed := strings.Fields(lines[at+row]); !slices.Equal(got, printed) {
		t.Errorf("%s is %v, the notebook has %v", instance, got, printed)
	}
	return true
}
