import { ProctorError } from '../../platform/base/errors.ts';
import type { TaskFile } from '../task/task.ts';
import { isTemplate, TEMPLATE_ENDING } from '../task/template.ts';
import type { Parameters, WorkspaceFile } from './instance.ts';
import { render } from './render.ts';

/** A file of the task as an instance has it: its name filled, templates filled and without their ending. */
export function renderFile(file: TaskFile, parameters: Parameters): WorkspaceFile {
  const path = renderPath(file.path, parameters);
  if (!isTemplate(file.path) || !file.path.endsWith(TEMPLATE_ENDING)) return { ...file, path };
  const text = render(file.bytes.toString('utf8'), file.path, parameters);
  return { ...file, path: path.slice(0, -TEMPLATE_ENDING.length), bytes: Buffer.from(text) };
}

/** Files as an instance has them; `task-invalid` when two get the same name. */
export function renderFiles(files: readonly TaskFile[], parameters: Parameters): readonly WorkspaceFile[] {
  const rendered = files.map((file) => renderFile(file, parameters));
  const paths = new Set<string>();
  for (const { path } of rendered) {
    if (paths.has(path)) throw new ProctorError('task-invalid', `two files of this task become ${path}`);
    paths.add(path);
  }
  return rendered;
}

/** A path with the values of `{{name}}` places in it. A value may not lead elsewhere: it stays within its part of the path. */
function renderPath(path: string, parameters: Parameters): string {
  if (!path.includes('{{')) return path;
  const filled = path.split('/').map((part) => render(part, path, parameters));
  const odd = filled.find((part) => !/^[^/\0\n]{1,200}$/.test(part) || part === '.' || part === '..');
  if (odd === undefined) return filled.join('/');
  throw new ProctorError('task-invalid', `${path}: ${JSON.stringify(odd)} cannot be part of a path`);
}
