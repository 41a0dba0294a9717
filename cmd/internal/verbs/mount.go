package verbs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/mount"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

// mounting is one run of mount.
type mounting struct {
	*Tool
	write, sync bool
}

func mountCommand(a *Tool) *cobra.Command {
	m := &mounting{Tool: a}
	cmd := &cobra.Command{
		Use:   "mount FILE FOLDER | mount --sync FOLDER",
		Short: "Show a file as a folder of the system (Linux)",
		Long: `Mount shows a game file as FOLDER, without extracting it: every program can list, search, read and
copy its files. FOLDER is empty or new. Mount runs until Ctrl-C, or until FOLDER is unmounted. It
needs FUSE, as a user also the program fusermount3 (the package fuse3), and works on Linux with 64 bits only.

Listing reads no file. The size of a file is known only when it is read: "ls -l" reads all files of
a folder.

With --write, programs can also change, add, rename and remove files. FILE itself is not changed
meanwhile: what they save is at once in the ordinary folder FILE` + mount.EditsSuffix + `, which "trowel apply" accepts
too. When FOLDER is unmounted, mount packs the edits into FILE, keeps the old FILE as a backup, and
removes the edits. "trowel mount --sync FOLDER" does the same while FOLDER stays mounted. If the
edits cannot be packed, the reasons are printed, FILE is unchanged, the edits stay, and the exit
code is not 0. Swap files of editors and files of desktops are left out, and listed.

If mount was killed, nothing that was saved is lost: "trowel mount --sync FILE` + mount.EditsSuffix + `" packs the
edits, and the next mount --write shows them.`,
		Example: `  trowel mount climb.map climb
  trowel mount --write climb.map climb
  trowel mount --sync climb`,
		Args: args(1, 2),
	}
	cmd.Flags().BoolVarP(&m.write, "write", "w", false, "let programs change the files")
	cmd.Flags().BoolVar(&m.sync, "sync", false, "pack the edits of a mounted FOLDER, or those in FILE"+mount.EditsSuffix)
	optionFlags(a, cmd, optionsFor(format.ForTree))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case m.sync && (m.write || len(a.Options.Given) > 0):
			return errors.New("--sync has no other options")
		case m.sync && len(args) == 1:
			return m.pack(cmd.Context(), args[0])
		case m.sync || len(args) == 1:
			return wording.Hint(errors.New("wrong number of arguments: "+useLine(cmd)), "see `%s --help`", cmd.CommandPath())
		}
		return m.mount(cmd.Context(), args[0], args[1])
	}
	return needs(cmd, needAll)
}

// pack packs the edits that a user names by a folder: the mount, or the edits of a mount that has ended.
func (m *mounting) pack(ctx context.Context, dir string) error {
	dir = filepath.Clean(dir)
	file, mounted := strings.CutSuffix(dir, mount.EditsSuffix)
	if at, alive, ok := mountedAt(dir); ok && alive {
		return m.request(dir)
	} else if ok {
		file, mounted = at, true
		defer m.talk.Say("%s: the program of this mount has ended; %s", dir, freeing(dir))
	}
	if info, err := os.Stat(dir); !mounted || err == nil && !info.IsDir() {
		return wording.Hint(fmt.Errorf("%s: is not mounted, and no folder of edits", dir),
			"name the mounted folder, or the folder of edits FILE%s", mount.EditsSuffix)
	}
	if !service.Exists(file + mount.EditsSuffix) {
		return wording.Hint(fmt.Errorf("%s: there are no edits", file+mount.EditsSuffix), "mount --write makes them when a file is saved")
	}
	edits, err := mount.OpenEdits(file, false)
	if errors.Is(err, mount.ErrEditsOpen) {
		err = wording.Hint(err, "name the mounted folder instead")
	}
	if err != nil {
		return err
	}
	defer edits.Close()
	return m.print(m.apply(ctx, file, edits))
}

// answer is what packing prints, and its exit code. The program of a mount sends it to the process that requested it.
type answer struct {
	Code        int
	Out, Errors string
}

// apply runs the verb apply for edits, and removes them if they are in the file.
func (m *mounting) apply(ctx context.Context, file string, edits *mount.Edits) answer {
	var out, errs bytes.Buffer
	sub := newTool(m.Games, m.In, &out, &errs)
	sub.more = m.more
	before, err := edits.Snapshot()
	if err == nil {
		code := sub.run(ctx, []string{"apply", "--in-place", "--delete", "--", edits.Dir, file}, &errs)
		if code != exitFine {
			sub.talk.Print(fmt.Sprintf("trowel: %s: not packed: the edits stay in %s", file, edits.Dir))
			return answer{code, out.String(), errs.String()}
		}
		err = edits.Remove(before)
	}
	if err != nil {
		sub.talk.Fail(err)
		return answer{exitFailed, out.String(), errs.String()}
	}
	if edits.Exist() {
		sub.talk.Say("%s: the edits are packed; the other files in it stay", edits.Dir)
	}
	return answer{exitFine, out.String(), errs.String()}
}

// print prints an answer.
func (m *mounting) print(a answer) error {
	if _, err := m.out.WriteString(a.Out); err != nil {
		return err
	}
	for line := range strings.Lines(a.Errors) {
		if line = strings.TrimSuffix(line, "\n"); a.Code != exitFine {
			m.talk.Print(line)
		} else {
			m.talk.Say("%s", line)
		}
	}
	return Exit(a.Code)
}

// request makes the program of a mount pack its edits, and prints its answer.
func (m *mounting) request(dir string) error {
	data, err := mount.Request(dir)
	if errors.Is(err, os.ErrNotExist) {
		return wording.Hint(fmt.Errorf("%s: is mounted without --write, so it has no edits", dir), "mount it with --write")
	}
	var a answer
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return m.print(a)
}
