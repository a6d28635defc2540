// SITE=DIR WORKBENCH=PROGRAM node --test pages.test.mjs: uses the site as a visitor does, in headless Chromium.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {after, before, test} from 'node:test';
import puppeteer from 'puppeteer-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let server, chromium, url;
const refused = []; // by the policy, or by the network

before(async () => {
  server = spawn(process.env.WORKBENCH, ['site', process.env.SITE, '--serve-only'], {stdio: ['ignore', 'pipe', 'inherit']});
  url = await new Promise(resolve => server.stdout.on('data', d => resolve(String(d).match(/http:\S+/)[0])));
  chromium = await puppeteer.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: ['--no-sandbox'], protocolTimeout: 0});
});
after(async () => {
  await chromium.close();
  server.kill();
});

async function open(path = 'index.html', theme = 'light', slowly = false) {
  const page = await chromium.newPage();
  await page.evaluateOnNewDocument(slowly => { // a worker that is slow on a loaded machine is not one that does not stop
    const set = window.setTimeout;
    if (slowly) window.setTimeout = (run, ms, ...rest) => set.call(window, run, 60 * ms, ...rest);
  }, slowly);
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: theme}]);
  page.setDefaultTimeout(300000);
  page.on('console', m => { if (m.type() === 'error') refused.push(m.text()); });
  page.on('pageerror', e => refused.push(e.message));
  page.on('request', r => { if (!r.url().startsWith(url) && !/^(blob|data):/.test(r.url())) refused.push(r.url()); });
  await page.goto(url + path);
  return page;
}

const state = (page, want) => page.waitForFunction(want => document.getElementById('state').textContent.includes(want), {}, want);
const text = page => page.$$eval('.output', all => all.map(e => e.innerText).join('\n'));

// enter replaces the first cell, and runs it.
async function enter(page, source) {
  await page.focus('.cm-content');
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.press('Delete');
  await page.evaluate(source => document.execCommand('insertText', false, source), source);
  await page.keyboard.press('Escape');
  await page.keyboard.down('Control');
  await page.keyboard.press('Enter');
  await page.keyboard.up('Control');
}

test('the first cell runs', async () => {
  const page = await open();
  await state(page, 'ready');
  await page.click('#run-all');
  await page.waitForFunction(() => document.querySelector('.output').innerText.includes('12.498427'));
  await page.close();
});

test('names complete, and help shows', async () => {
  const page = await open();
  await state(page, 'ready');
  await page.focus('.cm-content');
  await page.keyboard.down('Control');
  await page.keyboard.press('End');
  await page.keyboard.up('Control');
  await page.keyboard.type('\npures');
  await page.keyboard.press('Tab');
  await page.waitForFunction(() => document.querySelector('.cm-tooltip-autocomplete')?.innerText.includes('purest'));
  await page.close();
});

test('an error stands at its line', async () => {
  const page = await open();
  await state(page, 'ready');
  await enter(page, 'x = 1\ny = purest(3, 1)');
  await page.waitForSelector('.error');
  assert.match(await text(page), /line 2/);
  await page.waitForSelector('.cm-lintRange-error');
  await page.close();
});

test('an endless script stops, and variables stay', async () => {
  const page = await open('index.html', 'light', true);
  await state(page, 'ready');
  await enter(page, 'kept = 41\nwhile True:\n    kept = 41');
  await state(page, 'running');
  await page.click('#stop');
  await page.waitForSelector('.error');
  await page.waitForFunction(() => document.getElementById('stop').disabled);
  await enter(page, 'kept + 1');
  await page.waitForFunction(() => document.querySelector('.output').innerText.includes('42'));
  await page.close();
});

test('a computation that does not stop in time ends with its worker, and the page says so', async () => {
  const page = await open();
  await state(page, 'ready');
  await enter(page, 'optimal(graphs(7).count("triangle"), 1)');
  await state(page, 'running');
  await page.waitForSelector('.progress');
  await page.click('#stop');
  await page.waitForSelector('.error');
  assert.match(await text(page), /variables are gone|interrupted/);
  await state(page, 'ready');
  await enter(page, '6 * 7');
  await page.waitForFunction(() => document.querySelector('.output').innerText.includes('42'));
  await page.close();
});

test('what needs too much memory is refused', async () => {
  const page = await open();
  await state(page, 'ready');
  await enter(page, 'xs = [0] * 1000000000');
  await page.waitForSelector('.error');
  assert.match(await text(page), /needs about .*limit 2 GiB/);
  await page.close();
});

test('a link holds the cells, which run only when asked', async () => {
  const page = await open();
  await state(page, 'ready');
  await enter(page, 'print("α", 6 * 7)');
  await page.waitForFunction(() => document.querySelector('.output').innerText.includes('α 42'));
  await page.click('#share');
  await page.waitForFunction(() => location.hash.startsWith('#cells='));
  const other = await open('index.html' + new URL(page.url()).hash);
  await state(other, 'ready');
  assert.match(await other.$eval('.cm-content', e => e.innerText), /print\("α", 6 \* 7\)/);
  assert.equal((await text(other)).trim(), '');
  assert.match(await other.$eval('#note', e => e.innerText), /nothing runs until you press Run/);
  await other.close();
  await page.close();
});

test('a dropped file is read, and a written one is offered', async () => {
  const page = await open();
  await state(page, 'ready');
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['a,b\n1,2\n3,4\n'], 'rows.csv'));
    document.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
  });
  await page.waitForFunction(() => document.getElementById('note').innerText.includes('rows.csv'));
  await enter(page, 'm = read_csv("rows.csv")\nprint(m)\nwrite({"a": 1}, "out.json")\nline_plot({"y": [1, 4, 9]}).save("p.svg")');
  await page.waitForFunction(() => [...document.querySelectorAll('a.file')].map(a => a.download).join() === 'out.json,p.svg');
  await page.waitForSelector('img.figure'); // the last of what the cell shows, after its files
  assert.match(await text(page), /3/);
  assert.equal(await page.$$eval('img.figure', all => all.length), 1);
  await page.close();
});

for (const at of ['docs/errata/analytic.html', 'docs/field.html']) test(`${at}: refutations replay`, async () => {
  const page = await open(at);
  const buttons = await page.$$('main button');
  assert.ok(buttons.length >= 10);
  for (const button of buttons.slice(0, 10)) {
    await button.click();
    await page.waitForFunction(b => b.textContent === 'Replay', {}, button);
    const shown = await button.evaluate(b => b.parentElement.nextElementSibling.innerText);
    assert.ok(shown.trim() !== '' && !/Error/.test(shown), shown);
  }
  await page.close();
});

test('blocks of a guide run in their order', async () => {
  const page = await open('docs/guide/uses.html');
  const buttons = await page.$$('main button');
  await buttons[1].click();
  await page.waitForFunction(() => [...document.querySelectorAll('.output')][1].innerText.includes('4.96561'));
  await page.close();
});

for (const theme of ['light', 'dark']) {
  test(`pages are accessible, ${theme}`, async () => {
    for (const path of ['index.html', 'docs/guide/uses.html', 'reference/index.html', 'docs/errata/xor.html', 'gallery.html']) {
      const page = await open(path, theme);
      const found = await page.evaluate(axe + '; axe.run().then(r => r.violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html).join(" ")))');
      assert.deepEqual(found, [], path);
      await page.close();
    }
  });
}

test('pages fit a phone', async () => {
  for (const path of ['index.html', 'docs/guide/uses.html', 'reference/xor.html', 'docs/claims.html']) {
    const page = await open(path);
    await page.setViewport({width: 360, height: 740});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360, path);
    await page.close();
  }
});

test('nothing was refused or asked of another host', () => assert.deepEqual(refused, []));
