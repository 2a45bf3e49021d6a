import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { messageOf, ProctorError } from '../platform/base/errors.ts';
import type { SentFile } from '../stages/artifact/accept-files.ts';

const MAX_FILES = 5_000;

/** Files in JSON: text as it is, or any bytes in base64. */
export const sentFilesSchema = z
  .array(
    z
      .object({
        path: z.string().min(1).max(8_192),
        content: z.string().optional().describe('UTF-8 text'),
        content_base64: z.base64().optional(),
        executable: z.boolean().default(false),
      })
      .refine((file) => (file.content === undefined) !== (file.content_base64 === undefined), {
        error: 'give either content or content_base64',
      }),
  )
  .max(MAX_FILES);

/** JSON files as the stages take them. */
export function decodeFiles(files: z.infer<typeof sentFilesSchema>): readonly SentFile[] {
  return files.map(({ path, content, content_base64, executable }) => ({
    path,
    executable,
    bytes: content === undefined ? Buffer.from(content_base64 ?? '', 'base64') : Buffer.from(content, 'utf8'),
  }));
}

/** A multipart body: form fields, and one part for each file whose filename is its path. */
export async function readMultipart(
  request: FastifyRequest,
  maxBytes: number,
): Promise<{ fields: Readonly<Record<string, string>>; files: readonly SentFile[] }> {
  const fields: Record<string, string> = Object.create(null);
  const files: SentFile[] = [];
  let bytes = 0;
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        fields[part.fieldname] = String(part.value);
        continue;
      }
      const content = await readPart(part);
      bytes += content.length;
      if (bytes > maxBytes) throw new ProctorError('too-large', `more than ${maxBytes} bytes of files`);
      files.push({ path: part.filename, bytes: content, executable: part.fieldname === 'executable' });
    }
  } catch (thrown) {
    throw multipartError(thrown);
  }
  return { fields, files };
}

async function readPart(part: MultipartFile): Promise<Buffer> {
  if (typeof part.filename !== 'string') throw new ProctorError('bad-request', 'a file part has no filename');
  const content = await part.toBuffer();
  if (part.file.truncated)
    throw new ProctorError('too-large', `the file ${JSON.stringify(part.filename)} is too large`);
  return content;
}

/** What the parser says of a body that is cut off or malformed is the caller's mistake; limits keep their status. */
function multipartError(thrown: unknown): unknown {
  if (thrown instanceof ProctorError || (typeof thrown === 'object' && thrown !== null && 'statusCode' in thrown))
    return thrown;
  return new ProctorError('bad-request', `the multipart body is malformed: ${messageOf(thrown)}`);
}
