package teeworlds

import (
	"context"
	"io/fs"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/automap"
)

// teeworldsRules is the format of rules for DDNet's automapper. Its tree cannot be built: the file is already text.
var teeworldsRules = &format.Format{
	Name:       "teeworlds-rules",
	Title:      "DDNet automapper rules",
	Extensions: []string{rulesExtension},
	Common:     true,
	Doc:        "docs/formats/teeworlds-automap.md",
	// Rules have no signature, and files of other games look similar: the name decides.
	Recognize: func(src *format.Source) bool { return !src.IsDir() && src.HasExtension(rulesExtension) },
	Open: func(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
		data, err := src.ReadUpTo(automap.MaxFile)
		return rulesFile{src.Name, data}, err
	},
	Kinds: automap.Catalog.Kinds(),
}

type rulesFile struct {
	name string
	data []byte
}

func (f rulesFile) Tree(context.Context, *format.Job) (fs.FS, error) {
	var t tree.FS
	t.AddBytes(f.name, f.data)
	return &t, nil
}

func (f rulesFile) Info(context.Context, *format.Job) (format.Info, error) {
	info := format.Info{Format: teeworldsRules.Name}
	var names []string
	runs, rules := 0, 0
	for _, s := range automap.ParseRules(f.data, nil).Sections() {
		names = append(names, s.Name)
		runs, rules = runs+s.Runs, rules+s.Rules
	}
	info.Add("sections", "sections", names)
	info.Add("runs", "runs", runs)
	info.Add("rules", "rules", rules)
	return info, nil
}

func (f rulesFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	automap.ParseRules(f.data, sink)
	return nil
}

func (f rulesFile) Close() error { return nil }
