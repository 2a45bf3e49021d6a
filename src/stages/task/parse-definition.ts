import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { unknownHarborFields } from './harbor.ts';
import { type Problem, type TaskDefinition, taskDefinitionSchema } from './task.ts';
import { lineOfField } from './toml-lines.ts';

const FILE = 'task.toml';

/** A definition if the text is one, and everything that is wrong with it or odd about it. */
export function parseDefinition(source: string): { definition: TaskDefinition | null; problems: readonly Problem[] } {
  let raw: Record<string, unknown>;
  try {
    raw = parse(source);
  } catch (thrown) {
    return { definition: null, problems: [syntaxProblem(thrown)] };
  }
  const warnings = unknownHarborFields(raw).map((field) =>
    problemAt(source, field, {
      severity: 'warning',
      message: 'is neither a Harbor nor a Proctor field; it is kept but has no effect',
    }),
  );
  const parsed = taskDefinitionSchema.safeParse(raw);
  if (parsed.success) return { definition: parsed.data, problems: warnings };
  const errors = parsed.error.issues.flatMap((issue) => issueProblems(source, issue));
  return { definition: null, problems: [...errors, ...warnings] };
}

function syntaxProblem(thrown: unknown): Problem {
  if (!(thrown instanceof TomlError)) throw thrown;
  const message = thrown.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? 'not TOML';
  return {
    severity: 'error',
    file: FILE,
    line: thrown.line,
    message: `not TOML: ${message} (column ${thrown.column})`,
  };
}

function issueProblems(source: string, issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) =>
      problemAt(source, [...path, key].join('.'), { severity: 'error', message: 'is not a field that Proctor knows' }),
    );
  }
  return [problemAt(source, path.join('.'), { severity: 'error', message: issue.message })];
}

function problemAt(source: string, field: string, problem: Pick<Problem, 'severity' | 'message'>): Problem {
  const line = lineOfField(source, field.split('.'));
  return { ...problem, file: FILE, field, ...(line === null ? {} : { line }) };
}
