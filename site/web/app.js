// The playground: a notebook of cells.
import {EditorState, Compartment, Prec} from '@codemirror/state';
import {EditorView, keymap, lineNumbers, drawSelection, hoverTooltip} from '@codemirror/view';
import {defaultKeymap, history, historyKeymap, indentWithTab} from '@codemirror/commands';
import {bracketMatching, defaultHighlightStyle, indentUnit, syntaxHighlighting} from '@codemirror/language';
import {autocompletion, completionKeymap, startCompletion} from '@codemirror/autocomplete';
import {setDiagnostics} from '@codemirror/lint';
import {python} from '@codemirror/lang-python';
import {oneDarkHighlightStyle} from '@codemirror/theme-one-dark';
import {Session} from '../static/client.js';
import {Output, offer} from '../static/render.js';

const $ = id => document.getElementById(id);
const cells = [];
let session = null;
let count = 0;

const first = [`# The privacy of ten uses of the purest mechanism on the triangles of graphs with four nodes
m = purest(graphs(4).count("triangle"), 1)
print(m.smallest_epsilon)
print(compose(m, 10).epsilon_at(1e-6))`];

const points = text => [...text].length; // the program counts code points, the editor UTF-16

function unpoints(text, n) { // the UTF-16 offset of a code point
  let at = 0;
  for (const c of text) {
    if (n-- <= 0) break;
    at += c.length;
  }
  return at;
}

// complete asks the program what the text before the cursor may go on with.
async function complete(context) {
  if (!context.explicit && !context.matchBefore(/[\w.("']$/)) return null;
  const source = context.state.doc.toString();
  const found = await session.ask('complete', source, points(source.slice(0, context.pos)));
  if (!found || found.matches.length === 0) return null;
  const types = found.metadata._jupyter_types_experimental;
  return {
    from: unpoints(source, found.cursor_start),
    options: found.matches.map((label, i) => ({label, detail: types[i].signature, type: types[i].type})),
  };
}

// help shows the help on the name under the mouse.
const help = hoverTooltip(async (view, at) => {
  const source = view.state.doc.toString();
  const found = await session.ask('inspect', source, points(source.slice(0, at)));
  if (!found?.found) return null;
  return {
    pos: at,
    create() {
      const dom = document.createElement('pre');
      dom.className = 'help';
      dom.textContent = found.data['text/plain'];
      return {dom};
    },
  };
});

// completeOrIndent completes after a name, and indents elsewhere.
function completeOrIndent(view) {
  const {from, to} = view.state.selection.main;
  const before = view.state.doc.lineAt(from).text.slice(0, from - view.state.doc.lineAt(from).from);
  return from === to && /[\w.("']$/.test(before) && startCompletion(view);
}

const dark = () => (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
const highlight = new Compartment();
const colors = () => dark() ?
  [EditorView.darkTheme.of(true), syntaxHighlighting(oneDarkHighlightStyle)] :
  [EditorView.darkTheme.of(false), syntaxHighlighting(defaultHighlightStyle)];

class Cell {
  constructor(source, after) {
    this.element = document.createElement('section');
    this.element.className = 'cell';
    this.element.setAttribute('aria-label', 'cell');
    this.element.innerHTML = '<div class="tools"><button type="button" class="run">Run</button><span class="count"></span>' +
      '<button type="button" class="delete" aria-label="Delete this cell">Delete</button></div><div class="editor"></div><div class="output" aria-live="polite"></div>';
    const part = name => this.element.querySelector('.' + name);
    this.output = new Output(part('output'));
    this.count = part('count');
    this.runButton = part('run');
    this.runButton.onclick = () => this.run();
    part('delete').onclick = () => this.remove();
    this.view = new EditorView({
      parent: part('editor'),
      state: EditorState.create({doc: source, extensions: [
        Prec.high(keymap.of([
          {key: 'Shift-Enter', run: () => { this.runAndGo(); return true; }},
          {key: 'Ctrl-Enter', run: () => { this.run(); return true; }},
          {key: 'Tab', run: completeOrIndent},
        ])),
        lineNumbers(), history(), drawSelection(), bracketMatching(), indentUnit.of('    '),
        python(), highlight.of(colors()), autocompletion({override: [complete], activateOnTyping: true}), help,
        EditorView.lineWrapping, EditorView.contentAttributes.of({'aria-label': 'script of the cell'}),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      ]}),
    });
    const at = after ? cells.indexOf(after) + 1 : cells.length;
    cells.splice(at, 0, this);
    $('cells').insertBefore(this.element, $('cells').children[at] ?? null);
  }

  get source() { return this.view.state.doc.toString(); }

  remove() {
    cells.splice(cells.indexOf(this), 1);
    this.view.destroy();
    this.element.remove();
    if (cells.length === 0) new Cell('');
  }

  mark(line) { // marks the line of an error, 0 for none
    const at = line && line <= this.view.state.doc.lines ? this.view.state.doc.line(line) : null;
    this.view.dispatch(setDiagnostics(this.view.state, at ? [{from: at.from, to: at.to, severity: 'error', message: 'the error below'}] : []));
  }

  async run() {
    const number = ++count;
    this.output.clear();
    this.output.progress({text: session.state === 'loading' ? 'loading the program …' : 'running …'});
    this.mark(0);
    this.count.textContent = `[${number}]`;
    try {
      const content = await session.run(this.source, number, this.output.handlers());
      this.mark(this.output.reply(content, number));
      return content.status === 'ok';
    } catch (error) {
      this.output.error(error);
      return false;
    }
  }

  runAndGo() {
    this.run();
    const next = cells[cells.indexOf(this) + 1] ?? new Cell('');
    next.view.focus();
  }
}

async function runAll() {
  for (const cell of [...cells]) if (!await cell.run()) return;
}

function begin(program) {
  session?.worker.terminate();
  session = new Session(program);
  session.addEventListener('state', ({detail}) => {
    $('stop').disabled = detail.state !== 'busy';
    const texts = {loading: 'loading the program …', ready: 'ready', busy: 'running …'};
    $('state').textContent = texts[detail.state] ?? detail.text;
  });
  session.addEventListener('file', ({detail}) => offer($('files'), detail));
  $('state').textContent = 'loading the program …';
}

// A link holds its cells, compressed, after #cells=; a plain source after #source=.
const toBase64 = bytes => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const fromBase64 = text => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0));
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

async function link() {
  const bytes = new TextEncoder().encode(JSON.stringify(cells.map(c => c.source)));
  return location.href.split(/[?#]/)[0] + '#cells=' + toBase64(await through(bytes, new CompressionStream('deflate-raw')));
}

async function linked() {
  const fragment = location.hash.slice(1);
  if (fragment.startsWith('source=')) return [decodeURIComponent(fragment.slice(7))];
  if (!fragment.startsWith('cells=')) return null;
  const bytes = await through(fromBase64(fragment.slice(6)), new DecompressionStream('deflate-raw'));
  const sources = JSON.parse(new TextDecoder().decode(bytes));
  if (!Array.isArray(sources) || !sources.every(s => typeof s === 'string')) throw new Error('the link holds no cells');
  return sources;
}

function note(text) {
  const p = document.createElement('p');
  p.className = 'note';
  p.textContent = text;
  $('note').replaceChildren(p);
}

async function open() {
  const name = new URLSearchParams(location.search).get('notebook');
  let sources = first;
  try {
    const shared = await linked();
    if (shared) {
      sources = shared;
      note('This script came with the link. Read it before you run it: nothing runs until you press Run.');
    } else if (name && /^[a-z_0-9]+$/.test(name)) {
      const response = await fetch(`notebooks/${name}.json`);
      if (!response.ok) throw new Error(`there is no notebook ${name}`);
      const notebook = await response.json();
      sources = notebook.cells;
      note(notebook.about);
    }
  } catch (error) {
    note(`The link cannot be read: ${error.message}`);
  }
  for (const source of sources) new Cell(source);
}

function drop(file) {
  file.arrayBuffer().then(buffer => {
    session.drop(file.name, new Uint8Array(buffer));
    note(`Scripts can read ${file.name} now, for example with read_csv("${file.name}").`);
  });
}

$('run-all').onclick = runAll;
$('stop').onclick = () => session.stop();
$('add').onclick = () => new Cell('').view.focus();
$('share').onclick = async () => {
  const url = await link();
  window.history.replaceState(null, '', url);
  try {
    await navigator.clipboard.writeText(url);
    $('state').textContent = 'the link is copied';
  } catch {
    $('state').textContent = 'the link is in the address bar';
  }
};
$('open').onclick = () => {
  const input = document.createElement('input');
  input.type = 'file';
  input.onchange = () => { for (const file of input.files) drop(file); };
  input.click();
};
function recolor() {
  for (const cell of cells) cell.view.dispatch({effects: highlight.reconfigure(colors())});
}

$('theme').onclick = () => {
  document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
  recolor();
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolor);
$('program').onchange = () => begin($('program').value);
document.addEventListener('dragover', event => { event.preventDefault(); document.body.classList.add('dropping'); });
document.addEventListener('dragleave', () => document.body.classList.remove('dropping'));
document.addEventListener('drop', event => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  for (const file of event.dataTransfer.files) drop(file);
});

begin('core');
open();
