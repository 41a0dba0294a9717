package twmap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// TestCorpusCheck compares a check of the maps of the corpus with DDNet's map_test: a check must report an error for
// the maps that map_test rejects or finds erroneous data in, and no error for the others. Defects that the game
// tolerates are listed below.
func TestCorpusCheck(t *testing.T) {
	dir := tests.Corpus(t, "teeworlds")
	manifest := judge.Read(t, filepath.Join(dir, "MANIFEST.tsv"))
	maps, accepted := 0, 0
	counts := make(map[check.Severity]int)
	for line := range strings.Lines(string(manifest)) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		if len(columns) < 8 || columns[0] == "file" {
			continue
		}
		name, note := columns[0], columns[7]
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		ids := corpusFindings(t, data, counts)
		maps++
		hasError := has(ids, check.Error)
		// map_test reports the empty block of a layer without quads; the game does not need the block.
		empty := has(ids, check.Warning, "tw-map-data-empty")
		// map_test also rejects a map of another game, which is not broken.
		other := has(ids, check.Info, "tw-map-other-game")
		switch {
		case strings.Contains(note, "map_test:REJECT"), strings.Contains(note, "data erroneous"):
			if !hasError && !empty && !other {
				t.Errorf("%s: map_test reports a problem, the check none: %v", name, ids)
			}
		case strings.Contains(note, "map_test:ok"):
			accepted++
			if hasError {
				t.Errorf("%s: map_test finds no fault, the check does: %v", name, ids)
			}
		default:
			t.Errorf("%s: the manifest does not say what map_test does", name)
		}
		for mark, id := range map[string]string{
			"PRE-0.4":               "tw-map-no-version",
			"DUP ITEMTYPE_EX":       "tw-datafile-index-id",
			"(=old v4 quirk":        "tw-datafile-header-quirk",
			"zero-size data":        "tw-datafile-data-empty",
			"image variant":         "tw-map-image-variant",
			"data size odd":         "tw-map-image-rgb",
			"2752512":               "tw-map-envelope-curve",
			"infc_provence@2016":    "tw-map-other-game",
			"maps/infc_provence.ma": "tw-datafile-item-id",
			"HeyTux2Saved@2022":     "tw-map-no-game-layer",
			"maps/Test@2010-09":     "tw-map-tiles-short",
			"winter_day@2023-09-20": "tw-map-group-ex",
		} {
			if strings.Contains(name+note, mark) {
				if _, ok := ids[id]; !ok {
					t.Errorf("%s: %s expected for %q, found %v", name, id, mark, ids)
				}
			}
		}
	}
	t.Logf("%d maps, %d of them accepted by map_test: %d errors, %d warnings, %d infos", maps, accepted,
		counts[check.Error], counts[check.Warning], counts[check.Info])
}

// has reports whether there is a finding with the severity, or with one of the given names.
func has(ids map[string]check.Severity, severity check.Severity, names ...string) bool {
	for id, s := range ids {
		if s != severity {
			continue
		}
		if len(names) == 0 {
			return true
		}
		for _, name := range names {
			if id == name {
				return true
			}
		}
	}
	return false
}

// corpusFindings returns the findings of the container and of its map.
func corpusFindings(t *testing.T, data []byte, counts map[check.Severity]int) (ids map[string]check.Severity) {
	t.Helper()
	f, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	ids = make(map[string]check.Severity)
	twmap.CheckFile(f, func(f check.Finding) {
		ids[f.ID] = f.Severity
		counts[f.Severity]++
	})
	return ids
}
