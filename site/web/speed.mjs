// node speed.mjs SITE WORKBENCH: prints how long some computations take in the program and in headless Chromium, the
// first time and the median of three times after it, and how long the page takes to its first answer.
import {browser, native} from './sessions.mjs';

const [site, workbench] = process.argv.slice(2);
const rows = [
  ['purest on the graphs with 7 nodes', 'purest(graphs(7).count("triangle"), 1).smallest_epsilon'],
  ['optimum on the graphs with 6 nodes', 'optimal(graphs(6).count("triangle"), 1).distortion(0)'],
  ['XOR law of 20 bits', 'bernoulli([[0.5 if i == j else 0.1 for j in range(5)] for i in range(5)], {(0, 1): [[0.3 for j in range(5)] for i in range(5)]}, 4).log_normalizer()'],
  ['MVG optimum, box of 6 × 300', 'mvg_optimal(box_sensitivity(6, 300, [1, 2, 3, 4, 5, 6]), 1, 1e-5).optimum'],
  ['DP-SGD, 10,000 steps', 'dp_sgd(noise_multiplier=1.1, rate=256/60000, steps=10000).epsilon_at(1e-5)'],
];

const time = async (session, source) => {
  const begin = performance.now();
  const shown = await session.run(source);
  if (shown.includes('Error')) throw new Error(source + ': ' + shown);
  return (performance.now() - begin) / 1000;
};
const median = all => all.sort((a, b) => a - b)[all.length >> 1];
const here = native(workbench);
const there = await browser(workbench, site);
console.log('first answer of a new page: ' + (await time(there, '1 + 1')).toFixed(2) + ' s');
for (const [name, source] of rows) {
  const all = [];
  for (const session of [here, there]) {
    const first = await time(session, source);
    const rest = [];
    for (let i = 0; i < 3; i++) rest.push(await time(session, source));
    all.push(first, median(rest));
  }
  console.log(`| ${name} | ${all.map(s => s < 1 ? (1000 * s).toFixed(0) + ' ms' : s.toFixed(2) + ' s').join(' | ')} | ${(all[3] / all[1]).toFixed(1)} |`);
}
here.end();
await there.end();
