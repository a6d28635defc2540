package redact_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/internal/redact"
)

// word returns a random password of unusual characters that is in no other text.
func word(rng *rand.Rand, length int) string {
	const odd = "aZ09!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ éλ"
	letters := []rune(odd)
	out := []rune{'Q'}
	for len(out) < length {
		out = append(out, letters[rng.IntN(len(letters))])
	}
	return string(append(out, 'J'))
}

// leaks returns five consecutive characters of the password that text contains, in any encoding, or "".
func leaks(text, password string) string {
	written := strconv.Quote(password)
	for _, form := range []string{password, url.PathEscape(password), url.QueryEscape(password), written[1 : len(written)-1]} {
		for i := 0; i+5 <= len(form); i++ {
			if strings.Contains(text, form[i:i+5]) {
				return form[i : i+5]
			}
		}
	}
	return ""
}

// No five consecutive characters of a password remain in a redacted location: in messages, in source on one line or
// several, and anywhere once the password is known.
func TestTextRemovesPasswords(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	for range 100 {
		p := word(rng, 9+rng.IntN(12))
		for _, location := range []string{
			"postgresql://user:" + p + "@host/db", "postgres://user:" + url.PathEscape(p) + "@host:5432/db?sslmode=require", "mysql+driver://user:" + url.QueryEscape(p) + "@host/db",
			"redis://:" + url.PathEscape(p) + "@host", "postgres:user:" + p + "@host/db", "user:" + url.PathEscape(p) + "@tcp(host:3306)/db",
			"postgres://user@host/db?password=" + url.QueryEscape(p), "postgres:///db?sslmode=disable&sslpassword=" + p, "host=h user=u password='" + strings.ReplaceAll(p, "'", `\'`) + "' dbname=d",
			"host=h PASSWD = " + p, `{"password": ` + strconv.Quote(p) + "}", "postgres://user:" + strings.ReplaceAll(p, "@", ""),
		} {
			quoted := strconv.Quote(location)
			for _, text := range []string{location, "error: " + location, "study(\"s\", storage=" + quoted + ", seed=1)", "x = " + location + ", want a path\nno such host\n"} {
				got := redact.Text(text)
				if left := leaks(got, p); left != "" {
					t.Fatalf("%q of the password %q remains in %q", left, p, got)
				}
				if again := redact.Text(got); again != got {
					t.Fatalf("redacting %q again gives %q", got, again)
				}
			}
			encoded, _ := json.Marshal(map[string]string{"a": location, "b": "c"})
			var back map[string]string
			if got := redact.JSON(string(encoded)); json.Unmarshal([]byte(got), &back) != nil || back["b"] != "c" || leaks(back["a"], p) != "" {
				t.Fatalf("redacted JSON: %s", got)
			}
		}
		lines := []string{`s = study("a",`, `  storage="postgresql://user:" +`, "  " + strconv.Quote(p) + " +", `  "@host/db")`, "print(1)"}
		if got := redact.Lines(lines); leaks(strings.Join(got, "\n"), p) != "" || len(got) != len(lines) || got[4] != lines[4] {
			t.Fatalf("redacted lines: %q", got)
		}
	}
	for i := range 60 {
		p := word(rng, 12)
		redact.Keep([]string{"postgres://u:" + url.PathEscape(p) + "@h/d", "postgres://u@h/d?p%61ssword=" + url.QueryEscape(p), "u:" + p + "@h"}[i%3])
		for _, form := range []string{p, url.PathEscape(p), url.QueryEscape(p), strconv.Quote(p)} {
			if got := redact.Text("it is " + form + "."); leaks(got, p) != "" {
				t.Fatalf("a known password remains in %q", got)
			}
		}
	}
}

// Text without a password is unchanged.
func TestTextKeepsOtherText(t *testing.T) {
	for _, text := range []string{
		"", "a.star:12:3: in f", "m = purest(graphs(4).count(\"triangle\"), ln(2))", "https://doi.org/10.1145/1: a paper @ 2020", "http://127.0.0.1:8080/?token=0a1b",
		"postgres://user@host:5432/db", "postgres://user:password@host/database, or mysql://user:password@host:port/database", "storage = \"postgres://…\", want a path",
		"password authentication failed for user \"u\"", "Access denied for user 'u'@'h' (using password: YES)", "postgres://u:xxxxx@h/d and a@b", "who@example.org: 3:4",
	} {
		if got := redact.Text(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if got := redact.Lines([]string{text, "a@b"}); got[0] != text || got[1] != "a@b" {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
