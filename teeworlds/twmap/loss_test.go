package twmap_test

import (
	"slices"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// lossesOf reads all of a map and returns the reported losses.
func lossesOf(m *twmap.Map) (losses []string) {
	reported := make(chan string, 10_000)
	m.ReportLosses(func(loss string) { reported <- loss })
	_ = m.Load()
	for _, im := range m.Images {
		_, _ = im.Picture()
	}
	for _, s := range m.Sounds {
		_, _ = s.Opus()
	}
	_ = m.Load() // reports nothing twice
	close(reported)
	for loss := range reported {
		losses = append(losses, loss)
	}
	slices.Sort(losses)
	return losses
}

func TestLosses(t *testing.T) {
	m := playable()
	m.Info.Author = "Ada"
	deco(m).Name = "Hills"
	withImage(m, twmap.NewImage("sky", picture(16, 16)))
	if losses := lossesOf(decode(t, encode(t, m))); losses != nil {
		t.Errorf("a whole map: %q", losses)
	}
	bad := func(f *datafile.File, typ uint16, n, at int) {
		f.Data[item(f, typ, n)[at]] = datafile.NewBlockStream([]byte("no zlib stream"), 400)
	}
	data := encode(t, mangled(t, m, func(f *datafile.File) {
		bad(f, itemInfo, 0, 1)
		bad(f, itemLayer, 1, 14)
		bad(f, itemImage, 0, 4)
	}))
	want := []string{
		"data block 0 (author) cannot be read: expected a zlib stream of 400 bytes, found corrupt zlib stream: at byte 2, after 0 bytes of data",
		"data block 1 (the name of image 0) cannot be read: expected a zlib stream of 400 bytes, found corrupt zlib stream: " +
			"at byte 2, after 0 bytes of data",
		"data block 4 (groups[1].layers[0], tiles layer \"Hills\") cannot be read: expected a zlib stream of 400 bytes, " +
			"found corrupt zlib stream: at byte 2, after 0 bytes of data",
	}
	if losses := lossesOf(salvage(t, data)); !slices.Equal(losses, want) {
		t.Errorf("three blocks cannot be read: %q, expected %q", losses, want)
	}
}

// TestCorpusLosses tests that no losses are reported for the maps of the corpus.
func TestCorpusLosses(t *testing.T) {
	for _, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
		data := judge.Read(t, path)
		m, err := twmap.Decode(data)
		if err != nil {
			continue // a map of 2007
		}
		if losses := lossesOf(m); losses != nil {
			t.Errorf("%s: %q", path, losses)
		}
	}
}
