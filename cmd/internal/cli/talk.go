package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"trowel.example/fault"
	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

const onWindows = runtime.GOOS == "windows"

// talk prints messages for the user, as opposed to data.
type talk struct {
	mu       sync.Mutex
	err      io.Writer
	lines    io.Writer     // output of whole lines: err or the pager
	out      *bufio.Writer // flushed before messages
	quiet    bool
	terminal bool
	hushed   atomic.Bool
	options  *pflag.FlagSet // flags of the verb; nil: not known yet
	note     func(note)     // receives the messages; nil: they are printed
	shows    *talk          // shows the progress; nil: this talk

	missed map[string]struct{} // losses as they were reported
	hidden []string            // temporary paths, each with the user's name for it

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
		t.note(note{Kind: noteSaid, Text: t.plain(text)})
	case !t.quiet:
		t.print(text)
	}
}

// print prints a line, even with --quiet.
func (t *talk) print(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearLine()
	fmt.Fprintln(t.lines, printable(t.plainLocked(line)))
}

// hide makes messages show the user's name for a temporary path.
func (t *talk) hide(temporary, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hidden = append(t.hidden, temporary, name)
}

// plain replaces the temporary paths in a text.
func (t *talk) plain(text string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.plainLocked(text)
}

func (t *talk) plainLocked(text string) string {
	for i := 0; i < len(t.hidden); i += 2 {
		text = strings.ReplaceAll(text, t.hidden[i], t.hidden[i+1])
	}
	return text
}

// warn prints a warning about the file or tree at path.
func (t *talk) warn(path, message string) {
	if t.note != nil {
		t.note(note{Kind: noteWarned, Path: t.plain(path), Text: t.plain(message)})
		return
	}
	message = placed(path, message)
	t.say("trowel: warning: %s", message)
}

// miss reports data that cannot be read. Each message is printed once.
func (t *talk) miss(path, message string) {
	if t.note != nil {
		t.note(note{Kind: noteMissed, Path: t.plain(path), Text: t.plain(message)})
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
	t.print("trowel: " + textOf(err))
	if advice := adviceFor(err, t.options); advice != "" {
		t.print("hint: " + advice)
	}
}

// textOf returns the text of an error for users, on one line. Names of system calls are left out. On Windows,
// access denied usually means that the file is open elsewhere.
func textOf(err error) string {
	text := err.Error()
	walkErrors(err, func(e error) {
		plain := ""
		switch e := e.(type) {
		case *fs.PathError:
			if isCall(e.Op) {
				plain = e.Path + ": " + e.Err.Error()
			}
		case *os.LinkError:
			if isCall(e.Op) {
				plain = e.Old + ": " + e.Err.Error()
			}
		case *os.SyscallError:
			if isCall(e.Syscall) {
				plain = e.Err.Error()
			}
		}
		if plain != "" {
			text = strings.Replace(text, e.Error(), plain, 1)
		}
	})
	if openElsewhere(err) {
		text = strings.TrimSuffix(text, ".") + " (another program may have it open)"
	}
	return words.OneLine(text)
}

// isCall reports whether the operation of an error is the name of a system call. On Windows, such names begin
// with a capital.
func isCall(op string) bool {
	return op == "open" || strings.HasSuffix(op, "stat") || op != "" && op[0] >= 'A' && op[0] <= 'Z'
}

// walkErrors calls do for an error and all errors that it wraps.
func walkErrors(err error, do func(error)) {
	do(err)
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			walkErrors(inner, do)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			walkErrors(inner, do)
		}
	}
}

// defect converts a panic into an error.
func defect(p *parallel.Panic) error {
	return hint(fmt.Errorf("a defect of trowel %s: %w", version(), p), "please report it, with this message and, if you can, the file: the fault is not yours")
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
	text := what + " " + thousands(int64(done))
	if of > 0 {
		text += fmt.Sprintf(" of %s, %d %%", thousands(int64(of)), int64(done)*100/int64(of))
	}
	rate := float64(done-t.first) / now.Sub(t.started).Seconds()
	if rate >= 1 {
		text += fmt.Sprintf(", %s a second", thousands(int64(rate)))
	}
	if rate > 0 && of > done {
		text += fmt.Sprintf(", %v left", time.Duration(float64(of-done)/rate*float64(time.Second)).Round(time.Second))
	}
	fmt.Fprintf(t.err, "\r\x1b[K%s", printable(text))
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

// hinted is an error with advice.
type hinted struct {
	error
	advice string
}

func (h *hinted) Unwrap() error { return h.error }

// hint adds advice for the user to err.
func hint(err error, format string, args ...any) error {
	return &hinted{err, fmt.Sprintf(format, args...)}
}

// adviceFor returns advice about an error, or "". The advice mentions only options that the verb has; if
// options is nil, all options.
func adviceFor(err error, options *pflag.FlagSet) string {
	has := func(letter string) bool { return options == nil || options.ShorthandLookup(letter) != nil }
	var h *hinted
	var exists *output.ExistsError
	var kept *output.KeptError
	var word *format.WordError
	names := fault.NameErrors(err)
	switch {
	case errors.As(err, &h):
		return h.advice
	case len(names) > 0:
		return namesAdvice(names)
	case errors.As(err, &word):
		if near := nearestFolded(word.Word, word.Names); near != "" {
			return "did you mean " + quoted(near) + "?"
		}
		return ""
	case errors.Is(err, output.ErrMeanwhile), errors.Is(err, output.ErrBusy):
		return "run the command again"
	case errors.As(err, &exists) && exists.Replaceable && has("f"):
		return "use -f to replace it"
	case (errors.As(err, &exists) || errors.As(err, &kept) || errors.Is(err, output.ErrRead)) && has("o"):
		return "choose another name with -o"
	case errors.Is(err, format.ErrUnknown):
		return "`trowel formats` lists the formats that are known"
	case errors.Is(err, format.ErrNoTree):
		return "give a game file, or a folder that `trowel extract` made"
	}
	return ""
}

// named returns the error with the name of its file, if the name is missing.
func named(err error, name string) error {
	if err == nil {
		return nil
	}
	var inside *fault.Error
	var path *fs.PathError
	switch text := err.Error(); {
	case strings.HasPrefix(text, name+":"), strings.HasPrefix(text, name+"/"):
		return err
	case errors.As(err, &inside) && inside.File == "":
		return fault.InFile(err, name)
	case errors.As(err, &path) && strings.HasPrefix(path.Path, name):
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// printable escapes text from a game file so that it is harmless to a terminal.
func printable(s string) string { return words.Printable(s) }

// plural returns a count with its unit: "1 file", "2 files".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(int64(n)) + " " + one + "s"
}

// thousands formats a number with commas.
func thousands(n int64) string { return words.Thousands(n) }
