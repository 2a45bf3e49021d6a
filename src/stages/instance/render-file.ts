import { ProctorError } from '../../platform/base/errors.ts';
import type { TaskFile } from '../task/task.ts';
import { isTemplate, TEMPLATE_ENDING } from '../task/template.ts';
import type { Parameters, WorkspaceFile } from './instance.ts';
import { render } from './render.ts';

/** Bytes of one part of a path, and of a whole one, that every Linux file system takes. */
const MOST_PART_BYTES = 255;
const MOST_PATH_BYTES = 4_000;

/** A file of the task as an instance has it: its name filled, templates filled and without their ending. */
export function renderFile(file: TaskFile, parameters: Parameters): WorkspaceFile {
  const { path } = file;
  const isFilled = isTemplate(path) && path.endsWith(TEMPLATE_ENDING);
  const named = isFilled ? path.slice(0, -TEMPLATE_ENDING.length) : path;
  const filled = { ...file, path: named.includes('{{') ? renderPath(named, parameters) : named };
  return isFilled ? { ...filled, bytes: Buffer.from(render(file.bytes.toString('utf8'), path, parameters)) } : filled;
}

/** Files as an instance has them; `task-invalid` when two get names that cannot stand beside each other. */
export function renderFiles(files: readonly TaskFile[], parameters: Parameters): readonly WorkspaceFile[] {
  const rendered = files.map((file) => renderFile(file, parameters));
  if (!files.some(({ path }) => path.includes('{{') || path.endsWith(TEMPLATE_ENDING))) return rendered;
  const paths = new Set<string>();
  for (const { path } of rendered) {
    if (paths.has(path)) throw new ProctorError('task-invalid', `two files of this task become ${path}`);
    paths.add(path);
  }
  const beneath = rendered.find(({ path }) => foldersOf(path).some((folder) => paths.has(folder)));
  if (beneath === undefined) return rendered;
  throw new ProctorError('task-invalid', `${beneath.path} would lie beneath a file of this task`);
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** A path with the values of `{{name}}` places in it. A value may not lead elsewhere: it stays within its part of the path. */
function renderPath(path: string, parameters: Parameters): string {
  const filled = path.split('/').map((part) => render(part, path, parameters));
  const odd = filled.find((part) => !isPart(part));
  if (odd === undefined && Buffer.byteLength(filled.join('/')) <= MOST_PATH_BYTES) return filled.join('/');
  throw new ProctorError('task-invalid', `${path}: ${JSON.stringify(odd ?? path)} cannot be part of a path`);
}

function isPart(part: string): boolean {
  if (part === '' || part === '.' || part === '..' || part.includes('/') || !part.isWellFormed()) return false;
  return Buffer.byteLength(part) <= MOST_PART_BYTES && !/\p{Cc}/u.test(part);
}
