import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { asProctorError, ERRORS, ProctorError } from '../platform/base/errors.ts';

/** The body of every error reply. */
export const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    fault: z.string(),
    message: z.string(),
    mend: z.string(),
    details: z.record(z.string(), z.unknown()),
    request_id: z.string(),
  }),
});

/** Answers an error in one form. What is our own defect is told without its message; the log has it. */
export function replyWithError(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const error = translate(thrown);
  const { httpStatus, fault, mend, retry } = ERRORS[error.code];
  if (httpStatus >= 500) request.log.error({ err: thrown, code: error.code }, 'request failed');
  if (error.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  if (retry === 'back-off') reply.header('retry-after', String(error.details.retryAfterSeconds ?? 2));
  const message = error.code === 'defect' ? 'an unexpected error; the log has it under this request id' : error.message;
  const details = error.code === 'defect' ? {} : error.details;
  reply.status(httpStatus).send({ error: { code: error.code, fault, message, mend, details, request_id: request.id } });
}

function translate(thrown: FastifyError): ProctorError {
  if (hasZodFastifySchemaValidationErrors(thrown)) {
    const problems = thrown.validation.map(({ instancePath, message }) => ({
      field: instancePath || '/',
      message: message ?? '',
    }));
    const text = problems.map(({ field, message }) => `${field}: ${message}`).join('; ');
    return new ProctorError('bad-request', `the request is not as documented: ${text.slice(0, 2_000)}`, { problems });
  }
  if (thrown.statusCode === 413) return new ProctorError('too-large', thrown.message);
  if (thrown.statusCode === 415) {
    return new ProctorError('bad-request', 'the content type must be application/json or multipart/form-data');
  }
  if (thrown.statusCode !== undefined && thrown.statusCode >= 400 && thrown.statusCode < 500) {
    return new ProctorError('bad-request', thrown.message);
  }
  return asProctorError(thrown);
}
