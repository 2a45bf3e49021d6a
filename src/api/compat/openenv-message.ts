import { z } from 'zod';
import { asProctorError, type ErrorCode } from '../../platform/base/errors.ts';
import { actionSchema } from '../../stages/session/environment.ts';
import { safeText } from '../safe-text.ts';

/** What a client of OpenEnv says: `openenv/core/env_server/types.py`. */
export const messageSchema = z.object({
  type: z.enum(['reset', 'step', 'state', 'close']),
  data: z.record(z.string(), z.unknown()).default({}),
});

const told = {
  message_id: safeText(200).optional(),
  tokens: z.int().min(0).max(1_000_000_000).default(0),
};
const anySchema = z.looseObject({ finish: z.boolean().optional(), command: z.string().optional() });
const commandSchema = z.looseObject({ command: z.string(), timeout_sec: z.number().optional(), ...told });
const fullSchema = z.looseObject({ ...actionSchema.shape, ...told });

/** An action of a step: `{finish: true}`, `{command}` for a shell, or what `POST /v1/sessions/:id/act` takes. */
export type StepRequest =
  | 'finish'
  | {
      readonly action: z.infer<typeof actionSchema>;
      readonly messageId: string | null;
      readonly tokens: number;
    };

/** Reads the data of a step; a zod error says what is wrong with it. */
export function stepOf(data: unknown): StepRequest {
  const { finish, command } = anySchema.parse(data);
  if (finish === true) return 'finish';
  if (command !== undefined) {
    const { timeout_sec, message_id = null, tokens } = commandSchema.parse(data);
    const parameters = { command, ...(timeout_sec === undefined ? {} : { timeout_sec }) };
    return { action: { environment: 'shell', action: 'run', parameters }, messageId: message_id, tokens };
  }
  const { environment, action, parameters, message_id = null, tokens } = fullSchema.parse(data);
  return { action: { environment, action, parameters }, messageId: message_id, tokens };
}

/** What a client is told. */
export type Reply = {
  readonly type: 'observation' | 'state' | 'error';
  readonly data: Readonly<Record<string, unknown>>;
};

/** An observation in the shape of `serialize_observation`. A reward of null is: none to learn from. */
export function observed(
  observation: Readonly<Record<string, unknown>>,
  { reward, done }: { readonly reward: number | null; readonly done: boolean },
): Reply {
  return { type: 'observation', data: { observation, reward, done } };
}

const CODES: Partial<Record<ErrorCode, string>> = {
  'bad-request': 'VALIDATION_ERROR',
  'queue-full': 'CAPACITY_REACHED',
  'capability-missing': 'CAPACITY_REACHED',
  'sandbox-failed': 'SESSION_ERROR',
  'lease-lost': 'SESSION_ERROR',
};

/** An error as a client is told of it; it raises on every one. */
export function failedWith(thrown: unknown): Reply {
  if (thrown instanceof z.ZodError) {
    const faults = thrown.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    return { type: 'error', data: { code: 'VALIDATION_ERROR', message: faults.slice(0, 1_000) } };
  }
  const error = asProctorError(thrown);
  const message = error.code === 'defect' ? 'an unexpected error; the log has it' : error.message;
  return {
    type: 'error',
    data: { code: CODES[error.code] ?? 'EXECUTION_ERROR', message: `${error.code}: ${message}` },
  };
}
