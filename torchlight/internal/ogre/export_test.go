package ogre

import (
	"fmt"

	"trowel.example/fault"
)

// DecodeMesh reads a mesh.
func DecodeMesh(data []byte) (*Mesh, error) { return decodeAs[*Mesh](data, "a mesh") }

// DecodeSkeleton reads a skeleton.
func DecodeSkeleton(data []byte) (*Skeleton, error) { return decodeAs[*Skeleton](data, "a skeleton") }

// decodeAs reads a model of one type.
func decodeAs[M Model](data []byte, want string) (M, error) {
	model, err := Decode(data)
	m, is := model.(M)
	if err == nil && !is {
		err = &fault.Error{Path: "version", Offset: 2, Want: want, Got: fmt.Sprintf("%q", signOf(model)), Err: fault.ErrFormat}
	}
	return m, err
}
