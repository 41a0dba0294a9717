// Help with WebGL2.

// context returns the WebGL2 context of a canvas, which may have a depth.
export function context(canvas, depth = false) {
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth });
  if (!gl) throw new Error("the browser has no WebGL2");
  return gl;
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
