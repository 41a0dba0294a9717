package ogre_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/text"
)

func parse(t *testing.T, src string) *text.Node {
	f, err := text.Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f.Root
}

const sample = `[ANIMATIONS]
	[ANIMATION]
		<STRING>FILE:wave.skeleton
		<STRING>NAME:Wave
		<FLOAT>DURATION:1
		[KEY]
			<STRING>NAME:HIT
			<FLOAT>FRAME:31
		[/KEY]
	[/ANIMATION]
[/ANIMATIONS]
`

func TestParse(t *testing.T) {
	want := []ogre.Clip{{Node: "ANIMATIONS.ANIMATION[0]", Name: "Wave", File: "wave.skeleton", Duration: 1,
		Keys: []ogre.ClipEvent{{Node: "ANIMATIONS.ANIMATION[0].KEY[0]", Name: "HIT", Frame: 31}}}}
	if diff := cmp.Diff(want, ogre.ParseAnimation(parse(t, sample))); diff != "" {
		t.Error(diff)
	}
	if !ogre.IsAnimation("MEDIA/A.Animation") || ogre.IsAnimation("MEDIA/A.DAT") {
		t.Error("the name of a list is not recognised")
	}
}

func TestCheckAnimation(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"wave.skeleton", "../wave.skeleton",
			`tl-animation-file ANIMATIONS.ANIMATION[0]: has the file "../wave.skeleton", which is not in the same folder`},
		{"\t\t<STRING>FILE:wave.skeleton\n", "", "tl-animation-file ANIMATIONS.ANIMATION[0]: has no FILE"},
		{"FRAME:31", "FRAME:31.5", "tl-animation-frame ANIMATIONS.ANIMATION[0].KEY[0]: HIT is at frame 31.5 of 30"},
		{"FRAME:31", "FRAME:-1", "tl-animation-frame ANIMATIONS.ANIMATION[0].KEY[0]: HIT is at frame -1 of 30"},
	} {
		got := ""
		for _, f := range check.Collect(func(s check.Sink) { ogre.CheckAnimation(parse(t, strings.Replace(sample, c.old, c.new, 1)), s) }) {
			got += f.ID + " " + f.Path + ": " + f.Message
		}
		if got != c.want {
			t.Errorf("found %q, want %q", got, c.want)
		}
	}
}
