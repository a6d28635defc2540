package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// shardHeader is the first line of a shard's file. Shards belong to one sweep if all fields but Shard, Rows and RowSum
// are equal, and files read under the same name have the same checksum.
type shardHeader struct {
	Format  int             `json:"format"`
	Script  string          `json:"script"` // SHA-256 of the script and its libraries
	Version string          `json:"version"`
	Args    json.RawMessage `json:"args"` // from --set
	Seed    uint64          `json:"seed"`
	Cells   int             `json:"cells"`    // the number of cells of the whole sweep
	CellSum string          `json:"cell_sum"` // SHA-256 of the cells as JSON
	Of      int             `json:"of"`

	// SHA-256 of the data files that this shard read, by name.
	Data map[string]string `json:"data,omitempty"`

	Shard  int    `json:"shard"`
	Rows   int    `json:"rows"`
	RowSum string `json:"row_sum"` // SHA-256 of the lines after the header
}

// shardFormat is the version of the file format. Version 2 has a checksum of the header.
const shardFormat = 2

// maxCells is larger than the number of cells of any sweep, and small enough to avoid overflow.
const maxCells = 1 << 40

// A sealed header ends in the SHA-256 of the header without it. This replaces the closing brace.
const (
	sealStart = `,"head_sum":"`
	sealEnd   = `"}`
)

// seal returns a header as a line with its checksum.
func seal(head shardHeader) ([]byte, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	return []byte(string(text[:len(text)-1]) + sealStart + sum(text) + sealEnd + "\n"), nil
}

// sealed reports whether a header's line matches its checksum.
func sealed(line []byte) bool {
	at := len(line) - len(sealStart) - hex.EncodedLen(sha256.Size) - len(sealEnd)
	if at < 0 {
		return false
	}
	text := append(bytes.Clone(line[:at]), '}')
	return string(line[at:]) == sealStart+sum(text)+sealEnd
}

// shardRow is a line of a shard's file after the header.
type shardRow struct {
	Cell int             `json:"cell"`
	Row  json.RawMessage `json:"row"`
}

// readShard reads a shard and checks that it is complete.
func readShard(path string) (shardHeader, []shardRow, error) {
	var head shardHeader
	content, err := os.ReadFile(path)
	if err != nil {
		return head, nil, err
	}
	top, body, found := bytes.Cut(content, []byte("\n"))
	if err := json.Unmarshal(top, &head); err != nil || !found || head.Format == 0 {
		return head, nil, errors.New("it is not a shard of a sweep")
	}
	if head.Format != shardFormat {
		return head, nil, fmt.Errorf("it has format %d, and this version reads %d", head.Format, shardFormat)
	}
	if !sealed(top) || sum(body) != head.RowSum {
		return head, nil, errors.New("it is damaged: its checksums do not match")
	}
	if head.Of < 1 || head.Of > maxShards || head.Shard < 0 || head.Shard >= head.Of || head.Cells < 0 || head.Cells > maxCells {
		return head, nil, fmt.Errorf("it is damaged: shard %d of %d with %d cells", head.Shard, head.Of, head.Cells)
	}
	var rows []shardRow
	for line := range bytes.Lines(body) {
		var row shardRow
		if err := json.Unmarshal(line, &row); err != nil {
			return head, nil, fmt.Errorf("it is damaged: %w", err)
		}
		if row.Row == nil {
			return head, nil, fmt.Errorf("it is damaged: cell %d has no row", row.Cell)
		}
		if row.Cell != head.Shard+len(rows)*head.Of || row.Cell >= head.Cells {
			return head, nil, fmt.Errorf("it is damaged: cell %d belongs to another shard", row.Cell)
		}
		rows = append(rows, row)
	}
	if want := max(0, (head.Cells-head.Shard+head.Of-1)/head.Of); len(rows) != head.Rows || len(rows) != want {
		return head, nil, fmt.Errorf("it has %d rows, want %d", len(rows), want)
	}
	return head, rows, nil
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}
