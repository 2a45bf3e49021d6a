import { createHash } from 'node:crypto';
import { constants, deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { inflate } from './inflate.ts';

const ROOM = 1_000_000;

/** Bytes that look random and are the same each time. */
function noise(length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
    createHash('sha256').update(`${at}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

const TEXTS: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.from('a')],
  ['prose', Buffer.from('the quick brown fox jumps over the lazy dog, '.repeat(2_000))],
  ['zeros', Buffer.alloc(300_000)],
  ['noise', noise(200_000)],
  ['letters of a small alphabet', Buffer.from(noise(100_000).toString('hex'))],
];
const SETTINGS = [
  { level: 0 },
  { level: 1 },
  { level: 9 },
  { strategy: constants.Z_FIXED },
  { strategy: constants.Z_HUFFMAN_ONLY },
  { strategy: constants.Z_RLE },
];

test.each(TEXTS)('%s comes out of every kind of block as it went in', (_, text) => {
  for (const settings of SETTINGS) {
    const packed = deflateRawSync(text, settings);
    const { bytes, ending, consumedBytes } = inflate(Buffer.concat([packed, Buffer.from('behind')]), ROOM);
    expect({ ending, consumedBytes }, JSON.stringify(settings)).toEqual({
      ending: 'complete',
      consumedBytes: packed.length,
    });
    expect(bytes.equals(text)).toBe(true);
  }
});

test.each(SETTINGS)('a stream that breaks off gives what stood before (%j)', (settings) => {
  const text = Buffer.from(noise(20_000).toString('hex'));
  const packed = deflateRawSync(text, settings);
  for (const share of [0.3, 0.6, 0.99]) {
    const { bytes, ending } = inflate(packed.subarray(0, Math.floor(packed.length * share)), ROOM);
    expect(ending).toBe('truncated');
    expect(text.subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect(bytes.length).toBeGreaterThan(text.length * share * 0.8 - 1_000);
  }
});

test('a stream that is spoilt in the middle gives what stood before', () => {
  const text = Buffer.from(noise(20_000).toString('hex'));
  const packed = deflateRawSync(text, { level: 0 });
  const spoilt = Buffer.concat([packed.subarray(0, 5 + 30_000), Buffer.alloc(100, 0xff)]);
  spoilt[0] = 0; // a stored block that is not the last
  spoilt.writeUInt16LE(30_000, 1);
  spoilt.writeUInt16LE(30_000 ^ 0xffff, 3);
  const { bytes, ending } = inflate(spoilt, ROOM);
  expect(ending).toBe('broken');
  expect(bytes.equals(text.subarray(0, 30_000))).toBe(true);
});

test('what grows beyond the bound ends there with what it had', () => {
  const packed = deflateRawSync(Buffer.alloc(10_000_000, 'ab'));
  const { bytes, ending, consumedBytes } = inflate(packed, 1_001);
  expect(ending).toBe('bounded');
  expect(bytes.toString()).toBe(`${'ab'.repeat(500)}a`);
  expect(consumedBytes).toBeLessThan(200);
});

test('a text that fills the bound to the byte is complete', () => {
  expect(inflate(deflateRawSync(Buffer.alloc(1_000, 1)), 1_000)).toMatchObject({ ending: 'complete' });
});

test('bytes that are no stream keep to the bound, and most are broken', () => {
  const bytes = noise(4_000);
  const tried = Array.from({ length: 3_900 }, (_, at) => inflate(bytes.subarray(at), 1_000));
  expect(Math.max(...tried.map((result) => result.bytes.length))).toBeLessThanOrEqual(1_000);
  expect(tried.filter(({ ending }) => ending === 'broken').length).toBeGreaterThan(3_800);
  expect(inflate(Buffer.from([0x07]), ROOM).ending).toBe('broken');
  expect(inflate(Buffer.from([0x03]), ROOM).ending).toBe('truncated');
});

test('a stream of a hundred thousand empty blocks is cut as if it had grown', () => {
  // four blocks with the fixed codes and nothing but their ends, of ten bits each
  const bits = [0, 10, 20, 30].reduce((sum, shift) => sum | (2n << BigInt(shift)), 0n);
  const four = Buffer.alloc(8);
  four.writeBigUInt64LE(bits);
  const packed = Buffer.concat([Buffer.alloc(125_000, four.subarray(0, 5)), deflateRawSync('end')]);
  const { ending, consumedBytes, workBytes } = inflate(packed, ROOM);
  expect(ending).toBe('bounded');
  expect(consumedBytes).toBeLessThan(10_000);
  expect(workBytes).toBeGreaterThan(ROOM - 1_000);
  expect(inflate(packed, 100 * ROOM)).toMatchObject({ ending: 'complete', bytes: Buffer.from('end') });
});
