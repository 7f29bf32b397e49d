import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { rateOf, type Server, startModule } from '../processes/processes.js';
import { durationOf, median, mediansInTurns } from '../support/in-turns.js';
import { watchActivity } from '../support/process-activity.js';
import { report } from '../support/report.js';

const callers = 32;
const rounds = { count: 7, requests: 3_000 };
const rotations = { early: 10, late: 10_000, samples: 200 };

/** `path`: of the refresh of tokens. */
type Refresher = { readonly server: Server; readonly path: string };

async function start(module: string, path: string, ...variant: readonly string[]): Promise<Refresher> {
  return { path, server: await startModule(module, callers, temporaryDirectory(), ...variant) };
}

async function newSessions({ server }: Refresher, count: number): Promise<readonly string[]> {
  const { tokens } = (await server.ask(count)) as { tokens: readonly string[] }; // both servers answer so
  return tokens;
}

const headers = { 'content-type': 'application/x-www-form-urlencoded' };

type Refreshed = { readonly refresh_token: string; readonly access_token: string };

const refresh = async (refresher: Refresher, token: string): Promise<string> =>
  (await refreshed(refresher, token)).refresh_token;

async function refreshed({ server, path }: Refresher, token: string): Promise<Refreshed> {
  const body = `grant_type=refresh_token&client_id=bench&refresh_token=${token}`;
  const answer = await server.pool.request({ method: 'POST', path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`refresh answered ${answer.statusCode}: ${text}`);
  return JSON.parse(text) as Refreshed; // both servers answer so
}

async function throughput(refresher: Refresher, requests: number): Promise<number> {
  let left = requests;
  const caller = async (first: string) => {
    let token = first;
    while (left > 0) {
      left -= 1;
      token = await refresh(refresher, token);
    }
  };
  // New ones each time: the peer's memory adapter gets slower with every rotation.
  const sessions = await newSessions(refresher, callers);
  const startedAt = performance.now();
  await Promise.all(sessions.map(caller));
  return requests / ((performance.now() - startedAt) / 1_000);
}

async function compareThroughput(service: Refresher, accessTokens: 'opaque' | 'jwt', atLeast: number): Promise<void> {
  const peer = await start('oidc-provider-service', '/token', accessTokens);
  const medians = await mediansInTurns(
    { rounds: rounds.count },
    { ours: () => throughput(service, rounds.requests), peer: () => throughput(peer, rounds.requests) },
  );
  await peer.server.stop();
  report({
    figure: `POST /refresh, durable, 32 callers, against node-oidc-provider in memory with ${accessTokens} access tokens`,
    ...medians,
    unit: 'requests/s',
    target: { atLeast },
  });
}

async function checks({ server }: Refresher, path: string, accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return rateOf(callers, rounds.requests, async () => {
    const { statusCode, body } = await server.pool.request({ method: 'GET', path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
  });
}

async function compareChecks(service: Refresher): Promise<void> {
  const peer = await start('oidc-provider-service', '/token', 'userinfo');
  const accessTokenOf = async (server: Refresher): Promise<string> => {
    const [first = ''] = await newSessions(server, 1);
    return (await refreshed(server, first)).access_token;
  };
  const tokens = { ours: await accessTokenOf(service), peer: await accessTokenOf(peer) };
  const rates = { ours: [] as number[], peer: [] as number[] };
  const perCpuSecond = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round <= rounds.count; round += 1) {
    for (const side of ['ours', 'peer'] as const) {
      const server = side === 'ours' ? service : peer;
      const activity = watchActivity(server.server.pid);
      rates[side].push(await checks(server, side === 'ours' ? '/test' : '/me', tokens[side]));
      perCpuSecond[side].push((rounds.requests / activity().cpuMs) * 1_000);
    }
  }
  await peer.server.stop();
  // The callers share the two cores, and limit the rate of both.
  report({
    figure: 'GET /test, by processor time of the server, against the userinfo route of node-oidc-provider in memory',
    ours: median(perCpuSecond.ours.slice(1)),
    peer: median(perCpuSecond.peer.slice(1)),
    unit: 'requests/s of a core',
  });
  report({
    figure: 'GET /test, 32 callers, against the userinfo route of node-oidc-provider in memory',
    ours: median(rates.ours.slice(1)), // the first round is a warm-up
    peer: median(rates.peer.slice(1)),
    unit: 'requests/s',
    target: { atLeast: 1.5 },
  });
}

async function rotated(service: Refresher, first: string, times: number): Promise<string> {
  let token = first;
  for (let count = 1; count < times; count += 1) token = await refresh(service, token);
  return token;
}

async function compareAges(service: Refresher): Promise<void> {
  const [old = '', young = ''] = await newSessions(service, 2);
  const tokens = {
    late: await rotated(service, old, rotations.late),
    early: await rotated(service, young, rotations.early),
  };
  const rotate = (age: keyof typeof tokens) => () =>
    durationOf(async () => {
      tokens[age] = await refresh(service, tokens[age]);
    });
  report({
    figure: 'the 10,000th rotation of a session against its 10th, medians of 200',
    ...(await mediansInTurns(
      { rounds: rotations.samples, warmUps: 0 },
      { ours: rotate('late'), peer: rotate('early') },
    )),
    unit: 'ms',
    target: { atMost: 1.2 },
  });
}

const service = await start('refresh-service', '/refresh');
await compareThroughput(service, 'opaque', 1.5);
await compareThroughput(service, 'jwt', 1.5);
await compareChecks(service);
await compareAges(service);
await service.server.stop();
