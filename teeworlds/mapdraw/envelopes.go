package mapdraw

import "trowel.example/teeworlds/twmap"

// envelopes are the envelopes of a map at a time.
type envelopes struct {
	list []*twmap.Envelope
	ms   float64
	last struct { // the last result: quads of the same layer often need the same
		env    *twmap.Envelope
		offset int32
		values [4]float64
	}
}

// apply overwrites the values of into by those of an envelope. Values without a channel in the envelope are kept, as
// are all values if the envelope does not exist.
func (e *envelopes) apply(into []float64, index, offset int32) {
	if index < 0 || int(index) >= len(e.list) {
		return
	}
	env := e.list[index]
	if len(env.Points) == 0 || env.Channels <= 0 {
		return
	}
	if e.last.env != env || e.last.offset != offset {
		e.last.env, e.last.offset, e.last.values = env, offset, env.Eval(e.ms+float64(offset))
	}
	copy(into[:min(len(into), int(min(env.Channels, 4)))], e.last.values[:])
}
