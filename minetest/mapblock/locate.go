package mapblock

import (
	"fmt"
	"strings"

	"trowel.example/trace"
)

// Locate returns the position of the id of a node in the bytes of a block, or of the part of the id that is in
// Param0: the space of [Dump], the offset and the number of bytes. Path is the path that the node would have as a
// separate field, such as "nodes.param0[12]". ok is false if the block is damaged before that position.
func Locate(data []byte, index int) (at trace.Field, ok bool) {
	if index < 0 || index >= NodeCount {
		return at, false
	}
	d := decoder{data: data, nodesOnly: true, tracer: func(f trace.Field) {
		name, run, _ := strings.Cut(f.Path, "[")
		name = strings.TrimSuffix(name, ".")
		first, last := 0, 0
		if ok || name != "nodes" && !strings.HasSuffix(name, ".param0") {
			return
		}
		if _, err := fmt.Sscanf(run, "%d..%d]", &first, &last); err != nil || index < first || index > last {
			return
		}
		size := f.Len / int64(last-first+1) // of a node, whose id comes first
		at = trace.Field{Space: f.Space, Path: fmt.Sprintf("%s[%d]", name, index), Offset: f.Offset + int64(index-first)*size, Len: size}
		if name == "nodes" { // a whole node
			at.Len = 1
		}
		ok = true
	}}
	d.decode()
	return at, ok
}
