import { z } from 'zod';

const path = z
  .string()
  .regex(/^[A-Za-z0-9._-][A-Za-z0-9._/-]{0,200}$/, 'must be a plain relative path')
  .refine((text) => !text.split('/').includes('..'), 'must stay beneath its folder');
const argv = z.tuple([z.string().min(1)], z.string());

/** Runners that run where the candidate's code runs. */
export const NATIVE_RUNNERS = ['pytest', 'node-test', 'vitest', 'go-test', 'cargo-test', 'tap', 'junit'] as const;
const COMMANDED: readonly string[] = ['tap', 'junit'];

/** `[proctor.native]`: a test runner of any language, witnessed; see docs/task-format.md. */
export const nativeSchema = z
  .strictObject({
    runner: z.enum(NATIVE_RUNNERS).describe('what runs the hidden tests, in the sandbox of the artifact'),
    command: argv.optional().describe('`tap` and `junit`: the program; `{tests}` is the folder of the hidden tests'),
    report: path.optional().describe('`junit`: the XML file that the command writes, beneath the work folder'),
    build: argv.optional().describe('run once in the artifact, before the hidden tests are there'),
    build_timeout_sec: z.number().positive().max(600).default(60),
    roots: z.array(path).min(1).default(['.']).describe('`pytest`: folders of the artifact on sys.path'),
    required: z
      .array(z.string().min(1).max(500))
      .min(1)
      .optional()
      .describe('ids of the tests that must pass; else they are in tests/required.json'),
    twins: path.optional().describe('folder of must-fail twins, with its twins.json'),
  })
  .superRefine((native, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const commanded = COMMANDED.includes(native.runner);
    if (commanded && native.command === undefined) refuse('command', `runner = "${native.runner}" needs a command`);
    if (!commanded && native.command !== undefined)
      refuse('command', `runner = "${native.runner}" has its own command`);
    if ((native.runner === 'junit') !== (native.report !== undefined)) {
      refuse('report', native.runner === 'junit' ? 'runner = "junit" needs a report' : 'is for runner = "junit" only');
    }
    if (new Set(native.required).size !== (native.required?.length ?? 0)) refuse('required', 'names a test twice');
    if (native.twins !== undefined && !native.twins.startsWith('tests/')) refuse('twins', 'must be beneath tests/');
  });

export type NativeSettings = z.infer<typeof nativeSchema>;
