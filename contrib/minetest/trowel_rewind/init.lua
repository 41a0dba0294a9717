-- Puts regions of a backup back into the running world, from the plan that `trowel restore --plan` writes, in at most
-- 10 ms of a step of the server. Public domain (CC0 1.0).

local core = core or minetest

local folder = core.get_modpath("trowel_rewind")
local plan = dofile(folder .. "/plan.lua")
local apply = assert(loadfile(folder .. "/apply.lua"))(plan)

local path = core.get_worldpath() .. "/trowel_rewind.plan"
local progress_path = core.get_worldpath() .. "/trowel_rewind.progress"

local budget = 8000  -- microseconds of a step of the server: estimates of costs are inexact, and 10,000 are allowed
local ahead = 16     -- blocks that are loaded in advance
local patience = 60  -- seconds until a block is requested again
local tries = 3
local passes = 5     -- over all blocks
local settling = 3   -- seconds between passes, for liquids
-- Progress is written when the server has saved the blocks of which it speaks, so that a killed server loses nothing.
local lag = 2 * (tonumber(core.settings:get("server_map_save_interval")) or 5.3) + 1

local job         -- what is being done, nil if nothing
local clock = 0   -- seconds of game time
local costs = {}  -- microseconds that a piece of work may take, by kind

local function say(text)
	core.log("action", "[trowel_rewind] " .. text)
	for _, player in ipairs(core.get_connected_players()) do
		if core.check_player_privs(player:get_player_name(), {server = true}) then
			core.chat_send_player(player:get_player_name(), "[trowel_rewind] " .. text)
		end
	end
end

-- The job is a coroutine that calls pause with the kind of its next piece of work, and wait if it can only continue in a
-- later step.
local pause = coroutine.yield

local function wait()
	coroutine.yield(nil)
end

local function rest(seconds)
	local began = clock
	while clock < began + seconds do
		wait()
	end
end

local function save(state)
	core.safe_file_write(progress_path, core.write_json(state))
end

local function read_progress()
	local file = io.open(progress_path, "rb")
	if not file then
		return nil
	end
	local state = core.parse_json(file:read("*a") or "")
	file:close()
	if type(state) ~= "table" or type(state.counts) ~= "table" then
		return nil
	end
	for _, counts in pairs({state.counts, state.done}) do
		counts.unknown = counts.unknown or {} -- JSON has no empty tables
		counts.kept = counts.kept or 0 -- of an earlier version of the mod
	end
	return state
end

local function copy(t)
	local c = {}
	for key, value in pairs(t) do
		c[key] = type(value) == "table" and copy(value) or value
	end
	return c
end

-- Keeps the progress, and writes it when the blocks are saved.
local function keep_progress(j)
	if j.kept and clock < j.kept.clock + lag then
		return
	end
	if j.kept then
		pause("save")
		save(j.kept.state)
	end
	j.kept = {clock = clock, state = copy(j.state)}
end

-- Requests a block from the engine, which loads it or generates it in another thread.
local function request(j, r)
	local want = j.wanted[r.at] or {tries = 0}
	j.wanted[r.at] = want
	want.tries, want.clock, want.done, want.failed = want.tries + 1, clock, false, false
	local low = {x = 16 * r.x, y = 16 * r.y, z = 16 * r.z}
	core.emerge_area(low, {x = low.x + 15, y = low.y + 15, z = low.z + 15}, function(_, action)
		want.done = action ~= core.EMERGE_CANCELLED and action ~= core.EMERGE_ERRORED
		want.failed = not want.done
		j.generated[r.at] = j.generated[r.at] or action == core.EMERGE_GENERATED
	end)
end

-- Waits for a block. It reports whether the block is loaded; nil means that the job was cancelled.
local function await(j, r)
	while not j.cancelled do
		local want = j.wanted[r.at]
		if want.done then
			return true
		elseif want.failed or clock > want.clock + patience then
			if want.tries == tries then
				return false
			end
			wait()
			request(j, r)
		end
		wait()
	end
end

-- Calls each for the blocks from an offset of the plan on, with whether the block is loaded. If each returns false, the
-- block is loaded and treated again.
local function walk(j, at, each)
	local p, following, requested = j.plan, at, 0
	j.wanted = {}
	while at < p.last do
		while requested < ahead and following < p.last do
			pause("look")
			local r = plan.record(p, following)
			if r.nodes then
				request(j, r)
				requested = requested + 1
			end
			following = r.next
		end
		pause("look")
		local r = plan.record(p, at)
		local loaded = await(j, r)
		if j.cancelled then
			return
		elseif each(r, loaded) == false then
			request(j, r)
		else
			j.wanted[r.at], requested = nil, requested - 1
			at = plan.after(p, r, pause)
		end
	end
end

local function labelled(counts, ...)
	local list = {}
	for _, key in ipairs({...}) do
		list[#list + 1] = key .. ": " .. counts[key]
	end
	return table.concat(list, ", ")
end

local function report(j)
	local c = j.state.done
	say("done: " .. labelled(c, "blocks", "changed", "nodes", "again", "metadata", "removed", "timers") ..
		(" (%s)"):format(j.plan.text))
	say(("steps of the server: %d, longer than 10 ms: %d, longest: %.1f ms (%s)"):format(j.steps, j.long, j.longest / 1000, j.slowest))
	local left = {}
	for text, n in pairs(c.unknown) do
		left[#left + 1] = n .. " nodes " .. text .. ", whose name is unknown"
	end
	table.sort(left)
	if c.absent > 0 then
		left[#left + 1] = "blocks that could not be loaded: " .. c.absent
	end
	if c.failed > 0 then
		left[#left + 1] = "metadata: " .. c.failed
	end
	if #left > 0 then
		say("not put back, unchanged: " .. table.concat(left, "; "))
	end
	if c.kept > 0 then
		say("kept: " .. c.kept .. " nodes that were built where air was")
	end
	if j.state.counts.nodes > 0 then
		say("nodes that change again and again, such as by liquids from outside: " .. j.state.counts.nodes)
	end
end

-- Removes the plan, if it is still the one that was applied.
local function remove(j)
	j.plan.file:close()
	local now = plan.open(path)
	if now then
		now.file:close()
		if now.id == j.plan.id then
			local fine, why = os.remove(path)
			if not fine then
				say("the plan could not be removed: " .. tostring(why))
			end
		else
			say("there is a new plan")
		end
	end
	os.remove(progress_path)
end

-- Loads all blocks once, before any changes: the map generator, which makes those that the world lacks, also changes
-- their neighbours. Names of nodes that only the world has are known afterwards.
local function load_blocks(j, names)
	local done = 0
	walk(j, j.state.at, function()
		done = done + 1
		j.doing = ("loading the blocks: %d of %d"):format(done, j.plan.blocks)
	end)
	local unknown = {}
	for text in pairs(names) do
		if not apply.id_of(text) then
			unknown[#unknown + 1] = text
		end
	end
	table.sort(unknown)
	if #unknown > 0 and not j.cancelled then
		say("nodes with these unknown names stay as they are: " .. table.concat(unknown, ", "))
	end
end

local function new_counts()
	return {blocks = 0, changed = 0, nodes = 0, metadata = 0, removed = 0, timers = 0, kept = 0, absent = 0, failed = 0, unknown = {}}
end

-- Puts the blocks from state.at on back.
local function put_blocks(j)
	local state = j.state
	walk(j, state.at, function(r, loaded)
		local counts = state.counts
		if not loaded then
			core.log("warning", ("[trowel_rewind] block %d,%d,%d could not be loaded"):format(r.x, r.y, r.z))
			counts.absent = counts.absent + 1
		elseif not apply.block(j.plan, r, counts, pause, state.pass > 1,
			state.keep and not j.generated[r.at]) then
			return false
		end
		state.at = plan.after(j.plan, r, pause)
		j.doing = ("putting %s back, pass %d: block %d of %d, nodes: %d"):format(j.plan.text, state.pass,
			counts.blocks + counts.absent, j.plan.blocks, counts.nodes)
		keep_progress(j)
	end)
end

-- Puts all blocks back. Meanwhile liquids flow and fires burn into blocks that are finished, so further passes put nodes
-- back that have changed again, until there are none.
local function put_back(j)
	local state = j.state
	while true do
		put_blocks(j)
		if j.cancelled then
			return
		end
		if state.pass == 1 then
			state.done = copy(state.counts)
			state.done.again = 0
		else
			state.done.again = state.done.again + state.counts.nodes
		end
		if state.counts.nodes == 0 or state.pass == passes then
			return
		end
		rest(settling)
		state.at, state.pass, state.counts = j.plan.first, state.pass + 1, new_counts()
	end
end

local function run(j)
	local names = {}
	plan.check(j.plan, pause, function(text)
		names[text] = true
	end)
	j.checked = true
	say("the plan is complete: " .. j.plan.blocks .. " blocks")
	load_blocks(j, names)
	put_back(j)
	if j.cancelled then
		j.plan.file:close()
		os.remove(progress_path)
		say("cancelled: " .. labelled(j.state.done or j.state.counts, "blocks", "nodes") .. "; the other blocks were not changed")
		return
	end
	report(j)
	j.doing = "waiting until the server has saved the last blocks"
	rest(lag)
	remove(j)
end

-- Starts to apply a plan, from the progress of an earlier run or from the beginning.
local function start(p, state)
	save(state)
	job = {plan = p, state = state, run = coroutine.create(run), kind = "check", doing = "checking the plan",
		generated = {}, steps = 0, long = 0, longest = 0}
end

-- Ends a job after an error. A job that has changed something continues when the server starts again.
local function stop(j, why)
	j.plan.file:close()
	if j.state.at == j.plan.first and not j.checked then
		os.remove(progress_path)
		why = why .. ": nothing was changed"
	end
	say("stopped: " .. why)
end

core.register_globalstep(function(dtime)
	clock = clock + dtime
	local j = job
	if not j then
		return
	end
	local began = core.get_us_time()
	local before, slowest = began, {took = 0}
	repeat
		local kind = j.kind or "look"
		local fine, following = coroutine.resume(j.run, j)
		local now = core.get_us_time()
		-- The cost of a piece is the largest one of late, so that a piece begins only if it probably ends in time.
		costs[kind] = math.min(budget, math.max(now - before, 0.9 * (costs[kind] or 0)))
		if now - before >= slowest.took then
			slowest = {took = now - before, kind = kind}
		end
		before = now
		if coroutine.status(j.run) == "dead" then
			job = nil
			if not fine then
				stop(j, tostring(following))
			end
			break
		end
		j.kind = following
	until not following or before - began + (costs[following] or budget / 2) > budget
	local took = before - began
	j.steps = j.steps + 1
	if took > 10000 then
		j.long = j.long + 1
	end
	if took > j.longest then
		j.longest, j.slowest = took, slowest.kind
	end
end)

local function status()
	if job then
		return job.doing
	end
	local p, why = plan.open(path)
	if not p then
		return "there is no plan that can be used: " .. why .. "; `trowel restore REPO --into WORLD --box ... --plan` writes one"
	end
	p.file:close()
	return "the plan for " .. p.text .. " has " .. p.blocks .. " blocks; `/rewind start` puts them back"
end

-- Begins to apply the plan. With keep, nodes stay that were built where air was.
local function begin(keep)
	if job then
		return false, status()
	end
	local p, why = plan.open(path)
	if not p then
		return false, "nothing was changed: " .. why
	end
	start(p, {plan = p.id, at = p.first, pass = 1, keep = keep, counts = new_counts()})
	return true, "checking the plan for " .. p.text
end

local function cancel()
	if not job then
		os.remove(progress_path) -- of a plan that ended with an error
		return false, "nothing is being put back"
	end
	job.cancelled = true
	return true, "it ends after the present block"
end

assert(loadfile(folder .. "/rewind.lua"))({lag = lag, status = status, begin = begin, cancel = cancel, built = apply.built,
	job = function() return job end})

-- A server that was stopped continues.
core.after(0, function()
	local state = read_progress()
	local p = state and plan.open(path)
	if p and p.id == state.plan then
		say("continuing with " .. p.text)
		start(p, state)
	elseif state then
		if p then
			p.file:close()
		end
		os.remove(progress_path)
	end
end)
