-- A mod that runs what a test writes to the file "order", and writes the result to the file "reply".
local core = core or minetest
local world = core.get_worldpath()

local function content(name)
	local file = io.open(world .. "/" .. name, "rb")
	if file then
		local text = file:read("*a")
		file:close()
		return text
	end
end

if content("old") then
	core.register_node(":old:thing", {description = "A node that the game lacks later", groups = {}})
	core.register_node(":old:kept", {description = "A node that the game lacks later", groups = {}})
end

if content("clock") then -- a clock that counts work instead of time
	local now = 0
	core.get_us_time = function()
		now = now + 20
		return now
	end
	local function costs(t, name, us)
		local before = t[name]
		t[name] = function(...)
			now = now + us
			return before(...)
		end
	end
	costs(core, "decompress", 700)
	costs(core, "load_area", 2500)
	costs(core, "get_meta", 400)
	costs(core, "get_node_timer", 1)
	costs(core, "find_nodes_with_meta", 500)
	costs(core, "safe_file_write", 3000)
	costs(_G, "VoxelManip", 4500)
end

core.after(0, function() -- who is named in minetest.conf has all privileges
	local auth = core.get_auth_handler()
	if not auth.get_auth("admin") then
		auth.create_auth("admin", "")
	end
end)

core.register_globalstep(function()
	local order = content("order")
	if not order then
		return
	end
	os.remove(world .. "/order")
	local _, reply
	local lua = order:match("^lua\n(.*)")
	if lua then
		reply = assert(loadstring(lua))()
	else
		_, reply = core.registered_chatcommands.rewind.func("admin", order)
	end
	core.safe_file_write(world .. "/reply", tostring(reply))
end)
