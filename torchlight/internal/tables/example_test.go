package tables_test

import (
	"fmt"
	"io/fs"
	"iter"
	"maps"

	"trowel.example/torchlight/internal/tables"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// texts are sources: texts by their paths.
type texts map[string]string

func (s texts) Files() iter.Seq[string] { return maps.Keys(s) }

func (s texts) Tree(path string) (*text.Node, error) {
	data, ok := s[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	f, err := text.Parse([]byte(data))
	if err != nil {
		return nil, err
	}
	return f.Root, nil
}

func ExampleBuild() {
	mod := texts{"MEDIA/SKILLS/LEAP.DAT": "[SKILL]\n\t<STRING>NAME:Leap\n\t<INTEGER64>UNIQUE_GUID:7\n[/SKILL]\n"}
	built, findings := tables.Build(mod, nil)
	for _, s := range built["MEDIA/SKILLS.RAW"].(*raw.Skills).Skills {
		fmt.Println(s.Name, s.GUID, s.File)
	}
	fmt.Println(len(findings), "findings")
	// Output:
	// LEAP 7 MEDIA/SKILLS/LEAP.DAT
	// 0 findings
}
