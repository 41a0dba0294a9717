package mapmatch

import "trowel.example/teeworlds/twmap"

// Quads returns, for each quad of the new version of a layer, its number in the old version, or -1. It matches equal
// quads first, then those that were only moved, only recoloured or only reshaped, and finally those with the same
// pivot.
func (m *Matches) Quads(old, new []twmap.Quad) []int {
	env := func(p *Prints, q *twmap.Quad) uint64 {
		return mix32(mix(refPrint(p.Envelopes, q.PosEnv), refPrint(p.Envelopes, q.ColorEnv)), q.PosEnvOffset, q.ColorEnvOffset)
	}
	type prints struct{ place, form, look, env uint64 }
	take := func(p *Prints, quads []twmap.Quad) []prints {
		all := make([]prints, len(quads))
		for i := range quads {
			q := &quads[i]
			all[i] = prints{quadPlace(q), quadForm(q), quadLook(q), env(p, q)}
		}
		return all
	}
	return inSteps(take(m.Old, old), take(m.New, new), []func(prints) prints{
		func(p prints) prints { return p },
		func(p prints) prints { return prints{form: p.form, look: p.look, env: p.env} },
		func(p prints) prints { return prints{place: p.place, form: p.form} },
		func(p prints) prints { return prints{place: p.place, look: p.look} },
		func(p prints) prints { return prints{form: p.form, look: p.look} },
		func(p prints) prints { return prints{place: p.place} },
	})
}

// InOrder matches the elements of two versions of a list: first equal elements, then those with the same place, such
// as the time of a point of an envelope.
func InOrder[T, K comparable](old, new []T, place func(T) K) []int {
	to := inSteps(old, new, []func(T) T{func(t T) T { return t }})
	taken := make(map[int]bool)
	for _, i := range to {
		taken[i] = true
	}
	rest := make(map[K][]int)
	for i := range old {
		if !taken[i] {
			rest[place(old[i])] = append(rest[place(old[i])], i)
		}
	}
	for j := range new {
		if k := place(new[j]); to[j] < 0 && len(rest[k]) > 0 {
			to[j], rest[k] = rest[k][0], rest[k][1:]
		}
	}
	return to
}

// inSteps matches elements with the same key, for one kind of key after the other.
func inSteps[T comparable](old, new []T, keys []func(T) T) []int {
	to, from := make([]int, len(new)), make([]int, len(old))
	for j := range to {
		to[j] = -1
	}
	for i := range from {
		from[i] = -1
	}
	for _, key := range keys {
		of := func(list []T, joined []int) []any {
			all := make([]any, len(list))
			for i := range list {
				if joined[i] < 0 {
					all[i] = key(list[i])
				}
			}
			return all
		}
		joinEqual(of(old, from), of(new, to), to, from)
	}
	return to
}
