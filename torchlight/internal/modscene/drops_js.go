package modscene

import "trowel.example/internal/format"

// drops are not computed in the page that needs no program: the codex would enlarge it by 120 kB.
type drops struct{}

func (*modSheets) newDrops() *drops { return nil }

func (*drops) facts(string) []format.InfoField { return nil }
