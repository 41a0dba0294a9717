package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/check"
	"trowel.example/cmd/internal/viewer"
	"trowel.example/format"
)

func (a *app) viewCommand() *cobra.Command {
	var noOpen bool
	cmd := &cobra.Command{
		Use:   "view FILE [FILE2]",
		Short: "Look at a file in the browser",
		Long: `View serves a page on this machine that shows a file: its picture, what is where in
it, its texts and bytes, and what is wrong with it. It prints the address and opens the
browser; Ctrl-C ends it. Nothing is written, and no other machine can reach it.

When the file is saved by the game's editor, the page shows what has changed. With two
files it shows how they differ; with a folder of files, or more of them, small pictures
of all.`,
		Example: `  trowel view climb.map
  trowel view climb.map climb2.map
  trowel view maps/`,
		Args: args(1, -1),
	}
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "print the address only, and open no browser")
	a.optionFlags(cmd, func(f *format.Format) []format.Option {
		return f.OptionsFor(format.ForTree | format.ForCheck | format.ForScene)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v, err := a.viewFiles(cmd, expand(args))
		if err != nil {
			return err
		}
		s := viewer.New(v.mode, v.files)
		if v.more != nil {
			s.Gather(v.more)
		}
		l, address, err := s.Listen()
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, address)
		if err := a.out.Flush(); err != nil {
			return err
		}
		if !noOpen {
			if err := openBrowser(address); err != nil {
				a.talk.say("no browser could be opened (%v): open the address in one", err)
			}
		}
		a.talk.say("Ctrl-C ends it")
		return s.Serve(cmd.Context(), l)
	}
	return cmd
}

// viewFile describes a file that people call as is said.
func (a *app) viewFile(cmd *cobra.Command, t target, called string) viewer.File {
	name := t.name
	f := viewer.File{Name: called}
	f.Open = func(ctx context.Context) (*viewer.Opened, error) {
		g, err := a.findTarget(cmd, t)
		if err != nil {
			return nil, err
		}
		o := &viewer.Opened{Format: g.Format, Source: g.src, Job: func() *format.Job { return a.job(cmd, g.Format) }, Close: g.Close}
		if g.built != nil {
			o.Check = func(ctx context.Context, sink check.Sink) error {
				r := checked{target: t}
				(&checkRun{app: a, cmd: cmd}).check(ctx, &r, sink)
				return r.err
			}
		}
		return o, nil
	}
	dir := filepath.Dir(name)
	if full, err := filepath.Abs(dir); err == nil {
		f.Plain = func(message string) string {
			for _, d := range []string{full, dir} {
				if d != "." && d != string(filepath.Separator) {
					message = strings.ReplaceAll(message, d+string(filepath.Separator), "")
				}
			}
			return message
		}
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		f.Stamp = func() string {
			info, err := os.Stat(name)
			if err != nil {
				return ""
			}
			return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
	}
	return f
}

// openBrowser opens an address in the browser that the user likes.
func openBrowser(address string) error {
	var c *exec.Cmd
	switch {
	case onWindows:
		c = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	case runtime.GOOS == "darwin":
		c = exec.Command("open", address)
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return errors.New("there is no desktop here")
	default:
		c = exec.Command("xdg-open", address)
	}
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }()
	return nil
}
