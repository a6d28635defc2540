package certificate_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
)

// longest is the size of a certificate, in bytes, above which it is not forged: shorter ones of its kind are changed
// where it matters.
const longest = 20_000

// Certificates of every kind with one digit, sign, place, bound or key changed, and the digest made anew, are
// rejected, or say what is true all the same: then the workbench computes from the statement alone what they say.
func TestForgery(t *testing.T) {
	forgeries := cases.Of(150, 1000)
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(27, 2))
	originals := certificate.Originals(t)
	keep := func(text []byte) { kind := kindOf(t, text); originals[kind] = append(originals[kind], text) }
	someNumbers(t, rng, 3, func(name string, n evidence.Number) {
		f := must.For(certificate.Of(context.Background(), n))(t)
		keep(must.For(f.Encode(name))(t))
	})
	for _, name := range must.For(filepath.Glob("ledger/*.json"))(t) {
		keep(must.For(os.ReadFile(name))(t))
	}
	kinds := slices.Sorted(maps.Keys(originals))
	for kind := range truths {
		if originals[kind] == nil {
			t.Errorf("%s: nothing to forge", kind)
		}
	}
	if len(kinds) != len(truths) {
		t.Fatalf("%d kinds are forged, and %d can be judged: %q", len(kinds), len(truths), kinds)
	}
	for _, kind := range kinds {
		short := slices.DeleteFunc(originals[kind], func(text []byte) bool { return len(text) > longest })
		slices.SortFunc(short, func(a, b []byte) int { return cmp.Or(cmp.Compare(len(a), len(b)), bytes.Compare(a, b)) })
		originals[kind] = short
	}
	type forgery struct{ kind, how string }
	var files []string
	of := make(map[string]forgery)
	for i := range forgeries {
		kind := kinds[i%len(kinds)]
		forged, how := forge(t, rng, originals[kind][rng.IntN(len(originals[kind]))])
		file := filepath.Join(dir, fmt.Sprintf("forged_%d.json", i))
		if err := os.WriteFile(file, forged, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		of[file] = forgery{kind, how}
	}
	said := certificate.Checker(t, files)
	type count struct{ all, accepted, untrue int }
	counts, accepted := make(map[string]*count), 0
	for _, kind := range kinds {
		counts[kind] = new(count)
	}
	for _, file := range files {
		kind, how := of[file].kind, of[file].how
		c := counts[kind]
		c.all++
		if strings.HasPrefix(said[file], "rejected: ") {
			if strings.Contains(said[file], "cannot be checked") {
				t.Errorf("%s: %s: %s", kind, how, said[file])
			}
			continue
		}
		c.accepted++
		accepted++
		text := must.For(os.ReadFile(file))(t)
		if err := holds(text); err != nil {
			c.untrue++
			t.Errorf("%s: %s: %.300s, but %v\n%.3000s", kind, how, said[file], err, text)
		}
	}
	for _, kind := range kinds {
		c := counts[kind]
		t.Logf("%-18s %4d forged, %3d accepted and true, %d accepted and not", kind, c.all, c.accepted-c.untrue, c.untrue)
	}
	if accepted > forgeries/3 {
		t.Errorf("%d of %d forgeries are accepted", accepted, forgeries)
	}
}

// Originals are true, and false where their number is another.
func TestTruths(t *testing.T) {
	originals := certificate.Originals(t)
	someNumbers(t, rand.New(rand.NewPCG(27, 4)), 1, func(name string, n evidence.Number) {
		text := must.For(must.For(certificate.Of(context.Background(), n))(t).Encode(name))(t)
		originals[kindOf(t, text)] = append(originals[kindOf(t, text)], text)
	})
	for _, name := range must.For(filepath.Glob("ledger/*.json"))(t) {
		text := must.For(os.ReadFile(name))(t)
		originals[kindOf(t, text)] = append(originals[kindOf(t, text)], text)
	}
	for kind, all := range originals {
		untrue := 0
		for i, text := range all {
			if i%(1+len(all)/4) != 0 || len(text) > longest {
				continue
			}
			if err := holds(text); err != nil {
				t.Errorf("%s: %v\n%.2000s", kind, err, text)
			}
			file := decoded(t, text)
			statement := file["statement"].(map[string]any)
			if is, number := statement["is"].(map[string]any); number && is["hi"] != "inf" {
				for _, key := range []string{"equal", "hi"} {
					if v, given := is[key].(string); given {
						more := new(big.Rat).Add(rat(v), big.NewRat(1, 1_000_000))
						more.Mul(more, big.NewRat(1_000_001, 1_000_000))
						statement["is"] = map[string]any{"lo": more.RatString(), "hi": new(big.Rat).Add(more, big.NewRat(1, 1)).RatString()}
					}
				}
				if v, given := is["ln"].(string); given {
					statement["is"] = map[string]any{"ln": new(big.Rat).Mul(rat(v), big.NewRat(1_000_001, 1_000_000)).RatString()}
				}
				if holds(ascii(file)) == nil {
					t.Errorf("%s: it holds with another number\n%.2000s", kind, ascii(file))
				}
				untrue++
			}
		}
		if !slices.Contains([]string{"comparison", "layers", "migration", "universe", "refutation", "program"}, kind) && untrue == 0 {
			t.Errorf("%s: no number is another", kind)
		}
	}
}

// decoded returns a certificate with its numbers as they are written.
func decoded(t testing.TB, text []byte) (file map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file
}

// kindOf returns the kind of a certificate.
func kindOf(t testing.TB, text []byte) string {
	t.Helper()
	var file struct{ Statement struct{ Kind string } }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Statement.Kind
}

// forge changes a certificate in one place of its statement or proof, and says how.
func forge(t testing.TB, rng *rand.Rand, text []byte) (forged []byte, how string) {
	t.Helper()
	file := decoded(t, text)
	for how == "" {
		part := []string{"statement", "statement", "proof"}[rng.IntN(3)]
		file[part], how = change(rng, part, file[part])
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

// change returns a value, or one that it holds, changed, and says how; where nothing changes it says "". A key is as
// likely as another, however much stands under it.
func change(rng *rand.Rand, path string, v any) (changed any, how string) {
	switch v := v.(type) {
	case string:
		changed := misspelt(rng, v)
		if changed == v {
			return v, ""
		}
		return changed, fmt.Sprintf("%s: %.60s for %.60s", path, changed, v)
	case json.Number:
		n, _ := v.Int64()
		n += []int64{-1, 1, -2, 7, -n, -2 * n}[rng.IntN(6)]
		changed := json.Number(strconv.FormatInt(n, 10))
		if changed == v {
			return v, ""
		}
		return changed, fmt.Sprintf("%s: %s for %s", path, changed, v)
	case nil:
		return json.Number(strconv.Itoa(rng.IntN(3))), path + ": a number for null"
	case []any:
		if len(v) == 0 {
			return []any{json.Number("0")}, path + ": 0 in an empty list"
		}
		i, j := rng.IntN(len(v)), rng.IntN(len(v))
		switch rng.IntN(12) {
		case 0:
			if bytes.Equal(ascii(v[i]), ascii(v[j])) {
				return v, ""
			}
			v[i], v[j] = v[j], v[i]
			return v, fmt.Sprintf("%s: entries %d and %d swapped", path, i, j)
		case 1:
			return slices.Delete(v, i, i+1), fmt.Sprintf("%s: without entry %d", path, i)
		case 2:
			return append(v, v[i]), fmt.Sprintf("%s: entry %d twice", path, i)
		}
		v[i], how = change(rng, fmt.Sprintf("%s[%d]", path, i), v[i])
		return v, how
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 {
			return v, ""
		}
		key, other := keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))]
		switch rng.IntN(12) {
		case 0:
			x := v[key]
			delete(v, key)
			if rng.IntN(2) == 0 {
				v[misspelt(rng, key)] = x
			}
			if _, same := v[key]; same {
				return v, ""
			}
			return v, path + ": no " + key
		case 1:
			if bytes.Equal(ascii(v[key]), ascii(v[other])) {
				return v, ""
			}
			v[key], v[other] = v[other], v[key]
			return v, fmt.Sprintf("%s: %s for %s", path, other, key)
		}
		v[key], how = change(rng, path+"."+key, v[key])
		return v, how
	}
	return v, ""
}

// misspelt changes a digit, a sign or a letter of a text: a digit where it has one, more often than not.
func misspelt(rng *rand.Rand, s string) string {
	if s == "" {
		return "0"
	}
	i := rng.IntN(len(s))
	if digits := "0123456789"; rng.IntN(2) == 0 {
		for range len(s) {
			if strings.IndexByte(digits, s[i]) >= 0 {
				break
			}
			i = (i + 1) % len(s)
		}
	}
	switch rng.IntN(8) {
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

// mark stands where a text is to have what no value is.
const mark = "@here@"

// Files of every kind that are cut short, or have a number of 10^6 digits, brackets a million deep, a key twice or
// what is no number are rejected in one line.
func TestHostileFiles(t *testing.T) {
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(27, 3))
	originals := certificate.Originals(t)
	refutation := must.For(os.ReadFile("ledger/xor.theorem3.json"))(t)
	originals[kindOf(t, refutation)] = [][]byte{refutation}
	var files []string
	save := func(name string, text []byte) {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	long := strings.Repeat("9", 1_000_000)
	brackets := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	values := map[string]string{"digits": long, "quotient": "1/" + long, "power": "3*2^" + long, "dyadic": long + "*2^-3", "minus": "-" + long}
	texts := map[string]string{
		"whole": long, "nan": "NaN", "infinity": "-Infinity", "fraction": "0.5", "deep": brackets(1_000_000), "shallow": brackets(500), "object": strings.Repeat(`{"a":`, 100_000),
	}
	for k, kind := range slices.Sorted(maps.Keys(originals)) { // every second of them for a kind
		text := slices.MinFunc(originals[kind], func(a, b []byte) int { return len(a) - len(b) })
		with := func(what string, value any, as string) {
			file := decoded(t, text)
			statement := file["statement"].(map[string]any)
			if value == nil { // a key twice
				keys := slices.Sorted(maps.Keys(statement))
				key := keys[rng.IntN(len(keys))]
				statement[mark], as = statement[key], `"`+key+`"`
			} else {
				all := leaves(statement)
				all[rng.IntN(len(all))](value)
			}
			sum := sha256.Sum256(ascii(file["statement"]))
			file["sha256"] = hex.EncodeToString(sum[:])
			save(fmt.Sprintf("%s_%s.json", strings.ReplaceAll(kind, " ", "_"), what), bytes.Replace(ascii(file), []byte(`"`+mark+`"`), []byte(as), 1))
		}
		for i, what := range slices.Sorted(maps.Keys(values)) {
			if i%2 == k%2 {
				with(what, values[what], "")
			}
		}
		for i, what := range slices.Sorted(maps.Keys(texts)) {
			if i%2 == k%2 {
				with(what, mark, texts[what])
			}
		}
		with("twice", nil, "")
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		must.For(z.Write(text))(t)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		save(strings.ReplaceAll(kind, " ", "_")+"_cut.json.gz", packed.Bytes()[:rng.IntN(packed.Len())])
		save(strings.ReplaceAll(kind, " ", "_")+"_cut.json", text[:rng.IntN(len(text)-2)])
	}
	for file, said := range certificate.Checker(t, files) {
		if !strings.HasPrefix(said, "rejected: ") || strings.Contains(said, "cannot be checked") || len(said) > 1000 {
			t.Errorf("%s: %.300s", filepath.Base(file), said)
		}
	}
	t.Logf("%d files", len(files))
}

// leaves returns what sets each text and number that a value holds, but for words to the reader.
func leaves(v any) (set []func(any)) {
	each := func(x any, to func(any)) {
		switch x.(type) {
		case string, json.Number:
			set = append(set, to)
		default:
			set = append(set, leaves(x)...)
		}
	}
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			each(x, func(y any) { v[i] = y })
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains([]string{"kind", "name", "claim", "says"}, key) {
				each(v[key], func(y any) { v[key] = y })
			}
		}
	}
	return set
}
