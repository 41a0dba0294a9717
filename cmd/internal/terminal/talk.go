// Package terminal prints to a terminal, a pipe or a file: messages and progress, colors, a pager, JSON and SARIF.
package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/text/words"
)

// Talk prints messages for the user, as opposed to data.
type Talk struct {
	*wording.Aliases

	mu       sync.Mutex
	stderr   io.Writer
	lines    io.Writer     // output of whole lines: err or the pager
	out      *bufio.Writer // flushed before messages
	Quiet    bool
	Terminal bool
	hushed   atomic.Bool
	Has      func(letter string) bool // reports whether the verb has an option; nil: not known yet
	Advise   func(error) string       // returns advice about an error that has none, or ""; may be nil

	missed map[string]struct{} // losses as they were reported

	// The current progress, which is shown after patience has passed.
	started, shown time.Time
	what           string
	first          int  // value at the start
	line           bool // a progress line is on the screen
}

const patience = time.Second

// NewTalk returns a Talk that prints to err. Before a message, out is flushed.
func NewTalk(err io.Writer, out *bufio.Writer) *Talk {
	f, ok := err.(*os.File)
	return &Talk{Aliases: new(wording.Aliases), stderr: err, lines: err, out: out, Terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// Say prints a message that is neither an error nor data.
func (t *Talk) Say(format string, args ...any) {
	if !t.Quiet {
		t.Print(fmt.Sprintf(format, args...))
	}
}

// Print prints a line, even with --quiet.
func (t *Talk) Print(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearLine()
	fmt.Fprintln(t.lines, words.Printable(t.Plain(line)))
}

// Warn prints a warning about the file or tree at path.
func (t *Talk) Warn(path, message string) {
	message = wording.Placed(path, message)
	t.Say("trowel: warning: %s", message)
}

// Miss reports data that cannot be read. Each message is printed once.
func (t *Talk) Miss(path, message string) {
	message = wording.Placed(path, message)
	t.mu.Lock()
	_, again := t.missed[message]
	if t.missed == nil {
		t.missed = make(map[string]struct{})
	}
	t.missed[message] = struct{}{}
	t.mu.Unlock()
	if !again {
		t.Print("trowel: " + message)
	}
}

// Losses returns the number of losses so far.
func (t *Talk) Losses() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.missed)
}

// Fail prints an error and advice for the user.
func (t *Talk) Fail(err error) {
	_ = t.out.Flush() // the output before the error is printed first
	if errors.Is(err, context.Canceled) {
		t.Print("trowel: interrupted")
		return
	}
	t.Print("trowel: " + wording.Text(err))
	advice := wording.Advice(err, t.Has)
	if advice == "" && t.Advise != nil {
		advice = t.Advise(err)
	}
	if advice != "" {
		t.Print("hint: " + advice)
	}
}

// hush ends the progress display because another program uses the screen. It takes no lock, because the caller
// may hold the lock while printing.
func (t *Talk) hush() {
	t.hushed.Store(true)
	fmt.Fprint(t.stderr, "\r\x1b[K")
}

// Flush prints the data so far, so that it is before later messages.
func (t *Talk) Flush() { _ = t.out.Flush() }

// Progress shows the progress of a long operation; of is 0 if the total is unknown.
func (t *Talk) Progress(what string, done, of int) {
	if t.Quiet || !t.Terminal || t.hushed.Load() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.what != what || done < t.first {
		t.what, t.started, t.first = what, now, done
	}
	if now.Sub(t.started) < patience || now.Sub(t.shown) < patience/10 {
		return
	}
	t.shown, t.line = now, true
	text := what + " " + words.Thousands(int64(done))
	if of > 0 {
		text += fmt.Sprintf(" of %s, %d %%", words.Thousands(int64(of)), int64(done)*100/int64(of))
	}
	rate := float64(done-t.first) / now.Sub(t.started).Seconds()
	if rate >= 1 {
		text += fmt.Sprintf(", %s a second", words.Thousands(int64(rate)))
	}
	if rate > 0 && of > done {
		text += fmt.Sprintf(", %v left", time.Duration(float64(of-done)/rate*float64(time.Second)).Round(time.Second))
	}
	fmt.Fprintf(t.stderr, "\r\x1b[K%s", words.Printable(text))
}

// Clear removes the progress from the screen.
func (t *Talk) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearLine()
}

func (t *Talk) clearLine() {
	if t.line && !t.hushed.Load() {
		fmt.Fprint(t.stderr, "\r\x1b[K")
		t.line = false
	}
}
