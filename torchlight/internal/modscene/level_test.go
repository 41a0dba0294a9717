package modscene

import (
	"fmt"
	"strings"
	"testing"

	"trowel.example/torchlight/internal/codex"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/text"
)

// TestLevel tests the values of an item and of a monster at a level, as facts and as rows of a card.
func TestLevel(t *testing.T) {
	graphs := make(codex.Graphs)
	for _, name := range []string{"BASE_WEAPON_DAMAGE", "ARMOR_PLAYER_BYLEVEL_FORSET", "HEALTH_CHAMPIONMONSTER_BYLEVEL_HARD",
		"HEALTH_MONSTER_BYLEVEL"} {
		graphs[name] = &codex.Graph{Name: name, Points: [][2]float64{{1, 10}, {101, 2010}}}
	}
	at := Level{Level: 51, Difficulty: codex.Hard, Graphs: graphs} // the graphs are 1,010 there
	for _, c := range []struct {
		keys        string
		item        bool
		facts, rows string
	}{
		{"MINDAMAGE:50 MAXDAMAGE:100 DAMAGE_FIRE:50 ARMOR_PHYSICAL:10", true,
			"damageLow=505 damageHigh=1010 physicalDamageLow= physicalDamageHigh= fireDamageLow=253 fireDamageHigh=505 iceDamageLow= " +
				"iceDamageHigh= electricDamageLow= electricDamageHigh= poisonDamageLow= poisonDamageHigh= armor=101",
			"damage at level 51: 505 to 1,010; fire damage at level 51: 253 to 505; armor at level 51: 101"},
		{"CHAMPION:true MINHP:100 MAXHP:100 XP:7", false,
			"healthLow=1010 healthHigh=1010 damageLow= damageHigh= armor= fireArmor= iceArmor= electricArmor= poisonArmor= experience=",
			"health at level 51: 1,010"},
	} {
		root := &text.Node{Name: "UNIT"}
		for pair := range strings.FieldsSeq(c.keys) {
			key, value, _ := strings.Cut(pair, ":")
			root.Items = append(root.Items, &text.Property{Type: text.String, Key: key, Value: value})
		}
		chain := inherit.Follow("A.DAT", root, nil)
		var facts, rows []string
		for _, f := range at.Facts(chain, c.item) {
			facts = append(facts, fmt.Sprint(f.Key, "=", f.Value))
		}
		at.rows(chain, c.item, func(label, text string) { rows = append(rows, label+": "+text) })
		if got := strings.Join(facts, " "); got != c.facts {
			t.Errorf("%s: facts\n%s, want\n%s", c.keys, got, c.facts)
		}
		if got := strings.Join(rows, "; "); got != c.rows {
			t.Errorf("%s: rows\n%s, want\n%s", c.keys, got, c.rows)
		}
		if none := (Level{}).Facts(chain, c.item); none != nil {
			t.Errorf("%s: without a level: %v", c.keys, none)
		}
	}
}
