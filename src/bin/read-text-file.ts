import { createReadStream } from 'node:fs';
import { ProctorError } from '../platform/base/errors.ts';

/** A text that the caller named, read up to a bound whatever it is (a file, a pipe). `too-large`, `bad-request`. */
export async function readTextFile(path: string, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of createReadStream(path, { end: maxBytes })) {
    pieces.push(piece);
    size += piece.length;
  }
  if (size > maxBytes) throw new ProctorError('too-large', `${path} is larger than ${maxBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new ProctorError('bad-request', `${path} is not UTF-8 text`);
  }
}
