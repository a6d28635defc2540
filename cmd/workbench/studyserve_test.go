package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpworkbench/study"
)

// servedStudy serves a study of twelve trials, one of them failed, whose name
// and reason try to be markup.
func servedStudy(t *testing.T) (*study.Study, *httptest.Server) {
	t.Helper()
	ctx := context.Background()
	storage, err := study.Open(ctx, filepath.Join(t.TempDir(), "s.db"), study.StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = storage.Close() })
	s, err := study.New(ctx, storage, "a & <b>", study.Options{Sampler: "random"})
	if err != nil {
		t.Fatal(err)
	}
	runTwelve(t, s)
	server := httptest.NewServer(guarded(studyHandler(storage, ""), testToken))
	t.Cleanup(server.Close)
	return s, server
}

const testToken = "t0ken"

// visitor is a browser that has opened the address with the token once.
func visitor(t *testing.T, server *httptest.Server) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	response, err := client.Get(server.URL + "/?token=" + testToken)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Request.URL.RawQuery != "" {
		t.Fatalf("the address with the token gives %s at %s", response.Status, response.Request.URL)
	}
	return client
}

func runTwelve(t *testing.T, s *study.Study) {
	t.Helper()
	err := s.Optimize(context.Background(), func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
		x, err := tr.Float("x", 0, 1, false)
		if err != nil {
			return 0, err
		}
		if _, err := tr.Choice("rule", []string{"closure", "printed"}); err != nil {
			return 0, err
		}
		if tr.Number() == 3 {
			return 0, errors.New("<script>alert(1)</script>")
		}
		return x, nil
	}, study.Run{Trials: 12})
	if err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, client *http.Client, url string) (int, string) {
	t.Helper()
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestServe(t *testing.T) {
	s, server := servedStudy(t)
	client := visitor(t, server)
	_, list := get(t, client, server.URL+"/")
	if !strings.Contains(list, `<a href="/study?name=a%20%26%20%3cb%3e">a &amp; &lt;b&gt;</a>`) {
		t.Errorf("the list of studies:\n%s", list)
	}
	status, page := get(t, client, server.URL+"/study?name=a%20%26%20%3Cb%3E")
	for part, want := range map[string]int{
		"<h2 id=\"history\">": 1, "<h2 id=\"slices\">": 1, "<h2 id=\"parallel\">": 1, "<h2 id=\"trials\">": 1,
		"<circle": 3 * 11, "<path d=": 11, "<path class=\"best\"": 1,
		"<tr class=\"complete\">": 11, "<tr class=\"failed\">": 1,
		"minimize: 11 complete, 1 failed, 0 running": 1, "at trial ": 1,
		"<script": 0, "&lt;script&gt;": 1, "http-equiv": 0, "NaN": 0, "ZgotmplZ": 0,
	} {
		if n := strings.Count(page, part); n != want {
			t.Errorf("the page holds %q %d times, want %d", part, n, want)
		}
	}
	if status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if status, _ := get(t, client, server.URL+"/study?name=other"); status != http.StatusNotFound {
		t.Errorf("an unknown study gives status %d", status)
	}
	// The page is live: while a trial runs it reloads itself, and shows more.
	began, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.Optimize(context.Background(), func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
			close(began)
			<-release
			return tr.Float("x", 0, 1, false)
		}, study.Run{Trials: 1})
	}()
	select {
	case <-began:
	case err := <-done:
		t.Fatalf("the trial did not begin: %v", err)
	}
	_, live := get(t, client, server.URL+"/study?name=a%20%26%20%3Cb%3E")
	if !strings.Contains(live, "1 running") || !strings.Contains(live, `<meta http-equiv="refresh"`) {
		t.Error("the page does not follow a running trial")
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, page = get(t, client, server.URL+"/study?name=a%20%26%20%3Cb%3E"); !strings.Contains(page, "12 complete") || strings.Contains(page, "http-equiv") {
		t.Error("the page does not show the trial that ended")
	}
}

func TestServeRefusesOtherHosts(t *testing.T) {
	_, server := servedStudy(t)
	request, _ := http.NewRequest("GET", server.URL, nil)
	request.Host = "example.org"
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("a request for another host gives %s", response.Status)
	}
}

// Whoever brings no token, a wrong one, or that of another server learns nothing.
func TestServeAsksForToken(t *testing.T) {
	_, server := servedStudy(t)
	for name, change := range map[string]func(*http.Request){
		"nothing":      func(*http.Request) {},
		"wrong token":  func(r *http.Request) { r.URL.RawQuery = "token=" + testToken + "x" },
		"empty token":  func(r *http.Request) { r.URL.RawQuery = "token=" },
		"wrong cookie": func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "workbench-" + r.URL.Port(), Value: "x"}) },
		"another port": func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "workbench-1", Value: testToken}) },
	} {
		for _, path := range []string{"/", "/study?name=a%20%26%20%3Cb%3E"} {
			request, err := http.NewRequest("GET", server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			change(request)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.StatusCode != http.StatusForbidden || strings.Contains(string(body), "trial") {
				t.Errorf("%s, %s: %s\n%s", name, path, response.Status, body)
			}
		}
	}
}

// A connection that says nothing is closed, and there are only so many.
func TestServeBoundsPeers(t *testing.T) {
	server := newServer(http.NotFoundHandler())
	if server.IdleTimeout <= 0 || server.ReadHeaderTimeout <= 0 || server.ReadTimeout <= 0 || server.WriteTimeout <= 0 {
		t.Fatalf("a limit is missing: %+v", server)
	}
	server.IdleTimeout, server.ReadHeaderTimeout = 50*time.Millisecond, 50*time.Millisecond
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	few := &fewConnections{Listener: listener, open: make(chan struct{}, 2)}
	go func() { _ = server.Serve(few) }()
	defer server.Close()
	for range 3 { // three rounds of two that never speak, and one that waits for its turn
		for range 2 {
			silent, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer silent.Close()
		}
		response, err := http.Get("http://" + listener.Addr().String())
		for err != nil { // a busy machine may have kept it silent for too long as well
			response, err = http.Get("http://" + listener.Addr().String())
		}
		response.Body.Close()
		if len(few.open) > 2 {
			t.Errorf("%d connections are open, want at most 2", len(few.open))
		}
	}
}

// In a real browser the page must lay out: every figure has its size, and no
// error stands in its place.
func TestServeInBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no chromium here: on Debian, apt-get install chromium")
	}
	_, server := servedStudy(t)
	shot := filepath.Join(t.TempDir(), "page.png")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // for a browser that hangs
	defer cancel()
	browse := func(args ...string) []byte {
		t.Helper()
		all := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=" + t.TempDir()}, args...)
		cmd := exec.CommandContext(ctx, browser, append(all, server.URL+"/study?name=a%20%26%20%3Cb%3E&token="+testToken)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", browser, err)
		}
		return out
	}
	dom := string(browse("--dump-dom"))
	for part, want := range map[string]int{"<circle": 33, `<tr class="complete">`: 11, "<svg": 4} {
		if n := strings.Count(dom, part); n != want {
			t.Errorf("the browser has %q %d times, want %d", part, n, want)
		}
	}
	browse("--screenshot="+shot, "--window-size=1000,1400")
	if info, err := os.Stat(shot); err != nil || info.Size() < 10_000 {
		t.Errorf("the screenshot is %v (%v)", info, err)
	}
}

// A page knows this machine by each of its names, with a port and, as browsers leave 80 out, without one; no other name passes.
func TestNamesOfThisMachine(t *testing.T) {
	handler := guarded(http.NotFoundHandler(), testToken)
	for host, want := range map[string]int{
		"localhost": 404, "127.0.0.1": 404, "[::1]": 404, "localhost:8080": 404, "127.0.0.1:8080": 404, "[::1]:8080": 404, "127.1.2.3:1": 404,
		"": 403, "example.org": 403, "example.org:8080": 403, "localhost.example.org": 403, "10.0.0.1": 403, "[::2]": 403, "[::2]:80": 403, "0.0.0.0:80": 403, ":80": 403,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		_, port, _ := strings.Cut(strings.TrimPrefix(host, "[::1]"), ":")
		r.AddCookie(&http.Cookie{Name: "workbench-" + port, Value: testToken})
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != want {
			t.Errorf("host %q gives %d, want %d: %s", host, w.Code, want, w.Body)
		}
	}
}
