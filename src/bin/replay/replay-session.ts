import { z } from 'zod';
import type { SessionHost } from '../../pipeline/session-host.ts';
import { type Digest, digestSchema } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { checkAction } from '../../stages/session/environments.ts';
import type { SessionEvent } from '../../stages/session/event.ts';
import type { Observation } from '../../stages/session/observation.ts';
import { allEvents, findSession } from '../../stages/session/session-store.ts';
import type { Service } from '../open-service.ts';

/** One step of a session, then and now. */
export interface ReplayedStep {
  readonly step: number;
  readonly action: string;
  readonly then: string;
  readonly now: string;
  /** Names of what differs: `status`, or an output. */
  readonly differs: readonly string[];
  readonly same: boolean;
}

/** A session that was made again. */
export interface Replay {
  readonly sessionId: string;
  /** The session of the second time. */
  readonly replayId: string;
  readonly steps: readonly ReplayedStep[];
}

const beganSchema = z.object({
  environment: z.string(),
  action: z.string(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  parameters_sha256: digestSchema.optional(),
});
const outputsSchema = z.array(z.object({ name: z.string(), sha256: z.string().nullable() }));

/** Makes the actions of a session again on the same instance in a fresh workspace, which is given up afterwards. */
export async function replaySession({ parts }: Service, host: SessionHost, sessionId: string): Promise<Replay> {
  const session = await findSession(parts.database, sessionId);
  if (session.origin !== 'workspace') {
    throw new ProctorError(
      'conflict',
      `session ${sessionId} was brought by a harness: its actions cannot be made here`,
    );
  }
  const events = await allEvents(parts.database, sessionId);
  const { id: replayId } = await host.open({ instanceId: session.instanceId, idempotencyKey: null });
  const steps: ReplayedStep[] = [];
  try {
    for (const began of events.filter(({ type }) => type === 'step.began')) {
      const ended = events.find(({ type, step }) => type === 'step.ended' && step === began.step);
      const said = beganSchema.parse(began.detail);
      const parameters = said.parameters ?? (await keptParameters(parts.blobs, said.parameters_sha256));
      const action = checkAction({ environment: said.environment, action: said.action, parameters });
      const observation = await host.act(replayId, { action, messageId: null, tokens: 0 });
      steps.push(compare(began, ended, observation));
    }
  } finally {
    await host.abandon(replayId);
  }
  return { sessionId, replayId, steps };
}

async function keptParameters(
  blobs: Service['parts']['blobs'],
  digest: Digest | undefined,
): Promise<Record<string, unknown>> {
  if (digest === undefined) throw new ProctorError('digest-mismatch', 'a step of the log has no parameters');
  return z.record(z.string(), z.unknown()).parse(JSON.parse((await blobs.get(digest)).toString('utf8')));
}

function compare(began: SessionEvent, ended: SessionEvent | undefined, now: Observation): ReplayedStep {
  const before = ended === undefined ? [] : outputsSchema.parse(ended.detail.outputs);
  const outputs = now.outputs.filter(
    ({ name, sha256 }) => before.find((output) => output.name === name)?.sha256 !== sha256,
  );
  const then = ended?.outcome ?? 'not ended';
  const differs = [...(then === now.status ? [] : ['status']), ...outputs.map(({ name }) => name)];
  const action = `${now.environment}.${now.action}`;
  return { step: began.step ?? 0, action, then, now: now.status, differs, same: differs.length === 0 };
}
