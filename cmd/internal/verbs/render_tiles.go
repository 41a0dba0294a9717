package verbs

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/tiles"
	"trowel.example/cmd/internal/wording"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/files/output"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/text/words"
)

// drawTiles makes a tile pyramid or updates an existing one.
func (p *picture) drawTiles(ctx context.Context, dir string) error {
	p.output = filepath.Clean(dir)
	if p.view.Frame != nil {
		return wording.Hint(errors.New("a camera shows no whole picture to divide into tiles"), "choose another --view: --list prints them")
	}
	var folder, was *output.Collection
	pyramid := &tiles.Pyramid{
		Scene: p.scene, View: p.view, Look: p.look, Scale: p.asked.scale, Background: p.background(),
		File: p.name, Title: filepath.Base(filepath.Clean(p.name)),
		Open: func() (_ *output.Collection, err error) {
			to := p.Written(dir)
			if to != dir {
				err = wholefile.MkdirAll(filepath.Dir(to), 0o777)
			}
			if err == nil {
				folder, err = output.OpenCollection(to, p.pictureOptions(ctx, ""))
			}
			return folder, err
		},
		Progress: func(done, of int) { p.job.Report("tiles:", done, of) },
		Place:    p.Placing(),
	}
	pyramid.Files, pyramid.Adopt = p.Placed()
	if p.Handover != nil {
		pyramid.Was = func() (_ *output.Collection, err error) {
			if p.MayLookAt(dir) != nil {
				return nil, nil
			}
			if was, err = output.LookInto(dir); errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			return was, err
		}
		defer func() {
			if was != nil {
				was.Close()
			}
		}()
	}
	if pyramid.Scale == 0 {
		pyramid.Scale = p.view.Scale
	}
	err := p.Perform(ctx, work.Of(pyramid))
	if errors.Is(err, service.ErrPart) {
		return err
	}
	if folder != nil {
		defer folder.Close()
	} else if err != nil {
		return err
	}
	made := pyramid.Made()
	if err == nil {
		made, err = pyramid.Finish(ctx)
	}
	look := pyramid.Look
	look.Origin = p.view.Bounds.Min
	counts := terminal.Object{{"levels", made.Levels}, {"drawn", made.Drawn}, {"kept", made.Kept}, {"removed", made.Removed}}
	others := ""
	if made.Since {
		counts = append(counts, terminal.Object{{"gone", append([]string{}, made.Gone...)}}...)
		others = "; the others are unchanged"
	}
	p.extra = terminal.Object{{"picture", lookAsJSON(p.view, look)}, {"tiles", counts}}
	p.reportMissing(pyramid.Missing())
	for _, name := range made.Changed {
		if piece, ok := folder.Piece(name); ok && err == nil {
			err = p.add(filepath.Join(dir, filepath.FromSlash(name)), piece.Size)
		}
	}
	if err != nil {
		return err
	}
	p.printDone("drew", "draw", "%s as tiles in %s%c: %s new, %s as before, %s removed%s", p.name, p.output, filepath.Separator,
		words.Thousands(made.Drawn), words.Thousands(made.Kept), words.Thousands(made.Removed), others)
	return nil
}
