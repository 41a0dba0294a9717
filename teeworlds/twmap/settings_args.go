package twmap

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/internal/text/words"
)

// param is an argument that a command needs.
type param struct {
	name     string
	kind     paramKind
	min, max float64  // of a number
	clamped  bool     // the server replaces a number outside of the range by the nearest one inside; otherwise it ignores the command
	words    []string // the words that it can be; nil: any
	bad      string   // follows a word that it cannot be, in messages
}

type paramKind int

const (
	paramWord paramKind = iota
	paramRest           // the rest of the command
	paramInteger
	paramNumber
)

// tunings are the parameters that the commands tune, tune_zone and toggle_tune change.
var tunings = []string{
	"ground_control_speed", "ground_control_accel", "ground_friction", "ground_jump_impulse", "air_jump_impulse",
	"air_control_speed", "air_control_accel", "air_friction", "hook_length", "hook_fire_speed", "hook_drag_accel",
	"hook_drag_speed", "gravity", "velramp_start", "velramp_range", "velramp_curvature", "gun_curvature", "gun_speed",
	"gun_lifetime", "shotgun_curvature", "shotgun_speed", "shotgun_speeddiff", "shotgun_lifetime", "grenade_curvature",
	"grenade_speed", "grenade_lifetime", "laser_reach", "laser_bounce_delay", "laser_bounce_num", "laser_bounce_cost",
	"laser_damage", "player_collision", "player_hooking", "jetpack_strength", "shotgun_strength", "explosion_strength",
	"hammer_strength", "hook_duration", "hammer_fire_delay", "gun_fire_delay", "shotgun_fire_delay", "grenade_fire_delay",
	"laser_fire_delay", "ninja_fire_delay", "hammer_hit_fire_delay", "ground_elasticity_x", "ground_elasticity_y",
	"ninja_duration", "ninja_movetime", "ninja_velocity",
}

var (
	tuning  = param{name: "parameter", words: tunings, bad: "cannot be tuned"}
	tuned   = param{name: "value", kind: paramNumber, min: math.MinInt32 / 100, max: math.MaxInt32 / 100} // kept as hundredths
	zone    = param{name: "zone", kind: paramInteger, max: 255}
	message = param{name: "message", kind: paramRest}
)

// value returns the argument of a variable.
func value(least, most float64) []param {
	return []param{{name: "value", kind: paramInteger, min: least, max: most, clamped: true}}
}

// mapCommands are the commands that DDNet's server runs for a map, with their arguments. Most were tried with version
// 16.4; later versions renamed sv_no_weak_hook_and_bounce to sv_no_weak_hook.
var mapCommands = map[string][]param{
	"mapbug":          {{name: "bug", words: []string{"grenade-doubleexplosion@ddnet.tw"}, bad: "is not a bug that the server knows"}},
	"switch_open":     {{name: "switch", kind: paramInteger, min: 1, max: 255}},
	"toggle_tune":     {tuning, tuned, tuned},
	"tune":            {tuning, tuned},
	"tune_zone":       {zone, tuning, tuned},
	"tune_zone_enter": {zone, message},
	"tune_zone_leave": {zone, message},

	"sv_deepfly":                  value(0, 1),
	"sv_destroy_bullets_on_death": value(0, 1),
	"sv_destroy_lasers_on_death":  value(0, 1),
	"sv_dragger_range":            value(1, 99999),
	"sv_endless_drag":             value(0, 1),
	"sv_freeze_delay":             value(1, 30),
	"sv_hit":                      value(0, 1),
	"sv_max_team_size":            value(1, 128), // 64 in old versions
	"sv_min_team_size":            value(1, 128),
	"sv_no_weak_hook":             value(0, 1),
	"sv_no_weak_hook_and_bounce":  value(0, 1),
	"sv_old_laser":                value(0, 1),
	"sv_old_teleport_hook":        value(0, 1),
	"sv_old_teleport_weapons":     value(0, 1),
	"sv_pauseable":                value(0, 1),
	"sv_plasma_per_sec":           value(0, 50),
	"sv_plasma_range":             value(1, 99999),
	"sv_reset_pickups":            value(0, 1),
	"sv_save_worse_scores":        value(0, 1),
	"sv_show_others_default":      value(0, 2),
	"sv_solo_server":              value(0, 1),
	"sv_team":                     value(0, 3),
	"sv_teleport_hold_hook":       value(0, 1),
	"sv_teleport_lose_weapons":    value(0, 1),
}

var mapCommandNames = slices.Sorted(maps.Keys(mapCommands))

// arguments checks the arguments of a command, up to the first wrong one.
func (c *settingsCheck) arguments(command string, params []param, rest string) {
	for _, p := range params {
		if strings.TrimLeft(rest, " \t") == "" {
			if key := command + " without " + p.name; !c.reported[key] {
				c.reported[key] = true
				c.find(foundSettingArguments, "%s has no %s: the server ignores the command", command, p.name)
			}
			return
		}
		if p.kind == paramRest {
			return
		}
		var word string
		word, rest = cutArgument(rest)
		if p.kind == paramWord {
			if !c.reported[word] && p.words != nil && !slices.Contains(p.words, strings.ToLower(word)) {
				c.reported[word] = true
				c.find(foundSettingUnknown, "%q %s%s", word, p.bad, words.DidYouMean(word, p.words, max(len(word)/3, 1)))
				return
			}
			continue
		}
		if fault := p.fault(word); fault != "" {
			if key := command + " " + word; !c.reported[key] {
				c.reported[key] = true
				c.find(foundSettingValue, "%s with the %s %s: %s", command, p.name, word, fault)
			}
			return
		}
	}
}

// fault describes why the argument cannot be the word, and what the server does; "" if it can.
func (p *param) fault(word string) string {
	expected := fmt.Sprintf("expected a number from %.0f to %.0f", p.min, p.max)
	n, err := strconv.ParseFloat(word, 64)
	if p.kind == paramInteger {
		var whole int64
		whole, err = strconv.ParseInt(word, 10, 64) // the nearest one, if it is out of range
		n = float64(whole)
	}
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(n):
		if p.kind == paramInteger {
			expected = strings.Replace(expected, "a number", "a whole number", 1)
		}
		return expected + ": the server ignores the command, or reads another number"
	case n >= p.min && n <= p.max:
		return ""
	case p.clamped:
		return fmt.Sprintf("%s: the server uses %.0f", expected, min(max(n, p.min), p.max))
	case p.kind == paramNumber:
		return expected + ": the server stores another number"
	}
	return expected + ": the server ignores the command"
}

// splitCommands returns the commands of a setting as the server's console splits it: at semicolons outside of quotes,
// without the comment that # begins.
func splitCommands(line string) (commands []string) {
	quoted := false
	from, end := 0, len(line)
	for i := 0; i < end; i++ {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == '\\' && i+1 < end && line[i+1] == '"':
			i++
		case !quoted && line[i] == ';':
			commands = append(commands, line[from:i])
			from = i + 1
		case !quoted && line[i] == '#':
			end = i
		}
	}
	commands = append(commands, line[from:end])
	return slices.DeleteFunc(commands, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// cutArgument returns the first argument of a text, without quotes, and the rest after it.
func cutArgument(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(text, `"`) {
		if end := strings.IndexAny(text, " \t\r\n"); end >= 0 {
			return text[:end], text[end:]
		}
		return text, ""
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:]
		case text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), ""
}

// numberedSettings calls yield for each command that is about a number of a series, such as tune_zone 3.
func numberedSettings(settings []string, numbers Numbers, yield func(setting, number int)) {
	for i, line := range settings {
		for _, command := range splitCommands(line) {
			if n, _, _, ok := numbers.Setting(command); ok {
				yield(i, int(n))
			}
		}
	}
}
