-- Counts how often somebody has come, in the storage of the mod.
local storage = minetest.get_mod_storage()

minetest.register_on_newplayer(function(player)
	player:set_pos({x = 8, y = 2, z = 8})
end)

minetest.register_on_joinplayer(function(player)
	local visits = storage:get_int("visits") + 1
	storage:set_int("visits", visits)
	minetest.chat_send_player(player:get_player_name(), "Visits to the hollow: " .. visits)
end)
