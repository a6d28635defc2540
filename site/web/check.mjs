// node check.mjs SITE WORKBENCH [COUNT]: runs the examples of the reference and the quick notebooks in headless
// Chromium and in the program WORKBENCH, and compares what they show, to the byte. COUNT takes a sample of that many
// examples, evenly spread, and no notebooks. It ends with a line "N passed, N failed".
import {execFileSync} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {browser, native} from './sessions.mjs';

const [site, workbench, sample] = process.argv.slice(2);
const only = process.env.ONLY; // an ending of names, for a part of them
const root = fileURLToPath(new URL('../..', import.meta.url));

// scripts returns what is compared: [name, source], the examples of the reference in its order.
function scripts() {
  const all = [];
  const text = execFileSync(workbench, ['reference'], {encoding: 'utf8', maxBuffer: 1 << 26});
  let heading = '';
  for (const m of text.matchAll(/^#{2,3} (.*)$|^```python\n([^]*?)^```$/gm)) {
    if (m[1] !== undefined) heading = m[1].replaceAll('\\', '');
    else all.push([heading, m[2]]);
  }
  if (sample) {
    const step = all.length / Number(sample);
    return Array.from({length: Number(sample)}, (_, i) => all[Math.floor(i * step)]);
  }
  for (const file of readdirSync(root + 'notebooks').filter(name => name.endsWith('.star')).sort()) {
    all.push([file, 'args["quick"] = 1\n' + readFileSync(root + 'notebooks/' + file, 'utf8')]);
  }
  return all;
}

const known = JSON.parse(readFileSync(new URL('differences.json', import.meta.url), 'utf8'));
const [here, there] = [native(workbench, {GOMAXPROCS: '1', WORKBENCH_DATA: ''}), await browser(workbench, site)];
let passed = 0, failed = 0, skipped = 0;
for (const [name, source] of scripts().filter(([name]) => !only || name.endsWith(only))) {
  if (name.endsWith('.star')) for (const session of [here, there]) await session.run('reset()');
  const [want, got] = [await here.run(source), await there.run(source)];
  if (want === got) passed++;
  else if (known[name]) skipped++;
  else {
    failed++;
    let i = 0;
    while (want[i] === got[i]) i++;
    console.log(`${name}: the program says\n  …${want.slice(Math.max(0, i - 60), i + 120)}\nthe browser\n  …${got.slice(Math.max(0, i - 60), i + 120)}`);
  }
}
here.end();
await there.end();
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed ? 1 : 0;
