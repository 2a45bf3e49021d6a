import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import { testFilesOf } from '../../stages/grade/test-files.ts';
import { drawHidden } from '../../stages/instance/draw-hidden.ts';
import type { Instance } from '../../stages/instance/instance.ts';
import type { Task } from '../../stages/task/task.ts';
import { BUNDLED } from '../bundled.ts';
import type { Service } from '../open-service.ts';

/** Lines shorter than this are no evidence: `import os` stands in many files. */
const LINE_LENGTH = 24;
const LIMITS = {
  ...{ wallMs: 60_000, cpuMs: 60_000, memoryBytes: 512 * 1024 ** 2, processes: 16 },
  ...{ outputBytes: 4 * 1024 ** 2, fileBytes: 64 * 1024 ** 2, diskBytes: 128 * 1024 ** 2 },
};

const SEARCH = join(BUNDLED.graderFolder, 'attacks', 'find_hidden.py');

const foundSchema = z.array(z.string());

interface Needles {
  readonly length: number;
  readonly lines: readonly string[];
  readonly files: readonly string[];
  readonly names: readonly string[];
}

/**
 * Where the hidden shows: in the workspace that the agent gets, or in the sandbox that its code runs in. Looked for is what is
 * hidden in any of the instances, in the workspace of each. Digests are searched, never the text itself.
 */
export async function findHidden({ parts }: Service, task: Task, seeds: readonly string[]): Promise<readonly string[]> {
  const instances = await Promise.all(seeds.map((seed) => drawInstance(parts, task, { seed })));
  const stdin = Buffer.from(JSON.stringify(needlesOf(task, instances)));
  const source = await readFile(SEARCH, 'utf8');
  const snapshot = await parts.snapshots.resolve(task.definition.proctor.snapshot);
  const found = new Set<string>();
  for (const { files } of instances) {
    const sandbox = await parts.driver.create({ root: snapshot.root, limits: LIMITS, tools: parts.tools.candidate });
    try {
      for (const file of files) await sandbox.writeFile(file.path, file.bytes, file.mode);
      const { stdout, stderr } = await sandbox.exec({ argv: ['/usr/bin/python3', '-I', '-B', '-c', source], stdin });
      if (stdout.length === 0)
        throw new Error(`the search for hidden files failed: ${stderr.toString('utf8').slice(-300)}`);
      for (const place of foundSchema.parse(JSON.parse(stdout.toString('utf8')))) found.add(place);
    } finally {
      await sandbox.destroy();
    }
  }
  return [...found].sort();
}

function needlesOf(task: Task, instances: readonly Instance[]): Needles {
  const visible = new Set(instances.flatMap(({ files }) => files.flatMap(({ bytes }) => linesOf(bytes))));
  const known = new Set(instances.flatMap(({ files }) => files.map(({ path }) => nameOf(path))));
  const tests = task.files.filter(({ path }) => path.startsWith('tests/'));
  const hidden = [
    ...tests,
    ...instances.flatMap((instance) => testFilesOf(task, drawHidden(task, instance, task.digest))),
  ];
  const lines = new Set(hidden.flatMap(({ bytes }) => linesOf(bytes)));
  return {
    length: LINE_LENGTH,
    lines: [...lines].filter((line) => !visible.has(line) || isTelling(line)).map(sha),
    files: [...new Set(hidden.filter(({ bytes }) => bytes.length > 0).map(({ bytes }) => sha(bytes)))],
    names: tests.map(({ path }) => nameOf(path)).filter((name) => !known.has(name) && name !== 'conftest.py'),
  };
}

/** A line with an assertion or an expected value tells more than one that any test file may share with the visible ones. */
function isTelling(line: string): boolean {
  return /\b(assert|expected|Raises|parametrize)\b/.test(line);
}

function linesOf(bytes: Buffer): readonly string[] {
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line.length >= LINE_LENGTH && !/^(import|from|def|class|@|#|return) /.test(line));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.tmpl$/, '');
}

function sha(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
