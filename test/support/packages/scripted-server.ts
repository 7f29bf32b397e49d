import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type ScriptedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Milliseconds, of a monotonic clock. */
  at: number;
};

export type Answer = (response: ServerResponse, request: ScriptedRequest) => void;

export type ScriptedServer = {
  origin: string;
  requests: readonly ScriptedRequest[];
  close: () => Promise<void>;
};

/** A server that answers each request with the next of these; all that follow with the last one. */
export async function startScriptedServer(...answers: readonly Answer[]): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: Buffer.concat(chunks).toString(), at };
    requests.push(request);
    answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Answers with an error of the service. */
export const refusal = (status: number, error: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  json(status, { error, message: `message of ${error}`, requestId: 'request-1' }, headers);

/** Answers a batch: all events are accepted. */
export const acceptBatch: Answer = (response, request) => {
  const events = JSON.parse(request.body) as readonly { id: string }[];
  const results = events.map(({ id }) => ({ id, status: 'accepted' }));
  json(202, { accepted: results.length, rejected: 0, results })(response, request);
};
