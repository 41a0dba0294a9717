package mapfile

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/automap"
)

// OpenRules opens a file of rules for an automapper.
func OpenRules(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	data, err := src.ReadUpTo(effort.RulesFile)
	return rulesFile{src.Name, data}, err
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
	info := format.Info{Format: RulesName}
	var names []string
	runs, rules := 0, 0
	for _, s := range f.parse(nil).Sections() {
		names = append(names, s.Name)
		runs, rules = runs+s.Runs, rules+s.Rules
	}
	info.Add("sections", "sections", names)
	info.Add("runs", "runs", runs)
	info.Add("rules", "rules", rules)
	return info, nil
}

func (f rulesFile) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	f.parse(sink)
	return nil
}

// parse reads the rules in the form that the name states.
func (f rulesFile) parse(sink check.Sink) *automap.Rules {
	if strings.EqualFold(path.Ext(f.name), automap.ExtensionJSON) {
		return automap.ParseJSON(f.data, sink)
	}
	return automap.ParseRules(f.data, sink)
}

func (f rulesFile) Close() error { return nil }
