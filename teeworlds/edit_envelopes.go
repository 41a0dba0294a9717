package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
)

var envelopeOperations = []*format.Command{
	onMap(format.Command{Name: "add-envelope", Title: "Add an envelope, and points that give it an effect", Heading: headingEnvelopes,
		Example: "add-envelope position swing --point 0:0,0,0 --point 2000:64,0,0 --point 4000:0,0,0"}, mapops.AddEnvelope),
	onMap(format.Command{Name: "paste-envelopes", Heading: headingEnvelopes,
		Title:   "Add envelopes of another map; those that the map has, with the same name, are not added again",
		Example: "paste-envelopes other.map swing fade"}, mapops.PasteEnvelopes),
	onParts(format.Command{Name: "remove-envelopes", Heading: headingEnvelopes,
		Title:   "Remove envelopes; quads, layers and sources that used them no longer change",
		Example: "remove-envelopes swing"},
		func(e *editor, list []int, _ mapops.SomeEnvelopes) error { return e.RemoveEnvelopes(list) }),
	onPart(format.Command{Name: "rename-envelope", Title: "Rename an envelope, with up to 31 bytes", Heading: headingEnvelopes,
		Example: "rename-envelope 3 swing"},
		func(e *editor, i int, o mapops.EnvelopeName) error { return e.RenameEnvelope(i, o.Name) }),
	onPart(format.Command{Name: "move-envelope", Title: "Move an envelope in the list, and keep its uses", Heading: headingEnvelopes,
		Example: "move-envelope swing 0"},
		func(e *editor, i int, o mapops.EnvelopeMove) error { return e.MoveEnvelope(i, o.To) }),
	onPart(format.Command{Name: "duplicate-envelope", Title: "Add a copy of an envelope at the end", Heading: headingEnvelopes,
		Example: "duplicate-envelope swing swing2"},
		func(e *editor, i int, o mapops.EnvelopeName) error { return e.DuplicateEnvelope(i, o.Name) }),
	onParts(format.Command{Name: "synchronize-envelopes", Title: "Let envelopes use the server's clock", Heading: headingEnvelopes,
		Example: "synchronize-envelopes swing"},
		func(e *editor, list []int, o mapops.EnvelopeClock) error {
			return e.SetEnvelopeClocks(list, o.Clock())
		}),
	onPart(format.Command{Name: "add-point", Heading: headingEnvelopes,
		Title:   "Add a point to an envelope; without values it does not change the curve at that time",
		Example: "add-point swing 1500 --values 32,0,90"}, mapops.AddPoint),
	onPart(format.Command{Name: "remove-points", Title: "Remove points of an envelope", Heading: headingEnvelopes,
		Example: "remove-points swing 1 2"},
		func(e *editor, i int, o mapops.PointArgs) error { return e.RemovePoints(i, o.Points) }),
	onPart(format.Command{Name: "set-point", Title: "Change a point of an envelope", Heading: headingEnvelopes,
		Example: "set-point swing 1 --time 1800 --curve smooth"}, mapops.SetPoint),
}
