-- Writes what the game defines of its nodes to trowel_nodes.json in the folder of the world,
-- each time the server starts. Public domain (CC0 1.0).

local core = core or minetest

-- The name of a texture, with its modifiers, of whatever form a tile has.
local function texture(tile)
	if type(tile) == "table" then
		tile = tile.name or tile.image
	end
	return type(tile) == "string" and tile or ""
end

local function text(value)
	return type(value) == "string" and value or ""
end

local function describe(name, def)
	local tiles = {}
	for i, tile in ipairs(def.tiles or def.tile_images or {}) do
		tiles[i] = texture(tile)
	end
	return {
		name = name,
		tiles = #tiles > 0 and tiles or nil,
		color = text(def.color),
		palette = text(def.palette),
		drawtype = text(def.drawtype),
		paramtype = text(def.paramtype),
		paramtype2 = text(def.paramtype2),
		light_source = math.floor(tonumber(def.light_source) or 0),
		sunlight_propagates = def.sunlight_propagates == true,
		liquidtype = text(def.liquidtype),
		walkable = def.walkable ~= false,
	}
end

core.after(0, function() -- when all mods have registered their nodes
	local names = {}
	for name in pairs(core.registered_nodes) do
		names[#names + 1] = name
	end
	table.sort(names)
	local lines = {}
	for i, name in ipairs(names) do
		lines[i] = core.write_json(describe(name, core.registered_nodes[name])):gsub("\n*$", "")
	end
	local path = core.get_worldpath() .. "/trowel_nodes.json"
	local done = core.safe_file_write(path,
		'{"format": "trowel-nodes", "version": 1, "nodes": [\n' .. table.concat(lines, ",\n") .. "\n]}\n")
	core.log("action", "[trowel_nodes] " .. #names .. " nodes " .. (done and "written to " or "could not be written to ") .. path)
end)
