import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signature, signingKey } from '../../deliveries/worker/signed-headers.js';
import { endOfNpm } from '../../service/serve.js';
import type { CommandContext } from '../context.js';
import { exitCodes, UsageError } from '../failure.js';
import { wholeNumber } from '../options.js';
import { visible } from '../output.js';
import { type ForwardOptions, forward } from './forward.js';
import { findSecretWith } from './listener-secret.js';

type Options = Partial<ForwardOptions> & { port: string; host: string; status: string };

type Received = {
  path: string;
  webhookId: string | undefined;
  signature: 'valid' | 'invalid' | 'missing' | 'not checked: give --secret';
  body: string;
};

/** Maximum age of a request by its timestamp, as Standard Webhooks recommends, so that a recorded one cannot be repeated. */
const toleranceSeconds = 5 * 60;
const maxBodyBytes = 10 * 1_048_576;

export async function listen(options: Options, context: CommandContext): Promise<void> {
  const { forwardTo, org, type, secret } = options;
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) {
    throw new UsageError('--secret must be a signing secret: whsec_ and base64');
  }
  if (forwardTo !== undefined) return forward({ forwardTo, org, type, secret }, context);
  if (org !== undefined || type !== undefined) throw new UsageError('--org and --type are for --forward-to');
  const port = wholeNumber('--port', options.port, 0, 65_535);
  const status = wholeNumber('--status', options.status, 200, 599);
  const findSecret = findSecretWith(context.local, secret);

  const server = createServer(async (request, response) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      response.end('flow-hooks listens: a listener receives POST requests\n'); // a health check
      return;
    }
    try {
      const body = await readBody(request);
      const url = `http://${request.headers.host ?? ''}${request.url ?? '/'}`;
      print(context, verifyRequest(request, body, await findSecret(body, url)));
      response.writeHead(status).end();
    } catch (error) {
      process.stderr.write(`flow-hooks: ${error instanceof Error ? error.message : String(error)}\n`);
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, options)));
    server.listen(port, options.host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo; // it listens on TCP
  if (!context.output.json)
    context.output.write(`listening: register http://${options.host}:${bound}/hook as a hook URL`);
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  await Promise.race([signalled, endOfNpm()]);
  server.close();
  server.closeAllConnections();
  process.exitCode = exitCodes.done;
}

/** Converts an error of the address or port to a `UsageError` that names the option. */
function listenError(error: NodeJS.ErrnoException, { host, port }: Options): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new UsageError(`port ${port} is in use: choose another --port`);
    case 'EACCES':
      return new UsageError(`port ${port} is for privileged users: choose another --port`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UsageError(`--host ${host} is not an address of this machine`);
    default:
      return error;
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error(`a request of more than ${maxBodyBytes} bytes was refused`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function verifyRequest({ headers, url = '/' }: IncomingMessage, body: string, secret: string | undefined): Received {
  const webhookId = headers['webhook-id'] as string | undefined; // Node joins repeated ones
  const sent = headers['webhook-signature'] as string | undefined;
  const timestamp = Number(headers['webhook-timestamp']);
  const verdict = (): Received['signature'] => {
    if (webhookId === undefined || sent === undefined) return 'missing';
    if (secret === undefined) return 'not checked: give --secret';
    const isRecent = Math.abs(Date.now() / 1_000 - timestamp) <= toleranceSeconds;
    const expected = signature(signingKey(secret), { id: webhookId, timestamp, body });
    return isRecent && sent.split(' ').includes(expected) ? 'valid' : 'invalid';
  };
  return { path: url, webhookId, signature: verdict(), body };
}

function print({ output }: CommandContext, received: Received): void {
  if (output.json) {
    output.write(JSON.stringify(received));
  } else {
    const { webhookId = 'a request', path, signature: verdict, body } = received;
    output.write(visible(`received ${webhookId} at ${path}, signature ${verdict}`));
    output.write(`  ${visible(body)}`);
  }
}
