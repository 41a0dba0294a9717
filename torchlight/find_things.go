package torchlight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/internal/text/glob"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// thingQueries are the queries of things that data files define: those of the tables.
var thingQueries = []*format.Command{
	thingQuery("item", modedit.Items, "Items", leveledFields.fields, "UNITTYPE", "LEVEL", "RARITY"),
	thingQuery("skill", modedit.Skills, "Skills", thingFields.fields, "ACTIVATION_TYPE", "LEVEL_REQUIRED", "MAX_INVEST_LEVEL"),
	thingQuery("unit", modedit.Units, "Monsters and other units", leveledFields.fields, "UNITTYPE", "MINLEVEL", "MAXLEVEL"),
	thingQuery("affix", modedit.Affixes, "Affixes", thingFields.fields, "UNITTYPES", "MIN_SPAWN_RANGE", "MAX_SPAWN_RANGE"),
}

// thingFields are the fields of the queries of things.
type thingFields struct {
	Name string `arg:"name" default:"*" help:"NAME or DISPLAYNAME, with * and ?, ignoring case"`
	conditionFields
	baseFields
}

func (o thingFields) fields() leveledFields { return leveledFields{thingFields: o} }

// leveledFields are those of things with values by level.
type leveledFields struct {
	thingFields
	levelFields
}

func (o leveledFields) fields() leveledFields { return o }

// thingQuery returns the query of a table. The facts of a thing are its names, the given keys and its values at a level; all other keys
// are further facts.
func thingQuery[T any](name string, table modedit.Table, title string, fields func(T) leveledFields, keys ...string) *format.Command {
	keys = append([]string{"NAME", "DISPLAYNAME"}, keys...)
	return query(format.Command{
		Name: name, Heading: "Things", Title: title + " with their values, also those of their BASEFILE", Lists: title,
		Long:    "A condition of --where applies to these values, such as 'DAMAGE>60'. With --json, each has all of its values.",
		Example: name + " '*' --where 'NAME=*wolf*'",
	}, func(ctx context.Context, e *modedit.Editor, own T, hit func(format.Hit) error) error {
		o := fields(own)
		match, err := modedit.Match(o.Where)
		if err != nil {
			return err
		}
		icons, err := modinfo.NewIcons(ctx, e)
		if err != nil {
			return err
		}
		at := o.at()
		if o.Level > 0 {
			if at.Graphs = modinfo.Graphs(e); len(at.Graphs) == 0 && e.Warn != nil {
				e.Warn("", "no graph of levels is in the files (give the game's own files with --"+optionBase.Name+")")
			}
		}
		named := glob.Folded(o.Name)
		missing, err := modinfo.Things(ctx, e, table, func(t modinfo.Thing) error {
			if !named(t.Get("NAME")) && !named(t.Get("DISPLAYNAME")) || !match(t.Node()) {
				return nil
			}
			h := thingHit(t, keys, icons)
			h.Fields = append(h.Fields, at.Facts(t.Chain, table == modedit.Items)...)
			return hit(h)
		})
		warnMissingBases(e, missing)
		return err
	})
}

// baseFields is the option for the game's own files.
type baseFields struct {
	Base string `option:"base"`
}

// Describe describes the option.
func (baseFields) Describe(o *format.Option) { o.As(optionEditBase) }

// warnMissingBases warns that values of base files are missing.
func warnMissingBases(e *modedit.Editor, missing []string) {
	if len(missing) > 0 && e.Warn != nil {
		e.Warn("", fmt.Sprintf("%s missing on which other files are based, such as %s (give the game's own files with --%s)",
			words.Count(len(missing), "file"), missing[0], optionBase.Name))
	}
}

// thingHit returns the hit of a thing.
func thingHit(t modinfo.Thing, keys []string, icons *modinfo.Icons) format.Hit {
	h := format.Hit{Path: t.File}
	first := make(map[uint32]bool)
	for _, key := range keys {
		first[hash.Of(key)] = true
		h.Fields = append(h.Fields, format.Fact(key, "", t.Get(key)))
	}
	for _, v := range t.Values() {
		if key := hash.Of(v.Key); !first[key] {
			first[key] = true // affixes are one fact
			h.More = append(h.More, format.Fact(strings.ToUpper(v.Key), "", t.Get(v.Key)))
		}
	}
	if icon, has := icons.Find(cmp.Or(t.Get("ICON"), t.Get("SKILL_ICON"))); has {
		r := icon.Rect
		h.Icon = format.Icon{Path: icon.File, Rect: format.Rect{Min: [2]float64{float64(r.Min.X), float64(r.Min.Y)},
			Max: [2]float64{float64(r.Max.X), float64(r.Max.Y)}}}
	}
	return h
}

var queryEffective = query(format.Command{
	Name: "effective", Heading: "Keys and values", Title: "All keys of a data file with their values, also those of its BASEFILE",
	Long:  "Each key is listed with the file that contains it: the file itself, or one of its base files, the nearest first.",
	About: true, Example: "effective MEDIA/UNITS/ITEMS/RINGS/RING.DAT",
}, func(_ context.Context, e *modedit.Editor, o struct {
	Path string `arg:"path" names:"file" help:"the path of a data file in the game"`
	baseFields
}, hit func(format.Hit) error) error {
	t, err := modinfo.ThingIn(e, moddir.GamePath(o.Path))
	if err != nil {
		return err
	}
	for _, v := range t.Values() {
		from := t.Links[v.Link]
		err := hit(format.Hit{Path: from.File, At: text.Place{Node: from.Root.Name + "." + v.Key}, Fields: []format.InfoField{
			format.Fact("key", "", v.Key), format.Fact("type", "", v.Type.String()), format.Fact("value", "", v.Property.Value)}})
		if err != nil {
			return err
		}
	}
	switch {
	case t.Err == nil:
	case errors.Is(t.Err, inherit.ErrLoop):
		e.Miss(t.File, t.Err.Error())
	case errors.Is(t.Err, fs.ErrNotExist):
		warnMissingBases(e, []string{t.Missing})
	default:
		e.Miss(t.Missing, fmt.Sprintf("cannot be read: %v", t.Err))
	}
	return nil
})
