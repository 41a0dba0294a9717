package teeworlds

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

// toFile is an output to a single file.
type toFile struct {
	t    *testing.T
	path string
}

func (o toFile) Create(string) (format.Part, error) {
	f, err := os.Create(o.path)
	o.t.Cleanup(func() { f.Close() })
	return f, err
}

func (toFile) Dir() (string, error)     { return "", errors.ErrUnsupported }
func (toFile) KeptDir() (string, error) { return "", errors.ErrUnsupported }

// TestChangesAreReported tests that an operation reports a change if and only if it makes one: without a change the file
// stays byte-identical. Many operations have no effect in most maps.
func TestChangesAreReported(t *testing.T) {
	operations := strings.Split(strings.TrimSpace(`
info --author=
mirror
rotate 180
scale 1
extend
shrink
shrink --physics
replace-tiles any same --layer *
replace-tiles 200 201 --layer game
fill-tiles 0 --layer game --area 0,0:0,0
mirror-tiles --layer game --area 0,0:1,1
mirror-tiles --layer 0/0
rotate-tiles --layer game --area 0,0:1,1
shift-tiles 0 0
shift-tiles 1 0 --layer game
shift-tiles 9999 0 --layer tele
border
border front
renumber tele 1 1
renumber switch 1-3 1 --join
pack-numbers tele
pack-numbers checkpoint
pack-numbers switch
pack-numbers tune
construct-game-tiles 0/0 air
clean-game-tiles
normalize-rotation
fix-rotation
migrate-speedups
zero-unused
set-layer game --detail false
set-layer 0/0 --color #ffffff
set-layer 0/0 --image none
set-group 0 --clip none
set-group 0 --offset 0,0
move-group 0 0
move-layer 0/0 0 --at 0
isolate-physics
remove-unused
sort-images
merge-images
dilate-images
optimize-images
optimize-images --keep-tiles
optimize
optimize --level best --clear-tiles
remove-unused --images
remove-unused --sounds
remove-unused --envelopes
move-image 0 0
move-envelope 0 0
move-sound 0 0
set-point 0 0
set-source * --at 0,0
synchronize-envelopes --off
clear-automapper
align-quads *
square-quads *
aspect-quads *
center-pivots *
sort-settings
dedupe-settings
add-setting 'tune gravity 0.5'
set-setting 'tune gravity 0.5'
paste-area SELF 0,0:1,1 0,0
paste-group SELF 0
paste-envelopes SELF
add-external-images sun
text-quads hello --outlines
text-tiles hello --x 3
append SELF`), "\n")
	try := func(t *testing.T, path string) {
		src, err := format.OpenSource(path)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		before := judge.Read(t, path)
		out := toFile{t, filepath.Join(t.TempDir(), "new.map")}
		for _, op := range operations {
			var words []string
			for i, word := range strings.Split(op, "'") {
				if i%2 == 1 {
					words = append(words, word)
				} else {
					words = append(words, strings.Fields(strings.ReplaceAll(word, "SELF", path))...)
				}
			}
			steps, err := format.ParseSteps(new(format.Job), mapEditing.Commands, words)
			if err != nil {
				t.Errorf("%s: %v", op, err)
				continue
			}
			var reported []check.Change
			err = mapEditing.Edit(context.Background(), new(format.Job), src, steps, out, func(c check.Change) error {
				reported = append(reported, c)
				return nil
			})
			if err != nil {
				continue
			}
			after := judge.Read(t, out.path)
			same := bytes.Equal(before, after)
			symmetric := strings.HasPrefix(op, "mirror") || strings.HasPrefix(op, "rotate")
			remark := strings.HasSuffix(op, "SELF") || strings.Contains(op, "SELF 0") // warns that physics layers are not copied
			if same != (len(reported) == 0) && !(same && (symmetric || remark)) {
				t.Errorf("%s: the same bytes: %v, reported: %v", op, same, reported)
			}
		}
	}
	t.Run("new", func(t *testing.T) {
		m := twmap.New(20, 10)
		m.Info = nil
		data, err := m.Encode()
		path := filepath.Join(t.TempDir(), "a.map")
		if err = errors.Join(err, os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
		try(t, path)
	})
	t.Run("corpus", func(t *testing.T) {
		for i, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
			if info, err := os.Stat(path); err != nil || i%20 != 0 || info.Size() > 100<<10 {
				continue // the rest takes minutes
			}
			data, _ := os.ReadFile(path)
			if m, err := twmap.Decode(data); err != nil || m == nil {
				continue
			}
			t.Run(filepath.Base(path), func(t *testing.T) { try(t, path) })
		}
	})
}
