package certificate

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// Strings are written in ASCII, and read by anybody as what they are.
func TestStringsInASCII(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 25))
	all := []rune{0, 1, '\n', '\t', 0x1f, ' ', '"', '\\', '/', '~', 0x7f, 0x80, 'é', 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10001, '𝔽', 0x10ffff}
	for range 300 {
		var s strings.Builder
		for range rng.IntN(12) {
			if r := rune(rng.IntN(0x110000)); rng.IntN(3) == 0 && (r < 0xd800 || r > 0xdfff) {
				s.WriteRune(r)
			} else {
				s.WriteRune(all[rng.IntN(len(all))])
			}
		}
		text := quote(s.String())
		for i := range len(text) {
			if text[i] < ' ' || text[i] > '~' {
				t.Fatalf("%q is written as %q", s.String(), text)
			}
		}
		var got string
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != s.String() {
			t.Fatalf("%q is written as %s and read as %q, %v", s.String(), text, got, err)
		}
	}
}

// A value is laid out as the value it is, each line as far in as there are brackets open before it, and on one line
// where it fits.
func TestLayoutForReaders(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 26))
	var some func(depth int) any
	some = func(depth int) any {
		switch n := rng.IntN(30); {
		case depth > 0 && n%3 > 0:
			out := list{}
			for range n {
				out = append(out, some(depth-1))
			}
			return out
		case depth > 0:
			out := object{}
			for range n {
				out[strings.Repeat(string(rune('a'+rng.IntN(26))), 1+rng.IntN(9))] = some(depth - 1)
			}
			return out
		case n%2 == 0:
			return rng.IntN(2000) - 1000
		}
		return strings.Repeat("ab", rng.IntN(20))
	}
	lines := 0
	for range 100 {
		v := some(3)
		var b strings.Builder
		w := bufio.NewWriter(&b)
		layout(w, v, 0)
		w.Flush()
		var got, want any
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if err := json.Unmarshal(canonical(nil, v), &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, laid out as\n%s", err, b.String())
		}
		depth := 0
		for i, line := range strings.Split(b.String(), "\n") {
			rest := strings.TrimLeft(line, " ")
			if in := len(line) - len(rest); i > 0 && in != depth {
				t.Fatalf("line %d stands %d in, %d brackets are open:\n%s", i+1, in, depth, b.String())
			}
			depth += strings.Count(line, "[") + strings.Count(line, "{") - strings.Count(line, "]") - strings.Count(line, "}")
			lines++
		}
	}
	if lines < 1000 {
		t.Errorf("%d lines", lines)
	}
}
