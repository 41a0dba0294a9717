package twmap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
)

// mapCommands are the commands that DDNet's server runs for a map (each was tried with version 16.4).
var mapCommands = []string{
	"mapbug", "switch_open", "toggle_tune", "tune", "tune_zone", "tune_zone_enter", "tune_zone_leave",
	"sv_deepfly", "sv_destroy_bullets_on_death", "sv_destroy_lasers_on_death", "sv_dragger_range", "sv_endless_drag",
	"sv_freeze_delay", "sv_hit", "sv_max_team_size", "sv_min_team_size", "sv_no_weak_hook_and_bounce", "sv_old_laser",
	"sv_old_teleport_hook", "sv_old_teleport_weapons", "sv_pauseable", "sv_plasma_per_sec", "sv_plasma_range",
	"sv_reset_pickups", "sv_save_worse_scores", "sv_show_others_default", "sv_solo_server", "sv_team",
	"sv_teleport_hold_hook", "sv_teleport_lose_weapons",
}

// refusedCommands are commands that map makers may try, which the server has but does not run for a map.
var refusedCommands = []string{
	"add_map_votes", "add_vote", "broadcast", "change_map", "clear_votes", "echo", "exec", "password", "remove_vote", "say",
	"tune_dump", "tune_reset", "tune_zone_dump", "tune_zone_reset",
	"sv_chat_delay", "sv_ddrace_rules", "sv_ddrace_tune_reset", "sv_default_timer_type", "sv_emoticon_delay", "sv_emotional_tees",
	"sv_endless_super_hook", "sv_eye_emote_change_delay", "sv_gametype", "sv_hide_score", "sv_inactivekick", "sv_inactivekick_time",
	"sv_info_change_delay", "sv_invite", "sv_join_vote_delay", "sv_kill_delay", "sv_kill_protection", "sv_map", "sv_map_vote",
	"sv_max_afk_time", "sv_max_clients", "sv_motd", "sv_name", "sv_nameless_score", "sv_pause_frequency", "sv_pause_messages",
	"sv_powerups", "sv_practice", "sv_rejoin_team_0", "sv_rescue", "sv_rescue_delay", "sv_reset_file", "sv_rules_line1",
	"sv_rules_line2", "sv_rules_line3", "sv_rules_line4", "sv_rules_line5", "sv_rules_line6", "sv_rules_line7", "sv_rules_line8",
	"sv_rules_line9", "sv_rules_line10", "sv_savegames", "sv_shotgun_bullet_sound", "sv_show_all_default", "sv_show_others",
	"sv_slash_me", "sv_spectator_slots", "sv_suicide_penalty", "sv_swap", "sv_team_change_delay", "sv_test_cmds", "sv_tune_reset",
	"sv_vote_delay", "sv_vote_kick", "sv_vote_pause", "sv_vote_spectate", "sv_vote_time", "sv_warmup", "sv_welcome",
}

// tunings are the parameters that the commands tune, tune_zone and toggle_tune change.
var tunings = []string{
	"ground_control_speed", "ground_control_accel", "ground_friction", "ground_jump_impulse", "air_jump_impulse",
	"air_control_speed", "air_control_accel", "air_friction", "hook_length", "hook_fire_speed", "hook_drag_accel",
	"hook_drag_speed", "gravity", "velramp_start", "velramp_range", "velramp_curvature", "gun_curvature", "gun_speed",
	"gun_lifetime", "shotgun_curvature", "shotgun_speed", "shotgun_speeddiff", "shotgun_lifetime", "grenade_curvature",
	"grenade_speed", "grenade_lifetime", "laser_reach", "laser_bounce_delay", "laser_bounce_num", "laser_bounce_cost",
	"laser_damage", "player_collision", "player_hooking", "jetpack_strength", "shotgun_strength", "explosion_strength",
	"hammer_strength", "hook_duration", "hammer_fire_delay", "gun_fire_delay", "shotgun_fire_delay", "grenade_fire_delay",
	"laser_fire_delay", "ninja_fire_delay", "hammer_hit_fire_delay",
}

// maxSetting is the size of the longest setting that the editor has room for, in bytes.
const maxSetting = 255

// maxReportedSettings limits the number of reported settings. Beyond that the text is probably not settings.
const maxReportedSettings = 50

// checkSettings checks the lines as the server would read them. It reports the same problem once.
func checkSettings(sink check.Sink, settings []string) {
	reported := make(map[string]bool)
	var other, others spots // the lines for other servers, and their commands
	for i, line := range settings {
		part := &Part{Kind: PartSetting, Number: i, Name: line[:min(len(line), maxSetting)]}
		if len(reported) >= maxReportedSettings {
			sink.AddAt(foundSettingUnknown, part.at(), part.Path(), -1, "the rest of the settings was not looked at: too many are not")
			break
		}
		if len(line) > maxSetting {
			sink.AddAt(foundSettingLong, part.at(), part.Path(), -1, "the setting has %s: expected at most %d",
				words.Count(len(line), "byte"), maxSetting)
		}
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' || reported[words[0]] {
			continue
		}
		command := strings.ToLower(words[0])
		near := nearest(command, mapCommands, 2)
		switch {
		case slices.Contains(mapCommands, command):
			checkTuning(sink, part, command, words, reported)
		case slices.Contains(refusedCommands, command):
			reported[words[0]] = true
			sink.AddAt(foundSettingRefused, part.at(), part.Path(), -1, "the server does not let a map run %q", words[0])
		case near == "" && strings.Contains(command, "_"):
			if other.add(part.Whole()); !slices.Contains(others.named, words[0]) {
				others.addAs(part.Whole(), func() string { return words[0] })
			}
		default:
			reported[words[0]] = true
			sink.AddAt(foundSettingUnknown, part.at(), part.Path(), -1, "%q is not a setting%s", words[0], didYouMean(command, mapCommands))
		}
	}
	if other.n > 0 {
		sink.AddAt(foundSettingOther, other.at(), "info.settings", -1,
			"%s that DDNet does not have, as other servers do: %s", other.of("setting"), &others)
	}
}

// checkTuning checks the parameter that a command tunes.
func checkTuning(sink check.Sink, part *Part, command string, words []string, reported map[string]bool) {
	at := 1
	switch command {
	case "tune_zone":
		at = 2
	case "tune", "toggle_tune":
	default:
		return
	}
	if len(words) > at && !reported[words[at]] && !slices.Contains(tunings, strings.ToLower(words[at])) {
		reported[words[at]] = true
		sink.AddAt(foundSettingUnknown, part.at(), part.Path(), -1, "%q cannot be tuned%s", words[at], didYouMean(words[at], tunings))
	}
}

// tunedZones returns the zones that settings define.
func tunedZones(settings []string) map[int]bool {
	zones := make(map[int]bool)
	for _, line := range settings {
		if words := strings.Fields(line); len(words) > 1 && strings.HasPrefix(words[0], "tune_zone") {
			if zone, err := strconv.Atoi(words[1]); err == nil {
				zones[zone] = true
			}
		}
	}
	return zones
}

// didYouMean returns a hint with the known word that is most similar to word, or "" if none is similar.
func didYouMean(word string, known []string) string {
	best := nearest(word, known, max(len(word)/3, 1))
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// nearest returns the known word with the smallest edit distance from word, or "" if no distance is at most most.
func nearest(word string, known []string, most int) string {
	best, least := "", most+1
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance returns the edit distance of a and b: the number of letters to insert, delete or replace.
func distance(a, b string) int {
	if len(a) > 64 { // no command is similar
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
