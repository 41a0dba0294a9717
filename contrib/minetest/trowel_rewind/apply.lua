-- Puts the nodes of blocks back into the world. Public domain (CC0 1.0).

local core = core or minetest
local plan = ... -- see plan.lua

local apply = {}

local byte = string.byte

-- The content id of a name, nil if neither the game nor a loaded block has this name.
function apply.id_of(name)
	local fine, id = pcall(core.get_content_id, name)
	return fine and id ~= core.CONTENT_IGNORE and id or nil
end

-- Whether somebody has placed a node with a definition, unlike air, liquids, fire and grass, in whose place a player can build.
function apply.built(def) return not def or not def.buildable_to end

-- By the id of a node: lit, whether param1 is light, which the engine computes; timed, whether a timer has an effect; built.
local traits = {}

local function traits_of(id)
	local t = traits[id]
	if not t then
		local def = core.registered_nodes[core.get_name_from_content_id(id)]
		t = {lit = def ~= nil and def.paramtype == "light", timed = def == nil or def.on_timer ~= nil, built = apply.built(def)}
		traits[id] = t
	end
	return t
end

local function position(low, index, pos)
	pos = pos or {}
	pos.x, pos.y, pos.z = low.x + index % 16, low.y + math.floor(index / 16) % 16, low.z + math.floor(index / 256)
	return pos
end

-- Loads the blocks around a block, where light comes from and goes to, but does not generate them.
local function load_around(low, pause)
	for z = -16, 16, 16 do
		for y = -16, 16, 16 do
			for x = -16, 16, 16 do
				local p = {x = low.x + x, y = low.y + y, z = low.z + z}
				if not core.get_node_or_nil(p) then
					pause("load")
					if core.load_area then
						core.load_area(p, p)
					else -- before 5.0
						VoxelManip():read_from_map(p, p)
					end
				end
			end
		end
	end
end

local ids_buffer, param2_buffer = {}, {}

-- Puts nodes of a block back, in one piece, because other mods may change the block between two pieces. put has the
-- content id of each node, or false for nodes that stay. With again, unchanged nodes become nodes that stay, and with keep those
-- that were built where air was. It returns the number of changed nodes, and the indexes of nodes of which older timers must be removed.
local function write(n, put, low, counts, again, keep)
	local vm = VoxelManip()
	vm:read_from_map(low, {x = low.x + 15, y = low.y + 15, z = low.z + 15})
	local ids, param1, param2 = vm:get_data(ids_buffer), vm:get_light_data(), vm:get_param2_data(param2_buffer)
	local content, at1, at2 = n.content, n.param1, n.param2
	local changed, other, timed = 0, false, {}
	for i = 1, 4096 do
		local id = put[i]
		if id == core.CONTENT_AIR and keep and ids[i] ~= id and traits_of(ids[i]).built then
			put[i], id, counts.kept = false, false, counts.kept + 1
		end
		if id then
			local t = traits_of(id)
			local p2 = byte(content, at2 + i)
			local differs = ids[i] ~= id or param2[i] ~= p2
			if differs then
				ids[i], param2[i] = id, p2
				changed = changed + 1
			elseif again then
				put[i] = false
			end
			if differs or t.timed and not again then
				timed[#timed + 1] = i - 1
			end
			if not t.lit then
				local p1 = byte(content, at1 + i)
				if param1[i] ~= p1 then
					param1[i], other = p1, true
				end
			end
		end
	end
	counts.nodes = counts.nodes + changed
	if changed > 0 or other then
		vm:set_data(ids)
		vm:set_light_data(param1)
		vm:set_param2_data(param2)
		vm:write_to_map(true) -- with light
		if vm.update_map then -- before 5.0, for clients
			vm:update_map()
		end
		counts.changed = counts.changed + 1
	end
	return changed, timed
end

local function set_metadata(pos, m)
	local meta = core.get_meta(pos)
	meta:from_table({fields = m.fields})
	local inventory = meta:get_inventory()
	for _, l in ipairs(m.lists) do
		inventory:set_list(l.name, l.items)
		if l.width > 0 then
			inventory:set_width(l.name, l.width)
		end
	end
	if #m.private > 0 and meta.mark_as_private then
		meta:mark_as_private(m.private)
	end
end

-- The content id of each node of a block, false for nodes that stay, among them those whose name is unknown; and the
-- numbers of these by name.
local function ids_of(n)
	local ids, put, unknown = {}, {}, {}
	for i, name in ipairs(n.names) do
		ids[i] = apply.id_of(name)
	end
	for index = 0, 4095 do
		local i = plan.name_of(n, index)
		put[index + 1] = i and ids[i] or false
		if i and not ids[i] then
			local name = n.names[i]
			unknown[name] = (unknown[name] or 0) + 1
		end
	end
	return put, unknown
end

-- Puts the metadata of a block back, from the records that begin at an offset.
local function put_metadata(p, at, put, low, counts, pause)
	local set = {}
	while at < p.last do
		pause("read")
		local r = plan.record(p, at)
		if r.nodes then
			break
		end
		plan.metadata(plan.content(p, r), function(m)
			pause("metadata")
			if not put[m.index + 1] then
				return
			end
			local pos = position(low, m.index)
			local fine, why = pcall(set_metadata, pos, m)
			set[m.index] = true
			if fine then
				counts.metadata = counts.metadata + 1
			else
				counts.failed = counts.failed + 1
				core.log("error", "[trowel_rewind] metadata at " .. core.pos_to_string(pos) .. ": " .. tostring(why))
			end
		end)
		at = r.next
	end
	pause("metadata")
	for _, pos in ipairs(core.find_nodes_with_meta(low, position(low, 4095))) do
		local index = (pos.z - low.z) * 256 + (pos.y - low.y) * 16 + pos.x - low.x
		if put[index + 1] and not set[index] then
			pause("metadata")
			core.get_meta(pos):from_table(nil)
			counts.removed = counts.removed + 1
		end
	end
end

local function put_timers(n, put, timed, low, counts, pause)
	local pos = {}
	pause("timers")
	for index, t in pairs(n.timers) do
		if put[index + 1] then
			core.get_node_timer(position(low, index, pos)):set(t.timeout, t.elapsed)
			counts.timers = counts.timers + 1
		end
	end
	for i, index in ipairs(timed) do
		if i % 256 == 0 then
			pause("timers")
		end
		if not n.timers[index] then
			local timer = core.get_node_timer(position(low, index, pos))
			if timer:is_started() then
				timer:stop()
			end
		end
	end
end

-- Puts a loaded block back: its nodes, metadata and timers. It returns false, and changes nothing, if the block is not
-- loaded any more. With again, the block was put back before: only nodes that have changed since are. With keep, nodes stay that
-- were built where air was.
function apply.block(p, r, counts, pause, again, keep)
	local low = {x = 16 * r.x, y = 16 * r.y, z = 16 * r.z}
	pause("read")
	local n = plan.nodes(plan.content(p, r))
	pause("read")
	local put, unknown = ids_of(n)
	load_around(low, pause)
	pause("nodes")
	if not core.get_node_or_nil(low) then
		return false
	end
	counts.blocks = counts.blocks + 1
	for name, count in pairs(unknown) do
		counts.unknown[name] = (counts.unknown[name] or 0) + count
	end
	local changed, timed = write(n, put, low, counts, again, keep)
	if changed > 0 or not again then
		put_metadata(p, r.next, put, low, counts, pause)
		put_timers(n, put, timed, low, counts, pause)
	end
	return true
end

return apply
