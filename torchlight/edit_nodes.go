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
	Path  string   `arg:"node" help:"the way of a node, or its end, such as EFFECT or SKILL.LEVEL*.EVENT_START"`
	Where []string `option:"where" help:"only nodes for which this {condition} holds, as for set"`
}

func (o pathFields) choice() modedit.Choice { return modedit.Choice{Node: o.Path, Where: o.Where} }

// warnUnchanged warns if a change matched nothing. It returns an error if the files have no such node.
func (o pathFields) warnUnchanged(n int, err error, e *modedit.Editor, step *format.Job) error {
	if err == nil && n == 0 {
		err = e.CheckNames(o.Files, "", o.choice())
	}
	return warnUnchanged(n, err, step)
}

// newNodeFields are the fields of add-node.
type newNodeFields struct {
	filesFields
	Name string   `arg:"name" help:"the name of the node"`
	Keys []string `option:"key" help:"a {key} of the node, as in a source file: <STRING>NAME:Wolf"`
	choiceFields
}

// Describe describes the options.
func (newNodeFields) Describe(o *format.Option) {
	o.Explain("node", "in the nodes whose way ends with this `way`, such as LEVEL1 or SKILL.LEVEL* "+
		"(default: the root of data files, and the objects of layouts)")
	if o.Name == "key" {
		o.Parse = func(value string) error { _, err := modedit.ParseKey(value); return err }
	}
}

// copyFields are the fields of copy-node.
type copyFields struct {
	As   string `option:"as" help:"the {name} of the copies"`
	From string `option:"from" names:"file" help:"copy the nodes of this {file} of the mod, or with --base of the game, into FILES"`
	Into string `option:"into"`
	pathFields
}

// Describe describes the options.
func (copyFields) Describe(o *format.Option) {
	o.Explain("into", "add the copies to the nodes whose way ends with this `way` (default with --from: the root of data "+
		"files, and the objects of layouts)")
}

// nodeCommands are the operations on nodes.
var nodeCommands = []*format.Command{
	operation(format.Command{Name: "add-node", Title: "Add a node with keys", Heading: "Nodes",
		Long: "The node is added after everything in the root of a data file, or in the nodes of --node. A BASEOBJECT is added to the " +
			"objects of a layout; its keys are those of the object, with DESCRIPTOR, its kind, and it gets an unused ID.",
		Example: "add-node 'UNITS/ITEMS/RINGS/**' EFFECT --key '<STRING>TYPE:KNOCK BACK' --key '<FLOAT>MIN:2' --key '<FLOAT>MAX:4'",
	}, func(e *modedit.Editor, job *format.Job, o newNodeFields) error {
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
		Example: "copy-node 'SKILLS/**' SKILL.LEVEL15 --as LEVEL16",
	}, func(e *modedit.Editor, job *format.Job, o copyFields) error {
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
		Example: "remove-node 'UNITS/ITEMS/**' EFFECT --where 'TYPE=KNOCK BACK'",
	}, func(e *modedit.Editor, job *format.Job, o pathFields) error {
		n, err := e.RemoveNodes(o.Files, o.choice())
		return o.warnUnchanged(n, err, e, job)
	}),
}

// cloneFields are the fields of clone.
type cloneFields struct {
	filesFields
	To      string   `arg:"to"`
	Numbers string   `option:"numbers" default:"1..1" help:"one clone of each file for each number, {first..last}"`
	Set     []string `option:"set"`
	Expr    []string `option:"expr"`
	Derive  bool     `option:"derive" help:"make new units with the files as their base files (BASEFILE), instead of copies of all values"`
}

// Describe describes the arguments and options.
func (cloneFields) Describe(o *format.Option) {
	o.Explain("to", "the path or name of a clone, such as AM_{file}_{n}.DAT")
	o.Explain("set", "set `KEY=TEXT`, such as 'DISPLAYNAME={DISPLAYNAME} (Tier {n})'")
	o.Explain("expr", "calculate `KEY=EXPRESSION`, such as 'LEVEL=max(1, LEVEL-5)+n*10', as for set; n is the number")
	if o.Name == "numbers" {
		o.Parse = checkNumbers
	}
}

var cloneCommands = []*format.Command{
	operation(format.Command{Name: "clone", Title: "Copy files, with new GUIDs and names", Heading: "Files",
		Long: "TO is the path of a clone, or its name in the folder of the original. In TO and in --set, {file} is the name of the " +
			"original without extension, {n} the number of the clone, and {KEY} a value of the original, also of its BASEFILE. With --base, " +
			"also files of the game are cloned. NAME becomes the name of the file, unless --set changes it; GUIDs become unused ones. " +
			"References between files that are cloned together, and grids of layouts (.MPP), follow. Tables (.RAW) are updated. " +
			"With --derive, a clone is a new item or monster that inherits everything from the original, but for the values of --set and --expr.",
		Example: "clone 'DUNGEONS/MAP_*.DAT' 'AM_{file}_{n}.DAT' --numbers 1..16 --set 'DISPLAYNAME={DISPLAYNAME} ({n})'",
	}, func(e *modedit.Editor, job *format.Job, o cloneFields) error {
		numbers, err := parseNumbers(o.Numbers)
		if err != nil {
			return err
		}
		_, err = e.Clone(o.Files, modedit.Cloning{To: o.To, Numbers: numbers, Set: o.Set, Calculate: o.Expr, Derive: o.Derive})
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
