import { fileURLToPath } from 'node:url';
import { answerCheck } from '../api-description/answer-check.js';
import { ownEnvironment } from '../own-environment.js';
import { type Exit, type RunningProcess, startProcess } from '../process.js';
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
  stop: (signal?: NodeJS.Signals) => Promise<Exit>;
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
  const env = { ...ownEnvironment(), PORT: '0', DATA_DIR: dataDirectory, ...environment };
  const running = startProcess(program, args, { env });
  const { pid, printed, isRunning, stop } = running;
  const origin = await originOf(running);
  watchService({ pid, origin, printed, isRunning });
  const port = Number(new URL(origin).port);
  return { origin, port, dataDirectory, pid, printed, ...serviceAt(origin, environment), stop };
}

/** Waits until the service of this process serves. */
export const originOf = async ({ prints }: RunningProcess): Promise<string> =>
  (await prints(/serving on (http:\/\/\S+)\s/, startLimitMs))[1] ?? '';

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
  const env = { ...ownEnvironment(), PORT: '0', ...environment };
  const { ended, stop, stderr } = startProcess(process.execPath, [...flags, compiled], { env });
  const limit = setTimeout(() => void stop('SIGKILL'), startLimitMs);
  const { code } = await ended;
  clearTimeout(limit);
  return { code, printed: stderr() };
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
