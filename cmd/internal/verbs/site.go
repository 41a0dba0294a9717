package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/site"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/format"
)

func siteCommand(a *Tool) *cobra.Command {
	m := &siteMaker{writing: &writing{Tool: a, strict: true}}
	cmd := &cobra.Command{
		Use:   "site FILE... -o FOLDER",
		Short: "Make a folder for a web server that shows files",
		Long: `Site makes a folder for any web server: a page that shows the files in the browser, like "trowel view",
and copies of the files. One file opens at once, two are compared, and more, or a folder, are a
gallery. The address of the page contains the visible place, so a link leads to it.

Everybody who can open the page can read the copies. Of a world, only the blocks, the areas, and the
pictures and models of its mods are copied: no players, accounts or mod storage. Of a folder, the
files of known formats are copied. A folder made by extract is built.

The page is the archive trowel-VERSION-page.tar.gz of the release, or the folder in it, next to this
program or next to its folder. --page names another place.

` + reportHelp,
		Example: `  trowel site -o www maps/
  trowel site -o www --page trowel-page.tar.gz climb.map
  python3 -m http.server -d www`,
		Args: args(1, -1),
	}
	Bind(a, cmd, m, &m.keep)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if m.Output == "" {
			return wording.Hint(errors.New("no name given for the new folder"), "give it with -o")
		}
		if m.Output == "-" {
			return errors.New("standard output cannot receive a folder")
		}
		args = Expand(args)
		return m.each(cmd.Context(), args[:1], func(_ string, r *report) error {
			m.report, r.merged, r.format = r, args, "site"
			return m.make(cmd.Context(), args)
		})
	}
	return needs(cmd, needOutput)
}

// siteMaker makes a folder for a web server.
type siteMaker struct {
	*writing
	Output string `option:"output,o" help:"the new {folder}"`
	Page   string `option:"page" help:"the {file} or folder of the page (default: next to the program)"`
	Force  bool   `option:"force,f" help:"replace an existing folder that this verb made"`

	report  *report
	into    string // the folder for the copies
	unknown int    // files that were found in folders and have no known format
}

func (m *siteMaker) make(ctx context.Context, names []string) error {
	from, err := findPage(m.Page)
	if err != nil {
		return err
	}
	page, err := site.OpenPage(from)
	if err != nil {
		return wording.Hint(service.NotThere(from, err), "--page accepts the file or folder %s of a release", pageName())
	}
	paths, err := copyPaths(names)
	if err != nil {
		return err
	}
	opts := output.Options{
		Replace: m.Force,
		Replaces: func(path string) error {
			if err := page.Owns(path); err != nil {
				return fmt.Errorf("%w: %w", output.ErrKind, err)
			}
			return nil
		},
		Reads: func() []string { return append(slices.Clone(names), from) },
	}
	err = m.report.write(ctx, m.Output, opts, func(out format.Output) error {
		to, err := out.Dir()
		if err != nil {
			return err
		}
		m.into = filepath.Join(to, site.Files)
		var shown []string
		for i, name := range names {
			at, err := m.copyAll(ctx, name, paths[i])
			if err != nil {
				return err
			}
			shown = append(shown, at)
		}
		return page.Write(to, shown)
	})
	if err != nil {
		return err
	}
	if m.unknown > 0 {
		m.talk.Say("skipped %s of unknown formats", wording.Count(m.unknown, "file"))
	}
	m.report.sayMade("wrote", "write", m.Output, true)
	return nil
}

// copyPaths returns the paths of the copies of files: their names, with their folders if two
// names are the same.
func copyPaths(names []string) (list []string, err error) {
	for _, name := range names {
		list = append(list, service.BaseName(name))
	}
	if len(slices.Compact(slices.Sorted(slices.Values(list)))) == len(list) {
		return list, nil
	}
	above, err := service.CommonFolder(names)
	for i, name := range names {
		list[i] = service.NameBelow(above, name)
	}
	return list, err
}

// copyAll copies the files that a name refers to. It returns the path of the copy: of a file, or of a folder with files.
func (m *siteMaker) copyAll(ctx context.Context, name, place string) (shown string, err error) {
	shown = place
	copied := false
	err = m.Targets(ctx, name, func(t service.Target) error {
		at := place
		if t.Found {
			at = path.Join(place, service.NameBelow(name, t.Name))
		}
		at, err := m.copy(ctx, t, at)
		if errors.Is(err, format.ErrUnknown) && t.Found {
			m.unknown++
			return nil
		}
		if copied = copied || err == nil; err == nil && !t.Found {
			shown = at
		}
		return err
	})
	if err == nil && !copied {
		err = noFiles(name, "game files")
	}
	return shown, err
}

// copy copies a file or a world to a path below the folder of all copies, and returns the path, which has an extension if the file was
// built from a folder.
func (m *siteMaker) copy(ctx context.Context, t service.Target, at string) (string, error) {
	if t.Err != nil {
		return "", t.Err
	}
	g, err := m.FindTarget(ctx, t)
	if err != nil {
		return "", err
	}
	defer g.Close()
	if !utf8.ValidString(at) {
		return "", fmt.Errorf("%+q is not valid UTF-8 and cannot be part of an address", at)
	}
	if g.Built != nil {
		at = path.Join(path.Dir(at), g.Source.Name)
	}
	to := filepath.Join(m.into, filepath.FromSlash(at))
	if _, err := os.Lstat(to); err == nil {
		return "", fmt.Errorf("%s: another file would have the same name, %s", t.Name, at)
	}
	if err := wholefile.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", err
	}
	if g.Source.Dir == "" {
		return at, m.copyFiles(ctx, g, filepath.Dir(to))
	}
	if g.Publish == nil {
		return "", fmt.Errorf("%s: a %s contains private data and cannot be published", t.Name, g.Title)
	}
	if err := os.Mkdir(to, 0o777); err != nil {
		return "", err
	}
	if err := g.Publish(ctx, m.report.watch(m.Job(g.Format)), g.Source, to); err != nil {
		return "", wording.Named(err, t.Name)
	}
	return at, readable(to)
}

// copyFiles copies a file, and the files that are parts of it.
func (m *siteMaker) copyFiles(ctx context.Context, g *service.File, dir string) error {
	sources := []*format.Source{g.Source}
	for _, name := range g.Source.Siblings() {
		if g.PartOf == nil {
			break
		}
		if whole, ok := g.PartOf(name); ok && whole == g.Source.Name {
			part, err := g.Source.Beside(name)
			if err != nil {
				return err
			}
			defer part.Close()
			sources = append(sources, part)
		}
	}
	for _, src := range sources {
		f, err := os.OpenFile(filepath.Join(dir, src.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		err = regular.Copy(ctx, f, io.NewSectionReader(src, 0, src.Size))
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// readable gives the files in a folder the permissions of new files.
func readable(dir string) error {
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if e.IsDir() {
			mode = 0o755
		}
		return wholefile.SetMode(name, mode)
	})
}

// pageName returns the name of the folder of the page of this version. The archive has it with .tar.gz.
func pageName() string { return "trowel-" + service.Built().Version + "-page" }

// findPage returns the path of the page: the one that the user gave, or the one of this version next to the program or its folder.
func findPage(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil { // fails on some drives of Windows
		self = real
	}
	for _, dir := range []string{filepath.Dir(self), filepath.Dir(filepath.Dir(self))} {
		for _, suffix := range []string{"", ".tar.gz"} {
			if name := filepath.Join(dir, pageName()+suffix); service.Exists(name) {
				return name, nil
			}
		}
	}
	return "", wording.Hint(fmt.Errorf("the page %s.tar.gz is not next to the program", pageName()),
		"download it from the release of this version, or name it with --page; in a clone of the sources, "+
			"`go run ./cmd/trowel-page page` makes the folder")
}
