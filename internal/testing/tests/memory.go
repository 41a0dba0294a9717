package tests

import "bytes"

// Memory is a file in memory.
type Memory struct{ Data []byte }

// Write appends to the file.
func (m *Memory) Write(b []byte) (int, error) { return m.WriteAt(b, int64(len(m.Data))) }

func (m *Memory) WriteAt(b []byte, at int64) (int, error) {
	if more := int(at) + len(b) - len(m.Data); more > 0 {
		m.Data = append(m.Data, make([]byte, more)...)
	}
	return copy(m.Data[at:], b), nil
}

func (m *Memory) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(m.Data).ReadAt(b, at)
}
