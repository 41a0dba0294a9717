package item

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
)

// legacyForms maps the first words of itemstrings from before 0.4 to the functions that parse the rest.
var legacyForms = map[string]func(s *Stack, rest string){
	"MaterialItem":  parseMaterial, // until 2011-07-30: a node with an id from before block version 20
	"MaterialItem2": parseMaterial, // until 2011-11-16: a node with its id
	"MaterialItem3": parseNamed,    // until 2012-01-07, like all below
	"node":          parseNamed,
	"NodeItem":      parseNamed,
	"craft":         parseNamed,
	"CraftItem":     parseNamed,
	"tool":          parseTool,
	"ToolItem":      parseTool,
	"MBOItem":       func(s *Stack, rest string) { s.Name, s.Count = rest, 1 }, // an object; until 2011-10-14
}

// parseMaterial reads "id count".
func parseMaterial(s *Stack, rest string) {
	words := append(strings.Fields(rest), "", "")
	s.ID = uint16(number(words[0]))
	s.Count = number(words[1])
}

// parseNamed reads "name count", with or without quotes around the name.
func parseNamed(s *Stack, rest string) {
	s.Name, rest = legacyName(rest)
	if s.Count = number(rest); s.Count == 0 {
		s.Count = 1
	}
}

// parseTool reads "name wear", with or without quotes around the name.
func parseTool(s *Stack, rest string) {
	s.Name, rest = legacyName(rest)
	s.Count, s.Wear = 1, number(rest)
}

func legacyName(text string) (name, rest string) {
	if quote := strings.IndexByte(text, '"'); quote >= 0 && quote+1 < len(text) {
		name, rest, _ = strings.Cut(text[quote+1:], `"`)
	} else {
		name, rest, _ = strings.Cut(text, " ")
	}
	return name, rest
}

func (s *Stack) appendLegacy(dst []byte) []byte {
	dst = append(append(dst, s.Legacy...), ' ')
	switch s.Legacy {
	case "MBOItem":
		return append(dst, s.Name...)
	case "MaterialItem", "MaterialItem2":
		dst = strconv.AppendUint(dst, uint64(s.ID), 10)
		return strconv.AppendInt(append(dst, ' '), int64(s.Count), 10)
	}
	dst = append(append(append(dst, '"'), s.Name...), '"', ' ')
	if s.Legacy == "tool" || s.Legacy == "ToolItem" {
		return strconv.AppendInt(dst, int64(s.Wear), 10)
	}
	return strconv.AppendInt(dst, int64(s.Count), 10)
}

// NodeNames returns the name of a node id of block versions 20 and 21, and whether it has one. A nil NodeNames has no
// names.
type NodeNames func(id uint16) (name string, ok bool)

// maxNodeID is the highest possible node id.
const maxNodeID = 0xfff

// ids19 are the ids from before block version 20 that became 0x800, 0x801 and so on.
var ids19 = []uint16{1, 4, 5, 6, 7, 8, 10, 11, 12, 13, 18, 19, 20, 22, 23, 24, 25, 26, 27, 28, 29}

// MigrateLegacy returns the stack as engines since 0.4 read it: in the current form, and with current names for items
// from before 0.4, such as "default:stick" for "Stick". A node whose id has no name becomes "unknown_block"; the
// engine drops it. A stack that needs no change is returned unchanged. MigrateLegacy fails for an "MBOItem", which no
// current engine reads, and for an id above 0xfff.
func (s Stack) MigrateLegacy(names NodeNames) (Stack, error) {
	switch s.Legacy {
	case "MBOItem":
		return s, &fault.Error{Path: "name", Offset: 0, Want: "an item", Got: "an MBOItem, which no engine reads since 2011",
			Err: fault.ErrVersion}
	case "MaterialItem", "MaterialItem2":
		id := s.ID
		if i := slices.Index(ids19, id); i >= 0 && s.Legacy == "MaterialItem" {
			id = 0x800 + uint16(i)
		}
		if id > maxNodeID {
			return s, &fault.Error{Path: "id", Offset: int64(len(s.Legacy) + 1), Want: fmt.Sprintf("at most %d", maxNodeID),
				Got: strconv.Itoa(int(id)), Err: fault.ErrFormat}
		}
		s.Name, s.ID = "unknown_block", 0
		if names != nil {
			if name, ok := names(id); ok {
				s.Name = name
			}
		}
	}
	s.Legacy = ""
	if name, ok := Alias(s.Name); ok {
		s.Name = name
	}
	return s, nil
}

// Alias returns the current name of an item that had another name before 0.4, according to minetest_game, and whether
// there is one.
func Alias(old string) (name string, ok bool) {
	name, ok = aliases[old]
	return name, ok
}

var aliases = func() map[string]string {
	m := map[string]string{
		"wooden_fence": "default:fence_wood",
		"locked_chest": "default:chest_locked",
		"Stick":        "default:stick",
		"lump_of_coal": "default:coal_lump",
		"lump_of_iron": "default:iron_lump",
		"lump_of_clay": "default:clay_lump",
		"MesePick":     "default:pick_mese",
	}
	for _, material := range [][2]string{{"W", "wood"}, {"ST", "stone"}, {"Steel", "steel"}} {
		for _, tool := range []string{"Pick", "Shovel", "Axe", "Sword"} {
			m[material[0]+tool] = "default:" + strings.ToLower(tool) + "_" + material[1]
		}
	}
	// These only got the prefix.
	for name := range strings.FieldsSeq(`stone stone_with_coal stone_with_iron dirt_with_grass
		dirt_with_grass_footsteps dirt sand gravel sandstone clay brick tree jungletree junglegrass
		leaves cactus papyrus bookshelf glass rail ladder wood mese cloud water_flowing water_source
		lava_flowing lava_source torch sign_wall furnace chest cobble mossycobble steelblock nyancat
		nyancat_rainbow sapling apple paper book steel_ingot clay_brick scorched_stuff`) {
		m[name] = "default:" + name
	}
	return m
}()
