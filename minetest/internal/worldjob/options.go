// Package worldjob contains what all verbs for worlds share: options, among them those that
// select a part of a world, and reports about the state of a world.
package worldjob

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/stores/database"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// Options of several verbs.
var (
	OptionArea = format.Option{Name: "area", For: format.ForTree | format.ForCheck,
		Help:  "only the blocks in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order, counted in blocks",
		Parse: func(value string) error { _, err := parseArea(value); return err }}
	OptionRemote = format.Option{Name: "remote", Type: format.Bool, Access: format.Access{Remote: true},
		Help: "connect to database servers on other machines, if world.mt names them"}
	OptionNodes = format.Option{Name: "nodes", For: format.ForScene, Access: format.Access{Input: true},
		Help: "a `file` with the definitions of nodes, made by the mod contrib/minetest/trowel_nodes"}
	OptionSince = format.Option{Name: "since", For: format.ForTiles | format.ForCensus, Access: format.Access{Input: true},
		Help: "make only what has changed since a `manifest` of the world was made"}
	OptionExact = format.Option{Name: "exact-blocks", Type: format.Bool, For: format.ForTree,
		Help: "keep the exact bytes of blocks of version 29, not only their contents"}
	OptionVerifiers = format.Option{Name: "verifiers", Type: format.Bool, Access: format.Access{Secret: true}, For: format.ForTree,
		Help: "show the verifiers of passwords"}
	OptionQuick = format.Option{Name: "quick", Type: format.Bool, For: format.ForCheck,
		Help: "only open a world, check its databases as a whole, and count what is in them, as before a server starts"}
	OptionSchema = format.Option{Name: "schema", For: format.ForBuild | format.ForCheck, Choices: []string{"pos", "xyz"},
		Help: "the `table` of blocks in SQLite: pos (all versions of the game) or xyz (5.12 and later)"}
)

// Area returns the area of blocks that the user selected, or nil.
func Area(job *format.Job) (*mapdb.Area, error) {
	if text := OptionArea.Value(job); text != "" {
		return parseArea(text)
	}
	return nil, nil
}

// Options of copies of worlds.
var (
	optionPlayers = format.Option{Name: "players", Help: "the `backend` of players: " + backends(world.PlayersPart) + " (default: unchanged)"}
	optionAuth    = format.Option{Name: "auth", Help: "the `backend` of accounts: " + backends(world.AuthPart) + " (default: unchanged)"}
	optionStorage = format.Option{Name: "storage",
		Help: "the `backend` of mod storage: " + backends(world.StoragePart) + " (default: unchanged)"}
	optionPostgres = format.Option{Name: "postgres", Access: format.Access{Server: true},
		Help: "the PostgreSQL `connection` of the new world (as in pgsql_connection)"}
	optionRedis = format.Option{Name: "redis", Access: format.Access{Server: true},
		Help: "the `address` of the Redis of the new world: HOST, HOST:PORT or the path of a socket"}
	optionHash     = format.Option{Name: "redis-hash", Help: "the `hash` of the new world in Redis"}
	optionPassword = format.Option{Name: "redis-password", Help: "the `password` of that Redis"}

	CopyOptions = []format.Option{
		optionPlayers, optionAuth, optionStorage, optionPostgres, optionRedis, optionHash, optionPassword,
	}
)

// InPlace returns an error if an option is given that only a copy of a world has.
func InPlace(job *format.Job) error {
	for _, o := range CopyOptions {
		if o.Value(job) != "" {
			return fmt.Errorf("--%s is for a new world: in place, a world keeps its databases", o.Name)
		}
	}
	return nil
}

// backends lists the backends that can store a part of a world.
func backends(p world.Part) string {
	names := worldcopy.Backends(p)
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Copying returns the values of [CopyOptions] and of [OptionRemote].
func Copying(job *format.Job) (worldcopy.Options, error) {
	o := worldcopy.Options{
		Players: optionPlayers.Value(job), Auth: optionAuth.Value(job), Storage: optionStorage.Value(job),
		Postgres: optionPostgres.Value(job), Remote: OptionRemote.On(job), OnProgress: job.Report,
	}
	if o.Postgres != "" {
		if _, err := database.Postgres(o.Postgres, "", true); err != nil { // the error would name a setting of world.mt
			return o, errors.New(`--postgres: expected a connection, such as "host=127.0.0.1 user=minetest dbname=world"`)
		}
	}
	var err error
	o.Redis, err = redis(job)
	return o, err
}

// NameOptions adds the options that name a server to the error of a copy that requires them, and the option that names another
// database; other may be "".
func NameOptions(err error, other string) error {
	missing, ok := errors.AsType[*fault.Error](err)
	if !ok || !errors.Is(err, mapdb.ErrNoServer) {
		return err
	}
	options := "--redis and --redis-hash"
	if missing.Path == "postgres" {
		options = "--postgres"
	}
	if other != "" {
		options += ", or choose another database with " + other
	}
	return fmt.Errorf("%w (set it with %s)", err, options)
}

func redis(job *format.Job) (mapdb.Redis, error) {
	r := mapdb.Redis{Address: optionRedis.Value(job), Hash: optionHash.Value(job), Password: optionPassword.Value(job)}
	if host, port, ok := cutPort(r.Address); ok {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return r, fmt.Errorf("--redis %q: expected a port of 0 to 65535", r.Address)
		}
		r.Address, r.Port = host, int(n)
	}
	return r, nil
}

// cutPort splits HOST:PORT. The path of a socket has no port.
func cutPort(address string) (host, port string, ok bool) {
	i := strings.LastIndexAny(address, ":/]")
	if i < 0 || address[i] != ':' {
		return address, "", false
	}
	return address[:i], address[i+1:], true
}

// OfCommand returns an option as one of a command, instead of one of a capability.
func OfCommand(o format.Option) format.Option {
	o.For = 0
	return o
}
