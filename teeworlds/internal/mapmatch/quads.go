package mapmatch

import "trowel.example/teeworlds/twmap"

// Quads returns, for each quad of the new version of a layer, its number in the old version, or -1. It matches equal
// quads first, then those that were only moved, only recoloured or only reshaped, and finally those with the same
// pivot.
func (m *Matches) Quads(old, new []twmap.Quad) []int {
	of := func(p *Prints) func(int32) uint64 {
		return func(env int32) uint64 { return refPrint(p.Envelopes, env) }
	}
	return quads(old, new, of(m.Old), of(m.New))
}

// Quads is [Matches.Quads] for layers of maps whose equal envelopes have the same numbers.
func Quads(old, new []twmap.Quad) []int {
	number := func(env int32) uint64 { return uint64(env) }
	return quads(old, new, number, number)
}

func quads(old, new []twmap.Quad, oldEnv, newEnv func(number int32) uint64) []int {
	type prints struct{ place, form, look, env uint64 }
	take := func(quads []twmap.Quad, env func(int32) uint64) []prints {
		all := make([]prints, len(quads))
		for i := range quads {
			q := &quads[i]
			all[i] = prints{quadPlace(q), quadForm(q), quadLook(q),
				mix32(mix(env(q.PosEnv), env(q.ColorEnv)), q.PosEnvOffset, q.ColorEnvOffset)}
		}
		return all
	}
	return inSteps(take(old, oldEnv), take(new, newEnv), []func(prints) prints{
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
