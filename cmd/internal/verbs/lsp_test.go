package verbs

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestLsp tests the server as an editor starts it, with a pipe as its input.
func TestLsp(t *testing.T) {
	const hello = `{"id":1,"method":"initialize","params":{}}`
	for script, want := range map[string]struct {
		code      int
		out, said string
	}{
		hello: {exitFailed, `"id":1`, "without a request to shut down"},
		hello + ` {"id":2,"method":"shutdown"} {"method":"exit"}`: {exitFine, `"name":"trowel"`, ""},
	} {
		in, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range strings.Fields(script) {
			fmt.Fprintf(write, "Content-Length: %d\r\n\r\n%s", len(m), m)
		}
		write.Close()
		var out, talk bytes.Buffer
		code := run(games, []string{"lsp"}, in, &out, &talk)
		in.Close()
		if code != want.code || !strings.Contains(out.String(), want.out) || !strings.Contains(talk.String(), want.said) {
			t.Errorf("%s: exit code %d: %s%s", script, code, &out, &talk)
		}
	}
}
