import type { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Task } from '../task/task.ts';
import type { Grader } from './candidate.ts';
import { inCandidatePhase } from './candidate-phase.ts';
import { type DrawnCase, startExaminer } from './examiner.ts';
import { functionRequestSchema, gradeFunction } from './grade-function.ts';
import { gradeStdio, stdioRequestSchema } from './grade-stdio.ts';
import type { RunHidden } from './hidden-run.ts';
import { runSiblings } from './run-siblings.ts';

type OracleGrader = Exclude<Task['definition']['proctor']['grader'], 'pytest' | 'native'>;

const GRADERS = {
  stdio: { request: stdioRequestSchema, run: gradeStdio },
  function: { request: functionRequestSchema, run: gradeFunction },
} as const satisfies Record<OracleGrader, { request: z.ZodType; run: Grader }>;

/** Draws the cases of tests/oracle.py, has the candidate answer them, and the examiner judge the answers. */
export function runOracleCases(grader: OracleGrader): RunHidden {
  const { request, run: answer } = GRADERS[grader];
  return async ({ task, instance, hiddenSeed, examinerBox, candidate, keepStderr, endPhase }) => {
    const { parameters } = instance;
    const examiner = await startExaminer(examinerBox, { task, parameters, seed: hiddenSeed });
    for (const drawn of examiner.cases) acceptRequest(request, drawn);
    endPhase('draw');
    const { definition } = task;
    const deadlineMs = performance.now() + definition.verifier.timeout_sec * 1000;
    const run = { candidate, examiner, definition, deadlineMs, keepStderr };
    const results = await inCandidatePhase(() => answer(run));
    const accept = (drawn: DrawnCase) => acceptRequest(request, drawn);
    const siblings = () =>
      runSiblings({ ...run, keepStderr: () => undefined }, { task, instance, hiddenSeed, answer, accept });
    // what is right stays in the examiner, out of reach of the process that runs the candidate's code
    return {
      required: examiner.cases.map(({ id }) => id),
      results,
      assurance: 'oracle',
      siblings,
    };
  };
}

/** A request that cannot be put to any candidate is the task's fault, told before a candidate runs. */
function acceptRequest(schema: z.ZodType, drawn: DrawnCase): void {
  const accepted = schema.safeParse(drawn.request);
  if (accepted.success) return;
  const faults = accepted.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new ProctorError('oracle-failed', `${drawn.id} cannot be put to a candidate: ${faults}`);
}
