import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

export type Server = {
  origin: string;
  pid: number | undefined;
  pool: Pool;
  /** Sends a value to the process and resolves with its next answer. */
  ask: (value: number) => Promise<unknown>;
  stop: () => Promise<void>;
};

/** The module sends `{ origin }` once it listens, and ends when disconnected. */
export async function startModule(name: string, connections: number, ...args: readonly string[]): Promise<Server> {
  const child = fork(fileURLToPath(new URL(`./${name}.js`, import.meta.url)), args, {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`${name} ended with ${code}`);
  });
  const [{ origin }] = (await once(child, 'message')) as [{ origin: string }];
  const pool = new Pool(origin, { connections });
  return {
    origin,
    pid: child.pid,
    pool,
    async ask(value) {
      child.send(value);
      const [answer] = await once(child, 'message');
      return answer;
    },
    async stop() {
      await pool.close();
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Runs what `npm start` does, on a free port; on the embedded store unless the settings name another. */
export async function startService(
  dataDirectory: string,
  connections: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<Omit<Server, 'ask'>> {
  const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  const embedded = { EVENTSTOREDB_URL: '', MONGODB_URL: '', DATA_DIR: dataDirectory };
  const env = { ...process.env, NODE_ENV: 'production', MODE: 'development', PORT: '0', ...embedded, ...settings };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (/serving on \S+\s/.test(printed)) break;
  }
  const origin = /serving on (\S+)/.exec(printed)?.[1];
  if (origin === undefined) throw new Error(`the service did not start: ${printed}`);
  const pool = new Pool(origin, { connections });
  return {
    origin,
    pid: child.pid,
    pool,
    async stop() {
      await pool.close();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export async function untilReady({ pool }: Pick<Server, 'pool'>): Promise<void> {
  for (;;) {
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/readyz' });
    await body.dump();
    if (statusCode === 200) return;
    await pause(50);
  }
}

/** Calls per second, numbered from 0. */
export async function rateOf(
  callers: number,
  count: number,
  request: (number: number) => Promise<void>,
): Promise<number> {
  let begun = 0;
  const caller = async () => {
    while (begun < count) {
      begun += 1;
      await request(begun - 1);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  return count / ((performance.now() - startedAt) / 1_000);
}

type Post = {
  path: string;
  body: string;
  expected: number;
  headers?: Readonly<Record<string, string>>;
};

/** Resolves with the answer's text; throws for another status than `expected`. */
export async function post({ pool }: Pick<Server, 'pool'>, { path, body, expected, headers }: Post): Promise<string> {
  const all = { 'content-type': 'application/json', ...headers };
  const answer = await pool.request({ method: 'POST', path, headers: all, body });
  const text = await answer.body.text();
  if (answer.statusCode !== expected) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
  return text;
}
