// Shows what a cell prints, displays and fails with.

const ansi = /\x1b\[[0-9;]*m/g;

// Output is the part of a page below a cell.
export class Output {
  constructor(element) {
    this.element = element;
    this.clear();
  }

  clear() {
    for (const url of this.urls ?? []) URL.revokeObjectURL(url);
    this.urls = [];
    this.element.replaceChildren();
    this.stream = null;
  }

  // handlers are those that a session's run takes.
  handlers() {
    return {
      output: text => this.text(text),
      display: data => this.data(data),
      progress: at => this.progress(at),
    };
  }

  add(tag, className, text) {
    const e = document.createElement(tag);
    e.className = className;
    if (text !== undefined) e.textContent = text;
    this.element.append(e);
    if (tag !== 'progress') this.stream = null;
    return e;
  }

  text(text) {
    const stream = this.stream ?? this.add('pre', 'text', '');
    this.stream = stream;
    stream.append(text.replace(ansi, ''));
  }

  data(data) {
    if (data['image/svg+xml']) {
      const image = this.add('img', 'figure');
      image.src = URL.createObjectURL(new Blob([data['image/svg+xml']], {type: 'image/svg+xml'}));
      image.alt = data['text/plain']?.split('\n')[0] || 'figure';
      this.urls.push(image.src);
    } else if (data['text/html']) { // written by the program from escaped texts; the page's policy runs no script in it
      this.add('div', 'rich').innerHTML = data['text/html'];
    } else if (data['text/plain'] !== undefined) {
      this.add('pre', 'text', data['text/plain']);
    }
  }

  progress(at) {
    if (!this.bar) {
      this.bar = document.createElement('p');
      this.bar.className = 'progress';
      this.element.append(this.bar);
    }
    this.bar.textContent = at.text;
    if (at.finished) this.done();
  }

  done() {
    this.bar?.remove();
    this.bar = null;
  }

  // reply shows the value or the error of a cell, and returns the error's line in the cell, 0 if there is none.
  reply(content, count) {
    this.done();
    if (content.result) this.data(content.result.data);
    if (content.status !== 'error') return 0;
    const trace = content.traceback.join('\n').replace(ansi, '');
    this.add('pre', 'error', trace).setAttribute('role', 'alert');
    const places = [...trace.matchAll(/^Cell \[(\d+)\], line (\d+)/gm)].filter(m => Number(m[1]) === count);
    return places.length ? Number(places.at(-1)[2]) : 0;
  }

  error(error) {
    this.done();
    this.add('pre', 'error', error.message).setAttribute('role', 'alert');
  }
}

// offer adds a link that saves a file which a script has written.
export function offer(element, {name, bytes}) {
  const url = URL.createObjectURL(new Blob([bytes]));
  for (const old of element.querySelectorAll('a')) if (old.download === name) old.remove();
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.textContent = name;
  link.className = 'file';
  element.append(link);
}
