import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { until } from '../until.js';

type Occurrence = { eventId: string; name: string; timestamp: string; data: Record<string, unknown> };

type Posted<Body> = { path: string; headers: Readonly<Record<string, string>>; body: Body };

type Verification = { type: 'verification'; challenge: string };
type Gap = { type: 'gap'; cursor: string };
type Terminated = { type: 'terminated'; error: { code: number; message: string; data: object } };

/** The callback of an agent's host: each request is verified with the secret, and challenges are returned. */
export async function startAgentHost() {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const events: Posted<Occurrence>[] = [];
  const verifications: Posted<Verification>[] = [];
  const terminated: Posted<Terminated>[] = [];
  const gaps: Posted<Gap>[] = [];
  let challengeAnswer = (challenge: string): string | undefined => JSON.stringify({ challenge });
  let status = 204;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>; // each occurs once
    try {
      new Webhook(secret).verify(text, headers);
    } catch {
      return response.writeHead(401).end();
    }
    const body = JSON.parse(text) as Verification | Terminated | Gap | Occurrence;
    const path = request.url ?? '';
    if (!('type' in body)) {
      events.push({ path, headers, body });
      return response.writeHead(status).end();
    }
    if (body.type === 'terminated') {
      terminated.push({ path, headers, body });
      return response.writeHead(204).end();
    }
    if (body.type === 'gap') {
      gaps.push({ path, headers, body });
      return response.writeHead(204).end();
    }
    verifications.push({ path, headers, body });
    const answer = challengeAnswer(body.challenge);
    if (answer === undefined) return undefined; // never
    return response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret,
    events,
    verifications,
    terminated,
    gaps,
    answerChallenges(by: typeof challengeAnswer) {
      challengeAnswer = by;
    },
    answerEvents(by: number) {
      status = by;
    },
    has: (count: number) => until(() => events.length >= count, `${count} events`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type AgentHost = Awaited<ReturnType<typeof startAgentHost>>;
