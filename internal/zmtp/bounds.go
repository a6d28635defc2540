package zmtp

// Whoever reaches the address may speak. What has not shown that it belongs here
// is a stranger, and gets little: of the process's memory strangers hold no more
// than about maxPeers × (strangerMessage + strangerQueue) bytes a socket.
const (
	maxMessage = 1 << 28 // bytes of one message
	maxFrames  = 1 << 10 // frames of one message
	maxQueued  = 1 << 28 // bytes that may wait for a peer that reads nothing before it is cut off
	maxPeers   = 64      // connections of one socket
	maxTopics  = 64      // subscriptions of one peer
	maxTopic   = 1 << 10 // bytes of a subscription

	strangerMessage = 1 << 20
	strangerQueue   = 1 << 21
)

// Trust tells that the peer that sent m belongs here: its next messages may be
// large.
func (m Message) Trust() { m.from.trusted.Store(true) }

// Refuse ends the connection of a stranger; a peer that is trusted keeps it.
func (m Message) Refuse() {
	if !m.from.trusted.Load() {
		m.from.net.Close()
	}
}

// messageLimit and queueLimit are what the peer may send and leave unread. What
// is published waits once for all subscribers.
func (c *Conn) messageLimit() uint64 {
	if c.trusted.Load() {
		return maxMessage
	}
	return strangerMessage
}

func (c *Conn) queueLimit() int {
	if c.trusted.Load() || c.shared {
		return maxQueued
	}
	return strangerQueue
}
