import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { temporaryDirectory } from '../test/support/temporary-directory.js';

const callers = 32;
const rounds = { count: 7, requests: 3_000 };
const rotations = { early: 10, late: 10_000, samples: 200 };

type Server = {
  /** Where tokens are refreshed. */
  readonly path: string;
  readonly pool: Pool;
  /** The refresh tokens of that many new sessions. */
  readonly newSessions: (count: number) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
};

type Module = './refresh-service.js' | './oidc-provider-service.js';

async function start(module: Module, path: string, ...variant: readonly string[]): Promise<Server> {
  const modulePath = fileURLToPath(new URL(module, import.meta.url));
  const child: ChildProcess = fork(modulePath, [temporaryDirectory(), ...variant], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`${module} ended with ${code}`);
  });
  const [{ origin }] = (await once(child, 'message')) as [{ origin: string }];
  const pool = new Pool(origin, { connections: callers });
  return {
    path,
    pool,
    async newSessions(count) {
      child.send(count);
      const [{ tokens }] = (await once(child, 'message')) as [{ tokens: readonly string[] }];
      return tokens;
    },
    async stop() {
      await pool.close();
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

const headers = { 'content-type': 'application/x-www-form-urlencoded' };

/** The successor of a refresh token. */
async function refresh({ pool, path }: Server, token: string): Promise<string> {
  const body = `grant_type=refresh_token&client_id=bench&refresh_token=${token}`;
  const answer = await pool.request({ method: 'POST', path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`refresh answered ${answer.statusCode}: ${text}`);
  return (JSON.parse(text) as { refresh_token: string }).refresh_token;
}

/** Requests a second, from all callers together, each with a session of its own. */
async function throughput(server: Server, requests: number): Promise<number> {
  let left = requests;
  const caller = async (first: string) => {
    let token = first;
    while (left > 0) {
      left -= 1;
      token = await refresh(server, token);
    }
  };
  // New ones each time: the peer's memory adapter gets slower with every rotation of a session.
  const sessions = await server.newSessions(callers);
  const startedAt = performance.now();
  await Promise.all(sessions.map(caller));
  return requests / ((performance.now() - startedAt) / 1_000);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function compareThroughput(service: Server, accessTokens: 'opaque' | 'jwt'): Promise<void> {
  const peer = await start('./oidc-provider-service.js', '/token', accessTokens);
  const rates = { ours: [] as number[], peer: [] as number[] };
  for (const server of [service, peer]) await throughput(server, rounds.requests); // warm-up
  for (let round = 0; round < rounds.count; round += 1) {
    rates.ours.push(await throughput(service, rounds.requests));
    rates.peer.push(await throughput(peer, rounds.requests));
  }
  await peer.stop();
  report({
    figure: `POST /refresh, durable, 32 callers, against node-oidc-provider in memory with ${accessTokens} access tokens`,
    ours: median(rates.ours),
    peer: median(rates.peer),
    unit: 'requests/s',
    target: 1.5,
  });
}

async function compareAges(service: Server): Promise<void> {
  const [old = '', young = ''] = await service.newSessions(2);
  const tokens = {
    late: await rotated(service, old, rotations.late),
    early: await rotated(service, young, rotations.early),
  };
  const durations = { late: [] as number[], early: [] as number[] };
  for (let sample = 0; sample < rotations.samples; sample += 1) {
    for (const age of ['early', 'late'] as const) {
      const startedAt = performance.now();
      tokens[age] = await refresh(service, tokens[age]);
      durations[age].push(performance.now() - startedAt);
    }
  }
  report({
    figure: 'the 10,000th rotation of a session against its 10th (at most)',
    ours: median(durations.late),
    peer: median(durations.early),
    unit: 'ms',
    target: 1.2,
  });
}

async function rotated(service: Server, first: string, times: number): Promise<string> {
  let token = first;
  for (let count = 1; count < times; count += 1) token = await refresh(service, token);
  return token;
}

type Figure = {
  readonly figure: string;
  readonly ours: number;
  readonly peer: number;
  readonly unit: string;
  readonly target: number;
};

function report({ figure, ours, peer, unit, target }: Figure): void {
  const rounded = (value: number) => Number(value.toPrecision(3));
  const line = { figure, ratio: rounded(ours / peer), ours: rounded(ours), peer: rounded(peer), unit, target };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const service = await start('./refresh-service.js', '/refresh');
await compareThroughput(service, 'opaque');
await compareThroughput(service, 'jwt');
await compareAges(service);
await service.stop();
