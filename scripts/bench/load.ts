// Calls POST /v1/rewards with a hand-in at a fixed rate, whatever becomes of the calls before (open loop), and prints what came
// of them. For bench-http.ts: node --import tsx load.ts URL KEY INSTANCE FILE PATH RATE SECONDS
import { readFileSync } from 'node:fs';
import { openPoster } from './post-rewards.ts';

const [url = '', key = '', instanceId = '', file = '', path = '', rate = '35', seconds = '60'] = process.argv.slice(2);
const content = readFileSync(file, 'utf8');
const post = openPoster({ url, key }, 512);

function call(id: string): Promise<{ status: string; reward: number }> {
  const item = { id, instance_id: instanceId, artifact: { files: [{ path, content }] } };
  return post(JSON.stringify({ items: [item], deadline_ms: 60_000 }));
}

const count = Math.round(Number(rate) * Number(seconds));
const latencies: number[] = [];
const outcomes: Record<string, number> = {};
const startedMs = performance.now();
let lateMs = 0;
await Promise.all(
  Array.from({ length: count }, async (_, index) => {
    const dueMs = startedMs + (index / Number(rate)) * 1000;
    await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
    lateMs = Math.max(lateMs, performance.now() - dueMs);
    const outcome = await call(String(index)).then(
      ({ status, reward }) => `${status} ${reward}`,
      (thrown) => `error ${String(thrown)}`,
    );
    latencies.push(performance.now() - dueMs); // with the time that it waited to be sent
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }),
);
const totalMs = performance.now() - startedMs;
console.log(JSON.stringify({ latencies, outcomes, totalMs, lateMs }));
