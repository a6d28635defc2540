// Runs the workbench, a Go program compiled to WebAssembly, off the page's thread. The page and the program exchange
// frames (docs/protocol.md): the page's bytes are the program's standard input, its standard output is posted back.
'use strict';

const failure = code => Object.assign(new Error(code), {code});

// Files live in memory. A name maps to bytes; folders exist as prefixes and in `folders`.
const files = new Map();
const folders = new Set(['/', '/home', '/tmp']);
const opened = new Map();
let nextDescriptor = 3;
let folder = '/home';

const input = [];
let waiting = null;

function absolute(path) {
  const parts = [];
  for (const part of (path.startsWith('/') ? path : folder + '/' + path).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return '/' + parts.join('/');
}

const parent = path => path.slice(0, path.lastIndexOf('/')) || '/';

function status(path) {
  const directory = folders.has(path);
  const file = files.get(path);
  if (!directory && !file) return null;
  const ms = file ? file.time : 0;
  return {
    dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: 0,
    mode: directory ? 0o40755 : 0o100644, size: file ? file.data.length : 0,
    atimeMs: ms, mtimeMs: ms, ctimeMs: ms, isDirectory: () => directory,
  };
}

function answerInput() {
  if (!waiting || input.length === 0) return;
  const {buffer, offset, length, callback} = waiting;
  waiting = null;
  const chunk = input[0];
  const n = Math.min(length, chunk.length);
  buffer.set(chunk.subarray(0, n), offset);
  if (n === chunk.length) input.shift();
  else input[0] = chunk.subarray(n);
  callback(null, n);
}

const constants = {O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536};

function writeTo(fd, bytes) {
  if (fd === 1) {
    postMessage({type: 'output', bytes: bytes.slice()});
    return bytes.length;
  }
  if (fd === 2) {
    console.error(new TextDecoder().decode(bytes));
    return bytes.length;
  }
  const open = opened.get(fd);
  if (!open) throw failure('EBADF');
  const at = open.append ? open.file.data.length : open.position;
  if (at + bytes.length > open.file.data.length) {
    const longer = new Uint8Array(at + bytes.length);
    longer.set(open.file.data);
    open.file.data = longer;
  }
  open.file.data.set(bytes, at);
  open.position = at + bytes.length;
  open.written = true;
  return bytes.length;
}

const answers = {
  open(path, flags) {
    path = absolute(path);
    if (folders.has(path)) {
      if (flags & 3) throw failure('EISDIR');
      opened.set(nextDescriptor, {path, directory: true});
      return nextDescriptor++;
    }
    let file = files.get(path);
    if (!file) {
      if (!(flags & constants.O_CREAT)) throw failure('ENOENT');
      if (!folders.has(parent(path))) throw failure('ENOENT');
      file = {data: new Uint8Array(), time: Date.now()};
      files.set(path, file);
    } else if (flags & constants.O_EXCL) {
      throw failure('EEXIST');
    } else if (flags & constants.O_DIRECTORY) {
      throw failure('ENOTDIR');
    }
    if (flags & constants.O_TRUNC) file.data = new Uint8Array();
    opened.set(nextDescriptor, {path, file, position: 0, append: (flags & constants.O_APPEND) !== 0, written: false});
    return nextDescriptor++;
  },
  close(fd) { opened.delete(fd); },
  fstat(fd) {
    const open = opened.get(fd);
    if (!open) { // the standard streams
      if (fd > 2) throw failure('EBADF');
      return {...status('/'), mode: 0o10600, isDirectory: () => false};
    }
    return open.directory ? status(open.path) : {...status('/'), mode: 0o100644, size: open.file.data.length, mtimeMs: open.file.time, isDirectory: () => false};
  },
  stat(path) {
    const found = status(absolute(path));
    if (!found) throw failure('ENOENT');
    return found;
  },
  readdir(path) {
    path = absolute(path);
    if (!folders.has(path)) throw failure('ENOENT');
    const below = path === '/' ? '/' : path + '/';
    return [...files.keys(), ...folders].filter(p => p.startsWith(below) && p !== below && !p.slice(below.length).includes('/')).map(p => p.slice(below.length));
  },
  mkdir(path) {
    path = absolute(path);
    if (status(path)) throw failure('EEXIST');
    if (!folders.has(parent(path))) throw failure('ENOENT');
    folders.add(path);
  },
  rename(from, to) {
    from = absolute(from);
    to = absolute(to);
    const file = files.get(from);
    if (!file) throw failure('ENOENT');
    files.delete(from);
    files.set(to, file);
    tell(to);
  },
  unlink(path) { if (!files.delete(absolute(path))) throw failure('ENOENT'); },
  rmdir(path) { if (!folders.delete(absolute(path))) throw failure('ENOENT'); },
  ftruncate(fd, length) {
    const open = opened.get(fd);
    if (!open || open.directory) throw failure('EBADF');
    const data = new Uint8Array(length);
    data.set(open.file.data.subarray(0, length));
    open.file.data = data;
  },
};
answers.lstat = answers.stat;
for (const name of ['chmod', 'chown', 'fchmod', 'fchown', 'lchown', 'utimes', 'fsync']) answers[name] = () => {};
for (const name of ['link', 'symlink', 'readlink']) answers[name] = () => { throw failure('ENOSYS'); };

// tell offers a file that the program has written to the page.
function tell(path) {
  const file = files.get(path);
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (file && !name.startsWith('.')) postMessage({type: 'file', name, bytes: file.data.slice()});
}

self.fs = {constants, writeSync: writeTo};
for (const [name, answer] of Object.entries(answers)) {
  self.fs[name] = (...args) => {
    const callback = args.pop();
    let result;
    try {
      result = answer(...args);
    } catch (error) {
      callback(error);
      return;
    }
    callback(null, result);
  };
}
self.fs.truncate = (path, length, callback) => callback(failure('ENOSYS'));
self.fs.write = (fd, buffer, offset, length, position, callback) => {
  const open = opened.get(fd);
  if (open && position !== null && position !== undefined) open.position = position;
  try {
    callback(null, writeTo(fd, buffer.subarray(offset, offset + length)));
  } catch (error) {
    callback(error);
  }
};
self.fs.read = (fd, buffer, offset, length, position, callback) => {
  if (fd === 0) {
    waiting = {buffer, offset, length, callback};
    answerInput();
    return;
  }
  const open = opened.get(fd);
  if (!open) return callback(failure('EBADF'));
  if (open.directory) return callback(failure('EISDIR'));
  const at = position ?? open.position;
  const part = open.file.data.subarray(at, at + length);
  buffer.set(part, offset);
  if (position === null || position === undefined) open.position = at + part.length;
  callback(null, part.length);
};
self.process = {
  getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [0],
  pid: 1, ppid: 0, umask: () => 0o022, cwd: () => folder,
  chdir(path) {
    path = absolute(path);
    if (!folders.has(path)) throw failure('ENOENT');
    folder = path;
  },
};

// program fetches the compiled program: compressed by brotli where the host labels it as such, by gzip elsewhere.
async function program(name) {
  const labelled = await fetch(name + '.wasm.br');
  if (labelled.ok && labelled.headers.get('Content-Encoding') === 'br') return labelled;
  if (labelled.body) await labelled.body.cancel();
  const zipped = await fetch(name + '.wasm.gz');
  if (!zipped.ok) throw new Error(`${name}.wasm.gz cannot be loaded (HTTP status ${zipped.status})`);
  const plain = zipped.headers.get('Content-Encoding') === 'gzip' ? zipped.body : zipped.body.pipeThrough(new DecompressionStream('gzip'));
  return new Response(plain, {headers: {'Content-Type': 'application/wasm'}});
}

async function start(name) {
  importScripts('wasm_exec.js');
  const go = new Go();
  go.argv = ['workbench'];
  go.env = {HOME: '/home', TMPDIR: '/tmp'};
  let response = await program(name);
  if (response.headers.get('Content-Type') !== 'application/wasm') {
    response = new Response(response.body, {headers: {'Content-Type': 'application/wasm'}});
  }
  const {instance} = await WebAssembly.instantiateStreaming(response, go.importObject);
  postMessage({type: 'loaded'});
  await go.run(instance);
  postMessage({type: 'ended', text: 'the program has ended'});
}

self.onmessage = ({data}) => {
  switch (data.type) {
    case 'start':
      start(data.program).catch(error => postMessage({type: 'ended', text: String(error.message || error)}));
      break;
    case 'input':
      input.push(data.bytes);
      answerInput();
      break;
    case 'file':
      files.set('/home/' + data.name, {data: data.bytes, time: Date.now()});
      break;
  }
};
