import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type LossyService = {
  origin: string;
  requests: () => number;
  close: () => Promise<void>;
};

/** Hands requests on to a service, and closes the connection instead of giving its first answer. */
export async function startLossyService(target: string): Promise<LossyService> {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests += 1;
    const isFirst = requests === 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization = '', orgid = '' } = request.headers;
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, orgid: `${orgid}`, 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
    });
    const text = await answer.text();
    if (isFirst) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
