package teeworlds

import (
	"slices"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/mapedit"
)

var (
	argGroup        = format.Option{Name: "group", Names: mapquery.KindGroup, Help: "the path of a group, with * and ?, its number, or game"}
	argGroups       = format.Option{Name: "group", Names: mapquery.KindGroup, List: true, Some: true, Help: argGroup.Help}
	argSettings     = format.Option{Name: "setting", List: true, Some: true, Help: "a server command, such as 'tune gravity 0.5'"}
	argHaveSettings = func(o format.Option) format.Option { o.Names = mapquery.KindSetting; return o }(argSettings)

	optionLayerAt = format.Option{Name: "at", Type: format.Integer, Default: "-1",
		Help: "its `number` in the group, from 0; -1 puts it at the end"}
)

// layerFields are the fields of layers.
var layerFields = opts{
	{Name: "name", Help: "up to 11 `bytes`"},
	{Name: "detail", Choices: yesNo, Help: "whether the layer is hidden from players with the low detail setting"},
	{Name: "width", Type: format.Integer, Help: "in `tiles`"},
	{Name: "height", Type: format.Integer, Help: "in `tiles`"},
	{Name: "color", Type: format.Color, Help: "the colour of all tiles, such as #ff8000 or #ffffff80"},
	{Name: "color-envelope", Names: mapquery.KindEnvelope, Help: "the `envelope` that changes the colour, or none"},
	{Name: "color-envelope-offset", Type: format.Integer, Help: "how many `milliseconds` the envelope is ahead"},
	{Name: "image", Names: mapquery.KindImage, Help: "the `image` of tiles or quads, or none"},
	{Name: "sound", Names: mapquery.KindSound, Help: "the `sound` of a sound layer, or none"},
}

var layerOperations = []operation{
	onMap(format.Command{Name: "add-layer", Heading: headingLayers,
		Title: "Add a layer; a physics layer gets the size of the game layer and goes into its group",
		Args: opts{{Name: "kind", Help: "the kind of layer",
			Choices: []string{"tiles", "quads", "sounds", "front", "tele", "speedup", "switch", "tune"}}},
		Options: slices.Concat(
			opts{{Name: "group", Names: mapquery.KindGroup, Default: "game", Help: "the `group` of the layer"}, optionLayerAt}, layerFields),
		Example: "add-layer tiles --group Back --name Leaves --width 200 --height 100 --image grass_main"}, mapops.AddLayer),
	onLayers(format.Command{Name: "remove-layers", Title: "Remove layers", Heading: headingLayers,
		Args: opts{argLayers}, Example: "remove-layers 'Tree/*'"},
		func(e *editor, list []mapedit.LayerAt, _ mapops.LayerArgs) error { return e.RemoveLayers(list) }),
	onMap(format.Command{Name: "move-layer", Title: "Move a layer to another group, or in its own", Heading: headingLayers,
		Args: opts{argLayer, argGroup}, Options: opts{optionLayerAt},
		Example: "move-layer Tree/Leaves Front --at 0"}, mapops.MoveLayer),
	onLayers(format.Command{Name: "duplicate-layers", Title: "Insert a copy after each of some layers", Heading: headingLayers,
		Args: opts{argLayers}, Example: "duplicate-layers Tree/Leaves"},
		func(e *editor, list []mapedit.LayerAt, _ mapops.LayerArgs) error { return e.DuplicateLayers(list) }),
	onLayers(format.Command{Name: "set-layer", Heading: headingLayers,
		Title: "Change name, size, colour, image, sound or envelope of layers",
		Args:  opts{argLayers}, Options: layerFields,
		Example: "set-layer 'Tree/*' --image grass_dark --color '#ffffff80'"}, mapops.SetLayers),
	onMap(format.Command{Name: "add-group", Title: "Add a group without layers", Heading: headingLayers,
		Args: opts{argName}, Options: opts{{Name: "at", Type: format.Integer, Default: "-1",
			Help: "its `number`, from 0; -1 puts it at the end, in front of all others"}},
		Example: "add-group Sky --at 0"},
		func(e *editor, o mapops.NewGroup) error { return e.AddGroup(o.At, o.Name) }),
	onParts(format.Command{Name: "remove-groups", Title: "Remove groups with all their layers", Heading: headingLayers,
		Args: opts{argGroups}, Example: "remove-groups Tree"},
		func(e *editor, list []int, _ mapops.GroupArgs) error { return e.RemoveGroups(list) }),
	onPart(format.Command{Name: "move-group", Title: "Move a group in the drawing order", Heading: headingLayers,
		Args: opts{argGroup, argTo}, Example: "move-group Sky 0"},
		func(e *editor, i int, o mapops.GroupMove) error { return e.MoveGroup(i, o.To) }),
	onPart(format.Command{Name: "duplicate-group", Title: "Insert a copy after a group", Heading: headingLayers,
		Args: opts{argGroup}, Example: "duplicate-group Tree"},
		func(e *editor, i int, _ mapops.GroupArg) error { return e.DuplicateGroup(i) }),
	onParts(format.Command{Name: "set-group", Title: "Change name, offset, parallax or clip of groups", Heading: headingLayers,
		Args: opts{argGroups},
		Options: opts{
			{Name: "name", Help: "up to 11 `bytes`"},
			{Name: "offset", Type: format.Place, Help: "`dx,dy` in pixels; a tile has 32"},
			{Name: "parallax", Type: format.Place, Help: "`horizontal,vertical` in percent: 100 moves with the game, 0 stays on the screen"},
			{Name: "clip", Help: "`x,y,width,height` in pixels, the only part that is drawn, or none"},
		},
		Example: "set-group Sky --parallax 20,20 --clip none"}, mapops.SetGroups),
	plain(format.Command{Name: "isolate-physics", Heading: headingLayers,
		Title:   "Move all layers except physics layers out of the game group, and keep the drawing order",
		Example: "isolate-physics"}, (*mapedit.Editor).IsolatePhysics),
	plain(format.Command{Name: "remove-unused", Heading: headingMap,
		Title:   "Remove everything without effect: empty layers and groups, and unused images, sounds and envelopes",
		Example: "remove-unused"}, (*mapedit.Editor).RemoveUnused),
}

var settingOperations = []operation{
	onMap(format.Command{Name: "add-setting", Title: "Add commands that the server runs for the map", Heading: headingSettings,
		Args: opts{argSettings}, Example: "add-setting 'sv_deepfly 1'"},
		func(e *editor, o mapops.Settings) error { return o.Each(e.AddSetting) }),
	onMap(format.Command{Name: "set-setting", Title: "Change the values of commands", Heading: headingSettings,
		Args: opts{argHaveSettings}, Example: "set-setting 'tune gravity 0.4'"},
		func(e *editor, o mapops.Settings) error { return o.Each(e.SetSetting) }),
	onMap(format.Command{Name: mapops.SettingsName, Title: "Replace some settings by others", Heading: headingSettings,
		Long: "The settings are counted from 0, in their order. Without new ones, they are removed; a count of 0 inserts new ones.",
		Args: opts{
			{Name: "at", Type: format.Integer, Help: "the number of the first setting"},
			{Name: "count", Type: format.Integer, Help: "how many settings are replaced"},
			{Name: "setting", List: true, Help: argSettings.Help},
		},
		Example: "replace-settings 2 1 'tune gravity 0.5' 'tune ground_friction 0.4'"},
		func(e *editor, o mapops.SettingsAt) error { return e.ReplaceSettings(o.At, o.Count, o.Lines) }),
	onMap(format.Command{Name: "remove-settings", Title: "Remove the settings that begin with some words", Heading: headingSettings,
		Args: opts{argHaveSettings}, Example: "remove-settings 'tune_zone 3'"},
		func(e *editor, o mapops.Settings) error { return o.Each(e.RemoveSettings) }),
	plain(format.Command{Name: "sort-settings", Title: "Sort the settings by command", Heading: headingSettings,
		Example: "sort-settings"}, always((*mapedit.Editor).SortSettings)),
	plain(format.Command{Name: "dedupe-settings", Title: "Remove settings that a later setting overrides", Heading: headingSettings,
		Example: "dedupe-settings"}, always((*mapedit.Editor).DedupeSettings)),
}
