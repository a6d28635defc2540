package callall_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// usualRounds is the number of rounds unless the environment variable roundsKey sets another. The other keys name
// environment variables, too.
const (
	usualRounds = 1
	roundsKey   = "CALLALL_ROUNDS"
	seedKey     = "CALLALL_SEED"
	strictKey   = "CALLALL_STRICT" // known offenders fail the test too
	listKey     = "CALLALL_LIST"   // a file that lists every finding, including those that do not fail the test
	lastKey     = "CALLALL_LAST"   // a file that holds the current call
)

// No exported function panics on data, returns half a result beside an error, or ignores an interrupt.
func TestEveryFunction(t *testing.T) {
	if functions != nil {
		t.Skip("already in the binary that makes the calls")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	table, err := tableOf(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "internal/callall/table_test.go"): put("table_test.go", table),
	}})
	if err != nil {
		t.Fatal(err)
	}
	binary, last := filepath.Join(dir, "calls"), put("last", nil)
	build := exec.Command("go", "test", "-c", "-o", binary, "-overlay", put("overlay.json", overlay), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	calls := exec.Command(binary, "-test.run=^TestCalls$", "-test.v", "-test.timeout=0") // the binary has its own watchdog
	calls.Env = append(os.Environ(), lastKey+"="+last)
	out, err := calls.CombinedOutput()
	if err != nil {
		under, _ := os.ReadFile(last)
		under, _, _ = bytes.Cut(under, []byte{0})
		t.Errorf("%v\nthe last call: %s\n%s", err, under, tail(out, 16_000))
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "calls of") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// tail returns the beginning and the end of a long text.
func tail(out []byte, most int) []byte {
	if len(out) <= most {
		return out
	}
	return bytes.Join([][]byte{out[:most/2], out[len(out)-most/2:]}, []byte("\n[…]\n"))
}
