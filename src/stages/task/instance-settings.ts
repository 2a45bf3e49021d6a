import { z } from 'zod';
import { type DrawFault, type DrawSettings, drawnNames } from './check-parameters.ts';
import { parameterName } from './structure-schema.ts';

/** What can be planted in a workspace that no honest work needs. */
export const DECOY_KINDS = ['answers', 'tests', 'credential', 'environment', 'git'] as const;

/** Where a task's own generator is. */
export const GENERATOR_FILE = 'tests/generate.py';

/** Fields of `[proctor]` about instances, beside their parameters. */
export const instanceSettings = {
  decoys: z
    .strictObject({
      // a repository is not planted unless it is asked for: agents work with git
      kinds: z
        .array(z.enum(DECOY_KINDS))
        .default(['answers', 'tests', 'credential', 'environment'])
        .describe('what is planted in each workspace that no honest work needs; `[]`: nothing'),
    })
    .prefault({}),
  siblings: z
    .strictObject({
      count: z.int().min(1).max(10).default(3).describe('instances whose examples a hand-in is run on beside its own'),
      vary: z
        .array(parameterName)
        .min(1)
        .describe('parameters that are drawn anew for them: data that a solution reads, never rules that it must know'),
    })
    .optional(),
  answers_repeat: z
    .boolean()
    .default(false)
    .describe('the author knows that instances have the same answers: `task check` warns instead of refusing'),
  canonical_seed: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional()
    .describe('seed of the instance that is published; it is served for evaluation only'),
  generator: z
    .strictObject({ gives: z.array(parameterName).min(1).describe('parameters that `tests/generate.py` makes') })
    .optional(),
} as const;

/** What of `[proctor]` is compared with each other here. */
export interface InstanceSettings extends DrawSettings {
  readonly grader: string;
  readonly siblings?: { readonly vary: readonly string[] } | undefined;
  readonly generator?: { readonly gives: readonly string[] } | undefined;
}

/** Names that templates may use: all of them in tests, those that are drawn with the instance elsewhere. */
export function templateNames(settings: InstanceSettings): {
  readonly early: readonly string[];
  readonly all: readonly string[];
} {
  const given = settings.generator?.gives ?? [];
  const early = Object.fromEntries(Object.entries(settings.parameters).filter(([, { late }]) => !late));
  return {
    early: [...drawnNames({ ...settings, parameters: early }), ...given],
    all: [...drawnNames(settings), ...given],
  };
}

/** What does not fit together, with the field of each. */
export function instanceFaults(settings: InstanceSettings): readonly DrawFault[] {
  return [...siblingFaults(settings), ...generatorFaults(settings)];
}

function siblingFaults(settings: InstanceSettings): readonly DrawFault[] {
  const { siblings, grader, parameters, generator } = settings;
  if (siblings === undefined) return [];
  if (generator !== undefined) {
    return [
      {
        path: ['siblings'],
        message: 'what [proctor.generator] made of the parameters would stay: there are no siblings beside it',
      },
    ];
  }
  const varied = siblings.vary.flatMap((name, index): DrawFault[] => {
    const spec = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (spec !== undefined && !spec.late) return [];
    const message = spec === undefined ? `${name} is not a parameter` : `${name} is drawn late`;
    return [{ path: ['siblings', 'vary', index], message }];
  });
  if (grader === 'function' || grader === 'stdio') return varied;
  return [...varied, { path: ['siblings'], message: `grader = "${grader}" has no examples to run` }];
}

function generatorFaults(settings: InstanceSettings): readonly DrawFault[] {
  const known = drawnNames(settings);
  return (settings.generator?.gives ?? []).flatMap((name, index) =>
    known.includes(name) ? [{ path: ['generator', 'gives', index], message: `${name} is a parameter already` }] : [],
  );
}
