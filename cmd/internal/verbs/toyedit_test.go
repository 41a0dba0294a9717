package verbs

import (
	"context"
	"fmt"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/values/merge3"
)

// toyEditing renames and removes toys of a box.
var toyEditing = &format.Editing{
	Commands: []*format.Command{
		{Name: "rename-toy", Title: "Give a toy another name", Heading: "Toys", Example: "rename-toy car 'fast car'",
			Args: []format.Option{{Name: "toy", Help: "which one"}, {Name: "name", Help: "the new name"}}},
		{Name: "remove-toys", Title: "Remove toys", Heading: "Toys", Example: "remove-toys --large",
			Args:    []format.Option{{Name: "toy", List: true, Help: "which ones"}},
			Options: []format.Option{{Name: "large", Type: format.Bool, Help: "those of more than 9 bytes"}}},
	},
	Options: []format.Option{{Name: "gently", Type: format.Bool, Help: "change nothing that is empty"}},
	Edit: func(_ context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output,
		report func(check.Change) error) error {
		b, err := readBox(src, nil)
		if err != nil {
			return err
		}
		for _, step := range steps {
			var kept []toy
			found := false
			for _, one := range b.toys {
				is := strings.Contains("\n"+step.Job.Value("toy")+"\n", "\n"+one.name+"\n")
				switch {
				case job.Value("gently") == "true" && len(one.data) == 0:
				case step.Name == "rename-toy" && is:
					found = true
					if err := report(check.Change{Path: one.name, What: "became " + step.Job.Value("name"), Count: 1}); err != nil {
						return err
					}
					one.name = step.Job.Value("name")
				case step.Name == "remove-toys" && (is || (step.Job.Value("large") == "true") && len(one.data) > 9):
					found = true
					if err := report(check.Change{Path: one.name, What: "was removed", Count: int64(len(one.data)), Unit: "bytes"}); err != nil {
						return err
					}
					continue
				}
				kept = append(kept, one)
			}
			if b.toys = kept; !found && step.Name == "rename-toy" {
				return fmt.Errorf("%s: there is no toy %s", src.Path, step.Job.Value("toy"))
			}
		}
		if out == nil {
			return nil
		}
		return format.Write(out, b.encode())
	},
}

// toyMerging merges boxes by the names of toys.
var toyMerging = &format.Merging{
	Merge: func(_ context.Context, job *format.Job, base, ours, theirs *format.Source, out format.Output,
		o merge3.Options) ([]check.Conflict, error) {
		var boxes [3]*box
		for i, src := range []*format.Source{base, ours, theirs} {
			var err error
			if boxes[i], err = readBox(src, nil); err != nil {
				return nil, err
			}
		}
		of := func(b *box, name string) *toy {
			for i := range b.toys {
				if b.toys[i].name == name {
					return &b.toys[i]
				}
			}
			return nil
		}
		same := func(a, b *toy) bool { return a == b || a != nil && b != nil && string(a.data) == string(b.data) }
		log := merge3.Log{Options: o}
		merged := *boxes[1]
		merged.toys = nil
		for _, list := range [][]toy{boxes[1].toys, boxes[2].toys} {
			for _, one := range list {
				if of(&merged, one.name) != nil {
					continue
				}
				was, mine, yours := of(boxes[0], one.name), of(boxes[1], one.name), of(boxes[2], one.name)
				took := mine
				side, both := merge3.Compare(was, mine, yours, same)
				switch {
				case both:
					side = log.Conflict(check.Conflict{Path: "toys/" + one.name, What: "both changed it"})
				case side == merge3.Theirs:
					log.Took("toys/"+one.name, nil, "taken")
				}
				if side == merge3.Theirs {
					took = yours
				}
				if took != nil {
					merged.toys = append(merged.toys, *took)
				}
			}
		}
		conflicts, err := log.End(nil)
		if err != nil || out == nil {
			return conflicts, err
		}
		return conflicts, format.Write(out, merged.encode())
	},
	Many: &format.MergingMany{Flag: "boxes", Help: "pour many boxes into one",
		Merge: func(_ context.Context, _ *format.Job, files []*format.Source, out format.Output, _ string,
			_ format.MergeReport) ([]check.Conflict, error) {
			var all box
			for _, src := range files {
				b, err := readBox(src, nil)
				if err != nil {
					return nil, err
				}
				all.toys = append(all.toys, b.toys...)
			}
			if out == nil {
				return nil, nil
			}
			return nil, format.Write(out, all.encode())
		}},
}
