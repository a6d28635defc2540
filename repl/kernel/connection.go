package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
)

// ErrConnection is wrapped by every error about a connection file.
var ErrConnection = errors.New("bad connection file")

// Connection is what a connection file says: where to listen, and with which
// key messages are signed. A port of 0 means any.
type Connection struct {
	Transport       string `json:"transport"` // "tcp" or "ipc"
	IP              string `json:"ip"`        // for ipc, what the sockets' paths start with
	ShellPort       int    `json:"shell_port"`
	ControlPort     int    `json:"control_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	HeartbeatPort   int    `json:"hb_port"`
	SignatureScheme string `json:"signature_scheme"` // "hmac-sha256"
	Key             string `json:"key"`              // "" signs nothing
}

// ReadConnection reads a connection file.
func ReadConnection(path string) (Connection, error) {
	var c Connection
	data, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrConnection, err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("%w: %s: %w", ErrConnection, path, err)
	}
	return c, c.check()
}

func (c Connection) check() error {
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return fmt.Errorf(`%w: transport = %q, want "tcp" or "ipc"`, ErrConnection, c.Transport)
	}
	if c.SignatureScheme != "hmac-sha256" && c.Key != "" {
		return fmt.Errorf(`%w: signature_scheme = %q, want "hmac-sha256"`, ErrConnection, c.SignatureScheme)
	}
	for name, port := range map[string]int{
		"shell_port": c.ShellPort, "control_port": c.ControlPort, "iopub_port": c.IOPubPort, "stdin_port": c.StdinPort, "hb_port": c.HeartbeatPort,
	} {
		if port < 0 || port > 65535 {
			return fmt.Errorf("%w: %s = %d, want 0 to 65535", ErrConnection, name, port)
		}
	}
	return nil
}

// address returns network and address of a port, as package net wants them.
func (c Connection) address(port int) (network, address string) {
	if c.Transport == "ipc" {
		return "unix", c.IP + "-" + strconv.Itoa(port)
	}
	return "tcp", net.JoinHostPort(c.IP, strconv.Itoa(port))
}
