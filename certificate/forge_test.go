package certificate_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/evidence"
)

// Certificates with one digit, sign, place, bound or key changed, and the digest made anew, are rejected, or say what
// is true all the same: then the workbench computes from the statement alone what they say.
func TestForgery(t *testing.T) {
	forgeries := 250
	if text := os.Getenv("WORKBENCH_FORGERIES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("WORKBENCH_FORGERIES = %q, want a number", text)
		}
		forgeries = n
	}
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(27, 2))
	var originals []string
	someNumbers(t, rng, 6, func(name string, n evidence.Number) { originals = append(originals, save(t, dir, name+".json", n)) })
	var files []string
	what := make(map[string]string)
	for i := range forgeries {
		original := originals[rng.IntN(len(originals))]
		text, err := os.ReadFile(original)
		if err != nil {
			t.Fatal(err)
		}
		forged, how := forge(t, rng, text)
		file := filepath.Join(dir, fmt.Sprintf("forged_%d.json", i))
		if err := os.WriteFile(file, forged, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		what[file] = filepath.Base(original) + ": " + how
	}
	accepted := 0
	for file, said := range checker(t, files) {
		if strings.HasPrefix(said, "rejected: ") {
			if strings.Contains(said, "cannot be checked") {
				t.Errorf("%s: %s", what[file], said)
			}
			continue
		}
		accepted++
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := holds(text); err != nil {
			t.Errorf("%s: %s, but %v\n%.300s", what[file], said, err, text)
		}
	}
	t.Logf("%d of %d forgeries are true and accepted", accepted, forgeries)
	if accepted > forgeries/3 {
		t.Errorf("%d of %d forgeries are accepted", accepted, forgeries)
	}
}

// forge changes a certificate in one place of its statement or proof, and says how.
func forge(t testing.TB, rng *rand.Rand, text []byte) (forged []byte, how string) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var file map[string]any
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	for {
		part := []string{"statement", "proof"}[rng.IntN(2)]
		var sites []func() string
		visit(rng, part, file[part], func(v any) { file[part] = v }, &sites)
		if len(sites) == 0 {
			continue
		}
		if how = sites[rng.IntN(len(sites))](); how != "" {
			break
		}
	}
	sum := sha256.Sum256(ascii(file["statement"]))
	file["sha256"] = hex.EncodeToString(sum[:])
	return ascii(file), how
}

// ascii writes a value as it is hashed.
func ascii(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	var out []byte
	for _, r := range strings.TrimSpace(b.String()) {
		if r < 0x80 {
			out = append(out, byte(r))
		} else {
			out = append(out, strings.Trim(strconv.QuoteToASCII(string(r)), `"`)...)
		}
	}
	return out
}

// visit lists the changes of a value and of what it holds; one that changes nothing says "".
func visit(rng *rand.Rand, path string, v any, set func(any), sites *[]func() string) {
	add := func(f func() (any, string)) {
		*sites = append(*sites, func() string {
			changed, how := f()
			set(changed)
			return how
		})
	}
	switch v := v.(type) {
	case string:
		for range 3 {
			add(func() (any, string) {
				changed := misspelt(rng, v)
				if changed == v {
					return v, ""
				}
				return changed, fmt.Sprintf("%s: %.60s for %.60s", path, changed, v)
			})
		}
	case json.Number:
		add(func() (any, string) {
			n, _ := v.Int64()
			n += []int64{-1, 1, -2, 7, -n}[rng.IntN(5)]
			changed := json.Number(strconv.FormatInt(n, 10))
			if changed == v {
				return v, ""
			}
			return changed, fmt.Sprintf("%s: %s for %s", path, changed, v)
		})
	case []any:
		for i, x := range v {
			visit(rng, fmt.Sprintf("%s[%d]", path, i), x, func(y any) { v[i] = y }, sites)
		}
		if len(v) > 0 {
			add(func() (any, string) {
				i, j := rng.IntN(len(v)), rng.IntN(len(v))
				if bytes.Equal(ascii(v[i]), ascii(v[j])) {
					return v, ""
				}
				v[i], v[j] = v[j], v[i]
				return v, fmt.Sprintf("%s: entries %d and %d swapped", path, i, j)
			})
			add(func() (any, string) {
				i := rng.IntN(len(v))
				return append(append([]any{}, v[:i]...), v[i+1:]...), fmt.Sprintf("%s: without entry %d", path, i)
			})
			add(func() (any, string) {
				i := rng.IntN(len(v))
				return append(append([]any{}, v...), v[i]), fmt.Sprintf("%s: entry %d twice", path, i)
			})
		}
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		for i, key := range keys {
			x := v[key]
			visit(rng, path+"."+key, x, func(y any) { v[key] = y }, sites)
			add(func() (any, string) {
				delete(v, key)
				if rng.IntN(2) == 0 {
					v[misspelt(rng, key)] = x
				}
				if _, same := v[key]; same {
					return v, ""
				}
				return v, path + ": no " + key
			})
			for _, other := range keys[:i] {
				y := v[other]
				add(func() (any, string) {
					if bytes.Equal(ascii(x), ascii(y)) {
						return v, ""
					}
					v[key], v[other] = y, x
					return v, fmt.Sprintf("%s: %s for %s", path, other, key)
				})
			}
		}
	}
}

// misspelt changes a digit, a sign or a letter of a text.
func misspelt(rng *rand.Rand, s string) string {
	if s == "" {
		return "0"
	}
	switch i := rng.IntN(len(s)); rng.IntN(6) {
	case 0:
		if over, under, ok := strings.Cut(s, "/"); ok {
			return under + "/" + over
		}
		return "-" + s
	case 1:
		return []string{"inf", "0", "1", "1/2", "2*2^-1", "1e3", "nan"}[rng.IntN(7)]
	case 2:
		return s[:i] + s[i+1:]
	default:
		c := byte('0' + rng.IntN(10))
		if s[i] < '0' || s[i] > '9' {
			c = byte('a' + rng.IntN(26))
		}
		return s[:i] + string(c) + s[i+1:]
	}
}
