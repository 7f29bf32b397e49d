import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Milliseconds since 1970, by a clock that nothing sets back. */
  at: number;
};

export type TestServer = {
  origin: string;
  received: readonly Received[];
  close: () => Promise<void>;
};

/** Serves on loopback, with requests read to their end, and kept. `answer` may leave them unanswered. `keepAlive`: a connection serves several. */
export async function serve(
  answer: (response: ServerResponse, request: Received) => unknown,
  { port = 0, keepAlive = true } = {},
): Promise<TestServer> {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = incoming;
    const at = performance.timeOrigin + performance.now();
    const request = { method, path, headers, body: Buffer.concat(chunks).toString(), at };
    received.push(request);
    await answer(response, request);
  });
  if (!keepAlive) server.maxRequestsPerSocket = 1;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
