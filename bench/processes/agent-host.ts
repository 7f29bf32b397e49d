import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Callback of an agent's host at the address given, which answers challenges. Asked anything, it sends the number of posts so far. */
const [host = '127.0.0.1'] = process.argv.slice(2);
let posts = 0;
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  posts += 1;
  const { challenge } = JSON.parse(body) as { challenge?: string };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ challenge }));
});
server.keepAliveTimeout = 60_000;
server.listen(0, host, () => {
  process.send?.({ origin: `http://${host}:${(server.address() as AddressInfo).port}` });
});
process.on('message', () => process.send?.(posts));
process.once('disconnect', () => process.exit(0));
