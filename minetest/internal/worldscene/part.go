package worldscene

import (
	"encoding/json"
	"fmt"
	"image"

	"trowel.example/internal/format"
	"trowel.example/minetest/worlddraw"
)

// worldPart is the information that a scene needs to draw a part of a picture.
type worldPart struct {
	worlddraw.Part
	Extent worlddraw.Box `json:"extent"` // of the whole scene

	Then       []int         `json:"then,omitempty"` // rows, like those of Part, at an earlier time
	ThenExtent worlddraw.Box `json:"thenExtent"`
}

// Part returns the area of blocks that some pixels depend on. It returns nil for views that need other blocks:
// an isometric view and a camera's.
func (s *worldScene) Part(look format.Look, pixels image.Rectangle) ([]byte, error) {
	name := s.name(look)
	drawn, err := s.mapOf(name)
	m, along := drawn.(*worlddraw.Map)
	if err != nil || !along {
		return nil, err
	}
	at := worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}
	part := worldPart{Part: m.Part(s.reach(look, pixels), at), Extent: s.extent}
	if s.since != nil {
		then, err := s.mapAt(s.since.then, s.since.maps, name)
		if err != nil {
			return nil, err
		}
		was := then.(*worlddraw.Map).Part(s.reach(look, pixels), at)
		part.Blocks = part.Blocks.With(was.Blocks)
		part.Then, part.ThenExtent = was.Rows, s.since.extent
	}
	return json.Marshal(part)
}

// reach returns the pixels that affect the given ones, without the relief: labels of marks extend far.
func (s *worldScene) reach(look format.Look, pixels image.Rectangle) image.Rectangle {
	pixels = s.widened(s.name(look), pixels, look.Scale)
	v, _ := format.ViewOf(s, s.name(look))
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
