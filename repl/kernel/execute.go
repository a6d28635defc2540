package kernel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dpworkbench/display"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

type executeContent struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    *bool             `json:"store_history"`
	UserExpressions map[string]string `json:"user_expressions"`
	StopOnError     *bool             `json:"stop_on_error"`
}

type executeReply struct {
	Status          string         `json:"status"`
	Count           int            `json:"execution_count"`
	Payload         []any          `json:"payload"`
	UserExpressions map[string]any `json:"user_expressions"`
}

// execute runs a cell.
func execute(r *request) (any, error) {
	var in executeContent
	if err := r.read(&in); err != nil {
		return nil, err
	}
	k := r.kernel
	kept := !in.Silent && (in.StoreHistory == nil || *in.StoreHistory)
	if kept {
		k.count++
	}
	k.mu.Lock()
	k.parent, k.shown = r.message, make(map[string]bool)
	k.mu.Unlock()
	k.progress.reset()
	if !in.Silent {
		k.publish("execute_input", map[string]any{"code": in.Code, "execution_count": k.count})
	}
	if kept && strings.TrimSpace(in.Code) != "" {
		k.history = append(k.history, record{k.count, in.Code})
	}
	v, err := k.run(in.Code, kept)
	out := executeReply{Status: "ok", Count: k.count, Payload: []any{}, UserExpressions: map[string]any{}}
	var exit *script.Exit
	switch {
	case errors.As(err, &exit):
		out.Payload = append(out.Payload, map[string]any{"source": "ask_exit", "keepkernel": false})
	case err == nil && v != nil && v != starlark.None:
		var content map[string]any
		if content, err = k.bundle(v); err == nil && !in.Silent {
			content["execution_count"] = k.count
			k.streams.flush()
			k.publish("execute_result", content)
			k.session.Set("_", v)
		}
	}
	if err != nil && exit == nil {
		content := k.describe(err)
		k.streams.flush()
		if !in.Silent {
			k.publish("error", content)
		}
		content.Status, content.Count = "error", k.count
		r.failed = in.StopOnError == nil || *in.StopOnError
		return content, nil
	}
	for name, source := range in.UserExpressions {
		out.UserExpressions[name] = k.userExpression(source)
	}
	return out, nil
}

// run executes the source of a cell, or the magic that it is.
func (k *Kernel) run(source string, kept bool) (starlark.Value, error) {
	keep, timed := source, false
	if m, ok := script.ParseMagic(source); ok {
		if m.Source == "" {
			return nil, errors.New(m.Problem)
		}
		source, keep, timed = m.Source, m.Keep, m.Timed
	}
	if text := strings.TrimLeft(source, "\n"); text != "" && (text[0] == ' ' || text[0] == '\t') {
		source = script.Dedent(source) // pasted from within a block
	}
	file := fmt.Sprintf("<cell %d>", k.count)
	k.cells[file] = source
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	k.mu.Lock()
	k.cancel = cancel
	k.mu.Unlock()
	select {
	case <-k.stopping: // asked for before there was something to cancel
		cancel()
	default:
	}
	begin := time.Now()
	v, err := k.session.Exec(ctx, file, source)
	if kept && keep != "" {
		k.session.Record(keep, v, err)
	}
	if timed && err == nil {
		fmt.Fprintf(k.session.Stdout, "time: %v\n", time.Since(begin).Round(time.Microsecond))
	}
	return v, err
}

// userExpression evaluates what a client wants to know after a cell.
func (k *Kernel) userExpression(source string) any {
	v, err := k.session.Exec(context.Background(), "<expression>", source)
	var content map[string]any
	if err == nil {
		content, err = k.bundle(v)
	}
	if err != nil {
		e := k.describe(err)
		e.Status = "error"
		return e
	}
	content["status"] = "ok"
	return content
}

// show sends a value that a script shows.
func (k *Kernel) show(v starlark.Value) error {
	content, err := k.bundle(v)
	if err != nil {
		return err
	}
	k.streams.flush()
	k.publish("display_data", content)
	return nil
}

// saved shows a figure that a script saves: a notebook is where one looks at
// figures. One that looks the same is shown once a cell, for scripts that save
// it in several formats.
func (k *Kernel) saved(f display.Figure) {
	data, metadata := map[string]any{"text/plain": strings.TrimRight(f.Terminal(k.session.Terminal), "\n")}, map[string]any{}
	if err := drawInto(data, metadata, f); err != nil {
		k.log(err) // the file is written; only the picture beside the cell is missing
		return
	}
	look := fmt.Sprint(data["text/html"], data["image/svg+xml"])
	k.mu.Lock()
	seen := k.shown[look]
	k.shown[look] = true
	k.mu.Unlock()
	if seen {
		return
	}
	k.streams.flush()
	k.publish("display_data", map[string]any{"data": data, "metadata": metadata})
}
