package cli

import (
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

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"trowel.example/internal/host"
)

// screen is where the tool prints, as far as what it prints depends on that. The
// zero screen is a file or a pipe: what goes there is the same for everybody.
type screen struct {
	terminal      bool
	width, height int // of a terminal; 0: no end
	color         colorMode
}

func newScreen(stdout io.Writer) screen {
	var s screen
	f, ok := stdout.(*os.File)
	if s.terminal = ok && term.IsTerminal(int(f.Fd())); s.terminal {
		s.width, s.height, _ = term.GetSize(int(f.Fd()))
		s.terminal = showsEscapes(f)
		if n, err := strconv.Atoi(host.Env("COLUMNS")); err == nil && n > 0 {
			s.width = n
		}
	}
	return s
}

// colorMode is the value of --color.
type colorMode string

// String, Set and Type make it a flag.
func (c *colorMode) String() string { return string(*c) }
func (c *colorMode) Type() string   { return "when" }
func (c *colorMode) Set(value string) error {
	switch value {
	case "auto", "always", "never":
		*c = colorMode(value)
		return nil
	}
	return errors.New("expected auto, always or never")
}

// colorFlag gives a verb the flag --color.
func (a *app) colorFlag(cmd *cobra.Command) {
	a.screen.color = "auto"
	cmd.Flags().Var(&a.screen.color, "color", "use colors: `when` is always, never or auto, which is on a terminal unless NO_COLOR is set")
	_ = cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
}

// The colors, by what they are for.
const (
	colorRemoved = "31"
	colorAdded   = "32"
	colorWarning = "33"
	colorPlace   = "36"
	colorHead    = "1"
	colorError   = "1;31"
)

// paint writes a text, which has no escapes, in a color.
func (s *screen) paint(color, text string) string {
	on := s.color == "always"
	if s.color == "auto" {
		on = s.terminal && host.Env("NO_COLOR") == "" && host.Env("TERM") != "dumb"
	}
	if !on || color == "" || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// wrapped breaks a text into lines of the width of the screen, of which all but the
// first are indented, and the first begins at a column.
func (s *screen) wrapped(text string, column, indent int) string {
	const least = 20 // what is narrower is no easier to read
	if s.width == 0 || s.width-indent < least {
		return text
	}
	var b strings.Builder
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > s.width:
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

// pager shows what is longer than the screen page by page, with the program that
// the user wants for that.
type pager struct {
	to      io.Writer
	height  int
	command []string
	started func() // is told when the program starts

	mu      sync.Mutex // what is printed and what is said come from different sides
	held    bytes.Buffer
	program *exec.Cmd
	in      io.WriteCloser
}

// page makes a verb print through a pager, if it prints to a terminal.
func (a *app) page() {
	if !a.screen.terminal || !a.talk.terminal {
		return
	}
	if command := pagerCommand(); command != nil {
		a.pager = &pager{to: a.stdout, height: a.screen.height, command: command, started: a.talk.hush}
		a.out.Reset(a.pager)
		a.talk.lines = a.pager
	}
}

// pagerCommand returns the pager that the user has, with its arguments; nil for none.
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

// Write holds back what fits the screen, and starts the program for what does not.
func (p *pager) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in != nil {
		return p.in.Write(data)
	}
	p.held.Write(data)
	if bytes.Count(p.held.Bytes(), []byte("\n")) < p.height {
		return len(data), nil
	}
	if err := p.start(); err != nil { // then it has to do without
		p.in = nopCloser{p.to}
	}
	_, err := p.in.Write(p.held.Bytes())
	return len(data), err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func (p *pager) start() error {
	p.program = host.Command(context.Background(), p.command[0], p.command[1:]...) // the user ends it
	p.program.Stdout, p.program.Stderr = p.to, os.Stderr
	if host.Env("LESS") == "" { // as git has it: colors, and no page for little
		p.program.Env = append(os.Environ(), "LESS=FRX")
	}
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

// end prints what was held back, or waits until the user has left the pager.
func (p *pager) end() error {
	if p.in == nil {
		_, err := p.to.Write(p.held.Bytes())
		return err
	}
	err := p.in.Close()
	if p.program != nil {
		signal.Ignore(os.Interrupt) // is for the pager
		_ = p.program.Wait()
	}
	return err
}
