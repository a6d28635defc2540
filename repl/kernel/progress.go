package kernel

import (
	"sync"

	"dpworkbench/script"
)

// progress keeps one line below a running cell up to date.
type progress struct {
	kernel *Kernel

	mu sync.Mutex
	id string // of the line; "" where the cell has none yet
}

// reset forgets the line of the previous cell.
func (p *progress) reset() {
	p.mu.Lock()
	p.id = ""
	p.mu.Unlock()
}

// report shows how far the work has come; finished work leaves the line empty.
func (p *progress) report(at script.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kind, text := "update_display_data", at.String()
	if at.Finished {
		text = ""
	}
	if p.id == "" {
		kind, p.id = "display_data", newID()
		p.kernel.streams.flush()
	}
	p.kernel.publish(kind, map[string]any{
		"data":      map[string]any{"text/plain": text},
		"metadata":  map[string]any{},
		"transient": map[string]any{"display_id": p.id},
	})
}
