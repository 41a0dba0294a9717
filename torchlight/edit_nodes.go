package torchlight

import (
	"fmt"
	"strconv"
	"strings"

	"trowel.example/internal/format"
	"trowel.example/torchlight/modedit"
)

// pathFields are the fields of operations on the nodes that a path names.
type pathFields struct {
	filesFields
	Path  string   `option:"node"`
	Where []string `option:"where"`
}

func (o pathFields) choice() modedit.Choice { return modedit.Choice{Node: o.Path, Where: o.Where} }

// warnUnchanged warns if a change matched nothing. It returns an error if the files have no such node.
func (o pathFields) warnUnchanged(n int, err error, e *modedit.Editor, step *format.Job) error {
	if err == nil && n == 0 {
		err = e.CheckNames(o.Files, "", o.choice())
	}
	return warnUnchanged(n, err, step)
}

const helpWay = "the way of a node, or its end, such as EFFECT or SKILL.LEVEL*.EVENT_START"

var optionOnly = format.Option{Name: "where", List: true, Help: "only nodes for which this `condition` holds, as for set"}

// nodeCommands are the operations on nodes.
var nodeCommands = []modCommand{
	operation(format.Command{Name: "add-node", Title: "Add a node with keys", Heading: "Nodes",
		Long: "The node is added after everything in the root of a data file, or in the nodes of --node. A BASEOBJECT is added to the " +
			"objects of a layout; its keys are those of the object, with DESCRIPTOR, its kind, and it gets an unused ID.",
		Args: []format.Option{argFiles, {Name: "name", Help: "the name of the node"}},
		Options: []format.Option{
			{Name: "key", List: true, Help: "a `key` of the node, as in a source file: <STRING>NAME:Wolf",
				Parse: func(value string) error { _, err := modedit.ParseKey(value); return err }},
			{Name: "node", Help: "in the nodes whose way ends with this `way`, such as LEVEL1 or SKILL.LEVEL* " +
				"(default: the root of data files, and the objects of layouts)"},
			optionWhere},
		Example: "add-node 'UNITS/ITEMS/RINGS/**' EFFECT --key '<STRING>TYPE:KNOCK BACK' --key '<FLOAT>MIN:2' --key '<FLOAT>MAX:4'",
	}, func(e *modedit.Editor, job *format.Job, o struct {
		filesFields
		choiceFields
		Name string   `option:"name"`
		Keys []string `option:"key"`
	}) error {
		choice := modedit.Choice{Node: o.Node, Where: o.Where}
		n, err := e.AddNode(o.Files, o.Name, o.Keys, choice)
		if err == nil && n == 0 {
			err = e.CheckNames(o.Files, "", choice)
		}
		return warnUnchanged(n, err, job)
	}),
	operation(format.Command{Name: "copy-node", Title: "Copy nodes, also from another file", Heading: "Nodes",
		Long: "Each copy is placed after its original; with --into, or from the file of --from, at the end of other nodes. Copies of " +
			"objects of layouts (BASEOBJECT) get unused IDs.",
		Args: []format.Option{argFiles, {Name: "node", Help: helpWay}},
		Options: []format.Option{
			{Name: "as", Help: "the `name` of the copies"},
			{Name: "from", Names: kindFile, Help: "copy the nodes of this `file` of the mod, or with --base of the game, into FILES"},
			{Name: "into", Help: "add the copies to the nodes whose way ends with this `way` (default with --from: the root of data " +
				"files, and the objects of layouts)"},
			optionOnly},
		Example: "copy-node 'SKILLS/**' SKILL.LEVEL15 --as LEVEL16",
	}, func(e *modedit.Editor, job *format.Job, o struct {
		pathFields
		As   string `option:"as"`
		From string `option:"from"`
		Into string `option:"into"`
	}) error {
		n, err := e.CopyNodes(o.Files, o.As, o.From, o.Into, o.choice())
		if err == nil && n == 0 && o.Into != "" {
			err = e.CheckNames(o.Files, "", modedit.Choice{Node: o.Into})
		}
		if o.From != "" {
			return warnUnchanged(n, err, job)
		}
		return o.warnUnchanged(n, err, e, job)
	}),
	operation(format.Command{Name: "remove-node", Title: "Remove nodes with all they contain", Heading: "Nodes",
		Args:    []format.Option{argFiles, {Name: "node", Help: helpWay}},
		Options: []format.Option{optionOnly},
		Example: "remove-node 'UNITS/ITEMS/**' EFFECT --where 'TYPE=KNOCK BACK'",
	}, func(e *modedit.Editor, job *format.Job, o pathFields) error {
		n, err := e.RemoveNodes(o.Files, o.choice())
		return o.warnUnchanged(n, err, e, job)
	}),
}

var cloneCommands = []modCommand{
	operation(format.Command{Name: "clone", Title: "Copy files, with new GUIDs and names", Heading: "Files",
		Long: "TO is the path of a clone, or its name in the folder of the original. In TO and in --set, {file} is the name of the " +
			"original without extension, {n} the number of the clone, and {KEY} a value of the original, also of its BASEFILE. With --base, " +
			"also files of the game are cloned. NAME becomes the name of the file, unless --set changes it; GUIDs become unused ones. " +
			"References between files that are cloned together, and grids of layouts (.MPP), follow. Tables (.RAW) are updated.",
		Args: []format.Option{argFiles, {Name: "to", Help: "the path or name of a clone, such as AM_{file}_{n}.DAT"}},
		Options: []format.Option{
			{Name: "numbers", Default: "1..1", Help: "one clone of each file for each number, `first..last`", Parse: checkNumbers},
			{Name: "set", List: true, Help: "set `KEY=TEXT`, such as 'DISPLAYNAME={DISPLAYNAME} (Tier {n})'"},
			{Name: "expr", List: true, Help: "calculate `KEY=EXPRESSION`, such as 'LEVEL=max(1, LEVEL-5)+n*10', as for set; n is the number"},
		},
		Example: "clone 'DUNGEONS/MAP_*.DAT' 'AM_{file}_{n}.DAT' --numbers 1..16 --set 'DISPLAYNAME={DISPLAYNAME} ({n})'",
	}, func(e *modedit.Editor, job *format.Job, o struct {
		filesFields
		To      string   `option:"to"`
		Numbers string   `option:"numbers"`
		Set     []string `option:"set"`
		Expr    []string `option:"expr"`
	}) error {
		numbers, err := parseNumbers(o.Numbers)
		if err != nil {
			return err
		}
		_, err = e.Clone(o.Files, modedit.Cloning{To: o.To, Numbers: numbers, Set: o.Set, Calculate: o.Expr})
		return err
	}),
}

func checkNumbers(value string) error {
	_, err := parseNumbers(value)
	return err
}

func parseNumbers(value string) (numbers [2]int, err error) {
	first, last, _ := strings.Cut(value, "..")
	for i, s := range []string{first, last} {
		v, failed := strconv.ParseInt(s, 10, 32)
		if failed != nil {
			return numbers, fmt.Errorf("expected numbers such as 1..16, not %q", value)
		}
		numbers[i] = int(v)
	}
	if numbers[0] > numbers[1] {
		return numbers, fmt.Errorf("%s: the first number is above the last", value)
	}
	return numbers, nil
}
