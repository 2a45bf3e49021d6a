// Runs hidden node:test files, each in a process of its own, and tells their results.
//
//     node run_node.mjs
//
// The settings come as one frame on standard input, results go out as frames on standard output, which no test's process has:
//
//     <- {"nonce": text, "tests": folder, "files": [...], "timeoutMs": n}
//     -> {"kind": "result", "id": "FILE > SUITE > TEST", "status": ..., "note": ..., "wallMs": n}
//     -> {"kind": "done", "exit": n, "nonce": text}     after the last file only
import { join } from 'node:path';
import { run } from 'node:test';
import { readSettings, tell, tellResult } from './frames.mjs';

const SEPARATOR = ' > ';

function statusOf({ type, data }) {
  if (data.skip !== undefined || data.todo !== undefined) return 'skipped';
  return type === 'test:pass' ? 'passed' : 'failed';
}

function noteOf(data) {
  const error = data.details?.error;
  return String(error?.cause?.message ?? error?.message ?? '');
}

/** Whether an event is about a file as a whole: Node tells one for a file that failed or has no tests. */
function isFile(data, path) {
  return data.nesting === 0 && (data.name === path || path.endsWith(`/${data.name}`));
}

/** Tells the tests of a file; gives whether anything in it failed. */
async function runFile(settings, file) {
  const path = join(settings.tests, file);
  const names = [];
  let failed = false;
  for await (const event of run({ files: [path], concurrency: 1, timeout: settings.timeoutMs })) {
    const { type, data } = event;
    if (type === 'test:start') names[data.nesting] = data.name;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const status = statusOf(event);
    failed ||= status === 'failed';
    if (data.details?.type === 'suite') continue;
    const whole = isFile(data, path);
    if (whole && status !== 'failed') continue;
    const id = whole ? `${file}${SEPARATOR}` : [file, ...names.slice(0, data.nesting), data.name].join(SEPARATOR);
    tellResult({ id, status, note: noteOf(data), wallMs: data.details?.duration_ms });
  }
  return failed;
}

const settings = readSettings();
let exit = 0;
for (const file of settings.files) if (await runFile(settings, file)) exit = 1;
tell({ kind: 'done', exit, nonce: settings.nonce });
process.exit(exit);
