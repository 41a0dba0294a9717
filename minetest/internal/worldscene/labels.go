package worldscene

import (
	"context"
	"image"

	"trowel.example/internal/format"
	"trowel.example/minetest/worlddraw"
)

// Labels returns the players, the markers and the outlines in a part of a picture.
func (s *worldScene) Labels(ctx context.Context, look format.Look, pixels image.Rectangle) ([]format.Label, error) {
	defer s.world.reading()()
	var list []format.Label
	v, _ := format.ViewOf(s.views, look.View)
	for _, layer := range []string{layerMarkers, layerPlayers} {
		if !v.Draws(look, layer) {
			continue
		}
		at := worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}
		markers, err := s.markers(ctx, v.Name, layer, pixels, at, s.lose)
		if err != nil {
			return nil, err
		}
		view, _ := s.viewOf(v.Name)
		area, box := look.Area(pixels), s.kinds[v.Name].Box
		for _, m := range markers {
			p := view.Point(m.Pos)
			if y := m.Pos[1]; p[0] >= area.Min[0] && p[0] <= area.Max[0] && p[1] >= area.Min[1] && p[1] <= area.Max[1] &&
				y >= float64(box.Min[1]) && y <= float64(box.Max[1])+1 {
				list = append(list, format.Label{Layer: layer, At: p, Text: m.Label, Color: m.Color})
			}
		}
	}
	if v.Draws(look, layerAreas) {
		all, err := s.outlines(ctx, v.Name, pixels, worlddraw.Scaled{Origin: look.Origin, Scale: look.Scale}, s.lose)
		if err != nil {
			return nil, err
		}
		list = append(list, outlineLabels(all)...)
	}
	return list, nil
}
