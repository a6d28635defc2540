package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dpworkbench/internal/wholefile"

	"github.com/spf13/cobra"
)

// newMergeCommand returns workbench merge.
func newMergeCommand() *cobra.Command {
	to := ""
	merge := &cobra.Command{
		Use:   "merge DIR",
		Short: "Merge the parts of a sweep",
		Long: `Merge the parts of a sweep that "workbench run FILE --shard i/n --out DIR" wrote,
and write the rows to standard output or to the file of --to. They are the bytes
that "workbench run FILE --json" writes for a script with result = sweep(...).

Nothing is written, and the exit status is 1, if a part is missing, duplicate or
damaged, or if it comes from another script, version, set of parameters or data
file than the others.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			merged, err := mergeShards(args[0])
			if err != nil {
				return &failure{err}
			}
			if to != "" {
				return failureOf(wholefile.Write(to, merged, 0o644))
			}
			_, err = stdout.Write(merged)
			return failureOf(err)
		},
	}
	merge.Flags().StringVar(&to, "to", "", "file for the rows, written completely or not at all")
	return merge
}

// mergeShards returns the rows of all cells as a JSON array on one line.
func mergeShards(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	p := parts{dir: dir, from: make(map[int]string), data: make(map[string]input)}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || filepath.Ext(name) != ".jsonl" {
			continue
		}
		head, lines, err := readShard(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
		if err := p.add(name, head, lines); err != nil {
			return nil, err
		}
	}
	if err := p.whole(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('[')
	for i, row := range p.rows {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(row)
	}
	out.WriteString("]\n")
	return out.Bytes(), nil
}

// parts holds the shards of a sweep that were read so far.
type parts struct {
	dir   string
	name  string // the first shard, with which the others are compared
	first shardHeader
	rows  []json.RawMessage
	from  map[int]string   // file names by shard
	data  map[string]input // by name
}

// input is a data file's checksum and the first shard that read it.
type input struct{ sum, name string }

// add adds a shard. It returns an error if the shard belongs to another sweep.
func (p *parts) add(name string, head shardHeader, lines []shardRow) error {
	apart := func(other, what string) error {
		return fmt.Errorf("%s and %s in %s are shards of different sweeps: they differ in %s", other, name, p.dir, what)
	}
	if p.name == "" {
		p.first, p.name, p.rows = head, name, make([]json.RawMessage, head.Cells)
	} else if what := foreign(p.first, head); what != "" {
		return apart(p.name, what)
	}
	if before, ok := p.from[head.Shard]; ok {
		return fmt.Errorf("%s and %s in %s are both shard %d of %d", before, name, p.dir, head.Shard, head.Of)
	}
	p.from[head.Shard] = name
	for _, file := range slices.Sorted(maps.Keys(head.Data)) {
		before, ok := p.data[file]
		if ok && before.sum != head.Data[file] {
			return apart(before.name, "the data file "+file)
		} else if !ok {
			p.data[file] = input{head.Data[file], name}
		}
	}
	for _, line := range lines {
		p.rows[line.Cell] = line.Row
	}
	return nil
}

// whole returns an error that names the missing shards, or nil if there are none.
func (p *parts) whole() error {
	if p.name == "" {
		return fmt.Errorf("%s holds no shard", p.dir)
	}
	var missing []string
	for i := range p.first.Of {
		if _, ok := p.from[i]; !ok {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	n := len(missing)
	if n == 0 {
		return nil
	}
	if n > 20 {
		missing = append(missing[:20], "…")
	}
	return fmt.Errorf("%s lacks %d of %d shards: %s", p.dir, n, p.first.Of, strings.Join(missing, ", "))
}

// foreign describes the first difference between the sweeps of two shards, or returns "".
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
