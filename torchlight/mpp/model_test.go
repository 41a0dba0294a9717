package mpp_test

import (
	"testing"

	"trowel.example/internal/testing/mutate"
	"trowel.example/torchlight/mpp"
)

func TestModel(t *testing.T) {
	mutate.Model(t, sample(), (*mpp.File).Clone, (*mpp.File).Equal, (*mpp.File).Encode)
}
