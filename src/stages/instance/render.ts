import { parseTemplate, type TemplateFilter, wrongPlace } from '../task/template.ts';
import type { ParameterValue, Scalar } from './instance.ts';

type Parameters = Readonly<Record<string, ParameterValue>>;

/** Fills a template with an instance's parameters. `task-invalid` names the file and line of what cannot be filled. */
export function render(source: string, file: string, parameters: Parameters): string {
  return parseTemplate(source, file)
    .map((part) => {
      if ('literal' in part) return part.literal;
      const value = Object.hasOwn(parameters, part.parameter) ? parameters[part.parameter] : undefined;
      const written = value === undefined ? null : WRITERS[part.filter](value);
      if (written !== null) return written;
      const place = `{{${part.parameter}|${part.filter}}}`;
      const why = value === undefined ? 'is not a parameter of this task' : 'cannot be written with this filter';
      throw wrongPlace({ file, line: part.line }, `${place} ${why}`);
    })
    .join('');
}

/** Null where a filter does not fit a value. */
const WRITERS: Record<TemplateFilter, (value: ParameterValue) => string | null> = {
  text: (value) => (isTable(value) ? null : isList(value) ? value.join(' ') : String(value)),
  json: (value) => JSON.stringify(value),
  // strings, numbers, lists and objects of JSON are Python literals as they stand; parameters hold nothing else
  python: (value) => JSON.stringify(value),
  csv: (value) => (isTable(value) ? csvOf(value) : null),
};

function csvOf(rows: readonly Record<string, Scalar>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column])))];
  return lines.map((cells) => cells.map(csvCell).join(',')).join('\n');
}

function csvCell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function isList(value: ParameterValue): value is Scalar[] {
  return Array.isArray(value);
}

function isTable(value: ParameterValue): value is Record<string, Scalar>[] {
  return Array.isArray(value) && typeof value[0] === 'object';
}
