// Runs hidden node:test files, each in a process of its own, and tells their results.
//
//     node run_node.mjs
//
// The settings come as one frame on standard input (four bytes of length, big-endian, then JSON), results go out as frames
// on standard output, which no test's process has:
//
//     <- {"nonce": text, "tests": folder, "files": [...], "timeoutMs": n}
//     -> {"kind": "result", "id": "FILE > SUITE > TEST", "status": ..., "note": ..., "wallMs": n}
//     -> {"kind": "done", "exit": n, "nonce": text}     after the last file only
import { readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';

const SEPARATOR = ' > ';
const NOTE_LENGTH = 800;

function readExactly(length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = readSync(0, bytes, at, length - at, null);
    if (count === 0) throw new Error('the settings were cut');
    at += count;
  }
  return bytes;
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

function tell(message) {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  write(Buffer.concat([head, body]));
}

function statusOf({ type, data }) {
  if (data.skip !== undefined || data.todo !== undefined) return 'skipped';
  return type === 'test:pass' ? 'passed' : 'failed';
}

function noteOf(data) {
  const error = data.details?.error;
  return String(error?.cause?.message ?? error?.message ?? '').slice(0, NOTE_LENGTH);
}

/** Whether an event is about a file as a whole: Node tells one for a file that failed or has no tests. */
function isFile(data, path) {
  return data.nesting === 0 && (data.name === path || path.endsWith(`/${data.name}`));
}

async function runFile(settings, file) {
  const path = join(settings.tests, file);
  const names = [];
  let failed = false;
  for await (const event of run({ files: [path], concurrency: 1, timeout: settings.timeoutMs })) {
    const { type, data } = event;
    if (type === 'test:start') names[data.nesting] = data.name;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite' && type === 'test:pass') continue;
    const status = statusOf(event);
    failed ||= status === 'failed';
    const whole = isFile(data, path);
    if (whole && status !== 'failed') continue;
    const id = whole ? `${file}${SEPARATOR}` : [file, ...names.slice(0, data.nesting), data.name].join(SEPARATOR);
    if (data.details?.type === 'suite') continue;
    tell({ kind: 'result', id: id.slice(0, 3000), status, note: noteOf(data), wallMs: Number(data.details?.duration_ms) || 0 });
  }
  return failed;
}

const settings = JSON.parse(readExactly(readExactly(4).readUInt32BE(0)).toString('utf8'));
let exit = 0;
for (const file of settings.files) if (await runFile(settings, file)) exit = 1;
tell({ kind: 'done', exit, nonce: settings.nonce });
process.exit(exit);
