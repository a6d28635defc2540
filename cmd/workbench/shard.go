package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"dpworkbench/internal/redact"
	"dpworkbench/internal/version"
	"dpworkbench/internal/wholefile"
	"dpworkbench/repl"
)

// maxShards bounds the number of shards that merge accepts from a file.
const maxShards = 1 << 20

// parseShard parses --shard and --out. It returns nil if neither is given.
func parseShard(o options, files []string) (*repl.Shard, error) {
	if o.shard == "" && o.out == "" {
		return nil, nil
	}
	if o.out == "" {
		return nil, fmt.Errorf("%w: --shard %s needs --out DIR", errUsage, o.shard)
	}
	if len(files) != 1 || o.json {
		return nil, fmt.Errorf("%w: --out needs exactly one script, and no --json", errUsage)
	}
	if o.shard == "" {
		return &repl.Shard{Index: 0, Count: 1}, nil
	}
	before, after, _ := strings.Cut(o.shard, "/")
	i, err1 := strconv.Atoi(before)
	n, err2 := strconv.Atoi(after)
	if err1 != nil || err2 != nil || n < 1 || n > maxShards || i < 0 || i >= n {
		return nil, fmt.Errorf("%w: --shard %s, want i/n with i from 0 to n-1, and n at most %d", errUsage, o.shard, maxShards)
	}
	return &repl.Shard{Index: i, Count: n}, nil
}

// writeShard writes the results of a shard atomically: to a temporary file, which is renamed when it is complete.
func writeShard(s *repl.Session, o options, source string) error {
	shard := s.Shard
	args, err := s.Args()
	if err != nil {
		return &failure{fmt.Errorf("--set: %w", err)}
	}
	var body bytes.Buffer
	for i, row := range shard.Rows {
		fmt.Fprintf(&body, "{\"cell\":%d,\"row\":%s}\n", shard.Index+i*shard.Count, row)
	}
	script := sha256.New()
	for _, text := range append([]string{source}, s.Libraries()...) {
		fmt.Fprintf(script, "%d\n%s", len(text), text)
	}
	head, err := seal(shardHeader{
		Format: shardFormat, Script: hex.EncodeToString(script.Sum(nil)), Version: build(), Args: json.RawMessage(redact.JSON(args)), Seed: o.seed,
		Cells: shard.Cells, CellSum: shard.Sum, Of: shard.Count, Data: s.Inputs(),
		Shard: shard.Index, Rows: len(shard.Rows), RowSum: sum(body.Bytes()),
	})
	if err != nil {
		return &failure{err}
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return &failure{err}
	}
	name := fmt.Sprintf("shard-%05d-of-%05d.jsonl", shard.Index, shard.Count)
	return failureOf(wholefile.Write(filepath.Join(o.out, name), append(head, body.Bytes()...), 0o644))
}

// build identifies the workbench that computes.
func build() string { return buildOf(version.Text(), os.Executable) }

// buildOf identifies a workbench by its version. If that is not a clean revision, it adds a checksum of the beginning
// of the binary, where Go stores the build ID.
func buildOf(v string, executable func() (string, error)) string {
	if v != "devel" && v != "(unknown)" && !strings.Contains(v, ", modified") {
		return v
	}
	path, err := executable()
	if err != nil {
		return v
	}
	f, err := os.Open(path)
	if err != nil {
		return v
	}
	defer f.Close()
	start := sha256.New()
	if _, err := io.CopyN(start, f, 1<<16); err != nil {
		return v
	}
	return v + " build " + hex.EncodeToString(start.Sum(nil)[:6])
}
