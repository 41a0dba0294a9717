// Smooth playback: a picture at all times, as the scene describes it (format.Mover): still blocks and moving triangles.
import { get } from "./door.js";
import { context, program } from "./gl.js";
import { el } from "./dom.js";

const atlas = 2048; // width and height of the textures that hold the blocks

// A program each for still blocks, tinted blocks, triangles without a texture, and triangles with one: a processor that has to
// do the work of a graphics card is slow with textures. Colours are multiplied by alpha only after they are tinted.
const still = "in vec2 at; uniform sampler2D image; out vec4 result; void main() { result = texture(image, at); }";
const blocks = {
  vertex: `in vec2 position, place; uniform vec2 size; out vec2 at;
void main() { at = place; gl_Position = vec4(position / size * vec2(2, -2) + vec2(-1, 1), 0, 1); }`,
  fragment: `in vec2 at; uniform sampler2D image; uniform vec4 tint; out vec4 result;
void main() {
  vec4 c = texture(image, at);
  if (c.a > 0.) c.rgb /= c.a;
  c = min(c * tint, 1.);
  result = vec4(c.rgb * c.a, c.a);
}`,
};
const triangles = `in vec2 position, pivot, place; in vec4 color; in uint move; uniform vec2 size; uniform sampler2D moves; out vec2 at; out vec4 tint;
void main() {
  vec4 m = texelFetch(moves, ivec2(0, int(move)), 0);
  float s = sin(radians(m.z)), c = cos(radians(m.z));
  vec2 p = mat2(c, s, -s, c) * (position - pivot) + pivot + m.xy;
  at = place; tint = color * texelFetch(moves, ivec2(1, int(move)), 0);
  gl_Position = vec4(p / size * vec2(2, -2) + vec2(-1, 1), 0, 1);
}`;
const colored = (color) => `in vec2 at; in vec4 tint; uniform sampler2D image; out vec4 result;
void main() {
  vec4 c = min(${color}, 1.);
  result = vec4(c.rgb * c.a, c.a);
}`;

// valueOf returns the four values of a curve at a time.
function valueOf({ period, pieces }, ms) {
  ms = period ? ms % period : 0;
  let low = 0, high = pieces.length;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (pieces[mid][0] <= ms) low = mid;
    else high = mid;
  }
  const p = pieces[low], a = (ms - p[0]) / p[1];
  return [2, 6, 10, 14].map((i) => p[i] + a * (p[i + 1] + a * (p[i + 2] + a * p[i + 3])));
}

// enlarged reports whether triangles show their texture so large that they need no smaller one.
function enlarged(corners, [w, h]) {
  for (let i = 0; i < corners.length; i += 24) {
    const [ax, ay, au, av, bx, by, bu, bv] = [8, 16].flatMap((k) => [0, 1, 4, 5].map((j) => corners[i + k + j] - corners[i + j]));
    const area = ax * by - bx * ay, across = (a, b) => [(a * by - b * ay) / area, (b * ax - a * bx) / area];
    const [p, q] = across(au * w, bu * w), [r, s] = across(av * h, bv * h), sum = p * p + q * q + r * r + s * s;
    if (!(sum + Math.sqrt(Math.max(0, sum * sum - 4 * (p * s - q * r) ** 2)) < 4)) return false; // the longest step, in any direction
  }
  return true;
}

// projector returns what draws a motion on a canvas at times in milliseconds.
export function projector(canvas, data, width, height) {
  const gl = context(canvas), length = new DataView(data).getUint32(0, true), head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  const { side, parts, textures, curves, moves } = head, texels = side * side * 4, inRow = atlas / side;
  Object.assign(canvas, { width, height });
  let at = 4 + length;
  const corners = parts.reduce((n, p) => n + p.corners, 0), cornerBytes = new Uint8Array(data, at, 32 * corners);
  const numbers = new Float32Array(data, at, 8 * corners);
  at += 32 * corners;
  let first = 0;
  for (const p of parts) {
    p.enlarged = p.texture >= 0 && enlarged(numbers.subarray(8 * first, 8 * (first + p.corners)), textures[p.texture]);
    first += p.corners;
  }

  const texture = (w, h, levels, filter, wrap = gl.CLAMP_TO_EDGE, format = gl.RGBA8) => {
    const t = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, t);
    gl.texStorage2D(gl.TEXTURE_2D, levels, format, w, h);
    for (const [name, value] of [["MIN_FILTER", filter], ["MAG_FILTER", filter === gl.NEAREST ? filter : gl.LINEAR], ["WRAP_S", wrap], ["WRAP_T", wrap]]) gl.texParameteri(gl.TEXTURE_2D, gl["TEXTURE_" + name], value);
    return t;
  };
  const fill = (x, y, level, w, h, bytes) => gl.texSubImage2D(gl.TEXTURE_2D, level, x, y, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  const pages = [], rowsOf = (i) => Math.min(inRow, Math.ceil((head.blocks.length - i + (i % (inRow * inRow))) / inRow)); // textures with blocks
  head.blocks.forEach((_, i) => {
    const cell = i % (inRow * inRow);
    if (!cell) pages.push(texture(atlas, rowsOf(i) * side, 1, gl.NEAREST));
    fill((cell % inRow) * side, Math.floor(cell / inRow) * side, 0, side, side, new Uint8Array(data, at, texels));
    at += texels;
  });
  const images = textures.map(([w, h, levels]) => {
    const t = texture(w, h, levels, gl.LINEAR_MIPMAP_LINEAR, gl.REPEAT);
    for (let l = 0; l < levels; l++, w = Math.max(w >> 1, 1), h = Math.max(h >> 1, 1)) {
      fill(0, 0, l, w, h, new Uint8Array(data, at, 4 * w * h));
      at += 4 * w * h;
    }
    return t;
  });
  const states = new Float32Array(8 * Math.max(1, moves.length)), table = texture(2, Math.max(1, moves.length), 1, gl.NEAREST, undefined, gl.RGBA32F);

  const array = (bytes, attributes) => {
    const a = gl.createVertexArray();
    gl.bindVertexArray(a);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
    let offset = 0;
    const stride = attributes.reduce((n, [, , , size]) => n + size, 0);
    attributes.forEach(([count, type, kind, size], i) => {
      gl.enableVertexAttribArray(i);
      if (kind === "whole") gl.vertexAttribIPointer(i, count, type, stride, offset);
      else gl.vertexAttribPointer(i, count, type, kind === "part", stride, offset);
      offset += size;
    });
    return a;
  };
  const two = [2, gl.FLOAT, "", 8];
  const squares = array(new Float32Array(head.blocks.flatMap(([x, y], i) => {
    const cell = i % (inRow * inRow), [u, v] = [cell % inRow, Math.floor(cell / inRow)];
    return [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]].flatMap(([a, b]) => [(x + a) * side, (y + b) * side, (u + a) / inRow, (v + b) / rowsOf(i)]);
  })), [two, two]);
  const shapes = array(cornerBytes, [two, two, two, [4, gl.UNSIGNED_BYTE, "part", 4], [1, gl.UNSIGNED_INT, "whole", 4]]);
  const corner = ["position", "pivot", "place", "color", "move"];
  const programs = [[blocks.vertex, still, ["position", "place"]], [blocks.vertex, blocks.fragment, ["position", "place"]], [triangles, colored("tint"), corner], [triangles, colored("texture(image, at, -.5) * tint"), corner]].map((texts) => {
    const { program: made, at } = program(gl, ...texts);
    gl.useProgram(made);
    gl.uniform2f(at("size"), width, height);
    gl.uniform1i(at("moves"), 1);
    return { made, tint: at("tint") };
  });
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.viewport(0, 0, width, height);

  const used = new Map(); // values of curves in this frame
  const values = ([curve, offset], ms) => {
    const key = curve + " " + offset;
    if (!used.has(key)) used.set(key, valueOf(curves[curve], ms + offset));
    return used.get(key);
  };
  return (ms) => {
    if (gl.isContextLost()) return false;
    used.clear();
    moves.forEach(({ place, color, scale, tint }, i) => {
      const p = place[0] < 0 ? [0, 0, 0] : values(place, ms), c = color[0] < 0 ? undefined : values(color, ms);
      states.set([p[0] * scale, p[1] * scale, p[2], 0], 8 * i);
      for (let k = 0; k < 4; k++) states[8 * i + 4 + k] = Math.max(0, c ? tint[k] * c[k] : tint[k]);
    });
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, table);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 2, Math.max(1, moves.length), gl.RGBA, gl.FLOAT, states);
    gl.activeTexture(gl.TEXTURE0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    let block = 0, corner = 0;
    for (const { blocks, corners, texture, move, clips, enlarged } of parts) {
      gl.useProgram(programs[corners ? (texture < 0 ? 2 : 3) : move < 0 ? 0 : 1].made);
      gl[block || corner ? "enable" : "disable"](gl.BLEND); // nothing is behind the first ones
      if (blocks) {
        if (move >= 0) gl.uniform4fv(programs[1].tint, states.subarray(8 * move + 4, 8 * move + 8));
        gl.bindVertexArray(squares);
        for (let from = block; from < block + blocks; ) {
          const page = Math.floor(from / (inRow * inRow)), to = Math.min(block + blocks, (page + 1) * inRow * inRow);
          gl.bindTexture(gl.TEXTURE_2D, pages[page]);
          gl.drawArrays(gl.TRIANGLES, 6 * from, 6 * (to - from));
          from = to;
        }
        block += blocks;
      } else {
        gl.bindVertexArray(shapes);
        gl.enable(gl.SCISSOR_TEST);
        if (texture >= 0) {
          gl.bindTexture(gl.TEXTURE_2D, images[texture]);
          gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, enlarged ? gl.LINEAR : gl.LINEAR_MIPMAP_LINEAR);
        }
        for (const [l, t, r, b] of clips) {
          gl.scissor(l, height - b, r - l, b - t);
          gl.drawArrays(gl.TRIANGLES, corner, corners);
        }
        gl.disable(gl.SCISSOR_TEST);
        corner += corners;
      }
    }
    return true;
  };
}

// film shows the visible part of a Scene (map.js) at any time over its picture: { draw(ms), close() }. It returns nothing if the
// part cannot be drawn in this way; pictures show it then.
export async function film(shown) {
  const { map } = shown;
  let canvas, draw, stop;
  const start = async () => {
    stop?.abort();
    const { signal } = (stop = new AbortController());
    const address = new URL(shown.still().replace("/still/", "/motion/"), location.href), given = (name) => Number(address.searchParams.get(name));
    for (const name of ["save", "time"]) address.searchParams.delete(name);
    const answer = await get(address, { signal });
    if (!answer.ok) throw new Error();
    const data = await answer.arrayBuffer(), next = el("canvas", { className: "film", "aria-hidden": "true" }), [w, h] = [given("w"), given("h")];
    if (signal.aborted) return;
    draw = projector(next, data, w, h);
    draw(shown.moment);
    canvas?.remove();
    canvas = next;
    if (!map) {
      Object.assign(canvas.style, { position: "absolute", inset: 0, width: "100%", height: "100%" });
      document.querySelector(".map.camera .still").after(canvas);
      return;
    }
    const k = shown.view.scale * 2 ** given("z"), from = map.latLngToLayerPoint(shown.at(given("x"), given("y"))), to = map.latLngToLayerPoint(shown.at(given("x") + w / k, given("y") + h / k));
    Object.assign(canvas.style, { position: "absolute", width: `${to.x - from.x}px`, height: `${to.y - from.y}px` });
    L.DomUtil.setPosition(canvas, from);
    (map.getPane("film") ?? map.createPane("film")).append(canvas);
    map.getPane("film").style.zIndex = 250;
  };
  const again = () => start().catch(() => {});
  const hide = () => {
    canvas?.remove();
    canvas = draw = undefined;
  };
  await start();
  map?.on("zoomstart", hide).on("moveend", again);
  return {
    get canvas() { return canvas; },
    draw: (ms) => new Promise((done) => requestAnimationFrame(() => {
      if (draw && !draw(ms)) hide();
      shown.onMoment?.(ms);
      done();
    })),
    close() {
      stop.abort();
      map?.off("zoomstart", hide).off("moveend", again);
      const last = canvas;
      shown.toMoment(shown.moment).then(() => last?.remove());
    },
  };
}
