package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/history"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/viewer"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/host"
	"trowel.example/internal/format"
)

// flagBackups is the flag of view that names a repository, which may be in object storage.
const flagBackups = "backups"

func viewCommand(a *Tool) *cobra.Command {
	var o struct {
		history.Sources
		NoOpen bool   `option:"no-open" help:"print the address without opening a browser"`
		Port   string `option:"port" help:"the {port} of the page on this machine (default: any free one)"`
		Edit   bool   `option:"edit" help:"let the page change the file"`
	}
	cmd := &cobra.Command{
		Use:   "view FILE [FILE2]",
		Short: "Show a file in the browser",
		Long: `View serves a page on this machine that shows a file: its picture, its parts, its texts and bytes,
and its problems. It prints the address and opens the browser; Ctrl-C ends it. View writes nothing,
except with --edit: then the page has the operations of "trowel edit" for one file, shows the file
before and after them, and changes it when you save the list of changes.
Other machines cannot reach the page, and other users need its address: keep it secret.

With --backups and --git, a slider leads to earlier states of FILE: snapshots of a repository made by
backup, and commits of git; backups next to FILE are always among them. Any two can be compared.
With --trust, snapshots that are not signed with the key are not shown, as with restore.

When the game's editor saves the file, the page updates. It also updates for a folder made by
extract. The page reloads a world on request. With two files it shows their differences; with a
folder, or more files, it shows thumbnails of all.

"Link" copies a link to the visible place, without the secret of the address: it opens in a browser
that has opened the printed address. With --port, links of an earlier run lead to this one.

In an ssh session, it prints how to reach the page from your machine.`,
		Example: `  trowel view climb.map
  trowel view climb.map climb2.map
  trowel view maps/
  trowel view --edit climb.map
  trowel view climb.map --git
  trowel view world --backups /mnt/backups/world`,
		Args: args(1, -1),
	}
	OptionFlags(a, cmd, func(f *format.Format) []format.Option {
		return slices.DeleteFunc(f.OptionsFor(format.ForTree|format.ForCheck|format.ForScene), func(o format.Option) bool { return o.Secret })
	}, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		on, err := strconv.ParseUint(cmp.Or(o.Port, "0"), 10, 16)
		if err != nil {
			return fmt.Errorf("--port %q: expected a number from 1 to 65535", o.Port)
		}
		if o.Repository != "" {
			o.Trust = a.takeTrust()
		}
		s, err := viewer.Open(cmd.Context(), a.Service, Expand(args))
		if err != nil {
			return err
		}
		defer s.Close()
		if err := offerStates(cmd.Context(), a, s, args, o.Sources); err != nil {
			return err
		}
		if o.Edit {
			if err := offerEdits(cmd.Context(), a, s, args); err != nil {
				return err
			}
		}
		a.bounds.enough()
		l, address, err := s.Listen(uint16(on))
		if err != nil && on != 0 {
			err = wording.Hint(fmt.Errorf("port %d of this machine cannot be opened: %w", on, errors.Unwrap(err)),
				"choose another --port, or leave it out for any free one")
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, address)
		if err := a.out.Flush(); err != nil {
			return err
		}
		line := sshLine(host.Env("SSH_CONNECTION"), l.Addr())
		if line != "" {
			a.talk.Say("to open the page on your own machine, run there: %s", line)
		}
		if !o.NoOpen && (line == "" || hasDesktop()) {
			if err := openBrowser(s.Once(), func(err error) { cannotOpen(a, err) }); err != nil {
				cannotOpen(a, err)
			}
		}
		if a.settle != nil {
			a.settle()
		}
		a.talk.Say("Ctrl-C ends it")
		return s.Serve(cmd.Context(), l)
	}
	return needs(cmd, needBrowser, needPlace)
}

// takeTrust removes the options that select the accepted snapshots from those of the file, and returns them.
func (a *Tool) takeTrust() (trust []service.Given) {
	a.Options.Given = slices.DeleteFunc(a.Options.Given, func(given service.Given) bool {
		is := slices.ContainsFunc(a.Formats, func(f *format.Format) bool {
			return f.Backups != nil && slices.ContainsFunc(f.Backups.Trust, func(o format.Option) bool { return o.Name == given.Name })
		})
		if is {
			trust = append(trust, given)
		}
		return is
	})
	return trust
}

// offerStates lets the page show earlier states of a single file.
func offerStates(ctx context.Context, a *Tool, s *viewer.Server, names []string, from history.Sources) error {
	if len(names) != 1 || names[0] == "-" || a.IsElsewhere(names[0]) {
		if from.Any() {
			return errors.New("--backups and --git need one file or folder of this machine")
		}
		return nil
	}
	if info, err := os.Stat(names[0]); err == nil && info.IsDir() && !a.IsGame(names[0]) {
		if from.Any() {
			return fmt.Errorf("%s: --backups and --git need one file, not a folder of files", names[0])
		}
		return nil
	}
	return s.History(ctx, a.Service, names[0], from)
}

// enoughMemory is the memory use in bytes above which the program frees unused memory more eagerly: it runs for
// hours next to a game.
const enoughMemory = 384 << 20

func cannotOpen(a *Tool, err error) {
	a.talk.Say("no browser could be opened (%v): open the address yourself", err)
}

// sshLine returns the command that forwards a port of this machine to the machine from which the user has
// logged in with ssh, or "" without ssh.
func sshLine(connection string, at net.Addr) string {
	parts := strings.Fields(connection) // address and port of the client, then of the server
	_, port, err := net.SplitHostPort(at.String())
	if len(parts) != 4 || err != nil {
		return ""
	}
	to := parts[2]
	if name := host.UserName(); name != "" {
		to = name + "@" + to
	}
	if parts[3] != "22" {
		to = "-p " + parts[3] + " " + to
	}
	return fmt.Sprintf("ssh -L %s:127.0.0.1:%s %s", port, port, to)
}

func hasDesktop() bool {
	return onWindows || runtime.GOOS == "darwin" || host.Env("DISPLAY") != "" || host.Env("WAYLAND_DISPLAY") != ""
}

// openBrowser opens an address in the user's browser. Later errors are passed to failed.
func openBrowser(address string, failed func(error)) error {
	c, err := browserCommand(address)
	if err != nil {
		return err
	}
	if h := confined.helper; h != nil {
		go func() {
			if text, err := h.Ask("browser", address); err != nil || text != "" {
				failed(cmp.Or(err, errors.New(text)))
			}
		}()
		return nil
	}
	if err := c.Start(); err != nil {
		return err
	}
	go func() {
		if err := c.Wait(); err != nil {
			failed(fmt.Errorf("%s: %w", c.Args[0], err))
		}
	}()
	return nil
}

// browserCommand returns the command that opens an address in the user's browser.
func browserCommand(address string) (*exec.Cmd, error) {
	program := []string{"xdg-open"}
	switch {
	case onWindows:
		program = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case runtime.GOOS == "darwin":
		program = []string{"open"}
	case !hasDesktop():
		return nil, errors.New("no desktop is available")
	}
	// The browser may outlive this program.
	c := host.Command(context.Background(), program[0], append(program[1:], address)...)
	detach(c)
	return c, c.Err
}
