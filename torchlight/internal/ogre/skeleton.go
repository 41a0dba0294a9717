package ogre

import "trowel.example/internal/values/deep"

// Skeleton is a tree of bones with their binding pose, and animations of them.
type Skeleton struct {
	Version    string // such as 1.10
	Blend      *Blend // only in version 1.80
	Bones      []Bone
	Parents    []Parent
	Animations []Animation
	Links      []SkeletonLink
}

// Blend states how animations are mixed.
type Blend struct {
	Mode   uint16
	Excess int64
}

// Bone is a bone in its binding pose, in the space of its parent.
type Bone struct {
	Name     string
	Handle   uint16
	Position [3]float32
	Rotation [4]float32 // a quaternion: x, y, z, w
	Scale    *[3]float32
	Excess   int64 // the usual length of the chunk does not count the name
}

// Parent makes a bone the child of another one. Both are handles.
type Parent struct {
	Child, Parent uint16
	Excess        int64
}

// Animation is a movement of bones.
type Animation struct {
	Name   string
	Length float32 // in seconds
	Base   *Base
	Tracks []Track
	Excess int64
}

// Base is the animation whose pose at a time the keys of another animation are relative to.
type Base struct {
	Animation string
	Time      float32
	Excess    int64
}

// Track is the movement of one bone.
type Track struct {
	Bone   uint16 // its handle
	Keys   []Key
	Excess int64
}

// Key is the pose of a bone at a time, relative to the binding pose in the same file: the translation is added, the
// rotation is multiplied on the right, the scale is multiplied.
type Key struct {
	Time        float32
	Rotation    [4]float32 // x, y, z, w
	Translation [3]float32
	Scale       *[3]float32
	Excess      int64
}

// SkeletonLink adds the animations of another skeleton.
type SkeletonLink struct {
	File   string
	Scale  float32
	Excess int64
}

// The lengths of chunks without a scale; that of a bone does not count its name.
const (
	boneLength = 36
	keyLength  = 38
)

// animationSlack is the slack of animations, whose declared lengths are too large by up to 10 bytes. It is below the
// length of a key.
const animationSlack = 32

var (
	kindBlend     = kind{0x1010, "blend", 0}
	kindBone      = kind{0x2000, "bone", 0}
	kindParent    = kind{0x3000, "parent", 0}
	kindAnimation = kind{0x4000, "animation", animationSlack}
	kindBase      = kind{0x4010, "base", 0}
	kindTrack     = kind{0x4100, "track", 0}
	kindKey       = kind{0x4110, "key", 0}
	kindAnimLink  = kind{0x5000, "link", 16}

	skeletonKinds = []kind{kindBlend, kindBone, kindParent, kindAnimation, kindBase, kindTrack, kindKey, kindAnimLink}
)

func (s *Skeleton) head() *string { return &s.Version }
func (s *Skeleton) rest() *[]byte { return nil }
func (s *Skeleton) kinds() []kind { return skeletonKinds }

func (s *Skeleton) complete() string {
	if len(s.Bones) == 0 {
		return "a bone (a chunk 0x2000)"
	}
	return ""
}

// Encode returns the file.
func (s *Skeleton) Encode() ([]byte, error) { return encode(s) }

// Clone returns an independent copy of the skeleton.
func (s *Skeleton) Clone() *Skeleton { return deep.Clone(s) }

// Equal reports whether both skeletons have equal contents.
func (s *Skeleton) Equal(other *Skeleton) bool { return deep.Equal(s, other) }

func (s *Skeleton) walk(c *codec) {
	c.parts(
		optional(c, kindBlend, &s.Blend, func(b *Blend) {
			c.open(kindBlend, -1, &b.Excess)
			c.u16("_mode", &b.Mode)
			c.close()
		}),
		list(kindBone, &s.Bones, func(i int, b *Bone) {
			c.open(kindBone, i, &b.Excess)
			c.text("_name", &b.Name)
			c.uncounted(len(b.Name) + 1)
			c.u16("handle", &b.Handle)
			c.floats("position", b.Position[:])
			c.floats("rotation", b.Rotation[:])
			c.scale(boneLength, &b.Scale)
			c.close()
		}),
		list(kindParent, &s.Parents, func(i int, p *Parent) {
			c.open(kindParent, i, &p.Excess)
			c.u16("_child", &p.Child)
			c.u16("_parent", &p.Parent)
			c.close()
		}),
		list(kindAnimation, &s.Animations, func(i int, a *Animation) { a.walk(c, i) }),
		list(kindAnimLink, &s.Links, func(i int, l *SkeletonLink) {
			c.open(kindAnimLink, i, &l.Excess)
			c.text("_file", &l.File)
			c.float("scale", &l.Scale)
			c.close()
		}),
	)
}

func (a *Animation) walk(c *codec, i int) {
	c.open(kindAnimation, i, &a.Excess)
	c.text("_name", &a.Name)
	c.float("seconds", &a.Length)
	c.parts(
		optional(c, kindBase, &a.Base, func(b *Base) {
			c.open(kindBase, -1, &b.Excess)
			c.text("_animation", &b.Animation)
			c.float("time", &b.Time)
			c.close()
		}),
		list(kindTrack, &a.Tracks, func(i int, t *Track) {
			c.open(kindTrack, i, &t.Excess)
			c.u16("bone", &t.Bone)
			c.parts(list(kindKey, &t.Keys, func(i int, k *Key) {
				c.open(kindKey, i, &k.Excess)
				c.float("_time", &k.Time)
				c.floats("rotation", k.Rotation[:])
				c.floats("translation", k.Translation[:])
				c.scale(keyLength, &k.Scale)
				c.close()
			}))
			c.close()
		}),
	)
	c.close()
}
