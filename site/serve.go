package site

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"
)

// Listen opens a TCP port of 127.0.0.1; port 0 takes any free one.
func Listen(port string) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
}

// Serve serves a site until ctx ends.
func Serve(ctx context.Context, l net.Listener, dir string) error {
	s := &http.Server{Handler: Handler(dir), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// Handler serves the files of a site, and labels compressed programs by their encoding.
func Handler(dir string) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy+"; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache") // browsers ask each time whether a file has changed
		if strings.HasSuffix(r.URL.Path, ".wasm.br") {
			h.Set("Content-Type", "application/wasm")
			h.Set("Content-Encoding", "br")
		}
		files.ServeHTTP(w, r)
	})
}
