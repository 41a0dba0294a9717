package datafile

import (
	"errors"
	"fmt"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/words"
)

// Catalog lists the kinds of findings that Check can report, in the order in which DDNet's reader validates.
var Catalog check.Catalog

var (
	foundFileSize = Catalog.Add("tw-datafile-file-size", check.Error,
		"The size of the file differs from its header: the file was truncated, or data was appended.",
		"Download the file again; extract and pack keeps the remaining contents. `trowel repair MAP -o NEW` keeps what is readable.")
	foundHeaderQuirk = Catalog.Add("tw-datafile-header-quirk", check.Info,
		"The header's size and swaplen leave out the table of data sizes, as writers up to 2010 did.",
		"Nothing to do: every reader accepts it. Packing without the sidecar corrects it.")
	foundHeaderSize = Catalog.Add("tw-datafile-header-size", check.Error,
		"The size in the header is wrong, and not in the way of writers up to 2010.",
		"Use `trowel repair MAP -o NEW`.")
	foundHeaderSwaplen = Catalog.Add("tw-datafile-header-swaplen", check.Error,
		"The swaplen in the header is wrong, and not in the way of writers up to 2010.",
		"Use `trowel repair MAP -o NEW`.")
	foundTypeCount = Catalog.Add("tw-datafile-type-count", check.Error,
		"The header states more item types than possible.",
		"The file is damaged: fetch it again. `trowel repair MAP -o NEW` keeps what is readable.")
	foundItemAreaSize = Catalog.Add("tw-datafile-item-area", check.Error,
		"The size of all items is not a multiple of four, or not the sum of the items.",
		"Use `trowel repair MAP -o NEW`.")
	foundAlloc = Catalog.Add("tw-datafile-alloc", check.Error,
		"Tables and items are larger than readers are ready to hold in memory.",
		"The file is damaged: fetch it again. `trowel repair MAP -o NEW` keeps what is readable.")
	foundTypeID = Catalog.Add("tw-datafile-type-id", check.Error,
		"An item type is listed twice or is not a 16-bit number.",
		"Use `trowel repair MAP -o NEW`.")
	foundTypeItems = Catalog.Add("tw-datafile-type-items", check.Error,
		"The table of item types does not agree with the items.",
		"Use `trowel repair MAP -o NEW`: the table is rebuilt.")
	foundItemOffset = Catalog.Add("tw-datafile-item-offset", check.Error,
		"Item offsets do not start at 0 or do not increase.",
		"Extract and compare with a good copy: items may be missing. `trowel repair MAP -o NEW` keeps what is readable.")
	foundItemOutside = Catalog.Add("tw-datafile-item-outside", check.Error,
		"An item is outside of the item area and cannot be read.",
		"Extract and compare with a good copy: the item is lost. `trowel repair MAP -o NEW` keeps what is readable.")
	foundItemSize = Catalog.Add("tw-datafile-item-size", check.Error,
		"An item's own size does not agree with the distance to the next.",
		"Use `trowel repair MAP -o NEW`; then look at the item named.")
	foundItemID = Catalog.Add("tw-datafile-item-id", check.Error,
		"Two items of a type have the same id; DDNet refuses the file.",
		"Use `trowel repair MAP -o NEW`: ids are reassigned.")
	foundIndexID = Catalog.Add("tw-datafile-index-id", check.Info,
		"The UUID index names a type twice, as some DDNet tools wrote it.",
		"Nothing to do: readers accept it. Packing without the sidecar corrects it.")
	foundDataOffset = Catalog.Add("tw-datafile-data-offset", check.Error,
		"Data offsets do not start at 0 or do not increase.",
		"Extract and compare with a good copy: data may be missing. `trowel repair MAP -o NEW` keeps what is readable.")
	foundDataOutside = Catalog.Add("tw-datafile-data-outside", check.Error,
		"A data block is outside of the data area and cannot be read.",
		"Extract and compare with a good copy: the block is lost. `trowel repair MAP -o NEW` keeps what is readable.")
	foundDataSize = Catalog.Add("tw-datafile-data-size", check.Error,
		"A data block's size is negative.",
		"Use `trowel repair MAP -o NEW`.")
	foundDataEmpty = Catalog.Add("tw-datafile-data-empty", check.Warning,
		"A data block is empty; whatever refers to it cannot be read.",
		"Extract, give the named layer or image contents, pack.")
	foundDataCorrupt = Catalog.Add("tw-datafile-data-corrupt", check.Error,
		"A data block does not inflate to the size stated for it; the game treats it as missing.",
		"Extract keeps the part that was inflated; compare it with an intact copy. `trowel repair MAP -o NEW` keeps what is readable.")
	foundDataSurplus = Catalog.Add("tw-datafile-data-surplus", check.Info,
		"Bytes follow the end of a data block's compressed stream.",
		"Nothing to do: readers ignore them. Packing without the sidecar drops them.")
)

// Check reports every problem of the container, from the header to the last data block. It inflates all blocks.
func (f *File) Check(sink check.Sink) {
	for _, finding := range f.issues {
		sink(finding)
	}
	for i, b := range f.Data {
		path := fmt.Sprintf("data[%d]", i)
		if b.size <= 0 || b.lost {
			continue // already reported
		}
		if surplus, err := b.verify(); err != nil {
			if !errors.Is(err, fault.ErrLimit) {
				err = errors.Unwrap(err)
			}
			sink.Add(foundDataCorrupt, path, b.offset, "%v", err)
		} else if surplus > 0 {
			sink.Add(foundDataSurplus, path, b.offset, "%s after the compressed stream", words.Count(surplus, "byte"))
		}
	}
}
