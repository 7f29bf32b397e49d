import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A bare `node:http` server of static pages in memory: `/{bytes}` is one of this size. */
const pages = new Map<string, Buffer>();

function pageOf(path: string): Buffer {
  const page = pages.get(path) ?? Buffer.alloc(Number(path.slice(1)), 'x');
  pages.set(path, page);
  return page;
}

const server = createServer(({ url = '/0' }, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(pageOf(url));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  process.send?.({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
process.once('disconnect', () => process.exit(0));
