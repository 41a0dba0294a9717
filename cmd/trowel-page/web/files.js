// The file system of the program: the user's files, which are read in pieces when they are needed, and files in memory
// that the program writes. It has the part of Node's fs that Go uses.

const piece = 1 << 18, most = 64; // bytes read at a time, and how many pieces are kept
const written = 256 << 20; // the most bytes in files that the program writes

const isFolder = 0o40000, isFile = 0o100000;
const constants = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };

let inode = 0, used = 0;
const folder = () => ({ inode: ++inode, mode: isFolder | 0o755, entries: new Map(), time: Date.now() });
const root = folder();
root.entries.set("tmp", folder());

const wrong = (code) => Object.assign(new Error(code), { code });

// lost is called with the name of a file that can no longer be read.
let lost = () => {};
export const onlost = (f) => (lost = f);

// parts returns the names in a path from the root.
function parts(path) {
  const all = [];
  for (const name of path.split("/")) {
    if (name === "..") all.pop();
    else if (name && name !== ".") all.push(name);
  }
  return all;
}

function find(path) {
  let node = root;
  for (const name of parts(path)) {
    if (!node.entries) throw wrong("ENOTDIR");
    node = node.entries.get(name);
    if (!node) throw wrong("ENOENT");
  }
  return node;
}

// above returns the folder of a path and the last name.
function above(path) {
  const names = parts(path), name = names.pop();
  const dir = find(names.join("/"));
  if (!dir.entries) throw wrong("ENOTDIR");
  if (!name) throw wrong("EEXIST");
  return [dir, name];
}

// place puts a file at a path, and makes the folders above it.
function place(path, file) {
  let dir = root;
  const names = parts(path), name = names.pop();
  for (const n of names) {
    if (!dir.entries.has(n)) dir.entries.set(n, folder());
    dir = dir.entries.get(n);
    if (!dir.entries) throw new Error(`${path}: there is a file and a folder with the same name`);
  }
  dir.entries.set(name, { inode: ++inode, name, path, ...file });
}

// add adds a file of the user: a Blob, or {url, size}.
export const add = (path, source, time) => place(path, { mode: isFile | 0o444, source, size: source.size, time });

// write makes a file that the program can change.
export function write(path, content) {
  const data = new TextEncoder().encode(content);
  used += data.length;
  place(path, { mode: isFile | 0o644, data, size: data.length, time: Date.now() });
}

// text returns the content of a file that the program has written, or null.
export function text(path) {
  try {
    const { data, size } = find(path);
    return new TextDecoder().decode(data.subarray(0, size));
  } catch {
    return null;
  }
}

const kept = new Map(); // pieces, the last used at the end

// pieceOf returns a piece of a file.
function pieceOf(node, number) {
  const key = `${node.inode} ${number}`;
  let data = kept.get(key);
  if (!data) {
    try {
      data = fetched(node, number * piece, Math.min(node.size, (number + 1) * piece));
    } catch (err) {
      lost(node.path, err);
      throw wrong("EIO");
    }
  }
  kept.delete(key);
  kept.set(key, data);
  if (kept.size > most) kept.delete(kept.keys().next().value);
  return data;
}

function fetched(node, from, to) {
  const { source } = node;
  if (source instanceof Blob) return new Uint8Array(new FileReaderSync().readAsArrayBuffer(source.slice(from, to)));
  const ask = new XMLHttpRequest();
  ask.open("GET", source.url, false);
  ask.responseType = "arraybuffer";
  if (node.size > piece) ask.setRequestHeader("Range", `bytes=${from}-${to - 1}`);
  ask.send();
  if (ask.status === 200) { // all of it: the server does not send parts
    if (ask.response.byteLength !== node.size) throw new Error("the file has another size now");
    if (node.size > piece) node.source = new Blob([ask.response]);
    return new Uint8Array(ask.response, from, to - from);
  }
  if (ask.status !== 206 || ask.response.byteLength !== to - from) throw new Error(`the server answers with status ${ask.status}`);
  return new Uint8Array(ask.response);
}

// resize sets the size of a file in memory.
function resize(node, size) {
  if (!node.data) throw wrong("EACCES");
  if (size > node.data.length) {
    const room = Math.max(size, 2 * node.data.length);
    if (used + room - node.data.length > written) throw wrong("ENOSPC");
    const data = new Uint8Array(room);
    used += room - node.data.length;
    data.set(node.data.subarray(0, node.size));
    node.data = data;
  } else if (size < node.size) node.data.fill(0, size, node.size);
  node.size = size;
}

function remove(dir, name) {
  used -= dir.entries.get(name).data?.length ?? 0;
  dir.entries.delete(name);
}

const open = new Map(); // files by their numbers
const file = (fd) => open.get(fd) ?? (() => { throw wrong("EBADF"); })();

function stat(node) {
  return {
    isDirectory: () => Boolean(node.entries), dev: 1, ino: node.inode, mode: node.mode, nlink: 1, uid: 1, gid: 1, rdev: 0, size: node.size ?? 0, blksize: 4096,
    blocks: Math.ceil((node.size ?? 0) / 512), atimeMs: node.time, mtimeMs: node.time, ctimeMs: node.time,
  };
}

const calls = {
  open(path, flags) {
    let node;
    if (flags & constants.O_CREAT) {
      const [dir, name] = above(path);
      node = dir.entries.get(name);
      if (node && flags & constants.O_EXCL) throw wrong("EEXIST");
      if (!node) dir.entries.set(name, (node = { inode: ++inode, mode: isFile | 0o644, data: new Uint8Array(0), size: 0, time: Date.now(), path }));
    } else node = find(path);
    const writes = flags & (constants.O_WRONLY | constants.O_RDWR);
    if (writes && node.entries) throw wrong("EISDIR");
    if (writes && !node.data) throw wrong("EROFS");
    if (flags & constants.O_TRUNC && writes) resize(node, 0);
    let fd = 3;
    while (open.has(fd)) fd++;
    open.set(fd, { node, at: 0, append: flags & constants.O_APPEND });
    return fd;
  },
  close(fd) { file(fd); open.delete(fd); },
  read(fd, buffer, offset, length, position) {
    const f = file(fd), { node } = f;
    if (node.entries) throw wrong("EISDIR");
    let at = position ?? f.at, n = 0;
    while (n < length && at < node.size) {
      const start = node.data ? 0 : Math.floor(at / piece) * piece;
      const data = node.data ? node.data.subarray(0, node.size) : pieceOf(node, start / piece);
      const part = data.subarray(at - start, at - start + length - n);
      buffer.set(part, offset + n);
      n += part.length;
      at += part.length;
    }
    if (position === null) f.at = at;
    return n;
  },
  write(fd, buffer, offset, length, position) {
    const bytes = buffer.subarray(offset, offset + length);
    if (fd < 3) {
      console.log(new TextDecoder().decode(bytes));
      return length;
    }
    const f = file(fd), { node } = f;
    const at = f.append ? node.size : position ?? f.at;
    if (!node.data) throw wrong("EROFS");
    if (at + length > node.size) resize(node, at + length);
    node.data.set(bytes, at);
    node.time = Date.now();
    if (position === null) f.at = at + length;
    return length;
  },
  fstat: (fd) => stat(fd < 3 ? { inode: 0, mode: 0o20600, size: 0, time: 0 } : file(fd).node),
  stat: (path) => stat(find(path)),
  lstat: (path) => stat(find(path)),
  readdir(path) {
    const node = find(path);
    if (!node.entries) throw wrong("ENOTDIR");
    return [...node.entries.keys()];
  },
  mkdir(path) {
    const [dir, name] = above(path);
    if (dir.entries.has(name)) throw wrong("EEXIST");
    dir.entries.set(name, folder());
  },
  unlink(path) {
    const node = find(path);
    if (node.entries) throw wrong("EISDIR");
    if (!node.data) throw wrong("EROFS");
    remove(...above(path));
  },
  rmdir(path) {
    const node = find(path);
    if (!node.entries) throw wrong("ENOTDIR");
    if (node.entries.size) throw wrong("ENOTEMPTY");
    remove(...above(path));
  },
  rename(from, to) {
    const node = find(from), [dir, name] = above(to), old = dir.entries.get(name);
    if (!node.data && !node.entries || old && !old.data) throw wrong("EROFS");
    if (old === node) return;
    if (old) remove(dir, name);
    const [was, called] = above(from);
    was.entries.delete(called);
    dir.entries.set(name, node);
  },
  truncate(path, size) { resize(find(path), size); },
  ftruncate(fd, size) { resize(file(fd).node, size); },
  fsync() {}, chmod() {}, fchmod() {}, utimes() {},
  readlink() { throw wrong("EINVAL"); },
  ...Object.fromEntries(["chown", "fchown", "lchown", "link", "symlink"].map((name) => [name, () => { throw wrong("ENOSYS"); }])),
};

// Answers come after other work of the worker, and now and then after the messages that wait for it.
const { port1, port2 } = new MessageChannel();
const waiting = [];
let yielded = performance.now();
port1.onmessage = () => {
  yielded = performance.now();
  waiting.shift()();
};
function later(answer) {
  if (performance.now() - yielded < 20) return queueMicrotask(answer);
  waiting.push(answer);
  port2.postMessage(0);
}

globalThis.fs = { constants, writeSync: (fd, buffer) => calls.write(fd, buffer, 0, buffer.length, null) };
for (const [name, call] of Object.entries(calls)) {
  globalThis.fs[name] = (...args) => {
    const done = args.pop();
    let value, failed = null;
    try {
      value = call(...args);
    } catch (err) {
      failed = err.code ? err : wrong("EIO");
    }
    later(() => done(failed, value));
  };
}
globalThis.path = { resolve: (...all) => "/" + parts(all.join("/")).join("/") };
globalThis.process = {
  getuid: () => 1, getgid: () => 1, geteuid: () => 1, getegid: () => 1, getgroups: () => [1], pid: 1, ppid: 1, umask: () => 0o22,
  cwd: () => "/", chdir() { throw wrong("ENOSYS"); },
};
