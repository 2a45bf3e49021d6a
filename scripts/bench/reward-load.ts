// Calls POST /v1/rewards once for each line of ITEMS (JSON Lines of items), and prints what came of them. For bench-rewards.ts:
// node --import tsx reward-load.ts URL KEY ITEMS CONNECTIONS RATE; RATE 0: as fast as the connections take them, else an open loop.
import { readFileSync } from 'node:fs';
import { openPoster } from './post-rewards.ts';

const [url = '', key = '', itemsFile = '', connections = '64', rate = '0'] = process.argv.slice(2);
const items = readFileSync(itemsFile, 'utf8').trim().split('\n');
const post = openPoster({ url, key }, Number(connections));
const call = (item: string) => post(`{"deadline_ms": 300000, "items": [${item}]}`);

const latencies: number[] = [];
const outcomes: Record<string, number> = {};
const startedMs = performance.now();
await Promise.all(
  items.map(async (item, index) => {
    const dueMs = startedMs + (Number(rate) === 0 ? 0 : (index / Number(rate)) * 1000);
    if (Number(rate) > 0) await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
    const outcome = await call(item).then(
      ({ status, reward }) => `${status} ${reward}`,
      (thrown) => `error ${String(thrown)}`,
    );
    latencies.push(performance.now() - dueMs); // with the time that it waited for a connection
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }),
);
console.log(JSON.stringify({ latencies, outcomes, totalMs: performance.now() - startedMs }));
