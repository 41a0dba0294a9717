package mapblock

// Names of the nodes that are built into the engine.
const (
	Air    = "air"
	Ignore = "ignore" // a node that is not loaded or not generated
)

const (
	contentAir    = 126
	contentIgnore = 127
	oldAir        = 254 // up to version 19
	oldIgnore     = 255
	extendedID    = 0x800 // ids from here on take a part of param2, in versions 20 to 23
)

// legacyNames are the fixed ids that were the same in every block, up to version 20. The gap before sapling is
// intended.
var legacyNames = map[uint16]string{
	0:             "default:stone",
	2:             "default:water_flowing",
	3:             "default:torch",
	9:             "default:water_source",
	14:            "default:sign_wall",
	15:            "default:chest",
	16:            "default:furnace",
	17:            "default:chest_locked",
	21:            "default:fence_wood",
	30:            "default:rail",
	31:            "default:ladder",
	32:            "default:lava_flowing",
	33:            "default:lava_source",
	0x800:         "default:dirt_with_grass",
	0x801:         "default:tree",
	0x802:         "default:leaves",
	0x803:         "default:dirt_with_grass_footsteps",
	0x804:         "default:mese",
	0x805:         "default:dirt",
	0x806:         "default:cloud",
	0x807:         "default:coalstone",
	0x808:         "default:wood",
	0x809:         "default:sand",
	0x80a:         "default:cobble",
	0x80b:         "default:steelblock",
	0x80c:         "default:glass",
	0x80d:         "default:mossycobble",
	0x80e:         "default:gravel",
	0x80f:         "default:sandstone",
	0x810:         "default:cactus",
	0x811:         "default:brick",
	0x812:         "default:clay",
	0x813:         "default:papyrus",
	0x814:         "default:bookshelf",
	0x815:         "default:jungletree",
	0x816:         "default:junglegrass",
	0x817:         "default:nyancat",
	0x818:         "default:nyancat_rainbow",
	0x819:         "default:apple",
	0x820:         "default:sapling",
	contentAir:    Air,
	contentIgnore: Ignore,
}

// legacyIDs is the reverse of legacyNames.
var legacyIDs = func() map[string]uint16 {
	ids := make(map[string]uint16, len(legacyNames))
	for id, name := range legacyNames {
		ids[name] = id
	}
	return ids
}()

// oldIDs are the bytes of versions up to 19 that became other ids, in the order of these ids from 0x800 on.
var oldIDs = [...]uint8{1, 4, 5, 6, 7, 8, 10, 11, 12, 13, 18, 19, 20, 22, 23, 24, 25, 26, 27, 28, 29}

// fromOld and toOld map the bytes of versions up to 19 to ids and back.
var fromOld, toOld = func() (from [256]uint16, to map[uint16]uint8) {
	to = make(map[uint16]uint8)
	for i := range from {
		from[i] = uint16(i)
	}
	for i, old := range oldIDs {
		from[old] = extendedID + uint16(i)
	}
	from[oldAir], from[oldIgnore] = contentAir, contentIgnore
	for id := range legacyNames {
		if id < 126 {
			to[id] = uint8(id)
		}
	}
	for i, old := range oldIDs {
		to[extendedID+uint16(i)] = old
	}
	to[contentAir], to[contentIgnore] = oldAir, oldIgnore
	return from, to
}()

const (
	nameStone = "default:stone"
	nameCoal  = "default:stone_with_coal"
	nameIron  = "default:stone_with_iron"
)

// Nodes whose numbers had another meaning up to version 21. Games mark these nodes with legacy_facedir_simple and
// legacy_wallmounted in their definitions; listed here are those of minetest_game that are old enough.
var (
	// The facing direction was in param1.
	facedirNodes = map[string]bool{
		"default:chest":          true,
		"default:chest_locked":   true,
		"default:furnace":        true,
		"default:furnace_active": true,
		"default:nyancat":        true,
	}
	// The side that the node is attached to was one bit of wallmountedBits.
	wallmountedNodes = map[string]bool{
		"default:torch":     true,
		"default:sign_wall": true,
		"default:ladder":    true,
	}
)

// wallmountedBits are the old values of the current directions 0 to 5.
var wallmountedBits = [6]uint8{0x04, 0x08, 0x01, 0x02, 0x10, 0x20}

// wallmounted returns the direction of an old value, or 0 if it has none.
func wallmounted(old uint8) uint8 {
	for i, bit := range wallmountedBits {
		if old&bit != 0 {
			return uint8(i)
		}
	}
	return 0
}
