// Adds a button to every block of a page that is a script. On a page whose blocks belong together, a block runs
// after those above it. On a page with inline scripts these are the code of items that begin with a given word.
import {Session} from './client.js';
import {Output, offer} from './render.js';

const together = document.body.dataset.blocks === 'together';
const label = document.body.dataset.run ?? 'Run';
let session = null;
let count = 0;
const blocks = [];

function begin() {
  if (session) return session;
  session = new Session();
  session.addEventListener('state', ({detail}) => {
    for (const b of blocks) b.button.disabled = detail.state === 'busy' && !b.running;
    if (detail.state === 'restarted' || detail.state === 'failed') for (const b of blocks) b.ran = false;
  });
  session.addEventListener('file', ({detail}) => offer(document.querySelector('main'), detail));
  return session;
}

async function run(block) {
  if (block.running) {
    session.stop();
    return;
  }
  const due = together ? blocks.slice(0, blocks.indexOf(block)).filter(b => !b.ran) : [];
  for (const b of [...due, block]) if (!await execute(b)) return;
}

async function execute(block) {
  const s = begin();
  block.output.clear();
  block.output.progress({text: s.state === 'loading' ? 'loading the program …' : 'running …'});
  block.running = true;
  block.button.textContent = 'Stop';
  try {
    const number = ++count;
    const content = await s.run(block.source, number, block.output.handlers());
    block.output.reply(content, number);
    block.ran = content.status === 'ok';
  } catch (error) {
    block.output.error(error);
    block.ran = false;
  } finally {
    block.running = false;
    block.button.textContent = label;
  }
  return block.ran;
}

const inline = [...document.querySelectorAll('li > strong:first-child')]
  .filter(s => s.textContent === document.body.dataset.inline)
  .flatMap(s => [...s.parentElement.querySelectorAll('code')]);

for (const pre of [...document.querySelectorAll('pre.script'), ...inline]) {
  const button = document.createElement('button');
  const element = document.createElement('div');
  const link = document.createElement('a');
  const bar = document.createElement('p');
  const source = pre.textContent;
  button.type = 'button';
  button.textContent = label;
  element.className = 'output';
  element.setAttribute('aria-live', 'polite');
  link.textContent = 'open in the playground';
  link.href = new URL('index.html', import.meta.url) + '#source=' + encodeURIComponent(source);
  bar.className = 'tools';
  bar.append(button, ' ', link);
  pre.after(bar, element);
  const block = {source, button, output: new Output(element), ran: false, running: false};
  button.addEventListener('click', () => run(block));
  blocks.push(block);
}
