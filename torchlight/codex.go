//go:build !js

package torchlight

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/codex"
	"trowel.example/torchlight/internal/codexsite"
	"trowel.example/torchlight/internal/modsource"
	"trowel.example/torchlight/moddir"
)

// modCodex describes mods for players.
var modCodex = &format.Codex{Title: "Torchlight II", Open: openCodex, Owns: codexsite.Owns}

// openedCodex are the files that a codex is made from.
type openedCodex struct {
	sources []codex.Source
	options format.CodexOptions
	closers []io.Closer
}

func openCodex(ctx context.Context, job *format.Job, mods []string, o format.CodexOptions) (_ format.OpenCodex, err error) {
	c := &openedCodex{options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	names := mods
	if o.Base != "" {
		names = append([]string{o.Base}, mods...)
	}
	for i, name := range names {
		if err := c.add(job, name, o.Base != "" && i == 0); err != nil {
			return nil, fault.InFile(err, name)
		}
	}
	return c, nil
}

// add opens a mod, or the game's own files.
func (c *openedCodex) add(job *format.Job, name string, base bool) error {
	m, err := modsource.Open(job, name, moddir.Options{})
	if err != nil {
		return err
	}
	c.closers = append(c.closers, m)
	s := codex.Source{Files: m.Files, Mod: codex.Mod{Name: filepath.Base(filepath.Clean(name)), Base: base}}
	s.Title = strings.TrimSuffix(s.Name, filepath.Ext(s.Name))
	h, err := m.Header()
	if h != nil {
		s.Removed = h.Removed
	}
	if h != nil && h.Title != "" && !base {
		s.Title, s.Author = h.Title, h.Author
	}
	c.sources = append(c.sources, s)
	return err
}

func (c *openedCodex) JSON(ctx context.Context, out io.Writer) error {
	data, err := codex.Read(ctx, c.sources, codex.Options{Languages: c.options.Languages})
	if err != nil {
		return err
	}
	if c.options.Public {
		codex.Publish(data)
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(data)
}

func (c *openedCodex) Write(ctx context.Context, job *format.Job, dir string) error {
	data, err := codex.Read(ctx, c.sources, codex.Options{Languages: c.options.Languages, NoChances: true})
	if err != nil {
		return err
	}
	return codexsite.Write(ctx, dir, data, c.sources, codexsite.Options{Public: c.options.Public,
		NoModels: c.options.NoModels, Progress: job.Report, Program: c.options.Program, Earlier: job.Over})
}

func (c *openedCodex) Close() error {
	var errs []error
	for _, closer := range c.closers {
		errs = append(errs, closer.Close())
	}
	return errors.Join(errs...)
}
