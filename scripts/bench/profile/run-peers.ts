import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { withScratchFolder } from '../../../src/bin/scratch-folder.ts';
import { FEATURES } from '../../../src/stages/profile/features.ts';

type Rows = readonly (readonly (number | null)[])[];

/** The columns of one fold: what is fitted, what says how high honest sessions score, and what is asked. */
export interface PeerFold {
  readonly fit: Rows;
  readonly calibration: Rows;
  readonly asked: Rows;
}

const scores = z.array(z.number());
const toldSchema = z.object({
  version: z.string(),
  folds: z.array(z.record(z.string(), z.object({ calibration: scores, asked: scores }))),
});

/** What the peers say of each fold. */
export type PeerScores = Readonly<z.infer<typeof toldSchema>>;

const PYTHON = '/usr/bin/python3';
const PROGRAM = fileURLToPath(new URL('../profile_peers.py', import.meta.url));

/** Scores the same columns by other methods, in one Python program; the reason when that cannot be done here. */
export async function runPeers(folds: readonly PeerFold[]): Promise<PeerScores | { readonly absent: string }> {
  return withScratchFolder('bench-peers', async (folder) => {
    const file = join(folder, 'columns.f64');
    const rows = folds.flatMap(({ fit, calibration, asked }) => [...fit, ...calibration, ...asked]);
    const values = Float64Array.from(rows.flatMap((row) => row.map((value) => value ?? Number.NaN)));
    await writeFile(file, Buffer.from(values.buffer));
    const plan = {
      columns: FEATURES.length,
      folds: folds.map(({ fit, calibration, asked }) => ({
        ...{ fit: fit.length, calibration: calibration.length, asked: asked.length },
      })),
    };
    const child = spawn(PYTHON, ['-B', PROGRAM, file], { env: { ...process.env, OMP_NUM_THREADS: '1' } });
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(plan));
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if ((await code) === 0) return toldSchema.parse(JSON.parse(out));
    if (error.includes("No module named 'sklearn'") || error.includes("No module named 'numpy'")) {
      return { absent: 'python3-sklearn is not installed: bash scripts/setup.sh --bench' };
    }
    throw new Error(`the peers ended with ${await code}: ${error.slice(-1_000)}`);
  });
}
