import { Agent, request } from 'node:http';

/** Posts bodies (JSON) to `POST /v1/rewards` over kept connections, and gives the first item of each answer; rejects when it is none. */
export function openPoster(
  { url, key }: { readonly url: string; readonly key: string },
  maxSockets: number,
): (body: string) => Promise<{ status: string; reward: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return (body) =>
    new Promise((resolve, reject) => {
      const sent = request(`${url}/v1/rewards`, { method: 'POST', agent, headers }, (reply) => {
        let text = '';
        reply.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        reply.on('end', () => {
          try {
            resolve(JSON.parse(text).items[0]);
          } catch {
            reject(new Error(`${reply.statusCode} ${text.slice(0, 100)}`));
          }
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
}
