-- Writes what the engine sees of some blocks, one line for each thing, to the file
-- "dump.txt" in the folder of the world, and ends the server. The blocks are those
-- of "blocks.txt": a line "x y z" for each. Texts are in hexadecimal.

local world = minetest.get_worldpath()

local function hex(text)
	return (text:gsub(".", function(c) return string.format("%02x", c:byte()) end))
end

local function dump_block(out, bx, by, bz)
	local low = {x = 16 * bx, y = 16 * by, z = 16 * bz}
	local high = {x = low.x + 15, y = low.y + 15, z = low.z + 15}
	local voxels = VoxelManip()
	local from, to = voxels:read_from_map(low, high)
	local area = VoxelArea:new{MinEdge = from, MaxEdge = to}
	local id, param1, param2 = voxels:get_data(), voxels:get_light_data(), voxels:get_param2_data()

	out:write(string.format("block %d %d %d\n", bx, by, bz))
	for z = low.z, high.z do
		for y = low.y, high.y do
			for x = low.x, high.x do
				local i = area:index(x, y, z)
				out:write(string.format("node %s %d %d\n", minetest.get_name_from_content_id(id[i]), param1[i], param2[i]))
			end
		end
	end
	for _, pos in ipairs(minetest.find_nodes_with_meta(low, high)) do
		local meta = minetest.get_meta(pos)
		local all = meta:to_table()
		out:write(string.format("meta %d\n", (pos.z - low.z) * 256 + (pos.y - low.y) * 16 + pos.x - low.x))
		for key, value in pairs(all.fields) do
			out:write(string.format("field %s=%s\n", hex(key), hex(value)))
		end
		for name, list in pairs(all.inventory) do
			for slot, stack in ipairs(list) do
				if not stack:is_empty() then
					local fields = {}
					for key, value in pairs(stack:get_meta():to_table().fields) do
						fields[#fields + 1] = hex(key) .. "=" .. hex(value)
					end
					table.sort(fields)
					out:write(string.format("item %s %d %d %s %d %d %s\n", hex(name), #list, slot,
						stack:get_name(), stack:get_count(), stack:get_wear(), table.concat(fields, ",")))
				end
			end
		end
	end
	for i = 0, 4095 do
		local pos = {x = low.x + i % 16, y = low.y + math.floor(i / 16) % 16, z = low.z + math.floor(i / 256)}
		local timer = minetest.get_node_timer(pos)
		if timer:is_started() then
			out:write(string.format("timer %d %d %d\n", i, timer:get_timeout() * 1000 + 0.5, timer:get_elapsed() * 1000 + 0.5))
		end
	end
end

minetest.after(0, function()
	local out = assert(io.open(world .. "/dump.txt", "w"))
	for line in io.lines(world .. "/blocks.txt") do
		local x, y, z = line:match("^(%S+) (%S+) (%S+)$")
		dump_block(out, tonumber(x), tonumber(y), tonumber(z))
	end
	out:write("end\n")
	out:close()
	minetest.request_shutdown()
end)
