package inherit_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/text"
)

// files are texts by their paths.
type files map[string]string

func (f files) tree(path string) (*text.Node, error) {
	data, ok := f[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	file, err := text.Parse([]byte("[UNIT]\n" + data + "[/UNIT]\n"))
	if err != nil {
		return nil, err
	}
	return file.Root, nil
}

func (f files) chain(t *testing.T, path string) inherit.Chain {
	t.Helper()
	root, err := f.tree(path)
	if err != nil {
		t.Fatal(err)
	}
	return inherit.Follow(path, root, f.tree)
}

func TestChain(t *testing.T) {
	f := files{
		"MEDIA/A.DAT": "<STRING>BASEFILE:media\\b.dat\n<INTEGER>LEVEL:3\n<INTEGER>LEVEL:4\n[L]\n<INTEGER>X:1\n[/L]\n",
		"MEDIA/B.DAT": "<STRING>BASEFILE:/c.dat \n<INTEGER>level:9\n<INTEGER>RARITY:5\n<BOOL>DONTCREATE:true\n" +
			"[A]\n[/A]\n[L]\n<INTEGER>Y:2\n[/L]\n",
		"MEDIA/C.DAT": "<STRING>UNITTYPE:RING\n<INTEGER>RARITY:1\n[A]\n[/A]\n[a]\n[/a]\n",
	}
	c := f.chain(t, "MEDIA/A.DAT")
	var got []string
	for _, v := range c.Values() {
		got = append(got, fmt.Sprintf("%s=%s@%d", v.Key, v.Value, v.Link))
	}
	if s, want := strings.Join(got, " "), `BASEFILE=media\b.dat@0 LEVEL=3@0 RARITY=5@1 UNITTYPE=RING@2`; s != want || c.Err != nil {
		t.Errorf("%s, %v; want %s", s, c.Err, want)
	}
	for key, want := range map[string]string{"level": "3", "L.Y": "2", "l.x": "1", "UNITTYPE": "RING", "DONTCREATE": "", "Q.X": ""} {
		if got := c.Get(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if nodes, link := c.Nodes("a"); len(nodes) != 1 || link != 1 {
		t.Errorf("%d nodes of file %d, want those of the nearest file", len(nodes), link)
	}
}

// TestEnds tests chains that end at a missing file, in a circle, or are too long.
func TestEnds(t *testing.T) {
	f := files{
		"MEDIA/A.DAT": "<STRING>BASEFILE:MEDIA/B.DAT\n",
		"MEDIA/B.DAT": "<STRING>BASEFILE:MEDIA/./x/../A.DAT\n",
		"MEDIA/C.DAT": "<STRING>BASEFILE:MEDIA/GONE.DAT\n",
	}
	for i := range 100 {
		f[fmt.Sprintf("MEDIA/%d.DAT", i)] = fmt.Sprintf("<STRING>BASEFILE:%d.DAT\n", i+1)
	}
	for path, want := range map[string]struct {
		links   int
		missing string
		err     error
	}{
		"MEDIA/A.DAT": {2, "MEDIA/A.DAT", inherit.ErrLoop},
		"MEDIA/C.DAT": {1, "MEDIA/GONE.DAT", fs.ErrNotExist},
		"MEDIA/0.DAT": {31, "MEDIA/31.DAT", inherit.ErrLoop},
	} {
		if c := f.chain(t, path); len(c.Links) != want.links || c.Missing != want.missing || !errors.Is(c.Err, want.err) {
			t.Errorf("%s: %d links, %q, %v", path, len(c.Links), c.Missing, c.Err)
		}
	}
}

// TestAffixes tests that the affixes of a file and of its base files add up, the own ones first, while other nodes and keys
// are those of the nearest file.
func TestAffixes(t *testing.T) {
	f := files{
		"MEDIA/A.DAT": "<STRING>BASEFILE:B.DAT\n[AFFIXES]\n<STRING>AFFIX:A1\n<STRING>AFFIX:A2\n[/AFFIXES]\n" +
			"[affixes]\n<STRING>affix:A3\n[/affixes]\n",
		"MEDIA/B.DAT": "<STRING>BASEFILE:C.DAT\n[X]\n<STRING>AFFIX:NO\n[/X]\n",
		"MEDIA/C.DAT": "[AFFIXES]\n<STRING>AFFIX:C1\n<STRING>AFFIX:A1\n<STRING>AFFIX:\n<INTEGER>LEVEL:2\n[/AFFIXES]\n",
	}
	for path, want := range map[string]string{"MEDIA/A.DAT": "A1, A2, A3, C1, A1", "MEDIA/B.DAT": "C1, A1", "MEDIA/C.DAT": "C1, A1"} {
		c := f.chain(t, path)
		var got []string
		for _, v := range c.Values() {
			if v.Key == inherit.Affixes {
				got = append(got, v.Value)
			}
		}
		if s := strings.Join(got, ", "); s != want || c.Get("affixes.affix") != want {
			t.Errorf("%s: %s and %s, want %s", path, s, c.Get("affixes.affix"), want)
		}
	}
	if _, ok := (files{"MEDIA/A.DAT": "[AFFIXES]\n[/AFFIXES]\n"}).chain(t, "MEDIA/A.DAT").Find(inherit.Affixes); ok {
		t.Error("a file without affixes has one")
	}
	if v, ok := f.chain(t, "MEDIA/B.DAT").Find(inherit.Affixes); !ok || v.Link != 1 {
		t.Errorf("inherited affixes: %v", v)
	}
}
