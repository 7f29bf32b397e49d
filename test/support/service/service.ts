import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { answerCheck } from '../api-description/answer-check.js';
import { ownEnvironment } from '../own-environment.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { watchService } from './running-services.js';

const compiled = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
/**
 * Flags with which it starts in two thirds of the time: no restart with bounded memory (`bounded-memory.service.test.ts` shows that), and
 * few collections.
 */
const flags = ['--max-semi-space-size=32', '--min-semi-space-size=32'];
const startLimitMs = 120_000;
/** Time that platforms wait for an answer; a test process that is short of processors adds to it. */
const answerLimitMs = 60_000;

const children = new Set<ChildProcess>();
// Before its directory is removed.
process.prependOnceListener('exit', () => {
  for (const child of children) child.kill('SIGKILL'); // none outlives the tests, also after an error
});

export type ReachableService = {
  /** The organisation of the steps of a journey that name no other; `acme` if it is missing. */
  orgId?: string;
  /** A request to it, with the body as JSON where one is given. */
  fetch: (path: string, options?: RequestOptions) => Promise<{ status: number; headers: Headers; body: unknown }>;
};

export type RunningService = ReachableService & {
  origin: string;
  port: number;
  dataDirectory: string;
  pid: number;
  /** All that it has printed so far. */
  printed: () => string;
};

export type ServiceProcess = RunningService & {
  /** Sends the signal and waits for its end. */
  stop: (signal?: NodeJS.Signals) => Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

type RequestOptions = {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  form?: Readonly<Record<string, string>>;
  redirect?: 'manual' | 'follow';
};

/** Starts the service as its own process, on a free port, and waits until it serves. */
export async function startService({
  dataDirectory = temporaryDirectory(),
  environment = {},
  maxDescriptors,
  main = compiled,
}: {
  dataDirectory?: string;
  environment?: Readonly<Record<string, string>>;
  /** Maximum number of file descriptors of the process (`ulimit -n`). */
  maxDescriptors?: number;
  /** The program, where it is not that of this project. */
  main?: string;
} = {}): Promise<ServiceProcess> {
  const command: readonly [string, ...string[]] =
    maxDescriptors === undefined
      ? [process.execPath, ...flags, main]
      : ['/bin/sh', '-c', `ulimit -n ${maxDescriptors} && exec "$0" "$@"`, process.execPath, ...flags, main];
  const [program, ...args] = command;
  const child = spawn(program, args, {
    env: { ...ownEnvironment(), PORT: '0', DATA_DIR: dataDirectory, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const keep = (chunk: Buffer) => {
    printed += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  children.add(child);
  child.once('exit', () => children.delete(child));
  const origin = await firstOrigin(child, () => printed);
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const pid = child.pid ?? 0;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  watchService({ pid, origin, printed: () => printed, isRunning });
  return {
    origin,
    port: Number(new URL(origin).port),
    dataDirectory,
    pid,
    printed: () => printed,
    ...serviceAt(origin, environment),
    async stop(signal = 'SIGTERM') {
      if (isRunning()) child.kill(signal);
      const [code, endedBy] = await ended;
      return { code, signal: endedBy };
    },
  };
}

/** A service that another program has started. Each answer is compared with the API description, and a difference is an error. */
export function serviceAt(origin: string, environment?: Readonly<Record<string, string>>): ReachableService {
  const check = answerCheck(environment);
  return {
    async fetch(path, options = {}) {
      const answer = await request(origin, path, options);
      const contentType = answer.headers.get('content-type');
      check({ method: methodOf(options), path, status: answer.status, contentType, body: answer.body });
      return answer;
    },
  };
}

/** Runs the service where it should not come up. Resolves to its exit code and what it printed on standard error. */
export async function startRefused(
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, [...flags, compiled], {
    env: { ...ownEnvironment(), PORT: '0', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), startLimitMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  return { code, printed };
}

function firstOrigin(child: ChildProcess, printed: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(limit);
      child.kill('SIGKILL');
      reject(new Error(`the service did not start: ${why}\n${printed()}`));
    };
    const limit = setTimeout(() => fail(`not within ${startLimitMs} ms`), startLimitMs);
    const ended = (code: number | null) => fail(`it ended with ${code}`);
    child.once('exit', ended);
    const look = () => {
      const found = /serving on (http:\/\/\S+)/.exec(printed())?.[1];
      if (found === undefined) return;
      clearTimeout(limit);
      child.off('exit', ended);
      child.stdout?.off('data', look);
      resolve(found);
    };
    child.stdout?.on('data', look);
  });
}

const methodOf = ({ method, json, form }: RequestOptions): string =>
  method ?? (json !== undefined || form !== undefined ? 'POST' : 'GET');

async function request(origin: string, path: string, options: RequestOptions) {
  const { json, form, headers, redirect = 'manual' } = options;
  const body = json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form) : undefined;
  const response = await fetch(`${origin}${path}`, {
    redirect,
    signal: AbortSignal.timeout(answerLimitMs), // a service that hangs is a failure that names what was asked
    method: methodOf(options),
    ...(body !== undefined && { body }),
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as unknown };
}
