package pak_test

import (
	"context"
	"fmt"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/pak"
)

// ExampleManifest_Encode lists the files of an archive without the archive.
func ExampleManifest_Encode() {
	man := &pak.Manifest{Version: 2, Root: "MEDIA/", Sections: []pak.Section{{Name: "MEDIA/", Records: []pak.Record{{Name: "A.TXT"}}}}}
	data, err := man.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	man, err = pak.DecodeManifest(data)
	fmt.Println(man.Sections[0].Records[0].Name, err)
	// Output: A.TXT <nil>
}

// ExampleReader_Check writes an archive and its manifest, reads both and checks them.
func ExampleReader_Check() {
	out := new(tests.Memory) // serves as a file; an *os.File has the same methods
	man, size, err := pak.Write(context.Background(), out, []pak.NewFile{
		{Path: "media/a.txt", Content: func() ([]byte, error) { return []byte("ember"), nil }},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := man.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	if man, err = pak.DecodeManifest(data); err != nil {
		fmt.Println(err)
		return
	}
	r, err := pak.NewReader(out, size, man)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range check.Collect(r.Check) {
		fmt.Println(f.Path, f.ID)
	}
	// Output: media/a.txt tl-pak-lower-case
}

// ExampleWrite stops when its context is canceled.
func ExampleWrite() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := pak.Write(ctx, new(tests.Memory), []pak.NewFile{
		{Path: "MEDIA/A.TXT", Content: func() ([]byte, error) { return []byte("ember"), nil }},
	}, nil)
	fmt.Println(err)
	// Output: context canceled
}
