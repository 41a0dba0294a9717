package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/mapedit"
)

var (
	argEnvelope = format.Option{Name: "envelope", Names: mapquery.KindEnvelope,
		Help: "the name of an envelope, with * and ?, or its number"}
	argEnvelopes     = format.Option{Name: "envelope", Names: mapquery.KindEnvelope, List: true, Help: argEnvelope.Help + " (default: all)"}
	argSomeEnvelopes = format.Option{Name: "envelope", Names: mapquery.KindEnvelope, List: true, Some: true, Help: argEnvelope.Help}
	argPoint         = format.Option{Name: "point", Type: format.Integer, Help: "the number of the point, from 0"}
	argPoints        = format.Option{Name: "point", Type: format.Integer, List: true, Some: true, Help: argPoint.Help}

	optionValues = format.Option{Name: "values",
		Help: "`numbers` separated by commas: x,y,rotation in pixels and degrees; r,g,b,a or volume, each from 0 to 1"}
	optionCurve = format.Option{Name: "curve", Choices: []string{"step", "linear", "slow", "fast", "smooth", "bezier"},
		Help: "the curve to the next point"}
	optionNewCurve = func(o format.Option) format.Option { o.Default = "linear"; return o }(optionCurve)
)

var envelopeOperations = []operation{
	onMap(format.Command{Name: "add-envelope", Title: "Add an envelope, and points that give it an effect", Heading: headingEnvelopes,
		Args: opts{{Name: "kind", Choices: []string{"position", "color", "sound"}, Help: "what the envelope changes"}, argName},
		Options: opts{
			{Name: "point", List: true, Help: "`milliseconds:values`, in order of time, such as 1000:0,-32,0"},
			optionNewCurve,
			{Name: "synchronized", Bool: true, Help: "use the server's clock"},
		},
		Example: "add-envelope position swing --point 0:0,0,0 --point 2000:64,0,0 --point 4000:0,0,0"}, mapops.AddEnvelope),
	onMap(format.Command{Name: "paste-envelopes", Heading: headingEnvelopes,
		Title: "Add envelopes of another map; those that the map has, with the same name, are not added again",
		Args: opts{argMap, {Name: "envelope", List: true,
			Help: "the name of an envelope of the other map, with * and ?, or its number (default: all)"}},
		Example: "paste-envelopes other.map swing fade"}, mapops.PasteEnvelopes),
	onParts(format.Command{Name: "remove-envelopes", Heading: headingEnvelopes,
		Title: "Remove envelopes; quads, layers and sources that used them no longer change",
		Args:  opts{argSomeEnvelopes}, Example: "remove-envelopes swing"},
		func(e *editor, list []int, _ mapops.EnvelopeArgs) error { return e.RemoveEnvelopes(list) }),
	plain(format.Command{Name: "remove-unused-envelopes", Title: "Remove the envelopes that nothing uses", Heading: headingEnvelopes,
		Example: "remove-unused-envelopes"}, (*mapedit.Editor).RemoveUnusedEnvelopes),
	onPart(format.Command{Name: "rename-envelope", Title: "Rename an envelope, with up to 31 bytes", Heading: headingEnvelopes,
		Args: opts{argEnvelope, argName}, Example: "rename-envelope 3 swing"},
		func(e *editor, i int, o mapops.EnvelopeName) error { return e.RenameEnvelope(i, o.Name) }),
	onPart(format.Command{Name: "move-envelope", Title: "Move an envelope in the list, and keep its uses", Heading: headingEnvelopes,
		Args: opts{argEnvelope, argTo}, Example: "move-envelope swing 0"},
		func(e *editor, i int, o mapops.EnvelopeMove) error { return e.MoveEnvelope(i, o.To) }),
	onPart(format.Command{Name: "duplicate-envelope", Title: "Add a copy of an envelope at the end", Heading: headingEnvelopes,
		Args: opts{argEnvelope, argName}, Example: "duplicate-envelope swing swing2"},
		func(e *editor, i int, o mapops.EnvelopeName) error { return e.DuplicateEnvelope(i, o.Name) }),
	onParts(format.Command{Name: "synchronize-envelopes", Title: "Let envelopes use the server's clock", Heading: headingEnvelopes,
		Args: opts{argEnvelopes}, Options: opts{{Name: "off", Bool: true, Help: "use the clock of each player instead"}},
		Example: "synchronize-envelopes swing"},
		func(e *editor, list []int, o mapops.EnvelopeClock) error {
			return e.SetEnvelopeClocks(list, o.Clock())
		}),
	onPart(format.Command{Name: "add-point", Heading: headingEnvelopes,
		Title:   "Add a point to an envelope; without values it does not change the curve at that time",
		Args:    opts{argEnvelope, {Name: "time", Type: format.Integer, Help: "in milliseconds"}},
		Options: opts{optionValues, optionNewCurve}, Example: "add-point swing 1500 --values 32,0,90"}, mapops.AddPoint),
	onPart(format.Command{Name: "remove-points", Title: "Remove points of an envelope", Heading: headingEnvelopes,
		Args: opts{argEnvelope, argPoints}, Example: "remove-points swing 1 2"},
		func(e *editor, i int, o mapops.PointArgs) error { return e.RemovePoints(i, o.Points) }),
	onPart(format.Command{Name: "set-point", Title: "Change a point of an envelope", Heading: headingEnvelopes,
		Args: opts{argEnvelope, argPoint},
		Options: opts{
			{Name: "time", Type: format.Integer, Help: "in `milliseconds`"}, optionValues, optionCurve,
			{Name: "in", Help: "handles of a bezier curve before the point: `ms,value` for each value, separated by spaces"},
			{Name: "out", Help: "handles of a bezier curve after the point: `ms,value` for each value, separated by spaces"},
		},
		Example: "set-point swing 1 --time 1800 --curve smooth"}, mapops.SetPoint),
}
