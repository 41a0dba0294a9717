package plan_test

import (
	"context"
	"fmt"
	"image"

	"trowel.example/torchlight/internal/plan"
	"trowel.example/torchlight/layout"
)

func ExampleNew() {
	monster := layout.DescriptorNamed("Monster")
	p := plan.New(&layout.File{Objects: []*layout.Object{{Descriptor: monster.Code, ID: 1, Name: "Guard"}}}, plan.Options{})
	m := image.NewRGBA(image.Rect(0, 0, 64, 64))
	err := p.Render(context.Background(), m, plan.Picture{Origin: p.Min, Scale: 64 / (p.Max[0] - p.Min[0])})
	fmt.Println(p.Marks[0].Title(), err)
	// Output:
	// Monster "Guard", id 1
	// at 0, 0, 0 <nil>
}
