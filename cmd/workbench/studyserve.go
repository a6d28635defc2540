package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"os"
	"time"

	"dpworkbench/internal/redact"
	"dpworkbench/study"
)

// attention is how long a question to a storage may take.
const attention = 20 * time.Second

//go:embed studypage.html
var pageSource string

var pageTemplate = template.Must(template.New("study").Parse(pageSource))

// serveStudies serves the page of a storage until an interrupt.
func serveStudies(addr string, args []string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%w: --addr %s, want host:port", errUsage, addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%w: --addr %s, want a loopback address such as 127.0.0.1:8080: the page is sent in the clear", errUsage, addr)
	}
	return withStorage(args[0], func(ctx context.Context, storage *study.Storage) error {
		only := ""
		if len(args) == 2 {
			only = args[1]
			if _, err := study.Load(ctx, storage, only); err != nil {
				return err
			}
		}
		listener, err := net.Listen("tcp", addr)
		if err != nil {
			return err
		}
		token := newToken()
		fmt.Fprintf(os.Stderr, "http://%s/?token=%s (Ctrl-C ends it)\n", listener.Addr(), token)
		server := newServer(guarded(studyHandler(storage, only), token))
		context.AfterFunc(ctx, func() {
			ending, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_ = server.Shutdown(ending)
		})
		if err := server.Serve(&fewConnections{Listener: listener, open: make(chan struct{}, maxConnections)}); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
}

// studyHandler answers / with a list of studies, or with the only one, and
// /study?name=… with a study.
func studyHandler(storage *study.Storage, only string) http.Handler {
	mux := http.NewServeMux()
	serve := func(w http.ResponseWriter, r *http.Request, name string) {
		ctx, cancel := context.WithTimeout(r.Context(), attention)
		defer cancel()
		scale := r.URL.Query().Get("scale")
		if scale != "linear" && scale != "log" {
			scale = ""
		}
		p, err := newStudyPage(ctx, storage, name, scale)
		switch {
		case errors.Is(err, study.ErrUnknown):
			http.Error(w, redact.Text(err.Error()), http.StatusNotFound)
			return
		case err != nil:
			http.Error(w, redact.Text(err.Error()), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		w.Header().Set("Cache-Control", "no-store")
		_ = pageTemplate.Execute(w, p) // a reader that goes away is no error of ours
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { serve(w, r, only) })
	mux.HandleFunc("GET /study", func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("name")
		if only != "" && name != only {
			http.NotFound(w, r)
			return
		}
		serve(w, r, name)
	})
	return mux
}
