package pak

import "io"

// spread is the factor that both hashes use to compute the step of their sample from the length.
const spread = 0x29777B41

// ArchiveHash returns the hash of a .PAK of size bytes, or of the archive within a .MOD. It reads at most 77 bytes and
// none of the header's eight bytes, so the header can be written last.
func ArchiveHash(r io.ReaderAt, size int64) (uint32, error) {
	n := uint32(size)
	step := max(2, size/int64(25+n*spread%51))
	h := n
	var b [1]byte
	for o := int64(headerSize); o < size; o += step {
		if _, err := r.ReadAt(b[:], o); err != nil && err != io.EOF {
			return 0, err
		}
		h = h*33 + uint32(int8(b[0]))
	}
	b[0] = 0 // in an archive without blocks, the last byte belongs to the hash itself and counts as 0
	if size > headerSize {
		if _, err := r.ReadAt(b[:], size-1); err != nil && err != io.EOF {
			return 0, err
		}
	}
	return h*33 + uint32(int8(b[0])), nil
}

// ManifestHash returns the hash of a manifest of version 2. The sample leaves out the four bytes of the hash itself.
func ManifestHash(data []byte) uint32 {
	step := 15 + int(uint32(len(data))*spread%11)
	h := uint32(0x202A)
	for o := 0; o < len(data); o += step {
		h = h*33 + uint32(int8(data[o]))
	}
	return h
}
