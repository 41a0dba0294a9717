package check_test

import (
	"fmt"

	"trowel.example/check"
)

func ExampleCollect() {
	var catalog check.Catalog
	empty := catalog.Add("note-empty", check.Warning, "The note is empty.", "Write something.")
	notes := map[string]string{"a.txt": ""}
	for _, f := range check.Collect(func(sink check.Sink) {
		for path, text := range notes {
			if text == "" {
				sink.AddAt(empty, []check.Place{check.File(path)}, path, -1, "the note is empty")
			}
		}
	}) {
		fmt.Println(f)
	}
	// Output: warning: a.txt: the note is empty [note-empty]
}
