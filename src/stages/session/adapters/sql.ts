import { z } from 'zod';
import { actionKind, type Environment } from '../environment.ts';
import { type ActionResult, done, failed } from '../observation.ts';

const MOST_ROWS = 200;
const LONGEST_VALUE = 2_000;

const querySchema = z.strictObject({
  database: z.string().min(1).max(4_096).describe('an SQLite file, relative to /work; it is made when it is not there'),
  statement: z.string().min(1).max(65_536).describe('one statement'),
  values: z
    .array(z.union([z.string(), z.number(), z.null()]))
    .max(100)
    .default([])
    .describe('for its `?`'),
  timeout_sec: z.number().positive().max(600).default(30),
});

/** Runs in the workspace like any program of the agent's: it is recorded, limited, and its answer is data. */
const PROGRAM = `
import json, sqlite3, sys
asked = json.load(sys.stdin)
def shown(value):
    if isinstance(value, bytes): value = "x'" + value.hex() + "'"
    if isinstance(value, float) and value - value != 0 or isinstance(value, int) and abs(value) > 2**53: value = str(value)
    return value[:${LONGEST_VALUE}] if isinstance(value, str) else value
try:
    connection = sqlite3.connect(asked["database"])
    with connection:
        cursor = connection.execute(asked["statement"], asked["values"])
        rows = cursor.fetchmany(${MOST_ROWS})
        more = cursor.fetchone() is not None
    answer = {"columns": [column[0] for column in cursor.description or ()], "rows": [[shown(value) for value in row] for row in rows],
              "more": more, "changed": cursor.rowcount}
except sqlite3.Error as error:
    answer = {"error": str(error)}
json.dump(answer, sys.stdout)
`;

const answerSchema = z.union([
  z.object({ error: z.string() }),
  z.object({
    columns: z.array(z.string()),
    rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
    more: z.boolean(),
    changed: z.int(),
  }),
]);

/** An SQLite database of the workspace. Needs python3 in the task's snapshot. */
export const SQL: Environment = {
  name: 'sql',
  actions: {
    query: actionKind({
      about: `runs one statement; at most ${MOST_ROWS} rows are told`,
      parameters: querySchema,
      async run(context, { timeout_sec, ...asked }) {
        const ran = await context.run({
          argv: ['/usr/bin/python3', '-I', '-B', '-c', PROGRAM],
          ...{ cwd: '/work', env: context.shell.env, wallMs: timeout_sec * 1000 },
          stdin: Buffer.from(JSON.stringify(asked)),
        });
        const outputs = [await context.show('stderr', ran.stderr)];
        return { ...answerOf(ran.stdout, ran.ending.kind), outputs };
      },
    }),
  },
};

/** What the program said; it is the workspace's word, and may be anything. */
function answerOf(stdout: Buffer, ending: string): ActionResult {
  const answer = answerSchema.safeParse(parsed(stdout));
  if (!answer.success) return failed('limit', `the statement gave no answer (${ending})`);
  return 'error' in answer.data ? failed('refused', answer.data.error.slice(0, LONGEST_VALUE)) : done(answer.data);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
