// Package redact removes passwords from text that leaves the process: messages, lines of source, expressions in
// provenance, and printed output.
package redact

import (
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// mask replaces a password, as in package net/url.
const mask = "xxxxx"

// Text returns text with passwords masked: in URLs (scheme://user:password@host), in locations without a scheme,
// after password=, passwd= and pwd= up to the end of the line, and those passed to Keep. If the extent of a
// password is unclear, more is masked. The word "password" itself counts as a placeholder and stays.
func Text(text string) string {
	if r := known.replacer.Load(); r != nil {
		text = r.Replace(text)
	}
	if lower := strings.ToLower(text); !strings.Contains(text, "://") && !strings.Contains(text, "@") && !strings.Contains(lower, "passw") && !strings.Contains(lower, "pwd") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = redacted(line)
	}
	return strings.Join(lines, "")
}

// Lines is Text for lines of source. A URL may span several lines.
func Lines(lines []string) []string {
	out := slices.Clone(lines)
	const most = 4 // largest number of lines of a URL
	for i := 0; i < len(out); i++ {
		open := dangling.MatchString(lines[i])
		out[i] = Text(lines[i])
		if !open || strings.Contains(lines[i], "@") {
			continue
		}
		following := lines[i+1 : min(len(lines), i+1+most)]
		end := -1 // the last of these lines with an @
		for j, line := range following {
			if strings.Contains(line, "@") {
				end = j
			}
		}
		for range end + 1 {
			i++
			out[i] = mask
		}
		if end >= 0 {
			out[i] += Text(lines[i][strings.LastIndexByte(lines[i], '@'):])
		}
	}
	return out
}

// JSON applies Text to every string in a JSON text.
func JSON(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(s string) string {
		var plain string
		if json.Unmarshal([]byte(s), &plain) != nil || Text(plain) == plain {
			return s
		}
		written, _ := json.Marshal(Text(plain)) // encoding a string never fails
		return string(written)
	})
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// redacted masks the passwords of a line. It handles the parts separately, since the text after ", want " in an error
// is not part of the value.
func redacted(line string) string {
	parts := strings.Split(placeholders.Replace(line), ", want ")
	for i, part := range parts {
		parts[i] = keyed.ReplaceAllString(bare.ReplaceAllString(inURL(part), "${1}:"+mask+"${2}"), "${1}"+mask)
	}
	return restored.Replace(strings.Join(parts, ", want "))
}

// Placeholders are not passwords, and a mask is not masked again. Private-use characters stand for both meanwhile.
var (
	placeholders = strings.NewReplacer(":password@", "\ue000", ":"+mask+"@", "\ue001")
	restored     = strings.NewReplacer("\ue000", ":password@", "\ue001", ":"+mask+"@")
)

// opened matches a name and a colon that is not followed by a port number.
const opened = "://[^\\s:@/?#\"'\ue000\ue001]*:(?:[^0-9\\s]|[0-9]+[^0-9/?#\\s\"')\\],…])"

const key = `[\w.-]*(?:password|passwd|pwd|passphrase)`

var (
	scheme   = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://|\b(?:postgres|postgresql|mysql|mariadb)(?:\+\w+)?:`)
	bare     = regexp.MustCompile(`([\s"'(=][\w.%+-]+|^[\w.%+-]+):[^\s"'/]+(@[\w.:()\[\]-]+/)`)
	keyed    = regexp.MustCompile(`(?i)(` + key + `(?:\s*=\s*|\\*["']\s*:\s*|\s*:\s*["'])).+`)
	dangling = regexp.MustCompile(opened)
	cut      = regexp.MustCompile("^" + opened)
)

// inURL masks the text between the first colon after a scheme and the last @. Without an @, as in a truncated URL
// or one concatenated from parts, it masks everything after the colon.
func inURL(part string) string {
	for from := 0; ; {
		at := scheme.FindStringIndex(part[from:])
		if at == nil {
			return part
		}
		begin := from + at[1]
		rest := part[begin:]
		from = begin
		colon, host := strings.IndexByte(rest, ':'), strings.LastIndexByte(rest, '@')
		switch {
		case colon < 0 || strings.HasPrefix(rest, " "):
		case host > colon && (database.MatchString(part[:begin]) || !strings.ContainsAny(rest[:colon], " \t\"'/?#")):
			return part[:begin+colon+1] + mask + rest[host:]
		case host < colon && cut.MatchString("://"+rest):
			return part[:begin+colon+1] + mask
		}
	}
}

var database = regexp.MustCompile(`(?i)(?:postgres|postgresql|mysql|mariadb)(?:\+\w+)?:(?://)?$`)

// known holds the passwords passed to Keep, in all their encodings.
var known struct {
	sync.Mutex
	forms    []string
	replacer atomic.Pointer[strings.Replacer]
}

// shortest is the least length of passwords that are replaced anywhere in text. Shorter ones occur in ordinary words.
const shortest = 6

// Keep remembers the passwords of a data location, so that Text also finds them alone.
func Keep(location string) {
	rest := location
	if _, after, ok := strings.Cut(location, "://"); ok {
		rest = after
	}
	var found []string
	if colon, at := strings.IndexByte(rest, ':'), strings.LastIndexByte(rest, '@'); colon >= 0 && at > colon {
		found = append(found, rest[colon+1:at])
	}
	for _, m := range value.FindAllStringSubmatch(location, -1) {
		found = append(found, m[1], strings.Trim(m[1], `'"`))
	}
	if u, err := url.Parse(location); err == nil {
		password, _ := u.User.Password()
		found = append(found, password)
		for name, values := range u.Query() {
			if named.MatchString(name) {
				found = append(found, values...)
			}
		}
	}
	known.Lock()
	defer known.Unlock()
	for _, password := range found {
		for _, decode := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
			if plain, err := decode(password); err == nil {
				found = append(found, plain)
			}
		}
	}
	for _, password := range found {
		if len(password) < shortest || password == "password" || password == "postgres" {
			continue
		}
		_, user, _ := strings.Cut(url.UserPassword("", password).String(), ":")
		written := strconv.Quote(password)
		for _, form := range []string{password, url.PathEscape(password), url.QueryEscape(password), user, written[1 : len(written)-1], html.EscapeString(password)} {
			if !slices.Contains(known.forms, form) {
				known.forms = append(known.forms, form)
			}
		}
	}
	slices.SortFunc(known.forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, form := range known.forms {
		pairs = append(pairs, form, mask)
	}
	if pairs != nil {
		known.replacer.Store(strings.NewReplacer(pairs...))
	}
}

var (
	value = regexp.MustCompile(`(?i)` + key + `\s*=\s*('(?:[^'\\]|\\.)*'|[^\s&]+)`)
	named = regexp.MustCompile(`(?i)` + key)
)
