package worldsteps

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/schematic"
	"trowel.example/minetest/turn"
	"trowel.example/minetest/worldedit"
)

// Painting are the options for how nodes are replaced.
type Painting struct {
	NewName bool `option:"new-name" help:"allow a node name that neither the world nor the definitions contain"`
	Param2  *int `option:"param2" help:"the param2 of the new nodes, 0 to 255"`
	Keeping
}

// Keeping is the option that keeps metadata.
type Keeping struct {
	KeepMetadata bool `option:"keep-metadata" help:"keep metadata and timers of nodes whose name changes"`
}

// KeptParam2 is the option that keeps the param2 of nodes.
type KeptParam2 struct {
	KeepParam2 bool `option:"keep-param2" help:"keep the param2 of each node"`
}

// Creation is the option that creates blocks.
type Creation struct {
	Create bool `option:"create"`
}

// Describe describes the options.
func (Creation) Describe(o *format.Option) {
	o.Explain("create", "create missing blocks, filled with air, and change blocks that the map generator has not finished: it "+
		"does not generate them any more")
}

// setting returns the settings for the change of nodes.
func (p Painting) setting(keepParam2 bool, counts *worldedit.Counts) (worldedit.Setting, error) {
	s := worldedit.Setting{KeepParam2: keepParam2, KeepMetadata: p.KeepMetadata, Counts: counts}
	if p.Param2 == nil {
		return s, nil
	}
	if keepParam2 {
		return s, errors.New("--param2 and --keep-param2 cannot be combined")
	}
	if *p.Param2 < 0 || *p.Param2 > 255 {
		return s, fmt.Errorf("--param2 %d: expected 0 to 255", *p.Param2)
	}
	s.Param2 = uint8(*p.Param2)
	return s, nil
}

// checkName returns an error if a text is not a valid name of a node.
func checkName(name string) error {
	if name == "" || strings.ContainsAny(name, "*? \t\n") {
		return fmt.Errorf("%q is not a valid name of a node", name)
	}
	return nil
}

// SetOptions are the options of [Set].
type SetOptions struct {
	Node string `arg:"node" names:"new node" help:"the name of the new nodes"`
	KeptParam2
	Creation
	Painting
	worldjob.Region
}

// Set sets all nodes of a region.
func Set(o SetOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	if err != nil {
		return nil, err
	}
	s, err := o.setting(o.KeepParam2, counts)
	s.Create = o.Create
	return worldedit.Set(r, o.Node, s), errors.Join(err, checkName(o.Node))
}

// ReplaceOptions are the options of [Replace].
type ReplaceOptions struct {
	From string `arg:"from" names:"node" help:"the name of the existing nodes"`
	To   string `arg:"to" names:"new node" help:"the new name"`
	Painting
	worldjob.Region
}

// Replace replaces nodes of a name.
func Replace(o ReplaceOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, _, err := o.Select()
	if err != nil {
		return nil, err
	}
	s, err := o.setting(false, counts)
	s.KeepParam2 = o.Param2 == nil
	return worldedit.Replace(r, worldedit.Names{o.From}, o.To, s), errors.Join(err, checkName(o.To))
}

// ReplaceOthersOptions are the options of [ReplaceOthers].
type ReplaceOthersOptions struct {
	Keep string `arg:"keep" names:"node to keep" help:"the name of the nodes to keep, with wildcards * and ?"`
	To   string `arg:"to" names:"new node" help:"the new name of all others"`
	KeptParam2
	Painting
	worldjob.Region
}

// ReplaceOthers replaces all nodes but air and those of a name.
func ReplaceOthers(o ReplaceOthersOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	if err != nil {
		return nil, err
	}
	s, err := o.setting(o.KeepParam2, counts)
	return worldedit.ReplaceOthers(r, worldedit.Names{o.Keep}, o.To, s), errors.Join(err, checkName(o.To))
}

// MixOptions are the options of [Mix].
type MixOptions struct {
	Nodes []string `arg:"node,required" names:"new node" help:"a name, or name=weight; the default weight is 1"`
	Seed  int      `option:"seed" default:"0" help:"the {number} that determines the random choice"`
	KeptParam2
	Creation
	Painting
	worldjob.Region
}

// Mix sets the nodes of a region to several names at random.
func Mix(o MixOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	if err != nil {
		return nil, err
	}
	s, err := o.setting(o.KeepParam2, counts)
	if err != nil {
		return nil, err
	}
	s.Create = o.Create
	var names []worldedit.Weighted
	for _, word := range o.Nodes {
		name, weight, ok := strings.Cut(word, "=")
		n := 1
		if ok {
			if n, err = strconv.Atoi(weight); err != nil {
				return nil, fmt.Errorf("%q: expected a name and a weight such as default:stone=3", word)
			}
		}
		if err := checkName(name); err != nil {
			return nil, err
		}
		names = append(names, worldedit.Weighted{Name: name, Weight: n})
	}
	return worldedit.Mix(r, names, uint64(o.Seed), s)
}

// DrainOptions are the options of [Drain].
type DrainOptions struct {
	Keeping
	worldjob.Region
}

// Drain replaces liquids by air.
func Drain(o DrainOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	return worldedit.Drain(r, worldedit.Setting{KeepMetadata: o.KeepMetadata, Counts: counts}), err
}

// SetParam2Options are the options of [SetParam2].
type SetParam2Options struct {
	Value int `arg:"value" help:"0 to 255"`
	worldjob.Region
}

// SetParam2 sets the param2 of nodes.
func SetParam2(o SetParam2Options, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	if err == nil && (o.Value < 0 || o.Value > 255) {
		err = fmt.Errorf("expected 0 to 255, not %d", o.Value)
	}
	return worldedit.SetParam2(r, uint8(o.Value), worldedit.Setting{Counts: counts}), err
}

// OrientOptions are the options of [Orient].
type OrientOptions struct {
	Rotation
	worldjob.Region
}

// Orient turns the nodes of a region in place.
func Orient(o OrientOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, err := o.SelectPart()
	if err != nil {
		return nil, err
	}
	m, err := o.motion()
	return worldedit.Orient(r, m, worldedit.Setting{Counts: counts}), err
}

// LightOptions are the options of [Light].
type LightOptions = worldjob.Bounds

// Light computes the light of an area.
func Light(o LightOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, _, err := o.Select()
	if err == nil && r.Box.Empty() {
		err = errors.New("the region is empty")
	}
	if err != nil {
		return nil, err
	}
	return worldedit.FixLight(r.Area(), counts), nil
}

// PieceOptions are the options for a part of the world that is copied, moved or turned.
type PieceOptions struct {
	Creation
	worldjob.Shapes
}

func (o PieceOptions) selected(counts *worldedit.Counts) (worldedit.Region, worldedit.Setting, error) {
	r, err := o.SelectPiece()
	return r, worldedit.Setting{Create: o.Create, Counts: counts}, err
}

// WayOptions are the options of [Copy] and [Move].
type WayOptions struct {
	Way string `arg:"way" help:"the distance along x, y and z"`
	PieceOptions
}

// Copy copies a part of the world.
func Copy(o WayOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, s, err := o.selected(counts)
	if err != nil {
		return nil, err
	}
	by, err := worldjob.ParseDistance(o.Way)
	return worldedit.Copy(r, by, s), err
}

// Move moves a part of the world.
func Move(o WayOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, s, err := o.selected(counts)
	if err != nil {
		return nil, err
	}
	by, err := worldjob.ParseDistance(o.Way)
	return worldedit.Move(r, by, s), err
}

// StackOptions are the options of [Stack].
type StackOptions struct {
	WayOptions
	Count int `arg:"count" help:"the number of copies"`
}

// Stack copies a part of the world several times.
func Stack(o StackOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, s, err := o.selected(counts)
	if err != nil {
		return nil, err
	}
	by, err := worldjob.ParseDistance(o.Way)
	if err == nil && (o.Count < 1 || o.Count > 10000) {
		err = fmt.Errorf("expected 1 to 10000 copies, not %d", o.Count)
	}
	return worldedit.Stack(r, by, o.Count, s), err
}

// StretchOptions are the options of [Stretch].
type StretchOptions struct {
	Factors string `arg:"factors" help:"how many nodes each node becomes along x, y and z"`
	PieceOptions
}

// Stretch enlarges a part of the world.
func Stretch(o StretchOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, s, err := o.selected(counts)
	if err != nil {
		return nil, err
	}
	by, err := worldjob.ParseDistance(o.Factors)
	if err != nil {
		return nil, fmt.Errorf("%q: expected a factor along x, y and z, such as 2,2,2", o.Factors)
	}
	return worldedit.Stretch(r, by, s)
}

// ResolveAliases replaces aliases by the names that they mean. Without a region, it also changes the inventories of players.
func ResolveAliases(o worldjob.Region, counts *worldedit.Counts) (worldedit.Step, error) {
	r, bounded, err := o.Select()
	return worldedit.ResolveAliases(r, worldedit.AliasOptions{Players: !bounded && !worldjob.HasCondition(r)}, counts), err
}

// TurnOptions are the options for a part of the world that is turned.
type TurnOptions struct {
	Orient bool `option:"orient"`
	PieceOptions
}

// Describe describes the options.
func (TurnOptions) Describe(o *format.Option) {
	o.Explain("orient", "also turn nodes that have a direction, such as chests and stairs, as --nodes defines them; "+
		"without it only those of minetest_game")
}

func (o TurnOptions) step(m turn.Motion, err error, counts *worldedit.Counts) (worldedit.Step, error) {
	if err != nil {
		return nil, err
	}
	r, s, err := o.selected(counts)
	if err != nil {
		return nil, err
	}
	s.Orient = o.Orient
	return worldedit.Turn(r, m, s)
}

// FlipOptions are the options of [Flip].
type FlipOptions struct {
	AxisArg
	TurnOptions
}

// Flip mirrors a part of the world.
func Flip(o FlipOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	a, err := turn.ParseAxis(o.Axis)
	return o.step(turn.Mirror(a), err, counts)
}

// TransposeOptions are the options of [Transpose].
type TransposeOptions struct {
	Axis1 string `arg:"axis1" choices:"x|y|z" help:"the first axis"`
	Axis2 string `arg:"axis2" choices:"x|y|z" help:"the second axis"`
	TurnOptions
}

// Transpose exchanges two axes of a part of the world.
func Transpose(o TransposeOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	a, err := turn.ParseAxis(o.Axis1)
	b, err2 := turn.ParseAxis(o.Axis2)
	if err = errors.Join(err, err2); err == nil && a == b {
		err = errors.New("expected two different axes")
	}
	return o.step(turn.Transpose(a, b), err, counts)
}

// AxisArg is the argument for an axis.
type AxisArg struct {
	Axis string `arg:"axis" choices:"x|y|z" help:"x to the east, y up or z to the north"`
}

// Rotation are the arguments for a rotation.
type Rotation struct {
	AxisArg
	Angle string `arg:"angle" choices:"90|180|270|-90" help:"in degrees"`
}

func (o Rotation) motion() (turn.Motion, error) {
	a, err := turn.ParseAxis(o.Axis)
	if err != nil {
		return turn.Motion{}, err
	}
	degrees, err := strconv.Atoi(o.Angle)
	return turn.Turn(a, degrees/90), err
}

// RotateOptions are the options of [Rotate].
type RotateOptions struct {
	Rotation
	TurnOptions
}

// Rotate rotates a part of the world.
func Rotate(o RotateOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	m, err := o.motion()
	return o.step(m, err, counts)
}

// PlaceOptions are the options of [Place].
type PlaceOptions struct {
	File     string `arg:"file,input" names:"schematic" help:"the schematic"`
	Place    string `arg:"place" help:"the position of the corner with the lowest coordinates: {x,y,z}"`
	Rotation string `option:"rotation" choices:"0|90|180|270" default:"0"`
	Force    bool   `option:"force" help:"replace all nodes"`
	Seed     int    `option:"seed" default:"0" help:"the {number} that determines the random choice"`
	Keeping
	Creation
}

// Describe describes the options.
func (PlaceOptions) Describe(o *format.Option) {
	o.Explain("rotation", "turn it by this number of `degrees`, as the game does: north becomes east")
}

// placing returns how the schematic is placed. The rotation is one of the choices.
func (o *PlaceOptions) placing() schematic.Placing {
	degrees, _ := strconv.Atoi(o.Rotation)
	return schematic.Placing{Quarters: degrees / 90, Force: o.Force, Seed: uint64(o.Seed)}
}

// Place places a schematic.
func Place(o PlaceOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	at, err := worldjob.ParseNode(o.Place)
	if err != nil {
		return nil, err
	}
	src, err := format.OpenSource(o.File)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	data, err := src.ReadUpTo(effort.SchematicFile)
	if err != nil {
		return nil, err
	}
	s, err := schematic.Decode(data)
	if err != nil {
		return nil, fault.InFile(worldjob.AsMinecraft(data, err), o.File)
	}
	return worldedit.Place(s, at, o.placing(), worldedit.Setting{KeepMetadata: o.KeepMetadata, Create: o.Create, Counts: counts}), nil
}

// OverlayOptions are the options of [Overlay].
type OverlayOptions struct {
	World  string `arg:"world,input" help:"the folder of the other world"`
	Offset string `option:"offset" help:"the distance between the region there and here, as {dx,dy,dz}"`
	Creation
	worldjob.Region
}

// Overlay copies a region of another world.
func Overlay(o OverlayOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r, _, err := o.Select()
	if err != nil {
		return nil, err
	}
	by := worldedit.Vec{}
	if o.Offset != "" {
		if by, err = worldjob.ParseDistance(o.Offset); err != nil {
			return nil, fmt.Errorf("--offset: %w", err)
		}
	}
	return worldedit.StepFunc(func(ctx context.Context, w *worldedit.World) error {
		from, err := w.OpenOther(ctx, o.World)
		if err != nil {
			return err
		}
		return errors.Join(w.Do(ctx, worldedit.Overlay(from, r, by, worldedit.Setting{Create: o.Create, Counts: counts})), from.Close())
	}), nil
}
