// Frames on standard input and output: four bytes of length, big-endian, then UTF-8 JSON; see ../wire/frames.py.
import { readSync, writeSync } from 'node:fs';

const NOTE_LENGTH = 800;
const NAME_LENGTH = 3000;

function readExactly(length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = readSync(0, bytes, at, length - at, null);
    if (count === 0) throw new Error('the settings were cut');
    at += count;
  }
  return bytes;
}

/** The frame that standard input begins with. */
export function readSettings() {
  return JSON.parse(readExactly(readExactly(4).readUInt32BE(0)).toString('utf8'));
}

function write(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

/** Writes one frame. */
export function tell(message) {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  write(Buffer.concat([head, body]));
}

/** Writes the result of one test. */
export function tellResult({ id, status, note, wallMs }) {
  const message = { kind: 'result', id: id.slice(0, NAME_LENGTH), status, note: note.slice(0, NOTE_LENGTH) };
  tell({ ...message, wallMs: Number(wallMs) || 0 });
}
