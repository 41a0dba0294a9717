package twmap

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"trowel.example/check"
	"trowel.example/internal/text/words"
)

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

// maxSetting is the size of the longest setting that the editor has room for, in bytes.
const maxSetting = 255

// maxReportedSettings limits the number of reported settings. Beyond that the text is probably not settings.
const maxReportedSettings = 50

// settingsCheck checks settings, and reports the same problem once.
type settingsCheck struct {
	sink          check.Sink
	profile       *Profile
	part          *Part // the current line
	reported      map[string]bool
	other, others spots // the commands of other servers, and their names
}

// checkSettings checks the lines as the server would read them.
func checkSettings(sink check.Sink, profile *Profile, settings []string) {
	c := settingsCheck{sink: sink, profile: profile, reported: make(map[string]bool)}
	for i, line := range settings {
		c.part = &Part{Kind: PartSetting, Number: i, Name: line[:min(len(line), maxSetting)]}
		if len(c.reported) >= maxReportedSettings {
			c.find(foundSettingUnknown, "the remaining settings were not checked, because too many lines are not settings")
			break
		}
		if len(line) > maxSetting {
			c.find(foundSettingLong, "the setting has %s: expected at most %d", words.Count(len(line), "byte"), maxSetting)
		}
		for _, command := range splitCommands(line) {
			c.command(command)
		}
	}
	if c.other.n > 0 {
		sink.AddAt(foundSettingOther, c.other.at(), "info.settings", -1,
			"%s that DDNet does not have, as other servers do: %s", c.other.of("setting"), &c.others)
	}
}

func (c *settingsCheck) find(kind *check.Kind, format string, args ...any) {
	c.sink.AddAt(kind, c.part.at(), c.part.Path(), -1, format, args...)
}

// command checks a command and its arguments.
func (c *settingsCheck) command(text string) {
	written, rest := cutArgument(text)
	if c.reported[written] {
		return
	}
	name := strings.ToLower(written)
	if c.profile.hasSetting(name) {
		return
	}
	if params, ok := mapCommands[name]; ok {
		c.arguments(written, params, rest)
		return
	}
	switch {
	case slices.Contains(refusedCommands, name):
		c.reported[written] = true
		c.find(foundSettingRefused, "the server does not let a map run %q", written)
	case words.Nearest(name, mapCommandNames, 2) == "" && strings.Contains(name, "_"):
		if c.other.add(c.part.Whole()); !slices.Contains(c.others.named, written) {
			c.others.addAs(c.part.Whole(), func() string { return written })
		}
	default:
		c.reported[written] = true
		c.find(foundSettingUnknown, "%q is not a setting%s", written, words.DidYouMean(name, mapCommandNames, max(len(name)/3, 1)))
	}
}

// UnknownCommands returns the names of the commands of a setting that neither DDNet's server nor one with a profile has, in
// lower case.
func UnknownCommands(line string) (names []string) {
	for _, command := range splitCommands(line) {
		written, _ := cutArgument(command)
		name := strings.ToLower(written)
		_, known := mapCommands[name]
		if name != "" && !known && !slices.Contains(refusedCommands, name) && !profileSettings()[name] {
			names = append(names, name)
		}
	}
	return names
}

// CommandNames returns the names of the commands that DDNet's server runs for a map, sorted.
func CommandNames() []string { return slices.Clone(mapCommandNames) }

// profileSettings returns the settings of all profiles.
var profileSettings = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for _, name := range Profiles() {
		if p, err := ProfileNamed(name); err == nil {
			maps.Copy(all, p.settings)
		}
	}
	return all
})
