// The drawing of the cubes of a world (internal/format, Walking) around a camera, with WebGL2: light at the corners at any time of
// day, the nearest texel, and a haze of the colour of the sky. Places are those of models: -z is the north.
import { context, program } from "./gl.js";
import { read, bitmapOf } from "./glb.js";

const near = 0.1, far = 256;
const stride = 28; // bytes of a vertex: place, place in the texture, light, layer of the texture

const vertex = `
in vec3 position; in vec2 place; in vec4 light; in float layer;
uniform mat3 axes; uniform vec3 offset, sun; uniform vec4 lens;
out vec3 at, tint, from;
const float bluer[10] = float[10](1., 4., 6., 6., 6., 5., 4., 3., 2., 1.); // of dark colours, as in nodemesh
void main() {
  from = position + offset;
  vec3 seen = axes * from, v = light.rgb * (light.a * sun + (1. - light.a) * 1.04) * 2.;
  int dark = int(clamp((v.r + v.g + v.b) / 3. * 255., 0., 255.)) / 8;
  if (dark < 10) v.b += bluer[dark] / 255.;
  at = vec3(place, layer); tint = clamp(v, 0., 1.);
  gl_Position = vec4(seen.xy * lens.xy, seen.z * lens.z + lens.w, seen.z);
}`;
const fragment = (kind) => `
precision highp sampler2DArray;
in vec3 at, tint, from;
uniform sampler2DArray images; uniform vec3 sky; uniform vec2 haze;
out vec4 result;
void main() {
  vec4 c = texture(images, at);
  ${{ OPAQUE: "", MASK: "if (c.a < .5) discard; c.rgb /= c.a;", BLEND: "if (c.a <= 0.) discard; c.rgb /= c.a;" }[kind]}
  result = vec4(mix(c.rgb * tint, sky, smoothstep(haze.x, haze.y, length(from))), ${kind === "BLEND" ? "c.a" : "1."});
}`;
const kinds = ["OPAQUE", "MASK", "BLEND"];

// painter returns what draws cubes on a canvas: { add, remove, draw, bytes(), close }.
//   add(key, data, low)   adds the model of a cube with this low corner
//   draw                  { eye, axes: right, up, forward, focus, width, height, sky, sun, haze: from and to }
export function painter(canvas) {
  const gl = context(canvas, true), layersOf = gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS), largest = gl.getParameter(gl.MAX_TEXTURE_SIZE);
  const programs = Object.fromEntries(kinds.map((kind) => {
    const { program: made, at } = program(gl, vertex, fragment(kind), ["position", "place", "light", "layer"]);
    return [kind, { made, at: Object.fromEntries(["axes", "offset", "sun", "lens", "sky", "haze"].map((name) => [name, at(name)])) }];
  }));
  const cubes = new Map(), pages = [], decoded = new Map();
  let bytes = 0;

  // textureOf returns the page of textures of one size, and the layer in it, for a material.
  const textureOf = async (image, material) => {
    const { wrapS, wrapT } = material.sampler ?? {}, wrap = [wrapS, wrapT].map((w) => (w === gl.CLAMP_TO_EDGE ? w : gl.REPEAT)), opaque = material.alpha === "OPAQUE";
    const key = `${wrap} ${opaque} ` + new TextDecoder("latin1").decode(image);
    if (!decoded.has(key)) {
      decoded.set(key, bitmapOf(image, material).then((bitmap) => {
        if (Math.max(bitmap.width, bitmap.height) > largest) throw new Error("a texture is too large");
        const like = (p) => p.width === bitmap.width && p.height === bitmap.height && String(p.wrap) === String(wrap) && p.opaque === opaque && p.bitmaps.length < layersOf;
        let page = pages.find(like);
        if (!page) pages.push((page = { width: bitmap.width, height: bitmap.height, wrap, opaque, bitmaps: [], number: pages.length }));
        page.stale = true;
        return { page, layer: page.bitmaps.push(bitmap) - 1 };
      }));
    }
    return decoded.get(key);
  };
  // renew puts new textures of a page into the card.
  const renew = (page) => {
    page.stale = false;
    const { width, height, bitmaps, wrap } = page;
    if (!(bitmaps.length <= page.room)) {
      gl.deleteTexture(page.texture ?? null);
      Object.assign(page, { texture: gl.createTexture(), room: Math.min(layersOf, Math.max(8, 2 * bitmaps.length)), filled: 0 });
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, page.texture);
      gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1 + Math.floor(Math.log2(Math.max(width, height))), gl.RGBA8, width, height, page.room);
      for (const [name, value] of [["MIN_FILTER", gl.NEAREST_MIPMAP_LINEAR], ["MAG_FILTER", gl.NEAREST], ["WRAP_S", wrap[0]], ["WRAP_T", wrap[1]]]) gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl["TEXTURE_" + name], value);
    }
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, page.texture);
    for (; page.filled < bitmaps.length; page.filled++) gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, page.filled, width, height, 1, gl.RGBA, gl.UNSIGNED_BYTE, bitmaps[page.filled]);
    gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
  };

  // batch makes one list of the parts of a cube that are drawn alike.
  const batch = ({ page, alpha, both, parts }) => {
    const vertices = parts.reduce((n, p) => n + p.positions.length / 3, 0), count = parts.reduce((n, p) => n + p.indices.length, 0);
    const data = new ArrayBuffer(vertices * stride), floats = new Float32Array(data), colors = new Uint8Array(data), indices = new (vertices > 65535 ? Uint32Array : Uint16Array)(count);
    let at = 0, index = 0;
    for (const { positions, places, colors: light, indices: own, layer } of parts) {
      const first = at;
      for (let i = 0; i < positions.length / 3; i++, at++) {
        const f = (at * stride) / 4, c = at * stride + 20;
        for (let k = 0; k < 3; k++) floats[f + k] = positions[3 * i + k];
        floats[f + 3] = places[2 * i];
        floats[f + 4] = places[2 * i + 1];
        for (let k = 0; k < 4; k++) colors[c + k] = light ? light[4 * i + k] >> 8 : 255;
        floats[f + 6] = layer;
      }
      for (const i of own) indices[index++] = first + i;
    }
    const array = gl.createVertexArray(), buffers = [gl.createBuffer(), gl.createBuffer()];
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[0]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    [[3, gl.FLOAT, false, 0], [2, gl.FLOAT, false, 12], [4, gl.UNSIGNED_BYTE, true, 20], [1, gl.FLOAT, false, 24]].forEach(([n, type, part, offset], i) => {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, n, type, part, stride, offset);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[1]);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, alpha === "BLEND" ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { page, alpha, both, array, buffers, count, type: indices instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT, bytes: data.byteLength + indices.byteLength, ...(alpha === "BLEND" && { indices, floats }) };
  };

  const remove = (key) => {
    for (const b of cubes.get(key)?.batches ?? []) {
      gl.deleteVertexArray(b.array);
      b.buffers.forEach((x) => gl.deleteBuffer(x));
      bytes -= b.bytes;
    }
    cubes.delete(key);
  };

  const add = async (key, data, low) => {
    const model = read(data), like = new Map(), box = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const part of model.parts) {
      const { material } = part;
      if (material.image === undefined || !part.places) continue;
      const { page, layer } = await textureOf(model.images[material.image], material), id = `${page.number} ${material.alpha} ${material.both}`;
      if (!like.has(id)) like.set(id, { page, alpha: material.alpha, both: material.both, parts: [] });
      like.get(id).parts.push({ ...part, layer });
      for (let i = 0; i < part.positions.length; i++) {
        const k = i % 3, v = part.positions[i];
        box[0][k] = Math.min(box[0][k], v);
        box[1][k] = Math.max(box[1][k], v);
      }
    }
    remove(key);
    if (gl.isContextLost()) return;
    const batches = [...like.values()].map(batch), at = [low[0] - 0.5, low[1] - 0.5, 0.5 - low[2]];
    for (const b of batches) bytes += b.bytes;
    cubes.set(key, { batches, at, middle: at.map((v, k) => v + (box[0][k] + box[1][k]) / 2), radius: Math.hypot(...box[0].map((v, k) => box[1][k] - v)) / 2 });
  };

  // sort puts the triangles of translucent parts of a cube into order, from back to front.
  const sort = (cube, eye) => {
    if (cube.sorted && Math.hypot(...cube.sorted.map((v, k) => v - eye[k])) < 1) return false;
    cube.sorted = [...eye];
    let did = false;
    for (const { indices, floats, array } of cube.batches) {
      if (!indices) continue;
      did = true;
      const order = Array.from({ length: indices.length / 3 }, (_, t) => {
        let d = 0;
        for (let k = 0; k < 3; k++) {
          let v = 0;
          for (let c = 0; c < 3; c++) v += floats[(indices[3 * t + c] * stride) / 4 + k] / 3;
          d += (v + cube.at[k] - eye[k]) ** 2;
        }
        return [d, indices.slice(3 * t, 3 * t + 3)];
      }).sort((a, b) => b[0] - a[0]);
      order.forEach(([, three], t) => indices.set(three, 3 * t));
      gl.bindVertexArray(array);
      gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, 0, indices);
    }
    return did;
  };

  function draw({ eye, axes: [right, up, forward], focus, width, height, sky, sun, haze }) {
    if (gl.isContextLost()) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    for (const p of pages) if (p.stale) renew(p);
    gl.viewport(0, 0, width, height);
    gl.depthMask(true);
    gl.clearColor(...sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    const wide = (focus * height) / width, dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const seen = [];
    for (const cube of cubes.values()) {
      const to = cube.middle.map((v, k) => v - eye[k]), [x, y, z] = [dot(to, right), dot(to, up), dot(to, forward)], r = cube.radius + 1;
      if (z < -r || Math.hypot(...to) - r > haze[1]) continue;
      if (Math.abs(x) * wide - z > r * Math.hypot(1, wide) || Math.abs(y) * focus - z > r * Math.hypot(1, focus)) continue;
      seen.push([dot(to, to), cube]);
    }
    seen.sort((a, b) => a[0] - b[0]);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    let sorts = 2; // at most, in a frame
    for (const kind of kinds) {
      const { made, at } = programs[kind], blend = kind === "BLEND";
      gl.useProgram(made);
      gl.uniformMatrix3fv(at.axes, false, right.flatMap((_, i) => [right[i], up[i], forward[i]]));
      gl.uniform4f(at.lens, wide, focus, (far + near) / (far - near), (-2 * far * near) / (far - near));
      gl.uniform3fv(at.sun, sun);
      gl.uniform3fv(at.sky, sky);
      gl.uniform2fv(at.haze, haze);
      gl[blend ? "enable" : "disable"](gl.BLEND);
      gl.depthMask(!blend);
      for (const [, cube] of blend ? seen.reverse() : seen) {
        let placed = false;
        if (blend && sorts > 0 && sort(cube, eye)) sorts--;
        for (const b of cube.batches) {
          if (b.alpha !== kind) continue;
          if (!placed) gl.uniform3fv(at.offset, cube.at.map((v, k) => v - eye[k]));
          placed = true;
          gl[b.both ? "disable" : "enable"](gl.CULL_FACE);
          gl.bindTexture(gl.TEXTURE_2D_ARRAY, b.page.texture);
          gl.bindVertexArray(b.array);
          gl.drawElements(gl.TRIANGLES, b.count, b.type, 0);
        }
      }
    }
    gl.bindVertexArray(null);
    gl.depthMask(true);
  }
  return { add, remove, draw, bytes: () => bytes, close: () => gl.getExtension("WEBGL_lose_context")?.loseContext() };
}
