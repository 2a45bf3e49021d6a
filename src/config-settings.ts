import { z } from 'zod';
import { WEB_SETTINGS } from './config-web.ts';

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
  PROCTOR_SHADOW_POLICY: {
    shape: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,40}$/, 'must be the name of a policy file, without .yaml')
      .optional(),
    about:
      'Policy that decides beside the live one, for comparison only (proctor policy shadow); no reward rests on it',
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
  PROCTOR_JUDGE_URL: {
    shape: z
      .string()
      .regex(/^https?:\/\/[^?#]*[^/?#]$/, 'must be http:// or https:// without a slash at its end')
      .optional(),
    about: 'Endpoint of a language model (OpenAI chat completions) that is asked about sessions; without it none is',
  },
  PROCTOR_JUDGE_MODEL: { shape: z.string().min(1).max(200).optional(), about: 'Name of that model' },
  PROCTOR_JUDGE_KEY: { shape: z.string().min(1).optional(), about: 'Key of that endpoint' },
  PROCTOR_JUDGE_KEY_FILE: { shape: z.string().min(1).optional(), about: 'File that holds PROCTOR_JUDGE_KEY' },
  PROCTOR_JUDGE_SHARE: {
    shape: z.coerce.number().min(0).max(1).default(1),
    about: 'Share of the sessions that it is asked about',
  },
  PROCTOR_JUDGE_TIMEOUT_SECONDS: {
    shape: z.coerce.number().min(1).max(300).default(20),
    about: 'How long an answer of it is waited for',
  },
  PROCTOR_JUDGE_PER_HOUR: {
    shape: z.coerce.number().int().min(1).max(1_000_000).default(1_000),
    about: 'Sessions that it is asked about in an hour, by all processes together',
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
  PROCTOR_MAX_ATTEMPTS: {
    shape: z.coerce.number().int().min(0).max(1_000_000).default(10_000),
    about: 'Hand-ins that one instance takes from callers; 0 for any number',
  },
  PROCTOR_CALLS_PER_SECOND: {
    shape: z.coerce.number().int().min(0).max(1_000_000).default(2_000),
    about: 'Calls that each key may make of one process, ten seconds of them at once; 0 for any number',
  },
  PROCTOR_TRAINER_DETAIL: {
    shape: z.enum(['none', 'flags', 'full']).default('full'),
    about:
      'What trainer keys are told beside the reward: none, flags (with integrity), or full (with reasons and verdicts)',
  },
  PROCTOR_MASKED_SHARE_ALARM: {
    shape: z.coerce.number().min(0).max(1).default(0.01),
    about:
      'Share of masked rewards among the newest 1,000 hand-ins of a run above which an alarm is raised; 1 for never',
  },
  PROCTOR_MASKED_SHARE_LEAST: {
    shape: z.coerce.number().int().min(1).max(1_000).default(100),
    about: 'Rewards that a run must have before its masked share is looked at',
  },
  PROCTOR_WEBHOOK_ALLOW: {
    shape: z
      .string()
      .default('')
      .transform((text) =>
        text
          .split(',')
          .map((host) => host.trim().toLowerCase())
          .filter((host) => host !== ''),
      ),
    about: 'Hosts, separated by commas, that webhooks may reach without TLS, on this machine and in private networks',
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
  ...WEB_SETTINGS,
} as const;

/** Their values, each by its shape. */
export type Settings = { [Name in keyof typeof SETTINGS]: z.infer<(typeof SETTINGS)[Name]['shape']> };
