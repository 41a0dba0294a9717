package twmap_test

import (
	"testing"

	"trowel.example/teeworlds/twmap"
)

// TestResidueOfWhatIsUsedNow tests that residues of unused integers do not replace values that were set since: a clip
// where there was none, and the name of an envelope whose item was too short for a name.
func TestResidueOfWhatIsUsedNow(t *testing.T) {
	m := playable()
	m.Envelopes = []*twmap.Envelope{{Version: 1, Channels: twmap.ChannelsColor, Synchronized: true}}
	f, err := m.Datafile()
	if err != nil {
		t.Fatal(err)
	}
	copy(item(f, itemGroup, 0)[8:], []int32{576, 1, 2, 3}) // its clip, which is disabled
	env := items(f, itemEnvelope)[0]
	env.Data = append(env.Data[:4:4], -1) // as in 2008
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m = decode(t, data)
	m.Groups[0].Clip = &twmap.Clip{Width: 9, Height: 9}
	m.Envelopes[0].Version, m.Envelopes[0].Synchronized = 2, false
	back := decode(t, encode(t, m))
	if got := back.Groups[0].Clip; got == nil || *got != *m.Groups[0].Clip {
		t.Errorf("the clip is %v", got)
	}
	if got := back.Envelopes[0]; got.Name != "" || got.Synchronized {
		t.Errorf("the envelope is %+v", got)
	}
}
