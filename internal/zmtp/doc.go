// Package zmtp is ZeroMQ's wire protocol, ZMTP 3.0 (rfc.zeromq.org/spec/23), as far as a
// Jupyter kernel needs it: servers on one machine over TCP or Unix sockets, without
// encryption, as ROUTER, PUB or REP, and the clients that speak to these.
//
// It differs from a general library in three ways that matter to a notebook's
// kernel: each peer has a queue of its own, so that a stuck one delays no other;
// nothing is dropped while a peer is connected; and Close sends what is queued
// first.
package zmtp

import "errors"

// Kind is a type of socket.
type Kind string

// The kinds of socket. A server listens with Router, Pub or Rep; Dealer, Sub and
// Req dial it.
const (
	Router Kind = "ROUTER"
	Pub    Kind = "PUB"
	Rep    Kind = "REP"
	Dealer Kind = "DEALER"
	Sub    Kind = "SUB"
	Req    Kind = "REQ"
)

// speaksTo lists the peers that a kind of socket accepts.
var speaksTo = map[Kind][]Kind{
	Router: {Dealer, Req, Router},
	Pub:    {Sub, "XSUB"},
	Rep:    {Req, Dealer},
	Dealer: {Router, Rep, Dealer},
	Sub:    {Pub, "XPUB"},
	Req:    {Rep, Router},
}

// ErrProtocol is wrapped by errors about what a peer sent.
var ErrProtocol = errors.New("zmtp: bad peer")
