package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/text/words"
)

// talk prints messages for the user, as opposed to data.
type talk struct {
	wording.Aliases

	mu       sync.Mutex
	err      io.Writer
	lines    io.Writer     // output of whole lines: err or the pager
	out      *bufio.Writer // flushed before messages
	quiet    bool
	terminal bool
	hushed   atomic.Bool
	has      func(letter string) bool // reports whether the verb has an option; nil: not known yet
	note     func(wording.Note)       // receives the messages; nil: they are printed
	shows    *talk                    // shows the progress; nil: this talk

	missed map[string]struct{} // losses as they were reported

	// The current progress, which is shown after patience has passed.
	started, shown time.Time
	what           string
	first          int  // value at the start
	line           bool // a progress line is on the screen
}

const patience = time.Second

func newTalk(err io.Writer, out *bufio.Writer) *talk {
	f, ok := err.(*os.File)
	return &talk{err: err, lines: err, out: out, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// say prints a message that is neither an error nor data.
func (t *talk) say(format string, args ...any) {
	switch text := fmt.Sprintf(format, args...); {
	case t.note != nil:
		t.note(wording.Note{Kind: wording.Said, Text: t.Plain(text)})
	case !t.quiet:
		t.print(text)
	}
}

// print prints a line, even with --quiet.
func (t *talk) print(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearLine()
	fmt.Fprintln(t.lines, words.Printable(t.Plain(line)))
}

// warn prints a warning about the file or tree at path.
func (t *talk) warn(path, message string) {
	if t.note != nil {
		t.note(wording.Note{Kind: wording.Warned, Path: t.Plain(path), Text: t.Plain(message)})
		return
	}
	message = placed(path, message)
	t.say("trowel: warning: %s", message)
}

// miss reports data that cannot be read. Each message is printed once.
func (t *talk) miss(path, message string) {
	if t.note != nil {
		t.note(wording.Note{Kind: wording.Missed, Path: t.Plain(path), Text: t.Plain(message)})
		return
	}
	message = placed(path, message)
	t.mu.Lock()
	_, again := t.missed[message]
	if t.missed == nil {
		t.missed = make(map[string]struct{})
	}
	t.missed[message] = struct{}{}
	t.mu.Unlock()
	if !again {
		t.print("trowel: " + message)
	}
}

// placed returns a message with the path before it, unless the message begins with the path.
func placed(path, message string) string {
	if path == "" || strings.HasPrefix(message, path+":") || strings.HasPrefix(message, path+"/") {
		return message
	}
	return path + ": " + message
}

// losses returns the number of losses so far.
func (t *talk) losses() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.missed)
}

// fail prints an error and advice for the user.
func (t *talk) fail(err error) {
	_ = t.out.Flush() // the output before the error is printed first
	if errors.Is(err, context.Canceled) {
		t.print("trowel: interrupted")
		return
	}
	t.print("trowel: " + wording.Text(err))
	if advice := wording.Advice(err, t.has); advice != "" {
		t.print("hint: " + advice)
	}
}

// hush ends the progress display because another program uses the screen. It takes no lock, because the caller
// may hold the lock while printing.
func (t *talk) hush() {
	t.hushed.Store(true)
	fmt.Fprint(t.err, "\r\x1b[K")
}

// progress shows the progress of a long operation; of is 0 if the total is unknown.
func (t *talk) progress(what string, done, of int) {
	if t.shows != nil {
		t.shows.progress(what, done, of)
		return
	}
	if t.quiet || !t.terminal || t.hushed.Load() {
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
	fmt.Fprintf(t.err, "\r\x1b[K%s", words.Printable(text))
}

// clear removes the progress from the screen.
func (t *talk) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearLine()
}

func (t *talk) clearLine() {
	if t.line && !t.hushed.Load() {
		fmt.Fprint(t.err, "\r\x1b[K")
		t.line = false
	}
}

// tell prints a note.
func (t *talk) tell(n wording.Note) {
	switch {
	case n.Kind == wording.Said:
		t.say("%s", n.Text)
	case n.Kind == wording.Warned:
		t.warn(n.Path, n.Text)
	case n.Kind == wording.Missed:
		t.miss(n.Path, n.Text)
	case n.Advice == "":
		t.fail(errors.New(n.Text))
	default:
		t.fail(wording.Hint(errors.New(n.Text), "%s", n.Advice))
	}
}
