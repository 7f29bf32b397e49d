import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A hook in a process of its own: reads what is posted and answers 200. Tells its parent where it listens. */
const server = createServer((request, response) => {
  request.resume().on('end', () => response.end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  process.send?.({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
process.once('disconnect', () => process.exit(0));
