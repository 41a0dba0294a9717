package modinfo

import (
	"fmt"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/ogre"
)

// OfModel returns the facts about a mesh or a skeleton.
func OfModel(data []byte, _ string) ([]format.InfoField, error) {
	m, err := ogre.Decode(data)
	if err != nil {
		return nil, err
	}
	if s, is := m.(*ogre.Skeleton); is {
		return ofSkeleton(s), nil
	}
	return ofMesh(m.(*ogre.Mesh)), nil
}

func ofMesh(m *ogre.Mesh) []format.InfoField {
	info := format.Info{}
	info.Add("version", "version", "mesh "+m.Version)
	vertices, triangles := 0, 0
	if m.Shared != nil {
		vertices = int(m.Shared.Count)
	}
	var materials []string
	known := make(map[string]bool)
	for _, s := range m.SubMeshes {
		if s.Geometry != nil {
			vertices += int(s.Geometry.Count)
		}
		if s.Operation == nil || s.Operation.Kind == ogre.Triangles {
			triangles += len(s.Indices) / 3
		}
		if !known[s.Material] {
			known[s.Material] = true
			materials = append(materials, s.Material)
		}
	}
	info.Add("submeshes", "submeshes", len(m.SubMeshes))
	info.Add("vertices", "vertices", vertices)
	info.Add("triangles", "triangles", triangles)
	info.Add("materials", "materials", materials)
	if m.Skeleton != nil {
		info.Add("skeleton", "skeleton", m.Skeleton.File)
	}
	if b := m.Bounds; b != nil {
		info.Add("bounds", "bounds", fmt.Sprintf("%s to %s", point(b.Min), point(b.Max)))
	}
	return info.Fields
}

func point(p [3]float32) string { return fmt.Sprintf("%g, %g, %g", p[0], p[1], p[2]) }

func ofSkeleton(s *ogre.Skeleton) []format.InfoField {
	info := format.Info{}
	info.Add("version", "version", "skeleton "+s.Version)
	info.Add("bones", "bones", len(s.Bones))
	var animations []string
	for _, a := range s.Animations {
		animations = append(animations, fmt.Sprintf("%s (%g s)", a.Name, a.Length))
	}
	if animations != nil {
		info.Add("animations", "animations", animations)
	}
	return info.Fields
}

// OfMaterials returns the facts about a material script.
func OfMaterials(data []byte) ([]format.InfoField, error) {
	s, err := ogre.ParseScript(data)
	if err != nil {
		return nil, err
	}
	var names, textures []string
	known := make(map[string]bool)
	for _, m := range s.Materials {
		names = append(names, m.Name)
		for pass := range m.Passes() {
			for t := range pass.Textures() {
				if key := strings.ToUpper(t); !known[key] {
					known[key] = true
					textures = append(textures, t)
				}
			}
		}
	}
	return []format.InfoField{format.Fact("materials", "materials", names), format.Fact("textures", "textures", textures)}, nil
}
