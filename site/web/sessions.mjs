// Sessions of the program and of the site in headless Chromium, for check.mjs and speed.mjs.
import {spawn} from 'node:child_process';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import puppeteer from 'puppeteer-core';
import {Frames, frame} from '../static/client.js';

// shown is what a reader sees of a cell: all but pixels, which a browser does not draw, and times.
function shown(parts, content) {
  const plain = data => { const {'image/png': _, ...rest} = data; return rest; };
  let text = '';
  const out = [];
  for (const p of parts) {
    if (p.text !== undefined) { text += p.text; continue; }
    if (text) out.push(text);
    text = '';
    out.push(plain(p.data));
  }
  if (text) out.push(text);
  if (content.result) out.push(plain(content.result.data));
  if (content.status === 'error') out.push(content.ename + ': ' + content.evalue);
  return JSON.stringify(out);
}

// native returns a session of the program: run(source) returns what a cell shows.
export function native(workbench, env = {}) {
  const child = spawn(resolve(workbench), ['serve', '--stdio', '--notebook'], {
    cwd: mkdtempSync(join(tmpdir(), 'workbench-')), env: {...process.env, ...env}, stdio: ['pipe', 'pipe', 'inherit'],
  });
  let parts = [], answer, number = 0, welcome;
  const ready = new Promise(done => { welcome = done; });
  const frames = new Frames((kind, n, content) => {
    if (kind === 'h') welcome();
    else if (kind === 'r') answer(content.value);
    else if (kind === 'e') answer({status: 'error', ename: 'Error', evalue: content.text});
    else if (kind === 'o') parts.push({text: content.text});
    else if (kind === 'd') parts.push({data: content.data});
  });
  child.stdout.on('data', bytes => frames.add(bytes));
  child.stdin.write(frame('H', 0, {protocol: 1, width: 100, height: 40, unicode: true}));
  return {
    async run(source) {
      await ready;
      parts = [];
      const content = await new Promise(done => {
        answer = done;
        child.stdin.write(frame('N', ++number, {ask: 'run', source, count: number}));
      });
      return shown(parts, content);
    },
    end: () => child.kill(),
  };
}

// browser returns the same of a page of the site.
export async function browser(workbench, site) {
  const server = spawn(workbench, ['site', site, '--serve-only'], {stdio: ['ignore', 'pipe', 'inherit']});
  const url = await new Promise(done => server.stdout.on('data', d => done(String(d).match(/http:\S+/)[0])));
  const chromium = await puppeteer.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: ['--no-sandbox'], protocolTimeout: 0});
  const page = await chromium.newPage();
  await page.goto(url + 'gallery.html');
  await page.evaluate(async () => {
    const {Session} = await import('./client.js');
    const sessions = {};
    let count = 0;
    window.cell = async source => {
      const program = /\bclaims?\(/.test(source) ? 'ledger' : 'core';
      const session = sessions[program] ??= new Session(program);
      const parts = [];
      const content = await session.run(source, ++count, {output: text => parts.push({text}), display: data => parts.push({data})});
      return [parts, content];
    };
  });
  return {
    async run(source) {
      try {
        return shown(...await page.evaluate(source => window.cell(source), source));
      } catch (error) {
        return 'the page failed: ' + error.message;
      }
    },
    async end() {
      await chromium.close();
      server.kill();
    },
  };
}
