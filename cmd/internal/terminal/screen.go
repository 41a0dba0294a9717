package terminal

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"trowel.example/internal/files/host"
)

// Screen describes the properties of the output on which printing depends. The zero screen is a file or a pipe,
// where the output is always the same.
type Screen struct {
	Terminal      bool
	File          bool // a regular file: the user redirects the output to keep it
	Width, height int  // of a terminal; 0: unlimited
	Color         ColorMode
}

// NewScreen returns the properties of stdout.
func NewScreen(stdout io.Writer) Screen {
	var s Screen
	f, ok := stdout.(*os.File)
	if s.Terminal = ok && term.IsTerminal(int(f.Fd())); s.Terminal {
		s.Width, s.height, _ = term.GetSize(int(f.Fd()))
		s.Terminal = showsEscapes(f)
		if n, err := strconv.Atoi(host.Env("COLUMNS")); err == nil && n > 0 {
			s.Width = n
		}
	}
	if ok {
		info, err := f.Stat()
		s.File = err == nil && info.Mode().IsRegular()
	}
	return s
}

// ColorMode is the value of --color.
type ColorMode string

// String, Set and Type implement pflag.Value.
func (c *ColorMode) String() string { return string(*c) }
func (c *ColorMode) Type() string   { return "when" }
func (c *ColorMode) Set(value string) error {
	switch value {
	case "auto", "always", "never":
		*c = ColorMode(value)
		return nil
	}
	return errors.New("expected auto, always or never")
}

// Colors by use.
const (
	ColorRemoved = "31"
	ColorAdded   = "32"
	ColorWarning = "33"
	ColorPlace   = "36"
	ColorHead    = "1"
	ColorError   = "1;31"
)

// Colored reports whether texts are printed in colors.
func (s *Screen) Colored() bool {
	if s.Color == "auto" {
		return s.Terminal && host.Env("NO_COLOR") == "" && host.Env("TERM") != "dumb"
	}
	return s.Color == "always"
}

// Paint returns a text in a color. The text must not contain escape sequences.
func (s *Screen) Paint(color, text string) string {
	if !s.Colored() || color == "" || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// Wrapped breaks a text into lines that fit the screen. The first line begins at a column; the others are
// indented.
func (s *Screen) Wrapped(text string, column, indent int) string {
	const least = 20 // narrower text is not easier to read
	if s.Width == 0 || s.Width-indent < least {
		return text
	}
	var b strings.Builder
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > s.Width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// Pager shows output that is longer than the screen page by page, using the program that the user prefers.
type Pager struct {
	to      io.Writer
	height  int
	command []string
	started func() // called when the program starts
	outside Outside

	mu      sync.Mutex // data and messages are written concurrently
	held    bytes.Buffer
	program *exec.Cmd
	in      io.WriteCloser
}

// Outside is another process, which starts the program of the pager for a process that must not. Its standard input becomes that
// of the program.
type Outside interface {
	StartPager() (input io.WriteCloser, err error)
	WaitForPager()
}

// StartPaging makes out and the messages of t go to a pager if both are shown on a terminal. It returns the pager, or nil
// if there is none. Outside starts its program; nil: this process does.
func StartPaging(stdout io.Writer, out *bufio.Writer, s *Screen, t *Talk, outside Outside) *Pager {
	if !s.Terminal || !t.Terminal || host.Env("TERM") == "dumb" {
		return nil
	}
	command := pagerCommand()
	if command == nil {
		return nil
	}
	p := &Pager{to: stdout, height: s.height, command: command, started: t.hush, outside: outside}
	out.Reset(p)
	t.lines = p
	return p
}

// pagerCommand returns the user's pager with its arguments, or nil for none.
func pagerCommand() []string {
	for _, name := range []string{"TROWEL_PAGER", "PAGER"} {
		if command, set := host.LookupEnv(name); set {
			if words := strings.Fields(command); len(words) > 0 && words[0] != "cat" {
				return words
			}
			return nil
		}
	}
	if less, err := host.FindProgram("less"); err == nil {
		return []string{less}
	}
	return nil
}

// Write buffers output that fits the screen and starts the pager for longer output.
func (p *Pager) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in != nil {
		return p.in.Write(data)
	}
	p.held.Write(data)
	if bytes.Count(p.held.Bytes(), []byte("\n")) < p.height {
		return len(data), nil
	}
	if err := p.start(); err != nil { // continue without a pager
		p.in = nopCloser{p.to}
	}
	_, err := p.in.Write(p.held.Bytes())
	return len(data), err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// pagerProgram returns the command that shows its input page by page.
func pagerProgram(command []string, to io.Writer) *exec.Cmd {
	cmd := host.Command(context.Background(), command[0], command[1:]...) // ended by the user
	cmd.Stdout, cmd.Stderr = to, os.Stderr
	if host.Env("LESS") == "" { // the same default as git: colors, and no paging of short output
		cmd.Env = append(os.Environ(), "LESS=FRX")
	}
	return cmd
}

func (p *Pager) start() error {
	if p.outside != nil {
		in, err := p.outside.StartPager()
		if err == nil {
			p.in = in
			p.started()
		}
		return err
	}
	p.program = pagerProgram(p.command, p.to)
	in, err := p.program.StdinPipe()
	if err == nil {
		err = p.program.Start()
	}
	if err != nil {
		p.program = nil
		return err
	}
	p.in = in
	p.started()
	return nil
}

// End prints the buffered output, or waits until the user closes the pager.
func (p *Pager) End() error {
	if p.in == nil {
		_, err := p.to.Write(p.held.Bytes())
		return err
	}
	err := p.in.Close()
	if _, none := p.in.(nopCloser); none {
		return err
	}
	signal.Ignore(os.Interrupt) // Ctrl-C is for the pager
	if p.outside != nil {
		p.outside.WaitForPager()
	} else {
		_ = p.program.Wait()
	}
	return err
}

// A PagerHelper starts the user's pager for another process, whose output becomes its input, and waits for its end.
type PagerHelper struct{ program *exec.Cmd }

// Start starts the pager. The answer is the text of an error, or "".
func (p *PagerHelper) Start(string) string {
	command := pagerCommand()
	if p.program != nil || command == nil {
		return "no pager"
	}
	p.program = pagerProgram(command, os.Stdout)
	p.program.Stdin = os.Stdin
	err := p.program.Start()
	_ = os.Stdin.Close()
	if err != nil {
		return err.Error()
	}
	return ""
}

// End waits until the user closes the pager.
func (p *PagerHelper) End(string) string {
	if p.program != nil && p.program.Process != nil {
		_ = p.program.Wait()
	}
	return ""
}
