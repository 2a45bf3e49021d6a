import type { z } from 'zod';
import { ProctorError } from '../platform/base/errors.ts';
import { storable } from '../platform/base/plain-text.ts';

/** The fields of a form or of an address; of a field that is given twice, the first. Without a prototype: names are the caller's. */
export function parseForm(text: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    if (!(name in fields)) fields[name] = storable(value);
  }
  return fields;
}

/** Fields as a page takes them. `bad-request` names the field that is wrong. */
export function readFields<Shape extends z.ZodType>(shape: Shape, fields: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(cleaned(fields));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProctorError('bad-request', `${issue?.path.join('.') || 'the form'}: ${issue?.message ?? 'is wrong'}`);
}

/** Texts of an address or a form as the database can be asked for them. */
function cleaned(fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? storable(value) : value]),
  );
}
