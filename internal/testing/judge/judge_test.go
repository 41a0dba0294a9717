package judge_test

import (
	"testing"

	"trowel.example/internal/testing/judge"
)

// TestLoadRefuses tests that the judges reject an invalid map: a judge that accepts everything is useless.
func TestLoadRefuses(t *testing.T) {
	for _, server := range []string{judge.DDNetServer, judge.TeeworldsServer} {
		if log, err := judge.Load(t, server, []byte("DATA\x04\x00\x00\x00 no map")); err == nil {
			t.Errorf("%s loads something that is not a map:\n%s", server, log)
		} else {
			t.Log(err)
		}
	}
	if said, err := judge.Run(t, judge.Dir(t), "map_resave", "none.map", "out.map"); err == nil {
		t.Errorf("map_resave takes a map that is not there: %s", said)
	}
}
