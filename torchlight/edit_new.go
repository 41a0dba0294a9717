package torchlight

import (
	"errors"

	"trowel.example/internal/format"
	"trowel.example/torchlight/modedit"
)

// newItemFields are the fields of new-item.
type newItemFields struct {
	Name string   `arg:"name" help:"the NAME of the item, such as FROST_RING, or the path of its file"`
	Like string   `option:"like" help:"the {item} from which it inherits everything: its NAME, or the name or path of its file"`
	Set  []string `option:"set"`
	Expr []string `option:"expr"`
}

// Describe describes the options.
func (newItemFields) Describe(o *format.Option) {
	o.Explain("set", "set `KEY=TEXT`, such as 'DISPLAYNAME=Ring of Frost'")
	o.Explain("expr", "calculate `KEY=EXPRESSION` from the values of the other item, such as LEVEL=LEVEL+2")
}

// newSetFields are the fields of new-set.
type newSetFields struct {
	Name    string   `arg:"name" help:"the NAME of the set, such as FROST_SET"`
	Members []string `arg:"member,required" help:"items of the mod, given as for new-item --like"`
	Title   string   `option:"title" help:"its {name} for players (default: made from NAME)"`
	Bonus   []string `option:"bonus"`
}

// Describe describes the options.
func (newSetFields) Describe(o *format.Option) {
	o.Explain("bonus", "`COUNT=AFFIX`: the affix for that number of worn items, such as 2=FROST_BONUS")
	if o.Name == "bonus" {
		o.Parse = func(value string) error { _, err := modedit.ParseSetBonus(value); return err }
	}
}

// newCommands are the operations that add things to a mod.
var newCommands = []*format.Command{
	operation(format.Command{Name: "new-item", Title: "Add an item like another one", Heading: "Files", Adds: "item",
		Long: "The new item inherits everything from the other item, of the mod or with --base of the game, through BASEFILE: the mesh, the " +
			"icon, the affixes. It has its own NAME, GUID and DISPLAYNAME, which is made from NAME, and the values of --set and --expr. " +
			"It is the same as clone --derive for one item, which is found by its name.",
		Example: "new-item FROST_RING --like EMBER_RING --set 'DISPLAYNAME=Ring of Frost' --expr LEVEL=LEVEL+2",
	}, func(e *modedit.Editor, _ *format.Job, o newItemFields) error {
		if o.Like == "" {
			return errors.New("expected an item after --like")
		}
		return e.NewItem(o.Name, o.Like, o.Set, o.Expr)
	}),
	operation(format.Command{Name: "new-set", Title: "Add a set of items", Heading: "Files", Adds: "set",
		Long: "Adds a file to MEDIA/SETS, and the key SET to the members. Items of the game cannot be members: make one like it with new-item. " +
			"An item that belongs to another set is refused.",
		Example: "new-set FROST_SET FROST_RING FROST_BLADE --title 'The Long Winter' --bonus 2=FROST_BONUS",
	}, func(e *modedit.Editor, _ *format.Job, o newSetFields) error {
		var bonuses []modedit.SetBonus
		for _, value := range o.Bonus {
			b, err := modedit.ParseSetBonus(value)
			if err != nil {
				return err
			}
			bonuses = append(bonuses, b)
		}
		return e.NewSet(o.Name, o.Title, o.Members, bonuses)
	}),
}
