package verbs

import (
	"bytes"
	"compress/zlib"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/testing/judge"
	"trowel.example/teeworlds/datafile"
	"trowel.example/torchlight/mod"
)

// packBurrow builds the map of a sample and returns its content.
func packBurrow(t *testing.T, name string) []byte {
	t.Helper()
	if code, said := quietly("pack", "../../../samples/burrow", "-o", name); code != exitFine {
		t.Fatal(said)
	}
	data := judge.Read(t, name)
	return data
}

// TestDamagedInput tests the common rule of all verbs that write: for a map with damaged data blocks or without
// its end, nothing is written and the exit code is 2; with -k it is 1, and the losses are reported.
func TestDamagedInput(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	whole := at("whole.map")
	data := packBurrow(t, whole)
	f, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	last := f.Data[len(f.Data)-1] // not read by any of the operations below
	broken := bytes.Clone(data)
	broken[int(last.Offset())+last.StoredSize()/2] ^= 0x55
	piece := at("piece")
	if code, said := quietly("extract", whole, "-o", piece, "settings.cfg"); code != exitFine {
		t.Fatal(said)
	}
	judge.Write(t, filepath.Join(piece, "settings.cfg"), []byte("sv_team 1\n"))
	other := at("other.map")
	if code, said := quietly("edit", whole, "-o", other, "--", "info", "--author", "Ann"); code != exitFine {
		t.Fatal(said)
	}
	for what, content := range map[string][]byte{"a damaged block": broken, "the end missing": data[:len(data)-len(data)/3]} {
		bad, out := at("bad.map"), at("out.map")
		for _, words := range []string{
			"edit bad.map -o out.map -- info --license Free",
			"edit bad.map --in-place -- info --license Free",
			"apply piece bad.map -o out.map",
			"merge whole.map bad.map other.map -o out.map",
			"merge whole.map other.map bad.map -o out.map",
			"merge bad.map bad.map bad.map -o out.map",
			"convert bad.map -o out.map --to datafile-4",
			"convert bad.map -o out.map --to ddnet --drop",
			"extract bad.map -o out.map",
		} {
			judge.Write(t, bad, content)
			var args []string
			for _, word := range strings.Fields(words) {
				if strings.HasSuffix(word, ".map") || word == "piece" {
					word = at(word)
				}
				args = append(args, word)
			}
			code, said := quietly(args...)
			if now, _ := os.ReadFile(bad); code != exitFailed || !strings.Contains(said, "incomplete or damaged") ||
				!strings.Contains(said, "-k") || service.Exists(out) || !bytes.Equal(now, content) {
				t.Errorf("%s: %s: exit code %d: %s", what, words, code, said)
			}
			code, said = quietly(append([]string{args[0], "-k"}, args[1:]...)...)
			if made := service.Exists(out) || strings.Contains(words, "--in-place"); code != exitFound || !made ||
				!strings.Contains(said, "bad.map: ") {
				t.Errorf("%s: %s -k: exit code %d: %s", what, words, code, said)
			}
			os.RemoveAll(out)
		}
	}
}

// TestMergeNamesTheDamaged tests that a merge names the damaged file among the three.
func TestMergeNamesTheDamaged(t *testing.T) {
	dir := t.TempDir()
	whole, cut, made := filepath.Join(dir, "whole.map"), filepath.Join(dir, "cut.map"), filepath.Join(dir, "new.map")
	data := packBurrow(t, whole)
	judge.Write(t, cut, data[:len(data)-500])
	for _, files := range [][]string{{cut, whole, whole}, {whole, cut, whole}, {whole, whole, cut}, {cut, whole, cut}} {
		code, said := quietly(append([]string{"merge", "-o", made}, files...)...)
		if code != exitFailed || !strings.Contains(said, "trowel: "+cut+": is incomplete or damaged: nothing was written") ||
			service.Exists(made) {
			t.Errorf("%q: exit code %d: %s", files, code, said)
		}
	}
}

// TestGitMergeOfDamaged tests that git merge keeps our version if one of the three is damaged.
func TestGitMergeOfDamaged(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.map")
	data := packBurrow(t, whole)
	ours, theirs := filepath.Join(dir, "ours.map"), filepath.Join(dir, "theirs.map")
	judge.Write(t, ours, data)
	judge.Write(t, theirs, data[:len(data)-500])
	code, said := quietly("git", "merge", whole, ours, theirs, "maps/burrow.map")
	if now, err := os.ReadFile(ours); code != exitFailed || !strings.Contains(said, "incomplete or damaged") ||
		err != nil || !bytes.Equal(now, data) {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// TestPackReadsBack tests that pack reads its output: a damaged sidecar does not give a map with an unreadable
// data block, unless -k is given.
func TestPackReadsBack(t *testing.T) {
	dir := t.TempDir()
	whole, tree, out := filepath.Join(dir, "whole.map"), filepath.Join(dir, "tree"), filepath.Join(dir, "out.map")
	data := packBurrow(t, whole)
	f, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	// The sidecar stores a stream that our own deflate would not produce.
	content, err := f.Data[0].Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	z, err := zlib.NewWriterLevel(&stream, zlib.HuffmanOnly)
	if err == nil {
		_, err = z.Write(content)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	f.Data[0] = datafile.NewBlockStream(stream.Bytes(), int32(len(content)))
	odd, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	judge.Write(t, whole, odd)
	if code, said := quietly("extract", whole, "-o", tree); code != exitFine {
		t.Fatal(said)
	}
	if code, said := quietly("pack", tree, "-o", out); code != exitFine {
		t.Fatal(said)
	}
	if back, err := os.ReadFile(out); err != nil || !bytes.Equal(back, odd) {
		t.Fatalf("built back to other bytes: %v", err)
	}
	os.Remove(out)
	side := filepath.Join(tree, ".trowel.json")
	text := judge.Read(t, side)
	i := bytes.Index(text, []byte(`"stream"`))
	if i < 0 {
		t.Fatalf("no stream in the sidecar: %s", text)
	}
	text[i+len(`"stream": "`)+4] ^= 1 // changes a base64 digit
	judge.Write(t, side, text)
	if code, said := quietly("pack", tree, "-o", out); code != exitFailed || !strings.Contains(said, "cannot be read") || service.Exists(out) {
		t.Errorf("exit code %d: %s", code, said)
	}
	if code, said := quietly("pack", "-k", tree, "-o", out); code != exitFound || !service.Exists(out) {
		t.Errorf("-k: exit code %d: %s", code, said)
	}
}

// TestDamagedMod tests that a damaged mod is not changed, even if no operation reads the damaged file.
func TestDamagedMod(t *testing.T) {
	dir := t.TempDir()
	whole, bad, out := filepath.Join(dir, "whole.mod"), filepath.Join(dir, "bad.mod"), filepath.Join(dir, "out.mod")
	if code, said := quietly("pack", "../../../samples/ember", "-o", whole); code != exitFine {
		t.Fatal(said)
	}
	data := judge.Read(t, whole)
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	block, err := m.Archive.Find("MEDIA/AFFIXES/EMBER_GLOW.DAT").Block()
	if err != nil {
		t.Fatal(err)
	}
	data[bytes.Index(data, block)+len(block)/2] ^= 0x55
	judge.Write(t, bad, data)
	for _, args := range [][]string{{"edit", bad, "-o", out},
		{"convert", bad, "-o", filepath.Join(dir, "out.PAK"), "--to", "torchlight-pak"}} {
		var words []string
		if args[0] == "edit" {
			words = []string{"--", "info", "--title", "X"}
		}
		if code, said := quietly(append(args, words...)...); code != exitFailed ||
			!strings.Contains(said, "incomplete or damaged") || service.Exists(args[3]) {
			t.Errorf("%s: exit code %d: %s", args[0], code, said)
		}
		if code, said := quietly(append(append(args, "-k"), words...)...); code != exitFound || !service.Exists(args[3]) ||
			!strings.Contains(said, "EMBER_GLOW") {
			t.Errorf("%s -k: exit code %d: %s", args[0], code, said)
		}
	}
}
