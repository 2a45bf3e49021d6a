import { z } from 'zod';

/** How far one grader was fooled by one cheat: its whole run was green, some tests that a hollow hand-in fails were, or none. */
const FOOLED = ['whole', 'some', 'none'] as const;
export const GRADERS = ['plain', 'hardened', 'proctor'] as const;

const fooledSchema = z.enum(FOOLED);
export type Fooled = z.infer<typeof fooledSchema>;

export const comparedCheatSchema = z.strictObject({
  task: z.string(),
  submission: z.string(),
  technique: z.string(),
  plain: fooledSchema,
  hardened: fooledSchema,
  proctor: fooledSchema,
});

/** One cheat in front of three graders. */
export type ComparedCheat = z.infer<typeof comparedCheatSchema>;

/** What `npm run corpus -- --table --write` keeps, and the threat model shows. */
export const techniqueRecordSchema = z.strictObject({
  seed: z.string(),
  python: z.string(),
  pytest: z.string(),
  cheats: z.array(comparedCheatSchema).min(1),
});
export type TechniqueRecord = z.infer<typeof techniqueRecordSchema>;

/** One technique: how many of its cheats fooled each grader. */
export interface TechniqueRow {
  readonly technique: string;
  readonly cheats: number;
  readonly fooled: Readonly<Record<(typeof GRADERS)[number], { whole: number; some: number }>>;
}

/** Cheats by technique, in alphabetical order. */
export function byTechnique(cheats: readonly ComparedCheat[]): readonly TechniqueRow[] {
  const names = [...new Set(cheats.map(({ technique }) => technique))].sort();
  return names.map((technique) => {
    const own = cheats.filter((cheat) => cheat.technique === technique);
    const count = (grader: (typeof GRADERS)[number]) => ({
      whole: own.filter((cheat) => cheat[grader] === 'whole').length,
      some: own.filter((cheat) => cheat[grader] === 'some').length,
    });
    const fooled = { plain: count('plain'), hardened: count('hardened'), proctor: count('proctor') };
    return { technique, cheats: own.length, fooled };
  });
}

/** How many techniques fooled a grader at all, and how many made a whole run green. */
export function techniquesFooling(
  rows: readonly TechniqueRow[],
  grader: (typeof GRADERS)[number],
): { any: number; whole: number } {
  return {
    any: rows.filter(({ fooled }) => fooled[grader].whole + fooled[grader].some > 0).length,
    whole: rows.filter(({ fooled }) => fooled[grader].whole > 0).length,
  };
}

/** The table as Markdown, with a line of sums. */
export function techniqueMarkdown(record: TechniqueRecord): string {
  const rows = byTechnique(record.cheats);
  const cell = ({ whole, some }: { whole: number; some: number }) =>
    whole + some === 0
      ? '–'
      : [whole > 0 ? `**${whole} whole**` : '', some > 0 ? `${some} some` : ''].filter(Boolean).join(', ');
  const sums = GRADERS.map((grader) => {
    const { any, whole } = techniquesFooling(rows, grader);
    return `${any} (${whole} whole)`;
  });
  return [
    `${record.cheats.length} cheats of ${rows.length} techniques, Python ${record.python}, pytest ${record.pytest}, seed \`${record.seed}\`.`,
    '',
    '| technique | cheats | plain pytest | hardened in-process | Proctor |',
    '|---|--:|---|---|---|',
    ...rows.map(
      ({ technique, cheats, fooled }) =>
        `| \`${technique}\` | ${cheats} | ${cell(fooled.plain)} | ${cell(fooled.hardened)} | ${cell(fooled.proctor)} |`,
    ),
    `| **techniques that fooled it** | ${rows.length} | ${sums.join(' | ')} |`,
  ].join('\n');
}

/** What a new run and the kept one disagree on that matters: the cheats there are, and what Proctor made of them. */
export function driftOf(kept: TechniqueRecord, now: TechniqueRecord): readonly string[] {
  const name = ({ task, submission }: ComparedCheat) => `${task}/${submission}`;
  const before = new Map(kept.cheats.map((cheat) => [name(cheat), cheat]));
  const after = new Map(now.cheats.map((cheat) => [name(cheat), cheat]));
  const gone = [...before.keys()].filter((key) => !after.has(key)).map((key) => `${key} is in the record only`);
  const changed = [...after].flatMap(([key, cheat]) => {
    const old = before.get(key);
    if (old === undefined) return [`${key} is not in the record`];
    if (old.technique !== cheat.technique) return [`${key} has another technique`];
    return old.proctor === cheat.proctor ? [] : [`${key}: Proctor ${cheat.proctor} instead of ${old.proctor}`];
  });
  return [...gone, ...changed];
}
