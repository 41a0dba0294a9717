package teeworlds

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// TestRepair tests that a repair reports findings and losses, that the result has none, and that an undamaged map stays.
func TestRepair(t *testing.T) {
	whole, err := twmap.New(60, 50).Encode()
	if err != nil {
		t.Fatal(err)
	}
	repair := func(data []byte) (findings, losses int) {
		path := filepath.Join(t.TempDir(), "a.map")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := format.OpenSource(path)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		job := &format.Job{Reports: format.Reports{OnLose: func(string) { losses++ }}}
		if err := teeworldsMap.Repair.Plan(t.Context(), job, src, func(check.Finding) { findings++ }); err != nil {
			t.Fatal(err)
		}
		return findings, losses
	}
	if findings, losses := repair(whole); findings+losses > 0 {
		t.Errorf("an undamaged map: %d findings, %d losses", findings, losses)
	}
	damaged := slices.Clone(whole)
	damaged[len(damaged)-5] ^= 0x40
	if findings, losses := repair(damaged); findings == 0 || losses == 0 {
		t.Errorf("%d findings, %d losses", findings, losses)
	}
}

// TestRemedies tests that the remedy of each kind of damage of maps names the command that mends it.
func TestRemedies(t *testing.T) {
	for _, k := range slices.Concat(datafile.Catalog.Kinds(), twmap.Catalog.Kinds()) {
		switch k.ID {
		case "tw-map-model", "tw-map-no-version", "tw-map-spawns-crash": // not damage
			continue
		}
		if k.Severity == check.Error && !strings.Contains(k.Remedy, "`trowel ") {
			t.Errorf("%s: %s", k.ID, k.Remedy)
		}
	}
}

// TestKeepDamaged tests, for damaged maps, that their unchanged folder builds the same bytes, and that no verb that keeps what is
// readable adds a kind of error or warning that neither the map nor the result for the undamaged map has.
func TestKeepDamaged(t *testing.T) {
	m := mutate.Must[*twmap.Map](t)(mapdir.Read(os.DirFS("../samples/burrow"), nil))
	whole := mutate.Must[[]byte](t)(m.Encode())
	usual := make(map[string]map[string]bool) // the findings of the undamaged map's results
	for name, made := range kept(t, whole) {
		usual[name] = mutate.Must[map[string]bool](t)(kindsOf(mutate.Must[[]byte](t)(made(whole))))
	}
	mutate.Run(t, tests.Of(t, 20, 300), func(i int, rng *rand.Rand) (outcomes []string) {
		data := bytes.Clone(whole)
		for range 1 + rng.IntN(4) {
			at, n := rng.IntN(len(data)), 1
			switch rng.IntN(4) {
			case 0:
				at = 36 + rng.IntN(3000) // the tables and items
			case 1:
				n = rng.IntN(200)
			}
			for j := at; j < min(at+n, len(data)); j++ {
				data[j] = byte(rng.Uint32())
			}
		}
		if rng.IntN(8) == 0 {
			data = data[:rng.IntN(len(data))]
		}
		before, err := kindsOf(data)
		if err != nil {
			return []string{"refused"}
		}
		for name, keep := range kept(t, whole) {
			made, err := keep(data)
			if err != nil {
				outcomes = append(outcomes, name+" refused")
				continue
			}
			if name == "pack" && !bytes.Equal(made, data) {
				t.Errorf("mutation %d: the folder of a damaged map builds other bytes", i)
			}
			outcomes = append(outcomes, name)
			now, err := kindsOf(made)
			if err != nil {
				t.Errorf("mutation %d: %s: %v", i, name, err)
			}
			for kind := range now {
				lost := kind == "tw-map-no-spawn" || // a new game layer has no spawn
					kind == "tw-map-no-game-layer" && before["tw-map-layer-huge"] || // it was not read
					kind == "tw-map-image-data" && before["tw-map-data-index"] ||
					kind == "tw-map-name-unsafe" && (before["tw-map-data-index"] || before["tw-map-text"]) // a lost name is empty
				if !before[kind] && !usual[name][kind] && !lost {
					t.Errorf("mutation %d: %s adds %s", i, name, kind)
				}
			}
		}
		return append(outcomes, "read")
	})
}

// kindsOf returns the kinds of errors and warnings of a map.
func kindsOf(data []byte) (map[string]bool, error) {
	m, err := twmap.Salvage(data)
	if err != nil {
		return nil, err
	}
	kinds := make(map[string]bool)
	m.CheckFile(func(f check.Finding) {
		if f.Severity != check.Info {
			kinds[f.ID] = true
		}
	})
	return kinds, nil
}

// inMemory is an output to memory.
type inMemory struct {
	toFile
	bytes.Buffer
}

func (o *inMemory) Create(string) (format.Part, error)       { return o, nil }
func (o *inMemory) ReadAt(p []byte, off int64) (int, error)  { return 0, errors.ErrUnsupported }
func (o *inMemory) WriteAt(p []byte, off int64) (int, error) { return 0, errors.ErrUnsupported }

// kept returns the verbs that write what is readable of a map.
func kept(t *testing.T, whole []byte) map[string]func(data []byte) ([]byte, error) {
	job := &format.Job{KeepGoing: true}
	source := func(data []byte) *format.Source { return format.NewSource("a.map", data) }
	pack := func(data []byte) ([]byte, error) {
		m, err := twmap.Salvage(data)
		if err != nil {
			return nil, err
		}
		tree, files := mapdir.Open(m), make(fstest.MapFS)
		err = fs.WalkDir(tree, ".", func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(tree, path)
			files[path] = &fstest.MapFile{Data: data}
			return err
		})
		if err != nil {
			return nil, err
		}
		var out inMemory
		err = teeworldsMap.Build(t.Context(), job, files, &out)
		return out.Bytes(), err
	}
	edit := func(data []byte) ([]byte, error) {
		steps, err := format.ParseSteps(job, mapEditing.Commands, []string{"add-setting", "sv_deepfly 0"})
		var out inMemory
		if err == nil {
			err = mapEditing.Edit(t.Context(), job, source(data), steps, &out, func(check.Change) error { return nil })
		}
		return out.Bytes(), err
	}
	all := map[string]func([]byte) ([]byte, error){
		"edit": edit,
		"pack": pack,
		"merge": func(data []byte) ([]byte, error) {
			theirs, err := edit(whole)
			if err != nil {
				return nil, err
			}
			var out inMemory
			_, err = teeworldsMap.Merging.Merge(t.Context(), job, source(whole), source(data), source(theirs), &out, merge3.Options{})
			return out.Bytes(), err
		},
	}
	for _, c := range teeworldsMap.Conversions {
		all["convert to "+c.To] = func(data []byte) ([]byte, error) {
			var out inMemory
			err := c.Convert(t.Context(), &format.Job{KeepGoing: true, Values: map[string]string{"drop": "true"}}, source(data), &out)
			return out.Bytes(), err
		}
	}
	return all
}
