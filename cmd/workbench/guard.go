package main

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// What a peer of the page may hold open, and for how long.
const (
	maxConnections = 64
	idleLimit      = 20 * time.Second
)

// newServer returns a server that waits for no peer for long.
func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: attention + 30*time.Second, IdleTimeout: idleLimit, MaxHeaderBytes: 1 << 14,
	}
}

// fewConnections accepts no more connections than open has room for; others wait
// in the system's queue.
type fewConnections struct {
	net.Listener
	open chan struct{}
}

// Accept implements net.Listener.
func (l *fewConnections) Accept() (net.Conn, error) {
	l.open <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &counted{Conn: c, done: sync.OnceFunc(func() { <-l.open })}, nil
}

// counted is a connection that makes room when it closes.
type counted struct {
	net.Conn
	done func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	defer c.done()
	return c.Conn.Close()
}

// newToken returns what only the user who started the server knows: others of the
// machine reach a loopback address too.
func newToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// guarded lets those pass who bring the token, in the first request's query or
// then in a cookie, and only for a name of this machine: a page elsewhere must
// not read this one through a name that it points at loopback.
func guarded(next http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		at := url.URL{Host: r.Host} // of port 80 there is no port, and may be brackets
		host, port := at.Hostname(), at.Port()
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this page is for this machine", http.StatusForbidden)
			return
		}
		cookie := "workbench-" + port // cookies know no ports of their own
		if q := r.URL.Query(); q.Has("token") && same(q.Get("token"), token) {
			http.SetCookie(w, &http.Cookie{Name: cookie, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
			q.Del("token")
			to := *r.URL
			to.RawQuery = q.Encode()
			http.Redirect(w, r, to.RequestURI(), http.StatusSeeOther) // the token leaves the address bar
			return
		}
		if c, err := r.Cookie(cookie); err != nil || !same(c.Value, token) {
			http.Error(w, "this page opens with the address that workbench study serve has printed, its token included", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// same compares without telling how much is the same.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
