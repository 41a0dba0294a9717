-- The command /rewind: what changed here, and putting it back. `trowel guard` beside the server knows the moments: the mod asks
-- through files in the folder trowel_rewind of the world. Public domain (CC0 1.0).

local core = core or minetest
local restore = ... -- of init.lua: lag, status, begin, cancel, built, job

local folder = core.get_worldpath() .. "/trowel_rewind"
local request_path, answer_path, undo_path = folder .. "/request.json", folder .. "/answer.json", folder .. "/undo.json"
core.mkdir(folder)

local patience = 600 -- seconds until a request counts as not answered
local confirming = 60 -- seconds to confirm
local largest = 63 -- the largest radius, in nodes: guard allows boxes of 128 x 128 x 128, unless --most-nodes says otherwise
local shown_for = 15 -- seconds that marks are shown
local every = 3 -- seconds between two reports of progress

core.register_privilege("rewind", {description = "Can put any place back as it was", give_to_singleplayer = false})
core.register_privilege("rewind_own", {description = "Can put areas back that the player owns", give_to_singleplayer = false})

local marks = {}  -- corners by player
local offers = {} -- what a player may confirm, by player
local asked       -- the request that waits for its answer
local working     -- who has put something back: a name, and the time of the last report
local number = 0
local clock = 0

local function tell(name, text)
	core.log("action", "[trowel_rewind] " .. name .. ": " .. text)
	if core.get_player_by_name(name) then
		core.chat_send_player(name, "[rewind] " .. text)
	end
end

local function read_json(path)
	local file = io.open(path, "rb")
	if not file then
		return nil
	end
	local text = file:read("*a")
	file:close()
	local value = text and core.parse_json(text)
	return type(value) == "table" and value or nil
end

-- Asks guard, and calls done with the answer.
local function ask(name, what, options, done)
	if asked then
		return false, "another request is not answered yet"
	end
	number = number + 1
	local id = os.date("!%Y%m%dT%H%M%S") .. "-" .. number .. "-" .. math.random(1, 999999)
	os.remove(answer_path)
	if not core.safe_file_write(request_path, core.write_json({id = id, ["do"] = what, by = name, options = options})) then
		return false, "the request cannot be written to " .. request_path
	end
	asked = {id = id, name = name, done = done, clock = clock, look = clock}
	return true
end

local function look_for_answer()
	if not asked or clock < asked.look then
		return
	end
	asked.look = clock + 0.3
	local a = asked
	local answer = read_json(answer_path)
	if answer and answer.id == a.id then
		asked = nil
		os.remove(answer_path)
		if answer.error then
			tell(a.name, "not done: " .. tostring(answer.error))
		else
			a.done(answer)
		end
	elseif clock > a.clock + patience then
		asked = nil
		os.remove(request_path)
		tell(a.name, "there is no answer: does `trowel guard` run for this world?")
	elseif not a.told and clock > a.clock + 8 then
		a.told = true
		tell(a.name, "waiting for `trowel guard`")
	end
end

-- Whether a player may put any place back.
local function may_all(name)
	return core.check_player_privs(name, {rewind = true}) or core.check_player_privs(name, {server = true})
end

-- Boxes.

local function whole(v)
	return {x = math.floor(v.x + 0.5), y = math.floor(v.y + 0.5), z = math.floor(v.z + 0.5)}
end

local function box_of(a, b)
	a, b = whole(a), whole(b)
	return {
		low = {x = math.min(a.x, b.x), y = math.min(a.y, b.y), z = math.min(a.z, b.z)},
		high = {x = math.max(a.x, b.x), y = math.max(a.y, b.y), z = math.max(a.z, b.z)},
	}
end

local function corners(box, by)
	local function at(v)
		return ("%d,%d,%d"):format(math.floor(v.x / by), math.floor(v.y / by), math.floor(v.z / by))
	end
	return at(box.low) .. ":" .. at(box.high)
end

local function inside(box, v)
	for _, k in ipairs({"x", "y", "z"}) do
		if v[k] < box.low[k] - 0.5 or v[k] > box.high[k] + 0.5 then
			return false
		end
	end
	return true
end

-- The smallest area of the mod areas at a place; only those of the player if own is set.
local function area_at(name, pos, own)
	local areas, best, least = rawget(_G, "areas")
	if not areas then
		return nil
	end
	for id, area in pairs(areas:getAreasAtPos(pos)) do
		if not own or areas:isAreaOwner(id, name) then
			local box = box_of(area.pos1, area.pos2)
			local size = (box.high.x - box.low.x + 1) * (box.high.y - box.low.y + 1) * (box.high.z - box.low.z + 1)
			if not least or size < least then
				best, least = box, size
			end
		end
	end
	return best
end

-- The box that a player means: two corners or a radius in the words, else his area, else his marks. Who may only put his own areas
-- back has no other box.
local function chosen(name, words)
	local any = may_all(name)
	local player = core.get_player_by_name(name)
	local pos = player and player:get_pos()
	if not any then
		if #words > 0 then
			return nil, "with the privilege rewind_own, go into an area that you own"
		end
		local box = pos and area_at(name, pos, true)
		return box, not box and "you are in no area that you own" or nil
	end
	local a, b = words[1] and core.string_to_pos(words[1]), words[2] and core.string_to_pos(words[2])
	local radius = tonumber(words[1])
	if a and b then
		return box_of(a, b)
	elseif radius and not words[2] and pos then
		if radius < 1 or radius > largest then
			return nil, "expected a radius from 1 to " .. largest
		end
		return box_of(vector.subtract(pos, radius), vector.add(pos, radius))
	elseif #words > 0 then
		return nil, "expected a radius, or two corners such as 10,0,10 30,20,30, not " .. table.concat(words, " ")
	end
	local box = pos and area_at(name, pos, false)
	local m = marks[name]
	if not box and m and m[1] and m[2] then
		box = box_of(m[1], m[2])
	end
	return box, not box and "go into an area, mark two corners with /rewind pos1 and /rewind pos2, or give a radius" or nil
end

-- Moments.

local seconds = {min = 60, h = 3600, d = 86400, w = 7 * 86400, mo = 30 * 86400}

-- The moment that words begin with, as guard reads it, and the other words.
local function moment(words)
	local rest = {unpack(words)}
	local first = table.remove(rest, 1) or ""
	local n, unit = first:match("^(%d+)(%l+)$")
	local t
	if n and seconds[unit] and #n < 6 then
		t = os.time() - n * seconds[unit]
	else
		local day = os.date("*t")
		local y, m, d = first:match("^(%d%d%d%d)%-(%d%d)%-(%d%d)$")
		local hour, minute = first:match("^(%d%d?):(%d%d)$")
		if first == "yesterday" then
			day.day = day.day - 1
		elseif y then
			day.year, day.month, day.day = tonumber(y), tonumber(m), tonumber(d)
		elseif not hour and first ~= "today" then
			return nil, rest
		end
		if not hour then
			hour, minute = (rest[1] or ""):match("^(%d%d?):(%d%d)$")
			if hour then
				table.remove(rest, 1)
			end
		end
		day.hour, day.min, day.sec, day.isdst = tonumber(hour or 0), tonumber(minute or 0), 0, nil
		if day.hour > 23 or day.min > 59 then
			return nil, rest
		end
		t = os.time(day)
	end
	if not t or t > os.time() then
		return nil, rest
	end
	return os.date("!%Y-%m-%dT%H:%M:%SZ", t), rest
end

-- What changed.

local function names(list)
	local texts = {}
	for i, one in ipairs(list or {}) do
		if i > 3 then
			texts[#texts + 1] = "and others"
			break
		end
		texts[#texts + 1] = one.count .. " " .. one.name
	end
	return table.concat(texts, ", ")
end

-- The corners of the box of a place.
local function box_in(place)
	local b = place.box
	if type(b) ~= "table" or type(b.min) ~= "table" or type(b.max) ~= "table" then
		return nil
	end
	local function at(v)
		return {x = tonumber(v[1]) or 0, y = tonumber(v[2]) or 0, z = tonumber(v[3]) or 0}
	end
	return box_of(at(b.min), at(b.max))
end

local function describe(place)
	local box, parts = box_in(place), {}
	if not box then
		return nil
	end
	if place.removed then
		parts[#parts + 1] = "gone: " .. names(place.removed)
	end
	if place.placed then
		parts[#parts + 1] = "new: " .. names(place.placed)
	end
	if place.gone then
		parts[#parts + 1] = place.gone .. " blocks of the map gone"
	end
	if place.metadata then
		parts[#parts + 1] = place.metadata .. " chests, signs or the like"
	end
	for i, by in ipairs(place.by or {}) do
		if i == 1 then
			parts[#parts + 1] = "by " .. tostring(by.name) .. ", " .. tostring(by.last)
		end
	end
	return corners(box, 1) .. ": " .. table.concat(parts, "; ")
end

-- Calls done with the places of a box that differ from a moment, and the number of their nodes.
local function list(name, box, when, done)
	return ask(name, "list", {moment = when, area = corners(box, 16)}, function(answer)
		local found, nodes = {}, 0
		for _, place in ipairs(answer.places or {}) do
			local b = box_in(place)
			if b and b.low.x <= box.high.x and b.high.x >= box.low.x and b.low.y <= box.high.y and b.high.y >= box.low.y and
				b.low.z <= box.high.z and b.high.z >= box.low.z then
				found[#found + 1], nodes = place, nodes + (tonumber(place.nodes) or 0)
			end
		end
		done(found, nodes, tonumber(answer.more) or 0)
	end)
end

-- The number of nodes of places that somebody has placed since.
local function built(places)
	local n = 0
	for _, place in ipairs(places) do
		for _, one in ipairs(place.placed or {}) do
			if restore.built(core.registered_nodes[tostring(one.name)]) then
				n = n + (tonumber(one.count) or 0)
			end
		end
	end
	return n
end

local function show(name, box)
	local a, b = box.low, box.high
	local function dot(x, y, z)
		core.add_particle({pos = {x = x, y = y, z = z}, velocity = {x = 0, y = 0, z = 0}, acceleration = {x = 0, y = 0, z = 0},
			expirationtime = shown_for, size = 6, glow = 14, texture = "heart.png", playername = name})
	end
	for _, k in ipairs({"x", "y", "z"}) do -- the edges along an axis
		local others = k == "x" and {"y", "z"} or k == "y" and {"x", "z"} or {"x", "y"}
		local step = math.max(1, (b[k] - a[k]) / 24)
		for i = a[k], b[k] + 0.5, step do
			for _, u in ipairs({a, b}) do
				for _, v in ipairs({a, b}) do
					local p = {[k] = i, [others[1]] = u[others[1]], [others[2]] = v[others[2]]}
					dot(p.x, p.y, p.z)
				end
			end
		end
	end
end

-- Putting back.

-- Moves players out of a box, to its nearest side.
local function clear(box)
	for _, player in ipairs(core.get_connected_players()) do
		local pos = player:get_pos()
		if inside(box, pos) then
			local sides = {
				{pos.x - box.low.x, "x", box.low.x - 2}, {box.high.x - pos.x, "x", box.high.x + 2},
				{pos.z - box.low.z, "z", box.low.z - 2}, {box.high.z - pos.z, "z", box.high.z + 2},
			}
			table.sort(sides, function(a, b)
				return a[1] < b[1]
			end)
			local to = {x = pos.x, y = pos.y, z = pos.z}
			to[sides[1][2]] = sides[1][3]
			player:set_pos(to)
			tell(player:get_player_name(), "this place is put back as it was: you stand beside it now")
		end
	end
end

local function remember(name, box, before)
	local all = read_json(undo_path) or {}
	all[name] = {box = corners(box, 1), moment = before}
	core.safe_file_write(undo_path, core.write_json(all))
end

-- Waits until the server has saved what it has changed, asks for the plan, and applies it.
local function put_back(name, what, box, when, keep)
	if restore.job() then
		return false, restore.status()
	elseif asked or working then
		return false, "another place is being put back"
	end
	working = {name = name, clock = clock}
	tell(name, ("%s: %s as of %s"):format(what, corners(box, 1), when))
	core.after(restore.lag, function()
		local fine, why = ask(name, what, {moment = when, box = corners(box, 1)}, function(answer)
			if answer.before then
				remember(name, box, answer.before)
			end
			clear(box)
			local began, text = restore.begin(keep)
			if not began then
				working = nil
			end
			tell(name, text)
		end)
		if not fine then
			working = nil
			tell(name, why)
		end
	end)
	return true, "the place is put back as soon as the server has saved what it has changed"
end

local function progress()
	if not working then
		return
	end
	local j = restore.job()
	if j then
		working.began = true
		if clock >= working.clock + every then
			working.clock = clock
			tell(working.name, j.doing)
		end
	elseif working.began then
		tell(working.name, "done")
		working = nil
	elseif not asked and clock > working.clock + restore.lag + patience then
		working = nil
	end
end

-- The command.

local does = {}

for corner, said in ipairs({"first corner: ", "second corner: "}) do
	does["pos" .. corner] = function(name)
		local player = core.get_player_by_name(name)
		if not player then
			return false, "only a player in the game has a place"
		end
		marks[name] = marks[name] or {}
		marks[name][corner] = whole(player:get_pos())
		return true, said .. core.pos_to_string(marks[name][corner])
	end
end

-- find lists what changed, and shows the boxes if marked is set.
local function find(name, words, marked)
	local when, rest = moment(words)
	if not when then
		when, rest = moment({"1d", unpack(words)})
	end
	local box, why = chosen(name, rest)
	if not box then
		return false, why
	end
	return list(name, box, when, function(found, nodes, more)
		for _, place in ipairs(found) do
			tell(name, describe(place))
			if marked then
				show(name, box_in(place))
			end
		end
		tell(name, ("since %s: %d places, %d nodes%s"):format(when, #found, nodes, more > 0 and ", and more nearby" or ""))
	end)
end

function does.list(name, words)
	return find(name, words, false)
end

function does.show(name, words)
	return find(name, words, true)
end

function does.yes(name)
	local o = offers[name]
	offers[name] = nil
	if not o or clock > o.clock + confirming then
		return false, "there is nothing to confirm: /rewind 2h offers it"
	end
	return put_back(name, "rewind", o.box, o.moment, o.keep)
end

function does.undo(name)
	local u = (read_json(undo_path) or {})[name]
	local low, high = tostring(u and u.box):match("^([-%d,]+):([-%d,]+)$")
	local a, b = core.string_to_pos(low or ""), core.string_to_pos(high or "")
	if not a or not b then
		return false, "you have put nothing back"
	end
	local box = box_of(a, b)
	if not may_all(name) then
		local own = area_at(name, {x = (box.low.x + box.high.x) / 2, y = (box.low.y + box.high.y) / 2, z = (box.low.z + box.high.z) / 2}, true)
		if not own or corners(own, 1) ~= u.box then
			return false, "the area is not yours any more"
		end
	end
	return put_back(name, "undo", box, tostring(u.moment))
end

function does.off(name)
	offers[name] = nil
	return restore.cancel()
end

does.cancel = does.off

function does.status()
	return true, restore.status()
end

-- The plan of `trowel restore --plan`.
function does.start(name)
	if not core.check_player_privs(name, {server = true}) then
		return false, "this needs the privilege server"
	end
	return restore.begin()
end

core.register_chatcommand("rewind", {
	params = "list [TIME] [RADIUS] | show TIME [RADIUS] | TIME [keep] [RADIUS] | yes | undo | off | pos1 | pos2 | status | start",
	description = "Puts a place back as it was. TIME is 2h, 30min, 1d, 20:00, yesterday 20:00 or 2026-11-20 20:00. " ..
		"With keep, what was built where nothing was stays",
	func = function(name, param)
		if not may_all(name) and not core.check_player_privs(name, {rewind_own = true}) then
			return false, "this needs the privilege rewind or rewind_own"
		end
		local words = param:split(" ")
		local first = words[1] or "status"
		if does[first] then
			table.remove(words, 1)
			return does[first](name, words)
		end
		local when, rest = moment(words)
		if not when then
			return false, "expected a moment such as 2h, yesterday 20:00 or 2026-11-20 20:00: see /help rewind"
		end
		local keep = rest[1] == "keep"
		if keep then
			table.remove(rest, 1)
		end
		local box, why = chosen(name, rest)
		if not box then
			return false, why
		end
		return list(name, box, when, function(found, nodes, more)
			if #found == 0 then
				tell(name, "nothing changed here since " .. when)
				return
			end
			offers[name] = {box = box, moment = when, keep = keep, clock = clock}
			tell(name, ("%d places with %d nodes%s would be as at %s. /rewind yes puts %s back"):format(#found, nodes,
				more > 0 and " and more" or "", when, corners(box, 1)))
			local new = built(found)
			if new > 0 then
				tell(name, ("%d nodes were built there since: what stands where air was %s"):format(new,
					keep and "stays" or "goes, unless keep follows the time"))
			end
		end)
	end,
})

core.register_globalstep(function(dtime)
	clock = clock + dtime
	look_for_answer()
	progress()
end)
