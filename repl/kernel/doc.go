// Package kernel serves a session to Jupyter: notebooks, the console and
// nbconvert, over version 5.3 of the messaging protocol
// (jupyter-client.readthedocs.io/en/stable/messaging.html).
//
// A [Kernel] listens on five sockets. Requests on shell are answered in order by
// one goroutine, which alone touches the session; control (interrupt, shutdown)
// and the heartbeat are served beside it, so that they are heard while a cell
// runs. What a cell prints is gathered for a moment before it is sent, and
// always sent before whatever follows it.
package kernel
