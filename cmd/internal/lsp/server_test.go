package lsp_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/cmd/internal/lsp"
)

// TestLife tests the order of the messages of a connection.
func TestLife(t *testing.T) {
	c := connect(t, nil)
	fails := func(method, want string) {
		t.Helper()
		if _, failure := c.result(c.send(method, struct{}{})); !strings.Contains(failure, want) {
			t.Errorf("%s: %q, want %q", method, failure, want)
		}
	}
	fails("textDocument/hover", "expected initialize first")
	c.tell("textDocument/didOpen", struct{}{}) // ignored
	c.ask("initialize", json.RawMessage(`{"capabilities":{"general":{"positionEncodings":["utf-16","utf-8"]}}}`))
	fails("initialize", "already")
	fails("workspace/unknown", "unknown method")
	fails("textDocument/hover", "is not open")
	c.write(`{"jsonrpc":"2.0","id":"a","method":"textDocument/hover","params":[]}`)
	if _, failure := c.result(`"a"`); !strings.Contains(failure, "cannot unmarshal") {
		t.Error(failure)
	}
	c.write(`{`)
	if _, failure := c.result("null"); !strings.Contains(failure, "unexpected end") {
		t.Error(failure)
	}
	if got := c.ask("shutdown", nil); string(got) != "null" {
		t.Errorf("%s", got)
	}
	fails("textDocument/hover", "shut down")
	c.tell("exit", nil)
	if err := <-c.end; err != nil {
		t.Error(err)
	}
}

func TestEarlyEnd(t *testing.T) {
	c := start(t, `{}`, nil)
	c.tell("exit", nil)
	if err := <-c.end; !errors.Is(err, lsp.ErrNoShutdown) {
		t.Error(err)
	}
	c = start(t, `{}`, nil)
	c.in.Close()
	if err := <-c.end; !errors.Is(err, lsp.ErrNoShutdown) {
		t.Error(err)
	}
	c = start(t, `{}`, nil)
	if _, err := c.in.Write([]byte("Content-Length: 9999999999\r\n\r\n")); err != nil {
		t.Error(err)
	}
	if err := <-c.end; err == nil || !strings.Contains(err.Error(), "expected a length") {
		t.Error(err)
	}
}

// TestEdits tests that changes of ranges are applied in both encodings of positions.
func TestEdits(t *testing.T) {
	for _, encoding := range []string{"utf-16", "utf-8"} {
		ring, _, _ := ember(t)
		c := start(t, `{"general":{"positionEncodings":["`+encoding+`"]}}`, nil)
		u := c.open(ring, "[UNIT]\r\n\t<STRING>NAME:é𝄞a\r\n\t<INTEGER>LEVEL:x\r\n[/UNIT]")
		at := 18 // of the letter a
		if encoding == "utf-8" {
			at = 21
		}
		if p := c.has(u, "tl-source-unreadable"); p.Range.String() != "2:16-2:17" {
			t.Errorf("%s: %v", encoding, p)
		}
		c.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": u, "version": 2}, "contentChanges": []any{
			map[string]any{"range": span{spot{2, 16}, spot{2, 17}}, "text": "7"},
			map[string]any{"range": span{spot{1, at}, spot{1, at + 1}}, "text": "b\r\n\t<FLOAT>SPEED:𝄞"},
		}})
		c.waitProblems(u, func(list []problem) bool {
			return len(list) == 1 && list[0].Range.Start.Line == 2 && strings.Contains(list[0].Message, "type FLOAT") &&
				strings.Contains(list[0].Message, "𝄞")
		})
		c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": u}})
		c.waitProblems(u, func(list []problem) bool { return len(list) == 0 })
	}
}

// TestElsewhere tests texts that belong to no folder.
func TestElsewhere(t *testing.T) {
	c := start(t, `{}`, nil)
	dir := t.TempDir()
	rules := c.open(filepath.Join(dir, "a.rules"), "[A]\nIndex 1\nPos 0 0 FUL\n")
	if p := c.has(rules, "tw-rules-pos"); p.Range.String() != "2:0-2:11" {
		t.Errorf("%v", p)
	}
	other := c.open(filepath.Join(dir, "a.txt"), "text")
	c.open("/", "text")
	c.texts["untitled:a"] = "x"
	c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "untitled:a", "text": "x"}})
	if got := c.ask("textDocument/hover", c.at(other, "text")); string(got) != "null" {
		t.Errorf("%s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
