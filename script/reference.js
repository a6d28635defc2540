// Searches the entries. Every word must occur in the name or the text; names weigh most.
const input = document.querySelector('nav input');
const list = document.getElementById('found');
const all = document.getElementById('all');
const plain = text => text.toLowerCase().replace(/[_.]/g, ' ');

function weight(entry, words) {
  const call = entry.n.indexOf('(');
  const name = plain(call < 0 ? entry.n : entry.n.slice(0, call));
  const text = plain(entry.n + ' ' + entry.t + ' ' + entry.h);
  let sum = name === words.join(' ') ? 100 : 0;
  for (const word of words) {
    if (name.split(' ').includes(word)) sum += 10;
    else if (name.includes(word)) sum += 5;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function show() {
  const words = plain(input.value).split(/\s+/).filter(w => w);
  list.replaceChildren();
  all.hidden = words.length > 0;
  if (words.length === 0) return;
  const hits = entries.map(e => [weight(e, words), e]).filter(h => h[0] > 0).sort((a, b) => b[0] - a[0]);
  for (const [, e] of hits.slice(0, 100)) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    const code = document.createElement('code');
    const topic = document.createElement('small');
    const text = document.createElement('div');
    link.href = e.p;
    code.textContent = e.n;
    link.append(code);
    topic.textContent = ' ' + e.t;
    const at = Math.max(0, e.h.toLowerCase().indexOf(words[0]) - 80);
    text.textContent = (at > 0 ? '…' : '') + e.h.slice(at, at + 220) + (e.h.length > at + 220 ? '…' : '');
    item.append(link, topic, text);
    list.append(item);
  }
  if (hits.length === 0) {
    const item = document.createElement('li');
    item.textContent = 'Nothing has all of these words.';
    list.append(item);
  }
}

input.value = new URLSearchParams(location.search).get('q') || '';
input.form.addEventListener('submit', event => event.preventDefault());
input.addEventListener('input', show);
if (!location.hash) input.focus();
show();
