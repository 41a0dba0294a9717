-- Mends the light of the blocks that trowel_light.txt in the folder of the world lists, once,
-- when the server starts. Public domain (CC0 1.0).

local core = core or minetest

local path = core.get_worldpath() .. "/trowel_light.txt"
local batch = 16 -- blocks in a step of the server

-- The blocks of the list, the upper ones first: sunlight comes from above.
local function read()
	local file = io.open(path, "rb")
	if not file then
		return nil
	end
	local blocks, seen = {}, {}
	for line in file:lines() do
		local x, y, z = line:match("^(-?%d+),(-?%d+),(-?%d+)")
		if x and not seen[line] then
			seen[line] = true
			blocks[#blocks + 1] = {x = tonumber(x), y = tonumber(y), z = tonumber(z)}
		end
	end
	file:close()
	table.sort(blocks, function(a, b)
		if a.y ~= b.y then
			return a.y > b.y
		elseif a.z ~= b.z then
			return a.z < b.z
		end
		return a.x < b.x
	end)
	return blocks
end

local function mend(blocks, from)
	for i = from, math.min(from + batch - 1, #blocks) do
		local b = blocks[i]
		local first = {x = b.x * 16, y = b.y * 16, z = b.z * 16}
		local last = {x = first.x + 15, y = first.y + 15, z = first.z + 15}
		-- With the blocks around, which light comes from and goes to.
		core.load_area({x = first.x - 16, y = first.y - 16, z = first.z - 16}, {x = last.x + 16, y = last.y + 16, z = last.z + 16})
		core.fix_light(first, last)
	end
	if from + batch <= #blocks then
		core.after(0, mend, blocks, from + batch)
		return
	end
	os.remove(path)
	core.log("action", "[trowel_light] the light of " .. #blocks .. " blocks is mended")
end

core.after(0, function()
	local blocks = read()
	if blocks then
		mend(blocks, 1)
	end
end)
