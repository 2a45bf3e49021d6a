import { z } from 'zod';
import type { Digest } from '../../platform/base/digest.ts';
import { ISOLATION_TIERS } from '../../platform/sandbox/sandbox.ts';
import { drawFaults } from './check-parameters.ts';
import { harborSchema } from './harbor.ts';
import { instanceFaults, instanceSettings } from './instance-settings.ts';
import { nativeSchema } from './native.ts';
import { constraintSchema, difficultySchema, parametersSchema } from './parameters.ts';

const glob = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !text.startsWith('/') && !text.split('/').includes('..'), 'must stay beneath the workspace');

const argv = z.tuple([z.string().min(1)], z.string());
const PYTHON_NAME = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
/** A name may have places that each instance fills; it must be one once they are. */
const identifier = z
  .string()
  .refine((text) => PYTHON_NAME.test(text.replace(/\{\{[a-z][a-z0-9_]*\}\}/g, 'x')), 'must be a Python name');
const fileName = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, 'must be lower-case letters, digits and dashes');

/** `[proctor.artifact]`: what crosses from the workspace to grading. */
const artifactRulesSchema = z.strictObject({
  include: z.array(glob).min(1).default(['**']).describe('globs of the files that are handed in'),
  exclude: z.array(glob).default([]).describe('globs of files that stay behind although included'),
  keep_steering: z
    .array(glob)
    .default([])
    .describe('files that would steer a runner or interpreter (conftest.py …) but that this task needs'),
  links: z
    .enum(['drop', 'follow-inside'])
    .default('drop')
    .describe('links that resolve beneath the root: left behind, or handed in as the file that they name'),
  max_files: z.int().min(1).max(100_000).default(2_000),
  max_bytes: z.int().min(1).max(1_073_741_824).default(33_554_432).describe('all files together'),
  max_file_bytes: z.int().min(1).max(1_073_741_824).default(16_777_216),
  max_depth: z.int().min(1).max(40).default(20),
});

const DRAWN_FIELDS: readonly unknown[] = ['parameters', 'difficulty', 'constraints', 'siblings', 'generator'];

/** `[proctor]`: everything that Harbor has no word for. Unknown fields are errors here. */
export const proctorSchema = z
  .strictObject({
    grader: z.enum(['stdio', 'function', 'pytest', 'native']).describe('how answers are obtained and judged'),
    snapshot: z.string().min(1).default('host').describe('name of a built snapshot, or `host` (unpinned)'),
    isolation: z
      .enum(ISOLATION_TIERS)
      .default('namespaced')
      .describe('the least that may stand between the artifact’s programs and the host'),
    policy: fileName.default('default').describe('name of a policy file'),
    scoring: z
      .enum(['all', 'fraction'])
      .default('all')
      .describe('`all`: 1 when every case is right, else 0; `fraction`: the share of right cases'),
    case_timeout_sec: z.number().positive().max(600).default(5).describe('wall seconds for one case'),
    max_cases: z.int().min(1).max(1_000).default(100),
    max_processes: z.int().min(4).max(4_096).default(64),
    max_output_bytes: z.int().min(1_024).max(67_108_864).default(4_194_304).describe('output of one command'),
    artifact: artifactRulesSchema.prefault({}),
    parameters: parametersSchema.default({}),
    difficulty: difficultySchema.optional(),
    constraints: z
      .array(constraintSchema)
      .max(50)
      .default([])
      .describe('what drawn values must satisfy together; they are drawn again until they do'),
    ...instanceSettings,
    function: z.strictObject({ module: identifier, function: identifier }).optional(),
    stdio: z
      .strictObject({
        command: argv.describe('program and arguments; the arguments of a case come after them'),
        build: argv.optional().describe('run once in the artifact before the cases'),
        build_timeout_sec: z.number().positive().max(600).default(30),
      })
      .optional(),
    pytest: z
      .strictObject({
        modules: z.array(identifier).min(1).describe('top-level names that the artifact provides to an import'),
        roots: z.array(glob).min(1).default(['.']).describe('folders of the artifact on sys.path'),
      })
      .optional(),
    native: nativeSchema.optional(),
    egress: z
      .strictObject({
        allow: z
          .array(z.string())
          .default([])
          .describe('hosts that workspaces may reach: `host`, `host:port`, `*.example.org`'),
      })
      .prefault({}),
    budgets: z
      .strictObject({
        steps: z.int().min(1).optional().describe('of a session'),
        tokens: z.int().min(1).optional().describe('of a session, as its harness counts them'),
      })
      .prefault({}),
  })
  .superRefine((proctor, context) => {
    if (proctor[proctor.grader] === undefined) {
      context.addIssue({
        code: 'custom',
        path: [proctor.grader],
        message: `grader = "${proctor.grader}" needs a table [proctor.${proctor.grader}]`,
      });
    }
    // a refinement runs although what lies beneath has faults of its own; then there is nothing sound to compare
    const areSound = !context.issues.some(({ path }) => DRAWN_FIELDS.includes(path?.[0]));
    for (const { path, message } of areSound ? [...drawFaults(proctor), ...instanceFaults(proctor)] : [])
      context.addIssue({ code: 'custom', path: [...path], message });
  });

/** The tables of `[proctor]` whose texts may hold `{{name}}` places. */
export const SETTINGS_WITH_PLACES = ['function', 'stdio', 'pytest', 'native', 'artifact'] as const;

/** The whole of `task.toml`. */
export const taskDefinitionSchema = harborSchema.extend({ proctor: proctorSchema });

export type TaskDefinition = z.infer<typeof taskDefinitionSchema>;
export type ArtifactRules = z.infer<typeof artifactRulesSchema>;

/** One file of a task folder; the path is relative to it. */
export interface TaskFile {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Buffer;
}

/** A task that was read and found sound. */
export interface Task {
  readonly name: string;
  /** Digest of task.toml, instruction.md, environment/ and tests/: paths, modes and contents. */
  readonly digest: Digest;
  readonly definition: TaskDefinition;
  /** task.toml, instruction.md, environment/** and tests/**. */
  readonly files: readonly TaskFile[];
}

/** Something that a task's author should mend (`error`) or look at (`warning`). */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** Relative to the task folder. */
  readonly file: string;
  readonly line?: number;
  /** Dotted, as in `proctor.artifact.include`. */
  readonly field?: string;
  readonly message: string;
}
