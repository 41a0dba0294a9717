package worldscene

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

// worldPart is the information that a scene needs to draw a part of a picture.
type worldPart struct {
	worlddraw.Part
	Extent worlddraw.Box `json:"extent"` // of the whole scene

	Looks string `json:"looks"` // a hash of the textures and definitions, or [noLooks]

	Then       []int         `json:"then,omitempty"` // rows, like those of Part, at an earlier time
	ThenExtent worlddraw.Box `json:"thenExtent"`
}

// noLooks says that there are no textures.
const noLooks = "none"

// Part returns the area of blocks that some pixels depend on, and the textures and definitions.
func (s *worldScene) Part(look format.Look, pixels image.Rectangle) ([]byte, error) {
	name := look.View
	drawn, err := s.mapOf(name)
	if err != nil {
		return nil, err
	}
	m, along := drawn.(*worlddraw.Map)
	part := worldPart{Part: worlddraw.Part{Blocks: mapdb.All()}, Extent: s.extent, Looks: s.looksHash()}
	at := worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}
	if along {
		part.Part = m.Part(s.reach(look, pixels), at)
	}
	if s.since != nil {
		part.ThenExtent = s.since.extent
	}
	if s.since != nil && along {
		then, err := s.mapAt(s.since.then, s.since.maps, name)
		if err != nil {
			return nil, err
		}
		was := then.(*worlddraw.Map).Part(s.reach(look, pixels), at)
		part.Blocks = part.Blocks.With(was.Blocks)
		part.Then = was.Rows
	}
	return json.Marshal(part)
}

// sum returns a hash of the textures and definitions that pictures show, or take their colours from; nil if there are none.
func (s *worldScene) sum() []byte {
	if s.views[0].Name != format.ViewCamera && s.colors.Textures == nil && s.colors.Means == nil && s.looks() == nil {
		return nil
	}
	return s.game.sum()
}

// looksHash is the hash of sum as text, or noLooks.
func (s *worldScene) looksHash() string {
	if sum := s.sum(); sum != nil {
		return hex.EncodeToString(sum)
	}
	return noLooks
}

// sameLooks returns an error if the textures and definitions are not those with which others draw the picture.
func (s *worldScene) sameLooks(part *worldPart) error {
	switch {
	case part == nil:
	case part.Looks == noLooks:
		s.looks = func() *textured.Game { return nil }
		s.colors.Means = nil
	case part.Looks != s.looksHash():
		return fmt.Errorf("the textures, models or definitions of nodes on this machine are not those with which the picture was begun: " +
			"copy them, or draw with --colors")
	}
	return nil
}

// reach returns the pixels that affect the given ones, without the relief: labels of marks extend far.
func (s *worldScene) reach(look format.Look, pixels image.Rectangle) image.Rectangle {
	pixels = s.widened(look.View, pixels, look.Scale)
	v, _ := format.ViewOf(s.views, look.View)
	if v.Draws(look, layerAreas) {
		pixels = reachOfProtectors(pixels, worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale})
	}
	if v.Draws(look, layerMarkers) || v.Draws(look, layerAreas) {
		return worlddraw.Reach(pixels)
	}
	return pixels
}

// partOf returns the part of a picture that a job selects, or nil if it selects none.
func partOf(job *format.Job) (*worldPart, error) {
	if job.Part == nil {
		return nil, nil
	}
	part := new(worldPart)
	if err := json.Unmarshal(job.Part, part); err != nil {
		return nil, fmt.Errorf("invalid part of a picture of a world: %w", err)
	}
	return part, nil
}
