package ogre

import (
	"fmt"
	"path"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/text"
)

// FramesPerSecond is the rate in which the frames of keys are counted.
const FramesPerSecond = 30

// Clip is an animation in a list.
type Clip struct {
	Node     string // its place in the file
	Name     string // by which the game plays it
	File     string // the .SKELETON in the same folder
	Duration float32
	Keys     []ClipEvent
}

// ClipEvent is something that happens at a frame, such as HIT or FOOTSTEP.
type ClipEvent struct {
	Node  string // its place in the file
	Name  string
	Frame float32
}

// IsAnimation reports whether a path is that of a list of animations.
func IsAnimation(name string) bool { return strings.EqualFold(path.Ext(name), ".ANIMATION") }

// ParseAnimation returns the animations in the tree of a file.
func ParseAnimation(root *text.Node) []Clip {
	var clips []Clip
	for n := range root.Nodes("ANIMATION") {
		c := Clip{Node: fmt.Sprintf("%s.ANIMATION[%d]", root.Name, len(clips))}
		c.Name, _ = n.Get("NAME")
		c.File, _ = n.Get("FILE")
		c.Duration = number(n, "DURATION")
		for k := range n.Nodes("KEY") {
			key := ClipEvent{Node: fmt.Sprintf("%s.KEY[%d]", c.Node, len(c.Keys)), Frame: number(k, "FRAME")}
			key.Name, _ = k.Get("NAME")
			c.Keys = append(c.Keys, key)
		}
		clips = append(clips, c)
	}
	return clips
}

// number returns the value of a key, or 0.
func number(n *text.Node, key string) float32 {
	value, _ := n.Get(key)
	v, _ := text.ParseFloat(value)
	return v
}

// AnimationCatalog lists the findings that [Check] can report.
var AnimationCatalog check.Catalog

var (
	foundFile = AnimationCatalog.Add("tl-animation-file", check.Error,
		"An animation names no file, or not a file in the same folder.",
		"Set FILE to the name of a .SKELETON in the folder of the list.")
	foundFrame = AnimationCatalog.Add("tl-animation-frame", check.Info,
		"A key of an animation is at a frame before its start or after its end, so nothing happens.",
		"Correct FRAME, which counts 30 frames a second, or DURATION.")
)

// frameTolerance is by how many frames a key may be past the end: durations are rounded.
const frameTolerance = 1

// CheckAnimation reports problems of a list of animations.
func CheckAnimation(root *text.Node, sink check.Sink) {
	add := func(kind *check.Kind, node, format string, args ...any) {
		sink.AddAt(kind, []check.Place{text.Place{Node: node}}, node, -1, format, args...)
	}
	for _, c := range ParseAnimation(root) {
		switch {
		case c.File == "":
			add(foundFile, c.Node, "has no FILE")
		case strings.ContainsAny(c.File, `/\:`):
			add(foundFile, c.Node, "has the file %q, which is not in the same folder", c.File)
		}
		for _, k := range c.Keys {
			if k.Frame < 0 || c.Duration > 0 && k.Frame > c.Duration*FramesPerSecond+frameTolerance {
				add(foundFrame, k.Node, "%s is at frame %v of %v", k.Name, k.Frame, c.Duration*FramesPerSecond)
			}
		}
	}
}
