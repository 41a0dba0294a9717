package cli

import (
	"context"
	"fmt"
	"strings"

	"trowel.example/check"
	"trowel.example/format"
)

// toyEditing renames and removes toys of a box.
var toyEditing = &format.Editing{
	Commands: []*format.Command{
		{Name: "rename-toy", Title: "Give a toy another name", Heading: "Toys", Example: "rename-toy car 'fast car'",
			Args: []format.Option{{Name: "toy", Help: "which one"}, {Name: "name", Help: "the new name"}}},
		{Name: "remove-toys", Title: "Remove toys", Heading: "Toys", Example: "remove-toys --large",
			Args: []format.Option{{Name: "toy", List: true, Help: "which ones"}}, Options: []format.Option{{Name: "large", Bool: true, Help: "those of more than 9 bytes"}}},
	},
	Options: []format.Option{{Name: "gently", Bool: true, Help: "change nothing that is empty"}},
	Edit: func(_ context.Context, job *format.Job, src *format.Source, steps []format.Step, out format.Output, report func(check.Change) error) error {
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
				case job.On("gently") && len(one.data) == 0:
				case step.Name == "rename-toy" && is:
					found = true
					if err := report(check.Change{Path: one.name, What: "became " + step.Job.Value("name"), Count: 1}); err != nil {
						return err
					}
					one.name = step.Job.Value("name")
				case step.Name == "remove-toys" && (is || step.Job.On("large") && len(one.data) > 9):
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
