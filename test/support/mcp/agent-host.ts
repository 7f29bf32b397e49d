import { Webhook } from 'standardwebhooks';
import { serve } from '../serve.js';
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
  const server = await serve((response, { path, body: text, headers: received }) => {
    const headers = received as Record<string, string>; // each occurs once
    try {
      new Webhook(secret).verify(text, headers);
    } catch {
      return response.writeHead(401).end();
    }
    const body = JSON.parse(text) as Verification | Terminated | Gap | Occurrence;
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
  return {
    url: `${server.origin}/hook`,
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
    close: server.close,
  };
}

export type AgentHost = Awaited<ReturnType<typeof startAgentHost>>;
