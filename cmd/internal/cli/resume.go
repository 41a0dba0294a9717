package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/wholefile"
)

// resumeHelp explains --resume. Several verbs use it.
const resumeHelp = `With --resume FOLDER the results of parts are kept in that folder, which is made if it is not
there. If the run is stopped, or its computer is, the same command in the same place does only
what is left. What it does is fixed when it begins: files that are new later are not seen, those
that have changed since are worked on again, and a world should stay as it is until the end. The
folder can be deleted at any time, and what is in it is then lost.`

const resumeLock = "lock"

// resumeFlag marks a verb as one whose work can be split and adds the flag --resume.
func (a *app) resumeFlag(cmd *cobra.Command) {
	AsWork(cmd)
	cmd.Flags().StringVar(&a.resume, "resume", "", "keep the results of parts in a `folder`, and go on there if an earlier run stopped")
	_ = cmd.MarkFlagDirname("resume")
}

// resumed does a work in parts. The results of parts are kept in the folder that the user named.
func (a *app) resumed(ctx context.Context, w work.Work) (err error) {
	folder := a.resume
	if err := ourFolder(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(folder, resumeLock), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer lock.Close()
	switch err := filelock.Try(lock); {
	case err == nil:
		_ = wholefile.RemoveParts(filepath.Join(folder, "parts")) // leftover parts are harmless
	case !errors.Is(err, errors.ErrUnsupported):
		return wording.Hint(fmt.Errorf("%s: another run is at work there", folder), "wait for its end, or give another folder")
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	plan := work.Plan{Version: a.program(), Dir: valid(dir)}
	for _, arg := range withoutResume(a.args) {
		plan.Args = append(plan.Args, valid(arg))
	}
	store := work.Folder(folder)
	all, err := work.Begin(ctx, w, plan, store)
	switch {
	case errors.Is(err, work.ErrOther):
		return wording.Hint(fmt.Errorf("%s: %w", folder, err), "give this one a folder of its own")
	case err == nil && store.Guard(all, dir) != nil:
		return fmt.Errorf("%s: it cannot be kept from others, which a file asks for", folder)
	case err == nil:
		err = work.Resume(ctx, w, all, store, a.stale, func(done, of int) { a.talk.Progress("done parts", done, of) })
	}
	a.talk.Clear()
	var damaged *work.Damaged
	switch {
	case errors.As(err, &damaged):
		return wording.Hint(fmt.Errorf("%s: %w", folder, err), "what is in this folder is damaged: begin in another one")
	case ctx.Err() != nil:
		a.talk.Say("what is done stays in %s: the same command goes on there", folder)
	case err == nil:
		_ = a.out.Flush()
		a.talk.Say("%s is not needed any more, except to see this again", folder)
	case !brokenPipe(err) && wording.Advice(err, nil) == "":
		return wording.Hint(err, "what is done stays in %s: the same command goes on there", folder)
	}
	return err
}

// isResume reports whether a folder is the folder of results, which is not an input of the verb.
func (a *app) isResume(name string) bool {
	if a.resume == "" {
		return false
	}
	one, err := os.Stat(name)
	other, err2 := os.Stat(a.resume)
	return err == nil && err2 == nil && os.SameFile(one, other)
}

// ourFolder returns an error if a folder contains anything other than the results of a work.
func ourFolder(name string) error {
	if name == "-" {
		return errors.New("--resume is for a folder, and - is none")
	}
	if isFile(filepath.Join(name, work.PlanName)) {
		return nil
	}
	list, err := os.ReadDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range list {
		if n := e.Name(); n != resumeLock && !strings.HasSuffix(n, wholefile.Suffix) {
			return wording.Hint(fmt.Errorf("%s: there is something else in this folder: %s", name, n), "--resume takes a new folder, or that of the same work")
		}
	}
	return err
}

// withoutResume returns the arguments without --resume, whose folder may be written in different ways, and
// without flags that do not affect the work.
func withoutResume(args []string) (words []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return append(words, args[i:]...)
		case args[i] == "--resume":
			i++
		case args[i] == "-q" || args[i] == "--quiet":
		case !strings.HasPrefix(args[i], "--resume="):
			words = append(words, args[i])
		}
	}
	return words
}

// valid replaces invalid UTF-8 as JSON encoding does.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
