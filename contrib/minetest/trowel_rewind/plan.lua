-- Reads plans; docs/formats/minetest-restore-plan.md of Trowel describes the format. Public domain (CC0 1.0).

local core = core or minetest

local plan = {}

local magic, version = "trowelrp", 1
local head_size, end_size = 11, 25
local slice = 16384 -- bytes of a checksum between two pauses
local stays = 0xffff
local damaged = "the plan is damaged or cut off"

local byte = string.byte

local function fail(why)
	error(damaged .. ": " .. why, 0)
end

-- The cursor: a text and the position of the next byte.
local function take(c, n)
	local at = c.at
	c.at = at + n
	if c.at - 1 > #c.text then
		fail("a record is too short")
	end
	return c.text:sub(at, at + n - 1)
end

local function u8(c)
	return byte(take(c, 1))
end

local function u16(c)
	local a, b = byte(take(c, 2), 1, 2)
	return a + 256 * b
end

local function i16(c)
	local n = u16(c)
	return n < 0x8000 and n or n - 0x10000
end

local function u32(c)
	local low = u16(c)
	return low + 0x10000 * u16(c)
end

local function cursor(text)
	return {text = text, at = 1}
end

local function ended(c)
	if c.at ~= #c.text + 1 then
		fail("a record is too long")
	end
end

-- The bytes of the file from an offset on.
local function read(p, at, n)
	p.file:seek("set", at)
	local text = n > 0 and p.file:read(n) or ""
	if not text or #text < n then
		fail("it ends too early")
	end
	return text
end

-- Opens a plan and reads its start and its end: a table, or nil and the reason.
function plan.open(path)
	local file, why = io.open(path, "rb")
	if not file then
		return nil, why
	end
	local p = {file = file, path = path, size = file:seek("end")}
	local fine, err = pcall(function()
		if p.size < #magic + 3 + end_size then
			fail("it ends too early")
		end
		local c = cursor(read(p, 0, #magic + 3))
		if take(c, #magic) ~= magic then
			error("it is not a plan of trowel restore", 0)
		end
		local v = u8(c)
		if v ~= version then
			error("it has version " .. v .. ", and this mod reads version " .. version, 0)
		end
		local length = u16(c)
		p.first, p.last = #magic + 3 + length, p.size - end_size
		if p.first > p.last then
			fail("it ends too early")
		end
		p.text = read(p, #magic + 3, length)
		c = cursor(read(p, p.last, end_size))
		local kind = u8(c)
		p.blocks = u32(c)
		local size = u32(c) + 2 ^ 32 * u32(c)
		p.sum = u32(c)
		if take(c, #magic) ~= magic or kind ~= 0 or size ~= p.size then
			fail("its end is missing")
		end
		p.id = ("%.0f-%.0f"):format(p.size, p.sum)
	end)
	if not fine then
		file:close()
		return nil, err
	end
	return p
end

-- The head of the record at an offset: what it is, the position of its block, and where its content and the next record
-- are.
function plan.record(p, at)
	local c = cursor(read(p, at, head_size))
	local r = {kind = u8(c), x = i16(c), y = i16(c), z = i16(c), size = u32(c), at = at + head_size}
	r.next = r.at + r.size
	if r.kind ~= 1 and r.kind ~= 2 or r.next > p.last then
		fail("a record is unknown")
	end
	r.nodes = r.kind == 1
	return r
end

-- The offset of the next block after the record of a block.
function plan.after(p, r, pause)
	local at = r.next
	while at < p.last do
		pause("look")
		r = plan.record(p, at)
		if r.nodes then
			break
		end
		at = r.next
	end
	return at
end

-- The content of a record.
function plan.content(p, r)
	local fine, content = pcall(core.decompress, read(p, r.at, r.size), "deflate")
	if not fine or type(content) ~= "string" then
		fail("a record cannot be decompressed")
	end
	return content
end

-- The nodes of a block: names and timers, and in content, after the offsets ids, param1 and param2, those of each node.
function plan.nodes(content)
	local c = cursor(content)
	local n = {content = content, names = {}, timers = {}}
	for i = 1, u16(c) do
		n.names[i] = take(c, u16(c))
	end
	for _, part in ipairs({"ids", "ids", "param1", "param2"}) do
		n[part] = n[part] or c.at - 1
		take(c, 4096)
	end
	for _ = 1, u16(c) do
		local index = u16(c)
		n.timers[index] = {timeout = u32(c) / 1000, elapsed = u32(c) / 1000}
	end
	ended(c)
	return n
end

-- The index of the name of a node, counted from 1; nil if the node stays.
function plan.name_of(n, index)
	local a, b = byte(n.content, n.ids + 2 * index + 1, n.ids + 2 * index + 2)
	local name = a + 256 * b
	if name == stays then
		return nil
	elseif name >= #n.names then
		fail("a node has no name")
	end
	return name + 1
end

local function list_of(c)
	local l = {name = take(c, u16(c)), items = {}}
	local size = u32(c)
	l.width = u32(c)
	local count = u32(c)
	if count > size or size > 65536 then
		fail("a list is too long")
	end
	for i = 1, size do
		l.items[i] = i <= count and take(c, u32(c)) or ""
	end
	return l
end

-- Calls each with the metadata of each node of a record.
function plan.metadata(content, each)
	local c = cursor(content)
	for _ = 1, u16(c) do
		local m = {index = u16(c), fields = {}, private = {}, lists = {}}
		for _ = 1, u32(c) do
			local key = take(c, u16(c))
			m.fields[key] = take(c, u32(c))
			if u8(c) == 1 then
				m.private[#m.private + 1] = key
			end
		end
		for i = 1, u16(c) do
			m.lists[i] = list_of(c)
		end
		if m.index >= 4096 then
			fail("metadata have no node")
		end
		each(m)
	end
	ended(c)
end

-- Adler-32 of a text, continued from a and b.
local function adler(text, a, b)
	for i = 1, #text do
		a = a + byte(text, i)
		b = b + a
	end
	return a % 65521, b % 65521
end

-- Checks everything: first the checksum, then each record. It calls pause before each piece of work, and name with the
-- names of nodes. An error is a text.
function plan.check(p, pause, name)
	local a, b = 1, 0
	local summed = p.size - #magic - 4
	for at = 0, summed - 1, slice do
		pause("check")
		a, b = adler(read(p, at, math.min(slice, summed - at)), a, b)
	end
	if a + 0x10000 * b ~= p.sum then
		fail("its checksum is wrong")
	end
	local at, blocks = p.first, 0
	while at < p.last do
		pause("check")
		local r = plan.record(p, at)
		local content = plan.content(p, r)
		if r.nodes then
			blocks = blocks + 1
			local n = plan.nodes(content)
			for index = 0, 4095 do
				plan.name_of(n, index)
			end
			for _, text in ipairs(n.names) do
				name(text)
			end
		elseif blocks == 0 then
			fail("metadata have no block")
		else
			plan.metadata(content, function() pause("check") end)
		end
		at = r.next
	end
	if at ~= p.last or blocks ~= p.blocks then
		fail("records are missing")
	end
end

return plan
