import { expect, test } from 'vitest';
import { readableText } from './strace-text.ts';

const escaped = (bytes: readonly number[]) => bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: readonly number[]): string | null {
  try {
    return strict.decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

function expectStrict(bytes: readonly number[]): void {
  const whole = decoded(bytes);
  // a bad byte in front makes the careful way necessary
  const text = readableText(escaped([0xff, ...bytes]));
  if (whole === null) expect(text.slice(4)).toContain('\\x');
  else expect(text).toBe(`\\xff${whole.replaceAll('\0', '\\x00')}`);
}

test('bytes are marked exactly where a strict decoder takes none', () => {
  const seconds = [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
  for (let first = 0x80; first < 0x100; first++) {
    for (const second of seconds) {
      for (const rest of [[], [0x80], [0x80, 0x80], [0x80, 0x41]]) expectStrict([first, second, ...rest]);
    }
  }
});

test('names full of bad bytes are read quickly', () => {
  const name = escaped(Array.from({ length: 4096 }, () => 0xc3));
  readableText(name);
  const begin = performance.now();
  for (let n = 0; n < 17; n++) readableText(name);
  // with a decoder that throws it is more than half a second; generous, as the machine may be busy
  expect(performance.now() - begin).toBeLessThan(150);
});
