// Runs in the network namespace of a sandbox: listens, passes the listener to the parent, and exits.
// Plain JavaScript, because it is started by node itself both from src/ and from dist/. See listen-inside.ts.
import { createServer } from 'node:net';

const server = createServer((socket) => socket.destroy()); // this process must not keep anybody waiting
server.on('error', (error) => {
  process.send?.({ error: error.message }, () => process.exit(1));
});
server.listen({ host: '127.0.0.1', port: Number(process.argv[2]) }, () => {
  process.send?.({ listening: true }, server);
});
process.on('message', () => process.exit(0)); // the parent has it
process.on('disconnect', () => process.exit(1)); // nobody is left to pass it to
