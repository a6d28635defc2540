package kernel

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// protocolVersion is that of the messaging protocol.
const protocolVersion = "5.3"

// delimiter stands between the routing part of a message and the rest.
const delimiter = "<IDS|MSG>"

// errMessage is wrapped by errors about what a client sent.
var errMessage = errors.New("bad message")

// header names a message.
type header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is one message, taken apart.
type message struct {
	route    [][]byte // what stands before the delimiter
	header   header
	origin   json.RawMessage // the header as it came: the parent of every answer
	parent   json.RawMessage
	metadata map[string]any
	content  json.RawMessage
}

// wire signs messages with a key and reads signed ones.
type wire struct {
	key     []byte
	session string
	read    *signatures // of the messages read; nil takes every message for new
}

// newID returns a random identifier (RFC 9562, version 4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (w *wire) sign(parts [][]byte) []byte {
	if len(w.key) == 0 {
		return nil
	}
	mac := hmac.New(sha256.New, w.key)
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

// decode reads a message and checks its signature.
func (w *wire) decode(frames [][]byte) (*message, error) {
	at := 0
	for at < len(frames) && string(frames[at]) != delimiter {
		at++
	}
	if len(frames) < at+6 {
		return nil, fmt.Errorf("%w: %d frames", errMessage, len(frames))
	}
	signature, parts := frames[at+1], frames[at+2:at+6]
	if !hmac.Equal(signature, w.sign(parts)) && len(w.key) > 0 {
		return nil, fmt.Errorf("%w: wrong signature", errMessage)
	}
	if len(w.key) > 0 && w.read != nil && !w.read.fresh(signature) {
		return nil, fmt.Errorf("%w: its signature has been here before", errMessage)
	}
	m := &message{route: frames[:at], origin: parts[0], parent: parts[1], content: parts[3]}
	if err := json.Unmarshal(parts[0], &m.header); err != nil {
		return nil, fmt.Errorf("%w: header: %w", errMessage, err)
	}
	if err := json.Unmarshal(parts[2], &m.metadata); err != nil {
		return nil, fmt.Errorf("%w: metadata: %w", errMessage, err)
	}
	if !json.Valid(parts[3]) {
		return nil, fmt.Errorf("%w: content is no JSON", errMessage)
	}
	return m, nil
}

// encode returns the frames of a new message; parent may be nil.
func (w *wire) encode(route [][]byte, parent *message, kind string, content any) ([][]byte, error) {
	h, _ := json.Marshal(header{ // strings encode
		ID: newID(), Session: w.session, Username: "workbench", Type: kind, Version: protocolVersion,
		Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
	})
	origin := []byte("{}")
	if parent != nil {
		origin = parent.origin
	}
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(content); err != nil {
		return nil, err
	}
	parts := [][]byte{h, origin, []byte("{}"), bytes.TrimSpace(body.Bytes())}
	frames := append(route[:len(route):len(route)], []byte(delimiter), w.sign(parts))
	return append(frames, parts...), nil
}
