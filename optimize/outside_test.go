package optimize_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/internal/cases"
)

// An external module can define its own query, finite mechanism and density, compose and sample them, and write a
// certificate.
func TestOutsideModule(t *testing.T) {
	if !cases.All() {
		t.Skip("builds a module: set WORKBENCH_FULL=1")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name string, data []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, err := os.ReadFile("testdata/outside/main.go")
	put("main.go", source, err)
	sums, err := os.ReadFile("../go.sum")
	put("go.sum", sums, err)
	ours, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(ours), "\n") // the module needs our requirements
	put("go.mod", []byte("module example.org/outside\n"+rest+"\nrequire dpworkbench v0.0.0\n\nreplace dpworkbench => "+root+"\n"), nil)

	cmd := exec.Command("go", "run", "-mod=mod", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// Values have distance 1 on the ring of 5. The laws of neighbors differ by 1/2 : 1/8 at two values, so ε = ln 4 and
	// δ(ln 2) = 1/2 − 2/8. HiGHS, which shares no code with ours, also finds the optimum 0.676923076923077.
	want := []string{"epsilon 1.3862943611199 (exact: ln(4))", "delta 0.25 (exact: 1/4)", "fifty uses 54.7126", "own noise on drawn records 2.15", "certificate true", "optimum 0.676923076923077 (exact: 44/65)", "error eps = 0, want a positive finite number"}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(want) {
		t.Fatalf("output %q", lines)
	}
	for i, w := range want {
		if !strings.HasPrefix(lines[i], w) {
			t.Errorf("line %d: %q, want %q", i+1, lines[i], w)
		}
	}
}
