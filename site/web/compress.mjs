// node compress.mjs best|fast FILE: writes FILE.br and FILE.gz.
import {readFileSync, writeFileSync} from 'node:fs';
import {brotliCompressSync, constants, gzipSync} from 'node:zlib';

const [level, file] = process.argv.slice(2);
const data = readFileSync(file);
const {BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_SIZE_HINT: size} = constants;
const params = {[quality]: level === 'best' ? 11 : 4, [window]: 24, [size]: data.length};
writeFileSync(file + '.br', brotliCompressSync(data, {params}));
writeFileSync(file + '.gz', gzipSync(data, {level: level === 'best' ? 9 : 4}));
