package verbs

import (
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"trowel.example/internal/testing/tests"
)

// fetch is a command for scripts: it waits until a file contains the address of a page, and prints the answer
// at a path of the page, which must have the given status.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fetch FILE STATUS PATH")
	}
	address := ""
	for range 3000 {
		data, _ := os.ReadFile(ts.MkAbs(args[0]))
		if line, _, whole := strings.Cut(string(data), "\n"); whole {
			address = line
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	at, err := url.Parse(address)
	if ts.Check(err); address == "" {
		ts.Fatalf("%s has no address", args[0])
	}
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	client := &http.Client{Jar: jar}
	resp, err := client.Get(address)
	ts.Check(err)
	resp.Body.Close()
	resp, err = client.Get("http://" + at.Host + args[2])
	ts.Check(err)
	defer resp.Body.Close()
	if !strings.HasPrefix(resp.Status, args[1]) {
		ts.Fatalf("%s: %s", args[2], resp.Status)
	}
	var body strings.Builder
	ts.Check(resp.Write(&body))
	_, err = ts.Stdout().Write([]byte(body.String()))
	ts.Check(err)
}

func TestSSHLine(t *testing.T) {
	tests.OnHost(t, map[string]string{"name of the user": "me"})
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}
	for connection, want := range map[string]string{
		"":                                  "",
		"10.0.0.1 50000":                    "",
		"10.0.0.1 50000 10.0.0.2 22":        " me@10.0.0.2",
		"10.0.0.1 50000 10.0.0.2 2222":      " me@10.0.0.2",
		"fe80::1%eth0 50000 2001:db8::2 22": " me@2001:db8::2",
	} {
		got := sshLine(connection, at)
		if want == "" && got != "" || want != "" && !(strings.HasPrefix(got, "ssh -L 4711:127.0.0.1:4711 ") && strings.HasSuffix(got, want)) {
			t.Errorf("%q: %q", connection, got)
		}
		if strings.Contains(got, "-p ") != strings.HasSuffix(connection, "2222") {
			t.Errorf("%q: %q", connection, got)
		}
	}
}
