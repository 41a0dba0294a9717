package verbs

import (
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/format"
)

// TestKeep tests which snapshots the rules of forget keep.
func TestKeep(t *testing.T) {
	var list []format.Snapshot
	for _, text := range []string{"2024-12-31 23:00", "2025-06-01 12:00", "2026-10-30 08:00", "2026-11-26 08:10", "2026-11-26 08:50",
		"2026-11-27 08:00", "2026-11-28 07:30", "2026-11-28 08:00", "2026-11-28 08:20"} {
		at, err := time.ParseInLocation("2006-01-02 15:04", text, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, format.Snapshot{ID: text, Time: at, Of: "world"})
	}
	list = append(list, format.Snapshot{ID: "other", Time: list[0].Time, Of: "other world"})
	within := func(text string) (p Period) {
		if err := p.Set(text); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for what, c := range map[string]struct {
		k    keeping
		kept string // beginnings of the names
	}{
		"the last two": {keeping{Last: 2}, "2026-11-28 08:00, 2026-11-28 08:20, other"},
		"hours":        {keeping{Hourly: 3}, "2026-11-27 08:00, 2026-11-28 07:30, 2026-11-28 08:20, other"},
		"days":         {keeping{Daily: 3}, "2026-11-26 08:50, 2026-11-27 08:00, 2026-11-28 08:20, other"},
		"months":       {keeping{Monthly: 2}, "2026-10-30 08:00, 2026-11-28 08:20, other"},
		"years":        {keeping{Yearly: 9}, "2024-12-31 23:00, 2025-06-01 12:00, 2026-11-28 08:20, other"},
		"within a day": {keeping{Within: within("1d")}, "2026-11-28 07:30, 2026-11-28 08:00, 2026-11-28 08:20, other"},
		"within hours": {keeping{Within: within("48h10h")}, "2026-11-26 08:10, 2026-11-26 08:50, 2026-11-27 08:00, " +
			"2026-11-28 07:30, 2026-11-28 08:00, 2026-11-28 08:20, other"},
		"within a month": {keeping{Within: within("1m2d")}, "2026-10-30 08:00, 2026-11-26 08:10, 2026-11-26 08:50, 2026-11-27 08:00, " +
			"2026-11-28 07:30, 2026-11-28 08:00, 2026-11-28 08:20, other"},
		"two rules": {keeping{Last: 1, Yearly: 2}, "2025-06-01 12:00, 2026-11-28 08:20, other"},
	} {
		gone := c.k.expired(list)
		var kept []string
		for _, s := range list {
			if !slices.Contains(gone, s.ID) {
				kept = append(kept, s.ID)
			}
		}
		if got := strings.Join(kept, ", "); got != c.kept {
			t.Errorf("%s: %s", what, got)
		}
	}
	for _, bad := range []string{"", "d", "1", "1x", "-1d", "1d2", "99999d", "1 d"} {
		if new(Period).Set(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestKeepZones tests hours that a clock shows twice, times of another zone, and months of different lengths.
func TestKeepZones(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	defer func(before *time.Location) { time.Local = before }(time.Local)
	if zone, err := time.LoadLocation("Europe/Berlin"); err == nil {
		berlin = zone
	}
	for what, c := range map[string]struct {
		zone  *time.Location
		k     keeping
		times string // in UTC
		kept  string
	}{
		"an hour that is there twice": {berlin, keeping{Hourly: 9}, "10-25T00:10 10-25T00:50 10-25T01:10 10-25T01:50",
			"10-25T00:50 10-25T01:50"},
		"the day of the zone": {berlin, keeping{Daily: 9}, "11-01T22:30 11-01T23:30 11-02T22:30", "11-01T22:30 11-02T22:30"},
		"the day of UTC":      {time.UTC, keeping{Daily: 9}, "11-01T22:30 11-01T23:30 11-02T22:30", "11-01T23:30 11-02T22:30"},
		"a day of 25 hours":   {berlin, keeping{Within: Period{days: 1}}, "10-24T20:59 10-24T21:01 10-25T22:00", "10-24T21:01 10-25T22:00"},
		"a month of 28 days":  {time.UTC, keeping{Within: Period{months: 1}}, "02-27T11:00 02-28T12:00 03-31T12:00", "02-28T12:00 03-31T12:00"},
	} {
		time.Local = c.zone
		var list []format.Snapshot
		for _, text := range strings.Fields(c.times) {
			at, err := time.Parse("2006-01-02T15:04", "2026-"+text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, format.Snapshot{ID: text, Time: at, Of: "world"})
		}
		gone := c.k.expired(list)
		list = slices.DeleteFunc(list, func(s format.Snapshot) bool { return slices.Contains(gone, s.ID) })
		var kept []string
		for _, s := range list {
			kept = append(kept, s.ID)
		}
		if got := strings.Join(kept, " "); got != c.kept && !(c.zone == berlin && berlin.String() == "CET") {
			t.Errorf("%s: %s", what, got)
		}
	}
}
