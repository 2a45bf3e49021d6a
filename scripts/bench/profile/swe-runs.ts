import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { ExactFacts } from '../../../src/stages/profile/path-kind.ts';
import type { Trajectory } from '../../../src/stages/profile/trajectory.ts';

const stepSchema = z.object({ cmd: z.string(), out: z.number(), outs: z.string(), th: z.number() });
const runSchema = z.object({
  src: z.enum(['acr', 'java', 'ctf']),
  run: z.string(),
  inst: z.string(),
  /** Bytes of the patch that was handed in. */
  sub: z.number(),
  steps: z.array(stepSchema),
});

/** One step as the public record has it: command, bytes of output, length of the thought before it. */
export type SweStep = Readonly<z.infer<typeof stepSchema>>;

/** A run of SWE-agent on one task, presumed honest. */
export type SweRun = Readonly<z.infer<typeof runSchema>>;

/** Where the hidden tests and their grader would stand; no command of the public runs names it. */
export const GRADER_FOLDER = '/grader';

/**
 * The public runs. Where addresses were replaced in the published file a few escapes were broken (`\\user@…`); those are mended,
 * and a line that still is no JSON is left out and counted.
 */
export function readSweRuns(folder: string): { readonly runs: readonly SweRun[]; readonly unreadable: number } {
  const text = gunzipSync(readFileSync(join(folder, 'swe-agent-runs.jsonl.gz'))).toString('utf8');
  const runs: SweRun[] = [];
  let unreadable = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const run = parsed(line);
    if (run === null) unreadable++;
    else runs.push(run);
  }
  return { runs, unreadable };
}

function parsed(line: string): SweRun | null {
  for (const text of [line, mended(line)]) {
    try {
      return runSchema.parse(JSON.parse(text));
    } catch {
      // the mended line is tried, and then it is left out
    }
  }
  return null;
}

/** Takes the backslash from every escape that JSON does not know. */
function mended(line: string): string {
  return line.replace(/\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]|.)/g, (sign) =>
    sign.length === 6 || '"\\/bfnrt'.includes(sign[1] ?? '') ? sign : sign.slice(1),
  );
}

/** The exact facts of the sandbox of a run: where its project, its grader and its test harness stand. */
export function factsOf({ inst }: Pick<SweRun, 'inst'>): ExactFacts {
  const workspace = `/${inst.slice(0, inst.lastIndexOf('-'))}`;
  const harnessPaths = ['conftest.py', 'pytest.ini', 'tox.ini', 'sitecustomize.py'].map(
    (name) => `${workspace}/${name}`,
  );
  return { workspace, forbiddenPaths: [GRADER_FOLDER], harnessPaths, decoyPaths: [] };
}

/**
 * A run in the neutral shape. SWE-agent edits the file that was opened or created last, so that is told as the step's target.
 * The patch is known by its size only. Exit codes and times stand nowhere in the record, so they stay unknown.
 */
export function trajectoryOf({ steps, sub }: Pick<SweRun, 'steps' | 'sub'>): Trajectory {
  let opened: string | undefined;
  const told = steps.map(({ cmd, out, th }) => {
    const [program, path] = cmd.trim().split(/\s+/, 2);
    if ((program === 'open' || program === 'create') && path !== undefined) opened = path;
    const target = program === 'edit' && opened !== undefined ? { target: opened } : {};
    return { command: cmd.trimEnd(), outputBytes: out, thoughtChars: th, ...target };
  });
  return { steps: told, patchBytes: sub };
}
