// Models: glTF 2.0 binary files as Trowel writes them (internal/picture/gltf), and their poses. Everything in a file is
// checked before it is used.

const most = { vertices: 2_000_000, indices: 6_000_000, nodes: 20_000, pixels: 1 << 26 };
const sizes = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const arrays = { 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };

function demand(ok, text) {
  if (!ok) throw new Error(text);
}

// read returns the model of a file: { parts, nodes, order, clips, images, materials }.
//   parts   { node, skin, positions, normals, places, colors, joints, weights, indices, material }
//   nodes   { parent, t, r, s }; order lists the nodes, parents first
//   clips   { name, length, channels: { node, path, times, values } }
export function read(data) {
  const head = new DataView(data);
  demand(data.byteLength >= 20 && head.getUint32(0, true) === 0x46546c67 && head.getUint32(4, true) === 2 && head.getUint32(8, true) === data.byteLength, "the file is cut");
  const length = head.getUint32(12, true), start = 20 + length + 8;
  demand(length <= data.byteLength - 20 && head.getUint32(16, true) === 0x4e4f534a, "it has no description");
  const doc = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 20, length)));
  const list = (name) => (Array.isArray(doc[name]) ? doc[name] : []);
  const of = (name, i) => (demand(Number.isInteger(i) && i >= 0 && i < list(name).length, `it has no ${name} ${i}`), list(name)[i]);
  const bytes = (view) => {
    const { byteOffset = 0, byteLength } = of("bufferViews", view), at = start + byteOffset;
    demand(byteOffset >= 0 && byteLength >= 0 && at + byteLength <= data.byteLength, "a list is longer than the file");
    return [at, byteLength];
  };
  const accessor = (i, type) => {
    if (i === undefined) return undefined;
    const a = of("accessors", i), [at, have] = bytes(a.bufferView), make = arrays[a.componentType], n = a.count * sizes[a.type];
    demand(make && a.type === type && Number.isInteger(n) && n >= 0 && n * make.BYTES_PER_ELEMENT <= have && at % make.BYTES_PER_ELEMENT === 0, "a list has another length");
    return new make(data, at, n);
  };

  demand(list("nodes").length <= most.nodes, `it has more than ${most.nodes} nodes`);
  const nodes = list("nodes").map((n) => ({ parent: -1, t: n.translation ?? [0, 0, 0], r: n.rotation ?? [0, 0, 0, 1], s: n.scale ?? [1, 1, 1] }));
  list("nodes").forEach((n, i) => n.children?.forEach((c) => {
    of("nodes", c);
    demand(nodes[c].parent < 0, "a node has two parents");
    nodes[c].parent = i;
  }));
  const order = nodes.flatMap((n, i) => (n.parent < 0 ? [i] : []));
  for (let i = 0; i < order.length; i++) order.push(...(list("nodes")[order[i]].children ?? []));
  demand(order.length === nodes.length, "its nodes are a circle");

  const skins = list("skins").map(({ joints, inverseBindMatrices }) => {
    joints.forEach((j) => of("nodes", j));
    const inverse = accessor(inverseBindMatrices, "MAT4");
    demand(!inverse || inverse.length === 16 * joints.length, "a skin has another number of matrices");
    return { joints, inverse };
  });
  const materials = list("materials").map((m) => {
    const pbr = m.pbrMetallicRoughness ?? {}, t = pbr.baseColorTexture && of("textures", pbr.baseColorTexture.index);
    return { color: pbr.baseColorFactor ?? [1, 1, 1, 1], alpha: m.alphaMode ?? "OPAQUE", both: Boolean(m.doubleSided), unlit: Boolean(m.extensions?.KHR_materials_unlit), image: t?.source, sampler: t && of("samplers", t.sampler) };
  });
  const parts = [];
  let vertices = 0, indices = 0;
  list("nodes").forEach((n, node) => {
    if (n.mesh === undefined) return;
    const skin = n.skin === undefined ? undefined : (of("skins", n.skin), skins[n.skin]);
    for (const p of of("meshes", n.mesh).primitives) {
      const a = p.attributes, one = { node, skin, positions: accessor(a.POSITION, "VEC3"), normals: accessor(a.NORMAL, "VEC3"), places: accessor(a.TEXCOORD_0, "VEC2"), colors: accessor(a.COLOR_0, "VEC4"),
        joints: accessor(a.JOINTS_0, "VEC4"), weights: accessor(a.WEIGHTS_0, "VEC4"), indices: accessor(p.indices, "SCALAR") };
      demand(one.positions && one.indices, "a part has no triangles");
      const count = one.positions.length / 3;
      for (const [values, size] of [[one.normals, 3], [one.places, 2], [one.colors, 4], [one.joints, 4], [one.weights, 4]]) demand(!values || values.length === size * count, "a part has lists of different lengths");
      demand((vertices += count) <= most.vertices && (indices += one.indices.length) <= most.indices, `it has more than ${most.vertices.toLocaleString("en")} corners or ${(most.indices / 3).toLocaleString("en")} triangles`);
      demand(one.indices.every((i) => i < count), "a triangle has no corner");
      demand(!skin || (one.joints && one.weights && one.joints.every((j) => j < skin.joints.length)), "a corner has no bone");
      one.material = p.material === undefined ? { color: [1, 1, 1, 1], alpha: "OPAQUE" } : (of("materials", p.material), materials[p.material]);
      parts.push(one);
    }
  });
  const clips = list("animations").map(({ name, channels, samplers }) => {
    const clip = { name, length: 0, channels: channels.map(({ sampler, target: { node, path } }) => {
      const { input, output } = samplers[sampler], times = accessor(input, "SCALAR"), values = accessor(output, path === "rotation" ? "VEC4" : "VEC3");
      of("nodes", node);
      demand(times?.length && values?.length === times.length * (path === "rotation" ? 4 : 3), "a clip has another number of values");
      return { node, path, times, values };
    }) };
    clip.length = Math.max(0, ...clip.channels.map((c) => c.times.at(-1)));
    return clip;
  });
  const images = list("images").map(({ bufferView }) => new Uint8Array(data, ...bytes(bufferView)));
  return { parts, nodes, order, clips, images, materials };
}

// bitmapOf decodes an image for a material. Colours of transparent texels do not shine through where texels are averaged: they are
// premultiplied.
export const bitmapOf = (bytes, { alpha }) => createImageBitmap(new Blob([bytes], { type: "image/png" }), { premultiplyAlpha: alpha === "OPAQUE" ? "none" : "premultiply", colorSpaceConversion: "none" });

// bitmaps decodes the images of a model, each for the materials that use it.
export async function bitmaps(model, side) {
  const made = new Map();
  let pixels = 0;
  for (const m of model.materials) {
    if (m.image === undefined) continue;
    const key = `${m.image} ${m.alpha !== "OPAQUE"}`;
    if (!made.has(key)) {
      const bitmap = await bitmapOf(model.images[m.image], m);
      demand(Math.max(bitmap.width, bitmap.height) <= side && (pixels += bitmap.width * bitmap.height) <= most.pixels, "its textures are too large");
      made.set(key, bitmap);
    }
    m.bitmap = made.get(key);
  }
}

// between returns the value of a channel at a time in seconds.
function between({ path, times, values }, seconds) {
  let low = 0, high = times.length - 1;
  if (seconds <= times[0]) high = 0;
  else if (seconds >= times[high]) low = high;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (times[mid] <= seconds) low = mid;
    else high = mid;
  }
  const n = path === "rotation" ? 4 : 3, k = high > low ? (seconds - times[low]) / (times[high] - times[low]) : 0;
  const a = values.subarray(n * low, n * low + n), b = values.subarray(n * high, n * high + n);
  if (n === 3 || k === 0) return Array.from(a, (v, i) => v + (b[i] - v) * k);
  let cos = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cos < 0 ? -1 : 1, angle = Math.acos(Math.min(1, (cos *= sign))), sin = Math.sin(angle);
  const [p, q] = sin > 1e-4 ? [Math.sin((1 - k) * angle) / sin, (sign * Math.sin(k * angle)) / sin] : [1 - k, sign * k];
  const v = Array.from(a, (x, i) => x * p + b[i] * q), size = Math.hypot(...v) || 1;
  return v.map((x) => x / size);
}

// matrix returns a place as 12 numbers, row by row.
function matrix([x, y, z], [a, b, c, w], [p, q, r]) {
  return [
    (1 - 2 * (b * b + c * c)) * p, 2 * (a * b - c * w) * q, 2 * (a * c + b * w) * r, x,
    2 * (a * b + c * w) * p, (1 - 2 * (a * a + c * c)) * q, 2 * (b * c - a * w) * r, y,
    2 * (a * c - b * w) * p, 2 * (b * c + a * w) * q, (1 - 2 * (a * a + b * b)) * r, z,
  ];
}

function times(m, n) {
  const p = new Array(12);
  for (let r = 0; r < 12; r += 4) {
    for (let c = 0; c < 4; c++) p[r + c] = m[r] * n[c] + m[r + 1] * n[4 + c] + m[r + 2] * n[8 + c] + (c === 3 ? m[r + 3] : 0);
  }
  return p;
}

// pose returns the places of the nodes at a moment of a clip, which may be undefined.
export function pose({ nodes, order }, clip, seconds) {
  const moved = new Map();
  for (const c of clip?.channels ?? []) {
    if (!moved.has(c.node)) moved.set(c.node, {});
    moved.get(c.node)[c.path] = between(c, seconds);
  }
  const places = [];
  for (const i of order) {
    const { parent, t, r, s } = nodes[i], m = moved.get(i) ?? {};
    const own = matrix(m.translation ?? t, m.rotation ?? r, m.scale ?? s);
    places[i] = parent < 0 ? own : times(places[parent], own);
  }
  return places;
}

// posed writes the positions and normals of a part into lists. The normals have any length.
export function posed(part, places, positions, normals) {
  const { skin, joints, weights } = part, from = part.positions, own = part.normals;
  const bones = skin?.joints.map((j, i) => {
    const v = skin.inverse?.subarray(16 * i, 16 * i + 16);
    return v ? times(places[j], [v[0], v[4], v[8], v[12], v[1], v[5], v[9], v[13], v[2], v[6], v[10], v[14]]) : places[j];
  });
  const m = new Float64Array(12);
  if (!skin) m.set(places[part.node]);
  for (let i = 0, v = 0; i < from.length; i += 3, v += 4) {
    if (skin) {
      m.fill(0);
      for (let k = v; k < v + 4; k++) {
        if (!weights[k]) continue;
        const bone = bones[joints[k]];
        for (let e = 0; e < 12; e++) m[e] += weights[k] * bone[e];
      }
    }
    for (let k = 0, r = 0; k < 3; k++, r += 4) {
      positions[i + k] = m[r] * from[i] + m[r + 1] * from[i + 1] + m[r + 2] * from[i + 2] + m[r + 3];
      if (own) normals[i + k] = m[r] * own[i] + m[r + 1] * own[i + 1] + m[r + 2] * own[i + 2];
    }
  }
}
