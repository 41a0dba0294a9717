package lsp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	_ "trowel.example/all"
	"trowel.example/cmd/internal/lsp"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

// client is an editor for tests.
type client struct {
	t   testing.TB
	in  io.WriteCloser
	end chan error

	mu       sync.Mutex
	arrived  *sync.Cond
	answers  map[string]json.RawMessage // by ID
	failures map[string]string
	problems map[string][]problem // the last diagnostics, by URI
	logs     []string
	closed   bool
	next     int
	texts    map[string]string // of open documents, by URI
}

type problem struct {
	Range    span
	Severity int
	Code     string
	Message  string
}

type spot struct{ Line, Character int }

type span struct{ Start, End spot }

func (s span) String() string {
	return fmt.Sprintf("%d:%d-%d:%d", s.Start.Line, s.Start.Character, s.End.Line, s.End.Character)
}

// quiet ignores reports.
type quiet struct{}

func (quiet) Say(string, ...any)        {}
func (quiet) Warn(string, string)       {}
func (quiet) Miss(string, string)       {}
func (quiet) Progress(string, int, int) {}
func (quiet) Fail(error)                {}
func (quiet) Clear()                    {}
func (quiet) Flush()                    {}

// start starts a server and initializes it with capabilities, in JSON.
func start(t testing.TB, capabilities string, options map[string]string) *client {
	t.Helper()
	c := connect(t, options)
	if got := c.ask("initialize", json.RawMessage(`{"capabilities":`+capabilities+`}`)); !strings.Contains(string(got), "positionEncoding") {
		t.Fatalf("initialize: %s", got)
	}
	c.tell("initialized", struct{}{})
	return c
}

// connect starts a server.
func connect(t testing.TB, options map[string]string) *client {
	t.Helper()
	in, write := io.Pipe()
	read, out := io.Pipe()
	c := &client{t: t, in: write, end: make(chan error, 1), answers: make(map[string]json.RawMessage),
		failures: make(map[string]string), problems: make(map[string][]problem), texts: make(map[string]string)}
	c.arrived = sync.NewCond(&c.mu)
	s := service.New(format.Registered(), strings.NewReader(""), quiet{}, new(wording.Aliases))
	for name, value := range options {
		s.Options.Given = append(s.Options.Given, service.Given{Name: name, Value: value})
	}
	go func() {
		err := lsp.Serve(t.Context(), s, in, out)
		out.Close()
		in.Close()
		c.end <- err
	}()
	go c.read(bufio.NewReader(read))
	t.Cleanup(func() {
		write.Close()
		c.wait(func() bool { return c.closed })
	})
	return c
}

// read keeps the messages of the server.
func (c *client) read(r *bufio.Reader) {
	defer func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.arrived.Broadcast()
	}()
	for {
		size := 0
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimSpace(line)
			if line == "" {
				break
			}
			if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				size, _ = strconv.Atoi(n)
			}
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(r, data); err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(data, &m); err != nil {
			c.t.Errorf("%v: %s", err, data)
		}
		c.mu.Lock()
		switch {
		case m.Method == "textDocument/publishDiagnostics":
			var p struct {
				URI         string
				Diagnostics []problem
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				c.t.Error(err)
			}
			c.problems[p.URI] = p.Diagnostics
		case m.Method == "window/logMessage":
			c.logs = append(c.logs, string(m.Params))
		case m.Error != nil:
			c.failures[string(m.ID)] = m.Error.Message
		case m.Method == "":
			c.answers[string(m.ID)] = m.Result
		}
		c.mu.Unlock()
		c.arrived.Broadcast()
	}
}

// patience is the time after which a test gives up.
const patience = 60 * time.Second

// wait waits until is reports true. It is called with the lock.
func (c *client) wait(is func() bool) {
	c.t.Helper()
	late := time.AfterFunc(patience, func() { c.t.Error("no answer from the server"); c.arrived.Broadcast() })
	defer late.Stop()
	begin := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !is() && time.Since(begin) < patience {
		c.arrived.Wait()
	}
}

func (c *client) write(content string) {
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(content), content); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		c.t.Error(err)
	}
}

// tell sends a notification.
func (c *client) tell(method string, params any) {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(data))
}

// send sends a request and returns its ID.
func (c *client) send(method string, params any) string {
	c.next++
	id := strconv.Itoa(c.next)
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(data))
	return id
}

// result waits for the answer to a request.
func (c *client) result(id string) (json.RawMessage, string) {
	c.t.Helper()
	c.wait(func() bool { return c.closed || c.answers[id] != nil || c.failures[id] != "" })
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers[id], c.failures[id]
}

// ask sends a request and returns its result.
func (c *client) ask(method string, params any) json.RawMessage {
	c.t.Helper()
	result, failure := c.result(c.send(method, params))
	if failure != "" {
		c.t.Errorf("%s: %s", method, failure)
	}
	return result
}

func uri(name string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(name), "/")}).String()
}

// open opens a document with a text.
func (c *client) open(name, text string) string {
	u := uri(name)
	c.texts[u] = text
	c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": u, "version": 1, "text": text}})
	return u
}

// openFile opens a document with the text of its file.
func (c *client) openFile(name string) string {
	c.t.Helper()
	return c.open(name, readText(c.t, name))
}

// change replaces all of a document.
func (c *client) change(u, text string) {
	c.texts[u] = text
	c.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": u, "version": 2},
		"contentChanges": []any{map[string]any{"text": text}}})
}

// waitProblems waits until the problems of a document pass a filter, and returns them.
func (c *client) waitProblems(u string, is func([]problem) bool) []problem {
	c.t.Helper()
	c.wait(func() bool { list, sent := c.problems[u]; return sent && is(list) })
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.problems[u]
}

// has waits until a document has a problem of a kind, and returns it.
func (c *client) has(u, code string) problem {
	c.t.Helper()
	var found problem
	c.waitProblems(u, func(list []problem) bool {
		for _, p := range list {
			if p.Code == code {
				found = p
				return true
			}
		}
		return false
	})
	return found
}

// at returns the position of the first character of a part of a document, in UTF-16 of ASCII.
func (c *client) at(u, part string) map[string]any {
	c.t.Helper()
	text := c.texts[u]
	i := strings.Index(text, part)
	if i < 0 {
		c.t.Fatalf("%s has no %q", u, part)
	}
	line := strings.Count(text[:i], "\n")
	return map[string]any{"textDocument": map[string]any{"uri": u},
		"position": spot{line, i - strings.LastIndexByte(text[:i], '\n') - 1}}
}

// after is at for the end of the part.
func (c *client) after(u, part string) map[string]any {
	c.t.Helper()
	p := c.at(u, part)
	s := p["position"].(spot)
	s.Character += len(part)
	p["position"] = s
	return p
}

// copySample copies a sample to a temporary folder.
func copySample(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("../../../samples", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// readText returns the text of a file, in UTF-8.
func readText(t testing.TB, name string) string {
	t.Helper()
	data := judge.Read(t, name)
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) {
		var units []uint16
		for i := 2; i+1 < len(data); i += 2 {
			units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
		}
		return string(utf16.Decode(units))
	}
	return string(data)
}
