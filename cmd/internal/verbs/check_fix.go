package verbs

import (
	"context"
	"slices"

	"trowel.example/check"
)

// fixing is what check does with --fix after it has reported its findings: an edit in place of each file for whose findings an
// operation is known.
type fixing struct {
	editing
	files []string            // in the order of the report
	by    map[string][]string // the operations of each file
}

// add remembers the operations that mend findings of a file, each once, in the order in which kinds are declared.
func (x *fixing) add(name string, findings []check.Finding) {
	found := make(map[string]bool)
	for _, f := range findings {
		found[f.ID] = true
	}
	var steps [][]string
	for _, k := range allKinds(x.Tool) {
		if found[k.ID] && k.Fix != nil && !slices.ContainsFunc(steps, func(s []string) bool { return slices.Equal(s, k.Fix) }) {
			steps = append(steps, k.Fix)
		}
	}
	if steps == nil {
		return
	}
	operations := slices.Clone(steps[0])
	for _, s := range steps[1:] {
		operations = append(append(operations, "then"), s...)
	}
	if x.by == nil {
		x.by = make(map[string][]string)
	}
	x.files, x.by[name] = append(x.files, name), operations
}

func (x *fixing) run(ctx context.Context) error {
	if x.files == nil {
		x.talk.Say("nothing can be mended by --fix")
		return nil
	}
	from := make(map[string]string)
	return x.each(ctx, x.files, func(name string, r *report) error {
		x.words = x.by[name]
		return asLacking(x.edit(ctx, name, from, r))
	})
}
