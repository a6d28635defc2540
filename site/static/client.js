// The page's side of a session: it runs cells in a worker, one at a time, and can stop them.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// frame encodes a message of docs/protocol.md without data.
export function frame(kind, number, content) {
  const text = encoder.encode(content === undefined ? '' : JSON.stringify(content));
  const bytes = new Uint8Array(13 + text.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 9 + text.length, true);
  bytes[4] = kind.charCodeAt(0);
  view.setUint32(5, number, true);
  view.setUint32(9, text.length, true);
  bytes.set(text, 13);
  return bytes;
}

// Frames collects bytes and calls take(kind, number, content) for each whole message.
export class Frames {
  constructor(take) {
    this.take = take;
    this.parts = [];
    this.size = 0;
  }

  add(bytes) {
    this.parts.push(bytes);
    this.size += bytes.length;
    while (this.size >= 13) {
      const all = this.whole();
      const view = new DataView(all.buffer, all.byteOffset, all.length);
      const length = 4 + view.getUint32(0, true);
      if (all.length < length) return;
      const text = all.subarray(13, 13 + view.getUint32(9, true));
      this.parts = [all.subarray(length)];
      this.size = all.length - length;
      this.take(String.fromCharCode(all[4]), view.getUint32(5, true), text.length ? JSON.parse(decoder.decode(text)) : {});
    }
  }

  whole() {
    if (this.parts.length > 1) {
      const all = new Uint8Array(this.size);
      let at = 0;
      for (const part of this.parts) {
        all.set(part, at);
        at += part.length;
      }
      this.parts = [all];
    }
    return this.parts[0];
  }
}

const stopWithin = 1000; // milliseconds that a computation has to stop by itself

// Session is a running workbench. Events: 'state' (loading, ready, busy, restarted, failed: detail.state, detail.text)
// and 'file' (detail.name, detail.bytes), a file that a script has written.
export class Session extends EventTarget {
  constructor(program = 'core') {
    super();
    this.program = program;
    this.number = 0;
    this.files = new Map(); // dropped onto the page; a new worker gets them too
    this.begin();
  }

  begin() {
    this.pending = new Map();
    this.tell('loading', 'loading the program');
    this.worker = new Worker(new URL('worker.js', import.meta.url));
    const frames = new Frames((kind, number, content) => this.take(kind, number, content));
    this.ready = new Promise((resolve, reject) => {
      this.welcomed = resolve;
      this.refused = reject;
    });
    this.ready.catch(() => {}); // each run reports it
    this.worker.onmessage = ({data}) => {
      if (data.type === 'output') frames.add(data.bytes);
      else if (data.type === 'loaded') this.send('H', 0, {protocol: 1, width: 100, height: 40, unicode: true});
      else if (data.type === 'file') this.dispatchEvent(new CustomEvent('file', {detail: data}));
      else if (data.type === 'ended') this.lost(data.text);
    };
    this.worker.onerror = event => this.lost(event.message);
    this.worker.postMessage({type: 'start', program: this.program});
    for (const [name, bytes] of this.files) this.worker.postMessage({type: 'file', name, bytes});
  }

  tell(state, text) {
    this.state = state;
    this.dispatchEvent(new CustomEvent('state', {detail: {state, text}}));
  }

  send(kind, number, content) {
    this.worker.postMessage({type: 'input', bytes: frame(kind, number, content)});
  }

  take(kind, number, content) {
    const request = this.pending.get(number);
    switch (kind) {
      case 'h':
        this.tell('ready', content.version);
        this.welcomed();
        return;
      case 'r':
        this.settle(number);
        request?.resolve(content.value);
        return;
      case 'e':
        this.settle(number);
        if (request) request.reject(new Error(content.text));
        else if (number === 0) this.lost(content.text);
        return;
    }
    const running = this.running && this.pending.get(this.running);
    if (!running) return;
    if (kind === 'o') running.handlers.output?.(content.text, content.stream);
    else if (kind === 'd') running.handlers.display?.(content.data);
    else if (kind === 'p') running.handlers.progress?.(content);
  }

  settle(number) {
    this.pending.delete(number);
    if (this.running === number) {
      this.running = 0;
      clearTimeout(this.stopping);
      this.tell('ready', '');
    }
  }

  // lost ends every request: the worker has died, or was ended.
  lost(text) {
    this.worker.terminate();
    clearTimeout(this.stopping);
    this.running = 0;
    this.refused(new Error(text));
    for (const request of this.pending.values()) request.reject(new Error(text));
    this.pending.clear();
    this.tell('failed', text);
  }

  request(content, handlers = {}) {
    const number = ++this.number;
    return new Promise((resolve, reject) => {
      this.pending.set(number, {resolve, reject, handlers});
      this.send('N', number, content);
    });
  }

  // run runs a cell and returns the content of its reply, in which result is its value. Cells wait for each other.
  async run(source, count, handlers) {
    const before = this.queue;
    let done;
    this.queue = new Promise(resolve => { done = resolve; });
    try {
      await before;
      if (this.state === 'failed') this.restart('the program was loaded again; variables are gone');
      await this.ready;
      this.tell('busy', '');
      const reply = this.request({ask: 'run', source, count}, handlers);
      this.running = this.number;
      return await reply;
    } finally {
      done();
    }
  }

  // ask answers "complete", "inspect" or "whole"; null while a cell runs.
  async ask(what, source, at) {
    if (this.state !== 'ready') return null;
    return this.request({ask: what, source, at});
  }

  // stop interrupts the running cell. A computation that does not stop by itself ends with its worker.
  stop() {
    if (!this.running) return;
    this.send('I', this.running);
    clearTimeout(this.stopping);
    this.stopping = setTimeout(() => this.restart('the computation could not stop by itself: the program was loaded again, and variables are gone'), stopWithin);
  }

  restart(text) {
    this.lost(text);
    this.begin();
    this.tell('restarted', text);
  }

  // drop puts a file where scripts read it by its name.
  drop(name, bytes) {
    this.files.set(name, bytes);
    this.worker.postMessage({type: 'file', name, bytes});
  }
}
