package notebook_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/repl/notebook"
)

// InstallKernel writes the specification where Jupyter looks for it. The specification holds the command that starts
// the kernel.
func TestInstallKernel(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]string{"JUPYTER_DATA_DIR": "", "XDG_DATA_HOME": "", "HOME": dir} {
		t.Setenv(name, value)
	}
	if got, err := notebook.DataDir(); err != nil || got != filepath.Join(dir, ".local", "share", "jupyter") && got != filepath.Join(dir, "Library", "Jupyter") {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	if got, err := notebook.DataDir(); err != nil || got != filepath.Join(dir, "data", "jupyter") && got != filepath.Join(dir, "Library", "Jupyter") {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("HOME", "")
	if got, err := notebook.DataDir(); err == nil {
		t.Errorf("without a home: %q", got)
	}
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(dir, "own"))
	if got, err := notebook.DataDir(); err != nil || got != filepath.Join(dir, "own") {
		t.Errorf("%q, %v", got, err)
	}
	like := filepath.Join(dir, "like")
	must.For(0, os.WriteFile(like, nil, 0o644))(t)
	for range 2 { // the second time the files exist
		at, err := notebook.InstallKernel(dir, "/bin/python3", "/bin/workbench", "--seed", "4")
		if err != nil || at != filepath.Join(dir, "kernels", "dpworkbench") {
			t.Fatal(at, err)
		}
		text := must.For(os.ReadFile(filepath.Join(at, "kernel.json")))(t)
		var spec map[string]any
		must.For(0, json.Unmarshal(text, &spec))(t)
		want := map[string]any{
			"argv":         []any{"/bin/python3", "-m", "dpworkbench.kernel", "-f", "{connection_file}", "--seed", "4"},
			"env":          map[string]any{"DPWORKBENCH_BINARY": "/bin/workbench", "PYTHONSAFEPATH": "1"},
			"display_name": "dpworkbench", "language": "starlark", "interrupt_mode": "signal", "metadata": map[string]any{"debugger": false},
		}
		if !reflect.DeepEqual(spec, want) || text[len(text)-1] != '\n' {
			t.Errorf("%s, want %v", text, want)
		}
		logo := must.For(os.ReadFile("logo.svg"))(t)
		if picture, err := os.ReadFile(filepath.Join(at, "logo-svg.svg")); err != nil || !slices.Equal(picture, logo) {
			t.Errorf("the logo has %d bytes, %v", len(picture), err)
		}
		for _, name := range []string{"kernel.json", "logo-svg.svg"} {
			if got, want := must.For(os.Stat(filepath.Join(at, name)))(t), must.For(os.Stat(like))(t); got.Mode() != want.Mode() {
				t.Errorf("%s has the mode %v, want %v", name, got.Mode(), want.Mode())
			}
		}
	}
	kernels := filepath.Join(dir, "kernels")
	must.For(0, os.RemoveAll(kernels))(t)
	must.For(0, os.WriteFile(kernels, nil, 0o600))(t)
	if at, err := notebook.InstallKernel(dir, "python3", "/bin/workbench"); err == nil || at != "" {
		t.Errorf("with a file in place of the folder: %q", at)
	}
	must.For(0, os.Remove(kernels))(t)
	must.For(0, os.MkdirAll(filepath.Join(kernels, "dpworkbench", "kernel.json", "x"), 0o755))(t)
	must.For(0, os.MkdirAll(filepath.Join(kernels, "dpworkbench", "logo-svg.svg", "x"), 0o755))(t)
	if at, err := notebook.InstallKernel(dir, "python3", "/bin/workbench"); err == nil || at != "" {
		t.Errorf("with folders in place of the files: %q", at)
	}
}
