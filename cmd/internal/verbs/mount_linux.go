//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"trowel.example/cmd/internal/mount"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/host"
	"trowel.example/internal/files/inuse"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
)

// mountedAt returns the game file that is mounted at a folder.
func mountedAt(dir string) (file string, alive, ok bool) { return mount.FileAt(dir) }

// freeing returns how a mount point of a program that has ended becomes a folder again.
func freeing(dir string) string {
	command := "umount"
	if _, err := host.FindProgram("fusermount3"); err == nil {
		command = "fusermount3 -u"
	}
	return fmt.Sprintf("`%s %s` makes it a folder again", command, wording.Quoted(dir))
}

// mount mounts a file until it is unmounted, or until the user ends the program.
func (m *mounting) mount(ctx context.Context, file, dir string) error {
	g, err := openGame(ctx, m.Tool, file)
	if err != nil {
		return err
	}
	defer func() { g.Close() }()
	o, err := m.options(g)
	if err != nil {
		return err
	}
	made, err := mountPoint(g, dir)
	if err != nil {
		return err
	}
	if made {
		defer os.Remove(dir)
	}
	if o.Dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	if m.write {
		if o.Edits, err = mount.OpenEdits(file, o.Perm&0o077 == 0); err != nil {
			return err
		}
		defer o.Edits.Close()
		if err := o.Edits.Use(m.Options.Values()); err != nil {
			return err
		}
	} else if service.Exists(filepath.Clean(file) + mount.EditsSuffix) {
		m.talk.Warn(file, fmt.Sprintf("the edits in %s are not shown: --write shows them", filepath.Clean(file)+mount.EditsSuffix))
	}
	again := false
	o.Open = func() (fs.FS, io.Closer, error) {
		if again {
			if g, err = openGame(context.WithoutCancel(ctx), m.Tool, file); err != nil {
				return nil, nil, err
			}
		}
		again = true
		return m.tree(ctx, g)
	}
	return m.serve(ctx, g, o)
}

// options returns the options of a mount that depend on the file.
func (m *mounting) options(g *service.File) (mount.Options, error) {
	o := mount.Options{Perm: 0o700 | service.OthersOf(g.ShownPaths()), Live: g.Folder, Time: time.Now()}
	var err error
	if o.File, err = filepath.Abs(g.Called); err != nil {
		return o, err
	}
	info, err := os.Stat(g.Called)
	if err == nil {
		o.Time = info.ModTime()
	}
	if !m.write {
		return o, nil
	}
	switch {
	case err != nil:
		return o, wording.Hint(fmt.Errorf("%s: edits of it have no place", g.Called), "copy it to this machine, or mount it without --write")
	case commandOf(g.Format, format.ApplyCommand.Name) == nil:
		return o, wording.Hint(fmt.Errorf("%s: a %s has no operation %s, so edits cannot be packed", g.Called, g.Title, format.ApplyCommand.Name),
			"mount it without --write, or use `trowel extract` and `trowel pack`")
	}
	return o, nil
}

// commandOf returns an operation of a format; nil if it has none of that name.
func commandOf(f *format.Format, name string) *format.Command {
	for _, c := range editCommands(f) {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// mountPoint checks the folder of a mount, and makes it if it does not exist.
func mountPoint(g *service.File, dir string) (made bool, err error) {
	if _, alive, ok := mountedAt(dir); ok && !alive {
		return false, wording.Hint(fmt.Errorf("%s: is still mounted, but the program of the mount has ended", dir), "%s", freeing(dir))
	} else if ok {
		return false, fmt.Errorf("%s: a file is mounted there already", dir)
	}
	if g.Source.IsDir() {
		if inside, err := isInside(dir, g.Called); err != nil || inside {
			return false, errors.Join(err, wording.Hint(fmt.Errorf("%s: is inside %s", dir, g.Called), "choose a folder next to it"))
		}
	}
	root, err := regular.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return false, err
	}
	defer root.Close()
	list, err := fs.ReadDir(root.FS(), ".")
	if err == nil && len(list) > 0 {
		err = wording.Hint(fmt.Errorf("%s: is not empty, and its files would be hidden", dir), "choose an empty or a new folder")
	}
	return false, err
}

// isInside reports whether a path, which need not exist, is a folder or inside it.
func isInside(at, dir string) (bool, error) {
	top, err := filepath.EvalSymlinks(dir)
	if err == nil {
		top, err = filepath.Abs(top)
	}
	if err == nil {
		at, err = filepath.Abs(at)
	}
	if err != nil {
		return false, err
	}
	for rest := ""; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = filepath.Join(real, rest)
			break
		}
		at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
	}
	return at == top || strings.HasPrefix(at, top+string(filepath.Separator)), nil
}

// tree opens the tree of a file. Reading it does not end with ctx: the mount may be in use.
func (m *mounting) tree(ctx context.Context, g *service.File) (fs.FS, io.Closer, error) {
	ctx = context.WithoutCancel(ctx)
	job := m.Job(g.Format)
	job.Keeping = !m.write // apply compares edits with files that need no sidecar
	file, err := g.OpenFile(ctx, job)
	if err != nil {
		return nil, nil, errors.Join(err, g.Close())
	}
	fsys, err := file.Tree(ctx, job)
	if err != nil {
		return nil, nil, errors.Join(wording.Named(err, g.Called), file.Close(), g.Close())
	}
	return fsys, closeAll{file, g}, nil
}

type closeAll []io.Closer

func (c closeAll) Close() error {
	var err error
	for _, one := range c {
		err = errors.Join(err, one.Close())
	}
	return err
}

// serve mounts the file, waits until it is unmounted, and packs the edits.
func (m *mounting) serve(ctx context.Context, g *service.File, o mount.Options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // the terminal was closed
	defer stop()
	o.Report = func(at string, err error) { m.talk.Miss(filepath.Join(g.Called, at), wording.Text(err)) }
	o.Pack = func(ctx context.Context) []byte {
		if !o.Edits.Exist() {
			return encoded(answer{})
		}
		return encoded(m.apply(ctx, g.Called, o.Edits))
	}
	o.Refuse = func(at string) []byte {
		return encoded(answer{exitFound, "", fmt.Sprintf("trowel: %s: nothing was packed: a program is writing %s\n", g.Called, at)})
	}
	m.bounds.enough()
	mounted, err := mount.Start(o)
	if err != nil {
		return cannotMount(err)
	}
	how := "read-only"
	if m.write {
		how = "edits go to " + o.Edits.Dir
	}
	m.talk.Say("%s: mounted at %s, %s; Ctrl-C ends it", g.Called, o.Dir, how)
	ended := make(chan error, 1)
	go func() { ended <- mounted.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		if err = m.unmount(mounted, o.Dir); err == nil {
			err = <-ended
		}
	}
	if err != nil || o.Edits == nil || !o.Edits.Exist() {
		return err
	}
	return m.print(m.apply(context.WithoutCancel(ctx), g.Called, o.Edits))
}

func encoded(a answer) []byte {
	data, _ := json.Marshal(a) // strings and a number
	return data
}

// unmount unmounts a file as soon as no program uses it.
func (m *mounting) unmount(mounted *mount.Mount, dir string) error {
	for said := false; ; said = true {
		err := mounted.Unmount()
		if err == nil {
			return nil
		}
		if _, _, ok := mountedAt(dir); !ok {
			return nil // the user has unmounted it meanwhile
		}
		if !said {
			by := inuse.By(dir)
			if by == "" {
				by = "a program, such as a shell whose current folder it is"
			}
			m.talk.Print(fmt.Sprintf("trowel: %s: still in use by %s; another Ctrl-C ends mount at once, without packing the edits", dir, by))
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// cannotMount adds advice to an error of a system that refuses to mount.
func cannotMount(err error) error {
	if !errors.Is(err, mount.ErrMount) {
		return err
	}
	if _, missing := os.Stat("/dev/fuse"); missing != nil {
		return wording.Hint(err, "this system has no FUSE: /dev/fuse is missing")
	}
	if _, missing := host.FindProgram("fusermount3"); missing != nil && os.Geteuid() != 0 {
		return wording.Hint(err, "the program fusermount3 is missing: on Debian, it is in the package fuse3")
	}
	return err
}
