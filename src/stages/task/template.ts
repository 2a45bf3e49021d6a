import { ProctorError } from '../../platform/base/errors.ts';

/** How a parameter's value is written into a template: `{{name}}`, `{{name|json}}` … */
export const TEMPLATE_FILTERS = ['text', 'json', 'python', 'csv'] as const;
export type TemplateFilter = (typeof TEMPLATE_FILTERS)[number];

/** A piece of a template: literal text, or a place for a parameter. */
export type TemplatePart =
  | { readonly literal: string }
  | { readonly parameter: string; readonly filter: TemplateFilter; readonly line: number };

const PLACE = /\{\{\{\{|\{\{\s*([^{}|]*?)\s*(?:\|\s*([^{}]*?)\s*)?\}\}/g;

/** Splits a template into parts. `{{{{` stands for `{{`. Throws `task-invalid` with the line of a place that is wrong. */
export function parseTemplate(source: string, file: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (const match of source.matchAll(PLACE)) {
    parts.push({ literal: source.slice(at, match.index) });
    at = match.index + match[0].length;
    if (match[0] === '{{{{') parts.push({ literal: '{{' });
    else parts.push(parsePlace(match, { file, line: lineAt(source, match.index) }));
  }
  parts.push({ literal: source.slice(at) });
  return parts;
}

function parsePlace(match: RegExpMatchArray, place: { file: string; line: number }): TemplatePart {
  const [whole, parameter = '', filter = 'text'] = match;
  if (!/^[a-z][a-z0-9_]*$/.test(parameter)) throw wrongPlace(place, `${whole} names no parameter`);
  if (!(TEMPLATE_FILTERS as readonly string[]).includes(filter)) {
    throw wrongPlace(place, `unknown filter "${filter}"; known: ${TEMPLATE_FILTERS.join(', ')}`);
  }
  return { parameter, filter: filter as TemplateFilter, line: place.line };
}

/** `task-invalid` at a line of a template; `details.what` is the message without the place. */
export function wrongPlace(place: { file: string; line: number }, what: string): ProctorError {
  return new ProctorError('task-invalid', `${place.file}:${place.line}: ${what}`, { ...place, what });
}

function lineAt(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}

/** What the name of a template ends in, and the name of what becomes of it does not. */
export const TEMPLATE_ENDING = '.tmpl';

/** Whether a task file is rendered for each instance: the instruction and everything named `*.tmpl`. */
export function isTemplate(path: string): boolean {
  return path === 'instruction.md' || path.endsWith(TEMPLATE_ENDING);
}
