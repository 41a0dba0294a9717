package verbs

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/service"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/text/words"
)

// usage is a command line, and words that the answer must contain.
type usage struct {
	line  string
	words []string
}

// wrongUsages are typical user errors, and words that the answer must contain.
var wrongUsages = []usage{
	{`chek burrow.map`, []string{"did you mean `trowel check burrow.map`"}},
	{`undo burrow.map`, []string{"burrow.map: there is no backup of a change next to it", "`trowel undo burrow.map BACKUP` restores"}},
	{`revert burrow.map`, []string{"did you mean `trowel undo burrow.map`"}},
	{`edit mirror burrow.map`, []string{"wrong order", "did you mean `trowel edit burrow.map -- mirror`?"}},
	{`edit -- mirror burrow.map`, []string{"did you mean `trowel edit burrow.map -- mirror`?"}},
	{`convert ddnet burrow.map`, []string{"did you mean `trowel convert burrow.map --to ddnet`?"}},
	{`convert 0.7 burrow.map`, []string{"did you mean `trowel convert burrow.map --to 0.7`?"}},
	{`render cave.png burrow.map`, []string{"did you mean `trowel render burrow.map -o cave.png`?"}},
	{`convert burrow.map -o x.png`, []string{"`trowel render burrow.map -o x.png` draws one"}},
	{`convert burrow.map --to png`, []string{"`trowel render burrow.map -o new.png` draws one"}},
	{`convert ember.MOD --to csv -o x.csv`, []string{"--to can be strings-csv, skills-csv"}},
	{`check --format sarif burrow.map`, []string{"--sarif prints SARIF"}},
	{`restore repo --at yesterday -o y`, []string{"--moment TIME"}},
	{`forget repo --keep-last 0`, []string{"--keep options must be at least 1"}},
	{`rename-layer burrow.map`, []string{"did you mean `trowel edit burrow.map -- rename-layer LAYER NAME`?"}},
	{`delete-layer burrow.map x`, []string{"did you mean `trowel edit burrow.map -- remove-layers x`?"}},
	{`edit burrow.map -- delete-layer a`, []string{"did you mean remove-layers?"}},
	{`edit burrow.map -- undo`, []string{"`trowel undo FILE` undoes the newest change in place"}},
	{`edit world -- remove-node default:dirt`, []string{"did you mean replace NODE air?", "another format"}},
	{`find burrow.map -- tiles 3`, []string{"did you mean tile?"}},
	{`help delete-layers`, []string{"did you mean remove-layers?"}},
	{`build folder`, []string{"did you mean `trowel pack folder`"}},
	{`compare burrow.map burrow.map`, []string{"did you mean `trowel diff burrow.map burrow.map`"}},
	{`show burrow.map`, []string{"did you mean `trowel cat burrow.map`"}},
	{`validate burrow.map`, []string{"did you mean `trowel check burrow.map`"}},
	{`lint burrow.map`, []string{"did you mean `trowel check burrow.map`"}},
	{`tree burrow.map`, []string{"did you mean `trowel ls burrow.map -R`"}},
	{`rm burrow.map x`, []string{"did you mean `trowel edit burrow.map -- remove-layers x`? There are also remove-groups"}},
	{`cp burrow.map x`, []string{"did you mean `trowel convert burrow.map x`"}},
	{`mirror burrow.map`, []string{"did you mean `trowel edit burrow.map -- mirror [WAY]`?"}},
	{`mirror burrow.map --in-place`, []string{"did you mean `trowel edit burrow.map --in-place -- mirror [WAY]`?"}},
	{`replace burrow.map`, []string{"did you mean `trowel edit burrow.map -- replace-tiles FROM TO`? There are also " +
		"replace-image, replace-sound"}},
	{`replace world default:dirt default:clay`, []string{"did you mean `trowel edit world -- replace default:dirt default:clay`?"}},
	{`replace-tiles 9 11 burrow.map --layer game`, []string{"did you mean `trowel edit burrow.map -- replace-tiles 9 11 --layer game`?"}},
	{`replace-tiles`, []string{"did you mean `trowel edit FILE -- replace-tiles FROM TO`?"}},
	{`tile 5 burrow.map`, []string{"did you mean `trowel find burrow.map -- tile 5`?"}},
	{`players burrow.map`, []string{"`trowel find FILE -- players` is for files of another kind"}},
	{`screenshot burrow.map`, []string{"did you mean `trowel render burrow.map`?"}},
	{`snapshots world`, []string{"did you mean `trowel ls world`?"}},
	{`set nope.map`, []string{"did you mean `trowel edit FILE -- set"}},
	{`help nope`, []string{"is not a verb"}},
	{`help mirro`, []string{"did you mean mirror?"}},
	{`edit burrow.map -- miror --help`, []string{"no operation is called miror", "did you mean mirror?"}},
	{`info`, []string{"too few arguments"}},
	{`info nope.map`, []string{"nope.map: no such file"}},
	{`info nope*.map`, []string{"no file matches nope*.map"}},
	{`ls burr*.MAP`, []string{"burr*.MAP: the pattern matches 1 file: expected the name of one file"}},
	{`info folder`, []string{"folder: not the folder of a game file"}},
	{`info text.txt`, []string{"text.txt: unknown format"}},
	{`info empty.map`, []string{"empty.map: expected a Teeworlds/DDNet map: the file is empty"}},
	{`info empty.MOD`, []string{"expected a Torchlight II mod: the file is empty"}},
	{`info empty.mts`, []string{"the file is empty"}},
	{`info empty.block`, []string{"the file is empty"}},
	{`info -x burrow.map`, []string{"`trowel info` has no option -x"}},
	{`info --jsno burrow.map`, []string{"did you mean --json?"}},
	{`info -json burrow.map`, []string{"did you mean --json?"}},
	{`info --json=maybe burrow.map`, []string{"--json: expected true or false, not \"maybe\""}},
	{`extract burrow.map --out x`, []string{"did you mean --output?"}},
	{`extract`, []string{"too few arguments"}},
	{`extract burrow.map -o`, []string{"-o needs a value"}},
	{`extract burrow.map -o burrow.map`, []string{"refusing to overwrite the input"}},
	{`extract folder`, []string{"not the folder of a game file"}},
	{`extract burrow.map nope`, []string{"no file inside matches \"nope\""}},
	{`pack burrow.map`, []string{"burrow.map: is not a folder", "trowel extract burrow.map"}},
	{`pack nope`, []string{"nope: no such file"}},
	{`pack a b`, []string{"too many arguments"}},
	{`check nope.map`, []string{"nope.map: no such file"}},
	{`check --area 1,2 world`, []string{"--area: expected two positions of blocks"}},
	{`check --area abc world`, []string{"not \"abc\""}},
	{`check --min wrong burrow.map`, []string{"wrong"}},
	{`diff burrow.map`, []string{"diff needs two files"}},
	{`diff burrow.map nope.map`, []string{"nope.map: no such file"}},
	{`search x`, []string{"too few arguments"}},
	{`search burrow.map grass`, []string{"wrong order", "did you mean `trowel search grass burrow.map`?"}},
	{`cat groups/Game.json burrow.map`, []string{"wrong order", "did you mean `trowel cat burrow.map groups/Game.json`?"}},
	{`render MEDIA/X.DDS ember.MOD`, []string{"did you mean `trowel render ember.MOD MEDIA/X.DDS`?"}},
	{`ls groups burrow.map`, []string{"did you mean `trowel ls burrow.map groups`?"}},
	{`ls nope.map burrow.map`, []string{"nope.map: no such file"}},
	{`edit info -- burrow.map --author x`, []string{"did you mean `trowel edit burrow.map -- info --author x`?"}},
	{`find tile 5 -- burrow.map`, []string{"did you mean `trowel find burrow.map -- tile 5`?"}},
	{`merge burrow.map nope.map burrow.map -o x.map`, []string{"nope.map: no such file"}},
	{`find burrow.map tile 5`, []string{"did you mean `trowel find burrow.map -- tile 5`?"}},
	{`find burrow.map -- tiel 5`, []string{"did you mean tile?"}},
	{`find burrow.map -- tile frezze`, []string{"no tile \"frezze\"", "did you mean freeze?"}},
	{`edit burrow.map -o x.map -- replace-tiles hokable freeze --layer game`, []string{"did you mean hookable?"}},
	{`find ember.MOD -- object Monster --whre NAME=x`, []string{"no option --whre", "did you mean --where?"}},
	{`find ember.MOD -- key LEVEL --whre NAME=x`, []string{"no option --whre", "did you mean --where?"}},
	{`edit world -- fill default:dirt`, []string{"lists the operations"}},
	{`restore burrow.map repo`, []string{"does not read a Teeworlds/DDNet map", "`trowel restore FILE -o NEW`"}},
	{`restore folder`, []string{"folder: not the folder of a game file", "give a repository of backups", "`trowel restore FILE -o NEW`"}},
	{`convert world --to redis -o w3`, []string{"--redis and --redis-hash"}},
	{`convert world --to postgresql -o w3`, []string{"--postgres"}},
	{`find burrow.map -- tile 999`, []string{"expected a number from 0 to 255"}},
	{`find world -- nodes`, []string{"did you mean node?"}},
	{`find world -- node default:dirt --box 1,2`, []string{"expected two positions of nodes"}},
	{`find ember.MOD -- key`, []string{"expected KEY"}},
	{`edit burrow.map`, []string{"no operation is given"}},
	{`edit burrow.map -- nope`, []string{"nope", "lists the operations"}},
	{`edit burrow.map info --author Ann`, []string{"--author", "follow --"}},
	{`edit burrow.map replace-tiles 9 11`, []string{"write -- before the operation"}},
	{`edit burrow.map -- info --autor Ann`, []string{"no option --autor", "did you mean --author?"}},
	{`edit burrow.map -- info --author`, []string{"--author needs a value"}},
	{`edit burrow.map -- replace-tiles 9 11 12`, []string{"\"12\""}},
	{`edit burrow.map -- replace-image burrow nope.png`, []string{"nope.png: no such file"}},
	{`edit burrow.map -o burrow.map -- info --author Ann`, []string{"refusing to overwrite the input"}},
	{`edit burrow.map -o x.mod -- info --author Ann`, []string{".MOD is the extension of a Torchlight II mod"}},
	{`edit burrow.map --in-place -o x.map -- info --author Ann`, []string{"cannot be combined"}},
	{`edit burrow.map --script nope.txt`, []string{"nope.txt: no such file"}},
	{`edit world -- replace-tiles 1 2`, []string{"the operation is for another format"}},
	{`edit ember.MOD -- set X`, []string{"expected KEY"}},
	{`merge burrow.map`, []string{"expected three files"}},
	{`merge burrow.map world burrow.map -o x.map`, []string{"world is a Minetest/Luanti world"}},
	{`merge burrow.map burrow.map burrow.map --prefer nope -o x.map`, []string{"expected ours or theirs"}},
	{`repair burrow.map`, []string{"expected one of -o NEW"}},
	{`repair burrow.map --restore`, []string{"--restore needs a value"}},
	{`repair burrow.map --restore nope.map`, []string{"nope.map: no such file"}},
	{`render world --view nope -o x.png`, []string{"no view \"nope\""}},
	{`render burrow.map --layers Gmae,Nope -o x.png`, []string{"no layer \"Gmae\", \"Nope\"", "did you mean Game?"}},
	{`render burrow.map --size abc -o x.png`, []string{"--size \"abc\": expected WIDTHxHEIGHT"}},
	{`render burrow.map --at 1 -o x.png`, []string{"--at: expected x,y[,z], not \"1\""}},
	{`render world --at nan,2,3 -o x.png`, []string{"--at: expected x,y[,z], not \"nan,2,3\""}},
	{`render world --at 1,2,3 --look a,b -o x.png`, []string{"--look: expected yaw,pitch, not \"a,b\""}},
	{`render world --at 1,2,3 --look 0,1000 -o x.png`, []string{"expected yaw,pitch with a pitch from -90 to 90"}},
	{`render world --view camera -o x.png`, []string{"the view camera requires --at x,y[,z]"}},
	{`render world --look 90,0 -o x.png`, []string{"--look is for the view camera, and this is the view top", "requires --at x,y[,z]"}},
	{`render burrow.map --at 1,2 --view map -o x.png`, []string{"--at is for the view camera", "--view camera draws that view"}},
	{`render world --view slice -o x.png`, []string{"the view slice requires --slice Y"}},
	{`render burrow.map --view camera --size 99999x99999 -o x.png`, []string{"at most 268,435,456 pixels"}},
	{`render world --textures nope -o x.png`, []string{"--textures nope: no such folder", "of a game, of mods or of textures"}},
	{`render world --textures burrow.map -o x.png`, []string{"--textures burrow.map: is a file, not a folder"}},
	{`convert world --to glb --box 0,0,0:999,999,999 -o x.glb`, []string{"at most 16,777,216 nodes", "choose a smaller --box"}},
	{`render burrow.map -o x.jpg`, []string{"x.jpg", "--format"}},
	{`render ember.MOD MEDIA/NOPE.DDS`, []string{"no file inside matches"}},
	{`render burrow.map --slice 5 -o x.png`, []string{"--slice is for a Minetest/Luanti world"}},
	{`convert burrow.map`, []string{"choose the format with --to"}},
	{`convert burrow.map --to`, []string{"--to needs a value"}},
	{`convert burrow.map --to sqlite`, []string{"cannot be converted to \"sqlite\""}},
	{`convert world --to levldb -o w2`, []string{"did you mean leveldb?"}},
	{`convert world --to mts -o x.mts`, []string{"--to mts requires --box"}},
	{`cat burrow.map nope`, []string{"contains no nope"}},
	{`dump burrow.map nope`, []string{"no field nope"}},
	{`backup world`, []string{"too few arguments"}},
	{`backup burrow.map repo`, []string{"backups do not support"}},
	{`manifest burrow.map`, []string{"does not read a Teeworlds/DDNet map"}},
	{`manifest world -o world`, []string{"refusing to overwrite the input"}},
	{`explain tw-map-tile-unusd`, []string{"did you mean tw-map-tile-unused?"}},
	{`completion nope`, []string{"unknown shell \"nope\""}},
	{`view --port 99999 burrow.map`, []string{"--port \"99999\": expected a number from 1 to 65535"}},
	{`view --backups burrow.map world`, []string{"burrow.map: expected a repository of backups, found a Teeworlds/DDNet map"}},
	{`view --backups world burrow.map ember.MOD`, []string{"--backups and --git need one file"}},
	{`view --edit burrow.map ember.MOD`, []string{"--edit needs one file"}},
	{`view --ports 80 burrow.map`, []string{"`trowel view` has no option --ports"}},
}

// lackingUsages name something that no file contains: the exit code is 1.
var lackingUsages = []usage{
	{`edit world -- replace drit air`, []string{"did you mean default:dirt?"}},
	{`edit world -- replace dirt air`, []string{"did you mean default:dirt?"}},
	{`find world -- node dirt`, []string{"did you mean default:dirt?"}},
	{`edit burrow.map -- replace-tiles 1 2 --layer all`, []string{"did you mean " + words.Quoted("*") + "?"}},
	{`edit burrow.map -- rename-image a b`, []string{"hint: there is burrow, burrow_clouds, burrow_light"}},
	{`edit ember.MOD -- set EMBER_RING LEVEL 2`, []string{"the file with this NAME is UNITS/ITEMS/RINGS/EMBER_RING.DAT"}},
	{`edit ember.MOD -- set EMBR_RING LEVEL 2`, []string{"did you mean UNITS/ITEMS/RINGS/EMBER_RING.DAT?"}},
	{`edit burrow.map -- rename-image burow granite`, []string{"no image \"burow\"", "did you mean burrow?"}},
	{`find world -- node default:drit`, []string{"no node \"default:drit\" in the world", "did you mean default:dirt?"}},
	{`find world -- node default:drit nope:x`, []string{"no node \"default:drit\"", "no node \"nope:x\""}},
	{`find world -- item default:aple`, []string{"no item \"default:aple\"", "did you mean default:apple?"}},
	{`find world -- object __builtn:item`, []string{"did you mean __builtin:item?"}},
	{`find world -- metadata infotxt=x`, []string{"no variable \"infotxt\"", "did you mean infotext?"}},
	{`find burrow.map -- image burow`, []string{"no image \"burow\"", "did you mean burrow?"}},
	{`find burrow.map -- tile 1 --layer Gmae,Nope`, []string{"no layer \"Gmae\"", "did you mean Game?", "no layer \"Nope\""}},
	{`find burrow.map burrow.map -- sound nope`, []string{"no sound \"nope\" in any of the files"}},
	{`find world -- node default:bred`, []string{"no node \"default:bred\" in the world"}},
	{`find burrow.map -- tele 77`, []string{"no tele tile with the number \"77\" in the file"}},
	{`find ember.MOD -- key LEVLE`, []string{"no key \"LEVLE\"", "did you mean LEVEL?"}},
	{`find ember.MOD -- file MEDIA/NOPE.DAT`, []string{"no file \"MEDIA/NOPE.DAT\""}},
}

var (
	otherCommand = regexp.MustCompile("`[^`]*`")
	newFile      = regexp.MustCompile(`(?:-o|--output) ([^ ` + "`" + `]+)`)
	namedOption  = regexp.MustCompile(`(?:^| )--?([a-z][a-z-]*)`)
)

// TestWrongUsages tests that a wrong usage ends with exit code 2 and an explanation; that no hint names an
// option that the verb does not have, or an existing file as the output; and that no answer contains the
// wording of a library, an escaped line end or a missing value.
func TestWrongUsages(t *testing.T) {
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	do := func(args []string) (int, string) {
		var out, talk bytes.Buffer
		code := run(games, args, strings.NewReader(""), &out, &talk)
		return code, talk.String()
	}
	for _, args := range [][]string{
		{"pack", filepath.Join(samples, "burrow"), "-o", "burrow.map"}, {"pack", filepath.Join(samples, "ember"), "-o", "ember.MOD"},
		{"pack", filepath.Join(samples, "hollow"), "-o", "world"},
	} {
		if code, said := do(args); code != 0 {
			t.Fatal(said)
		}
	}
	for name, text := range map[string]string{"empty.map": "", "empty.MOD": "", "empty.mts": "", "empty.block": "", "text.txt": "x"} {
		judge.Write(t, name, []byte(text))
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	for i, c := range slices.Concat(wrongUsages, lackingUsages) {
		args := strings.Fields(c.line)
		code, said := do(args)
		want := exitFailed
		if i >= len(wrongUsages) {
			want = exitFound
		}
		if code != want {
			t.Errorf("%s: exit code %d\n%s", c.line, code, said)
		}
		for _, words := range c.words {
			if !strings.Contains(said, words) {
				t.Errorf("%s: no %q in\n%s", c.line, words, said)
			}
		}
		for _, odd := range []string{"flag", "strconv", "shorthand", "arg(s)", `\n`, "<nil>"} {
			if strings.Contains(said, odd) {
				t.Errorf("%s: %q in\n%s", c.line, odd, said)
			}
		}
		_, hint, _ := strings.Cut(said, "hint: ")
		for _, m := range newFile.FindAllStringSubmatch(hint, -1) {
			if service.Exists(m[1]) {
				t.Errorf("%s: the hint suggests a file that exists as the output: %s", c.line, hint)
			}
		}
		if strings.Contains(hint, "option of") || strings.Contains(hint, "is before the --") {
			continue // its message names the right place
		}
		verb, _, err := rootCommand(newTool(games, nil, nil, nil)).Find(args)
		if err != nil || verb.Parent() == nil {
			continue
		}
		for _, m := range namedOption.FindAllStringSubmatch(otherCommand.ReplaceAllString(hint, ""), -1) {
			flags := verb.Flags()
			of := verbCommands[verb.Name()]
			if flags.Lookup(m[1]) == nil && (len(m[1]) > 1 || flags.ShorthandLookup(m[1]) == nil) &&
				(of == nil || !isCommandOption(games.Formats(), of, m[1])) {
				t.Errorf("%s: the hint names an option that %s lacks: %s", c.line, verb.Name(), hint)
			}
		}
	}
}
