package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/history"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

func undoCommand(a *Tool) *cobra.Command {
	w := &writing{Tool: a}
	var o struct {
		List bool `option:"list" help:"print the backups, and restore none"`
	}
	cmd := &cobra.Command{
		Use:   "undo FILE [BACKUP]",
		Short: "Undo the newest change of a file in place",
		Long: `Undo restores the newest backup next to a file that a change in place has left: edit, apply, repair,
convert or merge with --in-place, or saving in view --edit. The next undo restores the backup before
it, and so on.

The replaced content of a map or mod is kept as NAME.undone-TIME.EXT, and the backup, which is then
identical to the file, is removed. The backup of a world has only what the change replaced; after
the undo it is called WORLD.undone-TIME.zip. With BACKUP, that backup is restored instead, which may
be one of --backup or an undone state, and it stays. --list prints the backups, the newest first.

With --dry-run nothing is written. With --json it prints an array with one {file, format, output,
dryRun, made, warnings, losses, error}, and with --list an array of {path, time, size}; size is
omitted for the folder that a conversion has left.`,
		Example: `  trowel undo climb.map
  trowel undo world --list
  trowel undo world kept.zip`,
		Args: args(1, 2),
	}
	OptionFlags(a, cmd, restoreOptions, w, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case o.List && len(args) > 1:
			return errors.New("--list cannot be combined with a BACKUP")
		case o.List:
			return w.listBackups(args[0])
		}
		return w.each(cmd.Context(), args[:1], func(name string, r *report) error {
			return r.undo(cmd.Context(), name, strings.Join(args[1:], ""))
		})
	}
	return needs(cmd, needChanges)
}

// restoreOptions returns the options of a format for restoring a backup.
func restoreOptions(f *format.Format) []format.Option {
	if f.Repair == nil || f.Repair.Restore == nil {
		return nil
	}
	return f.Repair.Options
}

// listBackups prints the backups next to a file.
func (w *writing) listBackups(name string) error {
	backups, err := backupsOf(name)
	if err != nil {
		return err
	}
	array, table := terminal.Array{W: w.out}, tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	for _, b := range slices.Backward(backups) {
		size, bytes := "", terminal.Object{}
		if info, err := os.Stat(b.Path); err == nil && !info.IsDir() {
			size, bytes = words.Count(info.Size(), "byte"), terminal.Object{{"size", info.Size()}}
		}
		if w.AsJSON {
			err = array.Add(append(terminal.Object{{"path", b.Path}, {"time", b.Time.Format(time.RFC3339Nano)}}, bytes...))
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%s\n", b.Time.Local().Format(time.DateTime), words.Printable(b.Path), size)
		}
		if err != nil {
			return err
		}
	}
	if w.AsJSON {
		return array.End()
	}
	return table.Flush()
}

// backupsOf returns the backups next to a file and, if it is a link, next to its target, with paths that begin as the user wrote
// that of the file. No backup is an error.
func backupsOf(name string) ([]history.BackupFile, error) {
	if _, err := os.Lstat(name); err != nil {
		return nil, service.NotThere(name, err)
	}
	list, err := history.Backups(name)
	for i, b := range list {
		list[i].Path = nextTo(name, b.Path)
	}
	if real, e := filepath.EvalSymlinks(name); e == nil && !sameFolder(real, name) {
		var others []history.BackupFile
		others, err = history.Backups(real)
		for _, b := range others {
			list = append(list, history.BackupFile{Path: nextTo(real, b.Path), Time: b.Time})
		}
		slices.SortStableFunc(list, func(a, b history.BackupFile) int { return a.Time.Compare(b.Time) })
	}
	if err == nil && len(list) == 0 {
		err = wording.Hint(fmt.Errorf("%s: there is no backup of a change next to it", name),
			"`trowel undo %s BACKUP` restores a backup that has another name", words.Quoted(name))
	}
	return list, err
}

// undo restores a backup of a file or, if backup is "", the newest one next to it.
func (r *report) undo(ctx context.Context, name, backup string) (err error) {
	if r.held, err = r.Hold(ctx, name); err != nil {
		return err
	}
	defer r.held.Release()
	if err := r.noRepository(ctx, name, backup); err != nil {
		return err
	}
	g, err := r.Find(ctx, name)
	if err != nil {
		return err
	}
	defer g.Close()
	r.format = g.Name
	switch {
	case g.Source.Name == "-":
		return errors.New("standard input is not changed in place")
	case g.Built != nil:
		return wording.Hint(errors.New("an extracted folder is not changed in place"), "git keeps the earlier states of a folder")
	case g.Source.IsDir() && (g.Repair == nil || g.Repair.Restore == nil):
		return fmt.Errorf("%s: a %s is not changed in place", g.Called, g.Title)
	}
	if err := r.Owned(g.Format, restoreOptions(g.Format)...); err != nil {
		return err
	}
	pop := backup == ""
	if pop {
		if backup, err = r.newestBackup(g); err != nil {
			return err
		}
	}
	r.output = g.Called
	if r.DryRun {
		r.talk.Say("would restore %s from %s; nothing was written", g.Called, backup)
		return nil
	}
	if g.Source.IsDir() {
		job := r.watch(r.Job(g.Format, g.Repair.Options...))
		if err := g.Repair.Restore(ctx, job, g.Source, backup); err != nil {
			return wording.Named(err, g.Called)
		}
		called := ""
		if pop {
			to := output.UndoneName(backup)
			if err := wholefile.MovePath(backup, to); err != nil {
				return err
			}
			called = ", which is now called " + to
		}
		r.talk.Say("restored %s from %s%s", g.Called, backup, called)
		return nil
	}
	kept, err := r.restoreFile(ctx, g, backup, pop)
	switch {
	case err != nil:
		return err
	case kept == "":
		r.talk.Say("%s already equals %s", g.Called, backup)
	default:
		r.talk.Say("restored %s from %s; %s", g.Called, backup, undoing(g.Called, kept))
	}
	return nil
}

// noRepository returns an error if the file or the backup is a repository of backups.
func (r *report) noRepository(ctx context.Context, name, backup string) error {
	for _, path := range []string{name, backup} {
		if path == "" || path == "-" || !isRepository(ctx, r.Tool, path) {
			continue
		}
		err := fmt.Errorf("%s: is a repository of backups, not a backup that a change in place has left", path)
		if path == name {
			return wording.Hint(err, "`trowel restore %s -o NEW` restores a snapshot", words.Quoted(path))
		}
		return wording.Hint(err, "`trowel restore %s --into %s` puts back parts of a snapshot", words.Quoted(path), words.Quoted(name))
	}
	return nil
}

// newestBackup returns the newest backup next to a file. A backup that the file already equals is the one of an undo that was
// killed, and is removed.
func (r *report) newestBackup(g *service.File) (string, error) {
	list, err := backupsOf(g.Called)
	if err != nil {
		return "", err
	}
	for _, b := range slices.Backward(list) {
		if g.Source.IsDir() {
			return b.Path, nil
		}
		parts, same, err := partsOf(g.Called, b.Path)
		if err != nil || !same {
			return b.Path, err
		}
		if !r.DryRun {
			err = removeBackup(b.Path, parts)
		}
		if err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: there is no backup with other content next to it", g.Called)
}

// partsOf returns the suffixes of the files that a backup of a file consists of, "" for the file itself, and reports whether all have
// the content that the file has.
func partsOf(name, backup string) (suffixes []string, same bool, err error) {
	entries, err := os.ReadDir(filepath.Dir(backup))
	same = true
	for _, entry := range entries {
		suffix, belongs := strings.CutPrefix(entry.Name(), filepath.Base(backup))
		if _, e := os.Stat(name + suffix); e != nil || !belongs || suffix != "" && !entry.Type().IsRegular() {
			continue
		}
		suffixes = append(suffixes, suffix)
		if err == nil && same {
			same, err = sameBytes(name+suffix, backup+suffix)
		}
	}
	return suffixes, same, err
}

// removeBackup removes the files of a backup.
func removeBackup(backup string, suffixes []string) error {
	for _, suffix := range slices.Backward(suffixes) { // "" is first: without it the others are no backup
		if err := os.Remove(backup + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// restoreFile replaces a file by a backup, after its current content is saved in another backup. If pop is set, that other one is an
// undone state, and the restored backup is removed. restoreFile returns the name of the other backup, or "" if the file is already
// identical to the backup.
func (r *report) restoreFile(ctx context.Context, g *service.File, backup string, pop bool) (string, error) {
	old, err := format.OpenSource(backup)
	if err != nil {
		return "", service.NotThere(backup, err)
	}
	defer old.Close()
	if f, err := r.Formats.Find(old); err != nil || f != g.Format || old.IsDir() {
		return "", fmt.Errorf("%s: is not a backup of a %s", backup, g.Title)
	}
	if stem, ext, _, ok := output.SplitBackup(backup); ok && stem+ext != filepath.Base(g.Called) && !pop {
		r.talk.Warn(g.Called, "the name of the restored file is that of a backup of "+stem+ext)
	}
	r.output = g.Called
	opts := output.Options{Reads: func() []string { return []string{backup} }}
	keep := ""
	if pop {
		keep = output.UndoneName(output.BackupName(r.held.Path))
	}
	var parts []string
	kept, err := r.replaceInPlace(ctx, g, keep, opts, func(out format.Output) (changed bool, err error) {
		var same bool
		if parts, same, err = partsOf(g.Called, backup); err != nil {
			return false, err
		}
		for _, suffix := range parts {
			from, err := os.Open(backup + suffix)
			if err != nil {
				return false, err
			}
			part, err := out.Create(suffix)
			if err == nil {
				_, err = io.Copy(part, from)
			}
			if err = errors.Join(err, from.Close()); err != nil {
				return false, err
			}
		}
		return !same, nil
	})
	if err == nil && kept != "" && pop {
		err = errors.Join(old.Close(), removeBackup(backup, parts))
	}
	return kept, err
}

// undoing returns the command that undoes a change of a file in place, and the name of its backup.
func undoing(name, kept string) string {
	if list, err := backupsOf(name); err == nil && service.SameFile(list[len(list)-1].Path, kept) {
		return fmt.Sprintf("`trowel undo %s` undoes it (the backup is %s)", words.Quoted(name), list[len(list)-1].Path)
	}
	return fmt.Sprintf("`trowel undo %s` undoes it", words.Quoted(name, kept))
}

// nextTo returns the path of a file, which begins as the user wrote that of another file if both are in one folder.
func nextTo(name, path string) string {
	dir, _ := filepath.Split(strings.TrimRight(filepath.ToSlash(name), "/"))
	if as := dir + filepath.Base(path); service.SameFile(as, path) {
		return as
	}
	return path
}

// sameBytes reports whether two files have the same content.
func sameBytes(a, b string) (bool, error) {
	var files [2]*os.File
	var infos [2]os.FileInfo
	for i, name := range []string{a, b} {
		f, err := os.Open(name)
		if err != nil {
			return false, err
		}
		defer f.Close()
		if infos[i], err = f.Stat(); err != nil {
			return false, err
		}
		files[i] = f
	}
	if infos[0].Size() != infos[1].Size() {
		return false, nil
	}
	var parts [2][1 << 15]byte
	for {
		n, err := io.ReadFull(files[0], parts[0][:])
		if _, err := io.ReadFull(files[1], parts[1][:n]); err != nil || !bytes.Equal(parts[0][:n], parts[1][:n]) {
			return false, err
		}
		switch {
		case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
			return true, nil
		case err != nil:
			return false, err
		}
	}
}
