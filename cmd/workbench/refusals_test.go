package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/internal/must"
	"dpworkbench/repl"
	"dpworkbench/study"

	"github.com/glebarez/sqlite"
)

// folder returns a folder with files of the given contents. A name that ends in a slash is a folder.
func folder(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			must.For(path, os.MkdirAll(path, 0o755))(t)
			continue
		}
		must.For(path, os.MkdirAll(filepath.Dir(path), 0o755))(t)
		must.For(path, os.WriteFile(path, []byte(text), 0o644))(t)
	}
	return dir
}

// A failed write returns an error that names the file, and the command fails.
func TestCommandsThatCannotWrite(t *testing.T) {
	output(t)
	dir := folder(t, map[string]string{
		"s.star": "print(purest(graphs(3).count(\"edge\"), ln(2)).smallest_epsilon)", "bad.star": "def", "file": "", "out/001.json/": "", "one/man1": "", "pages/README.md/": "",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"certify", at("s.star"), "-o", at("out")}, "001.json: it is a folder"},
		{[]string{"certify", at("s.star"), "-o", at("file/below")}, "not a directory"},
		{[]string{"man", at("one")}, "man1"},
		{[]string{"reference", "--pages", at("file/below")}, "not a directory"},
		{[]string{"reference", "--pages", at("pages")}, "README.md: it is a folder"},
		{[]string{"notebook", at("none.star")}, "none.star"},
		{[]string{"notebook", at("bad.star")}, "bad.star"},
	} {
		err := invoke(c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
		stderrOf(t, func() {
			if report(err) == 0 {
				t.Errorf("%q: %v has exit status 0", c.args, err)
			}
		})
	}
}

// Installation fails if the working folder is gone, the target is not a folder, or there is no home.
func TestInstallErrors(t *testing.T) {
	gone := t.TempDir()
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Skip("a folder in use cannot be removed: ", err)
	}
	if _, err := filepath.Abs("x"); err == nil {
		t.Skip("a removed folder still has a name here")
	}
	for _, c := range []struct {
		o      options
		prefix string
	}{{options{}, "here"}, {options{data: "here"}, t.TempDir()}} {
		if err := installBinary("workbench", "python3", c.o, false, c.prefix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	must.For(0, os.WriteFile(file, nil, 0o644))(t)
	if err := installBinary("workbench", "python3", options{seed: 3}, false, file); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("with a file in place of the folder: %v", err)
	}
	for _, name := range []string{"HOME", "JUPYTER_DATA_DIR", "XDG_DATA_HOME", "APPDATA", "USERPROFILE", "home"} {
		t.Setenv(name, "")
	}
	if err := installBinary("workbench", "python3", options{}, true, ""); err == nil || !strings.Contains(err.Error(), "HOME") {
		t.Errorf("without a home: %v", err)
	}
}

// certifyClaims fails if the target is a file, or if a folder has the name of a certificate. It writes nothing once the
// context has ended.
func TestCertifyClaimsErrors(t *testing.T) {
	c, err := claims.Find("analytic.lemma1")
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Check(t.Context(), check.Run{Budget: 10})
	if err != nil {
		t.Fatal(err)
	}
	results := []claims.Result{{Claim: c, Outcome: out}}
	dir := folder(t, map[string]string{"file": "", "taken/analytic.lemma1.json/": "", "ended/": ""})
	for name, ctx := range map[string]context.Context{"file": t.Context(), "taken": t.Context(), "ended": ended()} {
		if err := certifyClaims(ctx, results, filepath.Join(dir, name)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "ended")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// Listing studies fails if the storage lacks any of its tables, and prints nothing. Showing a study fails if its
// storage is closed.
func TestStudiesWithMissingTables(t *testing.T) {
	printed := output(t)
	file := filepath.Join(t.TempDir(), "s.db")
	storage := must.For(study.Open(t.Context(), file, study.StorageOptions{Patience: time.Nanosecond}))(t)
	s := must.For(study.New(t.Context(), storage, "parabola", study.Options{Sampler: "random"}))(t)
	runTwelve(t, s)
	must.For(0, storage.Close())(t)
	if err := showStudy(t.Context(), s); err == nil {
		t.Error("showing a study with a closed storage gave no error")
	}
	content := must.For(os.ReadFile(file))(t)
	for _, table := range []string{"", "studies", "trials", "trial_params"} {
		must.For(0, os.WriteFile(file, content, 0o600))(t)
		storage := must.For(study.Open(t.Context(), file, study.StorageOptions{MustExist: true, Patience: time.Nanosecond}))(t)
		if table != "" {
			db := must.For(sql.Open(sqlite.DriverName, file))(t)
			must.For(db.Exec("DROP TABLE " + table))(t)
			must.For(0, db.Close())(t)
		}
		printed.Reset()
		if err := listStudies(t.Context(), storage); (err == nil) != (table == "") || (printed.Len() > 0) != (table == "") {
			t.Errorf("without the table %q the list of studies is %q, %v", table, printed, err)
		}
		must.For(0, storage.Close())(t)
	}
}

// A server that cannot start gives the reason: an invalid setting, a missing address, or input that is not a frame.
func TestServerStartErrors(t *testing.T) {
	dir := folder(t, map[string]string{"noise": "no frame at all", "none": ""})
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve"}, "usage"},
		{[]string{"serve", "--stdio", "--set", "a=1", "--set", "b"}, "usage"},
		{[]string{"reference", "--python", at("noise")}, "not a directory"},
		{[]string{"run", "--untrusted", at("gone/a.star")}, "gone"},
	} {
		if err := invoke(c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	for _, args := range [][]string{{"reference", "--python", at("python")}, {"study"}} {
		if err := invoke(args...); err != nil {
			t.Error(err)
		}
	}
	source, stubs, err := repl.NewSession().Python()
	must.For(0, err)(t)
	for name, want := range map[string]string{"_words.py": source, "_words.pyi": stubs} {
		if string(must.For(os.ReadFile(at("python/"+name)))(t)) != want {
			t.Errorf("%s does not print the vocabulary", name)
		}
	}
	before, out := os.Stdin, os.Stdout
	defer func() { os.Stdin, os.Stdout = before, out; signal.Reset(os.Interrupt) }()
	for name, want := range map[string]string{"noise": "EOF", "none": ""} {
		os.Stdin, os.Stdout = must.For(os.Open(at(name)))(t), must.For(os.Create(at("answer")))(t)
		err := invoke("serve", "--stdio")
		os.Stdin.Close()
		if got := must.For(os.ReadFile(at("answer")))(t); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || len(got) > 0 {
			t.Errorf("%s: %v, answered by %q", name, err, got)
		}
	}
	if _, _, err := readShard(at("gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A kernel is not installed without the program's path or a Python that can run it.
func TestInstallKernelErrors(t *testing.T) {
	output(t)
	dir := t.TempDir()
	var failed *failure
	if err := installKernel(nowhere("/bin/workbench"), "python3", options{}, false, dir); !errors.As(err, &failed) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	bare := filepath.Join(t.TempDir(), "bare")
	must.For(0, os.WriteFile(bare, []byte("#!/bin/sh\necho Traceback >&2\necho \"ModuleNotFoundError: No module named 'ipykernel'\" >&2\nexit 1\n"), 0o755))(t)
	for python, want := range map[string]string{"no-such-python": "--python = \"no-such-python\" does not run", bare: "(ModuleNotFoundError: No module named 'ipykernel'): in a checkout of the workbench, run " + bare + " -m pip install './python[jupyter]'"} {
		err := installKernel(func() (string, error) { return "/bin/workbench", nil }, python, options{}, false, dir)
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if left := listing(t, dir); left != dir {
		t.Errorf("installed\n%s", left)
	}
	if err := installBinary("/bin/workbench", "/bin/python3", options{}, false, dir); err != nil || listing(t, dir) == dir {
		t.Errorf("%v", err)
	}
}

// For each kind of output file of claims, an error names the path that cannot be written, because it is below a file or
// is a folder.
func TestClaimFilesThatCannotBeWritten(t *testing.T) {
	dir := folder(t, map[string]string{
		"file": "", "page/": "", "latex/xor.tex/": "", "errata/README.md/": "", "html/index.html/": "", "certificates/certificates": "",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for want, f := range map[string]claimsFlags{
		"page: it is a folder":          {page: at("page")},
		"xor.tex: it is a folder":       {latex: at("latex")},
		"README.md: it is a folder":     {errata: at("errata")},
		"index.html: it is a folder":    {html: at("html")},
		"certificates: not a directory": {html: at("certificates")},
	} {
		f.errata = cmp.Or(f.errata, at("written"))
		if err := writeClaimFiles(t.Context(), invented(), f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, f := range []claimsFlags{{latex: at("file")}, {errata: at("file/below")}, {html: at("file")}, {page: at("none/page.md")}} {
		if err := writeClaimFiles(t.Context(), invented(), f); err == nil {
			t.Errorf("%+v: no error", f)
		}
	}
	for _, files := range []map[string]string{nil, {"a": ""}} { // a folder is also created for no files
		if err := writeAll(at("file/below"), files); err == nil || !strings.Contains(err.Error(), "not a directory") {
			t.Errorf("%v with a file in place of the folder: %v", files, err)
		}
		if err := writePages("", func() map[string]string { return files }); err != nil {
			t.Errorf("%v in a missing folder: %v", files, err)
		}
	}
	if err := writeAll(at("all"), map[string]string{"a": "1", "b": "2"}); err != nil || listing(t, at("all")) != at("all")+"\n"+at("all/a")+"\n"+at("all/b") {
		t.Errorf("%v, %s", err, listing(t, at("all")))
	}
}

// A script that cannot be read is not run, formatted or converted to a notebook, from a file or from standard input.
func TestScriptsThatCannotBeRead(t *testing.T) {
	printed := output(t)
	dir := t.TempDir()
	before := os.Stdin
	defer func() { os.Stdin = before }()
	for _, command := range [][]string{{"run"}, {"fmt"}, {"notebook", "--out", filepath.Join(dir, "out")}, {"certify", "-o", dir}} {
		for _, file := range []string{"-", dir} {
			os.Stdin = must.For(os.Open(dir))(t)
			err := invoke(append(command, file)...)
			os.Stdin.Close()
			if err == nil || !strings.Contains(err.Error(), "is a directory") {
				t.Errorf("%s %s: %v", command, file, err)
			}
		}
	}
	if printed.Len() > 0 {
		t.Errorf("printed %q", printed)
	}
}

// An export to a full device is an error in both formats, however small the export is.
func TestExportsThatCannotBeWritten(t *testing.T) {
	s := twelveTrials(t)
	full := errors.New("full")
	for _, format := range []string{"csv", "json"} {
		if err := exportStudy(t.Context(), writerFunc(func([]byte) (int, error) { return 0, full }), s, format); !errors.Is(err, full) {
			t.Errorf("%s: %v", format, err)
		}
	}
}
