package protect

import (
	"maps"
	"slices"
	"strings"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// DefaultRadius is how many nodes in each direction a protector of the usual mods protects if
// the setting protector_radius does not say otherwise.
const DefaultRadius = 5

// Protector is a node that protects what is around it.
type Protector struct {
	Pos     [3]int
	Node    string // such as "protector:protect"
	Owner   string
	Members []string // who may build, too
	Needs   string   // what lets others build, such as "privilege home" or "xp 1000"; "" for nothing
}

// IsProtector reports whether a name is that of a node that protects: those of the mods
// protector, xp_redo and priv_protector.
func IsProtector(name string) bool {
	return strings.HasPrefix(name, "protector:protect") || name == "xp_redo:protector" || name == "priv_protector:protector"
}

// Protectors returns the protectors in the block at p. One without an owner is none.
func Protectors(p mapdb.Pos, b *mapblock.Block) (list []Protector) {
	if b.Version >= 21 && !slices.ContainsFunc(b.Names, func(e mapblock.NameID) bool { return IsProtector(e.Name) }) {
		return nil
	}
	var nodes *mapblock.Nodes
	for i := range b.Metadata.List {
		m := &b.Metadata.List[i]
		owner := m.Var("owner")
		if owner == "" || m.Pos >= mapblock.NodeCount {
			continue
		}
		if nodes == nil {
			nodes = b.Nodes()
		}
		name := nodes.At(int(m.Pos))
		if !IsProtector(name) {
			continue
		}
		x, y, z := mapblock.Coordinates(int(m.Pos))
		of := Protector{
			Pos:  [3]int{int(p.X)*mapblock.Side + x, int(p.Y)*mapblock.Side + y, int(p.Z)*mapblock.Side + z},
			Node: name, Owner: owner, Members: strings.Fields(m.Var("members")),
		}
		if privs := m.Var("privs"); name == "priv_protector:protector" && privs != "" {
			of.Needs = "privilege " + privs
		}
		if xp := m.Var("xpthreshold"); name == "xp_redo:protector" && xp != "" {
			of.Needs = "xp " + xp
		}
		list = append(list, of)
	}
	return list
}

// Reaches reports whether a node is as near to the protector as it protects.
func (p *Protector) Reaches(pos [3]int, radius int) bool {
	for i, v := range pos {
		if v < p.Pos[i]-radius || v > p.Pos[i]+radius {
			return false
		}
	}
	return true
}

// Near returns the blocks in which a protector of a node can be.
func Near(pos [3]int, radius int) mapdb.Area {
	at := func(v int) int16 { return int16(min(max(v>>4, mapdb.MinCoord), mapdb.MaxCoord)) }
	return mapdb.Area{
		Min: mapdb.Pos{X: at(pos[0] - radius), Y: at(pos[1] - radius), Z: at(pos[2] - radius)},
		Max: mapdb.Pos{X: at(pos[0] + radius), Y: at(pos[1] + radius), Z: at(pos[2] + radius)},
	}
}

// Right is who may build at a place.
type Right struct {
	// Everybody may, because nothing protects the place, or an open area.
	Everybody bool
	// Names are those who may, if not everybody, in the order of the alphabet.
	Names []string
	// Factions are those whose members may, too.
	Factions []string
	// Needs lets others build who fulfil all of it. It is empty where an area or a protector
	// lets nobody else whatever he has.
	Needs []string
}

// MayBuild finds out who may build where some areas and protectors are: one area of a person
// is enough, while all of the protectors have to let somebody. Who has the privilege areas or
// protection_bypass is not asked.
func MayBuild(areas []*Area, protectors []Protector) (r Right) {
	var names map[string]bool // nil: everybody
	if len(areas) > 0 {
		names = make(map[string]bool)
		factions := make(map[string]bool)
		for _, a := range areas {
			if a.Open {
				names = nil
				break
			}
			names[a.Owner] = true
			for _, f := range a.Factions {
				factions[f] = true
			}
		}
		if names != nil {
			r.Factions = slices.Sorted(maps.Keys(factions))
		}
	}
	owned := names != nil
	for _, p := range protectors {
		allowed := map[string]bool{p.Owner: true}
		for _, m := range p.Members {
			allowed[m] = true
		}
		if p.Needs != "" {
			r.Needs = append(r.Needs, p.Needs)
		}
		if names == nil {
			names = allowed
			continue
		}
		maps.DeleteFunc(names, func(name string, _ bool) bool { return !allowed[name] })
		r.Factions = nil
	}
	if names == nil {
		r.Everybody = true
		return r
	}
	if owned || len(protectors) > len(r.Needs) {
		r.Needs = nil
	}
	r.Names = slices.Sorted(maps.Keys(names))
	return r
}
