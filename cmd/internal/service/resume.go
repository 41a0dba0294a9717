package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/wholefile"
)

const resumeLock = "lock"

// resumed does a work in parts. The results of parts are kept in the folder that the user named.
func (s *Service) resumed(ctx context.Context, w work.Work) (err error) {
	folder := s.Resume
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
		work.Folder(folder).Sweep(time.Now()) // leftover parts are harmless
	case !errors.Is(err, errors.ErrUnsupported):
		return wording.Hint(fmt.Errorf("%s: another run is using this folder", folder), "wait until it ends, or choose another folder")
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	plan := work.Plan{Version: s.Program(), Dir: valid(dir)}
	for _, arg := range withoutResume(s.Args) {
		plan.Args = append(plan.Args, valid(arg))
	}
	store := work.Folder(folder)
	all, err := work.Begin(ctx, w, plan, store)
	switch {
	case errors.Is(err, work.ErrOther):
		return wording.Hint(fmt.Errorf("%s: %w", folder, err), "choose a separate folder for this run")
	case err == nil && store.Guard(all, dir) != nil:
		return fmt.Errorf("%s: the folder cannot be protected from other users, as a file requires", folder)
	case err == nil:
		err = work.Resume(ctx, w, all, store, func(p work.Part) bool { return s.stale != nil && s.stale(ctx, p) },
			func(done, of int) { s.Report.Progress("done parts", done, of) })
	}
	s.Report.Clear()
	var damaged *work.Damaged
	switch {
	case errors.As(err, &damaged):
		return wording.Hint(fmt.Errorf("%s: %w", folder, err), "the contents of this folder are damaged: choose another folder")
	case ctx.Err() != nil:
		s.Report.Say("finished parts are kept in %s: the same command resumes there", folder)
	case err == nil:
		s.Report.Flush()
		s.Report.Say("%s is no longer needed, except to print this again", folder)
	case !BrokenPipe(err) && wording.Advice(err, nil) == "":
		return wording.Hint(err, "finished parts are kept in %s: the same command resumes there", folder)
	}
	return err
}

// isResume reports whether a folder is the folder of results, which is not an input of the verb.
func (s *Service) isResume(name string) bool {
	return s.Resume != "" && SameFile(name, s.Resume)
}

// ourFolder returns an error if a folder contains anything other than the results of a work.
func ourFolder(name string) error {
	if name == "-" {
		return errors.New("--resume requires a folder, not -")
	}
	if IsFile(name) {
		return fmt.Errorf("%s: is not a folder", name)
	}
	if IsFile(filepath.Join(name, work.PlanName)) {
		return nil
	}
	list, err := os.ReadDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range list {
		if n := e.Name(); n != resumeLock && !strings.HasSuffix(n, wholefile.Suffix) {
			return wording.Hint(fmt.Errorf("%s: the folder contains something else: %s", name, n),
				"name a new folder, or the folder of the same command")
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

// BrokenPipe reports whether err means that the reader of the output has closed it. `trowel ls x | head` ends
// this way, which is not an error.
func BrokenPipe(err error) bool {
	const windowsBrokenPipe, windowsNoData = syscall.Errno(109), syscall.Errno(232)
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		runtime.GOOS == "windows" && (errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData))
}

// Hold locks a file or folder that will be changed in place against other runs, until the caller releases it.
// The result is nil if the file does not exist, which find reports, or if it is a world in a read-only folder.
func (s *Service) Hold(ctx context.Context, name string) (*output.Held, error) {
	if name == "-" || s.IsElsewhere(name) {
		return nil, nil
	}
	if isDescriptor(name) {
		return nil, wording.Hint(fmt.Errorf("%s: is a pipe, which cannot be changed in place", name), "name the new file with -o")
	}
	held, err := output.Hold(ctx, name, func() { s.Report.Say("waiting for another run of trowel that changes %s", name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return nil, nil
		}
	}
	return held, err
}
