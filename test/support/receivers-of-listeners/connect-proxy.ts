import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export type ConnectProxy = {
  /** URL with the required credentials, if there are any. */
  url: string;
  /** Requested targets: `host:port`, as they were sent. */
  asked: readonly string[];
  /** Sets the answer: a status, or nothing at all. 200 opens tunnels. */
  answer: (status: number | 'nothing') => void;
  close: () => Promise<void>;
};

/** A proxy for HTTP CONNECT. It reaches each name and address of `hosts` at the other address. */
export async function startConnectProxy({
  credentials,
  hosts = {},
  port = 0,
}: {
  /** `user:password` */
  credentials?: string;
  hosts?: Readonly<Record<string, string>>;
  port?: number;
} = {}): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let status: number | 'nothing' = 200;
  const expected = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '', headers }, near: Socket) => {
    sockets.add(near.on('error', () => near.destroy()));
    asked.push(url);
    if (status === 'nothing') return;
    const answered = expected !== undefined && headers['proxy-authorization'] !== expected ? 407 : status;
    if (answered !== 200) {
      near.end(`HTTP/1.1 ${answered} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const far = connect({ host: hosts[hostname] ?? hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) }, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    sockets.add(far.on('error', () => near.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://${credentials === undefined ? '' : `${credentials.split(':').map(encodeURIComponent).join(':')}@`}127.0.0.1:${listening}`,
    asked,
    answer: (next) => {
      status = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
