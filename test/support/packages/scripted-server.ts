import type { ServerResponse } from 'node:http';
import { type Received, serve, type TestServer } from '../serve.js';

export type Answer = (response: ServerResponse, request: Received) => void;

/** A server that answers each request with the next of these; all that follow with the last one. */
export async function startScriptedServer(...answers: readonly Answer[]): Promise<TestServer> {
  let requests = 0;
  return serve((response, request) => {
    requests += 1;
    answers[Math.min(requests, answers.length) - 1]?.(response, request);
  });
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
