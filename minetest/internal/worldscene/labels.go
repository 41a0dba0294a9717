package worldscene

import (
	"context"
	"image"

	"trowel.example/internal/format"
	"trowel.example/minetest/worlddraw"
)

// Labels returns the players, or the markers, in a part of a picture.
func (s *worldScene) Labels(ctx context.Context, look format.Look, pixels image.Rectangle) ([]format.Label, error) {
	defer s.world.reading()()
	var list []format.Label
	v, _ := format.ViewOf(s, s.name(look))
	for _, layer := range []string{layerMarkers, layerPlayers} {
		if !v.Draws(look, layer) {
			continue
		}
		marks, err := s.marks(ctx, v.Name, layer, pixels, worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}, s.lose)
		if err != nil {
			return nil, err
		}
		for at, m := range marks.Labels() {
			list = append(list, format.Label{Layer: layer, At: at, Text: m.Label, Color: m.Color})
		}
	}
	return list, nil
}
