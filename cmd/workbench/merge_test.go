package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/internal/version"
)

// shardFile returns the bytes of shard i of 3 of a sweep with 8 cells, after change has edited its header and rows.
func shardFile(t *testing.T, i int, change func(head *shardHeader, rows *string)) []byte {
	t.Helper()
	rows, n := "", 0
	for c := i; c < 8; c += 3 {
		rows, n = rows+fmt.Sprintf("{\"cell\":%d,\"row\":%d}\n", c, c*c), n+1
	}
	head := shardHeader{
		Format: shardFormat, Script: "s", Version: "v1", Args: json.RawMessage(`{"top":2}`), Seed: 7, Cells: 8, CellSum: "c", Of: 3,
		Data: map[string]string{"shared.csv": "d", fmt.Sprintf("own-%d.csv", i): "d"}, Shard: i, Rows: n, RowSum: sum([]byte(rows)),
	}
	if change != nil {
		change(&head, &rows)
	}
	text, err := seal(head)
	if err != nil {
		t.Fatal(err)
	}
	return append(text, rows...)
}

// Each difference that makes a shard foreign has its own error. The changed shard is the middle one of three that fit
// together.
func TestMergeRefusesForeignShards(t *testing.T) {
	type change = func(head *shardHeader, rows *string)
	reseal := func(head *shardHeader, rows *string) { head.RowSum = sum([]byte(*rows)) }
	for name, test := range map[string]struct {
		change change
		want   string // "" fits
	}{
		"itself":           {nil, ""},
		"another script":   {func(h *shardHeader, _ *string) { h.Script = "t" }, "differ in the script"},
		"another version":  {func(h *shardHeader, _ *string) { h.Version = "v2" }, "differ in the version of the workbench (v1, v2)"},
		"other parameters": {func(h *shardHeader, _ *string) { h.Args = json.RawMessage(`{"top":3}`) }, `differ in the parameters ({"top":2}, {"top":3})`},
		"another seed":     {func(h *shardHeader, _ *string) { h.Seed = 8 }, "differ in the seed (7, 8)"},
		"other cells":      {func(h *shardHeader, _ *string) { h.CellSum = "e" }, "differ in the cells"},
		"fewer cells":      {func(h *shardHeader, _ *string) { h.Cells = 7; h.Rows = 2 }, "cell 7 belongs to another shard"},
		"fewer shards": {func(h *shardHeader, r *string) {
			*h = shardHeader{Format: shardFormat, Script: "s", Version: "v1", Args: h.Args, Seed: 7, Cells: 8, CellSum: "c", Of: 4, Shard: 1, Rows: 2}
			*r = "{\"cell\":1,\"row\":1}\n{\"cell\":5,\"row\":25}\n"
			reseal(h, r)
		}, "differ in the number of shards (3, 4)"},
		"other data":     {func(h *shardHeader, _ *string) { h.Data["shared.csv"] = "e" }, "differ in the data file shared.csv"},
		"data not there": {func(h *shardHeader, _ *string) { h.Data["shared.csv"] = "absent" }, "differ in the data file shared.csv"},
		"no data read":   {func(h *shardHeader, _ *string) { h.Data = nil }, ""},
		"repeated": {func(h *shardHeader, r *string) {
			*h = shardHeader{Format: shardFormat, Script: "s", Version: "v1", Args: h.Args, Seed: 7, Cells: 8, CellSum: "c", Of: 3, Rows: 3}
			*r = "{\"cell\":0,\"row\":0}\n{\"cell\":3,\"row\":9}\n{\"cell\":6,\"row\":36}\n"
			reseal(h, r)
		}, "are both shard 0 of 3"},
		"a changed row": {func(_ *shardHeader, r *string) { *r = strings.Replace(*r, "16", "17", 1) }, "damaged"},
		"a row less":    {func(_ *shardHeader, r *string) { *r = (*r)[:strings.LastIndex((*r)[:len(*r)-1], "\n")+1] }, "damaged"},
		"a row less, whole": {func(h *shardHeader, r *string) {
			*r = (*r)[:strings.LastIndex((*r)[:len(*r)-1], "\n")+1]
			h.Rows = 2
			reseal(h, r)
		}, "it has 2 rows, want 3"},
		"cells of another": {func(h *shardHeader, r *string) { *r = strings.Replace(*r, "\"cell\":4", "\"cell\":3", 1); reseal(h, r) }, "cell 3 belongs to another shard"},
		"no JSON in a row": {func(h *shardHeader, r *string) {
			*r = strings.Replace(*r, "\"row\":16", "\"row\":sixteen", 1)
			reseal(h, r)
		}, "it is damaged: invalid character"},
		"a later format": {func(h *shardHeader, _ *string) { h.Format = 3 }, "format 3, and this version reads 2"},
		"no such shard":  {func(h *shardHeader, _ *string) { h.Shard = 3 }, "damaged: shard 3 of 3"},
		"no row": {func(h *shardHeader, r *string) {
			*r = strings.Replace(*r, "{\"cell\":4,\"row\":16}", "{\"cell\":4}", 1)
			reseal(h, r)
		}, "damaged: cell 4 has no row"},
		"cells beyond count":  {func(h *shardHeader, r *string) { h.Cells, h.Rows, *r = math.MaxInt, 0, ""; reseal(h, r) }, "damaged: shard 1 of 3 with 9223372036854775807 cells"},
		"cells without rows":  {func(h *shardHeader, r *string) { h.Cells, h.Rows, *r = maxCells, 0, ""; reseal(h, r) }, "it has 0 rows, want 366503875925"},
		"shards beyond count": {func(h *shardHeader, r *string) { h.Of = math.MaxInt }, "damaged: shard 1 of 9223372036854775807"},
		"negative cells":      {func(h *shardHeader, r *string) { h.Cells = -1 }, "damaged: shard 1 of 3 with -1 cells"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i := range 3 {
				var c change
				if i == 1 {
					c = test.change
				}
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("shard-%d.jsonl", i)), shardFile(t, i, c), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			merged, err := mergeShards(dir)
			if test.want == "" {
				if err != nil || string(merged) != "[0,1,4,9,16,25,36,49]\n" {
					t.Errorf("merged to %s (%v)", merged, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || merged != nil {
				t.Errorf("merged to %s (%v), want an error with %q", merged, err, test.want)
			}
		})
	}
}

// A build without a clean revision, such as that of a test, is identified by its binary.
func TestBuild(t *testing.T) {
	if v := version.Text(); v != "devel" && !strings.Contains(v, "modified") {
		t.Skipf("this is %s", v)
	}
	if b := build(); !strings.HasPrefix(b, version.Text()+" build ") || len(b) != len(version.Text())+len(" build ")+12 || b != build() {
		t.Errorf("the build is %q", b)
	}
}

// A header with a single changed byte is rejected.
func TestSealedHeaders(t *testing.T) {
	whole := shardFile(t, 1, nil)
	path := filepath.Join(t.TempDir(), "shard.jsonl")
	for i := range whole {
		if whole[i] == '\n' {
			break
		}
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 1
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readShard(path); err == nil {
			t.Fatalf("byte %d of the header may be changed to %q from %q", i, damaged[i], whole[i])
		}
	}
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readShard(path); err != nil {
		t.Error(err)
	}
}

// A binary without a clean revision is identified by the SHA-256 of its first 65536 bytes. An unreadable file, or one
// that is not a binary, is identified only by its version.
func TestBuildOfBinaries(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	dir := folder(t, map[string]string{"whole": string(content), "more": string(content) + "more", "short": "short"})
	start := sha256.Sum256(content)
	known := hex.EncodeToString(start[:])[:12]
	for name, want := range map[string]string{"whole": " build " + known, "more": " build " + known, "short": "", "none": "", ".": ""} {
		at := func() (string, error) { return filepath.Join(dir, name), nil }
		for _, v := range []string{"devel", "(unknown)", "1.2, modified"} {
			if got := buildOf(v, at); got != v+want {
				t.Errorf("%s of %s is %q, want %q", v, name, got, v+want)
			}
		}
		if got := buildOf("1.2", at); got != "1.2" {
			t.Errorf("a clean revision is %q", got)
		}
	}
	if got := buildOf("devel", nowhere(filepath.Join(dir, "whole"))); got != "devel" {
		t.Errorf("a binary without a known path is %q", got)
	}
}

// nowhere returns a function that gives an executable's path together with an error.
func nowhere(path string) func() (string, error) {
	return func() (string, error) { return path, fs.ErrNotExist }
}
