package bucket_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/trowel-fleet/internal/bucket"
	"trowel.example/internal/testing/judge"
)

// TestSources tests that names of files in a bucket have no settings, and that neighboring files are found.
func TestSources(t *testing.T) {
	server := judge.S3(t, "maps")
	root, settings, _ := strings.Cut(server, "?")
	for _, base := range []string{root + "?" + settings, folderURL(t.TempDir()) + "/maps"} {
		b, err := bucket.Open(t.Context(), base)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, name := range []string{"a.map", "in/b.PAK", "in/b.pak.man", "in/deep/c.map", "inside.map"} {
			if err := b.Put(t.Context(), name, text("content of "+name)); err != nil {
				t.Fatal(err)
			}
		}
		shown, query, _ := strings.Cut(base, "?")
		if query != "" {
			query = "?" + query
		}
		var s bucket.Sources
		walk := func(name string) (all []string, err error) {
			err = s.Walk(t.Context(), name, func(at string, size int64, version string) error {
				if all = append(all, fmt.Sprint(at, " ", size)); version == "" {
					t.Errorf("%s has no version", at)
				}
				return nil
			})
			return all, err
		}
		if all, err := walk(shown + query); err != nil || len(all) != 5 || all[1] != "in/b.PAK 19" {
			t.Errorf("%q, %v", all, err)
		}
		if all, err := walk(shown + "/in/" + query); err != nil || !slices.Equal(all, []string{"b.PAK 19", "b.pak.man 23", "deep/c.map 24"}) {
			t.Errorf("%q, %v", all, err)
		}
		if all, err := walk(shown + "/a.map" + query); err != nil || !slices.Equal(all, []string{" 16"}) {
			t.Errorf("%q, %v", all, err)
		}
		if _, err := walk(shown + "/none" + query); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		name := s.Join(shown+"/in"+query, "b.PAK")
		if name != shown+"/in/b.PAK" {
			t.Errorf("%q", name)
		}
		src, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := src.ReadAll(); err != nil || string(data) != "content of in/b.PAK" || src.Path != name || src.Name != "b.PAK" {
			t.Errorf("%q, %v, %+v", data, err, src)
		}
		list, err := src.Neighbor(".MAN")
		if err != nil {
			t.Fatal(err)
		}
		if data, err := list.ReadAll(); err != nil || string(data) != "content of in/b.pak.man" {
			t.Errorf("%q, %v", data, err)
		}
		if got := src.Siblings(); !slices.Equal(got, []string{"b.PAK", "b.pak.man"}) {
			t.Errorf("%q", got)
		}
		if _, err := src.Beside("none"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if _, err := s.Open(t.Context(), shown+"/in/none"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	var s bucket.Sources
	for _, name := range []string{"s3://a/../b", "s3://u:p@a/b", "x", "s3://a/b//c"} {
		if src, err := s.Open(t.Context(), name); err == nil {
			t.Errorf("%q: %v", name, src)
		}
	}
}
