import type { ProctorError } from '../../platform/base/errors.ts';
import { plainText } from '../../platform/base/plain-text.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Sandbox, SandboxDriver } from '../../platform/sandbox/sandbox.ts';
import type { Snapshot, Snapshots } from '../../platform/snapshots/snapshots.ts';
import type { ArtifactRow } from '../artifact/artifact.ts';
import { drawHidden } from '../instance/draw-hidden.ts';
import type { InstanceRow } from '../instance/instance.ts';
import type { Task } from '../task/task.ts';
import { placeArtifact } from './candidate.ts';
import { inCandidatePhase } from './candidate-phase.ts';
import { type FreshSandboxes, inFreshSandboxes } from './fresh-sandboxes.ts';
import type { CaseResult, GradeInputs, MeasuredGrade } from './grade.ts';
import { runPytestSuite } from './grade-pytest.ts';
import type { GraderTools } from './grader-tools.ts';
import type { HiddenRun, RunHidden } from './hidden-run.ts';
import { runNativeSuite } from './native/run-native.ts';
import { runOracleCases } from './run-oracle-cases.ts';
import { candidateLimits, examinerLimits } from './sandbox-limits.ts';

const GRADERS = {
  stdio: runOracleCases('stdio'),
  function: runOracleCases('function'),
  pytest: runPytestSuite,
  native: runNativeSuite,
} as const satisfies Record<Task['definition']['proctor']['grader'], RunHidden>;

const STDERR_TAIL_BYTES = 4_096;
const NOTE_LENGTH = 1_000;
/** The same for every submission that is charged, so that a regrade gives the same. */
const CHARGED = 'its code makes the sandbox itself fail, on every try';

/** What grading needs of the platform. */
export interface GradeParts {
  readonly blobs: Blobs;
  readonly driver: SandboxDriver;
  readonly snapshots: Snapshots;
  readonly tools: GraderTools;
}

/** One artifact with all that it is graded against. */
export interface GradeRequest {
  readonly task: Task;
  readonly instance: InstanceRow;
  readonly artifact: ArtifactRow;
  /** Digest of the snapshot of an earlier grade, to grade on the same again; else the task's. */
  readonly snapshot?: string;
  /** Runs siblings of right work too: for the author of a task. */
  readonly allSiblings?: true;
}

/**
 * Grades one artifact: a fresh examiner, a fresh candidate sandbox, both destroyed at the end.
 * Rejects only for faults of the platform or the task; `details.phase` is `candidate` once its code had begun to run.
 */
export async function gradeArtifact(parts: GradeParts, request: GradeRequest): Promise<MeasuredGrade> {
  const phases = startPhases();
  const snapshot = await snapshotOf(parts, request);
  const inputs = gradeInputs(parts, request, snapshot);
  const { refusal } = request.artifact.manifest;
  if (refusal !== null) return measured({ inputs, phases, refusal: `${refusal.reason}: ${refusal.detail}`, cases: [] });
  try {
    return await inFreshSandboxes(sandboxesFor(parts, request, snapshot), async (examinerBox, candidate) => {
      const refused = await placeArtifact(candidate, request.artifact.manifest, parts.blobs);
      phases.end('prepare');
      if (refused !== null) return measured({ inputs, phases, refusal: refused, cases: [] });
      const ran = await runHidden({ parts, request, examinerBox, candidate, endPhase: phases.end });
      phases.end('siblings');
      return measured({ inputs, phases, refusal: null, ...ran });
    });
  } finally {
    phases.end('destroy');
  }
}

/** What is hidden from this artifact: drawn now that it is sealed. */
export function hiddenOf({ task, instance, artifact }: GradeRequest): Pick<HiddenRun, 'instance' | 'hiddenSeed'> {
  const { seed, parameters } = drawHidden(task, instance, artifact.digest);
  return { instance: { ...instance, parameters }, hiddenSeed: seed };
}

/** The two sandboxes of a grade, within what the task allows. */
export function sandboxesFor(
  { driver, tools }: GradeParts,
  { task }: GradeRequest,
  { root }: Snapshot,
): FreshSandboxes {
  const { isolation } = task.definition.proctor;
  return {
    driver,
    tools,
    root,
    isolation,
    limits: { examiner: examinerLimits(task), candidate: candidateLimits(task) },
  };
}

/** A failing grade for a hand-in whose code makes the sandbox itself fail, on evidence from outside it. */
export async function chargedGrade(
  parts: GradeParts,
  request: GradeRequest,
  error: ProctorError,
): Promise<MeasuredGrade> {
  const snapshot = await snapshotOf(parts, request);
  return measured({
    inputs: gradeInputs(parts, request, snapshot),
    phases: startPhases(),
    refusal: CHARGED,
    cases: [],
    stderrTail: error.message,
  });
}

interface Opened {
  readonly parts: GradeParts;
  readonly request: GradeRequest;
  readonly examinerBox: Sandbox;
  readonly candidate: Sandbox;
  readonly endPhase: (name: string) => void;
}

async function runHidden({ parts, request, examinerBox, candidate, endPhase }: Opened) {
  const { task } = request;
  let stderr = Buffer.alloc(0);
  const keepStderr = (bytes: Buffer) => {
    stderr = Buffer.concat([stderr, bytes]).subarray(-STDERR_TAIL_BYTES);
  };
  const run = GRADERS[task.definition.proctor.grader];
  const ran = await run({
    task,
    ...hiddenOf(request),
    driver: parts.driver,
    examinerBox,
    candidate,
    keepStderr,
    endPhase,
  });
  const { cpuMs, memoryPeakBytes } = await inCandidatePhase(() => candidate.usage());
  const cases = everyCaseOnce(ran.required, ran.results);
  const stderrTail = stderr.toString();
  endPhase('run');
  // right work knows more than the examples
  const isRight = cases.every(({ status }) => status === 'passed');
  const siblings = isRight && request.allSiblings !== true ? null : await ran.siblings?.();
  return {
    ...{ cases, assurance: ran.assurance, resources: { cpuMs, memoryPeakBytes }, stderrTail },
    ...(ran.witness && { witness: ran.witness }),
    ...(siblings && { siblings }),
  };
}

/** The required cases in order; one without exactly one result is missing, whatever the results say. */
export function everyCaseOnce(required: readonly string[], results: readonly CaseResult[]): CaseResult[] {
  return required.map((id) => {
    const [first, ...more] = results.filter((result) => result.id === id);
    if (first !== undefined && more.length === 0) return first;
    const note = first === undefined ? 'no result' : 'more than one result';
    return { id, status: 'missing', note, wallMs: 0 };
  });
}

interface Measured {
  readonly inputs: GradeInputs;
  readonly phases: Phases;
  readonly refusal: string | null;
  readonly cases: readonly CaseResult[];
  readonly assurance?: MeasuredGrade['assurance'];
  readonly resources?: MeasuredGrade['resources'];
  readonly witness?: MeasuredGrade['witness'];
  readonly siblings?: MeasuredGrade['siblings'];
  readonly stderrTail?: string;
}

function measured({
  inputs,
  phases,
  refusal,
  cases,
  assurance,
  resources,
  stderrTail,
  witness,
  siblings,
}: Measured): MeasuredGrade {
  const right = cases.filter(({ status }) => status === 'passed').length;
  return {
    kind: 'measured',
    inputs,
    assurance: assurance ?? 'oracle', // that nothing was run is seen from outside
    cases: cases.map((result) => ({ ...result, note: plainText(result.note, NOTE_LENGTH) })),
    refusal,
    score: cases.length === 0 ? 0 : right / cases.length,
    passed: cases.length > 0 && right === cases.length,
    resources: resources ?? { cpuMs: null, memoryPeakBytes: null },
    phases: phases.sofar,
    stderrTail: plainText(stderrTail ?? '', STDERR_TAIL_BYTES),
    ...(witness && { witness }),
    ...(siblings && { siblings }),
  };
}

function gradeInputs(parts: GradeParts, request: GradeRequest, snapshot: Snapshot): GradeInputs {
  const { task, instance, artifact } = request;
  return {
    task: task.digest,
    instance: instance.digest,
    artifact: artifact.digest,
    snapshot: { name: snapshot.name, digest: snapshot.digest, pinned: snapshot.pinned },
    grader: { name: task.definition.proctor.grader, digest: parts.tools.digest },
  };
}

/** The snapshot that a request is graded on. */
export function snapshotOf(parts: GradeParts, { task, snapshot }: GradeRequest): Promise<Snapshot> {
  return parts.snapshots.resolve(snapshot ?? task.definition.proctor.snapshot);
}

interface Phases {
  /** Milliseconds by phase; grows until the grade is over. */
  readonly sofar: Record<string, number>;
  end(name: string): void;
}

function startPhases(): Phases {
  const sofar: Record<string, number> = {};
  let last = performance.now();
  return {
    sofar,
    end(name) {
      const now = performance.now();
      sofar[`${name}Ms`] = Math.round((now - last) * 10) / 10;
      last = now;
    },
  };
}
