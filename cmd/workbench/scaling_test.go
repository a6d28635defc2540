package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// scaling is the text of docs/studies.md with 8 shards instead of 64, and the folder that replaces those shared by
// machines.
type scaling struct{ text, dir string }

// newScaling reads the document and writes its sweep to a folder, with the rows that a single process computes.
func newScaling(t *testing.T) *scaling {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the engines' files are for Unix")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "studies.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := &scaling{strings.NewReplacer("64", "8", "0-63", "0-7").Replace(string(text)), t.TempDir()}
	s.write(t, "sweep.star", s.find(t, "(?s)```python\n(cells = .*?)```"))
	s.run(t, nil, "sh", "-c", s.find(t, "    (workbench run sweep.star --json > rows.json) "))
	if err := os.Rename(filepath.Join(s.dir, "rows.json"), filepath.Join(s.dir, "one.json")); err != nil {
		t.Fatal(err)
	}
	return s
}

// find returns the first group of a pattern, which the document must match.
func (s *scaling) find(t *testing.T, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(s.text)
	if m == nil {
		t.Fatalf("docs/studies.md does not match %s", pattern)
	}
	return m[1]
}

// file returns the code in the document under the heading with the file's name.
func (s *scaling) file(t *testing.T, name string) string {
	t.Helper()
	return s.find(t, "(?s)### [A-Za-z]+: `"+regexp.QuoteMeta(name)+"`\n\n```\\w+\n(.*?)```")
}

func (s *scaling) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs a command in the folder.
func (s *scaling) run(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// check merges the shards' output and compares it with a single process.
func (s *scaling) check(t *testing.T, merge string) {
	t.Helper()
	shards, err := filepath.Glob(filepath.Join(s.dir, "parts", "*.jsonl"))
	if err != nil || len(shards) != 8 {
		t.Errorf("%d shards, want 8", len(shards))
	}
	s.run(t, nil, "sh", "-c", merge)
	got, err1 := os.ReadFile(filepath.Join(s.dir, "rows.json"))
	want, err2 := os.ReadFile(filepath.Join(s.dir, "one.json"))
	if err1 != nil || err2 != nil || len(want) == 0 || string(got) != string(want) {
		t.Errorf("the merged sweep is %.200s (%v), and a single process gives %.200s (%v)", got, err1, want, err2)
	}
}

func TestScalingInProcesses(t *testing.T) {
	s := newScaling(t)
	line := s.find(t, `    (workbench run sweep.star --shard 3/8 --out parts) `)
	for i := range 8 {
		s.run(t, nil, "sh", "-c", strings.Replace(line, "3/8", strconv.Itoa(i)+"/8", 1))
	}
	s.check(t, s.find(t, `    (workbench merge parts --to rows.json) `))
}

// The test runs the batch file as Slurm does, for every index of the array.
func TestScalingOnSlurm(t *testing.T) {
	s := newScaling(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash here")
	}
	batch := s.file(t, "sweep.sbatch")
	if !strings.HasPrefix(batch, "#!/bin/bash\n#SBATCH --array=0-7\n") {
		t.Fatalf("the batch file has a different array:\n%s", batch)
	}
	s.write(t, "sweep.sbatch", batch)
	task := func(i, count int) {
		s.run(t, []string{"SLURM_ARRAY_TASK_ID=" + strconv.Itoa(i), "SLURM_ARRAY_TASK_COUNT=" + strconv.Itoa(count)}, "bash", "sweep.sbatch")
	}
	for i := range 8 {
		task(i, 8)
	}
	// With sbatch --array=3, Slurm reports an array of one task.
	if err := os.Remove(filepath.Join(s.dir, "parts", "shard-00003-of-00008.jsonl")); err != nil {
		t.Fatal(err)
	}
	task(3, 1)
	s.check(t, s.find(t, `sbatch --dependency=afterok:\$jid --wrap '(.*)'`))
}

// The test runs the container's command as Kubernetes does, for every completion index of the job.
func TestScalingOnKubernetes(t *testing.T) {
	s := newScaling(t)
	job := s.file(t, "sweep.yaml")
	if !strings.Contains(job, "\n  completions: 8\n") || !strings.Contains(job, "\n  completionMode: Indexed\n") {
		t.Fatalf("the job is not indexed with 8 completions:\n%s", job)
	}
	m := regexp.MustCompile(`command: \[sh, -c, '([^']*)'\]`).FindStringSubmatch(job)
	if m == nil {
		t.Fatalf("the job has no command:\n%s", job)
	}
	for i := range 8 {
		s.run(t, []string{"JOB_COMPLETION_INDEX=" + strconv.Itoa(i)}, "sh", "-c", strings.ReplaceAll(m[1], "/job", s.dir))
	}
	s.check(t, "workbench merge parts --to rows.json")
}

// Spark pipes the shards' indices through a command. The test runs the program with a small substitute for pyspark.
func TestScalingOnSpark(t *testing.T) {
	s := newScaling(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	s.write(t, "sweep.py", strings.ReplaceAll(s.file(t, "sweep.py"), "/shared", s.dir))
	stub, err := filepath.Abs(filepath.Join("testdata", "spark"))
	if err != nil {
		t.Fatal(err)
	}
	s.run(t, []string{"PYTHONPATH=" + stub, "PYTHONDONTWRITEBYTECODE=1"}, "python3", "sweep.py")
	s.check(t, "workbench merge parts --to rows.json")
}
