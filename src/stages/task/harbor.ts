import { z } from 'zod';

const seconds = z.number().positive().max(86_400);

/**
 * The part of `task.toml` that Harbor defines (schema_version 1.x). What Proctor uses is typed; the rest of Harbor's
 * fields are kept as they are, and fields that Harbor does not have are kept and warned about.
 */
export const harborSchema = z.looseObject({
  schema_version: z.string().optional(),
  version: z.string().optional(),
  task: z
    .looseObject({
      name: z
        .string()
        .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)?$/, 'must be NAME or ORGANISATION/NAME')
        .max(120)
        .optional(),
      description: z.string().optional(),
      keywords: z.array(z.string()).optional(),
    })
    .prefault({}),
  metadata: z.record(z.string(), z.unknown()).default({}),
  agent: z.looseObject({ timeout_sec: seconds.default(600) }).prefault({}),
  verifier: z.looseObject({ timeout_sec: seconds.default(60) }).prefault({}),
  environment: z
    .looseObject({
      cpus: z.number().positive().max(64).default(1),
      memory_mb: z.int().min(16).max(262_144).default(512),
      storage_mb: z.int().min(1).max(262_144).default(256),
      allow_internet: z.boolean().default(false),
      docker_image: z.string().optional(),
    })
    .prefault({}),
  artifacts: z.array(z.union([z.string(), z.looseObject({ source: z.string() })])).default([]),
});

/** Harbor's own field names by table (`''` is the top level), beside those that the schema names. */
const HARBOR_FIELDS: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['schema_version', 'version', 'source', 'task', 'metadata', 'agent', 'verifier', 'environment', 'solution'],
    ...['artifacts', 'steps', 'multi_step_reward_strategy', 'proctor'],
  ],
  task: ['name', 'description', 'keywords', 'authors', 'version'],
  agent: ['timeout_sec', 'user', 'env'],
  verifier: ['timeout_sec', 'user', 'env', 'environment_mode', 'environment', 'collect'],
  environment: [
    ...['build_timeout_sec', 'docker_image', 'cpus', 'memory_mb', 'storage_mb', 'memory', 'storage', 'gpus'],
    ...['gpu_types', 'allow_internet', 'network_mode', 'mcp_servers', 'env', 'healthcheck', 'workdir', 'os'],
    ...['skills_dir', 'user', 'tpu'],
  ],
  solution: ['env'],
};

/** Fields of `task.toml` that neither Harbor nor Proctor knows, as dotted names. */
export function unknownHarborFields(raw: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(HARBOR_FIELDS).flatMap(([table, known]) => {
    const fields = table === '' ? raw : raw[table];
    if (typeof fields !== 'object' || fields === null) return [];
    return Object.keys(fields)
      .filter((name) => !known.includes(name))
      .map((name) => (table === '' ? name : `${table}.${name}`));
  });
}
