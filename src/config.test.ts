import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { SETTINGS } from './config-settings.ts';

const BUNDLED = { policyFolder: '/bundled/policies' };
const read = (environment: NodeJS.ProcessEnv) => readConfig(environment, BUNDLED);

/** The faults that a broken environment is refused with. */
function faultsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    read(environment);
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'invalid-config' });
    return (thrown as { details: { faults: string[] } }).details.faults;
  }
  throw new Error('the settings were taken');
}

test('without any setting the program serves itself alone with the embedded database', () => {
  expect(read({})).toMatchObject({
    ...{ dataFolder: resolve('./data'), policyFolder: '/bundled/policies', host: '127.0.0.1', port: 8787 },
    ...{ signingKey: { path: resolve('./data/signing-key.pem'), make: true }, redisUrl: null },
    ...{ database: { folder: resolve('./data/database') }, sandboxDriver: 'auto', logLevel: 'info' },
    ...{ docker: { socketPath: '/var/run/docker.sock', runtime: 'runc' }, warmSandboxes: 2 * cpus().length },
    ...{
      maxOpenSubmissions: 20_000,
      metricsPort: null,
      judge: null,
      gradeConcurrency: cpus().length,
      maxUploadBytes: 33_554_432,
      metricsOpen: false,
    },
  });
});

test('every setting is taken', () => {
  expect(
    read({
      ...{ PROCTOR_DATA_DIR: '/d', PROCTOR_STATE_DIR: '/s', PROCTOR_SNAPSHOT_DIR: '/n', PROCTOR_POLICY_DIR: '/p' },
      ...{ PROCTOR_DATABASE_URL: 'postgresql://u:p@h/db', PROCTOR_SANDBOX_DRIVER: 'bubblewrap', PROCTOR_PORT: '0' },
      ...{ PROCTOR_GRADE_CONCURRENCY: '3', PROCTOR_HOST: '::', PROCTOR_MAX_UPLOAD_BYTES: '1024' },
      ...{ PROCTOR_LOG_LEVEL: 'silent', PROCTOR_METRICS_OPEN: 'true', PROCTOR_SIGNING_KEY_FILE: '/k.pem' },
      ...{ PROCTOR_DOCKER_SOCKET: '/e.sock', PROCTOR_DOCKER_RUNTIME: 'crun', PROCTOR_WARM_SANDBOXES: '0' },
      ...{ PROCTOR_MAX_OPEN_SUBMISSIONS: '7', PROCTOR_METRICS_PORT: '9100', PROCTOR_SHADOW_POLICY: 'next' },
      ...{ PROCTOR_SESSION_RECORDER: 'none', PROCTOR_WARM_SESSIONS: '5', PROCTOR_ADVERTISE_URL: 'http://10.0.0.7:80' },
      ...{
        PROCTOR_MASKED_SHARE_ALARM: '0.5',
        PROCTOR_MASKED_SHARE_LEAST: '7',
        PROCTOR_WEBHOOK_ALLOW: 'One.example, ::1',
      },
      ...{ PROCTOR_MAX_ATTEMPTS: '0', PROCTOR_CALLS_PER_SECOND: '9', PROCTOR_TRAINER_DETAIL: 'flags' },
      PROCTOR_REDIS_URL: 'rediss://:secret@h:1/2',
      ...{ PROCTOR_JUDGE_URL: 'http://127.0.0.1:9/v1', PROCTOR_JUDGE_MODEL: 'm', PROCTOR_JUDGE_KEY: 'k' },
      ...{ PROCTOR_JUDGE_SHARE: '0.5', PROCTOR_JUDGE_TIMEOUT_SECONDS: '3', PROCTOR_JUDGE_PER_HOUR: '9' },
    }),
  ).toEqual({
    ...{ dataFolder: '/d', stateFolder: '/s', snapshotFolder: '/n', policyFolder: '/p' },
    ...{ publicUrl: null, oidc: null },
    ...{ database: { url: 'postgresql://u:p@h/db' }, sandboxDriver: 'bubblewrap', port: 0, gradeConcurrency: 3 },
    ...{ signingKey: { path: '/k.pem', make: false }, redisUrl: 'rediss://:secret@h:1/2' },
    ...{ docker: { socketPath: '/e.sock', runtime: 'crun' }, warmSandboxes: 0, maxOpenSubmissions: 7 },
    ...{ sessionRecorder: 'none', warmSessions: 5, advertiseUrl: 'http://10.0.0.7:80' },
    ...{ maxAttempts: 0, callsPerSecond: 9, trainerDetail: 'flags' },
    ...{ maskedShare: { most: 0.5, least: 7 }, webhookAllow: ['one.example', '::1'] },
    ...{ metricsPort: 9100, host: '::', maxUploadBytes: 1_024, logLevel: 'silent', metricsOpen: true },
    shadowPolicy: 'next',
    judge: { url: 'http://127.0.0.1:9/v1', model: 'm', key: 'k', share: 0.5, timeoutMs: 3_000, perHour: 9 },
  });
});

test('a judge needs the name of its model', () => {
  expect(() => read({ PROCTOR_JUDGE_URL: 'http://127.0.0.1:9/v1' })).toThrow('needs PROCTOR_JUDGE_MODEL');
});

test('variables of the clients and of agents are no settings, and are no mistake', () => {
  expect(read({ PROCTOR_URL: 'http://h', PROCTOR_KEY: 'k', PROCTOR_INSTRUCTION: 'do it' })).toEqual(read({}));
});

test('an empty text counts as unset, whatever the setting', () => {
  const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']));
  expect(read(empty)).toEqual(read({}));
});

test('folders are made absolute', () => {
  const { dataFolder, policyFolder, database } = read({ PROCTOR_DATA_DIR: 'here', PROCTOR_POLICY_DIR: '../there' });
  expect([dataFolder, policyFolder]).toEqual([resolve('here'), resolve('../there')]);
  expect(database).toEqual({ folder: join(resolve('here'), 'database') });
});

test.skipIf(process.getuid?.() !== 0)('as root the machine’s own folders serve (needs root)', () => {
  expect(read({ XDG_RUNTIME_DIR: '/run/user/1' })).toMatchObject({
    ...{ stateFolder: '/run/proctor', snapshotFolder: '/var/lib/proctor/snapshots' },
  });
});

test('all faults are told at once, each with its setting', () => {
  const faults = faultsOf({
    ...{ PROCTOR_PORT: '65536', PROCTOR_LOG_LEVEL: 'loud', PROCTOR_DATABASE_URL: 'mysql://h/db' },
    ...{ PROCTOR_METRICS_OPEN: 'yes', PROCTOR_DATA_DIR: '/ok' },
  });
  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    ...['PROCTOR_DATABASE_URL', 'PROCTOR_PORT', 'PROCTOR_LOG_LEVEL', 'PROCTOR_METRICS_OPEN'],
  ]);
  expect(faults[0]).toBe('PROCTOR_DATABASE_URL: must start with postgres://');
});

test('a setting that does not exist is a fault, so that a misspelt one is noticed', () => {
  expect(faultsOf({ PROCTOR_PROT: '80', PATH: '/bin', PROCTOR_PORT: 'x' })).toEqual([
    'PROCTOR_PROT is not a setting; see .env.example',
    expect.stringMatching(/^PROCTOR_PORT: /),
  ]);
});

test('settings of other programs are none of ours', () => {
  expect(read({ PORT: 'x', LOG_LEVEL: 'loud', XPROCTOR_PORT: 'y', proctor_port: 'z' })).toEqual(read({}));
});

test.each([
  ...['-1', '1.5', 'http', 'NaN', '99999', '1e9'].map((text) => ['PROCTOR_PORT', text]),
  ...['0', '257', '2.5'].map((text) => ['PROCTOR_GRADE_CONCURRENCY', text]),
  ...['1023', '1073741825', '-5'].map((text) => ['PROCTOR_MAX_UPLOAD_BYTES', text]),
  ...['TRUE', '1', 'no'].map((text) => ['PROCTOR_METRICS_OPEN', text]),
  ...['podman', 'none'].map((text) => ['PROCTOR_SANDBOX_DRIVER', text]),
  ...['tcp://h:2375', 'engine.sock'].map((text) => ['PROCTOR_DOCKER_SOCKET', text]),
])('%s=%s is refused', (name, text) => {
  const faults = faultsOf({ [name as string]: text });
  expect(faults).toHaveLength(1);
  expect(faults[0]?.startsWith(`${name}: `)).toBe(true);
});

test('the password of a database that is refused is not repeated', () => {
  expect(faultsOf({ PROCTOR_DATABASE_URL: 'mysql://me:hunter2@host/db' }).join()).not.toContain('hunter2');
});

test('a configuration cannot be changed once it is read', () => {
  expect(Object.isFrozen(read({}))).toBe(true);
});

test('Redis without PostgreSQL is refused: workers share both', () => {
  expect(() => read({ PROCTOR_REDIS_URL: 'redis://h' })).toThrow('PROCTOR_REDIS_URL needs PROCTOR_DATABASE_URL');
});

test('addresses with passwords may be in files, which is told when they cannot be read or are given twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-config-'));
  const path = join(folder, 'database');
  await writeFile(path, 'postgres://me:hunter2@h/db\n');
  expect(read({ PROCTOR_DATABASE_URL_FILE: path }).database).toEqual({ url: 'postgres://me:hunter2@h/db' });
  expect(() => read({ PROCTOR_DATABASE_URL_FILE: path, PROCTOR_DATABASE_URL: 'postgres://h/db' })).toThrow('not both');
  expect(() => read({ PROCTOR_REDIS_URL_FILE: join(folder, 'none') })).toThrow(/PROCTOR_REDIS_URL_FILE: ENOENT/);
  await rm(folder, { recursive: true });
});

const OIDC = {
  PROCTOR_OIDC_ISSUER: 'https://id.example.org',
  PROCTOR_OIDC_CLIENT_ID: 'proctor',
  PROCTOR_OIDC_CLIENT_SECRET: 'secret',
  PROCTOR_OIDC_ROLES: 'groups:graders=reviewer,email:ann@example.org=admin',
};

test('OpenID Connect is whole or not there', () => {
  const whole = { ...OIDC, PROCTOR_PUBLIC_URL: 'https://proctor.example.org' };
  expect(readConfig(whole, { policyFolder: '/p' })).toMatchObject({
    publicUrl: 'https://proctor.example.org',
    oidc: {
      issuer: 'https://id.example.org',
      roles: [
        { claim: 'groups', value: 'graders', role: 'reviewer' },
        { claim: 'email', value: 'ann@example.org', role: 'admin' },
      ],
    },
  });
  for (const name of Object.keys(whole).filter((each) => each !== 'PROCTOR_OIDC_ISSUER')) {
    expect(() => readConfig({ ...whole, [name]: undefined }, { policyFolder: '/p' })).toThrow(name);
  }
  expect(() => readConfig({ ...whole, PROCTOR_OIDC_ROLES: 'groups=admin' }, { policyFolder: '/p' })).toThrow('ROLES');
});
