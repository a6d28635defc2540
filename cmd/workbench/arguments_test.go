package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"dpworkbench/internal/data"
	"dpworkbench/internal/version"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// output returns a buffer that collects what commands of this process print until the test ends.
func output(t *testing.T) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	before := stdout
	stdout = &stream{name: "standard output", out: &b}
	t.Cleanup(func() { stdout = before })
	return &b
}

// stderrOf returns what f prints on standard error.
func stderrOf(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before := os.Stderr
	os.Stderr = file
	f()
	os.Stderr = before
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// invoke runs a command in this process.
func invoke(args ...string) error {
	c := newCommand()
	c.SetArgs(append([]string{}, args...)) // nil means the arguments of the process
	c.SetOut(io.Discard)
	c.SetErr(io.Discard)
	return c.Execute()
}

// A usage error differs from a failure, and is found before anything runs.
func TestCommandsRefuseWrongUsage(t *testing.T) {
	b := output(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.star", []byte("x = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"study run a.star --trials -1", "study run a.star --total -1", "study run a.star --workers -1", "study run a.star --sampler bayes",
		"study export s.db a --format xml",
		"run a.star --shard 0/2", "run a.star a.star --out d", "run a.star --out d --json", "run a.star --set a", "run a.star --set =a", "run a.star --watch -",
		"run --watch -", "--data . version", "--seed 1 merge .", "--memory 1G version",
	} {
		err := invoke(strings.Fields(line)...)
		var failed *failure
		if err == nil || errors.As(err, &failed) || !strings.Contains(err.Error(), "usage") && !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", line, err)
		}
	}
	for line, want := range map[string]string{
		"run a.star --time -1s":                "--time = -1s, want a time such as 10s, or 0 for no limit",
		"--memory much run a.star":             "--memory = ",
		"claims --budget 1.5":                  `--budget = "1.5", want a number of instances from 0 to 1e9, or a time above 0 such as 60s`,
		"study show s.db":                      "storage s.db: no such file",
		"study show s.db a":                    "storage s.db: no such file",
		"study export s.db a":                  "storage s.db: no such file",
		"run a.star --shard 0/2 --out d":       "a.star has no sweep, so there is nothing to write to d",
		"run a.star --out d":                   "a.star has no sweep, so there is nothing to write to d",
		"study run a.star --trials 1":          "a.star: no script made a study",
		"run a.star --json":                    "defines no result",
		"notebook none.star":                   "none.star",
		"kernel install --prefix p":            "go run deletes this binary",
		"reference --out none/r.md":            "none",
		"notebook a.star --out none/a.ipynb":   "none",
		"run a.star none.star":                 "none.star",
		"fmt none.star":                        "none.star",
		"merge none":                           "none",
		"data nonsense":                        "unknown data set",
		"claims --paper nonsense":              "want one of",
		"claims --id xor.theorem1 --paper mvg": "is no claim of the paper",
	} {
		if want == "go run deletes this binary" {
			if path, err := os.Executable(); err != nil || !strings.Contains(path, "go-build") {
				continue
			}
		}
		if err := invoke(strings.Fields(line)...); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, errUsage) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	if b.Len() > 0 {
		t.Errorf("usage errors printed %s", b)
	}
}

// A shard is given by its index and the number of shards.
func TestShardFlags(t *testing.T) {
	for text, want := range map[string]repl.Shard{"0/1": {Index: 0, Count: 1}, "0/3": {Index: 0, Count: 3}, "2/3": {Index: 2, Count: 3}, "1048575/1048576": {Index: 1<<20 - 1, Count: 1 << 20}, "": {Index: 0, Count: 1}} {
		got, err := parseShard(options{shard: text, out: "d"}, []string{"a"})
		if err != nil || got.Index != want.Index || got.Count != want.Count {
			t.Errorf("%q: %v (%v)", text, got, err)
		}
	}
	for _, text := range []string{"3/3", "-1/3", "0/0", "1", "1/", "/1", "a/3", "0/b", "0/1048577", "-1/-1", "0/-1", "1/2/3"} {
		if got, err := parseShard(options{shard: text, out: "d"}, []string{"a"}); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v (%v)", text, got, err)
		}
	}
	if got, err := parseShard(options{}, []string{"a", "b"}); got != nil || err != nil {
		t.Errorf("no flag: %v, %v", got, err)
	}
	for _, o := range []options{{shard: "0/2"}, {out: "d", json: true}} {
		if _, err := parseShard(o, []string{"a"}); !errors.Is(err, errUsage) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, files := range [][]string{nil, {"a", "b"}} {
		if _, err := parseShard(options{out: "d"}, files); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v", files, err)
		}
	}
}

// The version text is the module's version, followed by twelve digits of the revision and a note if files were
// modified.
func TestVersions(t *testing.T) {
	for _, test := range []struct{ version, revision, modified, want string }{
		{"v1.2.3", "", "", "v1.2.3"}, {"", "", "", "devel"}, {"(devel)", "", "true", "devel"},
		{"v1.2.3", "0123456789abcdef", "false", "v1.2.3 (0123456789ab)"}, {"(devel)", "0123456789abcdef", "true", "devel (0123456789ab, modified)"}, {"", "0123", "", "devel (0123)"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: test.version}}
		for key, value := range map[string]string{"vcs.revision": test.revision, "vcs.modified": test.modified, "vcs": "true"} {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
		}
		if got := version.Of(info); got != test.want {
			t.Errorf("%+v is %q", test, got)
		}
	}
	b := output(t)
	if err := invoke("version"); err != nil || b.String() != "workbench "+version.Text()+"\n" {
		t.Errorf("%q (%v)", b, err)
	}
}

// A data set is absent, altered or present, and only a present one can be used.
func TestStateOfDataSet(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	digest := sha256.Sum256([]byte("1 2\n"))
	set := data.Set{Path: "graphs/a.txt", SHA256: hex.EncodeToString(digest[:])}
	dirs := []string{first, second}
	check := func(want string, fit bool) {
		t.Helper()
		if got, ok := stateOf(set, dirs); got != want || ok != fit {
			t.Errorf("the state is %q, usable %t, want %q", got, ok, want)
		}
	}
	check("absent", false)
	path := filepath.Join(second, "graphs", "a.txt")
	write := func(text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("1 3\n")
	check("altered: "+path, false)
	write("1 2\n")
	check(path, true)
	set.SHA256 = "" // a set without a recorded digest
	check("not compared: "+path, true)
	set.SHA256 = hex.EncodeToString(digest[:])
	if os.Geteuid() != 0 { // root may read every file
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		_, err := os.Open(path)
		check(err.Error(), false)
	}
	b := output(t)
	sets := data.Sets()
	if err := listData(dirs, nil); err != nil { // an absent set is an error only if it is named
		t.Error(err)
	}
	text := b.String()
	if !strings.HasPrefix(text, "folders: "+first+", "+second+"\n") || strings.Count(text, "(absent)") != len(sets) {
		t.Errorf("the data sets are\n%s", text)
	}
	for _, s := range sets {
		if !strings.Contains(text, fmt.Sprintf("\n%s: %s\n  file     %s (absent)\n  source   %s\n  licence  %s\n  sha256   %s\n", s.Name, s.Description, s.Path, s.Source, s.Licence, cmp.Or(s.SHA256, "none registered: any file is accepted"))) {
			t.Errorf("%s is not described", s.Name)
		}
		if s.Way() != "" && !strings.Contains(text, "\n  get      "+s.Way()+"\n") {
			t.Errorf("the list does not say how to get %s", s.Name)
		}
	}
	b.Reset()
	var failed *failure
	if err := listData(dirs, []string{sets[0].Name, sets[1].Name}); !errors.As(err, &failed) || err.Error() != "2 of 2 data sets are absent or altered" || strings.Count(b.String(), "sha256") != 2 {
		t.Errorf("two absent sets: %v\n%s", err, b)
	}
}

// Standard error ends with the command's message. The exit status distinguishes a usage error, a failure, a script's
// own status and a signal.
func TestStatuses(t *testing.T) {
	_, missing := os.Open(filepath.Join(t.TempDir(), "none"))
	for _, test := range []struct {
		err    error
		status int
		said   string
	}{
		{nil, 0, ""},
		{&script.Exit{Status: 7}, 7, ""},
		{fmt.Errorf("a: %w", &script.Exit{Status: 0}), 0, ""},
		{fmt.Errorf("run: %w", &failure{errors.New("full disk")}), 1, "workbench: full disk\n"},
		{fmt.Errorf("%w: --a", errUsage), 2, "workbench: usage: --a\nTry: workbench --help\n"},
		{missing, 2, "workbench: " + missing.Error() + "\n"},
	} {
		status := -1
		if said := stderrOf(t, func() { status = report(test.err) }); status != test.status || said != test.said {
			t.Errorf("%v: status %d, printed %q", test.err, status, said)
		}
	}
	if !errors.Is(&failure{fs.ErrExist}, fs.ErrExist) || (&failure{fs.ErrExist}).Error() != fs.ErrExist.Error() {
		t.Error("a failure hides its error")
	}
	cause := errors.New("half done")
	for signal, want := range map[os.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, otherSignal{}: 1} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(fmt.Errorf("stopped: %w", &signaled{signal}))
		var cut *stopped
		if err := cutShort(ctx, cause); !errors.As(err, &cut) || cut.status() != want || !errors.Is(err, cause) || err.Error() != cause.Error() {
			t.Errorf("%v: %v", signal, err)
		}
		if err := cutShort(ctx, nil); err != nil {
			t.Errorf("%v: without a failure the error is %v", signal, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cutShort(ctx, cause); err != cause {
		t.Errorf("without a signal the error is %v", err)
	}
	if text := (&signaled{syscall.SIGTERM}).Error(); text != "signal: terminated" {
		t.Error(text)
	}
}

type otherSignal struct{}

func (otherSignal) String() string { return "other" }
func (otherSignal) Signal()        {}

// A failed run of a watched script is reported: its back-trace, its exit, or the failed part.
func TestWatchedFailuresAreReported(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	s.Stdout = io.Discard
	_, failed := s.ExecScript(t.Context(), "a.star", "fail('no')\n")
	for _, test := range []struct {
		err  error
		want []string
	}{
		{nil, nil}, {failed, []string{"a.star:1:5", "fail: no"}}, {&script.Exit{Status: 3}, []string{"3"}}, {errors.New("full disk"), []string{"workbench: full disk\n"}},
	} {
		said := stderrOf(t, func() { tell(test.err) })
		for _, want := range test.want {
			if !strings.Contains(said, want) {
				t.Errorf("%v: printed %q", test.err, said)
			}
		}
		if test.want == nil && said != "" {
			t.Errorf("without a failure it printed %q", said)
		}
	}
}
