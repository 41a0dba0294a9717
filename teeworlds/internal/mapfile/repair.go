package mapfile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Repair repairs maps.
var Repair = &format.Repair{
	Plan: func(ctx context.Context, job *format.Job, src *format.Source, sink check.Sink) error {
		_, err := repair(ctx, job, src, sink)
		return err
	},
	Copy: func(ctx context.Context, job *format.Job, src *format.Source, out format.Output, sink check.Sink) error {
		data, err := repair(ctx, job, src, sink)
		if err != nil {
			return err
		}
		return format.Write(out, data)
	},
}

// repair returns a repaired map, or the map itself if it has no damage. The sink gets the errors and warnings of the map that
// the repaired map does not have.
func repair(ctx context.Context, job *format.Job, src *format.Source, sink check.Sink) ([]byte, error) {
	data, err := Read(src)
	if err != nil {
		return nil, err
	}
	m, err := twmap.Salvage(data)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	found := findings(m)
	if !slices.ContainsFunc(found, func(f check.Finding) bool { return repairable()[f.ID] }) {
		return data, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.ReportLosses(reportLoss(job, src))
	_ = m.Source().Verify() // reports the losses
	if err := repairMap(job, src, m); err != nil {
		return nil, err
	}
	repaired, err := m.Encode()
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	after, err := twmap.Decode(repaired)
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	left := findings(after)
	for _, f := range left {
		if f.Severity == check.Error {
			job.Lose(src.Path, "not repaired: %v", f)
		}
	}
	for _, f := range found {
		if f.Severity != check.Info && !slices.ContainsFunc(left, func(l check.Finding) bool { return l.ID == f.ID && l.Path == f.Path }) {
			sink(f)
		}
	}
	return repaired, nil
}

// repairMap repairs a map, and reports what is lost by that.
func repairMap(job *format.Job, src *format.Source, m *twmap.Map) error {
	losses, err := mapedit.Repair(m)
	for _, lost := range losses {
		job.Lose(src.Path, "%s", lost)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", src.Path, err)
	}
	return nil
}

// Mend makes a map that was made from files writable: it repairs the map if one of the files is damaged, in whichever block, so that the
// damage does not become that of other parts.
func Mend(job *format.Job, src *format.Source, m *twmap.Map, read ...*datafile.File) error {
	damaged := false
	for _, f := range read {
		_ = f.Verify() // reports the losses
		damaged = damaged || f.Lost() != nil && f.Salvaged()
	}
	if !damaged {
		return nil
	}
	return repairMap(job, src, m)
}

// repairable returns the kinds of findings that a repair removes: those whose remedy names it.
var repairable = sync.OnceValue(func() map[string]bool {
	kinds := make(map[string]bool)
	for _, k := range slices.Concat(datafile.Catalog.Kinds(), twmap.Catalog.Kinds()) {
		kinds[k.ID] = strings.Contains(k.Remedy, "trowel repair")
	}
	return kinds
})

func findings(m *twmap.Map) (list []check.Finding) {
	m.CheckFile(func(f check.Finding) { list = append(list, f) })
	return list
}
