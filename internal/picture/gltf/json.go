package gltf

// The JSON of glTF. Indices that may be absent are pointers.
type (
	document struct {
		Asset          asset        `json:"asset"`
		ExtensionsUsed []string     `json:"extensionsUsed,omitempty"`
		Scene          int          `json:"scene"`
		Scenes         []scene      `json:"scenes"`
		Nodes          []node       `json:"nodes,omitempty"`
		Meshes         []mesh       `json:"meshes,omitempty"`
		Skins          []skin       `json:"skins,omitempty"`
		Animations     []animation  `json:"animations,omitempty"`
		Materials      []material   `json:"materials,omitempty"`
		Textures       []texture    `json:"textures,omitempty"`
		Images         []image      `json:"images,omitempty"`
		Samplers       []sampler    `json:"samplers,omitempty"`
		Accessors      []accessor   `json:"accessors,omitempty"`
		BufferViews    []bufferView `json:"bufferViews,omitempty"`
		Buffers        []buffer     `json:"buffers,omitempty"`
	}
	asset struct {
		Version   string `json:"version"`
		Generator string `json:"generator"`
		Copyright string `json:"copyright,omitempty"`
	}
	scene struct {
		Nodes []int `json:"nodes,omitempty"`
	}
	node struct {
		Name        string      `json:"name,omitempty"`
		Children    []int       `json:"children,omitempty"`
		Mesh        *int        `json:"mesh,omitempty"`
		Skin        *int        `json:"skin,omitempty"`
		Translation *[3]float32 `json:"translation,omitempty"`
		Rotation    *[4]float32 `json:"rotation,omitempty"`
		Scale       *[3]float32 `json:"scale,omitempty"`
	}
	mesh struct {
		Name       string         `json:"name,omitempty"`
		Primitives []primitive    `json:"primitives"`
		Extras     map[string]any `json:"extras,omitempty"`
	}
	primitive struct {
		Attributes map[string]int `json:"attributes"` // encoding/json sorts the keys
		Indices    int            `json:"indices"`
		Material   *int           `json:"material,omitempty"`
	}
	skin struct {
		Name        string `json:"name,omitempty"`
		Joints      []int  `json:"joints"`
		InverseBind *int   `json:"inverseBindMatrices,omitempty"`
	}
	animation struct {
		Name     string            `json:"name,omitempty"`
		Channels []channel         `json:"channels"`
		Samplers []animationSample `json:"samplers"`
		Extras   map[string]any    `json:"extras,omitempty"`
	}
	channel struct {
		Sampler int    `json:"sampler"`
		Target  target `json:"target"`
	}
	target struct {
		Node int  `json:"node"`
		Path Path `json:"path"`
	}
	animationSample struct {
		Input  int `json:"input"`
		Output int `json:"output"`
	}
	material struct {
		Name        string              `json:"name,omitempty"`
		PBR         pbr                 `json:"pbrMetallicRoughness"`
		AlphaMode   string              `json:"alphaMode,omitempty"`
		DoubleSided bool                `json:"doubleSided,omitempty"`
		Extensions  map[string]struct{} `json:"extensions,omitempty"`
		Extras      map[string]any      `json:"extras,omitempty"`
	}
	pbr struct {
		Color    *[4]float32 `json:"baseColorFactor,omitempty"`
		Texture  *reference  `json:"baseColorTexture,omitempty"`
		Metallic float32     `json:"metallicFactor"`
	}
	reference struct {
		Index int `json:"index"`
	}
	texture struct {
		Sampler int `json:"sampler"`
		Source  int `json:"source"`
	}
	image struct {
		Name       string `json:"name,omitempty"`
		MimeType   string `json:"mimeType"`
		BufferView int    `json:"bufferView"`
	}
	sampler struct {
		MagFilter int `json:"magFilter"`
		MinFilter int `json:"minFilter"`
		WrapS     int `json:"wrapS"`
		WrapT     int `json:"wrapT"`
	}
	accessor struct {
		BufferView    int       `json:"bufferView"`
		ComponentType int       `json:"componentType"`
		Normalized    bool      `json:"normalized,omitempty"`
		Count         int       `json:"count"`
		Type          string    `json:"type"`
		Min           []float64 `json:"min,omitempty"` // float64 keeps every digit of the float32
		Max           []float64 `json:"max,omitempty"`
	}
	bufferView struct {
		Buffer     int   `json:"buffer"`
		ByteOffset int64 `json:"byteOffset"`
		ByteLength int64 `json:"byteLength"`
		Target     int   `json:"target,omitempty"`
	}
	buffer struct {
		ByteLength int64 `json:"byteLength"`
	}
)
