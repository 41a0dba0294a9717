package raw_test

import (
	"errors"
	"testing"

	"trowel.example/internal/testing/mutate"
	"trowel.example/torchlight/raw"
)

func TestModel(t *testing.T) {
	tables := samples()
	mutate.Model(t, &tables, func(t *[]raw.Table) *[]raw.Table {
		var list []raw.Table
		for _, table := range *t {
			list = append(list, raw.Clone(table))
		}
		return &list
	}, func(a, b *[]raw.Table) bool {
		for i := range *a {
			if len(*a) != len(*b) || !raw.Equal((*a)[i], (*b)[i]) {
				return false
			}
		}
		return true
	}, func(t *[]raw.Table) (all []byte, err error) {
		for _, table := range *t {
			if table == nil {
				return nil, errors.New("no table")
			}
			data, err := raw.Encode(table)
			if err != nil {
				return nil, err
			}
			all = append(all, data...)
		}
		return all, nil
	})
}
