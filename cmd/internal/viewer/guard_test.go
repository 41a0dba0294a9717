package viewer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestGuard tests requests that do not come from the page.
func TestGuard(t *testing.T) {
	f, _ := toys(false, nil)
	s := toyServer(t, f, "abc")
	own := s.cookie() + "=" + s.token
	for _, c := range []struct {
		method, host, target string
		header               http.Header
		want                 int
	}{
		{"GET", "127.0.0.1:1234", "/", nil, 200},
		{"HEAD", "127.0.0.1:1234", "/", nil, 200},
		{"GET", "localhost:1234", "/", nil, 200},
		{"GET", "[::1]:1234", "/session", nil, 200},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {"http://127.0.0.1:1234"}}, 200},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Sec-Fetch-Site": {"none"}}, 200},

		// Other addresses.
		{"GET", "evil.example", "/", nil, 403},
		{"GET", "evil.example:1234", "/", nil, 403},
		{"GET", "", "/", nil, 403},
		{"GET", "127.0.0.1", "/", nil, 403},
		{"GET", "127.0.0.1:80", "/", nil, 403},
		{"GET", "127.0.0.1:1234.", "/", nil, 403},
		{"GET", "127.0.0.1.:1234", "/", nil, 403},
		{"GET", "localhost.:1234", "/", nil, 403},
		{"GET", "LOCALHOST:1234", "/", nil, 403},
		{"GET", "localhost", "/", nil, 403},
		{"GET", "[::1]", "/", nil, 403},
		{"GET", "[::ffff:127.0.0.1]:1234", "/", nil, 403},
		{"GET", "0.0.0.0:1234", "/", nil, 403},
		{"GET", "127.0.0.2:1234", "/", nil, 403},
		{"GET", "127.0.0.1:1234@evil.example", "/", nil, 403},

		// Other sites.
		{"GET", "127.0.0.1:1234", "/", http.Header{"Sec-Fetch-Site": {"cross-site"}}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Sec-Fetch-Site": {"same-site"}}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Sec-Fetch-Site": {"same-origin", "cross-site"}}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Sec-Fetch-Site": {""}}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Origin": {"http://evil.example"}}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Origin": {"null"}}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Origin": {"http://localhost:1234"}}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Origin": {"https://127.0.0.1:1234"}}, 403},

		// Other methods.
		{"POST", "127.0.0.1:1234", "/", nil, 405},
		{"PUT", "127.0.0.1:1234", "/f/0/open", nil, 405},
		{"DELETE", "127.0.0.1:1234", "/f/0/open", nil, 405},
		{"OPTIONS", "127.0.0.1:1234", "/f/0/open", nil, 405},
		{"PROPFIND", "127.0.0.1:1234", "/", nil, 405},
		{"get", "127.0.0.1:1234", "/", nil, 405},

		// Missing or wrong cookies.
		{"GET", "127.0.0.1:1234", "/", http.Header{"Cookie": nil}, 403},
		{"GET", "127.0.0.1:1234", "/f/0/tile/1/0/0/0", http.Header{"Cookie": nil}, 403},
		{"GET", "127.0.0.1:1234", "/page/app.js", http.Header{"Cookie": nil}, 403},
		{"GET", "127.0.0.1:1234", "/events", http.Header{"Cookie": nil}, 403},
		{"GET", "127.0.0.1:1234", "/nothing", http.Header{"Cookie": nil}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Cookie": {s.cookie() + "="}}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Cookie": {s.cookie() + "=" + s.token[1:]}}, 403},
		{"GET", "127.0.0.1:1234", "/", http.Header{"Cookie": {"trowel-1=" + s.token}}, 403},
		{"GET", "127.0.0.1:1234", "/?t=" + s.token[1:], nil, 403},
		{"GET", "127.0.0.1:1234", "/?t=", nil, 403},
		{"GET", "127.0.0.1:1234", "/session?t=" + s.token, http.Header{"Cookie": nil}, 403},
		// Set by a server on another port.
		{"GET", "127.0.0.1:1234", "/", http.Header{"Cookie": {s.cookie() + "=planted; " + own}}, 200},

		// Paths.
		{"GET", "127.0.0.1:1234", "/..%2f..%2fetc/passwd", nil, 404},
		{"GET", "127.0.0.1:1234", "/../etc/passwd", nil, 404},
		{"GET", "127.0.0.1:1234", "/page/../viewer.go", nil, 404},
		{"GET", "127.0.0.1:1234", "/page/..%2fviewer.go", nil, 404},
		{"GET", "127.0.0.1:1234", "/page/", nil, 404},
		{"GET", "127.0.0.1:1234", "/page/index.html", nil, 404},
		{"GET", "127.0.0.1:1234", "/page/app.js%00", nil, 404},
		{"GET", "127.0.0.1:1234", "/page/app.js", nil, 200},
		{"GET", "127.0.0.1:1234", "//session", nil, 404},
		{"GET", "127.0.0.1:1234", "/session/", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/tree?path=a", nil, 200},
		{"GET", "127.0.0.1:1234", "/f/0/text?path=a/toy.txt", nil, 200},
		{"GET", "127.0.0.1:1234", "/f/0/text?path=a", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/text?path=../toy", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/text?path=a/../a/toy.txt", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/text?path=/etc/passwd", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/text?path=a//toy.txt", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/text?path=a%00", nil, 404},
		{"GET", "127.0.0.1:1234", `/f/0/text?path=a\toy.txt`, nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/text?path=NUL", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/1/open", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/-1/open", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/x/open", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/tile/9/0/0/0", nil, 410},
		{"GET", "127.0.0.1:1234", "/f/0/tile/1/99/0/0", nil, 400},
		{"GET", "127.0.0.1:1234", "/f/0/tile/1/0/0/99999999", nil, 400},
		{"GET", "127.0.0.1:1234", "/f/0/tilt/1/0/0/0", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/tile/1/0/0/0?o.shift=x", nil, 400},
		{"GET", "127.0.0.1:1234", "/f/0/tile/1/0/0/0?o.mapres=/etc", nil, 400},
		{"GET", "127.0.0.1:1234", "/f/0/tile/1/0/0/0?l=7", nil, 400},
		{"GET", "127.0.0.1:1234", "/f/0/tile/1/0/0/0?time=-1", nil, 400},
		{"GET", "127.0.0.1:1234", "/f/0/tile/1/0/0/0?view=x", nil, 404},
		{"GET", "127.0.0.1:1234", "/f/0/stale?since=1&z=0&x0=0&y0=0&x1=9999&y1=9999", nil, 400},
		{"GET", "127.0.0.1:1234", "/f/0/stale?since=2&z=0&x0=0&y0=0&x1=0&y1=0", nil, 400},
	} {
		r := request(s, "/")
		r.Method, r.Host = c.method, c.host
		u, err := url.ParseRequestURI(c.target)
		if err != nil {
			t.Fatal(err)
		}
		r.URL = u
		for name, values := range c.header {
			if r.Header[name] = values; values == nil {
				delete(r.Header, name)
			}
		}
		w := httptest.NewRecorder()
		s.Guard(w, r)
		if w.Code != c.want {
			t.Errorf("%s %s%s %v: %d, want %d: %s", c.method, c.host, c.target, c.header, w.Code, c.want, w.Body)
		}
		safe(t, c.target, w.Result())
	}
}

// safe tests that an answer has all protective headers.
func safe(t *testing.T, what string, resp *http.Response) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy": "no-referrer",
	} {
		if got := resp.Header[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %s is %q", what, name, got)
		}
	}
	if resp.StatusCode >= 400 && resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: an error may be kept: %q", what, resp.Header.Get("Cache-Control"))
	}
	if resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%s: other sites may read it", what)
	}
}

// TestEntrance tests the addresses that the program prints.
func TestEntrance(t *testing.T) {
	f, _ := toys(false, nil)
	s := toyServer(t, f, "abc")
	enter := func(method, address string) *http.Response {
		t.Helper()
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		r := request(s, u.RequestURI())
		r.Method = method
		delete(r.Header, "Cookie")
		w := httptest.NewRecorder()
		s.Guard(w, r)
		safe(t, address, w.Result())
		return w.Result()
	}
	for range 2 {
		resp := enter("GET", s.address(s.token))
		if resp.StatusCode != 303 || resp.Header.Get("Location") != "/" {
			t.Errorf("%s %q", resp.Status, resp.Header)
		}
		c := resp.Cookies()
		if len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || c[0].Path != "/" ||
			c[0].Domain != "" || !strings.Contains(c[0].Name, s.port) {
			t.Errorf("%q", c)
		}
	}
	once := s.Once()
	if resp := enter("HEAD", once); resp.StatusCode != 403 {
		t.Errorf("a look at the ticket: %s", resp.Status)
	}
	if resp := enter("GET", once); resp.StatusCode != 303 {
		t.Errorf("the ticket: %s", resp.Status)
	}
	if resp := enter("GET", once); resp.StatusCode != 403 {
		t.Errorf("the ticket again: %s", resp.Status)
	}
	if strings.Contains(once, s.token) {
		t.Error("the ticket is the token")
	}
}

// TestRawRequests sends requests that no browser sends to the real server.
func TestRawRequests(t *testing.T) {
	f, _ := toys(false, nil)
	path := t.TempDir() + "/toy"
	write(t, path, "abc")
	s := New(One, []File{toyFile(f, path, nil)})
	l, _, err := s.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	if host, _, _ := net.SplitHostPort(l.Addr().String()); host != "127.0.0.1" {
		t.Fatalf("it listens on %s", host)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	host := "127.0.0.1:" + s.port
	cookie := "Cookie: " + s.cookie() + "=" + s.token + "\r\n"
	end := "\r\nConnection: close\r\n\r\n"
	for _, c := range []struct {
		bytes string
		want  int
	}{
		{"GET / HTTP/1.1\r\n" + cookie + "Host: " + host + end, 200},
		{"HEAD /session HTTP/1.1\r\n" + cookie + "Host: " + host + end, 200},
		{"GET /session HTTP/1.1\r\n" + cookie + "Host: " + host + "\r\nHost: " + host + end, 400},
		{"GET /session HTTP/1.1\r\n" + cookie + "Host: " + host + "\r\nHost: evil.example" + end, 400},
		{"GET /session HTTP/1.1\r\n" + cookie + "Host: evil.example\r\nX-Forwarded-Host: " + host + end, 403},
		{"GET /session HTTP/1.1\r\n" + cookie + "Host:" + end, 403},
		{"GET /session HTTP/1.1\r\n" + cookie + "Accept: */*" + end, 400},
		{"GET /session HTTP/1.0\r\n" + cookie + "Accept: */*" + end, 403},
		{"GET /session HTTP/1.1\r\n" + cookie + "Host: " + host + "/" + end, 400},
		{"GET http://evil.example/session HTTP/1.1\r\n" + cookie + "Host: " + host + end, 403},
		// Required by RFC 9112.
		{"GET http://" + host + "/session HTTP/1.1\r\n" + cookie + "Host: evil.example" + end, 200},
		{"OPTIONS * HTTP/1.1\r\n" + cookie + "Host: " + host + end, 405},
		{"CONNECT evil.example:80 HTTP/1.1\r\n" + cookie + "Host: " + host + end, 403},
		{"GET /..%2f..%2fetc/passwd HTTP/1.1\r\n" + cookie + "Host: " + host + end, 404},
		{"GET /../../etc/passwd HTTP/1.1\r\n" + cookie + "Host: " + host + end, 404},
		{"GET ../../etc/passwd HTTP/1.1\r\n" + cookie + "Host: " + host + end, 400},
		{"GET /\x00 HTTP/1.1\r\n" + cookie + "Host: " + host + end, 400},
		{"GET /session HTTP/1.1\r\n" + cookie + "Host: " + host + "\r\nX: " + strings.Repeat("x", 100<<10) + end, 431},
		{"GET /session?" + strings.Repeat("x", 60<<10) + " HTTP/1.1\r\n" + cookie + "Host: " + host + end, 200},
		{"GET /" + strings.Repeat("x/", 100<<10) + " HTTP/1.1\r\n" + cookie + "Host: " + host + end, 431},
		{"POST / HTTP/1.1\r\n" + cookie + "Host: " + host + "\r\nContent-Length: 3" + end + "abc", 405},
		{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 403},
	} {
		conn, err := net.Dial("tcp4", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(conn, c.bytes) }() // the connection may be closed early
		method, _, _ := strings.Cut(c.bytes, " ")
		resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
		if err != nil {
			t.Errorf("%.100q: %v", c.bytes, err)
			conn.Close()
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		if conn.Close(); resp.StatusCode != c.want {
			t.Errorf("%.100q: %s, want %d", c.bytes, resp.Status, c.want)
		}
		if method == "HEAD" && len(body) > 0 {
			t.Errorf("%.100q: a body of %d bytes", c.bytes, len(body))
		}
		if resp.StatusCode != 400 && resp.StatusCode != 431 { // answered by net/http, not by this package
			safe(t, fmt.Sprintf("%.100q", c.bytes), resp)
		}
	}
	// The page is not reachable at other addresses of the machine.
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() {
			if conn, err := net.Dial("tcp", net.JoinHostPort(ip.IP.String(), s.port)); err == nil {
				conn.Close()
				t.Errorf("it is reached by %s", ip.IP)
			}
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
