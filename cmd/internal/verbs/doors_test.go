package verbs

import (
	"os"
	"slices"
	"testing"

	"trowel.example/internal/format"
)

// TestDoors tests that the declarations of the games are consistent: each format has a description, a unique
// name and the functions for its abilities, and options that share a name, and so a flag, have the same type.
func TestDoors(t *testing.T) {
	seen := make(map[string]bool)
	options := make(map[string]format.Option)
	for _, game := range games {
		if game.Title == "" || len(game.Formats) == 0 {
			t.Errorf("a game %q with %d formats", game.Title, len(game.Formats))
		}
		for _, f := range game.Formats {
			if seen[f.Name] {
				t.Errorf("two formats are called %s", f.Name)
			}
			seen[f.Name] = true
			if games.Of(f) != game || games.Formats().ByName(f.Name) != f {
				t.Errorf("%s is not found", f.Name)
			}
			if _, err := os.Stat("../../../" + f.Doc); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			if f.Recognize == nil || f.Open == nil || (f.Build != nil) != (f.RecognizeTree != nil) {
				t.Errorf("%s lacks a function", f.Name)
			}
			all := slices.Clone(f.Options)
			for _, c := range f.Conversions {
				all = append(all, c.Options...)
			}
			if f.Repair != nil {
				all = append(all, f.Repair.Options...)
			}
			if f.Backups != nil {
				all = append(all, f.Backups.Options...)
			}
			for _, o := range all {
				if other, ok := options[o.Name]; ok && (other.Default != o.Default ||
					other.Input != o.Input || other.Help != o.Help || other.Type != o.Type || other.List != o.List ||
					!slices.Equal(other.Choices, o.Choices)) {
					t.Errorf("--%s of %s is another than that of an earlier format", o.Name, f.Name)
				}
				options[o.Name] = o
			}
		}
	}
}
