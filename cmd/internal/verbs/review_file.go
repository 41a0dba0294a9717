package verbs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/cmd/internal/review"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
)

// Limits of what is kept of a file.
const (
	maxReviewChanges = 100_000
	maxReviewPlaces  = 100_000 // of each state, for pictures
	maxReviewNotes   = 100
)

// fileReview is the review of a pair of files.
type fileReview struct {
	*comparison // its messages are notes of the file
	run         *reviewRun
	pair        reviewPair
	file        *review.File
	sides       [2]side
	same        bool // nothing differs
	byParts     bool
	places      [2][]reviewPlace
	parts       []string // changed files inside that can be drawn
}

// reviewPlace is a place that differs.
type reviewPlace struct {
	check.Place
	decides bool
}

// reviewPair adds a pair of files to the report, if they differ.
func (r *reviewRun) reviewPair(ctx context.Context, p reviewPair) error {
	v := &fileReview{run: r, pair: p, file: &review.File{Path: p.path, Was: p.was, Change: "changed"}}
	switch {
	case r.report.Base.Name == "":
		v.file.Change = review.Alone
	case p.files[0].Name == "":
		v.file.Change = "added"
	case p.files[1].Name == "":
		v.file.Change = "removed"
	case p.was != "":
		v.file.Change = "renamed"
	}
	quiet := *r.Tool
	quiet.Service = r.Part(v.note)
	v.comparison = &comparison{Tool: &quiet, nameA: p.files[0].Name, nameB: p.files[1].Name}
	defer v.close()
	var err error
	if p.unread {
		v.fail(errors.New("a link or a submodule was not compared"))
	} else if caught := parallel.Catch(func() { err = v.review(ctx) }); caught != nil {
		v.fail(service.Defect(caught))
	}
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	if !v.same || v.file.Change != "changed" || v.file.Incomplete {
		r.report.Files = append(r.report.Files, v.file)
	}
	return nil
}

func (v *fileReview) close() {
	for _, s := range v.sides {
		if s.Closer != nil {
			s.Close()
		}
	}
}

// note adds a message to the report on the file.
func (v *fileReview) note(n wording.Note) {
	if n.Kind == wording.Said {
		return
	}
	v.file.Incomplete = v.file.Incomplete || n.Kind != wording.Warned
	text := wording.Placed(n.Path, n.Text)
	if len(v.file.Notes) < maxReviewNotes && !slices.Contains(v.file.Notes, text) {
		v.file.Notes = append(v.file.Notes, text)
	}
}

// fail reports that the files could not be compared completely.
func (v *fileReview) fail(err error) {
	n := wording.Failure(err)
	n.Text = v.run.talk.Plain(n.Text)
	v.note(n)
}

// review compares the files. An error means that the user named a wrong file.
func (v *fileReview) review(ctx context.Context) error {
	if err := v.openBoth(ctx); err != nil {
		return err
	}
	if v.file.Change != "changed" && v.file.Change != "renamed" {
		v.findings(ctx)
		v.takeRules()
		v.file.New = slices.DeleteFunc(v.file.New, ruled)
		if v.file.Change != review.Alone {
			v.draw(ctx)
		}
		v.drawRules(ctx)
		return nil
	}
	a, b := v.sides[0], v.sides[1]
	single := a.Source != nil && b.Source != nil && !a.IsDir() && !b.IsDir()
	if single {
		var err error
		// Other files may belong to a file of a format with PartOf.
		if v.same, err = treediff.SameBytes(a.Source, b.Source); err != nil || v.same && (a.format == nil || a.format.PartOf == nil) {
			return err
		}
	}
	if err := v.compare(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v.fail(err)
	}
	v.findings(ctx)
	v.takeRules()
	v.file.New, v.file.Gone = review.CompareFindings(v.file.Gone, v.file.New)
	v.file.New = slices.DeleteFunc(v.file.New, ruled)
	differ := len(v.file.Changes)+len(v.file.Decides)+len(v.file.New)+len(v.file.Gone) > 0
	if !differ && single && !v.same && a.format != nil && !v.file.Incomplete {
		v.file.Lines = append(v.file.Lines, "The bytes differ, and no difference of the content was found.")
		differ = true
	}
	v.same = !differ && !v.file.Incomplete && len(v.file.Rules) == 0 && (a.format != nil || b.format != nil)
	v.draw(ctx)
	v.drawRules(ctx)
	return nil
}

// openBoth opens the files. A file of an unknown format that was found in a folder is opened without a format.
func (v *fileReview) openBoth(ctx context.Context) error {
	for i, t := range v.pair.files {
		if t.Name == "" {
			continue
		}
		s, err := v.openSide(ctx, t)
		if err != nil && !t.Found {
			return err
		}
		if err != nil {
			if !errors.Is(err, format.ErrUnknown) {
				v.fail(err)
			}
			src, err := v.Source(ctx, t.Name)
			if err != nil {
				v.fail(err)
				continue
			}
			s = side{format.Side{Source: src}, src, nil}
		}
		v.sides[i] = s
		if s.format != nil {
			v.file.Format, v.file.Title = s.format.Name, s.format.Title
		}
		if s.Source != nil && !s.IsDir() {
			*[]**int64{&v.file.OldSize, &v.file.NewSize}[i] = &s.Source.Size
		}
	}
	return nil
}

// compare compares the contents of both files.
func (v *fileReview) compare(ctx context.Context) error {
	a, b := v.sides[0], v.sides[1]
	if a.format == nil && b.format == nil {
		return nil
	}
	if a.format != b.format && comparing(a.format, b.format) == nil {
		names := [2][2]string{{"", "file of an unknown format"}, {"", "file of an unknown format"}}
		for i, f := range []*format.Format{a.format, b.format} {
			if f != nil {
				names[i] = [2]string{f.Name, f.Title}
			}
		}
		v.change(fmt.Sprintf("was a %s, and is a %s", names[0][1], names[1][1]),
			terminal.Object{{"path", ""}, {"change", "format"}, {"old", names[0][0]}, {"new", names[1][0]}})
		return nil
	}
	if a.format == b.format && a.format.Decides != nil {
		err := a.format.Decides(ctx, v.Job(a.format), a.Side, b.Side, v.decides)
		if err != nil {
			return err
		}
		v.file.Decided = true
	}
	if f := comparing(a.format, b.format); f != nil {
		v.byParts = true
		lines, err := f.Compare(ctx, v.Job(f), a.Side, b.Side, func(change any) error {
			v.change("", change)
			return nil
		})
		v.file.Lines = append(v.file.Lines, lines...)
		if !errors.Is(err, format.ErrByTrees) {
			return err
		}
		v.byParts = false
	}
	if err := v.openTrees(ctx, &v.sides); err != nil {
		return err
	}
	return v.namedSide(v.trees.Compare(ctx, v.treeDifference))
}

// decides adds a difference that affects gameplay.
func (v *fileReview) decides(c check.Change) error {
	v.file.Decides = append(v.file.Decides, c)
	for i := range v.places {
		v.addPlaces(i, c.At, true)
	}
	return nil
}

// change adds a difference. Text describes it for people, or is "".
func (v *fileReview) change(text string, change any) {
	if text != "" {
		v.file.Lines = append(v.file.Lines, strings.Split(text, "\n")...)
	}
	if len(v.file.Changes) == maxReviewChanges {
		v.file.Left++
	} else {
		v.file.Changes = append(v.file.Changes, change)
	}
	if p, ok := change.(format.Placer); ok {
		old, new := p.Places()
		v.addPlaces(0, old, false)
		v.addPlaces(1, new, false)
	}
}

func (v *fileReview) addPlaces(side int, places []check.Place, decides bool) {
	room := maxReviewPlaces - len(v.places[side])
	for _, at := range places[:min(len(places), room)] {
		v.places[side] = append(v.places[side], reviewPlace{at, decides})
	}
}

// treeDifference adds a file that differs between the trees.
func (v *fileReview) treeDifference(d treediff.Difference) error {
	if d.Err != nil {
		v.fail(v.namedSide(d.Err))
		return nil
	}
	if d.Same {
		return nil
	}
	text := strings.TrimSuffix(d.Text, "\n")
	if text == "" {
		text = headline(d)
	}
	v.change(text, differenceObject(d))
	for _, s := range v.sides {
		if s.format != nil && s.format.Shows(d.Path) && !slices.Contains(v.parts, d.Path) {
			v.parts = append(v.parts, d.Path)
		}
	}
	return nil
}

// findings checks the files: those of the old one are in Gone, those of the new one in New.
func (v *fileReview) findings(ctx context.Context) {
	for i, to := range []*[]check.Finding{&v.file.Gone, &v.file.New} {
		if v.sides[i].format == nil || v.file.Change == "removed" {
			continue
		}
		var r service.Checked
		v.CheckSafely(ctx, v.pair.files[i], "", &r)
		if r.Err != nil {
			v.fail(r.Err)
		}
		name := v.run.talk.Plain(v.pair.files[i].Name)
		for k := range r.Findings { // both files are called the same, so that findings can be compared
			f := &r.Findings[k]
			for _, text := range []*string{&f.Path, &f.Message} {
				if rest, ok := strings.CutPrefix(*text, name); ok && rest != "" && strings.ContainsAny(rest[:1], ":/\\") {
					*text = v.file.Path + rest
				}
			}
		}
		*to = r.Findings
	}
}
