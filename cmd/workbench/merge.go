package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// newMergeCommand returns workbench merge.
func newMergeCommand() *cobra.Command {
	to := ""
	merge := &cobra.Command{
		Use:   "merge DIR",
		Short: "Put the parts of a sweep together",
		Long: `Put the parts of a sweep together that "workbench run FILE --shard i/n --out DIR"
wrote, and write the rows to standard output, or to a file with --to: the bytes
that "workbench run FILE --json" writes for a script with result = sweep(...).

A part that is missing, doubled, damaged, or of another script, version or
parameters is refused: exit status 1, and nothing is written.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			merged, err := mergeShards(args[0])
			if err != nil {
				return &failure{err}
			}
			if to != "" {
				err = writeWhole(to, merged)
			} else {
				_, err = os.Stdout.Write(merged)
			}
			if err != nil {
				return &failure{err}
			}
			return nil
		},
	}
	merge.Flags().StringVar(&to, "to", "", "file to write, whole or not at all")
	return merge
}

// mergeShards returns the rows of all cells as a JSON array on one line.
func mergeShards(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var (
		first     shardHeader
		firstName string
		rows      []json.RawMessage
		from      = make(map[int]string) // file by shard
	)
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || filepath.Ext(name) != ".jsonl" {
			continue
		}
		head, lines, err := readShard(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
		if firstName == "" {
			first, firstName = head, name
			rows = make([]json.RawMessage, head.Cells)
		} else if what := foreign(first, head); what != "" {
			return nil, fmt.Errorf("%s and %s in %s do not belong together: they differ in %s", firstName, name, dir, what)
		}
		if before, ok := from[head.Shard]; ok {
			return nil, fmt.Errorf("%s and %s in %s are both shard %d of %d", before, name, dir, head.Shard, head.Of)
		}
		from[head.Shard] = name
		for _, line := range lines {
			rows[line.Cell] = line.Row
		}
	}
	if firstName == "" {
		return nil, fmt.Errorf("%s holds no shard", dir)
	}
	var missing []string
	for i := range first.Of {
		if _, ok := from[i]; !ok {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	if n := len(missing); n > 0 {
		if n > 20 {
			missing = append(missing[:20], "…")
		}
		return nil, fmt.Errorf("%s lacks %d of %d shards: %s", dir, n, first.Of, strings.Join(missing, ", "))
	}
	var out bytes.Buffer
	out.WriteByte('[')
	for i, row := range rows {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(row)
	}
	out.WriteString("]\n")
	return out.Bytes(), nil
}

// foreign names what two shards differ in; "" is nothing.
func foreign(a, b shardHeader) string {
	switch {
	case a.Format != b.Format:
		return "format"
	case a.Script != b.Script:
		return "the script"
	case a.Version != b.Version:
		return fmt.Sprintf("the version of the workbench (%s, %s)", a.Version, b.Version)
	case !bytes.Equal(a.Args, b.Args):
		return fmt.Sprintf("the parameters (%s, %s)", a.Args, b.Args)
	case a.Seed != b.Seed:
		return fmt.Sprintf("the seed (%d, %d)", a.Seed, b.Seed)
	case a.Cells != b.Cells || a.CellSum != b.CellSum:
		return "the cells of the sweep"
	case a.Of != b.Of:
		return fmt.Sprintf("the number of shards (%d, %d)", a.Of, b.Of)
	}
	return ""
}

// readShard reads a shard and checks that it is whole.
func readShard(path string) (shardHeader, []shardRow, error) {
	var head shardHeader
	content, err := os.ReadFile(path)
	if err != nil {
		return head, nil, err
	}
	top, body, found := bytes.Cut(content, []byte("\n"))
	if err := json.Unmarshal(top, &head); err != nil || !found || head.Format == 0 {
		return head, nil, fmt.Errorf("it is no shard of a sweep")
	}
	if head.Format != 1 {
		return head, nil, fmt.Errorf("it has format %d, and this version reads 1", head.Format)
	}
	if sum(body) != head.RowSum || head.Of < 1 || head.Of > maxShards || head.Shard < 0 || head.Shard >= head.Of || head.Cells < 0 {
		return head, nil, fmt.Errorf("it is damaged")
	}
	var rows []shardRow
	for line := range bytes.Lines(body) {
		var row shardRow
		if err := json.Unmarshal(line, &row); err != nil {
			return head, nil, fmt.Errorf("it is damaged: %w", err)
		}
		if row.Cell != head.Shard+len(rows)*head.Of || row.Cell >= head.Cells {
			return head, nil, fmt.Errorf("it is damaged: cell %d is not one of its own", row.Cell)
		}
		rows = append(rows, row)
	}
	if want := max(0, (head.Cells-head.Shard+head.Of-1)/head.Of); len(rows) != head.Rows || len(rows) != want {
		return head, nil, fmt.Errorf("it has %d rows, want %d", len(rows), want)
	}
	return head, rows, nil
}
