import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { messageOf, ProctorError } from './platform/base/errors.ts';

const port = z.coerce.number().int().min(0).max(65_535);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Every setting: its name in the environment, its shape and its meaning. `.env.example` is compared with it by a test. */
export const SETTINGS = {
  PROCTOR_DATA_DIR: {
    shape: z.string().min(1).default('./data'),
    about: 'Folder for the embedded database and the stored artifacts',
  },
  PROCTOR_STATE_DIR: {
    shape: z.string().min(1).optional(),
    about: 'Folder for running sandboxes; by default /run/proctor as root, else $XDG_RUNTIME_DIR/proctor',
  },
  PROCTOR_SNAPSHOT_DIR: {
    shape: z.string().min(1).optional(),
    about: 'Folder for built snapshots; by default /var/lib/proctor/snapshots as root, else PROCTOR_DATA_DIR/snapshots',
  },
  PROCTOR_DATABASE_URL: {
    shape: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
      .optional(),
    about: 'PostgreSQL server; without it the embedded database in PROCTOR_DATA_DIR serves',
  },
  PROCTOR_REDIS_URL: {
    shape: z
      .string()
      .regex(/^rediss?:\/\//, 'must start with redis:// or rediss://')
      .optional(),
    about: 'Redis that hands work to all workers at once; without it each looks for due work in the database',
  },
  PROCTOR_DATABASE_URL_FILE: {
    shape: z.string().min(1).optional(),
    about: 'File that holds PROCTOR_DATABASE_URL, so that no environment shows its password',
  },
  PROCTOR_REDIS_URL_FILE: {
    shape: z.string().min(1).optional(),
    about: 'File that holds PROCTOR_REDIS_URL',
  },
  PROCTOR_POLICY_DIR: {
    shape: z.string().min(1).optional(),
    about: "Folder of policy files; by default the repository's own policies/",
  },
  PROCTOR_SIGNING_KEY_FILE: {
    shape: z.string().min(1).optional(),
    about:
      'Ed25519 key (PEM, PKCS#8) that signs evidence; without it PROCTOR_DATA_DIR/signing-key.pem, made when missing',
  },
  PROCTOR_SANDBOX_DRIVER: {
    shape: z.enum(['auto', 'forkserver', 'bubblewrap', 'docker']).default('auto'),
    about: 'What makes sandboxes: auto is the fork server where it runs (root, compiled by setup), else bubblewrap',
  },
  PROCTOR_DOCKER_SOCKET: {
    shape: z.string().startsWith('/', 'must be the path of a Unix socket').default('/var/run/docker.sock'),
    about: 'Socket of the Docker engine of this machine, for PROCTOR_SANDBOX_DRIVER=docker',
  },
  PROCTOR_DOCKER_RUNTIME: {
    shape: z.string().min(1).default('runc'),
    about: 'Runtime of that engine by its name in docker info',
  },
  PROCTOR_WARM_SANDBOXES: {
    shape: z.coerce.number().int().min(0).max(512).optional(),
    about: 'Containers that may wait for the next grade; by default two for each grade in flight',
  },
  PROCTOR_SESSION_RECORDER: {
    shape: z.enum(['strace', 'none']).default('strace'),
    about: 'What records the steps of sessions; with none their records say that nothing was seen',
  },
  PROCTOR_WARM_SESSIONS: {
    shape: z.coerce.number().int().min(0).max(64).default(2),
    about: 'Workspaces of each kind that wait for the next session',
  },
  PROCTOR_GRADE_CONCURRENCY: {
    shape: z.coerce.number().int().min(1).max(256).optional(),
    about: 'Grades in flight at once; by default one for each core',
  },
  PROCTOR_HOST: { shape: z.string().min(1).default('127.0.0.1'), about: 'Address that the API listens on' },
  PROCTOR_PORT: { shape: port.default(8787), about: 'Port that the API listens on; 0 picks a free one' },
  PROCTOR_ADVERTISE_URL: {
    shape: z
      .string()
      .regex(/^https?:\/\/[^/]+$/, 'must be http://HOST:PORT without a path')
      .optional(),
    about: 'Where processes of the same PostgreSQL reach this API, so that they pass on what is for its workspaces',
  },
  PROCTOR_MAX_UPLOAD_BYTES: {
    shape: z.coerce.number().int().min(1024).max(1_073_741_824).default(33_554_432),
    about: 'Largest request body that the API takes',
  },
  PROCTOR_MAX_OPEN_SUBMISSIONS: {
    shape: z.coerce.number().int().min(1).max(10_000_000).default(20_000),
    about: 'Hand-ins that may wait for their grade; more are answered with 429 and when to come again',
  },
  PROCTOR_LOG_LEVEL: {
    shape: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    about: 'Log lines of this level and above go to standard error',
  },
  PROCTOR_METRICS_PORT: {
    shape: port.optional(),
    about:
      'Port on which a worker or a reaper shows /metrics and /healthz, on PROCTOR_HOST and without a key; else on none',
  },
  PROCTOR_METRICS_OPEN: {
    shape: flag.default(false),
    about: 'true lets /metrics be read without a key',
  },
} as const;

type Settings = { [Name in keyof typeof SETTINGS]: z.infer<(typeof SETTINGS)[Name]['shape']> };

/** The settings of one program, resolved and frozen. */
export interface Config {
  readonly dataFolder: string;
  readonly stateFolder: string;
  readonly snapshotFolder: string;
  readonly policyFolder: string;
  readonly database: { readonly url: string } | { readonly folder: string };
  /** Null: no Redis. */
  readonly redisUrl: string | null;
  /** `make`: a missing key is made; never where a setting names it. */
  readonly signingKey: { readonly path: string; readonly make: boolean };
  readonly sandboxDriver: Settings['PROCTOR_SANDBOX_DRIVER'];
  readonly docker: { readonly socketPath: string; readonly runtime: string };
  readonly sessionRecorder: Settings['PROCTOR_SESSION_RECORDER'];
  readonly warmSessions: number;
  readonly gradeConcurrency: number;
  readonly warmSandboxes: number;
  readonly host: string;
  readonly port: number;
  /** Null: no other process passes sessions on to this one. */
  readonly advertiseUrl: string | null;
  readonly maxUploadBytes: number;
  readonly maxOpenSubmissions: number;
  readonly logLevel: Settings['PROCTOR_LOG_LEVEL'];
  readonly metricsOpen: boolean;
  /** Of a worker or a reaper; null: none. */
  readonly metricsPort: number | null;
}

/** Reads the environment; all faults are reported together in one `invalid-config`. */
export function readConfig(environment: NodeJS.ProcessEnv, bundled: { policyFolder: string }): Config {
  const settings = parseSettings(withFiles(environment));
  const dataFolder = resolve(settings.PROCTOR_DATA_DIR);
  const root = process.getuid?.() === 0;
  const runtime = environment.XDG_RUNTIME_DIR || join('/tmp', `proctor-${process.getuid?.() ?? 0}`);
  if (settings.PROCTOR_REDIS_URL !== undefined && settings.PROCTOR_DATABASE_URL === undefined) {
    throw new ProctorError(
      'invalid-config',
      'settings: PROCTOR_REDIS_URL needs PROCTOR_DATABASE_URL: workers share both',
    );
  }
  const gradeConcurrency = settings.PROCTOR_GRADE_CONCURRENCY ?? cpus().length;
  return Object.freeze({
    dataFolder,
    stateFolder: resolve(settings.PROCTOR_STATE_DIR ?? (root ? '/run/proctor' : join(runtime, 'proctor'))),
    snapshotFolder: resolve(
      settings.PROCTOR_SNAPSHOT_DIR ?? (root ? '/var/lib/proctor/snapshots' : join(dataFolder, 'snapshots')),
    ),
    policyFolder: resolve(settings.PROCTOR_POLICY_DIR ?? bundled.policyFolder),
    database:
      settings.PROCTOR_DATABASE_URL === undefined
        ? { folder: join(dataFolder, 'database') }
        : { url: settings.PROCTOR_DATABASE_URL },
    redisUrl: settings.PROCTOR_REDIS_URL ?? null,
    signingKey:
      settings.PROCTOR_SIGNING_KEY_FILE === undefined
        ? { path: join(dataFolder, 'signing-key.pem'), make: true }
        : { path: resolve(settings.PROCTOR_SIGNING_KEY_FILE), make: false },
    sandboxDriver: settings.PROCTOR_SANDBOX_DRIVER,
    docker: { socketPath: settings.PROCTOR_DOCKER_SOCKET, runtime: settings.PROCTOR_DOCKER_RUNTIME },
    sessionRecorder: settings.PROCTOR_SESSION_RECORDER,
    warmSessions: settings.PROCTOR_WARM_SESSIONS,
    gradeConcurrency,
    warmSandboxes: settings.PROCTOR_WARM_SANDBOXES ?? 2 * gradeConcurrency,
    host: settings.PROCTOR_HOST,
    port: settings.PROCTOR_PORT,
    ...advertised(settings),
    maxUploadBytes: settings.PROCTOR_MAX_UPLOAD_BYTES,
    maxOpenSubmissions: settings.PROCTOR_MAX_OPEN_SUBMISSIONS,
    logLevel: settings.PROCTOR_LOG_LEVEL,
    metricsOpen: settings.PROCTOR_METRICS_OPEN,
    metricsPort: settings.PROCTOR_METRICS_PORT ?? null,
  });
}

/** What is for several processes. */
function advertised(settings: Settings): Pick<Config, 'advertiseUrl'> {
  return { advertiseUrl: settings.PROCTOR_ADVERTISE_URL ?? null };
}

function parseSettings(environment: NodeJS.ProcessEnv): Settings {
  const faults: string[] = unknownSettings(environment);
  const entries = Object.entries(SETTINGS).map(([name, { shape }]) => {
    const text = environment[name];
    const parsed = shape.safeParse(text === '' ? undefined : text);
    if (parsed.success) return [name, parsed.data] as const;
    faults.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join(', ')}`);
    return [name, undefined] as const;
  });
  if (faults.length > 0) throw new ProctorError('invalid-config', `settings: ${faults.join('; ')}`, { faults });
  return Object.fromEntries(entries) as Settings;
}

/** Settings whose values are in files: `NAME_FILE` gives `NAME`. */
const IN_FILES = ['PROCTOR_DATABASE_URL', 'PROCTOR_REDIS_URL'] as const;

function withFiles(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const read = IN_FILES.filter((name) => environment[`${name}_FILE`]).map((name) => {
    const path = environment[`${name}_FILE`] as string;
    if (environment[name]) throw new ProctorError('invalid-config', `settings: give ${name} or ${name}_FILE, not both`);
    try {
      return [name, readFileSync(path, 'utf8').trim()] as const;
    } catch (thrown) {
      throw new ProctorError('invalid-config', `settings: ${name}_FILE: ${messageOf(thrown)}`);
    }
  });
  return { ...environment, ...Object.fromEntries(read) };
}

/** Variables that are not this program's: those of its clients, and what it gives to agents. */
const OTHERS = ['PROCTOR_URL', 'PROCTOR_KEY', 'PROCTOR_INSTRUCTION'];

function unknownSettings(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('PROCTOR_') && !(name in SETTINGS) && !OTHERS.includes(name))
    .map((name) => `${name} is not a setting; see .env.example`);
}
