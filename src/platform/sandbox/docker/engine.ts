import type Docker from 'dockerode';
import { messageOf, ProctorError } from '../../base/errors.ts';
import type { IsolationTier } from '../sandbox.ts';

/** How long the engine may take for one request; starting a container on a busy machine takes seconds. */
const REQUEST_MS = 60_000;

/** What an engine says of itself. */
export interface EngineFacts {
  readonly version: string;
  readonly runtimes: readonly string[];
  /** Whether it maps the uids of containers to others (`userns-remap`). */
  readonly remapsUsers: boolean;
}

/** One Docker engine of this machine. */
export interface Engine {
  /** Asks for something; what goes wrong is `sandbox-failed`, with what the engine said. */
  ask<T>(what: string, request: (docker: Docker) => Promise<T>, withinMs?: number): Promise<T>;
  facts(): Promise<EngineFacts>;
}

/** Speaks to the engine at a socket; nothing is asked before the first request. */
export function openEngine(socketPath: string): Engine {
  let client: Promise<Docker> | null = null;
  // it takes a fifth of a second to load, so only who uses it waits for it
  const connect = () => {
    client ??= import('dockerode').then(({ default: Client }) => new Client({ socketPath }));
    return client;
  };
  const engine: Engine = {
    async ask(what, request, withinMs = REQUEST_MS) {
      const docker = await connect();
      return inTime(request(docker), withinMs).catch((cause) => {
        throw engineError({ what, socketPath, cause });
      });
    },
    facts: () => engine.ask('tell about itself', async (docker) => factsOf(await docker.info())),
  };
  return engine;
}

function factsOf(info: { ServerVersion?: string; Runtimes?: object; SecurityOptions?: string[] }): EngineFacts {
  return {
    version: info.ServerVersion ?? 'unknown',
    runtimes: Object.keys(info.Runtimes ?? {}),
    remapsUsers: (info.SecurityOptions ?? []).some((option) => option.startsWith('name=userns')),
  };
}

async function inTime<T>(request: Promise<T>, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${withinMs / 1000} s`)), withinMs);
  });
  return Promise.race([request, late]).finally(() => clearTimeout(timer));
}

/** The status code of an answer of the engine's, or null. */
export function statusOf(thrown: unknown): number | null {
  const cause = thrown instanceof ProctorError ? thrown.cause : thrown;
  const status = (cause as { statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === 'number' ? status : null;
}

function engineError({ what, socketPath, cause }: { what: string; socketPath: string; cause: unknown }): ProctorError {
  const message = messageOf(cause);
  const isAway = /ENOENT|ECONNREFUSED|EACCES|ECONNRESET|socket hang up/.test(message);
  const mend = 'start dockerd, or set PROCTOR_DOCKER_SOCKET to its socket';
  const text = isAway
    ? `the Docker engine at ${socketPath} does not answer (${message}); ${mend}`
    : `the Docker engine could not ${what}: ${message}`;
  return new ProctorError('sandbox-failed', text, { status: statusOf(cause) }, { cause });
}

/** What a runtime gives, by the names under which they are usually registered (`runtimes` in daemon.json). */
const TIERS: readonly (readonly [RegExp, IsolationTier])[] = [
  [/runsc|gvisor/, 'user-space-kernel'],
  [/kata|firecracker/, 'micro-vm'],
];

/** How strong a runtime isolates; unknown ones are taken for what every runtime gives. */
export function tierOf(runtime: string): IsolationTier {
  return TIERS.find(([pattern]) => pattern.test(runtime))?.[1] ?? 'container';
}
