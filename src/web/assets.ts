import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';

/** The only files that are served as they are: ours. */
const ASSETS = [
  ['/web/app.css', 'app.css', 'text/css; charset=utf-8'],
  ['/web/app.js', 'app.mjs', 'text/javascript; charset=utf-8'],
] as const;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><path fill="#3557c7" d="M10 1 18 4v6c0 5-3.4 8-8 9-4.6-1-8-4-8-9V4z"/><path fill="none" stroke="#fff" stroke-width="2" d="m6 10 3 3 5-6"/></svg>';

/** Serves the style sheet, the script and the icon. */
export async function serveAssets(app: FastifyInstance): Promise<void> {
  for (const [url, file, type] of ASSETS) {
    const bytes = await readFile(new URL(`./assets/${file}`, import.meta.url));
    app.get(url, (_request, reply) => reply.type(type).send(bytes));
  }
  app.get('/web/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(ICON));
}
