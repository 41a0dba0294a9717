package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	_ "trowel.example/all"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

// FuzzFrames tests that any input is read as messages up to an error, and that a message round-trips.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{"Content-Length: 2\r\n\r\n{}", "Content-Length: 2\r\nContent-Type: x\r\n\r\n{}Content-Length: 1\r\n\r\n1",
		"content-length:  3 \n\nabc", "Content-Length: 99999999999\r\n\r\n", "Content-Length: 5\r\n\r\n{}", "a\r\n\r\n", "\r\n",
		strings.Repeat("a: b\r\n", 2000)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bufio.NewReaderSize(bytes.NewReader(data), maxHeader)
		for {
			content, err := readMessage(in)
			if err != nil {
				break
			}
			if len(content) > len(data) {
				t.Fatalf("%d bytes of %d", len(content), len(data))
			}
		}
		var out bytes.Buffer
		if err := writeMessage(&out, &message{Method: string(data)}); err != nil {
			t.Fatal(err)
		}
		if _, err := readMessage(bufio.NewReaderSize(&out, maxHeader)); err != nil || out.Len() > 0 {
			t.Errorf("%v, %d bytes left", err, out.Len())
		}
	})
}

// FuzzEdits tests changes of a text by positions in units of UTF-16 against the same change of a list of units.
func FuzzEdits(f *testing.F) {
	f.Add("[UNIT]\r\n\t<STRING>NAME:é𝄞a\r\n[/UNIT]", "𝄞\n", uint32(1), uint32(15), uint32(1), uint32(18))
	f.Add("a\rb\nc\r\n", "", uint32(0), uint32(9), uint32(2), uint32(1))
	f.Add("", "x", uint32(5), uint32(5), uint32(0), uint32(0))
	f.Add("𝄞𝄞", "y", uint32(0), uint32(1), uint32(0), uint32(3))
	f.Fuzz(func(t *testing.T, before, by string, l1, c1, l2, c2 uint32) {
		before, by = strings.ToValidUTF8(before, "?"), strings.ToValidUTF8(by, "?")
		tx := newText(before)
		change := change{&textRange{position{l1, c1}, position{l2, c2}}, by}
		got := tx.edit(change, false)
		from, to := modelOffset(before, l1, c1), modelOffset(before, l2, c2)
		if from > to {
			from, to = to, from
		}
		units := utf16.Encode([]rune(before))
		want := string(utf16.Decode(slices.Concat(units[:from], utf16.Encode([]rune(by)), units[to:])))
		if got.string != want {
			t.Errorf("%q, want %q", got.string, want)
		}
		for _, offset := range []int{0, len(before) / 2, len(before)} {
			for offset < len(before) && !utf8.RuneStart(before[offset]) {
				offset++
			}
			for _, inBytes := range []bool{false, true} {
				p := tx.position(offset, inBytes)
				if back := tx.offset(p, inBytes); back != offset && !(back == offset-1 && strings.HasPrefix(before[back:], "\r\n")) {
					t.Errorf("offset %d is %v and then %d", offset, p, back)
				}
			}
			if back := tx.offsetOf(tx.spot(offset)); back != offset {
				t.Errorf("offset %d becomes %d by its spot", offset, back)
			}
		}
		for _, e := range []encoding{{units: 1}, {1, false, true}, {2, false, true}, {2, true, true}} {
			if data := e.encode(before); e.mark && decodeText(data) != before {
				t.Errorf("%v: %q", e, decodeText(data))
			}
		}
	})
}

// TestEditBytes tests that a change by positions in bytes of UTF-8 cuts no character.
func TestEditBytes(t *testing.T) {
	for at, want := range map[[2]uint32]string{{1, 1}: "axé𝄞", {2, 2}: "axé𝄞", {1, 2}: "axé𝄞", {2, 3}: "ax𝄞", {3, 6}: "aéx𝄞", {6, 7}: "aéx",
		{6, 99}: "aéx", {7, 7}: "aé𝄞x"} {
		if got := newText("aé𝄞").edit(change{&textRange{position{0, at[0]}, position{0, at[1]}}, "x"}, true); got.string != want {
			t.Errorf("%v: %q, want %q", at, got.string, want)
		}
	}
}

// modelOffset returns the offset of a position in units of UTF-16.
func modelOffset(s string, line, column uint32) int {
	units := utf16.Encode([]rune(s))
	at := 0
	for ; line > 0; line-- {
		for at < len(units) && units[at] != '\n' && units[at] != '\r' {
			at++
		}
		if at == len(units) {
			return at
		}
		if units[at] == '\r' && at+1 < len(units) && units[at+1] == '\n' {
			at++
		}
		at++
	}
	for ; column > 0 && at < len(units) && units[at] != '\n' && units[at] != '\r'; column-- {
		if utf16.IsSurrogate(rune(units[at])) && at+1 < len(units) {
			if column == 1 {
				return at // within a character
			}
			column--
			at++
		}
		at++
	}
	return at
}

// FuzzMessages tests that no message after initialize breaks the server.
func FuzzMessages(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "ember")
	if err := os.CopyFS(dir, os.DirFS("../../../samples/ember")); err != nil {
		f.Fatal(err)
	}
	u := uriOf(filepath.Join(dir, "MEDIA/UNITS/ITEMS/RINGS/EMBER_RING.DAT"))
	open := fmt.Sprintf(`{"method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"version":1,`+
		`"text":"[UNIT]\n\t<STRING>NAME:A\n[/UNIT]"}}}`, u)
	for _, method := range []string{"hover", "completion", "definition", "didChange"} {
		f.Add(open + "\n" + fmt.Sprintf(`{"id":1,"method":"textDocument/%s","params":{"textDocument":{"uri":%q,"version":2},`+
			`"position":{"line":1,"character":15},`+
			`"contentChanges":[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":4294967295}},"text":"x"}]}}`, method, u))
	}
	f.Add(`{"method":"$/cancelRequest","params":{"id":1}}` + "\n" + `{"id":"","method":"shutdown"}` + "\n" + `{"method":"exit"}`)
	f.Add(`[]` + "\n" + `{"id":{},"method":[]}` + "\n" +
		`{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///","text":""}}}`)
	f.Fuzz(func(t *testing.T, script string) {
		ctx, cancel := context.WithCancel(t.Context())
		srv := newServer(service.New(format.Registered(), strings.NewReader(""), silent{}, new(wording.Aliases)), io.Discard)
		defer srv.close()
		defer srv.running.Wait()
		defer cancel()
		srv.handle(ctx, []byte(`{"id":0,"method":"initialize","params":{}}`))
		for line := range strings.Lines(script) {
			var m message
			if json.Unmarshal([]byte(line), &m) == nil && questions[m.Method] != nil {
				_, _ = questions[m.Method](srv, ctx, m.Params) // here, so that a panic fails the test
			} else {
				srv.handle(ctx, []byte(line))
			}
		}
	})
}

// silent ignores reports.
type silent struct{}

func (silent) Say(string, ...any)        {}
func (silent) Warn(string, string)       {}
func (silent) Miss(string, string)       {}
func (silent) Progress(string, int, int) {}
func (silent) Fail(error)                {}
func (silent) Clear()                    {}
func (silent) Flush()                    {}
