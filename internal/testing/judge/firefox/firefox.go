// Package firefox lets tests use a page in a real Firefox browser without a window, through WebDriver BiDi.
package firefox

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"trowel.example/internal/testing/judge"
)

// patience is the time limit of a step on a busy machine.
const patience = 2 * time.Minute

// Page is a page in a separate browser.
type Page struct {
	t       testing.TB
	conn    io.ReadWriter
	id      int
	context string
}

// Start starts a browser. It skips the test if Firefox is not installed, unless judges are required.
func Start(t testing.TB) *Page {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	cmd := exec.CommandContext(ctx, judge.Find(t, "firefox-esr"), "--headless", "--no-remote", "--remote-debugging-port=0",
		"--profile", t.TempDir(), "about:blank")
	cmd.Env = append(cmd.Environ(), "MOZ_DISABLE_CONTENT_SANDBOX=1", "HOME="+t.TempDir())
	messages, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	const listening = "WebDriver BiDi listening on "
	lines, address := bufio.NewScanner(messages), ""
	for address == "" && lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), listening); ok {
			address = at
		}
	}
	go func() { _, _ = io.Copy(io.Discard, messages) }()
	conn, _, _, err := ws.Dial(ctx, address+"/session")
	if err != nil {
		t.Fatalf("Firefox at %q: %v", address, err)
	}
	t.Cleanup(func() { conn.Close() })
	p := &Page{t: t, conn: conn}
	p.send("session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	var tree struct {
		Contexts []struct{ Context string }
	}
	p.send("browsingContext.getTree", map[string]any{}, &tree)
	p.context = tree.Contexts[0].Context
	return p
}

// send sends a command and waits for its result.
func (p *Page) send(method string, params map[string]any, result any) {
	p.t.Helper()
	if err := p.try(method, params, result); err != nil {
		p.t.Fatal(err)
	}
}

func (p *Page) try(method string, params map[string]any, result any) error {
	p.id++
	data, err := json.Marshal(map[string]any{"id": p.id, "method": method, "params": params})
	if err == nil {
		err = wsutil.WriteClientText(p.conn, data)
	}
	for err == nil {
		if data, err = wsutil.ReadServerText(p.conn); err != nil {
			break
		}
		var answer struct {
			ID             int
			Result         json.RawMessage
			Error, Message string
		}
		if err = json.Unmarshal(data, &answer); err != nil || answer.ID != p.id {
			continue // an event
		}
		if answer.Error != "" {
			return fmt.Errorf("%s: %s: %s", method, answer.Error, answer.Message)
		}
		if result != nil {
			err = json.Unmarshal(answer.Result, result)
		}
		break
	}
	return err
}

// Open opens an address.
func (p *Page) Open(address string) {
	p.t.Helper()
	p.send("browsingContext.navigate", map[string]any{"context": p.context, "url": address, "wait": "complete"}, nil)
}

// evaluation is the result of a script.
type evaluation struct {
	Result struct {
		Value    json.RawMessage
		SharedID string
	}
	ExceptionDetails struct{ Text string }
}

func (p *Page) evaluate(code string) (e evaluation) {
	p.t.Helper()
	p.send("script.evaluate", map[string]any{"expression": code, "awaitPromise": true, "target": map[string]any{"context": p.context}}, &e)
	if e.ExceptionDetails.Text != "" {
		p.t.Fatalf("%s: %s", code, e.ExceptionDetails.Text)
	}
	return e
}

// Text runs JavaScript, waits for its promise if it is one, and returns its value as text.
func (p *Page) Text(code string) (text string) {
	p.t.Helper()
	e := p.evaluate("(async () => String(await (" + code + ")))()")
	if err := json.Unmarshal(e.Result.Value, &text); err != nil {
		p.t.Fatal(err)
	}
	return text
}

// Wait waits until a JavaScript expression is true.
func (p *Page) Wait(code string) {
	p.t.Helper()
	for start := time.Now(); p.Text("Boolean("+code+")") != "true"; time.Sleep(50 * time.Millisecond) {
		if time.Since(start) > patience {
			p.t.Fatalf("never true: %s", code)
		}
	}
}

// Press presses and releases a key in the element that has the focus: a character, or a code of WebDriver such as "\ue00c" for Escape.
func (p *Page) Press(key string) {
	p.t.Helper()
	presses := []any{map[string]any{"type": "keyDown", "value": key}, map[string]any{"type": "keyUp", "value": key}}
	p.send("input.performActions", map[string]any{"context": p.context,
		"actions": []any{map[string]any{"type": "key", "id": "keys", "actions": presses}}}, nil)
}

// Picture saves a screenshot of the visible part as NAME.png in the folder TROWEL_SCREENSHOTS, if this is set.
func (p *Page) Picture(name string) {
	p.t.Helper()
	dir := os.Getenv("TROWEL_SCREENSHOTS")
	if dir == "" {
		return
	}
	var shot struct{ Data []byte }
	p.send("browsingContext.captureScreenshot", map[string]any{"context": p.context}, &shot)
	if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(p.t.Name(), "/", "_")+"_"+name+".png"), shot.Data, 0o666); err != nil {
		p.t.Error(err)
	}
}

// Choose chooses files in the element that a CSS selector selects.
func (p *Page) Choose(selector string, files ...string) {
	p.t.Helper()
	e := p.evaluate(fmt.Sprintf("document.querySelector(%q)", selector))
	element := map[string]any{"sharedId": e.Result.SharedID}
	p.send("input.setFiles", map[string]any{"context": p.context, "element": element, "files": files}, nil)
}
