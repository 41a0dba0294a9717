package minetest

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/worldfile"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldsteps"
	"trowel.example/minetest/worldcopy"
)

var (
	optionVerify = format.Option{Name: "verify", Type: format.Bool,
		Help: "read the stored contents of the world and store the damaged ones again"}
	optionRecipient = format.Option{Name: "recipient", List: true, Help: "encrypt a new repository for this `recipient` of age " +
		"(age1...), or for all in a file, one on each line"}
	optionPassphrase = format.Option{Name: "passphrase", Type: format.Bool, Help: "encrypt a new repository with a passphrase, which is " +
		"asked for unless TROWEL_PASSPHRASE contains it"}
	optionSign = format.Option{Name: "sign", Help: "sign the snapshot with the secret key of minisign in a `file`; its " +
		"password is asked for unless TROWEL_SIGN_PASSWORD contains it"}
	optionMap = format.Option{Name: "map", Choices: worldcopy.Targets(), Help: "the `database` of the blocks: " +
		strings.Join(worldcopy.Targets(), ", ") + " (default: unchanged)"}
)

// minetestBackup is a repository of backups of worlds.
var minetestBackup = &format.Format{
	Name:  worldfile.RepositoryName,
	Title: "repository of backups of Minetest/Luanti worlds",
	Doc:   "docs/formats/minetest-backup.md",
	Recognition: format.Recognition{
		Folder: true,
		Stored: true,
		// Recognizing a format has no context. It reads one small file.
		Recognize: func(src *format.Source) bool { return worldrepo.Recognize(context.Background(), src.Files()) },
	},
	Open: worldfile.OpenRepository,
	Protection: format.Protection{
		Replaces: func(context.Context, *format.Job, *format.Source, fs.FS) error {
			return errors.New("a repository of backups is never replaced")
		},
	},
	Names: func(ctx context.Context, job *format.Job, src *format.Source, _ string, add func(name string)) error {
		list, err := worldBackups.List(ctx, job, src)
		for _, s := range list {
			add(s.ID)
		}
		return err
	},
	Backups:    worldBackups,
	Comparison: format.Comparison{Compare: compareMoments, CompareTo: worldfile.WorldName},
	Options:    slices.Concat([]format.Option{worldfile.OptionPart}, momentOptions, worldjob.TrustOptions),
	Kinds:      worldrepo.Catalog.Kinds(),
	Conversions: []format.Conversion{{
		To: worldfile.WorldName, Title: "a world from a backup", Verb: "restore", Did: "restored", Usual: true, Resumes: true,
		Into: "put-back",
		Plan: &format.Plan{
			Name: worldsteps.PlanName, Write: worldsteps.Plan, Asks: "trowel_rewind",
			Help: "With --plan nothing of the world changes, and a server may run it: " + worldsteps.PlanName + " is written into its\n" +
				"folder, or the file of -o, and the mod contrib/minetest/trowel_rewind on the server puts the nodes back.\n" +
				"`/rewind start` in the chat starts it.",
		},
		Long: "The world is restored to a new folder, in its original database or in that of --map.\nContents that " +
			"are damaged in the repository are reported, and the rest is restored.\n`trowel ls REPO` lists the snapshots.",
		Example: "  trowel restore backups -o world\n  trowel restore backups --moment 2026-11-20 -o world-of-friday\n  " +
			"trowel restore backups --into world --box 0,0,0:100,50,100\n  trowel restore backups --into world --missing\n  " +
			"trowel restore backups --into world --box 0,0,0:100,50,100 --plan\n  trowel restore 's3://backups/world?region=eu-central-1' -o world",
		Options: slices.Concat([]format.Option{worldjob.OptionMoment, optionMap}, worldjob.TrustOptions, worldjob.CopyOptions),
		Convert: restoreWorld,
	}},
}

// worldBackups makes and restores backups of worlds. The page in the browser only reads them.
var worldBackups = &format.Backups{
	Options: []format.Option{optionVerify, optionRecipient, optionPassphrase, optionSign},
	Trust:   worldjob.TrustOptions,
	List:    worldfile.Snapshots,
	Show:    worldfile.ShowSnapshot,
}

func restoreWorld(ctx context.Context, job *format.Job, src *format.Source, out format.Output) (err error) {
	r, s, err := worldjob.OpenSnapshot(ctx, job, src, worldjob.OptionMoment.Value(job))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	o, err := worldjob.Copying(job)
	if err != nil {
		return err
	}
	o.Map, o.Whole = optionMap.Value(job), !job.KeepGoing
	o.Sink = worldjob.Sink(job, worldcopy.Losses(), worldrepo.Losses.Kinds(), worldrepo.Catalog.Kinds())
	dir, err := out.KeptDir()
	if err != nil {
		return err
	}
	report, err := r.Restore(ctx, s, dir, o)
	if err == nil {
		job.Done("%s as it was at %s: %s", s.World, s.Time.Format(time.RFC3339), words.Count(report.Blocks, "block"))
	}
	return worldjob.NameOptions(err, "--"+optionMap.Name)
}
