-- Builds a house with what a snapshot should have.
local function set(x, y, z, name, param2)
	minetest.set_node({x = x, y = y, z = z}, {name = name, param2 = param2 or 0})
end
for a = -5, 25 do
	for b = -5, 25 do
		set(a, 9, b, "default:cobble")
		set(a, 16, b, "default:wood")
	end
	for y = 10, 15 do
		set(a, y, -5, "default:brick")
		set(a, y, 25, a % 3 == 0 and "default:glass" or "default:brick")
		set(-5, y, a, "default:brick")
		set(25, y, a, "stairs:stair_cobble", a % 4)
	end
end
for a = 0, 20, 7 do
	set(a, 10, 12, "default:torch", 1)
	set(a, 12, 7, "default:mese_post_light")
end
for i = 0, 5 do
	local pos = {x = 3 * i, y = 10, z = 0}
	minetest.set_node(pos, {name = "default:chest", param2 = i % 4})
	local meta = minetest.get_meta(pos)
	local inventory = meta:get_inventory()
	inventory:set_stack("main", 1, "default:pick_steel 1 " .. 1000 * i)
	local book = ItemStack("default:book_written")
	book:get_meta():set_string("text", "line \"one\"\nline two\0 and a zero")
	inventory:set_stack("main", 9, book)
	inventory:set_size("craft", 9)
	inventory:set_width("craft", 3)
	inventory:set_stack("craft", 5, "default:dirt 7")
	meta:set_string("owner", "ann")
	meta:set_string("secret", "\0\1\2")
	meta:mark_as_private("secret")
	local words = {} -- more than fits into one record
	for k = 1, 4000 do
		words[k] = tostring((k * 7919 + i) % 10007)
	end
	meta:set_string("text", table.concat(words, " "))
	minetest.get_node_timer(pos):set(100000 + i, 5)
end
set(4, 11, 20, "default:sign_wall_wood", 4)
minetest.get_meta({x = 4, y = 11, z = 20}):set_string("text", "Mind the furnace")
set(8, 10, 20, "default:furnace", 1)
set(9, 10, 20, "default:cobble") -- with metadata that no game gave it
minetest.get_meta({x = 9, y = 10, z = 20}):set_int("number", 5)
set(2, 10, 2, "old:thing")
set(18, 10, 3, "old:thing")
set(20, 10, 3, "old:kept")
set(20, 13, 3, "old:kept") -- stays, so the engine knows the name

-- param1 of a node without light is a value like any other.
local low, high = {x = 10, y = 11, z = 20}, {x = 10, y = 11, z = 20}
set(10, 11, 20, "default:stone")
local vm = VoxelManip()
local from, to = vm:read_from_map(low, high)
local param1 = vm:get_light_data()
param1[VoxelArea:new({MinEdge = from, MaxEdge = to}):index(10, 11, 20)] = 77
vm:set_light_data(param1)
vm:write_to_map(false)
