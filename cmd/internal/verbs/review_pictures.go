package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"trowel.example/cmd/internal/review"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

// maxReviewPictures is the maximum number of pairs of pictures of a report, and of a file.
const (
	maxReviewPictures = 60
	maxFilePictures   = 12
)

// drawn is the scene of one of the files.
type drawn struct {
	game  *service.File
	scene *format.Scene
	view  format.View
	marks []review.Mark
}

// draw draws pictures of the files, if the report has a folder.
func (v *fileReview) draw(ctx context.Context) {
	if v.run.dir == "" || v.same {
		return
	}
	parts := v.parts
	if len(parts) == 0 {
		parts = []string{""}
	}
	for i, part := range parts {
		if v.run.pictures == maxReviewPictures || i == maxFilePictures {
			v.note(wording.Note{Kind: wording.Warned, Text: "further pictures are left out"})
			return
		}
		v.undrawn(ctx, v.drawPart(ctx, part))
	}
}

// undrawn notes an error of drawing, unless there is nothing to draw.
func (v *fileReview) undrawn(ctx context.Context, err error) {
	if err != nil && !errors.Is(err, format.ErrUnseen) && ctx.Err() == nil {
		v.note(wording.Note{Kind: wording.Warned, Text: v.run.talk.Plain("no picture: " + wording.Text(err))})
	}
}

// drawPart draws the files, or a file inside them.
func (v *fileReview) drawPart(ctx context.Context, part string) error {
	sides, closeSides, err := v.openSides(ctx, part)
	defer closeSides()
	if err != nil {
		return err
	}
	marked := false
	for i, d := range sides {
		if d == nil {
			continue
		}
		if part == "" {
			d.mark(ctx, v.places[i])
		}
		marked = marked || len(d.marks) > 0
	}
	if !marked && v.byParts { // nothing that a picture shows
		return nil
	}
	return v.shoot(ctx, part, sides)
}

// openSides opens the scenes of the files, or of a file inside them; nil: it has none. The function closes those that are open.
func (v *fileReview) openSides(ctx context.Context, part string) (sides [2]*drawn, closeSides func(), err error) {
	closeSides = func() {
		for _, d := range sides {
			if d != nil {
				d.scene.Close()
				d.game.Close()
			}
		}
	}
	for i, t := range v.pair.files {
		if f := v.sides[i].format; f != nil && f.Shows(part) && err == nil {
			sides[i], err = v.openScene(ctx, t, part)
		}
	}
	return sides, closeSides, err
}

// openScene opens the scene of a file, with its first flat view. It returns nil if there is no such view.
func (v *fileReview) openScene(ctx context.Context, t service.Target, part string) (*drawn, error) {
	g, err := v.FindTarget(ctx, t)
	if err != nil {
		return nil, err
	}
	scene, err := g.Scene(ctx, v.Job(g.Format), g.Source, part)
	if err != nil {
		g.Close()
		return nil, err
	}
	for _, view := range scene.Views {
		if view.Frame == nil {
			return &drawn{game: g, scene: scene, view: view}, nil
		}
	}
	scene.Close()
	g.Close()
	return nil, nil
}

// mark adds marks at places, as few as possible.
func (d *drawn) mark(ctx context.Context, places []reviewPlace) {
	if d.view.Where == nil {
		return
	}
	var rects [2][][4]float64 // of places that affect gameplay, and of others
	known := make(map[[4]float64]bool)
	for _, p := range places { // those that affect gameplay come first
		r, ok := d.view.Where(ctx, p.Place)
		if key := [4]float64{r.Min[0], r.Min[1], r.Max[0], r.Max[1]}; ok && !known[key] {
			known[key] = true
			k := 1
			if p.decides {
				k = 0
			}
			rects[k] = append(rects[k], key)
		}
	}
	for k, list := range rects {
		for _, r := range format.JoinRects(list) {
			d.marks = append(d.marks, review.Mark{Rect: format.Rect{Min: [2]float64{r[0], r[1]}, Max: [2]float64{r[2], r[3]}}, Decides: k == 0})
		}
	}
}

// wordPhysics selects the layers that affect gameplay.
const wordPhysics = "physics"

// layers returns the layers to draw: nil for the usual ones, and with them those that affect gameplay if they changed.
func (d *drawn) layers(decides bool) []string {
	if !decides {
		return nil
	}
	var list []string
	for _, l := range d.view.Layers {
		if l.Shown || slices.Contains(l.Words, wordPhysics) {
			list = append(list, l.Name)
		}
	}
	return list
}

// shoot draws pictures of all areas with marks, or of everything.
func (v *fileReview) shoot(ctx context.Context, part string, sides [2]*drawn) error {
	var bounds format.Rect
	var view format.View
	var all []review.Mark
	most := 0 // marks of a side
	for _, d := range sides {
		if d == nil {
			continue
		}
		if view.Name == "" {
			bounds = d.view.Bounds
		}
		view = d.view
		bounds = format.Rect{Min: [2]float64{min(bounds.Min[0], view.Bounds.Min[0]), min(bounds.Min[1], view.Bounds.Min[1])},
			Max: [2]float64{max(bounds.Max[0], view.Bounds.Max[0]), max(bounds.Max[1], view.Bounds.Max[1])}}
		all, most = append(all, d.marks...), max(most, len(d.marks))
	}
	decides := slices.ContainsFunc(all, func(m review.Mark) bool { return m.Decides })
	if err := os.MkdirAll(filepath.Join(v.run.dir, reportPictures), 0o777); err != nil {
		return err
	}
	for _, area := range review.Areas(view, bounds, all) {
		if v.run.pictures == maxReviewPictures {
			return nil
		}
		v.run.pictures++
		p := review.Picture{Part: part, Marks: most}
		for i, to := range []*string{&p.Before, &p.After} {
			if sides[i] == nil {
				continue
			}
			name := path.Join(reportPictures, fmt.Sprintf("%d-%s.png", v.run.pictures, []string{"before", "after"}[i]))
			if err := v.shot(ctx, name, sides[i], area, sides[i].layers(decides)); err != nil {
				return err
			}
			*to = name
		}
		v.file.Pictures = append(v.file.Pictures, p)
	}
	for _, d := range sides {
		if d == nil {
			continue
		}
		for _, line := range foldMissing(d.scene.Missing()) {
			v.note(wording.Note{Kind: wording.Warned, Text: "picture: " + line.text})
		}
	}
	return nil
}

// shot writes a picture with some layers, nil for those that are shown by default.
func (v *fileReview) shot(ctx context.Context, name string, d *drawn, area format.Rect, layers []string) error {
	f, err := os.Create(filepath.Join(v.run.dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	err = review.Shot(ctx, f, d.view, area, layers, d.marks)
	return errors.Join(err, f.Close())
}
