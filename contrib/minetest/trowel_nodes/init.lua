-- Writes what the game defines of its nodes to trowel_nodes.json in the folder of the world,
-- each time the server starts. Public domain (CC0 1.0).

local core = core or minetest

-- The fields of a definition. Reading them by name also returns the defaults of the engine.
local fields = {
	"tiles", "overlay_tiles", "special_tiles", "tile_images", "special_materials",
	"use_texture_alpha", "alpha", "color", "palette",
	"drawtype", "visual_scale", "mesh", "node_box", "connects_to", "connect_sides", "groups",
	"paramtype", "paramtype2", "light_source", "sunlight_propagates", "leveled", "leveled_max",
	"liquidtype", "liquid_alternative_flowing", "liquid_alternative_source", "liquid_range",
	"waving", "walkable", "legacy_facedir_simple", "legacy_wallmounted",
}

-- A colour as text: mods also write numbers (0xAARRGGBB) and tables.
local function color(value)
	local function byte(v, default)
		v = tonumber(v) or default
		return v - v == 0 and math.max(0, math.min(255, math.floor(v))) or 0
	end
	if type(value) == "number" then
		local function part(unit)
			return math.floor(value / unit) % 256
		end
		value = {a = part(2 ^ 24), r = part(2 ^ 16), g = part(2 ^ 8), b = part(1)}
	end
	if type(value) ~= "table" then
		return value
	end
	return string.format("#%02x%02x%02x%02x", byte(value.r, 0), byte(value.g, 0), byte(value.b, 0), byte(value.a, 255))
end

-- A value as JSON can represent it, nil if it cannot, such as functions, userdata, NaN and infinity. A table with
-- numbers and names as keys becomes an object with the numbers as text.
local function plain(value, depth)
	local kind = type(value)
	if kind == "string" or kind == "boolean" then
		return value
	elseif kind == "number" then
		return value - value == 0 and value or nil
	elseif kind ~= "table" or depth == 0 then
		return nil
	end
	local numbers, result, named = {}, {}, false
	for key, v in pairs(value) do
		if type(key) == "number" then
			numbers[#numbers + 1] = key
		elseif type(key) == "string" then
			named = true
			result[key] = plain(key == "color" and color(v) or v, depth - 1)
		end
	end
	table.sort(numbers)
	for i, key in ipairs(numbers) do
		result[named and tostring(i) or i] = plain(value[key], depth - 1) or false
	end
	return result
end

local function json(value)
	return (core.write_json(plain(value, 8)):gsub("\n*$", ""))
end

local function describe(name, def)
	local all = {name = name}
	for _, field in ipairs(fields) do
		all[field] = def[field]
	end
	return json(all)
end

core.after(0, function() -- when all mods have registered their nodes
	local names, lines, mods, aliases = {}, {}, {}, {}
	for name in pairs(core.registered_nodes) do
		names[#names + 1] = name
	end
	table.sort(names)
	for i, name in ipairs(names) do
		lines[i] = describe(name, core.registered_nodes[name])
	end
	for i, name in ipairs(core.get_modnames(true)) do -- in order of loading since 5.16, by name before
		mods[i] = json({name = name, path = core.get_modpath(name)})
	end
	for name, target in pairs(core.registered_aliases) do
		aliases[#aliases + 1] = json(tostring(name)) .. ": " .. json(tostring(target))
	end
	table.sort(aliases)
	local version = core.get_version and core.get_version() or {}
	local game = core.get_game_info and core.get_game_info() or {} -- since 5.7
	local function lined(list)
		return #list > 0 and "\n" .. table.concat(list, ",\n") .. "\n" or ""
	end
	local path = core.get_worldpath() .. "/trowel_nodes.json"
	local done = core.safe_file_write(path, '{"format": "trowel-nodes", "version": 2, "engine": ' .. json(version.string or "") ..
		', "game": ' .. json(game.path or "") .. ', "mods": [' .. lined(mods) .. '], "aliases": {' .. lined(aliases) ..
		'}, "nodes": [' .. lined(lines) .. "]}\n")
	core.log("action", "[trowel_nodes] " .. #names .. " nodes " .. (done and "written to " or "could not be written to ") .. path)
end)
