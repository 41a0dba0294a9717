package pak_test

import (
	"context"
	"fmt"

	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/pak"
)

// ExampleReader_Find writes an archive, and reads one of its files.
func ExampleReader_Find() {
	out := new(tests.Memory) // serves as a file; an *os.File has the same methods
	man, size, err := pak.Write(context.Background(), out, []pak.NewFile{
		{Path: "MEDIA/A.TXT", Content: func() ([]byte, error) { return []byte("ember"), nil }},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := pak.NewReader(out, size, man)
	if err != nil {
		fmt.Println(err)
		return
	}
	content, err := r.Find("media/a.txt").Content()
	fmt.Println(string(content), err)
	// Output: ember <nil>
}
