package protect

import (
	"maps"
	"slices"
	"strings"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// DefaultRadius is the default of the setting protector_radius: the number of nodes that a protector protects in each
// direction.
const DefaultRadius = 5

// Protector is a node that protects its surroundings.
type Protector struct {
	Pos     [3]int
	Node    string // such as "protector:protect"
	Owner   string
	Members []string // players who may build as well
	Needs   string   // the condition for others to build, such as "privilege home" or "xp 1000"; "" for none
}

// isProtector reports whether a name is that of a protector of the mods protector, xp_redo and priv_protector.
func isProtector(name string) bool {
	return strings.HasPrefix(name, "protector:protect") || name == "xp_redo:protector" || name == "priv_protector:protector"
}

// Protectors returns the protectors in the block at p. Those without an owner do not count.
func Protectors(p mapdb.Pos, b *mapblock.Block) (list []Protector) {
	if b.Version >= 21 && !slices.ContainsFunc(b.Names, func(e mapblock.NameID) bool { return isProtector(e.Name) }) {
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
		if !isProtector(name) {
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

// Reaches reports whether the protector protects a node, given its radius.
func (p *Protector) Reaches(pos [3]int, radius int) bool {
	for i, v := range pos {
		if v < p.Pos[i]-radius || v > p.Pos[i]+radius {
			return false
		}
	}
	return true
}

// Near returns the blocks that can contain a protector of a node.
func Near(pos [3]int, radius int) mapdb.Area {
	at := func(v int) int16 { return int16(min(max(v>>4, mapdb.MinCoord), mapdb.MaxCoord)) }
	return mapdb.Area{
		Min: mapdb.Pos{X: at(pos[0] - radius), Y: at(pos[1] - radius), Z: at(pos[2] - radius)},
		Max: mapdb.Pos{X: at(pos[0] + radius), Y: at(pos[1] + radius), Z: at(pos[2] + radius)},
	}
}

// Right describes who may build at a place.
type Right struct {
	// Everybody is set if nothing or only an open area protects the place.
	Everybody bool
	// Names are the players who may build, unless everybody may, in alphabetical order.
	Names []string
	// Factions are the factions whose members may build as well.
	Factions []string
	// Needs are conditions that let other players build if they meet all of them. It is empty if an area or a
	// protector admits no other players.
	Needs []string
}

// MayBuild determines who may build in the given areas and within the reach of the given protectors: owning one of
// the areas is sufficient, while all protectors must admit the player. It does not consider the privileges areas and
// protection_bypass.
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
