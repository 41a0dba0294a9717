package minetestmapper

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

// options holds the values of a command line.
type options struct {
	input, output, colors, backend              string
	background, scale, player, origin           color.NRGBA
	drawScale, drawPlayers, drawOrigin          bool
	alpha, flat, noEmpty, extent, verbose, help bool
	remote                                      bool // not an option of minetestmapper
	scales                                      worlddraw.Edges
	minY, maxY, zoom                            int
	exhaustive                                  string
	geometry                                    geometry
	dump                                        *mapdb.Pos
}

// geometry is a rectangle of blocks in x and z, from the first block (included) to the second (excluded).
type geometry struct{ x0, z0, x1, z1 int }

var everywhere = geometry{mapdb.MinCoord, mapdb.MinCoord, mapdb.MaxCoord + 1, mapdb.MaxCoord + 1}

// exact reports for x and z whether the picture is exactly as large as the geometry instead of only as large as its
// content.
func (g geometry) exact() (x, z bool) {
	return g.x0 > everywhere.x0 && g.x1 < everywhere.x1, g.z0 > everywhere.z0 && g.z1 < everywhere.z1
}

// The options by their long names; "=" marks those with a value.
var names = []string{
	"backend=", "bgcolor=", "colors=", "drawalpha", "draworigin", "drawplayers", "drawscale", "dumpblock=", "exhaustive=", "extent",
	"geometry=", "help", "input=", "max-y=", "min-y=", "noemptyimage", "noshading", "origincolor=", "output=", "playercolor=",
	"remote", "scalecolor=", "scales=", "verbose", "zoom=",
}

var shortNames = map[byte]string{'h': "help", 'i': "input=", 'o': "output=", 'v': "verbose"}

// errUsage is answered with the list of options.
var errUsage = errors.New("usage")

// parse reads a command line as getopt_long does: long names may be abbreviated, values follow after = or as the next
// argument, and arguments that are not options are skipped.
func parse(args []string) (*options, error) {
	rgb := func(v uint32) color.NRGBA { return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }
	o := &options{
		background: rgb(0xffffff), scale: rgb(0), player: rgb(0xff0000), origin: rgb(0xff0000),
		scales: worlddraw.Edges{Top: true, Left: true}, zoom: 1, exhaustive: "auto", geometry: everywhere,
		minY: worlddraw.Everything().Min[1], maxY: worlddraw.Everything().Max[1],
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return o, nil
		case strings.HasPrefix(arg, "--"):
			text, value, has := strings.Cut(arg[2:], "=")
			name, err := find(text)
			if err != nil {
				return nil, err
			}
			takes := strings.HasSuffix(name, "=")
			switch {
			case has && !takes:
				return nil, fmt.Errorf("option --%s accepts no value", name)
			case takes && !has && len(args) == 0:
				return nil, fmt.Errorf("option --%s needs a value", strings.TrimSuffix(name, "="))
			case takes && !has:
				value, args = args[0], args[1:]
			}
			if err := o.set(name, value); err != nil {
				return nil, err
			}
		case len(arg) > 1 && arg[0] == '-':
			for letters := arg[1:]; letters != ""; {
				name, ok := shortNames[letters[0]]
				if !ok {
					return nil, fmt.Errorf("invalid option -- '%c'", letters[0])
				}
				value := letters[1:]
				letters = value
				if strings.HasSuffix(name, "=") {
					if letters = ""; value == "" {
						if len(args) == 0 {
							return nil, fmt.Errorf("option -%c needs a value", name[0])
						}
						value, args = args[0], args[1:]
					}
				}
				if err := o.set(name, value); err != nil {
					return nil, err
				}
			}
		}
	}
	return o, nil
}

// find returns the option with a name, which may be abbreviated.
func find(text string) (string, error) {
	var found []string
	for _, name := range names {
		if strings.TrimSuffix(name, "=") == text {
			return name, nil
		}
		if strings.HasPrefix(name, text) {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("unrecognized option '--%s'", text) // as getopt words it
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("option --%s is ambiguous: --%s", text, strings.ReplaceAll(strings.Join(found, ", --"), "=", ""))
}

func (o *options) set(name, value string) (err error) {
	switch name {
	case "input=":
		o.input = value
	case "output=":
		o.output = value
	case "colors=":
		o.colors = value
	case "backend=":
		o.backend = value
	case "bgcolor=":
		o.background, err = parseColor(value)
	case "scalecolor=":
		o.scale, err = parseColor(value)
	case "playercolor=":
		o.player, err = parseColor(value)
	case "origincolor=":
		o.origin, err = parseColor(value)
	case "drawscale":
		o.drawScale = true
	case "drawplayers":
		o.drawPlayers = true
	case "draworigin":
		o.drawOrigin = true
	case "drawalpha":
		o.alpha = true
	case "noshading":
		o.flat = true
	case "noemptyimage":
		o.noEmpty = true
	case "extent":
		o.extent = true
	case "verbose":
		o.verbose = true
	case "help":
		o.help = true
	case "remote":
		o.remote = true
	case "min-y=":
		o.minY, _ = leading(value)
		o.order()
	case "max-y=":
		o.maxY, _ = leading(value)
		o.order()
	case "zoom=":
		if o.zoom, _ = leading(value); o.zoom < 1 || o.zoom > maxZoom {
			err = fmt.Errorf("--zoom %q: expected a number from 1 to %d", value, maxZoom)
		}
	case "scales=":
		has := func(letter string) bool { return strings.Contains(value, letter) }
		o.scales = worlddraw.Edges{Top: has("t"), Bottom: has("b"), Left: has("l"), Right: has("r")}
	case "exhaustive=":
		if o.exhaustive = value; !slices.Contains([]string{"never", "y", "full"}, value) {
			o.exhaustive = "auto"
		}
	case "geometry=":
		o.geometry, err = parseGeometry(value)
	case "dumpblock=":
		o.dump, err = parseBlock(value)
	}
	return err
}

// maxZoom is the largest scale: a node then fills a whole picture.
const maxZoom = 1024

// order swaps the height limits if they are in the wrong order.
func (o *options) order() {
	if o.minY > o.maxY {
		o.minY, o.maxY = o.maxY, o.minY
	}
}

func parseColor(s string) (color.NRGBA, error) {
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil || len(s) != 7 || s[0] != '#' {
		return color.NRGBA{}, fmt.Errorf("colour %q: expected a colour such as #ff0000", s)
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}, nil
}

// leading returns the number at the start of a text, or 0, and the rest. Numbers outside the range of a world are
// limited to that range.
func leading(s string) (n int, rest string) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	end := 0
	for end < len(s) && ('0' <= s[end] && s[end] <= '9' || end == 0 && (s[0] == '-' || s[0] == '+')) {
		end++
	}
	v, err := strconv.ParseInt(s[:end], 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, s
	}
	const most = 1 << 20
	return int(max(-most, min(most, v))), s[end:]
}

// parseNumbers reads numbers with one of the separators after each but the last. The separator + is also the sign of
// the next number.
func parseNumbers(s, separators string) (numbers []int, ok bool) {
	for i := 0; ; i++ {
		before := s
		n, rest := leading(s)
		if rest == strings.TrimLeft(before, " \t\n\v\f\r") {
			return nil, false
		}
		numbers = append(numbers, n)
		if i == len(separators) {
			return numbers, true
		}
		s = strings.TrimLeft(rest, " ")
		switch {
		case separators[i] == '+': // the sign belongs to the next number
		case s != "" && s[0] == separators[i]:
			s = s[1:]
		default:
			return nil, false
		}
	}
}

func parseGeometry(s string) (geometry, error) {
	n, ok := parseNumbers(s, ":++")
	if !ok || n[2] < 1 || n[3] < 1 {
		return geometry{}, errUsage
	}
	return geometry{away(n[0]), away(n[1]), away(n[0] + n[2]), away(n[1] + n[3])}, nil
}

// away returns the block that contains a node coordinate, rounded away from 0 inside a block.
func away(n int) int {
	if n < 0 {
		return -((15 - n) / 16)
	}
	return (n + 15) / 16
}

func parseBlock(s string) (*mapdb.Pos, error) {
	n, ok := parseNumbers(s, ",,")
	if !ok {
		return nil, errUsage
	}
	for i := range n {
		n[i] = max(-1<<15, min(1<<15-1, n[i]))
	}
	return &mapdb.Pos{X: int16(n[0]), Y: int16(n[1]), Z: int16(n[2])}, nil
}
