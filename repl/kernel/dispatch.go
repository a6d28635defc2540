package kernel

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime/debug"

	"dpworkbench/internal/zmtp"
)

// request is a message being answered.
type request struct {
	kernel  *Kernel
	message *message
	failed  bool // cells sent along with it are to be refused
}

// read fills a struct from the request's content.
func (r *request) read(into any) error {
	if err := json.Unmarshal(r.message.content, into); err != nil {
		return fmt.Errorf("%w: %s: %w", errMessage, r.message.header.Type, err)
	}
	return nil
}

// handler answers a request: the content of the reply, nil for none.
type handler func(r *request) (content any, err error)

// entry is a request that the kernel knows and the reply it gets.
type entry struct {
	reply  string
	handle handler
}

// answer is the last net: what a panic would lose is the whole session.
func (e entry) answer(r *request) (content any, err error) {
	defer func() {
		if p := recover(); p != nil {
			content, err = nil, fmt.Errorf("internal error: %s: %v", r.message.header.Type, p)
			r.kernel.log(fmt.Errorf("%w\n%s", err, debug.Stack()))
		}
	}()
	return e.handle(r)
}

var (
	shellRequests   map[string]entry
	controlRequests map[string]entry
	abortedRequests map[string]entry
)

// init breaks the cycle from a handler to the table it stands in.
func init() {
	shellRequests = map[string]entry{
		"kernel_info_request": {"kernel_info_reply", kernelInfo},
		"execute_request":     {"execute_reply", execute},
		"complete_request":    {"complete_reply", complete},
		"inspect_request":     {"inspect_reply", inspect},
		"is_complete_request": {"is_complete_reply", isComplete},
		"history_request":     {"history_reply", history},
		"comm_info_request":   {"comm_info_reply", commInfo},
		"comm_open":           {"", commOpen},
		"comm_msg":            {"", ignore},
		"comm_close":          {"", ignore},
		"shutdown_request":    {"shutdown_reply", shutdown},
		"interrupt_request":   {"interrupt_reply", interrupt},
	}
	controlRequests = map[string]entry{
		"kernel_info_request": {"kernel_info_reply", kernelInfo},
		"shutdown_request":    {"shutdown_reply", shutdown},
		"interrupt_request":   {"interrupt_reply", interrupt},
	}
	abortedRequests = maps.Clone(shellRequests)
	abortedRequests["execute_request"] = entry{"execute_reply", func(*request) (any, error) { return statusContent{Status: "aborted"}, nil }}
}

type statusContent struct {
	Status string `json:"status"`
}

type errorContent struct {
	Status    string   `json:"status,omitempty"`
	Count     int      `json:"execution_count,omitempty"`
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// handle answers one message. One with a wrong signature is dropped unanswered,
// and with it the connection of a peer that has not shown that it has the key.
func (k *Kernel) handle(m zmtp.Message, table map[string]entry) {
	msg, err := k.wire.decode(m.Frames)
	if err != nil {
		k.log(err)
		m.Refuse()
		return
	}
	m.Trust()
	known, ok := table[msg.header.Type]
	if !ok {
		k.log(fmt.Errorf("%w: no answer to a %s here", errMessage, msg.header.Type))
	}
	k.awaitListener()
	k.publishStatus(msg, "busy")
	defer k.publishStatus(msg, "idle")
	if !ok {
		return
	}
	r := &request{kernel: k, message: msg}
	content, err := known.answer(r)
	if err != nil {
		content = errorContent{Status: "error", Name: "Error", Value: err.Error(), Traceback: []string{}}
	}
	if r.failed {
		k.gather()
	}
	k.streams.flush()
	if known.reply != "" && content != nil {
		frames, err := k.wire.encode(msg.route, msg, known.reply, content)
		if err != nil {
			k.log(err)
			return
		}
		_ = m.Reply(frames...) // a client that has gone needs none
	}
	if msg.header.Type == "shutdown_request" && err == nil {
		k.publishTo(msg, "shutdown_reply", content)
		defer k.Stop()
	}
}

// publish sends output of the running cell.
func (k *Kernel) publish(kind string, content any) {
	k.mu.Lock()
	parent := k.parent
	k.mu.Unlock()
	k.publishTo(parent, kind, content)
}

func (k *Kernel) publishTo(parent *message, kind string, content any) {
	topic := [][]byte{[]byte("kernel." + k.wire.session + "." + kind)}
	frames, err := k.wire.encode(topic, parent, kind, content)
	if err != nil {
		k.log(err)
		return
	}
	k.iopub.Publish(frames...)
}

func (k *Kernel) publishStatus(parent *message, state string) {
	k.publishTo(parent, "status", map[string]string{"execution_state": state})
}
