package ogre_test

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/internal/ogre"
)

// numbers are all numbers of a model by their meaning; names are part of the keys.
type numbers map[string][]float64

func (n numbers) add(key string, values ...float64) { n[key] = append(n[key], values...) }

// element is an element of OGRE's XML.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
}

func (e *element) get(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e *element) number(name string) float64 {
	v, _ := strconv.ParseFloat(strings.Replace(strings.Replace(e.get(name), "true", "1", 1), "false", "0", 1), 64)
	return v
}

// all returns the elements below e with a name, at any depth.
func (e *element) all(name string) (found []*element) {
	for i := range e.Children {
		c := &e.Children[i]
		if c.XMLName.Local == name {
			found = append(found, c)
		}
		found = append(found, c.all(name)...)
	}
	return found
}

func (e *element) vector(name string) []float64 {
	for _, c := range e.all(name) {
		return []float64{c.number("x"), c.number("y"), c.number("z")}
	}
	return nil
}

// turn returns the quaternion of an angle around an axis.
func (e *element) turn(name string) []float64 {
	for _, c := range e.all(name) {
		axis := c.vector("axis")
		length := math.Hypot(math.Hypot(axis[0], axis[1]), axis[2])
		sin, cos := math.Sincos(c.number("angle") / 2)
		return positive([]float64{axis[0] / length * sin, axis[1] / length * sin, axis[2] / length * sin, cos})
	}
	return nil
}

// positive returns the one of both quaternions of a rotation that has a positive last number.
func positive(q []float64) []float64 {
	if q[3] < 0 {
		return []float64{-q[0], -q[1], -q[2], -q[3]}
	}
	return q
}

func (n numbers) geometry(at string, g *element) {
	n.add(at+" vertices", g.number("vertexcount"))
	for _, v := range g.all("position") {
		n.add(at+" position", v.number("x"), v.number("y"), v.number("z"))
	}
	for _, v := range g.all("normal") {
		n.add(at+" normal", v.number("x"), v.number("y"), v.number("z"))
	}
	for _, v := range g.all("texcoord") {
		n.add(at+" uv", v.number("u"), v.number("v"))
	}
	for _, v := range g.all("colour_diffuse") {
		for _, word := range strings.Fields(v.get("value")) {
			c, _ := strconv.ParseFloat(word, 64)
			n.add(at+" colour", c)
		}
	}
}

// weights adds weights in the order of their vertices and bones.
func (n numbers) weights(at string, list [][]float64) {
	slices.SortFunc(list, func(a, b []float64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, w := range list {
		n.add(at+" weight", w...)
	}
}

// ofXML returns the numbers of OGRE's XML.
func ofXML(t *testing.T, data []byte) numbers {
	t.Helper()
	var root element
	if err := xml.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	n := make(numbers)
	assignments := func(at string, parent *element, name string) {
		for _, list := range parent.Children {
			if list.XMLName.Local != name {
				continue
			}
			var all [][]float64
			for _, w := range list.all("vertexboneassignment") {
				all = append(all, []float64{w.number("vertexindex"), w.number("boneindex"), w.number("weight")})
			}
			n.weights(at, all)
		}
	}
	for _, g := range root.all("sharedgeometry") {
		n.geometry("shared", g)
	}
	assignments("shared", &root, "boneassignments")
	for i, s := range root.all("submesh") {
		at := fmt.Sprintf("submesh %d", i)
		n.add(at+" "+s.get("material"), s.number("usesharedvertices"), s.number("use32bitindexes"))
		for _, f := range s.all("face") {
			n.add(at+" faces", f.number("v1"), f.number("v2"), f.number("v3"))
		}
		for _, g := range s.all("geometry") {
			n.geometry(at, g)
		}
		assignments(at, s, "boneassignments")
	}
	for _, l := range root.all("skeletonlink") {
		n.add("skeleton " + l.get("name"))
	}
	for _, name := range root.all("submeshname") {
		n.add("name "+name.get("name"), name.number("index"))
	}
	for _, b := range root.all("bone") {
		n.add("bone "+b.get("name"), append(append([]float64{b.number("id")}, b.vector("position")...), b.turn("rotation")...)...)
		n.add("bone "+b.get("name")+" scale", b.vector("scale")...)
	}
	for _, p := range root.all("boneparent") {
		n.add("parent " + p.get("bone") + " " + p.get("parent"))
	}
	for _, a := range root.all("animation") {
		n.add("animation "+a.get("name"), a.number("length"))
		for _, track := range a.all("track") {
			at := "track " + a.get("name") + " " + track.get("bone")
			for _, k := range track.all("keyframe") {
				n.add(at, k.number("time"))
				n.add(at, k.vector("translate")...)
				n.add(at, k.turn("rotate")...)
				n.add(at, k.vector("scale")...)
			}
		}
	}
	return n
}

func wide(values []float32) (all []float64) {
	for _, v := range values {
		all = append(all, float64(v))
	}
	return all
}

func (n numbers) ofGeometry(at string, g *ogre.Geometry) {
	n.add(at+" vertices", float64(g.Count))
	for semantic, name := range map[uint16]string{ogre.Position: "position", ogre.Normal: "normal", ogre.TexCoord: "uv"} {
		if values, _ := g.Floats(semantic, 0); values != nil {
			n.add(at+" "+name, wide(values)...)
		}
	}
	if e := g.Element(ogre.Diffuse, 0); e != nil {
		for _, b := range g.Buffers {
			for at2 := int(e.Offset); b.Bind == e.Source && at2 < len(b.Data); at2 += int(b.Stride) {
				for _, channel := range []int{2, 1, 0, 3} { // stored as blue, green, red, alpha
					n.add(at+" colour", float64(b.Data[at2+channel])/255)
				}
			}
		}
	}
}

func (n numbers) ofWeights(at string, weights []ogre.Weight) {
	var all [][]float64
	for _, w := range weights {
		all = append(all, []float64{float64(w.Vertex), float64(w.Bone), float64(w.Weight)})
	}
	n.weights(at, all)
}

func flag(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

// ofModel returns the numbers of a model.
func ofModel(m ogre.Model) numbers {
	n := make(numbers)
	switch m := m.(type) {
	case *ogre.Mesh:
		if m.Shared != nil {
			n.ofGeometry("shared", m.Shared)
		}
		n.ofWeights("shared", m.Weights)
		for i, s := range m.SubMeshes {
			at := fmt.Sprintf("submesh %d", i)
			n.add(at+" "+s.Material, flag(s.Shared), flag(s.Wide))
			for _, index := range s.Indices {
				n.add(at+" faces", float64(index))
			}
			if s.Geometry != nil {
				n.ofGeometry(at, s.Geometry)
			}
			n.ofWeights(at, s.Weights)
		}
		if m.Skeleton != nil {
			n.add("skeleton " + m.Skeleton.File)
		}
		for _, name := range m.Names.List {
			n.add("name "+name.Name, float64(name.SubMesh))
		}
	case *ogre.Skeleton:
		names := make(map[uint16]string)
		for _, b := range m.Bones {
			names[b.Handle] = b.Name
			n.add("bone "+b.Name, append(append([]float64{float64(b.Handle)}, wide(b.Position[:])...), positive(wide(b.Rotation[:]))...)...)
			n.add("bone " + b.Name + " scale")
			if b.Scale != nil {
				n.add("bone "+b.Name+" scale", wide(b.Scale[:])...)
			}
		}
		for _, p := range m.Parents {
			n.add("parent " + names[p.Child] + " " + names[p.Parent])
		}
		for _, a := range m.Animations {
			n.add("animation "+a.Name, float64(a.Length))
			for _, track := range a.Tracks {
				at := "track " + a.Name + " " + names[track.Bone]
				for _, k := range track.Keys {
					n.add(at, float64(k.Time))
					n.add(at, wide(k.Translation[:])...)
					n.add(at, positive(wide(k.Rotation[:]))...)
					if k.Scale != nil {
						n.add(at, wide(k.Scale[:])...)
					}
				}
			}
		}
	}
	return n
}

// compare reports numbers that differ. Texts have six digits; the sources of colours are not rounded to bytes.
func compare(t *testing.T, name string, got, want numbers) {
	t.Helper()
	count := 0
	keys := maps.Clone(got)
	maps.Copy(keys, want)
	for key := range keys {
		a, inGot := got[key]
		b, inWant := want[key]
		if inGot != inWant || len(a) != len(b) {
			t.Errorf("%s: %s: %d numbers (%v), want %d (%v)", name, key, len(a), inGot, len(b), inWant)
			continue
		}
		tolerance := 2e-5
		if strings.HasSuffix(key, "colour") {
			tolerance = 0.5 / 127
		}
		for i := range a {
			if count++; math.Abs(a[i]-b[i]) > tolerance*max(1, math.Abs(b[i])) {
				t.Errorf("%s: %s: number %d is %v, want %v", name, key, i, a[i], b[i])
				break
			}
		}
	}
	t.Logf("%s: %d numbers", name, count)
}

// TestSources compares the models of the corpus with the XML from which they were made.
func TestSources(t *testing.T) {
	sources := 0
	for _, name := range tests.CorpusFiles(t, "torchlight/models", ".xml") {
		sources++
		model := judge.Read(t, strings.TrimSuffix(name, ".xml"))
		source := judge.Read(t, name)
		m, err := ogre.Decode(model)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compare(t, filepath.Base(name), ofModel(m), ofXML(t, source))
	}
	if sources < 6 {
		t.Errorf("%d sources", sources)
	}
}

// converted returns the XML that OGRE's own program makes of a model.
func converted(t *testing.T, name string, data []byte) (text []byte, err error) {
	dir := judge.Dir(t)
	file := filepath.Join(dir, name)
	judge.Write(t, file, data)
	if out, err := judge.Run(t, dir, "OgreXMLConverter", "-q", "-log", "log", name, "out.xml"); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "out.xml"))
}

// TestJudge compares every number of every sample with OGRE's own program, for the file and for what is made of its text.
func TestJudge(t *testing.T) {
	judge.Find(t, "OgreXMLConverter")
	all := models(t)
	if len(all) < 3 {
		tests.Missing(t, "corpus", "only the samples of this test are compared")
	}
	for name, data := range all {
		if name == "mesh" || name == "skeleton" {
			name = "sample." + name
		}
		m, err := ogre.Decode(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if mesh, is := m.(*ogre.Mesh); is && name == "sample.mesh" {
			mesh.Edges.Levels = mesh.Edges.Levels[:1] // the second level is another mesh
			mesh.SubMeshes[0].Aliases = nil
			data = encode(t, mesh)
		}
		if skeleton, is := m.(*ogre.Skeleton); is && name == "sample.skeleton" {
			skeleton.Animations[0].Base, skeleton.Links = nil, nil
			data = encode(t, skeleton)
		}
		text, err := converted(t, name, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compare(t, name, ofModel(m), ofXML(t, text))

		// Changed numbers of the text reach OGRE.
		for old, new := range map[string]string{"submesh \"": "submesh \"x", "bone \"": "bone \"x"} {
			form := strings.Replace(string(ogre.Format(m)), old, new, 1)
			edited, err := ogre.Compile([]byte(form), nil, ogre.Options{})
			if err != nil || !strings.Contains(form, new) {
				continue
			}
			parsed, err := ogre.Parse([]byte(form))
			if err != nil {
				t.Fatal(err)
			}
			if text, err = converted(t, name, edited); err != nil {
				t.Errorf("%s: edited: %v", name, err)
				continue
			}
			compare(t, name+", edited", ofModel(parsed), ofXML(t, text))
		}
	}
}

// TestVersions tests that meshes in all versions that OGRE's own program writes have the same numbers.
func TestVersions(t *testing.T) {
	judge.Find(t, "OgreMeshUpgrader")
	mesh := sampleMesh()
	mesh.Edges.Levels, mesh.SubMeshes[0].Aliases = mesh.Edges.Levels[:1], nil
	for target, version := range map[string]string{"1.0": "1.30", "1.4": "1.40", "1.7": "1.41", "1.8": "1.8", "1.10": "1.100"} {
		for _, edges := range []bool{false, true} {
			dir := judge.Dir(t)
			judge.Write(t, filepath.Join(dir, "a.mesh"), encode(t, mesh))
			args := []string{"-r", "-V", target, "a.mesh", "b.mesh"}
			if !edges {
				args = slices.Insert(args, 0, "-e")
			}
			if out, err := judge.Run(t, dir, "OgreMeshUpgrader", args...); err != nil {
				t.Fatalf("%s: %v: %s", version, err, out)
			}
			data := judge.Read(t, filepath.Join(dir, "b.mesh"))
			m, err := ogre.DecodeMesh(data)
			if err != nil || m.Version != version {
				t.Errorf("%s: %v", version, err)
				continue
			}
			roundTrip(t, version, data)
			if edges != (m.Edges != nil || version == "1.30" && len(m.Rest) > 0) {
				t.Errorf("%s: edges %v, %d bytes of rest", version, m.Edges != nil, len(m.Rest))
			}
			compare(t, version, ofModel(m), ofModel(mesh))
		}
	}
}
