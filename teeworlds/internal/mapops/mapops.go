// Package mapops performs the operations on maps: it finds the parts that users name, and parses the values that they
// give, for package mapedit.
package mapops

import (
	"errors"
	"fmt"
	"slices"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapedit"
)

// Editor changes a map in a job.
type Editor struct {
	*mapedit.Editor
	Job *format.Job
}

// Layers are the layers that --layer names, or all layers without that option; with --not, the other layers.
type Layers struct {
	Patterns []string `option:"layer" names:"layer"`
	Not      bool     `option:"not" help:"in all layers except those of --layer"`
}

// helpLayer describes layers.
const helpLayer = "a path such as Tree/Leaves, with * and ?; a kind: tiles, quads, sounds, physics, game, front and so on; " +
	"numbers such as 3/1; several separated by commas, with - before those to exclude"

// Describe describes the options.
func (Layers) Describe(o *format.Option) { o.Explain("layer", "only in this `layer`: "+helpLayer) }

// Select returns the layers.
func (o Layers) Select(e *Editor) ([]mapedit.LayerAt, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	list, err := e.Layers(o.Patterns...)
	if err != nil {
		return nil, err
	}
	if o.Not {
		list = e.OtherLayers(list)
	}
	return list, nil
}

// Check returns an error for --not without --layer.
func (o Layers) Check() error {
	if o.Not && len(o.Patterns) == 0 {
		return errors.New("--not needs --layer, which names the excluded layers")
	}
	return nil
}

// SomeLayers are the layers of an operation that needs --layer.
type SomeLayers struct{ Layers }

// Select returns the layers.
func (o SomeLayers) Select(e *Editor) ([]mapedit.LayerAt, error) {
	if len(o.Patterns) == 0 {
		return nil, errors.New("expected --layer, which names the layers to change")
	}
	return o.Layers.Select(e)
}

// LayerArgs are the layers that the words of an argument name.
type LayerArgs struct {
	Patterns []string `arg:"layer,required" names:"layer"`
}

// Describe describes the argument.
func (LayerArgs) Describe(o *format.Option) { o.Explain("layer", helpLayer) }

// Select returns the layers.
func (o LayerArgs) Select(e *Editor) ([]mapedit.LayerAt, error) { return e.Layers(o.Patterns...) }

// LayerArg are the layers that an argument names.
type LayerArg struct {
	Pattern string `arg:"layer" names:"layer"`
}

// Describe describes the argument.
func (LayerArg) Describe(o *format.Option) { o.Explain("layer", helpLayer) }

// Select returns the layers.
func (o LayerArg) Select(e *Editor) ([]mapedit.LayerAt, error) { return e.Layers(o.Pattern) }

// selectOne returns the only layer.
func (o LayerArg) selectOne(e *Editor) (mapedit.LayerAt, error) {
	list, err := o.Select(e)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%q names %s: expected one", o.Pattern, words.Count(len(list), "layer"))
	}
	if err != nil {
		return mapedit.LayerAt{}, err
	}
	return list[0], nil
}

// several returns the numbers of the parts that words select, in the order of the words, or all parts without words.
// Words that select no part are ignored if others do.
func (e *Editor) several(words []string, find func(string) ([]int, error)) ([]int, error) {
	if len(words) == 0 {
		return find("")
	}
	var list []int
	var missing error
	for _, word := range words {
		found, err := find(word)
		missing = errors.Join(missing, err)
		for _, i := range found {
			if !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	if list == nil {
		return nil, missing
	}
	return list, e.Job.Lack(missing)
}

// one returns the number of the only part that a word selects.
func one(word string, find func(string) ([]int, error)) (int, error) {
	list, err := find(word)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%q names %d parts: expected one (use its number)", word, len(list))
	}
	if err != nil {
		return 0, err
	}
	return list[0], nil
}

// The arguments and options that name parts of a map. Numbers returns all parts that the words select, Number the only
// one.
type (
	GroupArg struct {
		Group string `arg:"group" names:"group" help:"the path of a group, with * and ?, its number, or game"`
	}
	GroupArgs struct {
		Groups []string `arg:"group,required" names:"group" help:"the path of a group, with * and ?, its number, or game"`
	}
	ImageArg struct {
		Image string `arg:"image" names:"image" help:"the name of an image, with * and ?, or its number"`
	}
	SomeImages struct {
		Images []string `arg:"image,required" names:"image" help:"the name of an image, with * and ?, or its number"`
	}
	ImageArgs struct {
		Images []string `arg:"image" names:"image" help:"the name of an image, with * and ?, or its number (default: all)"`
	}
	SoundArg struct {
		Sound string `arg:"sound" names:"sound" help:"the name of a sound, with * and ?, or its number"`
	}
	SoundArgs struct {
		Sounds []string `arg:"sound,required" names:"sound" help:"the name of a sound, with * and ?, or its number"`
	}
	EnvelopeArg struct {
		Envelope string `arg:"envelope" names:"envelope" help:"the name of an envelope, with * and ?, or its number"`
	}
	SomeEnvelopes struct {
		Envelopes []string `arg:"envelope,required" names:"envelope" help:"the name of an envelope, with * and ?, or its number"`
	}
	EnvelopeArgs struct {
		Envelopes []string `arg:"envelope" names:"envelope" help:"the name of an envelope, with * and ?, or its number (default: all)"`
	}
)

func (o GroupArg) Number(e *Editor) (int, error)    { return one(o.Group, e.Groups) }
func (o ImageArg) Number(e *Editor) (int, error)    { return one(o.Image, e.Images) }
func (o SoundArg) Number(e *Editor) (int, error)    { return one(o.Sound, e.Sounds) }
func (o EnvelopeArg) Number(e *Editor) (int, error) { return one(o.Envelope, e.Envelopes) }

func (o GroupArgs) Numbers(e *Editor) ([]int, error)     { return e.several(o.Groups, e.Groups) }
func (o ImageArg) Numbers(e *Editor) ([]int, error)      { return e.several([]string{o.Image}, e.Images) }
func (o ImageArgs) Numbers(e *Editor) ([]int, error)     { return e.several(o.Images, e.Images) }
func (o SoundArg) Numbers(e *Editor) ([]int, error)      { return e.several([]string{o.Sound}, e.Sounds) }
func (o SoundArgs) Numbers(e *Editor) ([]int, error)     { return e.several(o.Sounds, e.Sounds) }
func (o SomeImages) Numbers(e *Editor) ([]int, error)    { return e.several(o.Images, e.Images) }
func (o SomeEnvelopes) Numbers(e *Editor) ([]int, error) { return e.several(o.Envelopes, e.Envelopes) }
func (o EnvelopeArgs) Numbers(e *Editor) ([]int, error)  { return e.several(o.Envelopes, e.Envelopes) }

// NewName and NewNumber are the arguments for what a part gets.
type (
	NewName struct {
		Name string `arg:"name" help:"the new name"`
	}
	NewNumber struct {
		To int `arg:"to" help:"the new number, from 0"`
	}
)

// The arguments and options of operations that package mapedit performs.
type (
	NewGroup struct {
		NewName
		At int `option:"at" default:"-1" help:"its {number}, from 0; -1 puts it at the end, in front of all others"`
	}
	GroupMove struct {
		GroupArg
		NewNumber
	}
	ImageName struct {
		ImageArg
		NewName
	}
	GroupNaming struct {
		GroupArg
		NewName
	}
	LayerNaming struct {
		LayerArg
		NewName
	}
	ImageMove struct {
		ImageArg
		NewNumber
	}
	ImageOptimization struct {
		ImageArgs
		KeepTiles bool `option:"keep-tiles" help:"keep tiles that no layer uses, for later edits"`
	}
	SoundName struct {
		SoundArg
		NewName
	}
	SoundMove struct {
		SoundArg
		NewNumber
	}
	EnvelopeName struct {
		EnvelopeArg
		NewName
	}
	EnvelopeMove struct {
		EnvelopeArg
		NewNumber
	}
	EnvelopeClock struct {
		EnvelopeArgs
		Off bool `option:"off" help:"use the clock of each player instead"`
	}
	PointArgs struct {
		EnvelopeArg
		Points []int `arg:"point,required" help:"the number of the point, from 0"`
	}
)

// Clock returns the clock that the option selects.
func (o EnvelopeClock) Clock() mapedit.Clock {
	if o.Off {
		return mapedit.PlayerClock
	}
	return mapedit.ServerClock
}
