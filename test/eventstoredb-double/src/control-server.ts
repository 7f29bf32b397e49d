import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { host } from './connections.js';
import type { Drop, Misbehaviour } from './misbehaviour.js';
import type { EventStoreDouble } from './start-double.js';

type Action = (double: EventStoreDouble, body: unknown) => unknown;

/** POST /<name> with JSON, or nothing, as its argument. It is for tests: what the body holds is believed. */
const actions: Record<string, Action> = {
  misbehave: (double, body) => double.misbehave(body as Misbehaviour),
  behave: (double) => double.behave(),
  'drop-subscriptions': (double, body) => double.dropSubscriptions(body as Drop),
  'end-subscriptions': (double) => double.endSubscriptions(),
  calls: (double) => double.calls(),
  scavenge: (double) => double.scavenge(),
  restart: (double, body) => double.restart({ keepData: true, ...(body as { keepData?: boolean }) }),
};

/** Tells a double that runs in its own process what to do. Answers `{"result": …}` when it is done. */
export async function startControlServer(double: EventStoreDouble, port: number) {
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    try {
      const action = request.method === 'POST' ? actions[(request.url ?? '').slice(1)] : undefined;
      if (action) answer(200, { result: (await action(double, await readJson(request))) ?? null });
      else answer(404, { error: `POST one of ${Object.keys(actions).join(', ')}` });
    } catch (error) {
      answer(400, { error: String(error) });
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  // A server that listens on a port has an address of this kind.
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host}:${address.port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : JSON.parse(text);
}
