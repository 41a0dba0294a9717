-- The nodes of the sample world. Public domain (CC0 1.0).

local core = core or minetest

-- Registers a node whose texture has its name, unless def has tiles.
local function node(name, def)
	def = table.copy(def)
	local texture = "glade_" .. name .. ".png"
	def.tiles = def.tiles or {texture}
	def.description = name:gsub("_", " ")
	def.groups = def.groups or {dig_immediate = 2}
	def.inventory_image = def.inventory_image or def.flat and texture or nil
	def.wield_image, def.flat = def.inventory_image, nil
	core.register_node("glade:" .. name, def)
end

local function merge(base, def)
	local all = table.copy(base)
	for key, value in pairs(def or {}) do
		all[key] = value
	end
	return all
end

-- Ground.

node("stone", {})
node("dirt", {})
node("grass", {tiles = {"glade_grass.png", "glade_dirt.png", "glade_dirt.png^glade_grass_side.png"}})
node("sand", {})
node("gravel", {})
node("cobble", {})
node("mossy_cobble", {tiles = {"glade_cobble.png^glade_moss.png"}})
node("brick", {})
node("coal_ore", {tiles = {"glade_stone.png^glade_coal.png"}})
node("copper_ore", {tiles = {"glade_stone.png^(glade_coal.png^[colorize:#c8783c:200)"}})
node("gold_ore", {tiles = {"glade_stone.png^(glade_coal.png^[colorize:#f0cc50:220)"}})

-- Wood.

local turned = {paramtype2 = "facedir"}
node("log", merge(turned, {tiles = {"glade_log_top.png", "glade_log_top.png", "glade_log.png"}}))
node("birch", merge(turned, {tiles = {"glade_log_top.png^[brighten", "glade_log_top.png^[brighten", "glade_birch.png"}}))
node("planks", {})
node("shelf", merge(turned, {tiles = {"glade_planks.png", "glade_planks.png", "glade_shelf.png"}}))
node("chest", merge(turned, {tiles = {"glade_chest.png", "glade_chest.png", "glade_chest.png", "glade_chest.png",
	"glade_chest.png", "glade_chest.png^glade_lock.png"}}))

local leaves = {drawtype = "allfaces_optional", paramtype = "light", waving = 2}
node("leaves", leaves)
node("birch_leaves", merge(leaves, {tiles = {"glade_leaves.png^[colorize:#d8d868:110"}}))
node("maple_leaves", merge(leaves, {tiles = {"glade_leaves.png^[colorize:#d8541e:170"}}))
node("needles", leaves)

-- Parts of buildings.

local shaped = {drawtype = "nodebox", paramtype = "light"}
local half = {-.5, -.5, -.5, .5, 0, .5}
for name, texture in pairs({planks = "planks", cobble = "cobble", roof = "roof"}) do
	local tiles = {"glade_" .. texture .. ".png"}
	node(name .. "_slab", merge(shaped, {tiles = tiles, node_box = {type = "fixed", fixed = half}}))
	node(name .. "_stair", merge(shaped, {tiles = tiles, paramtype2 = "facedir",
		node_box = {type = "fixed", fixed = {half, {-.5, 0, 0, .5, .5, .5}}}}))
end
node("glass", {drawtype = "glasslike_framed", paramtype = "light", sunlight_propagates = true,
	tiles = {"glade_glass.png", "glade_glass_shine.png"}})
node("fence", {drawtype = "fencelike", paramtype = "light", sunlight_propagates = true, tiles = {"glade_planks.png^[multiply:#c8a888"}})
node("door", merge(shaped, {paramtype2 = "facedir", sunlight_propagates = true, node_box = {type = "fixed",
	fixed = {-.5, -.5, -.5, .5, 1.5, -.375}}, tiles = {"glade_planks.png", "glade_planks.png", "glade_planks.png", "glade_planks.png",
	"glade_door.png^[transformFX", "glade_door.png"}}))
node("table", merge(shaped, {tiles = {"glade_planks.png"}, node_box = {type = "fixed", fixed = {{-.5, .3125, -.5, .5, .4375, .5},
	{-.125, -.4375, -.125, .125, .3125, .125}, {-.3125, -.5, -.3125, .3125, -.4375, .3125}}}}))
node("chair", merge(shaped, {tiles = {"glade_log.png"}, paramtype2 = "facedir", node_box = {type = "fixed", fixed = {
	{-.3125, -.0625, -.3125, .3125, .0625, .3125}, {-.3125, .0625, .1875, .3125, .625, .3125}, {-.3125, -.5, -.3125, -.1875, -.0625, -.1875},
	{.1875, -.5, -.3125, .3125, -.0625, -.1875}, {-.3125, -.5, .1875, -.1875, -.0625, .3125}, {.1875, -.5, .1875, .3125, -.0625, .3125}}}}))
node("bed", merge(shaped, {paramtype2 = "facedir", tiles = {"glade_bed.png", "glade_planks.png", "glade_bed_side.png", "glade_bed_side.png^[transformFX",
	"glade_planks.png"}, node_box = {type = "fixed", fixed = {-.5, -.5, -.5, .5, .0625, 1.5}}}))
node("rug", merge(shaped, {tiles = {"glade_wool.png"}, paramtype2 = "color", palette = "glade_palette.png",
	node_box = {type = "fixed", fixed = {-.5, -.5, -.5, .5, -.4375, .5}}}))
node("path", merge(shaped, {tiles = {"glade_gravel.png^[multiply:#e8c890", "glade_dirt.png"},
	node_box = {type = "fixed", fixed = {-.5, -.5, -.5, .5, .4375, .5}}}))
node("cart", {drawtype = "mesh", mesh = "glade_cart.obj", paramtype = "light", paramtype2 = "facedir", tiles = {"glade_cart.png"}})

-- Things on walls, floors and ceilings.

local flat = {paramtype = "light", paramtype2 = "wallmounted", sunlight_propagates = true, walkable = false, flat = true}
node("ladder", merge(flat, {drawtype = "signlike", climbable = true}))
node("lily", merge(flat, {drawtype = "signlike"}))
node("sign", merge(shaped, {paramtype2 = "facedir", sunlight_propagates = true, walkable = false,
	node_box = {type = "fixed", fixed = {-.4375, -.25, .4375, .4375, .3125, .5}}}))
local torch = merge(shaped, {light_source = 11, sunlight_propagates = true, walkable = false})
node("torch", merge(torch, {node_box = {type = "fixed", fixed = {-.0625, -.5, -.0625, .0625, .25, .0625}}}))
node("wall_torch", merge(torch, {tiles = {"glade_torch.png"}, paramtype2 = "facedir",
	node_box = {type = "fixed", fixed = {-.0625, -.4375, .375, .0625, .25, .5}}}))
node("lantern", merge(shaped, {light_source = 12, sunlight_propagates = true, tiles = {"glade_iron.png", "glade_iron.png", "glade_lantern.png"},
	node_box = {type = "fixed", fixed = {{-.1875, -.375, -.1875, .1875, .125, .1875}, {-.0625, .125, -.0625, .0625, .5, .0625}}}}))
node("rail", {drawtype = "raillike", paramtype = "light", sunlight_propagates = true, walkable = false, flat = true,
	tiles = {"glade_rail.png", "glade_rail_curve.png", "glade_rail_t.png", "glade_rail_cross.png"},
	groups = {dig_immediate = 2, connect_to_raillike = 1}})
node("fire", {drawtype = "firelike", paramtype = "light", sunlight_propagates = true, walkable = false, light_source = 14,
	tiles = {{name = "glade_fire.png", animation = {type = "vertical_frames", aspect_w = 16, aspect_h = 16, length = 1}}}})

-- Plants.

local plant = {drawtype = "plantlike", paramtype = "light", paramtype2 = "meshoptions", sunlight_propagates = true, walkable = false,
	waving = 1, flat = true}
for _, name in ipairs({"poppy", "cornflower", "daisy", "dandelion", "fern", "mushroom"}) do
	node(name, plant)
end
node("tall_grass", merge(plant, {visual_scale = 1.2}))
node("reed", merge(plant, {waving = 0}))
node("wheat", plant)
node("pondweed", {drawtype = "plantlike_rooted", paramtype = "light", tiles = {"glade_sand.png"},
	special_tiles = {"glade_fern.png^[multiply:#80d0a0"}})

-- A crystal that glows.
node("crystal", {drawtype = "plantlike", paramtype = "light", sunlight_propagates = true, walkable = false, light_source = 6, visual_scale = 1.1,
	flat = true})

-- Water and lava.

local function liquid(name, length, def)
	local function frames(seconds)
		return {name = "glade_" .. name .. ".png", backface_culling = false,
			animation = {type = "vertical_frames", aspect_w = 16, aspect_h = 16, length = seconds}}
	end
	def = merge({paramtype = "light", walkable = false, pointable = false, buildable_to = true, groups = {not_in_creative_inventory = 1},
		liquid_alternative_source = "glade:" .. name .. "_source", liquid_alternative_flowing = "glade:" .. name .. "_flowing"}, def)
	node(name .. "_source", merge(def, {drawtype = "liquid", liquidtype = "source", tiles = {frames(length)}}))
	node(name .. "_flowing", merge(def, {drawtype = "flowingliquid", liquidtype = "flowing", paramtype2 = "flowingliquid",
		tiles = {"glade_" .. name .. ".png^[verticalframe:4:0"}, special_tiles = {frames(length / 2), frames(length / 2)}}))
end
liquid("water", 4, {liquid_renewable = false, use_texture_alpha = "blend", drowning = 1, post_effect_color = {a = 80, r = 40, g = 90, b = 130}, liquid_viscosity = 1})
liquid("lava", 6, {light_source = 13, damage_per_second = 4, post_effect_color = {a = 200, r = 255, g = 80, b = 0}, liquid_viscosity = 7,
	liquid_renewable = false})

core.register_item(":", {type = "none", wield_image = "glade_hand.png", tool_capabilities =
	{groupcaps = {dig_immediate = {times = {[2] = .3}}}}})
