import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { describeEnding, type Grader, type GraderRun, statusOf, tryWrite } from './candidate.ts';
import type { DrawnCase } from './examiner.ts';
import type { CaseResult } from './grade.ts';

/** What the oracle may ask of a program; paths are beneath the work folder. */
export const stdioRequestSchema = z.object({
  args: z.array(z.string()),
  stdin: z.base64(),
  files: z.record(z.string(), z.base64()),
  output: z.string().nullable(),
});
type StdioRequest = z.infer<typeof stdioRequestSchema>;

/** Programs: one fresh process for each case; its output, or a file that it wrote, is the answer. */
export const gradeStdio: Grader = async (run) => {
  const failedBuild = await build(run);
  const results: CaseResult[] = [];
  for (const drawn of run.examiner.cases) {
    if (failedBuild !== null) results.push({ id: drawn.id, status: 'crashed', note: failedBuild, wallMs: 0 });
    else if (performance.now() > run.deadlineMs) results.push(outOfTime(drawn.id));
    else results.push(await runCase(run, drawn));
  }
  return results;
};

/** A case that was not started because the grade's own time was over. */
export function outOfTime(id: string): CaseResult {
  return { id, status: 'timed-out', note: 'the time for the whole grade was over', wallMs: 0 };
}

async function build({ candidate, definition, keepStderr }: GraderRun): Promise<string | null> {
  const stdio = definition.proctor.stdio;
  if (stdio?.build === undefined) return null;
  const result = await candidate.exec({ argv: stdio.build, wallMs: stdio.build_timeout_sec * 1000 });
  keepStderr(result.stderr);
  const built = result.ending.kind === 'exited' && result.ending.code === 0;
  if (built) return null;
  const said = result.stderr.toString('utf8').trim().slice(-300);
  return `the build ${describeEnding(result.ending)}${said === '' ? '' : `: ${said}`}`;
}

async function runCase(run: GraderRun, drawn: DrawnCase): Promise<CaseResult> {
  const { candidate, definition, examiner, keepStderr } = run;
  const request = stdioRequestSchema.parse(drawn.request);
  const command = definition.proctor.stdio?.command;
  if (command === undefined) throw new ProctorError('task-invalid', 'a stdio task needs [proctor.stdio]');
  const refused = await tryWrite(() => placeInputs(run, request));
  if (refused !== null) return { id: drawn.id, status: 'crashed', note: refused, wallMs: 0 };
  const result = await candidate.exec({
    argv: [...command, ...request.args],
    stdin: Buffer.from(request.stdin, 'base64'),
    wallMs: definition.proctor.case_timeout_sec * 1000,
  });
  keepStderr(result.stderr);
  const { ending, wallMs } = result;
  if (ending.kind !== 'exited') {
    return { id: drawn.id, status: statusOf(ending), note: `the program ${describeEnding(ending)}`, wallMs };
  }
  const output = request.output === null ? result.stdout : await readOutput(run, request.output);
  const answer = { exitCode: ending.code, hasOutput: output !== null };
  const judged = await examiner.judge(drawn.id, answer, output ?? Buffer.alloc(0));
  return { id: drawn.id, status: judged.passed ? 'passed' : 'failed', note: judged.note, wallMs };
}

async function placeInputs({ candidate }: GraderRun, request: StdioRequest): Promise<void> {
  if (request.output !== null) await candidate.removeFile(request.output);
  for (const [path, content] of Object.entries(request.files)) {
    await candidate.writeFile(path, Buffer.from(content, 'base64'));
  }
}

/** The named output file if it is a regular one; an answer in any other form is none. */
async function readOutput({ candidate, definition }: GraderRun, path: string): Promise<Buffer | null> {
  const read = await candidate.readFile(path, { maxBytes: definition.proctor.max_output_bytes });
  return read.kind === 'file' ? read.bytes : null;
}
