// The drawing of a model (glb.js) with WebGL2, with the pixels of `trowel render`: light at the corners, the nearest
// texel of a texture of fitting size, and each pixel the mean of four.
import { context, program } from "./gl.js";
import { bitmaps, pose, posed } from "./glb.js";

const fine = 2; // pixels drawn for a pixel of the picture, along each axis

const vertex = `
in vec3 position, normal; in vec2 place; in vec4 color;
uniform mat3 axes; uniform vec3 middle, lamp; uniform vec2 size; uniform vec4 look; uniform vec2 light; uniform bool plain, faces;
out vec4 tint; out vec2 shade, at; out vec3 seen;
void main() {
  seen = axes * (position - middle);
  vec3 n = faces ? vec3(0) : normalize(axes * normal);
  shade = plain ? vec2(1) : min(vec2(1), light.x + light.y * max(vec2(0), vec2(1, -1) * dot(n, lamp)));
  tint = vec4(mix(color.rgb * 12.92, 1.055 * pow(color.rgb, vec3(1. / 2.4)) - .055, step(.0031308, color.rgb)), color.a); at = place;
  gl_Position = vec4((seen.xy - look.xy) * look.z * 2. / size, -seen.z * look.w, 1);
}`;
const fragment = `
in vec4 tint; in vec2 shade, at; in vec3 seen;
uniform sampler2D image; uniform vec4 base; uniform vec3 lamp; uniform vec2 light; uniform int alpha; uniform bool plain, faces;
out vec4 result;
void main() {
  vec2 size = vec2(textureSize(image, 0)), u = dFdx(at) * size, v = dFdy(at) * size;
  float level = floor(max(0., .5 * log2(max(1e-9, abs(u.x * v.y - u.y * v.x)))) + .5);
  vec4 c = textureLod(image, at, level);
  if (alpha == 0) c.a = 1.; else if (c.a > 0.) c.rgb /= c.a;
  c *= base * vec4(tint.rgb, alpha == 0 ? 1. : tint.a);
  if (alpha == 1 && c.a < .5 || alpha == 2 && c.a <= 0.) discard;
  float bright = gl_FrontFacing ? shade.x : shade.y;
  if (faces && !plain) {
    vec3 n = normalize(cross(dFdx(seen), dFdy(seen)));
    bright = min(1., light.x + light.y * max(0., dot(n, lamp)));
  }
  result = vec4(c.rgb * bright, alpha == 2 ? c.a : 1.);
}`;

// around returns axes that are turned to the left around the vertical, and then lifted.
export function around([right, up, toward], yaw, pitch) {
  const [s, c] = [Math.sin((yaw * Math.PI) / 180), Math.cos((yaw * Math.PI) / 180)], [sin, cos] = [Math.sin((pitch * Math.PI) / 180), Math.cos((pitch * Math.PI) / 180)];
  const [r, u, t] = [right, up, toward].map(([x, y, z]) => [c * x - s * z, y, s * x + c * z]);
  return [r, u.map((v, i) => cos * v - sin * t[i]), t.map((v, i) => cos * v + sin * u[i])];
}

// painter returns what draws a model on a canvas: { box, draw(view), close() }.
//   box(clip)   the middle of the model, and the distance of its farthest corner, over a clip
//   draw        { axes: right, up, toward, middle, pan, scale, clip, seconds, paper, turnable, width, height }
export async function painter(canvas, model) {
  const gl = context(canvas);
  await bitmaps(model, gl.getParameter(gl.MAX_TEXTURE_SIZE));
  const { program: made, at } = program(gl, vertex, fragment, ["position", "normal", "place", "color"]);
  gl.useProgram(made);
  const uniform = new Proxy({}, { get: (known, name) => (known[name] ??= at(name)) });
  const textures = new Map();
  const texture = (bitmap, { wrapS, wrapT } = {}) => {
    const key = bitmap ?? "white", all = textures.get(key) ?? textures.set(key, new Map()).get(key), wrap = `${wrapS} ${wrapT}`;
    if (all.has(wrap)) return all.get(wrap);
    const t = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, t);
    if (bitmap) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array([255, 255, 255, 255]));
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST_MIPMAP_NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, wrapS === 33071 ? wrapS : gl.REPEAT);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, wrapT === 33071 ? wrapT : gl.REPEAT);
    all.set(wrap, t);
    return t;
  };
  const buffer = (kind, data, use) => {
    const b = gl.createBuffer();
    gl.bindBuffer(kind, b);
    gl.bufferData(kind, data, use);
    return b;
  };
  const parts = model.parts.map((part) => {
    const own = { part, positions: new Float32Array(part.positions.length), normals: new Float32Array(part.normals?.length ?? 0), array: gl.createVertexArray() };
    gl.bindVertexArray(own.array);
    const attribute = (i, size, type, normalized, data, use = gl.STATIC_DRAW) => {
      if (!data?.length) return void gl.vertexAttrib4f(i, 1, 1, 1, 1);
      const b = buffer(gl.ARRAY_BUFFER, data, use);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, size, type, normalized, 0, 0);
      return b;
    };
    own.positionBuffer = attribute(0, 3, gl.FLOAT, false, own.positions, gl.DYNAMIC_DRAW);
    own.normalBuffer = attribute(1, 3, gl.FLOAT, false, own.normals, gl.DYNAMIC_DRAW);
    attribute(2, 2, gl.FLOAT, false, part.places);
    attribute(3, 4, gl.UNSIGNED_SHORT, true, part.colors);
    own.indexBuffer = buffer(gl.ELEMENT_ARRAY_BUFFER, part.indices, gl.DYNAMIC_DRAW);
    own.type = part.indices instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
    own.texture = texture(part.places && part.material.bitmap, part.material.sampler);
    return own;
  });
  gl.bindVertexArray(null);
  parts.sort((a, b) => (a.part.material.alpha === "BLEND") - (b.part.material.alpha === "BLEND"));

  // move puts the model into a pose.
  let last;
  const move = (clip, seconds) => {
    if (last && last.clip === clip && last.seconds === seconds) return;
    last = { clip, seconds };
    const places = pose(model, clip, seconds);
    for (const p of parts) posed(p.part, places, p.positions, p.normals);
    last.fresh = true;
  };
  const box = (clip) => {
    const moments = clip ? 8 : 1, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const each = (f) => {
      for (let m = 0; m < moments; m++) {
        move(clip, clip ? (clip.length * m) / moments : 0);
        for (const { positions, part } of parts) for (const i of part.indices) f(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
      }
    };
    each((...p) => p.forEach((v, k) => {
      low[k] = Math.min(low[k], v);
      high[k] = Math.max(high[k], v);
    }));
    const middle = low.map((v, k) => (Number.isFinite(v + high[k]) ? (v + high[k]) / 2 : 0));
    let far = 0;
    each((x, y, z) => (far = Math.max(far, Math.hypot(x - middle[0], y - middle[1], z - middle[2]) || 0)));
    return { middle, far: Math.max(far, 1e-6) };
  };
  // sorted returns the triangles of a part from back to front.
  const sorted = ({ part, positions }, toward) => {
    const near = new Float32Array(positions.length / 3).map((_, i) => positions[3 * i] * toward[0] + positions[3 * i + 1] * toward[1] + positions[3 * i + 2] * toward[2]);
    const { indices } = part, order = Array.from({ length: indices.length / 3 }, (_, i) => i), key = order.map((i) => near[indices[3 * i]] + near[indices[3 * i + 1]] + near[indices[3 * i + 2]]);
    order.sort((a, b) => key[a] - key[b]);
    const out = new indices.constructor(indices.length);
    order.forEach((t, i) => out.set(indices.subarray(3 * t, 3 * t + 3), 3 * i));
    return { out, mean: key.reduce((a, b) => a + b, 0) / Math.max(1, key.length) };
  };
  let target, size = [0, 0];
  const resize = (w, h) => {
    if (w === size[0] && h === size[1]) return;
    size = [w, h];
    for (const t of target ? [target.color, target.depth] : []) gl.deleteRenderbuffer(t);
    if (target) gl.deleteFramebuffer(target.frame);
    target = { frame: gl.createFramebuffer(), color: gl.createRenderbuffer(), depth: gl.createRenderbuffer() };
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.frame);
    for (const [name, format, place] of [["color", gl.RGBA8, gl.COLOR_ATTACHMENT0], ["depth", gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]]) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, target[name]);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, w * fine, h * fine);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, target[name]);
    }
  };

  function draw({ axes: [right, up, toward], middle, far, pan, scale, clip, seconds, paper, turnable, width, height }) {
    if (gl.isContextLost()) return;
    Object.assign(canvas, { width, height });
    resize(width, height);
    move(clip, seconds);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.frame);
    gl.viewport(0, 0, width * fine, height * fine);
    gl.depthMask(true);
    gl.clearColor(...paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.useProgram(made);
    gl.uniformMatrix3fv(uniform.axes, false, right.flatMap((_, i) => [right[i], up[i], toward[i]]));
    gl.uniform3fv(uniform.middle, middle);
    gl.uniform3fv(uniform.lamp, turnable.lamp);
    gl.uniform2f(uniform.light, turnable.ambient, turnable.direct);
    gl.uniform2f(uniform.size, width, height);
    gl.uniform4f(uniform.look, ...pan, scale, 1 / (far * 1.01));
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const mixed = parts.filter((p) => p.part.material.alpha === "BLEND").map((p) => [p, sorted(p, toward)]).sort((a, b) => a[1].mean - b[1].mean);
    for (const [p, order] of [...parts.filter((p) => p.part.material.alpha !== "BLEND").map((p) => [p]), ...mixed]) {
      const { material } = p.part;
      gl.bindVertexArray(p.array);
      if (last.fresh) {
        gl.bindBuffer(gl.ARRAY_BUFFER, p.positionBuffer);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, p.positions);
        if (p.normalBuffer) {
          gl.bindBuffer(gl.ARRAY_BUFFER, p.normalBuffer);
          gl.bufferSubData(gl.ARRAY_BUFFER, 0, p.normals);
        }
      }
      if (order) gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, 0, order.out);
      gl[order ? "enable" : "disable"](gl.BLEND);
      gl.depthMask(!order);
      gl[material.both ? "disable" : "enable"](gl.CULL_FACE);
      gl.uniform1i(uniform.alpha, ["OPAQUE", "MASK", "BLEND"].indexOf(material.alpha));
      gl.uniform1i(uniform.plain, material.unlit ? 1 : 0);
      gl.uniform1i(uniform.faces, p.part.normals ? 0 : 1);
      gl.uniform4fv(uniform.base, material.color.map((v, i) => (i < 3 ? v ** (1 / 2.2) : v)));
      gl.bindTexture(gl.TEXTURE_2D, p.texture);
      gl.drawElements(gl.TRIANGLES, p.part.indices.length, p.type, 0);
    }
    last.fresh = false;
    gl.bindVertexArray(null);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, target.frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width * fine, height * fine, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.LINEAR);
  }
  return { box, draw, close: () => gl.getExtension("WEBGL_lose_context")?.loseContext() };
}
