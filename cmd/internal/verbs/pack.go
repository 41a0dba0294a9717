package verbs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
)

func packCommand(a *Tool) *cobra.Command {
	var o struct {
		Output string `option:"output,o" help:"the new {file} (default: named after FOLDER)"`
		Format string `option:"format" help:"the {name} of the format, if it cannot be recognised"`
		Force  bool   `option:"force,f" help:"replace an existing file"`
	}
	w := &writing{Tool: a, strict: true}
	cmd := &cobra.Command{
		Use:   "pack FOLDER [-o FILE]",
		Short: "Build a file from a folder",
		Long: `Pack builds a game file from a folder made by "trowel extract": from climb/ it builds climb.map in
the current folder. An unchanged folder yields the identical file. The file appears complete, or not
at all.

Pack reads the new file again. If a part cannot be read, for example because the folder was
extracted from a damaged file or its .trowel.json is damaged, nothing is written unless -k is given:
then the file is written, the unreadable parts are reported, and the exit code is 1.

` + reportHelp,
		Example: `  trowel pack climb
  trowel pack climb -o maps/climb2.map -f
  trowel pack climb -o - | sha256sum`,
		Args: args(1, 1),
	}
	OptionFlags(a, cmd, optionsFor(format.ForBuild), w, &w.keep, &o)
	a.Completes(cmd, "format", completing(a, completeFormats))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return w.each(cmd.Context(), args, func(dir string, r *report) error {
			fsys, closer, err := a.OpenFolder(dir)
			if info, e := os.Stat(dir); e == nil && !info.IsDir() {
				err = wording.Hint(fmt.Errorf("%s: is not a folder", dir), "`trowel extract %s` makes a folder from a file", words.Quoted(dir))
			}
			if err != nil {
				return service.NotThere(dir, err)
			}
			defer closer.Close()
			f, err := treeFormat(a, fsys, dir, o.Format)
			if err != nil {
				if g, e := openGame(cmd.Context(), a, dir); e == nil {
					g.Close()
					err = wording.Hint(fmt.Errorf("%s: is already a %s", dir, g.Title),
						"`trowel extract %s` makes a folder of text from it", words.Quoted(dir))
				}
				return err
			}
			if err := a.Owned(f); err != nil {
				return err
			}
			if o.Output == "" {
				if o.Output, err = fileName(fsys, dir, f); err != nil {
					return err
				}
				if out, in := wayOut(dir); in {
					return wording.Hint(fmt.Errorf("%s: %s would be inside its own source folder", dir, o.Output),
						"-o %s writes it next to the folder", filepath.Join(out, o.Output))
				}
			}
			if err := a.MayBeCalled(o.Output, f, service.Extension(f), false); err != nil {
				return err
			}
			r.format = f.Name
			job := r.watch(a.Job(f))
			files := &watched{FS: fsys}
			opts := a.WriteOptions(cmd.Context(), o.Force, f, job, fsys, "", func() []string { return []string{dir} })
			if folder := opts.Others; !f.Folder { // a folder has files with their own permissions
				opts.Others = func() fs.FileMode {
					if files.owner.Load() {
						return 0
					}
					return folder()
				}
			}
			err = r.write(cmd.Context(), o.Output, opts, func(out format.Output) error {
				return wording.Named(f.Build(cmd.Context(), job, regular.Limit(files, effort.WholeFile), out), dir)
			})
			if err != nil {
				return err
			}
			r.sayMade("packed", "pack", o.Output, f.Folder)
			r.hintRedirected(f.Folder || cmd.Flags().Changed("output"))
			return nil
		})
	}
	return needs(cmd, needOutput)
}

// watched is a tree that records whether only the owner may read one of the files read.
type watched struct {
	fs.FS
	owner atomic.Bool
}

func (w *watched) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err == nil && !onWindows && st.Mode().IsRegular() && st.Mode().Perm()&0o077 == 0 {
		w.owner.Store(true)
	}
	return f, nil
}

func (w *watched) Stat(name string) (fs.FileInfo, error) { return fs.Stat(w.FS, name) }

// treeFormat returns the format of which dir is the tree form, or the format that the user named.
func treeFormat(a *Tool, fsys fs.FS, dir, name string) (*format.Format, error) {
	if name == "" {
		f, err := a.Formats.FindTree(fsys)
		if err != nil {
			err = fmt.Errorf("%s: %w", dir, err)
			return nil, cmp.Or(service.Foreign(dir, err),
				wording.Hint(err, "name a folder made by `trowel extract`, or give its format with --format"))
		}
		return f, nil
	}
	f := a.Formats.ByName(name)
	if f == nil {
		var names []string
		for _, f := range a.Formats {
			names = append(names, f.Name)
		}
		return nil, wording.DidYouMean(fmt.Errorf("unknown format %q", name), name, names, "`trowel formats` lists them")
	}
	if f.Build == nil {
		return nil, fmt.Errorf("%s cannot be built", name)
	}
	return f, nil
}

// fileName returns the name of the game file for a folder.
func fileName(fsys fs.FS, dir string, f *format.Format) (string, error) {
	if f.FileName != nil {
		if name := f.FileName(fsys); name != "" {
			return name + service.Extension(f), nil
		}
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if f.Folder && service.Extension(f) == "" {
		return "", wording.Hint(errors.New("no name given for the new folder"), "give it with -o")
	}
	return filepath.Base(full) + service.Extension(f), nil
}

// wayOut reports whether the current folder is dir or inside dir, and returns the relative path from the
// current folder to the parent of dir.
func wayOut(dir string) (out string, in bool) {
	top, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	here, err := os.Getwd()
	if err != nil {
		return "", false
	}
	if rel, err := filepath.Rel(top, here); err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	out, err = filepath.Rel(here, filepath.Dir(top))
	return out, err == nil
}

// completeFormats is the shell completion of format names.
func completeFormats(a *Tool, _ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, f := range a.Formats {
		names = append(names, f.Name+"\t"+f.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
