package torchlight

import (
	"trowel.example/internal/format"
	"trowel.example/torchlight/modedit"
)

var applyCommands = []*format.Command{format.ApplyCommand(doOperation(applyToMod))}

// applyToMod puts the files of an extracted part into a mod.
func applyToMod(e *modedit.Editor, job *format.Job) error {
	var shown *modedit.Shown
	show := func(option func(string) string) error {
		if shown != nil {
			return nil
		}
		as := *job
		as.Values = map[string]string{}
		for _, name := range []string{optionRaw.Name, optionModels.Name, optionGUTS.Name, optionNames.Name} {
			as.Values[name] = option(name)
		}
		o, err := modOptions(&as)
		if err == nil {
			shown = e.Show(o)
		}
		return err
	}
	_, err := format.Apply(job, func(path string, option func(string) string) ([]byte, error) {
		if err := show(option); err != nil {
			return nil, err
		}
		return shown.Content(path)
	}, func(f format.AppliedFile) error {
		if f.Removed {
			return shown.Delete(f.Path)
		}
		return shown.Put(f.Path, f.Content)
	})
	return err
}
