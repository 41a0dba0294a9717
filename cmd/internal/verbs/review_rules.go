package verbs

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"trowel.example/check"
	"trowel.example/cmd/internal/review"
	"trowel.example/cmd/internal/wording"
)

// ruled reports whether a finding is about a written rule.
func ruled(f check.Finding) bool { return f.Rule != nil }

// takeRules keeps the findings about written rules of the new file, whether they are new or not.
func (v *fileReview) takeRules() {
	v.file.Rules = slices.DeleteFunc(slices.Clone(v.file.New), func(f check.Finding) bool { return !ruled(f) })
	slices.SortStableFunc(v.file.Rules, func(a, b check.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(advice(a), advice(b)))
	})
}

// advice returns 1 if the rule of a finding is advice, and 0 if it binds.
func advice(f check.Finding) int {
	if f.Rule.Binds {
		return 0
	}
	return 1
}

// maxRulePlaces is the number of places of a finding that a picture marks.
const maxRulePlaces = 1000

// drawRules draws a picture of the first place of each finding about a written rule: what players see, also in the old file, and what
// they touch.
func (v *fileReview) drawRules(ctx context.Context) {
	if v.run.dir != "" && len(v.file.Rules) > 0 {
		v.undrawn(ctx, v.shootRules(ctx))
	}
}

func (v *fileReview) shootRules(ctx context.Context) error {
	sides, closeSides, err := v.openSides(ctx, "")
	defer closeSides()
	d := sides[1]
	if err != nil || d == nil {
		return err
	}
	var touched []string
	for _, l := range d.view.Layers {
		if slices.Contains(l.Words, wordPhysics) {
			touched = append(touched, l.Name)
		}
	}
	if err := os.MkdirAll(filepath.Join(v.run.dir, reportPictures), 0o777); err != nil {
		return err
	}
	n := 0
	for _, f := range v.file.Rules {
		if n == maxFilePictures || v.run.pictures == maxReviewPictures {
			v.note(wording.Note{Kind: wording.Warned, Text: "further pictures are left out"})
			return nil
		}
		var places []reviewPlace
		for _, at := range f.At[:min(len(f.At), maxRulePlaces)] {
			places = append(places, reviewPlace{at, f.Rule.Binds})
		}
		d.marks = nil
		if d.mark(ctx, places); len(d.marks) == 0 {
			continue
		}
		n++
		v.run.pictures++
		area := review.Areas(d.view, d.view.Bounds, d.marks[:1])[0]
		p := review.Picture{About: f.String(), Marks: len(d.marks)}
		for _, one := range []struct {
			to     *string
			side   *drawn
			name   string
			layers []string
		}{{&p.Before, sides[0], "before", nil}, {&p.After, d, "seen", nil}, {&p.Decide, d, "touched", touched}} {
			if one.side == nil || one.to == &p.Decide && touched == nil {
				continue
			}
			*one.to = path.Join(reportPictures, fmt.Sprintf("%d-%s.png", v.run.pictures, one.name))
			if err := v.shot(ctx, *one.to, one.side, area, one.layers); err != nil {
				return err
			}
		}
		v.file.Pictures = append(v.file.Pictures, p)
	}
	return nil
}
