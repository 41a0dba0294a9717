// Help with WebGL2.

// context returns a WebGL2 context of a canvas; undefined if there is none.
export const context = (canvas, options) => canvas.getContext("webgl2", options) ?? undefined;

let known;
// able reports whether the browser has WebGL2.
export function able() {
  if (known === undefined) {
    const gl = context(document.createElement("canvas"));
    known = Boolean(gl);
    gl?.getExtension("WEBGL_lose_context")?.loseContext(); // browsers limit their number
  }
  return known;
}

// program compiles a program, and returns it with the places of its uniforms by name.
export function program(gl, vertex, fragment, attributes) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, "#version 300 es\nprecision highp float;\n" + text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
  }
  attributes.forEach((name, i) => gl.bindAttribLocation(made, i, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
  return { program: made, at: (name) => gl.getUniformLocation(made, name) };
}
