// Who may import whom; the house is described in docs/architecture.md.
const STAGES = [
  'task',
  'instance',
  'run',
  'session',
  'artifact',
  'grade',
  'signal',
  'opinion',
  'profile',
  'verdict',
  'evidence',
  'policy',
  'reward',
  'review',
  'dataset',
];
const PLATFORM = ['blobs', 'chat', 'db', 'egress', 'queue', 'recorder', 'sandbox', 'snapshots'];

const onlyFrom = (name, vendor, folder) => ({
  name,
  severity: 'error',
  comment: `${vendor} is used in ${folder} only`,
  from: { path: '^src/', pathNot: `^src/${folder}/` },
  to: { path: `node_modules/(${vendor})(/|$)` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'base-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/platform/base/' },
      to: { path: '^src/', pathNot: '^src/platform/base/' },
    },
    ...PLATFORM.map((part) => ({
      name: `platform-${part}-keeps-to-itself`,
      severity: 'error',
      from: { path: `^src/platform/${part}/` },
      to: { path: '^src/', pathNot: `^src/platform/(base|${part})/` },
    })),
    ...STAGES.map((stage, index) => ({
      name: `stage-${stage}-sees-earlier-stages-only`,
      severity: 'error',
      from: { path: `^src/stages/${stage}/` },
      to: { path: '^src/', pathNot: `^src/(platform|stages/(${STAGES.slice(0, index + 1).join('|')}))/` },
    })),
    {
      name: 'stages-do-not-queue',
      severity: 'error',
      from: { path: '^src/stages/' },
      to: { path: '^src/platform/queue/' },
    },
    {
      name: 'judging-is-pure',
      severity: 'error',
      comment: 'verdict, profile, evidence and policy can be replayed: no sandbox, no blobs',
      from: { path: '^src/stages/(verdict|profile|evidence|policy)/' },
      to: { path: '^src/platform/(sandbox|blobs|snapshots)/' },
    },
    {
      name: 'api-does-not-know-the-order-of-work',
      severity: 'error',
      from: { path: '^src/(api|web)/' },
      to: { path: '^src/(pipeline|bin|config)' },
    },
    {
      name: 'pipeline-is-not-http',
      severity: 'error',
      from: { path: '^src/pipeline/' },
      to: { path: '^src/(api|web|bin|config)' },
    },
    {
      name: 'only-bin-reads-config',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(bin/|config)' },
      to: { path: '^src/config' },
    },
    {
      name: 'only-select-driver-names-a-driver',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/sandbox/(select-driver|bubblewrap/|docker/|forkserver/)' },
      to: { path: '^src/platform/sandbox/(bubblewrap|docker|forkserver)/' },
    },
    onlyFrom('fastify-in-api-and-web', 'fastify|@fastify|fastify-type-provider-zod', '(api|web)'),
    onlyFrom('pages-in-web', 'preact|preact-render-to-string|openid-client|diff', 'web'),
    onlyFrom('pg-in-db', 'pg|@electric-sql', 'platform/db'),
    onlyFrom('bullmq-in-queue', 'bullmq|ioredis', 'platform/queue'),
    onlyFrom('dockerode-in-docker', 'dockerode', 'platform/sandbox/docker'),
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: '(^test/|\\.test\\.ts$)' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
