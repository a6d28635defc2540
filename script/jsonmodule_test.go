package script_test

import (
	"strings"
	"testing"

	"dpworkbench/script"
)

// matrix reads "inf" and "-inf", the JSON forms of infinite numbers, and keeps their sign. Other entries of a row are
// unchanged.
func TestInfiniteEntries(t *testing.T) {
	for source, want := range map[string]string{
		`matrix([["inf", 1.5], ["-inf", 2]]).rows`:                   `[[+inf, 1.5], [-inf, 2.0]]`,
		`matrix([["inf", "-inf"]]).rows`:                             `[[+inf, -inf]]`,
		`matrix([["a", "-inf"], [1, 2]]).names`:                      `["a", "-inf"]`,
		`matrix([["a", "b"], ["-inf", 2]]).rows`:                     `[[-inf, 2.0]]`,
		`matrix([["a", "b"], ["-inf", "c"]])`:                        `error: matrix: rows[1:][0][1] = "c", want a number`,
		`m = matrix([["a", "b"], ["-inf", 2]]); json.encode(m.rows)`: `"[[\"-inf\",2.0]]"`,
	} {
		if got := shownBy(script.New(script.Vocabulary{}), source); got != want {
			t.Errorf("%s\ngives %s\nwant  %s", source, got, want)
		}
	}
}

// A value nested too deeply is an error in json.encode.
func TestJSONOfDeepLists(t *testing.T) {
	s := script.New(script.Vocabulary{})
	for depth, ok := range map[string]bool{"9000": true, "20000": false} {
		_, err := s.Exec(t.Context(), "a", "x = []\nfor i in range("+depth+"): x = [x]\njson.encode(x)\n")
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "x is nested more than 10000 deep") {
			t.Errorf("%s levels: %v", depth, err)
		}
	}
}
