package worldsteps

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// sequence is several steps performed as one.
type sequence []worldedit.Step

// Do performs the steps one after the other.
func (s sequence) Do(ctx context.Context, w *worldedit.World) error { return w.Do(ctx, s...) }

// ChunkOptions are the options that select map chunks.
type ChunkOptions struct {
	Deletion
	worldjob.Bounds
	Radius *int   `option:"radius" help:"only what is at most this number of {nodes} away from --center, at any height"`
	Center string `option:"center" default:"0,0" help:"the center for --radius, {x,z} in nodes"`
}

// Deletion are the options for the deletion of blocks.
type Deletion struct {
	Export string `option:"export,output" help:"write the deleted blocks to a new world in a {folder}"`
	Everything
}

// Everything is the option that confirms that everything is selected.
type Everything struct {
	All bool `option:"all" help:"allow it to select everything"`
}

// chunks returns the selected map chunks.
func (o ChunkOptions) chunks(counts *worldedit.Counts) (c worldadmin.Chunks, err error) {
	c = worldadmin.Chunks{Export: o.Export, All: o.All, Counts: counts}
	region, bounded, err := o.Select()
	if err != nil {
		return c, err
	}
	c.Box = region.Box
	if o.Radius != nil {
		if c.Radius = *o.Radius; c.Radius < 1 {
			return c, fmt.Errorf("--radius %d: expected 1 or more", c.Radius)
		}
	}
	x, z, ok := strings.Cut(o.Center, ",")
	var errX, errZ error
	c.Center[0], errX = strconv.Atoi(strings.TrimSpace(x))
	c.Center[1], errZ = strconv.Atoi(strings.TrimSpace(z))
	if !ok || errX != nil || errZ != nil || max(c.Center[0], c.Center[1]) > worldedit.MaxNode ||
		min(c.Center[0], c.Center[1]) < worldedit.MinNode {
		return c, fmt.Errorf("--center %q: expected x,z in nodes, such as 100,-20", o.Center)
	}
	if c.Radius == 0 && !bounded && !c.All {
		return c, errors.New("expected --box, --area or --radius, or --all")
	}
	return c, nil
}

// DeleteChunksOptions are the options of [DeleteChunks].
type DeleteChunksOptions struct {
	Invert   bool `option:"invert" help:"only the nodes outside of the region"`
	Touching bool `option:"touching" help:"also map chunks of which only a part exists"`
	ChunkOptions
}

// DeleteBlocksOptions are the options of [DeleteBlocks].
type DeleteBlocksOptions struct{ DeleteChunksOptions }

// Describe describes the options.
func (DeleteBlocksOptions) Describe(o *format.Option) {
	o.Explain("touching", "also blocks that lie in the region only partly")
}

// DeleteChunks deletes whole map chunks.
func DeleteChunks(o DeleteChunksOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	c, err := o.chunks(counts)
	c.Outside, c.Touching = o.Invert, o.Touching
	return c.Step(), err
}

// DeleteBlocks deletes single blocks.
func DeleteBlocks(o DeleteBlocksOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	c, err := o.chunks(counts)
	c.Single, c.Outside, c.Touching = true, o.Invert, o.Touching
	return c.Step(), err
}

// Vacuum rewrites SQLite databases without unused space.
func Vacuum(_ struct{}, counts *worldedit.Counts) (worldedit.Step, error) {
	return worldadmin.Vacuum(counts), nil
}

// KeepChunks deletes all map chunks but those that are selected.
func KeepChunks(o ChunkOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	c, err := o.chunks(counts)
	c.Outside = true
	return c.Step(), err
}

// Regenerate deletes map chunks that the map generator can make again.
func Regenerate(o ChunkOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	c, err := o.chunks(counts)
	c.Touching, c.Again = true, true
	return c.Step(), err
}

// PruneOptions are the options of [Prune].
type PruneOptions struct {
	Placed     []string `option:"placed" names:"node to keep"`
	PlacedFile string   `option:"placed-file,input" help:"a {file} of such names, one on each line"`
	Natural    []string `option:"natural" names:"node to keep" help:"a {name} of nodes that the map generator places"`
	Rare       int      `option:"rare" help:"names in fewer chunks than this are not placed by the map generator"`
	Margin     int      `option:"margin" default:"1" help:"the number of chunks to keep around each kept chunk"`
	worldjob.Protectors
	Deletion
}

// Describe describes the options.
func (PruneOptions) Describe(o *format.Option) {
	o.Explain("placed", "a `name` of nodes that players place, with wildcards * and ?; then no other name is regarded as placed")
	if o.Name == "rare" {
		o.Default = strconv.Itoa(worldadmin.DefaultRare)
	}
}

// Prune deletes map chunks in which nobody has done anything.
func Prune(o PruneOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	p := worldadmin.Prune{
		Placed: o.Placed, Natural: o.Natural, Rare: o.Rare, Margin: int16(o.Margin), Radius: o.Radius,
		Export: o.Export, All: o.All, Counts: counts,
	}
	if o.Margin < 0 || o.Margin > 100 || p.Rare < 1 || p.Radius < 1 || p.Radius > 1000 {
		return nil, errors.New("expected --margin 0 to 100, --rare 1 or more and --protector-radius 1 to 1000")
	}
	if o.PlacedFile != "" {
		list, err := readNames(o.PlacedFile)
		if err != nil {
			return nil, err
		}
		p.Placed = append(p.Placed, list...)
	}
	return p.Step(), nil
}

// readNames reads names from a file, one per line. Text after # is ignored.
func readNames(path string) (list []string, err error) {
	data, err := regular.ReadFile(path, effort.ScriptFile)
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: the file contains no name", path)
	}
	return list, err
}

// ClearObjectsOptions are the options of [ClearObjects].
type ClearObjectsOptions struct {
	Mode string `arg:"mode" choices:"full|quick" default:"full" help:"the method"`
}

// ClearObjects removes all objects.
func ClearObjects(o ClearObjectsOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	return worldadmin.ClearObjects(o.Mode == "quick", counts), nil
}

// PurgePlayersOptions are the options of [PurgePlayers].
type PurgePlayersOptions struct {
	PlayersOnly bool `option:"players-only" help:"keep the accounts"`
	Admins      bool `option:"admins" help:"also delete those with the privilege server or privs"`
	Everything
	worldjob.Persons
}

// PurgePlayers deletes players and their accounts.
func PurgePlayers(o PurgePlayersOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	rule, err := o.Rule()
	return worldadmin.Purge{Rule: rule, KeepAccounts: o.PlayersOnly, Admins: o.Admins, All: o.All, Counts: counts}.Step(), err
}

// RenamePlayerOptions are the options of [RenamePlayer].
type RenamePlayerOptions struct {
	Old          string   `arg:"old" names:"player" help:"the current name"`
	New          string   `arg:"new" help:"the new name"`
	Keys         []string `option:"key"`
	KeepStorage  bool     `option:"keep-storage" help:"do not change mod storage"`
	PasswordFile string   `option:"password-file,input" help:"a {file} whose first line is the new password"`
}

// Describe describes the options.
func (RenamePlayerOptions) Describe(o *format.Option) {
	o.Explain("key", "another `key` of the metadata of nodes whose value is a name, in addition to owner")
}

// RenamePlayer renames a player.
func RenamePlayer(o RenamePlayerOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	r := worldadmin.Rename{From: o.Old, To: o.New, Keys: o.Keys, KeepStorage: o.KeepStorage, Counts: counts}
	if o.PasswordFile != "" {
		data, err := regular.ReadFile(o.PasswordFile, effort.SmallFile)
		if err != nil {
			return nil, err
		}
		r.Password, _, _ = strings.Cut(string(data), "\n")
		if r.Password = strings.TrimSuffix(r.Password, "\r"); r.Password == "" {
			return nil, fmt.Errorf("%s: the first line is empty: expected the new password", o.PasswordFile)
		}
	}
	return r.Step(), nil
}

// BanOptions are the options of [Ban].
type BanOptions struct {
	Address string   `arg:"address" help:"such as 192.0.2.7"`
	Names   []string `arg:"name" help:"the player who used the address"`
}

// Ban bans an address.
func Ban(o BanOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	if len(o.Names) > 1 {
		return nil, errors.New("expected one address and one name")
	}
	if _, err := netip.ParseAddr(o.Address); err != nil {
		return nil, fmt.Errorf("%q: expected an address such as 192.0.2.7 or 2001:db8::7", o.Address)
	}
	return worldadmin.Ban(world.Ban{Address: o.Address, Name: strings.Join(o.Names, "")}, counts), nil
}

// UnbanOptions are the options of [Unban].
type UnbanOptions struct {
	AddressOrName string `arg:"who" help:"the address or the name"`
}

// Unban removes bans.
func Unban(o UnbanOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	return worldadmin.Unban(o.AddressOrName, counts), nil
}

// SetStorageOptions are the options of [SetStorage].
type SetStorageOptions struct {
	Mod      string   `arg:"mod" names:"mod" help:"the name of the mod"`
	Key      string   `arg:"key" help:"the key"`
	Values   []string `arg:"value" help:"the value"`
	FromFile string   `option:"from-file,input" help:"a {file} that contains the value"`
}

// SetStorage sets a value in the storage of a mod.
func SetStorage(o SetStorageOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	if (len(o.Values) == 1) == (o.FromFile != "") || len(o.Values) > 1 {
		return nil, errors.New("expected one value, or --from-file")
	}
	value := []byte(strings.Join(o.Values, ""))
	if o.FromFile != "" {
		var err error
		if value, err = regular.ReadFile(o.FromFile, effort.TextFile); err != nil {
			return nil, err
		}
	}
	return worldadmin.SetStorage(o.Mod, o.Key, value, counts), nil
}

// DeleteStorageOptions are the options of [DeleteStorage].
type DeleteStorageOptions struct {
	Mod  string   `arg:"mod" names:"mod" help:"the name of the mod"`
	Keys []string `arg:"key" help:"the keys; without any, everything that the mod stores, which requires --all"`
	Everything
}

// DeleteStorage deletes keys from the storage of a mod, or all keys.
func DeleteStorage(o DeleteStorageOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	if len(o.Keys) == 0 {
		return worldadmin.DeleteStorage(o.Mod, "", o.All, counts), nil
	}
	var list sequence
	for _, key := range o.Keys {
		list = append(list, worldadmin.DeleteStorage(o.Mod, key, false, counts))
	}
	return list, nil
}

// TrimRollbackOptions are the options of [TrimRollback].
type TrimRollbackOptions struct {
	Before string `arg:"before" help:"a date such as 2024-01-31, or an age such as 90d"`
}

// TrimRollback deletes old actions from rollback.sqlite.
func TrimRollback(o TrimRollbackOptions, counts *worldedit.Counts) (worldedit.Step, error) {
	before, err := worldjob.ParseTime(o.Before, time.Now())
	return worldadmin.TrimRollback(before, counts), err
}
