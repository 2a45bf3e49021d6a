import { posix } from 'node:path';
import { z } from 'zod';
import { codeByContent, listBeneath } from '../../../platform/base/beneath.ts';
import { plainText } from '../../../platform/base/plain-text.ts';
import { actionKind, type Environment, type StepContext } from '../environment.ts';
import { type ActionResult, done, failed } from '../observation.ts';
import { WORK_FOLDER } from '../session.ts';

/** Largest file that is read or written in one action. */
const MOST_BYTES = 4_194_304;
/** Bytes of a part of a file. */
const MOST_SHOWN_BYTES = 262_144;
/** Names of one folder that are listed. */
const MOST_NAMES = 1_000;

const pathSchema = z.string().min(1).max(4_096).describe('in /work: absolute, or relative to it');
const readSchema = z.strictObject({
  path: pathSchema,
  offset: z.int().min(0).optional().describe('first byte; with offset or limit just that part is shown, whole'),
  limit: z.int().min(1).max(MOST_SHOWN_BYTES).optional().describe('bytes'),
});
const listSchema = z.strictObject({ path: pathSchema.default(WORK_FOLDER) });
const removeSchema = z.strictObject({ path: pathSchema });
const writeSchema = z.strictObject({
  path: pathSchema,
  content: z.string().max(MOST_BYTES).optional(),
  content_base64: z
    .base64()
    .max(2 * MOST_BYTES)
    .optional(),
  executable: z.boolean().default(false),
});
const patchSchema = z.strictObject({
  path: pathSchema,
  replace: z.string().min(1).max(MOST_BYTES).describe('stands in the file exactly once'),
  with: z.string().max(MOST_BYTES),
});

/** Files of the workspace, without a program: never through a link, nothing outside of /work. */
export const FILES: Environment = {
  name: 'files',
  actions: {
    read: actionKind({
      about: 'gives the content of a file',
      parameters: readSchema,
      run: (context, { path, offset, limit }) =>
        inWork(context, { path, access: 'read' }, async (inside) => {
          const read = await readFile(context, inside);
          if ('error' in read) return read.error;
          const content = await context.show('content', read.bytes);
          const data = { path: shown(inside), mode: read.mode & 0o777, offset: offset ?? 0 };
          if (offset === undefined && limit === undefined) return done(data, [content]);
          const part = read.bytes.subarray(offset ?? 0, (offset ?? 0) + (limit ?? MOST_SHOWN_BYTES));
          const left_out = read.bytes.length - part.length;
          return done(data, [{ ...content, text: plainText(part.toString('utf8'), part.length), left_out }]);
        }),
    }),
    write: actionKind({
      about: 'makes a file, with the folders above it, or replaces it',
      parameters: writeSchema,
      run: (context, { path, content, content_base64, executable }) =>
        inWork(context, { path, access: 'write' }, async (inside) => {
          const bytes =
            content_base64 === undefined ? Buffer.from(content ?? '') : Buffer.from(content_base64, 'base64');
          await context.sandbox.writeFile(inside, bytes, executable ? 0o755 : 0o644);
          return done({ path: shown(inside), bytes: bytes.length });
        }),
    }),
    patch: actionKind({
      about: 'replaces a text that stands in a file exactly once',
      parameters: patchSchema,
      run: (context, { path, replace, with: by }) =>
        inWork(context, { path, access: 'write' }, async (inside) => {
          const read = await readFile(context, inside);
          if ('error' in read) return read.error;
          const parts = read.bytes.toString('latin1').split(Buffer.from(replace).toString('latin1'));
          if (parts.length === 1) return failed('no-match', `${path} does not have that text`);
          if (parts.length > 2) return failed('many-matches', `${path} has that text ${parts.length - 1} times`);
          const bytes = Buffer.from(parts.join(Buffer.from(by).toString('latin1')), 'latin1');
          await context.sandbox.writeFile(inside, bytes, read.mode & 0o777);
          return done({ path: shown(inside), bytes: bytes.length });
        }),
    }),
    remove: actionKind({
      about: 'removes a file or a link',
      parameters: removeSchema,
      run: (context, { path }) =>
        inWork(context, { path, access: 'remove' }, async (inside) => {
          await context.sandbox.removeFile(inside);
          return done({ path: shown(inside) });
        }),
    }),
    list: actionKind({
      about: 'lists a folder: names, kinds and sizes',
      parameters: listSchema,
      run: (context, { path }) =>
        inWork(context, { path, access: 'list' }, async (inside) => {
          const { entries, more } = await listBeneath(context.sandbox.workFolder, inside, { most: MOST_NAMES });
          return done({ path: shown(inside), entries, more });
        }),
    }),
  },
};

const shown = (inside: string) => posix.join(WORK_FOLDER, inside);

async function readFile(
  { sandbox }: StepContext,
  inside: string,
): Promise<{ readonly bytes: Buffer; readonly mode: number } | { readonly error: ActionResult }> {
  const read = await sandbox.readFile(inside, { maxBytes: MOST_BYTES });
  if (read.kind === 'file') return read;
  if (read.kind === 'missing') return { error: failed('not-found', `there is no ${shown(inside)}`) };
  if (read.kind === 'too-large') return { error: failed('too-large', `it has more than ${MOST_BYTES} bytes`) };
  return { error: failed('not-a-file', `${shown(inside)} is no regular file; links are not followed`) };
}

/** What an agent is told of the errors that the content of /work can cause; of the others that it cannot be done. */
const REFUSALS: Readonly<Record<string, NonNullable<ActionResult['error']>>> = {
  ENOENT: { code: 'not-found', message: 'there is no such folder' },
  ENOTDIR: { code: 'not-a-file', message: 'a part of the path is no folder; links are not followed' },
  ELOOP: { code: 'not-a-file', message: 'a part of the path is a link; links are not followed' },
  EISDIR: { code: 'not-a-file', message: 'it is a folder' },
  ENOTEMPTY: { code: 'not-a-file', message: 'it is a folder' },
  ENOSPC: { code: 'limit', message: 'the workspace is full' },
  EDQUOT: { code: 'limit', message: 'the workspace is full' },
  ENAMETOOLONG: { code: 'refused', message: 'a name is too long' },
};

/** Does something to a path of /work and notes it; what the workspace refuses is the action's result. */
async function inWork(
  context: StepContext,
  { path, access }: { readonly path: string; readonly access: string },
  work: (inside: string) => Promise<ActionResult>,
): Promise<ActionResult> {
  const absolute = posix.resolve(WORK_FOLDER, path);
  const isInside = (absolute === WORK_FOLDER || absolute.startsWith(`${WORK_FOLDER}/`)) && !path.includes('\0');
  const result = isInside
    ? await work(absolute.slice(WORK_FOLDER.length + 1)).catch(refusalOf)
    : failed('refused', `${path.slice(0, 200)} is not in ${WORK_FOLDER}`);
  const outcome = result.error?.code ?? 'ok';
  context.note({ type: 'file.accessed', outcome, detail: { path: absolute.slice(0, 4_096), access } });
  return result;
}

function refusalOf(thrown: unknown): ActionResult {
  const { code, message } = REFUSALS[codeByContent(thrown)] ?? { code: 'refused', message: 'it cannot be changed' };
  return failed(code, message);
}
