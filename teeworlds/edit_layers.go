package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/mapedit"
)

var layerOperations = []*format.Command{
	onMap(format.Command{Name: "add-layer", Heading: headingLayers,
		Title:   "Add a layer; a physics layer gets the size of the game layer and goes into its group",
		Example: "add-layer tiles --group Back --name Leaves --width 200 --height 100 --image grass_main"}, mapops.AddLayer),
	onLayers(format.Command{Name: "remove-layers", Title: "Remove layers", Heading: headingLayers,
		Example: "remove-layers 'Tree/*'"},
		func(e *editor, list []mapedit.LayerAt, _ mapops.LayerArgs) error { return e.RemoveLayers(list) }),
	onMap(format.Command{Name: "move-layer", Title: "Move a layer to another group, or in its own", Heading: headingLayers,
		Example: "move-layer Tree/Leaves Front --at 0"}, mapops.MoveLayer),
	onLayers(format.Command{Name: "duplicate-layers", Title: "Insert a copy after each of some layers", Heading: headingLayers,
		Example: "duplicate-layers Tree/Leaves"},
		func(e *editor, list []mapedit.LayerAt, _ mapops.LayerArgs) error { return e.DuplicateLayers(list) }),
	onLayers(format.Command{Name: "set-layer", Heading: headingLayers,
		Title:   "Change name, size, colour, image, sound or envelope of layers",
		Example: "set-layer 'Tree/*' --image grass_dark --color '#ffffff80'"}, mapops.SetLayers),
	onMap(format.Command{Name: "rename-layer", Title: "Rename a layer, with up to 11 bytes", Heading: headingLayers,
		Example: "rename-layer Tree/Leaves Twigs"}, mapops.RenameLayer),
	onMap(format.Command{Name: "add-group", Title: "Add a group without layers", Heading: headingLayers,
		Example: "add-group Sky --at 0"},
		func(e *editor, o mapops.NewGroup) error { return e.AddGroup(o.At, o.Name) }),
	onParts(format.Command{Name: "remove-groups", Title: "Remove groups with all their layers", Heading: headingLayers,
		Example: "remove-groups Tree"},
		func(e *editor, list []int, _ mapops.GroupArgs) error { return e.RemoveGroups(list) }),
	onPart(format.Command{Name: "move-group", Title: "Move a group in the drawing order", Heading: headingLayers,
		Example: "move-group Sky 0"},
		func(e *editor, i int, o mapops.GroupMove) error { return e.MoveGroup(i, o.To) }),
	onPart(format.Command{Name: "duplicate-group", Title: "Insert a copy after a group", Heading: headingLayers,
		Example: "duplicate-group Tree"},
		func(e *editor, i int, _ mapops.GroupArg) error { return e.DuplicateGroup(i) }),
	onParts(format.Command{Name: "set-group", Title: "Change name, offset, parallax or clip of groups", Heading: headingLayers,
		Example: "set-group Sky --parallax 20,20 --clip none"}, mapops.SetGroups),
	onPart(format.Command{Name: "rename-group", Title: "Rename a group, with up to 11 bytes", Heading: headingLayers,
		Example: "rename-group Tree Oak"},
		func(e *editor, i int, o mapops.GroupNaming) error {
			return e.ChangeGroups([]int{i}, mapedit.GroupChange{Name: &o.Name})
		}),
	plain(format.Command{Name: "isolate-physics", Heading: headingLayers,
		Title:   "Move all layers except physics layers out of the game group, and keep the drawing order",
		Example: "isolate-physics"}, (*mapedit.Editor).IsolatePhysics),
	onMap(format.Command{Name: "remove-unused", Heading: headingMap,
		Title:   "Remove everything without effect: empty layers and groups, and unused images, sounds, envelopes and data blocks",
		Example: "remove-unused"}, mapops.RemoveUnused),
}

var settingOperations = []*format.Command{
	onMap(format.Command{Name: "add-setting", Title: "Add commands that the server runs for the map", Heading: headingSettings,
		Example: "add-setting 'sv_deepfly 1'"},
		func(e *editor, o mapops.NewSettings) error { return o.Each(e, e.AddSetting) }),
	onMap(format.Command{Name: "set-setting", Title: "Change the values of commands", Heading: headingSettings,
		Example: "set-setting 'tune gravity 0.4'"},
		func(e *editor, o mapops.ChangedSettings) error { return o.Each(e, e.SetSetting) }),
	onMap(format.Command{Name: mapops.SettingsName, Title: "Replace some settings by others", Heading: headingSettings,
		Long:    "The settings are counted from 0, in their order. Without new ones, they are removed; a count of 0 inserts new ones.",
		Example: "replace-settings 2 1 'tune gravity 0.5' 'tune ground_friction 0.4'"},
		mapops.ReplaceSettings),
	onMap(format.Command{Name: "remove-settings", Title: "Remove the settings that begin with some words", Heading: headingSettings,
		Example: "remove-settings 'tune_zone 3'"},
		func(e *editor, o mapops.Settings) error { return o.Each(e.RemoveSettings) }),
	plain(format.Command{Name: "sort-settings", Title: "Sort the settings by command", Heading: headingSettings,
		Example: "sort-settings"}, always((*mapedit.Editor).SortSettings)),
	plain(format.Command{Name: "dedupe-settings", Title: "Remove settings that a later setting overrides", Heading: headingSettings,
		Example: "dedupe-settings"}, always((*mapedit.Editor).DedupeSettings)),
}
