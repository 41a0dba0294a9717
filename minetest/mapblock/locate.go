package mapblock

import (
	"fmt"
	"strings"

	"trowel.example/trace"
)

// Locate returns where the id of a node stands in the bytes of a block, or the part of it that
// is in Param0: in which space of [Dump], from which offset on, and in how many bytes. Path is
// the one that the node would have if it were a field of its own, such as "nodes.param0[12]". It
// reports false where the block breaks before.
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
		size := f.Len / int64(last-first+1) // of a node, of which the id comes first
		at = trace.Field{Space: f.Space, Path: fmt.Sprintf("%s[%d]", name, index), Offset: f.Offset + int64(index-first)*size, Len: size}
		if name == "nodes" { // all of a node
			at.Len = 1
		}
		ok = true
	}}
	d.decode()
	return at, ok
}
