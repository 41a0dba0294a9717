-- Destroys the house.
local low, high = {x = -8, y = 6, z = -8}, {x = 22, y = 17, z = 22}
for i = 0, 5 do
	minetest.remove_node({x = 3 * i, y = 10, z = 0})
end
minetest.remove_node({x = 4, y = 11, z = 20})
minetest.remove_node({x = 9, y = 10, z = 20})
local vm = VoxelManip()
local from, to = vm:read_from_map(low, high)
local area = VoxelArea:new({MinEdge = from, MaxEdge = to})
local ids, param1, param2 = vm:get_data(), vm:get_light_data(), vm:get_param2_data()
local new = {}
for i, name in ipairs({"air", "default:lava_source", "default:meselamp", "default:stone", "default:cobble"}) do
	new[i] = minetest.get_content_id(name)
end
for i in area:iterp(low, high) do
	local pos = area:position(i)
	if not (pos.x == 20 and pos.y == 13 and pos.z == 3) then
		local n = (pos.x * 7 + pos.y * 3 + pos.z * 5) % 11
		ids[i], param2[i] = new[n] or new[1], n
	end
end
vm:set_data(ids)
vm:set_param2_data(param2)
vm:write_to_map(true)
-- A chest where the snapshot has none, one inside of the box and one outside.
for _, pos in ipairs({{x = 5, y = 12, z = 5}, {x = 5, y = 19, z = 5}}) do
	minetest.set_node(pos, {name = "default:chest"})
	minetest.get_meta(pos):get_inventory():set_stack("main", 1, "default:lava_source 99")
	minetest.get_node_timer(pos):set(5000, 0)
end
minetest.get_node_timer({x = 6, y = 12, z = 5}):set(5000, 0) -- of no node that has timers
